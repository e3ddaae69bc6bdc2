/*
 * wait_peers: threads that wait in the same call path, as the workers of one pool or the servers of
 * one database, tell of each other what these waits are. For wait_class.
 */
#ifndef QUERY_WAIT_PEERS_H
#define QUERY_WAIT_PEERS_H

#include "query/wait_judge.h"

/* Changes the rules of threads with little work, which alone say little, to what others say of the
 * same call path: first the one that worked most, if that is enough to be sure; else any that was
 * held up there, for that rests on work that was seen, and idleness on work that was not. */
void wait_peers_agree(const struct wait_paths *, uint8_t *rule);

#endif
