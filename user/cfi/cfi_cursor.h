/*
 * cfi_cursor: reads call frame information byte by byte and never past its end. A read that does
 * not fit returns 0 and leaves the cursor bad and empty, so a parser checks once, at the end.
 */
#ifndef CFI_CFI_CURSOR_H
#define CFI_CFI_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cfi_cursor {
	const uint8_t *at, *end;
	bool bad;
};

static inline void cfi_fail(struct cfi_cursor *c)
{
	c->at = c->end;
	c->bad = true;
}

static inline size_t cfi_left(const struct cfi_cursor *c)
{
	return (size_t)(c->end - c->at);
}

static inline void cfi_skip(struct cfi_cursor *c, uint64_t n)
{
	if (n > cfi_left(c))
		cfi_fail(c);
	else
		c->at += n;
}

/* An unsigned number of @n bytes: 1, 2, 4 or 8. */
static inline uint64_t cfi_uint(struct cfi_cursor *c, size_t n)
{
	uint64_t value = 0;

	if (n > cfi_left(c)) {
		cfi_fail(c);
		return 0;
	}
	for (size_t i = 0; i < n; i++)
		value |= (uint64_t)c->at[i] << (8 * i);
	c->at += n;
	return value;
}

/* A LEB128 number's 7-bit groups, at most 10; *@bits tells how many bits they make. */
static inline uint64_t cfi_leb(struct cfi_cursor *c, unsigned int *bits)
{
	uint64_t value = 0;

	for (*bits = 0; *bits < 70 && c->at < c->end;) {
		uint8_t byte = *c->at++;

		value |= (uint64_t)(byte & 0x7f) << *bits;
		*bits += 7;
		if (!(byte & 0x80))
			return value;
	}
	cfi_fail(c);
	return 0;
}

static inline uint64_t cfi_uleb(struct cfi_cursor *c)
{
	unsigned int bits;

	if (c->at < c->end && *c->at < 0x80)
		return *c->at++;
	return cfi_leb(c, &bits);
}

static inline int64_t cfi_sleb(struct cfi_cursor *c)
{
	unsigned int bits;
	uint64_t value = cfi_leb(c, &bits);

	if (bits < 64 && bits && (value >> (bits - 1) & 1))
		value |= UINT64_MAX << bits;
	return (int64_t)value;
}

/* A NUL-terminated string, or "" when it does not end. */
static inline const char *cfi_text(struct cfi_cursor *c)
{
	const uint8_t *start = c->at, *nul = memchr(start, '\0', cfi_left(c));

	if (!nul) {
		cfi_fail(c);
		return "";
	}
	c->at = nul + 1;
	return (const char *)start;
}

/* The next @n bytes as a cursor of their own. */
static inline struct cfi_cursor cfi_part(struct cfi_cursor *c, uint64_t n)
{
	struct cfi_cursor part = {.at = c->at};

	cfi_skip(c, n);
	part.end = c->bad ? part.at : c->at;
	part.bad = c->bad;
	return part;
}

/* How .eh_frame encodes addresses (LSB 5.0, 10.5). */
#define CFI_PE_ABS8 0x00 /* eight bytes, the address itself */
#define CFI_PE_OMIT 0xff

/* What relative addresses are relative to. */
struct cfi_bases {
	const uint8_t *start; /* of the section's bytes */
	uint64_t address;     /* where they are loaded */
	uint64_t data;	      /* base of DW_EH_PE_datarel, 0: not known */
};

/* Bytes that a pointer of @encoding takes; 0: varies, or no such encoding. */
size_t cfi_pointer_bytes(uint8_t encoding);
/* Makes the cursor bad for encodings that need the memory of a process or do not exist. */
uint64_t cfi_pointer(struct cfi_cursor *, uint8_t encoding, const struct cfi_bases *);
/* As above without adding a base: for lengths of code. */
uint64_t cfi_pointer_value(struct cfi_cursor *, uint8_t encoding);

#endif
