/*
 * chance: random numbers that nobody can foresee: for names in folders that others may write to,
 * and for hashes of what others have chosen.
 */
#ifndef BASE_CHANCE_H
#define BASE_CHANCE_H

#include <stddef.h>
#include <stdint.h>

/* Another one each time. */
uint64_t chance_u64(void);
/* @n of them, with few system calls. */
void chance_fill(uint64_t *at, size_t n);

#endif
