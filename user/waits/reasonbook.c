#include "waits/reasonbook.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "process/maps.h"
#include "process/procfs.h"
#include "symbol/namer.h"
#include "waits/callrule.h"

/* The most places remembered; beyond it all are looked up again. */
#define MOST_PLACES 16384
/* /proc/PID/fdinfo/N begins with lines that all files have; locks and the like follow. */
#define INFO_BYTES 256

/* The inode's number in the kernel; stat(2) returns another one on some file systems. 0:
 * unknown. */
static uint64_t inode_of(uint32_t pid, uint64_t fd)
{
	_free_ char *file = mem_printf("fdinfo/%" PRIu64, fd);
	_free_ char *path = procfs_path(pid, file);
	_close_ int info = open(path, O_RDONLY | O_CLOEXEC);
	char text[INFO_BYTES + 1];
	ssize_t n = info < 0 ? -1 : read(info, text, INFO_BYTES);
	const char *at;

	if (n <= 0)
		return 0;
	text[n] = '\0';
	at = strstr(text, "\nino:");
	return at ? strtoull(at + strlen("\nino:"), NULL, 10) : 0;
}

/* Anonymous inodes share one number, and the fdinfo of an epoll lists all that it watches: do not
 * read it for these. */
static uint32_t look_up(struct intern *texts, uint32_t pid, uint64_t fd, uint64_t inode)
{
	_free_ char *file = mem_printf("fd/%" PRIu64, fd);
	_free_ char *path = procfs_path(pid, file), *link = file_link(path), *clean = NULL;

	if (!(link && str_starts(link, "anon_inode:")) && inode_of(pid, fd) != inode)
		return 0;
	clean = str_clean(link ? link : "", link ? strlen(link) : 0);
	return intern_add(texts, clean);
}

/* Appends a part of a path as the kernel sent it, in @n bytes; one that fills them was
 * truncated. */
static void part_add(struct str *s, const wire_u8 *part, size_t n)
{
	const size_t length = strnlen((const char *)part, n - 1);
	_free_ char *clean = str_clean((const char *)part, length);

	str_addf(s, "%s%s", clean, length == n - 1 ? "…" : "");
}

/* "…/lib/x", of a file that can no longer be looked up. */
static uint32_t end_of_path(struct intern *texts, const struct wire_reason *r)
{
	struct str s = {0};
	uint32_t text;

	if (!r->folder[0] || !r->name[0])
		return 0;
	str_add(&s, r->folder[0] == '/' ? "…" : "…/");
	part_add(&s, r->folder, sizeof(r->folder));
	str_add(&s, r->folder[0] == '/' ? "" : "/");
	part_add(&s, r->name, sizeof(r->name));
	text = intern_add(texts, s.s);
	free(s.s);
	return text;
}

/* Pipes and sockets are named by their inodes, without a lookup. */
static uint32_t name(struct intern *texts, uint32_t pid, const struct wire_reason *r)
{
	const char *kind = S_ISFIFO(r->mode) ? "pipe" : S_ISSOCK(r->mode) ? "socket" : NULL;
	uint32_t text = S_ISSOCK(r->mode) ? 0 : look_up(texts, pid, r->argument, r->inode);
	char known[64];

	if (text)
		return text;
	if (!kind)
		return end_of_path(texts, r);
	snprintf(known, sizeof(known), "%s:[%" PRIu64 "]", kind, (uint64_t)r->inode);
	return intern_add(texts, known);
}

/* The name of the file behind the descriptor that is the first argument of @pid's call: its number
 * in @texts; "" if unknown. */
static uint32_t descriptor_name(struct map *known, struct intern *texts, uint32_t pid,
				const struct wire_reason *r)
{
	const uint64_t place = (uint64_t)pid << 32 | (uint32_t)r->argument;
	uint32_t *text;
	bool fresh;

	if (known->n >= MOST_PLACES)
		map_release(known);
	text = map_put(known,
		       hash_two(hash_two(place, r->inode), hash_bytes(r->name, sizeof(r->name))),
		       &fresh);
	if (fresh)
		*text = name(texts, pid, r);
	return *text;
}

/* Limits of a window's book. Beyond the first two, reasons are kept without their objects. */
#define MOST_WITH_OBJECT 61440
#define MOST_TEXT_BYTES	 (8u << 20)
#define MOST		 65536

