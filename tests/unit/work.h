/*
 * work: how much the bounded parsers have done, in steps: basic blocks of their code, which call
 * work_step() wherever one begins. A figure that no clock and no other process changes.
 */
#ifndef TESTS_WORK_H
#define TESTS_WORK_H

#include <stdint.h>

extern uint64_t work_steps;

/* By this name the compiler calls it (-fsanitize-coverage=trace-pc). */
void work_step(void) __asm__("__sanitizer_cov_trace_pc");

#endif
