#include "stack/unwinder.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"
#include "elf/budget.h"
#include "elf/elffile.h"
#include "elf/segments.h"
#include "sample/regs.h"
#include "script/detect.h"
#include "stack/chains.h"
#include "stack/interleave.h"
#include "unwind/native_walk.h"
#include "unwind/table_build.h"
#include "wire.h"
#include "wire_script.h"

struct images;
struct procs;
struct tables;

/* The table of a piece of an image: in the kernel once the walker has met it, else only here. */
struct entry {
	struct table_blob own; /* no words: it is in the kernel, or not made yet */
	struct wire_piece piece;
	bool in_kernel;
};

/* An image opened to make tables of its pieces. */
struct maker {
	struct budget budget;
	struct elffile file;	   /* charges budget */
	struct table_maker *maker; /* NULL: not possible */
	struct interpreter script; /* that the file has */
	bool is_open;		   /* opening was tried */
	bool looked;		   /* whether the file has an interpreter is known */
};

struct unwinder {
	struct tables *tables;
	struct images *images;
	struct procs *procs;
	struct budget_pool *pool;
	struct map by_piece; /* image and piece → index in entries */
	VEC(struct entry) entries;
	struct map file_of; /* image → index in files, once the kernel's name of it is known */
	VEC(struct wire_piece) files;
	struct map makers_by_image; /* image → index in makers */
	VEC(struct maker *) makers; /* owned */
	struct map asked;	    /* hash of a piece → failed requests */
	uint64_t walks;
	int64_t build_ns;
	char refused[SCRIPT_REASON]; /* the last reason not to show frames of scripts */
	uint64_t n_refused;	     /* files */
	uint64_t n_bare;	     /* walks */
	struct map told;	     /* process → page of its interpreter that the walker knows */
	struct chains chains;
	/* Of the current walk, with its chain. */
	uint64_t frames[WIRE_WALK_FRAMES + WIRE_USER_FRAMES + 1];
};

static void maker_free(struct maker *m)
{
	table_maker_free(m->maker);
	elffile_release(&m->file);
	budget_close(&m->budget);
	free(m);
}

/* Renumbers @m for the items whose image still exists, which it marks in @kept; @n items. */
static void forget_keys(const struct unwinder *u, struct map *m, unsigned image_bits, uint8_t *kept)
{
	struct map rest = {0};
	bool fresh;

	for (size_t i = 0; i < m->cap; i++) {
		const struct map_slot *slot = &m->slots[i];

		if (!slot->used || !images_at(u->images, (uint32_t)(slot->key >> image_bits)))
			continue;
		kept[slot->value] = 1;
		*map_put(&rest, slot->key, &fresh) = slot->value;
	}
	map_release(m);
	*m = rest;
}

/* Keeps those of @n items of @bytes each at @at, found through @m, whose image still exists; calls
 * @drop (may be NULL) for the others. Returns how many are left. */
static size_t forget(const struct unwinder *u, struct map *m, unsigned image_bits, void *at,
		     size_t n, size_t bytes, void (*drop)(void *))
{
	_free_ uint8_t *kept = mem_zalloc(n + 1, 1);
	_free_ uint32_t *numbers = mem_zalloc(n + 1, sizeof(*numbers));
	size_t left = 0;

	forget_keys(u, m, image_bits, kept);
	for (size_t i = 0; i < n; i++) {
		char *one = (char *)at + i * bytes;

		numbers[i] = (uint32_t)left;
		if (kept[i])
			memmove((char *)at + left++ * bytes, one, bytes);
		else if (drop)
			drop(one);
	}
	for (size_t i = 0; i < m->cap; i++)
		if (m->slots[i].used)
			m->slots[i].value = numbers[m->slots[i].value];
	return left;
}

#define FORGET(u, map, image_bits, vec, drop) \
	((vec)->n = forget(u, map, image_bits, (vec)->at, (vec)->n, sizeof(*(vec)->at), drop))

static void drop_entry(void *entry)
{
	table_blob_release(&((struct entry *)entry)->own);
}

static void drop_maker(void *maker)
{
	maker_free(*(struct maker **)maker);
}

void unwinder_forget(struct unwinder *u)
{
	if (!u)
		return;
	FORGET(u, &u->by_piece, 32, &u->entries, drop_entry);
	FORGET(u, &u->file_of, 0, &u->files, NULL);
	FORGET(u, &u->makers_by_image, 0, &u->makers, drop_maker);
	map_release(&u->asked);
}

