#include "elf/needed.h"

#include <stdlib.h>
#include <string.h>

#include "elf/segments.h"

#define MAX_TEXT   4096
#define USUAL_TEXT 64

/* The text at @offset, up to MAX_TEXT bytes; NULL where it has no end. Owned by the caller. */
static char *read_text(const struct elffile *f, uint64_t offset)
{
	char text[MAX_TEXT + 1];

	for (size_t n = USUAL_TEXT; n <= MAX_TEXT && offset < f->bytes; n *= 8) {
		const size_t got = f->bytes - offset < n ? f->bytes - offset : n;

		if (elffile_read(f, offset, text, got))
			return NULL;
		text[got] = '\0';
		if (strlen(text) < got)
			return mem_strdup(text);
	}
	return NULL;
}

static bool find_strings(void *context, const Elf64_Dyn *d)
{
	uint64_t *strings = context;

	if (d->d_tag == DT_STRTAB)
		*strings = d->d_un.d_ptr;
	return d->d_tag == DT_STRTAB;
}

struct reading {
	const struct elffile *f;
	struct needed *out;
	uint64_t strings; /* offset in the file */
};

static bool take(void *context, const Elf64_Dyn *d)
{
	struct reading *r = context;
	char *text, **to = d->d_tag == DT_RPATH	    ? &r->out->rpath
			   : d->d_tag == DT_RUNPATH ? &r->out->runpath
						    : NULL;

	if (d->d_tag != DT_NEEDED && !to)
		return false;
	if (d->d_un.d_val >= r->f->bytes)
		return false;
	text = read_text(r->f, r->strings + d->d_un.d_val);
	if (text && d->d_tag == DT_NEEDED) {
		vec_push(&r->out->names, text);
	} else if (text) {
		free(*to);
		*to = text;
	}
	return false;
}

void needed_read(const struct elffile *f, struct needed *out)
{
	const Elf64_Phdr *interpreter = segments_first(f, PT_INTERP);
	struct reading r = {.f = f, .out = out};
	uint64_t address;

	if (interpreter)
		out->interpreter = read_text(f, interpreter->p_offset);
	if (!segments_dynamic(f, find_strings, &address) ||
	    !segments_offset(f, address, &r.strings))
		return;
	segments_dynamic(f, take, &r);
	if (out->runpath) {
		free(out->rpath);
		out->rpath = NULL;
	}
}

void needed_release(struct needed *n)
{
	for (size_t i = 0; i < n->names.n; i++)
		free(n->names.at[i]);
	vec_release(&n->names);
	free(n->rpath);
	free(n->runpath);
	free(n->interpreter);
	*n = (struct needed){0};
}