/* Task states: __state of the kernel's task_struct. */
static const struct {
	uint16_t bit;
	char letter;
} states[] = {
	{0x400, 'I'}, /* an idle thread of the kernel */
	{0x1, 'S'},   {0x2, 'D'}, {0x4, 'T'}, {0x8, 't'}, {0x40, 'P'},
};

static uint8_t letter_of(uint16_t state)
{
	for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++)
		if (state & states[i].bit)
			return (uint8_t)states[i].letter;
	return state ? 'S' : 'R';
}

void reasonbook_init(struct reasonbook *b, struct images *images)
{
	*b = (struct reasonbook){.images = images, .memory.opener = images ? images->opener : NULL};
	vec_add(&b->rows);
}

void reasonbook_release(struct reasonbook *b)
{
	intern_release(&b->texts);
	vec_release(&b->rows);
	map_release(&b->by_hash);
	map_release(&b->descriptors);
	memory_release(&b->memory);
}

/* --- the book ------------------------------------------------------------------------------- */

static bool same(const struct reasonbook_row *a, const struct reasonbook_row *b)
{
	return a->kind == b->kind && a->state == b->state && a->io == b->io &&
	       a->is_kernel == b->is_kernel && a->restarted == b->restarted && a->call == b->call &&
	       a->object == b->object && a->variable.serial == b->variable.serial &&
	       a->variable.image == b->variable.image &&
	       a->variable.distance == b->variable.distance;
}

static uint64_t hash_of(const struct reasonbook_row *r)
{
	const uint64_t flags = (uint64_t)r->kind << 24 | (uint64_t)r->state << 16 | r->io << 2 |
			       r->is_kernel << 1 | r->restarted;

	return hash_two(hash_two((uint64_t)r->call << 32 | r->object, flags),
			hash_two((uint64_t)r->variable.image << 32 | r->variable.serial,
				 r->variable.distance));
}

/* The number of the row; 0: it would be new, and the book is full. */
static uint32_t find(struct reasonbook *b, const struct reasonbook_row *row, size_t most)
{
	for (uint64_t key = hash_of(row);; key++) {
		uint32_t *at = map_get(&b->by_hash, key);
		bool fresh;

		if (at && same(&b->rows.at[*at], row))
			return *at;
		if (at)
			continue;
		if (b->rows.n >= most)
			return 0;
		vec_push(&b->rows, *row);
		return *map_put(&b->by_hash, key, &fresh) = (uint32_t)b->rows.n - 1;
	}
}

/* --- objects of waits ------------------------------------------------------------------------- */

/* "[heap]+0x12a0", "x.shm+0x40"; in unnamed anonymous memory the address. */
static uint32_t area_text(struct reasonbook *b, const struct memory_area *a, uint64_t address)
{
	const uint64_t distance = address - a->start + a->file_offset;
	_free_ char *path = str_clean(a->path, strlen(a->path));
	_free_ char *text =
		!strcmp(a->path, "[heap]") || a->path[0] == '/'
			? mem_printf("%s+0x%" PRIx64, str_base(path), distance)
			: mem_printf("%s 0x%" PRIx64, path[0] ? path : "[anon]", address);

	return intern_add(&b->texts, text);
}

static void take_address(struct reasonbook *b, uint32_t pid, uint64_t address, struct procs *procs,
			 struct reasonbook_row *row)
{
	const struct memory_area *a =
		memory_find(&b->memory, pid, address, clock_ns(CLOCK_MONOTONIC));
	struct place code;

	if (!a)
		return;
	if (a->code && b->images) {
		code = procs_place(procs, pid, a->code);
		if (code.image >= IMAGE_FIRST) {
			row->variable = (struct variable){
				.image = code.image,
				.serial = images_at(b->images, code.image)->serial,
				.distance = address - a->start};
			return;
		}
	}
	row->object = area_text(b, a, address);
}

static void take_descriptor(struct reasonbook *b, uint32_t pid, const struct wire_reason *r,
			    struct reasonbook_row *row)
{
	if (!r->inode) {
		row->kind = row->kind == REASON_FILE ? REASON_CALL : row->kind;
		return;
	}
	row->object = descriptor_name(&b->descriptors, &b->texts, pid, r);
	if (row->kind != REASON_FILE)
		return;
	row->kind = kind_of_mode(r->mode);
	/* Since Linux 6.16 these look like files. */
	if (str_starts(intern_text(&b->texts, row->object), "anon_inode:"))
		row->kind = REASON_OBJECT;
	if (row->kind == REASON_FILE && row->io)
		row->kind = REASON_DISK;
}

