/*
 * gotab: reads unwind rows from a Go program's own table (.gopclntab, of Go 1.18 and later). The
 * table survives stripping, and unlike the call frame information that Go writes it knows where rbp
 * was saved, which functions switch to another stack, and which have no caller.
 *
 * Works on untrusted files: time and memory are linear in the size of the section.
 */
#ifndef CFI_GOTAB_H
#define CFI_GOTAB_H

#include "cfi/cfi.h"

/* NULL for files without one that can be read. @f need not outlive it. Owned by the caller. */
struct gotab;
struct gotab *gotab_open(const struct elffile *f);
void gotab_close(struct gotab *);
/* Of memory that it holds; 0 for NULL. */
uint64_t gotab_bytes(const struct gotab *);

/* The code that the table covers, [*@start, *@end), offsets in the file. */
void gotab_range(const struct gotab *, uint64_t *start, uint64_t *end);

/* As cfi_rows(): of the functions whose code reaches into [@from, @to); there are no gaps. */
int gotab_rows(const struct gotab *, uint64_t from, uint64_t to, cfi_row_fn *row, void *context);

/* A function, by address as symbols have it. @name is valid as long as the gotab. */
typedef void gotab_function_fn(void *context, const char *name, uint64_t start, uint64_t end);
/* Calls @function for each, by address. */
void gotab_functions(const struct gotab *, gotab_function_fn *function, void *context);
/* The name of the one that holds @address, valid as long as the gotab, or NULL. */
const char *gotab_name(const struct gotab *, uint64_t address);

#endif
