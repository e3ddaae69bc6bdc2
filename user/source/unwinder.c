#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/mem.h"
#include "elf/file.h"
#include "source/unwinder.h"
#include "unwind/native_walk.h"
#include "unwind/regs.h"
#include "unwind/table_build.h"

/* A piece of what no process admits to having mapped is asked for so often before it is given up.
 */
#define MAX_ASKED 8

/* The table of a piece of an image: in the kernel once the walker has met it, else only here. */
struct entry {
	struct table_blob own; /* no words: in the kernel, or not made yet */
	struct wire_piece piece;
	bool in_kernel;
};

/* An image opened to make tables of its pieces. */
struct maker {
	struct elffile file;
	struct table_maker *maker; /* NULL: cannot be */
};

struct unwinder {
	struct tables *tables;
	struct images *images;
	struct procs *procs;
	struct map by_piece; /* image, piece → index in entries */
	VEC(struct entry) entries;
	struct map file_of; /* image → index in files: how the kernel calls it, once known */
	VEC(struct wire_piece) files;
	struct map makers_by_image; /* → index in makers */
	VEC(struct maker *) makers; /* owned */
	struct map asked;	    /* hash of a piece → how often in vain */
	uint64_t walks;
	int64_t build_ns;
};

struct unwinder *unwinder_new(struct tables *tables, struct images *images, struct procs *procs)
{
	struct unwinder *u = mem_zalloc(1, sizeof(*u));

	u->tables = tables;
	u->images = images;
	u->procs = procs;
	return u;
}

void unwinder_free(struct unwinder *u)
{
	if (!u)
		return;
	for (size_t i = 0; i < u->entries.n; i++)
		table_blob_release(&u->entries.at[i].own);
	for (size_t i = 0; i < u->makers.n; i++) {
		table_maker_free(u->makers.at[i]->maker);
		elffile_release(&u->makers.at[i]->file);
		free(u->makers.at[i]);
	}
	vec_release(&u->makers);
	map_release(&u->makers_by_image);
	map_release(&u->file_of);
	vec_release(&u->files);
	map_release(&u->by_piece);
	map_release(&u->asked);
	vec_release(&u->entries);
	free(u);
}

/* Says of no code anything: all of it is walked by frame pointer. */
static void empty_table(struct table_blob *out)
{
	struct table_header *h = mem_zalloc(1, TABLE_LINE_BYTES);

	h->magic = TABLE_MAGIC;
	h->pages_at = h->rows_at = h->rules_at = sizeof(*h) / sizeof(uint64_t);
	*out = (struct table_blob){.words = (uint64_t *)h, .n_words = TABLE_LINE_WORDS};
}

/* The maker of @image's tables; NULL where nothing can be told of its code. */
static struct table_maker *maker_of(struct unwinder *u, uint32_t image)
{
	const struct image *i = images_at(u->images, image);
	struct maker *m;
	bool fresh;
	uint32_t *at = map_put(&u->makers_by_image, image, &fresh);

	if (!fresh)
		return u->makers.at[*at]->maker;
	*at = (uint32_t)u->makers.n;
	m = mem_zalloc(1, sizeof(*m));
	vec_push(&u->makers, m);
	if (i->fd < 0 || elffile_open(i->fd, &m->file))
		return NULL;
	if (table_maker_new(&m->file, &m->maker))
		m->maker = NULL;
	return m->maker;
}

static void build(struct unwinder *u, struct place place, struct table_blob *out)
{
	struct table_maker *maker = maker_of(u, place.image);
	uint64_t from = place.offset >> WIRE_PIECE_BITS << WIRE_PIECE_BITS;

	if (!maker || table_make(maker, from, from + (1ull << WIRE_PIECE_BITS), out))
		empty_table(out);
}

static struct entry *entry_of(struct unwinder *u, struct place place)
{
	uint64_t piece = place.offset >> WIRE_PIECE_BITS;
	bool fresh;
	uint32_t *at = map_put(&u->by_piece, (uint64_t)place.image << 32 | piece, &fresh);

	if (fresh) {
		*at = (uint32_t)u->entries.n;
		vec_add(&u->entries);
	}
	return &u->entries.at[*at];
}

/* The table for @place for native code; made if need be. Valid until the next call. */
static struct table_blob table_of(struct unwinder *u, struct place place)
{
	struct entry *e = entry_of(u, place);
	struct table_blob mapped = {0};
	uint64_t start = clock_ns(CLOCK_MONOTONIC);

	if (e->in_kernel)
		mapped.words =
			(uint64_t *)(uintptr_t)tables_get(u->tables, &e->piece, &mapped.n_words);
	if (mapped.words)
		return mapped;
	if (!e->own.words) {
		build(u, place, &e->own);
		u->build_ns += (int64_t)(clock_ns(CLOCK_MONOTONIC) - start);
	}
	return e->own;
}

