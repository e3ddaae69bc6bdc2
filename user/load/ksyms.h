/*
 * ksyms: resolves kernel addresses by asking the kernel for each: a BPF program prints it as %pS
 * does. That takes microseconds per address; the kernel takes tens of milliseconds to write
 * /proc/kallsyms, mostly for symbols that nobody needs.
 */
#ifndef LOAD_KSYMS_H
#define LOAD_KSYMS_H

#include <stddef.h>
#include <stdint.h>

#include "process/kallsyms.h"

/* Loads the program, which takes rights that the loader gives up later. A process and its children
 * share it, and must call one at a time. */
int ksyms_prepare(void);

/* A kallsyms_ask_fn. Negative without a text if the kernel cannot do this (before 5.13) or the
 * privilege is missing. */
int ksyms_find(const uint64_t *addresses, size_t n, struct kallsym *out);

#endif
