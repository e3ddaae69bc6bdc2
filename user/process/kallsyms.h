/*
 * kallsyms: kernel addresses to names, from the text of /proc/kallsyms: the kernel itself, its
 * modules and BPF programs. Only the nearest symbol of each wanted address is kept.
 */
#ifndef PROCESS_KALLSYMS_H
#define PROCESS_KALLSYMS_H

#include <stdint.h>
#include <stdio.h>

struct kallsym {
	uint64_t start;
	char *name;   /* NULL: no symbol is near enough below the address; owned */
	char *module; /* "ext4", "bpf"; NULL: the kernel itself; owned */
};

/*
 * Fills out[0 … n-1] for the ascending @addresses. -EPERM with a text when all addresses in the
 * file read as zero (kptr_restrict); the names are NULL then.
 */
int kallsyms_find(FILE *, const uint64_t *addresses, size_t n, struct kallsym *out);
/* The address of the symbol @name, if it is in the next @lines lines of the file; 0: it is not, or
 * addresses are hidden from us. */
uint64_t kallsyms_address(FILE *, const char *name, size_t lines);
void kallsyms_release(struct kallsym *, size_t n);

/* Names @addresses by other means than the text; out[i] stays NULL where it cannot. Negative,
 * without a text: it does not work on this kernel; the caller releases out even then. */
typedef int (*kallsyms_ask_fn)(const uint64_t *addresses, size_t n, struct kallsym *out);

/* kallsyms_find() that calls @ask (may be NULL) first, and reads the text only for addresses that
 * it left unnamed. Fails in the same way, without calling @ask, if addresses are hidden from us. */
int kallsyms_ask(FILE *, kallsyms_ask_fn ask, const uint64_t *addresses, size_t n,
		 struct kallsym *out);

#endif
