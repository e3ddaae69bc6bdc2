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
	char *name;   /* NULL: none is near enough below the address; owned */
	char *module; /* "ext4", "bpf"; NULL: the kernel itself; owned */
};

/*
 * Fills out[0 … n-1] for the ascending @addresses. -EPERM with a text when all addresses in the
 * file read as zero (kptr_restrict); the names are NULL then.
 */
int kallsyms_find(FILE *, const uint64_t *addresses, size_t n, struct kallsym *out);
/* The address of the symbol @name, in the next @lines lines of the file; 0: it is not there, or
 * addresses are hidden from us. */
uint64_t kallsyms_address(FILE *, const char *name, size_t lines);
void kallsyms_release(struct kallsym *, size_t n);

/* Names what it can of @addresses by other means than the text, at most n of @out; what it cannot
 * stays NULL. Negative, without a text, where it does not work here; out is to be released even
 * then. */
typedef int (*kallsyms_ask_fn)(const uint64_t *addresses, size_t n, struct kallsym *out);

/* kallsyms_find() that asks @ask (may be NULL) first and reads on in the text only for what is
 * still unnamed then. The same errors: addresses that are hidden from us are not asked for. */
int kallsyms_ask(FILE *, kallsyms_ask_fn ask, const uint64_t *addresses, size_t n,
		 struct kallsym *out);

#endif