/* A request for a piece that no process seems to map is retried so often. */
#define MAX_ASKED 8

struct unwinder *unwinder_new(struct tables *tables, struct images *images, struct procs *procs,
			      struct budget_pool *pool)
{
	struct unwinder *u = mem_zalloc(1, sizeof(*u));

	u->tables = tables;
	u->images = images;
	u->procs = procs;
	u->pool = pool;
	return u;
}

void unwinder_free(struct unwinder *u)
{
	if (!u)
		return;
	for (size_t i = 0; i < u->entries.n; i++)
		table_blob_release(&u->entries.at[i].own);
	for (size_t i = 0; i < u->makers.n; i++)
		maker_free(u->makers.at[i]);
	vec_release(&u->makers);
	map_release(&u->makers_by_image);
	map_release(&u->file_of);
	vec_release(&u->files);
	map_release(&u->by_piece);
	map_release(&u->asked);
	map_release(&u->told);
	vec_release(&u->entries);
	free(u);
}

/* A table that covers no code: all is walked by frame pointer. */
static void empty_table(struct table_blob *out)
{
	struct table_header *h = mem_zalloc(1, TABLE_LINE_BYTES);

	h->magic = TABLE_MAGIC;
	h->pages_at = h->rows_at = h->rules_at = sizeof(*h) / sizeof(uint64_t);
	*out = (struct table_blob){.words = (uint64_t *)h, .n_words = TABLE_LINE_WORDS};
}

/* What a piece of code, and one place, may cost beyond the file's budget: more than nearly all
 * pieces of honest files need. */
static const struct budget_limits of_piece = {.bytes = 2u << 20, .steps = 1u << 21, .ns = 50000000};
static const struct budget_limits of_place = {.bytes = 4096, .steps = 2048, .ns = 100000};

static void close_maker(struct maker *m)
{
	table_maker_free(m->maker);
	elffile_release(&m->file);
	m->maker = NULL;
	m->is_open = false;
	budget_hold(&m->budget, 0);
}

/* Ends a read of the file. False: open it again later. */
static bool end_read(struct unwinder *u, uint32_t image, struct maker *m)
{
	static const char why[] = "unwind tables not made: budget of the file used up";
	struct image *i = images_at(u->images, image);
	const enum budget_end end = budget_end(&m->budget);

	if (end == BUDGET_GOES_ON)
		return true;
	close_maker(m);
	/* The budget is used up for good: free the memory. */
	m->is_open = end == BUDGET_USED_UP;
	if (m->is_open && !i->note)
		i->note = mem_strdup(why);
	return m->is_open;
}

static void note_refused(struct unwinder *u, const struct interpreter *script)
{
	if (!script->reason[0])
		return;
	memcpy(u->refused, script->reason, sizeof(u->refused));
	u->n_refused++;
}

static bool open_maker(struct unwinder *u, uint32_t image, struct maker *m)
{
	const struct image *i = images_at(u->images, image);

	m->is_open = true;
	if (i->fd < 0)
		return true;
	if (budget_begin(&m->budget, NULL) && !elffile_open_within(i->fd, &m->budget, &m->file) &&
	    !table_maker_new(&m->file, &m->maker)) {
		budget_hold(&m->budget, table_maker_bytes(m->maker));
		if (script_detect(&m->file, &m->script)) {
			table_maker_mark(m->maker, TABLE_SCRIPT);
			note_refused(u, &m->script);
		}
	}
	return end_read(u, image, m);
}

/* The maker for @image, not opened if it is new. */
static struct maker *new_maker(struct unwinder *u, uint32_t image)
{
	bool fresh;
	uint32_t *at = map_put(&u->makers_by_image, image, &fresh);
	struct maker *m;

	if (!fresh)
		return u->makers.at[*at];
	*at = (uint32_t)u->makers.n;
	m = mem_zalloc(1, sizeof(*m));
	budget_open(u->pool, images_at(u->images, image)->owner, &m->budget);
	vec_push(&u->makers, m);
	return m;
}

/* Whether the file of @image has an interpreter, of which no more is read unless it has. */
static bool has_interpreter(struct unwinder *u, uint32_t image)
{
	struct maker *m = new_maker(u, image);
	const int fd = images_at(u->images, image)->fd;
	struct interpreter script;
	struct elffile f = {0};

	if (m->is_open || m->looked)
		return m->script.language;
	if (fd < 0 || !budget_begin(&m->budget, NULL))
		return false;
	if (!elffile_open_within(fd, &m->budget, &f)) {
		if (script_detect(&f, &script))
			m->script = script;
		m->looked = true;
	}
	elffile_release(&f);
	return budget_end(&m->budget) == BUDGET_GOES_ON && m->script.language;
}