/* A call newer than our headers is shown by its number. */
static uint32_t call_text(struct reasonbook *b, const struct wire_reason *r)
{
	const char *name = syscall_name(r->call, r->flags & WIRE_REASON_COMPAT);
	char number[32];

	snprintf(number, sizeof(number), "syscall %" PRIu32, r->call);
	return intern_add(&b->texts, name ? name : number);
}

static void take_call(struct reasonbook *b, uint32_t pid, const struct wire_reason *r,
		      struct procs *procs, struct reasonbook_row *row)
{
	struct call_rule rule;

	row->call = call_text(b, r);
	rule = call_rule(intern_text(&b->texts, row->call));
	row->kind = (uint8_t)rule.kind;
	if (r->holder & WIRE_HOLDER_GIL && !(r->holder >> 32)) {
		row->kind = REASON_GIL;
		return;
	}
	row->restarted = !strcmp(intern_text(&b->texts, row->call), "restart_syscall");
	if (pid == WIRE_OUTSIDE)
		return;
	if (rule.object == OBJECT_ADDRESS)
		take_address(b, pid, r->argument, procs, row);
	if (rule.object == OBJECT_DESCRIPTOR || r->flags & WIRE_REASON_POLLED)
		take_descriptor(b, pid, r, row);
	if (row->kind == REASON_CALL && row->io)
		row->kind = REASON_DISK;
}

uint32_t reasonbook_take(struct reasonbook *b, const struct wire_offcpu *w, struct procs *procs)
{
	const struct wire_reason *r = &w->reason;
	struct reasonbook_row row = {.state = letter_of(w->state),
				     .io = r->flags & WIRE_REASON_IO,
				     .is_kernel = !(r->flags & WIRE_REASON_USER)};
	uint32_t number;

	if (row.state == 'R')
		row.kind = REASON_RUNNABLE;
	else if (row.state == 'T')
		row.kind = REASON_STOPPED;
	else if (row.state == 't')
		row.kind = REASON_TRACED;
	else if (row.is_kernel)
		row.kind = row.io ? REASON_DISK : REASON_KERNEL;
	else if (r->call == WIRE_NO_CALL)
		row.kind = REASON_KERNEL; /* the stack will decide */
	else
		take_call(b, w->sample.pid, r, procs, &row);
	number = find(b, &row, b->texts.bytes.n >= MOST_TEXT_BYTES ? 0 : MOST_WITH_OBJECT);
	if (number)
		return number;
	b->without_object += row.object || row.variable.image;
	row.object = 0;
	row.variable = (struct variable){0};
	return find(b, &row, MOST);
}

uint64_t reasonbook_refused(const struct reasonbook *b)
{
	return b->refused + b->memory.refused;
}

void reasonbook_code_changed(struct reasonbook *b, uint32_t pid)
{
	memory_forget(&b->memory, pid);
}

/* --- windows -------------------------------------------------------------------------------- */

void reasonbook_keep(struct reasonbook *b, uint32_t *numbers)
{
	struct reasonbook kept;

	reasonbook_init(&kept, b->images);
	kept.without_object = b->without_object;
	kept.refused = reasonbook_refused(b);
	for (size_t i = 1; i < b->rows.n; i++) {
		struct reasonbook_row row = b->rows.at[i];

		if (!numbers[i])
			continue;
		row.call = intern_add(&kept.texts, intern_text(&b->texts, row.call));
		row.object = intern_add(&kept.texts, intern_text(&b->texts, row.object));
		numbers[i] = find(&kept, &row, MOST);
	}
	reasonbook_release(b);
	*b = kept;
}

/* --- names of variables --------------------------------------------------------------------- */

/* Each variable once. */
struct variables {
	VEC(struct place) places;
	struct map by_place;
	uint32_t *of_row; /* by row of the book: number in places + 1; 0: none */
};

