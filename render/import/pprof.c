/*
 * pprof: what go tool pprof and its kin read and write (export/pprof.proto), of Go's runtime,
 * gperftools, perf_to_profile, and of `eprof-render export --to pprof`.
 *
 * Each type of a sample is a metric; of several lines at a location all but the last were inlined.
 * The labels thread, tid, pid, process, cgroup name the thread, and reason, call, object, state why
 * it waited; other labels are not kept, which the ledger says. A sample has no time.
 *
 * Whatever the file claims: an id that is 0, twice there or nowhere is refused, and so is an index
 * past the table of strings. No stack has more than FRAMES_MOST frames, and all stacks together no
 * more than the file's size is good for.
 */
#include "import/import.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/err.h"
#include "import/pprof_state.h"

/* A frame takes a byte of the file at least, but for inlined ones: a location's are named once. */
#define FRAMES_A_BYTE 16

int pprof_bad(const struct pprof *f, const char *what, size_t row)
{
	return err(-EINVAL, "'%s' is no sound pprof profile: %s %zu", f->name, what, row);
}

const char *pprof_string(const struct pprof *f, int64_t number)
{
	if (number >= 0 && (uint64_t)number < f->m->n_string_table)
		return f->m->string_table[number];
	err(-EINVAL, "'%s' is no sound pprof profile: there is no string %" PRId64, f->name,
	    number);
	return NULL;
}

uint32_t pprof_text(struct pprof *f, int64_t number, int *rc)
{
	const char *s = pprof_string(f, number);

	if (!s)
		*rc = -EINVAL;
	return s ? builder_text(f->b, s, strlen(s)) : 0;
}

static int read_all(struct pprof *f)
{
	int rc = pprof_read_types(f);

	if (!rc)
		rc = pprof_read_times(f);
	if (!rc)
		rc = pprof_read_comments(f);
	if (!rc)
		rc = pprof_read_tables(f);
	for (size_t i = 0; !rc && i < f->m->n_sample; i++)
		rc = pprof_read_sample(f, i);
	if (!rc)
		builder_note(f->b, f->types[0].metric, LEDGER_NOTE,
			     "labels that a profile has no place for", f->labels);
	return rc;
}

static int pprof_read(struct input *in, struct builder *b)
{
	struct pprof f = {.name = in->name, .b = b};
	struct pprof_file file;
	int rc = pprof_file_read(&file, in);

	if (!rc) {
		f.m = file.message;
		f.walk_most = FRAMES_A_BYTE * file.bytes + PPROF_FRAMES_MOST;
		rc = read_all(&f);
	}
	pprof_file_release(&file);
	map_release(&f.mappings);
	map_release(&f.functions);
	map_release(&f.locations);
	vec_release(&f.frames);
	free(f.places);
	free(f.modules);
	return rc;
}

const struct import pprof_import = {
	.name = "pprof",
	.extension = "pprof",
	.about = "profiles of go tool pprof and its kin, gzip'd or not",
	.is = pprof_file_is,
	.read = pprof_read,
};