/* The maker for @image's tables; its own .maker is NULL if its code is not described; NULL: not
 * now. */
static struct maker *maker_of(struct unwinder *u, uint32_t image)
{
	struct maker *m = new_maker(u, image);
	const bool was_large = m->budget.is_large;

	if (m->is_open || open_maker(u, image, m))
		return m;
	/* It turned out to be large: open it at once if it is its turn. */
	return !was_large && m->budget.is_large && open_maker(u, image, m) ? m : NULL;
}

/* Whether the budget defers a request before anything is read; the file stays open. */
static bool is_refused(struct maker *m, const struct budget_limits *more)
{
	return !budget_begin(&m->budget, more) && m->budget.end == BUDGET_PUT_OFF;
}

/* Makes the table of a piece; false: not now. */
static bool make(struct unwinder *u, struct place place, struct maker *m, struct table_blob *out)
{
	const uint64_t from = place.offset >> WIRE_PIECE_BITS << WIRE_PIECE_BITS;
	bool made;

	if (is_refused(m, &of_piece))
		return false;
	made = !budget_is_over(&m->budget) &&
	       !table_make(m->maker, from, from + (1ull << WIRE_PIECE_BITS), out);
	if (!end_read(u, place.image, m)) {
		table_blob_release(out);
		return false;
	}
	if (!made)
		empty_table(out);
	return true;
}

/* False: not now. */
static bool build(struct unwinder *u, struct place place, struct table_blob *out)
{
	struct maker *m = maker_of(u, place.image);

	if (m && m->maker && make(u, place, m, out))
		return true;
	if (m && !m->is_open) /* the read showed that it is large */
		m = maker_of(u, place.image);
	if (m && m->maker)
		return make(u, place, m, out);
	if (m)
		empty_table(out);
	return m;
}

