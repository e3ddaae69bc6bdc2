/*
 * own_process: what the helper processes of a capture have in common.
 */
#ifndef PROBE_OWN_PROCESS_H
#define PROBE_OWN_PROCESS_H

/* Call in the new process: leaves the user's session, ignores the signals sent to all of it, and
 * replaces the standard streams by /dev/null. */
void own_process_leave(void);

#endif