static void collect(struct variables *v, const struct reasonbook *b)
{
	v->of_row = mem_zalloc(b->rows.n, sizeof(*v->of_row));
	for (size_t i = 1; i < b->rows.n; i++) {
		const struct variable *at = &b->rows.at[i].variable;
		const struct image *image = at->image ? images_at(b->images, at->image) : NULL;
		uint32_t *place;
		bool fresh;

		if (!image || image->serial != at->serial)
			continue;
		place = map_put(&v->by_place, hash_two(at->image, at->distance), &fresh);
		if (fresh) {
			vec_push(&v->places,
				 ((struct place){place_of_variable(at->distance), at->image}));
			*place = (uint32_t)v->places.n;
		}
		v->of_row[i] = *place;
	}
	map_release(&v->by_place);
}

/* "app:queue_lock", "app:table+0x40"; "app+0x4060" for one without a name. */
static uint32_t object_of(struct profile *p, const struct profile *names, uint32_t frame)
{
	const struct function *f = &names->functions.at[names->frames.at[frame].function];
	const char *name = profile_text(names, f->name);
	const char *module = profile_text(names, names->modules.at[f->module].path);
	_free_ char *whole = f->named ? mem_printf("%s:%s", str_base(module), name) : NULL;

	return intern_add(&p->strings, whole ? whole : name);
}

static void name_variables(struct reason_rows *r)
{
	const struct reasonbook *b = r->book;
	struct variables v = {0};
	struct namer_stats stats;
	struct named named = {0};
	struct profile *names = profile_new();
	_free_ uint8_t *is_return = NULL;

	collect(&v, b);
	is_return = mem_zalloc(v.places.n + 1, sizeof(*is_return));
	if (v.places.n &&
	    !namer_run(b->images, v.places.at, is_return, v.places.n, names, &named, &stats))
		for (size_t i = 1; i < b->rows.n; i++)
			if (v.of_row[i])
				r->objects[i] =
					object_of(r->p, names,
						  named.frame.at[named.first.at[v.of_row[i] - 1]]);
	named_release(&named);
	profile_free(names);
	vec_release(&v.places);
	free(v.of_row);
}

/* --- rows ----------------------------------------------------------------------------------- */

void reason_rows_init(struct reason_rows *r, const struct reasonbook *b, struct profile *p)
{
	*r = (struct reason_rows){.book = b, .p = p};
	r->objects = mem_zalloc(b->rows.n, sizeof(*r->objects));
	for (size_t i = 1; i < b->rows.n; i++)
		r->objects[i] =
			intern_add(&p->strings, intern_text(&b->texts, b->rows.at[i].object));
	name_variables(r);
}

void reason_rows_release(struct reason_rows *r)
{
	free(r->objects);
	map_release(&r->by_kind);
	waitstack_release(&r->stack);
}

/* A fault within a call is not what the call waits for. */
static enum reason_kind kind_of(const struct reasonbook_row *row, enum reason_kind by_stack)
{
	if (row->is_kernel || row->kind == REASON_RUNNABLE || row->kind == REASON_STOPPED ||
	    row->kind == REASON_TRACED)
		return row->kind;
	if (by_stack == REASON_FAULT)
		return row->io ? REASON_FAULT_DISK : REASON_FAULT;
	return row->restarted && by_stack != REASON_NONE ? by_stack : row->kind;
}

static uint32_t add(struct reason_rows *r, uint32_t number, enum reason_kind kind)
{
	const struct reasonbook_row *row = &r->book->rows.at[number];
	const char *call = intern_text(&r->book->texts, row->call);
	/* A sleeping thread of the kernel has no work, unless it waits for something in
	 * progress. */
	const bool idle =
		row->is_kernel ? row->state == 'I' || row->state == 'S' : reason_kind_is_idle(kind);
	const struct reason reason = {.kind = (uint8_t)kind,
				      .idle = idle,
				      .state = row->state,
				      .call = intern_add(&r->p->strings, call),
				      .object = kind == row->kind ? r->objects[number] : 0};

	return profile_reason(r->p, &reason);
}

uint32_t reason_rows_put(struct reason_rows *r, uint32_t number, uint32_t node)
{
	enum reason_kind kind;
	uint32_t *known;
	bool fresh;

	if (!number)
		return 0;
	kind = kind_of(&r->book->rows.at[number], waitstack_kind(&r->stack, r->p, node));
	known = map_put(&r->by_kind, (uint64_t)number << 8 | kind, &fresh);
	if (fresh)
		*known = add(r, number, kind);
	return *known;
}