/* What call frame information says about a place. */
static bool frame_at(struct unwinder *u, struct place place, struct cfi_frame *out)
{
	struct maker *m = maker_of(u, place.image);
	bool found;

	*out = (struct cfi_frame){0};
	if (!m || !m->maker || is_refused(m, &of_place))
		return false;
	found = !budget_is_over(&m->budget) && table_frame(m->maker, place.offset, out);
	/* The result lies in the maker's memory. */
	return end_read(u, place.image, m) && m->maker && found;
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

/* The table of an entry that is in the kernel; no words: evicted. */
static struct table_blob mapped(const struct unwinder *u, const struct entry *e)
{
	struct table_blob out = {0};

	if (e->in_kernel)
		out.words = (uint64_t *)(uintptr_t)tables_get(u->tables, &e->piece, &out.n_words);
	return out;
}

/* --- interpreters ----------------------------------------------------------------------------- */

/* The maker for @place if its file has an interpreter, else NULL; *@address: of the place, as the
 * file says. */
static const struct maker *interpreter_at(struct unwinder *u, struct place place, uint64_t *address)
{
	const struct maker *m = place.image >= IMAGE_FIRST ? maker_of(u, place.image) : NULL;

	return m && m->script.language && segments_address(&m->file, place.offset, address) ? m
											    : NULL;
}

/* Tells the walker of the interpreter, if any, whose code is at @place, in @piece: before it gets
 * the table of that, whose rules make it ask. False: there is none. */
static bool tell_piece(struct unwinder *u, struct place place, const struct wire_piece *piece)
{
	struct wire_piece key = *piece;
	uint64_t address;
	const struct maker *m = interpreter_at(u, place, &address);
	const struct wire_script_proc proc =
		m ? script_proc(&m->script, place.offset - address) : (struct wire_script_proc){0};

	if (!m)
		return false;
	key.what = WIRE_SCRIPT_ASKED;
	tables_script(u->tables, &key, &proc);
	return true;
}

/* Tells the walker that process @pid has the interpreter, if any, whose code is at @address; sets
 * @out (may be NULL) if there is one that is known. */
static void tell_process(struct unwinder *u, uint32_t pid, uint64_t address, struct place place,
			 struct wire_script_proc *out)
{
	const struct wire_piece key = {.device = WIRE_SCRIPT_ASKED, .piece = pid};
	uint64_t of_file = 0;
	const struct maker *m = interpreter_at(u, place, &of_file);
	const uint32_t page = (uint32_t)((address - of_file) >> 12);
	struct wire_script_proc proc;
	bool fresh;
	uint32_t *told;

	if (!m)
		return;
	proc = script_proc(&m->script, address - of_file);
	if (out && proc.language)
		*out = proc;
	told = map_put(&u->told, pid, &fresh);
	if (!u->tables || (!fresh && *told == page))
		return;
	*told = page;
	tables_script(u->tables, &key, &proc);
}

void unwinder_look(struct unwinder *u)
{
	for (size_t i = 0; i < u->procs->procs.n; i++) {
		const struct proc *p = &u->procs->procs.at[i];

		for (size_t k = 0; !p->exited && k < p->maps.at.n; k++) {
			const struct mapping *m = &p->maps.at.at[k];
			const struct place place = {.image = m->image,
						    .offset = m->start + m->bias};

			if (m->image >= IMAGE_FIRST && has_interpreter(u, m->image))
				tell_process(u, p->pid, m->start, place, NULL);
		}
	}
}

/* --- tables ----------------------------------------------------------------------------------- */

/* The table for @place, made if needed, and put into the kernel for @piece (may be NULL); no words:
 * not now. For native code; valid until the next call. */
static struct table_blob table_of(struct unwinder *u, struct place place,
				  const struct wire_piece *piece)
{
	struct entry *e = entry_of(u, place);
	struct table_blob table = mapped(u, e);
	uint64_t start = clock_ns(CLOCK_MONOTONIC);

	if (table.words)
		return table;
	if (!e->own.words) {
		struct table_blob made = {0};
		const bool now = build(u, place, &made);

		u->build_ns += (int64_t)(clock_ns(CLOCK_MONOTONIC) - start);
		if (!now)
			return made;
		e->own = made;
	}
	if (piece)
		tell_piece(u, place, piece);
	if (!piece || tables_put(u->tables, piece, e->own.words, e->own.n_words))
		return e->own;
	table_blob_release(&e->own);
	e->piece = *piece;
	e->in_kernel = true;
	return mapped(u, e);
}

/* The kernel's name of the piece that @place lies in; false: it never asked for this file. */
static bool piece_of(const struct unwinder *u, struct place place, struct wire_piece *out)
{
	const uint32_t *at = map_get(&u->file_of, place.image);

	if (!at)
		return false;
	*out = u->files.at[*at];
	out->piece = (uint32_t)(place.offset >> WIRE_PIECE_BITS);
	return true;
}

static void note_file(struct unwinder *u, uint32_t image, const struct wire_piece *piece)
{
	bool fresh;
	uint32_t *at = map_put(&u->file_of, image, &fresh);

	if (!fresh)
		return;
	*at = (uint32_t)u->files.n;
	vec_push(&u->files, *piece);
}

/* Whether to wait until the mapping there is known. An unread mapping may be anyone's file: it must
 * not be recorded as having no table for all processes that map it. */
static bool is_unread(struct unwinder *u, const struct wire_want *w, struct place place)
{
	bool fresh;

	if (place.image == IMAGE_UNREAD)
		return true;
	return place.image < IMAGE_VDSO &&
	       ++*map_put(&u->asked, hash_bytes(&w->piece, sizeof(w->piece)), &fresh) < MAX_ASKED;
}

/* Tells the walker what the memory without a file is that it has met. */
static void answer_copy(struct unwinder *u, const struct wire_want *w)
{
	const struct mapping *m = procs_copied(u->procs, w->pid, w->address);
	struct wire_copy copy = {0};
	uint32_t image;

	if (m) {
		image = images_at(u->images, m->image)->first;
		copy = (struct wire_copy){.start = m->start,
					  .end = m->end,
					  .file_offset = m->start + m->bias,
					  .file = {.inode = images_at(u->images, image)->serial,
						   .device = WIRE_COPY}};
	}
	tables_copy(u->tables, &w->piece, &copy);
}

/* The walker met a rule of an interpreter of which it has not been told, or has forgotten it. */
static void answer_script(struct unwinder *u, const struct wire_want *w)
{
	struct wire_piece piece = w->piece;

	piece.what = 0;
	if (!tell_piece(u, procs_place(u->procs, w->pid, w->address), &piece))
		tables_ask_again(u->tables, &w->piece);
}

void unwinder_want(struct unwinder *u, const struct wire_want *w)
{
	struct place place;
	const struct entry *e;
	size_t n_words;

	if (w->piece.device == WIRE_NO_FILE || w->piece.what == WIRE_SCRIPT_ASKED) {
		(w->piece.device == WIRE_NO_FILE ? answer_copy : answer_script)(u, w);
		return;
	}
	place = procs_place(u->procs, w->pid, w->address);
	tell_process(u, w->pid, w->address, place, NULL);
	if (tables_get(u->tables, &w->piece, &n_words))
		return;
	if (is_unread(u, w, place)) {
		tables_ask_again(u->tables, &w->piece);
		return;
	}
	if (place.image >= IMAGE_VDSO)
		note_file(u, place.image, &w->piece);
	if (!table_of(u, place, &w->piece).words) {
		tables_ask_again(u->tables, &w->piece);
		return;
	}
	/* One build-id, two files: the second piece shares the table of the first. */
	e = entry_of(u, place);
	if (e->in_kernel && memcmp(&e->piece, &w->piece, sizeof(w->piece)) != 0) {
		(void)tell_piece(u, place, &w->piece);
		tables_share(u->tables, &w->piece, &e->piece);
	}
}

/* --- walks -------------------------------------------------------------------------------------
 */

struct walk {
	struct unwinder *u;
	const struct wire_slice *slice;
	struct table_blob table; /* of the last code found */
	bool read_past_copy;	 /* the walk read memory beyond a copy that is full */
	/* The interpreter, if any, that it met, whose script frames are known. */
	struct wire_script_proc interpreter;
};

static bool find(void *context, uint64_t address, struct native_code *out)
{
	struct walk *w = context;
	struct place place = procs_place(w->u->procs, w->slice->sample.pid, address);
	struct wire_piece piece;

	*out = (struct native_code){0};
	if (place.image == IMAGE_NONE)
		return false;
	if (place.image == IMAGE_UNREAD ||
	    images_at(w->u->images, place.image)->kind == IMAGE_KIND_JIT)
		return true;
	tell_process(w->u, w->slice->sample.pid, address, place, &w->interpreter);
	/* The kernel's walker will need what this walk needs: give it the table before it asks. */
	w->table = table_of(w->u, place, piece_of(w->u, place, &piece) ? &piece : NULL);
	*out = (struct native_code){.table = w->table.words ? &w->table : NULL,
				    .offset = place.offset};
	return true;
}

static bool frame(void *context, uint64_t address, struct cfi_frame *out)
{
	struct walk *w = context;
	struct place place = procs_place(w->u->procs, w->slice->sample.pid, address);

	return place.image != IMAGE_NONE && frame_at(w->u, place, out);
}

bool unwinder_starts_function(struct unwinder *u, struct place place)
{
	struct place before = place;
	struct cfi_frame found;

	before.offset--;
	return place.image >= IMAGE_FIRST && frame_at(u, place, &found) && !found.signal &&
	       !frame_at(u, before, &found);
}

/* Reads from one of the slice's two parts. */
static bool read_part(const struct wire_slice *slice, int part, uint64_t address, uint64_t *out)
{
	const uint32_t split = slice->split < slice->pieces ? slice->split : slice->pieces;
	const uint32_t from = part ? split : 0, pieces = part ? slice->pieces - split : split;
	const uint64_t at = address - slice->start[part], last = at + sizeof(*out) - 1;

	if (last < at || address < slice->lowest || last / WIRE_SLICE_PIECE >= pieces ||
	    !(slice->present >> (from + at / WIRE_SLICE_PIECE) & 1) ||
	    !(slice->present >> (from + last / WIRE_SLICE_PIECE) & 1))
		return false;
	memcpy(out, (const uint8_t *)(slice + 1) + (size_t)from * WIRE_SLICE_PIECE + at,
	       sizeof(*out));
	return true;
}

/* Beyond the copy of a stack, which was limited by its size and not by the end of memory. */
static bool is_past_copy(const struct wire_slice *slice, uint64_t address)
{
	const uint32_t n = slice->pieces;

	return n && slice->split >= n && slice->present >> (n - 1) & 1 &&
	       address >= slice->start[0] + (uint64_t)n * WIRE_SLICE_PIECE;
}

static bool read_stack(void *context, uint64_t address, uint64_t *out)
{
	struct walk *w = context;

	if (read_part(w->slice, 0, address, out) || read_part(w->slice, 1, address, out))
		return true;
	w->read_past_copy |= is_past_copy(w->slice, address);
	return false;
}

/* In the terms of the kernel's walker. */
static uint8_t end_of(const struct native_end *end)
{
	switch (end->end) {
	case STEP_ROOT:
		return WIRE_END_ROOT;
	case STEP_UNREADABLE:
		return WIRE_END_UNREADABLE;
	case STEP_NEXT:
		return WIRE_END_CUT;
	case STEP_OTHER:
		return WIRE_END_OTHER;
	default:
		return end->no_rule ? WIRE_END_NO_RULE : WIRE_END_BROKEN;
	}
}

/* Keeps the innermost and the outermost of too many frames, as the kernel's walker does. A stack
 * has one place where frames are left out: where some are already, a note takes a frame's place. */
static void cut(uint64_t *frames, struct stack_frames *f)
{
	const uint32_t inner = WIRE_USER_FRAMES - WIRE_TAIL_FRAMES;

	if (f->n <= WIRE_USER_FRAMES)
		return;
	if (f->cut_at)
		frames[f->cut_at] =
			(uint64_t)WIRE_FRAME_SCRIPT << WIRE_FRAME_SHIFT | WIRE_SCRIPT_TORN;
	memmove(frames + inner, frames + f->n - WIRE_TAIL_FRAMES,
		WIRE_TAIL_FRAMES * sizeof(*frames));
	f->n = WIRE_USER_FRAMES;
	f->cut_at = inner;
}

bool unwinder_dropped(const struct unwinder *u, const struct wire_slice *slice)
{
	return tables_dropped(u->tables, &slice->missing);
}

void unwinder_chain(struct unwinder *u, const struct wire_stack *w)
{
	chains_take(&u->chains, w);
}

/* Puts frames of a script that say nothing of their loop into the native ones. */
static void pair(const struct walk *w, const struct chain *chain, struct stack_frames *f)
{
	uint64_t *frames = w->u->frames;
	struct interleave_words words = {.at = frames, .n = f->n};

	interleave_mark(frames, f->n, &w->interpreter);
	memcpy(frames + f->n, chain->words, chain->n * sizeof(*frames));
	words.n += (uint32_t)chain->n;
	interleave(&words, f->end);
	f->n = words.n;
	f->cut_at = words.cut_at;
}

uint32_t unwinder_walk(struct unwinder *u, const struct wire_slice *slice, struct stackbook *stacks)
{
	struct walk w = {.u = u, .slice = slice};
	const struct chain *chain = chains_find(&u->chains, slice->chain);
	const bool pairs = chain && WIRE_FRAME_KIND(chain->words[0]) == WIRE_FRAME_CHAIN;
	const struct native_walk walk = {
		.registers = slice->registers,
		.find = find,
		.read = read_stack,
		.frame = frame,
		.trampoline = slice->trampoline,
		.origins = slice->origins,
		.n_origins = slice->n_origins < WIRE_ORIGINS ? slice->n_origins : WIRE_ORIGINS,
		.chain = chain ? chain->words : NULL,
		.n_chain = chain && !pairs ? chain->n : 0,
		.context = &w};
	struct native_end end = native_walk(&walk, u->frames, WIRE_WALK_FRAMES);
	struct stack_frames f = {.address = u->frames,
				 .n = (uint32_t)end.n,
				 .end = end_of(&end),
				 .syscall = slice->syscall};

	if (f.end == WIRE_END_UNREADABLE && w.read_past_copy)
		f.end = WIRE_END_LARGE;
	if (pairs)
		pair(&w, chain, &f);
	u->walks++;
	/* V8 may be on the stack without a function. */
	u->n_bare += w.interpreter.language && w.interpreter.language != WIRE_SCRIPT_V8 && !chain;
	cut(u->frames, &f);
	return stackbook_add_frames(stacks, &f, slice->sample.pid, u->procs);
}

void unwinder_stats(const struct unwinder *u, struct unwinder_stats *out)
{
	*out = (struct unwinder_stats){.losses = *budget_pool_losses(u->pool),
				       .tables = tables_count(u->tables),
				       .table_bytes = tables_bytes(u->tables),
				       .evicted = tables_evicted(u->tables),
				       .walks = u->walks,
				       .build_ns = u->build_ns,
				       .n_refused = u->n_refused,
				       .n_bare = u->n_bare};
	memcpy(out->refused, u->refused, sizeof(out->refused));
	for (size_t i = 0; i < u->entries.n; i++) {
		out->tables += u->entries.at[i].own.n_words > 0;
		out->table_bytes += u->entries.at[i].own.n_words * sizeof(uint64_t);
	}
}
