/*
 * ksyms: kernel addresses to names, by asking the kernel for each: a BPF program prints it as %pS
 * does. That costs microseconds an address, while the kernel takes tens of milliseconds to write
 * /proc/kallsyms, most of it for symbols that nobody wants.
 */
#ifndef LOAD_KSYMS_H
#define LOAD_KSYMS_H

#include <stddef.h>
#include <stdint.h>

#include "process/kallsyms.h"

/* A kallsyms_fn. Negative without a text where the kernel does not do this (before 5.13) or the
 * privilege is missing. */
int ksyms_find(const uint64_t *addresses, size_t n, struct kallsym *out);

#endif