static void give_to_kernel(struct unwinder *u, const struct wire_piece *piece, struct place place)
{
	struct table_blob blob = table_of(u, place);
	struct entry *e = entry_of(u, place);
	size_t n_words;

	if (e->in_kernel && tables_get(u->tables, &e->piece, &n_words))
		return;
	if (tables_put(u->tables, piece, blob.words, blob.n_words))
		return;
	table_blob_release(&e->own);
	e->piece = *piece;
	e->in_kernel = true;
}

void unwinder_want(struct unwinder *u, const struct wire_want *w)
{
	struct place place = procs_place(u->procs, w->pid, w->address);
	size_t n_words;
	bool fresh;

	if (tables_get(u->tables, &w->piece, &n_words))
		return;
	if (place.image < IMAGE_VDSO) {
		uint32_t *asked =
			map_put(&u->asked, hash_bytes(&w->piece, sizeof(w->piece)), &fresh);

		if (++*asked < MAX_ASKED) {
			tables_ask_again(u->tables, &w->piece);
			return;
		}
	}
	give_to_kernel(u, &w->piece, place);
	if (place.image >= IMAGE_VDSO) {
		uint32_t *at = map_put(&u->file_of, place.image, &fresh);

		if (fresh) {
			*at = (uint32_t)u->files.n;
			vec_push(&u->files, w->piece);
		}
	}
}

/* What a walk here needs the walker there will need too: it gets it before it asks. */
static void offer(struct unwinder *u, struct place place)
{
	const uint32_t *at = map_get(&u->file_of, place.image);
	struct wire_piece piece;

	if (!at)
		return;
	piece = u->files.at[*at];
	piece.piece = (uint32_t)(place.offset >> WIRE_PIECE_BITS);
	give_to_kernel(u, &piece, place);
}

/* --- walks -------------------------------------------------------------------------------------
 */

struct walk {
	struct unwinder *u;
	const struct wire_slice *slice;
	struct table_blob table; /* of the code that was found last */
};

static bool find(void *context, uint64_t address, struct native_code *out)
{
	struct walk *w = context;
	struct place place = procs_place(w->u->procs, w->slice->sample.pid, address);

	*out = (struct native_code){0};
	if (place.image == IMAGE_NONE)
		return false;
	if (images_at(w->u->images, place.image)->kind == IMAGE_KIND_JIT)
		return true;
	offer(w->u, place);
	w->table = table_of(w->u, place);
	*out = (struct native_code){.table = &w->table, .offset = place.offset};
	return true;
}

static bool saved_rbx(void *context, uint64_t address, struct cfi_value *out)
{
	struct walk *w = context;
	struct place place = procs_place(w->u->procs, w->slice->sample.pid, address);
	struct table_maker *maker = place.image == IMAGE_NONE ? NULL : maker_of(w->u, place.image);

	return maker && table_saved_rbx(maker, place.offset, out);
}

static bool read_stack(void *context, uint64_t address, uint64_t *out)
{
	const struct walk *w = context;
	uint64_t at = address - w->slice->start;
	uint64_t first = at / WIRE_SLICE_PIECE, last = (at + sizeof(*out) - 1) / WIRE_SLICE_PIECE;

	if (at > WIRE_SLICE_BYTES - sizeof(*out) || !(w->slice->present >> first & 1) ||
	    !(w->slice->present >> last & 1))
		return false;
	memcpy(out, (const uint8_t *)(w->slice + 1) + at, sizeof(*out));
	return true;
}

static uint8_t end_of(int end)
{
	switch (end) {
	case STEP_ROOT:
		return WIRE_END_ROOT;
	case STEP_UNREADABLE:
		return WIRE_END_UNREADABLE;
	case STEP_NEXT:
		return WIRE_END_CUT;
	case STEP_OTHER:
		return WIRE_END_OTHER;
	default:
		return WIRE_END_BROKEN;
	}
}

static struct native_end walk_slice(struct walk *w, uint64_t *frames, uint8_t *by_bp)
{
	struct native_walk walk = {.registers = w->slice->registers,
				   .find = find,
				   .read = read_stack,
				   .saved_rbx = saved_rbx,
				   .context = w};

	return native_walk(&walk, frames, by_bp, WIRE_USER_FRAMES);
}

uint32_t unwinder_walk(struct unwinder *u, const struct wire_slice *slice, struct stacks *stacks)
{
	struct walk w = {.u = u, .slice = slice};
	uint64_t frames[WIRE_USER_FRAMES];
	uint8_t by_bp[WIRE_USER_FRAMES];
	struct native_end end = walk_slice(&w, frames, by_bp);
	struct stack_frames f = {.address = frames,
				 .by_bp = by_bp,
				 .n = (uint32_t)end.n,
				 .end = end_of(end.end),
				 .syscall = slice->syscall};

	u->walks++;
	return stacks_add_frames(stacks, &f, slice->sample.pid, u->procs);
}

void unwinder_stats(const struct unwinder *u, struct unwinder_stats *out)
{
	*out = (struct unwinder_stats){.tables = tables_count(u->tables),
				       .table_bytes = tables_bytes(u->tables),
				       .evicted = tables_evicted(u->tables),
				       .walks = u->walks,
				       .build_ns = u->build_ns};
}
