/*
 * chance: random numbers that nobody can foresee: for names in folders that others may write to,
 * and for hashes of what others have chosen.
 */
#ifndef BASE_CHANCE_H
#define BASE_CHANCE_H

#include <stdint.h>

/* Another one each time. */
uint64_t chance_u64(void);

#endif
