#include "store/events_left.h"

#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "model/check.h"

#define AT_ONCE 65536 /* rows, or those of a chunk of the file, if these are more */

static const struct table_place *events_place(void)
{
	return table_of(TABLE_events);
}

struct events_left *events_left_new(const char *path)
{
	struct events_left *left = mem_zalloc(1, sizeof(*left));

	left->reader = (struct reader){.path = mem_strdup(path), .fd = -1, .file = -1};
	left->set = left->stored = left->type = -1;
	return left;
}

void events_left_free(struct events_left *left)
{
	char *path = (char *)(uintptr_t)left->reader.path;

	chunks_release(&left->chunks);
	h5_cleanup(&left->type);
	h5_cleanup(&left->stored);
	h5_cleanup(&left->set);
	reader_close(&left->reader);
	free(left->load.strings);
	free(path);
	free(left);
}

/* Whole chunks, each of which is inflated once then. */
static size_t rows_at_once(const struct events_left *left)
{
	_h5_ hid_t plist = H5Dget_create_plist(left->set);
	hsize_t chunk = 1;
	size_t most = AT_ONCE;

	if (H5Pget_layout(plist) == H5D_CHUNKED && H5Pget_chunk(plist, 1, &chunk) == 1 && chunk)
		most = chunk < AT_ONCE ? AT_ONCE / chunk * chunk : chunk;
	return most < left->n ? most : left->n;
}

int events_left_open(struct events_left *left, const struct load *l, hid_t run)
{
	const struct table *t = events_place()->table;
	int rc = reader_dataset(l->reader, run, t->name, t->row_bytes, &left->set, &left->n);

	if (!rc)
		rc = take_check(l->reader, t, left->set);
	if (rc)
		return rc;
	if (!chunks_init(&left->chunks, left->set, t))
		chunks_release(&left->chunks);
	left->stored = H5Dget_type(left->set);
	left->type = h5_row_type(t, left->stored);
	return 0;
}

/* The @n rows from @first on. */
static int read_rows(struct events_left *left, size_t first, struct timed_event *to, size_t n)
{
	struct any_vec rows = {.at = (char *)to, .n = n, .cap = n};
	int rc;

	if (!chunks_read(&left->chunks, first, to, n) &&
	    h5_read_some(left->set, left->type, first, to, n))
		return reader_err(&left->reader, -EINVAL, "'events' is damaged");
	rc = take_rows(&left->load, events_place()->table, left->stored, &rows, first);
	if (!rc && check_rows(left->load.profile, events_place(), &rows, first))
		rc = reader_err(&left->reader, -EINVAL, "%s", err_text());
	return rc;
}

static int read_next(struct event_source *source, struct event_place *place, struct timed_event *to,
		     size_t *n)
{
	struct events_left *left = (struct events_left *)source;
	const size_t rest = left->n - place->row;
	int rc;

	*n = rest < source->most ? rest : source->most;
	rc = read_rows(left, place->row, to, *n);
	if (!rc && timed_events_check(to, *n, place->row, place->time_ns))
		rc = reader_err(&left->reader, -EINVAL, "%s", err_text());
	if (rc || !*n)
		return rc;
	place->row += *n;
	place->time_ns = to[*n - 1].time_ns;
	return 0;
}

static void free_source(struct event_source *source)
{
	events_left_free((struct events_left *)source);
}

int events_left_begin(struct events_left *left, struct load *l)
{
	struct timed_event e = {0};
	int rc = 0;

	if (!left->n)
		return 0;
	left->load = *l;
	l->strings = NULL;
	left->source = (struct event_source){
		.n = left->n, .most = rows_at_once(left), .read = read_next, .free = free_source};
	rc = read_rows(left, 0, &e, 1);
	left->source.first_ns = e.time_ns;
	if (!rc)
		rc = read_rows(left, left->n - 1, &e, 1);
	left->source.last_ns = e.time_ns;
	if (!rc)
		l->profile->events_left = &left->source;
	return rc;
}
