#include "symbol/namer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "elf/budget.h"
#include "elf/buildid.h"
#include "elf/elffile.h"
#include "elf/segments.h"
#include "model/profile.h"
#include "process/kallsyms.h"
#include "script/async.h"
#include "script/codes.h"
#include "script/language.h"
#include "select/script_package.h"
#include "symbol/answer.h"
#include "symbol/worker.h"

/* The number of a string from an untrusted file, sanitised. */
static uint32_t answer_clean_text(struct profile *p, const char *s)
{
	_free_ char *text = str_clean(s, strlen(s));

	return intern_add(&p->strings, text);
}

/* The profile's number of the answer's function @number, which @module, @kind and @named complete.
 */
static uint32_t answer_function_in(struct profile *p, const struct answer_view *v, uint32_t number,
				   uint32_t module, enum frame_kind kind, bool named)
{
	const struct answer_function *f = &v->functions[number];
	const struct function function = {
		.name = answer_clean_text(p, v->text + f->name),
		.linkage = answer_clean_text(p, v->text + f->linkage),
		.file = answer_clean_text(p, v->text + f->file),
		.line = f->line,
		.module = module,
		.kind = (uint8_t)kind,
		.named = named,
	};

	return profile_function(p, &function);
}

/* With fewer addresses of one image a second worker does not pay. */
#define SLICE 2048

/* The frames of one place, in frames of struct run. */
struct span {
	uint32_t first, n;
};

struct run {
	struct images *images;
	const struct place *places;
	const uint8_t *is_return;
	size_t n;
	struct profile *profile;
	struct namer_stats *stats;
	uint32_t *order;       /* places by image, then by the address to look up */
	struct query *queries; /* in the order of .order */
	struct span *spans;    /* by place */
	VEC(uint32_t) frames;  /* of the profile */
	VEC(struct job) jobs;
	uint32_t *image_module; /* by image, 0: not added yet */
	uint8_t *is_corrupt;	/* by image */
	uint8_t *flags;		/* by image: of its answers */
	uint32_t *bad_lines;	/* by image */
};

void named_release(struct named *n)
{
	vec_release(&n->frame);
	vec_release(&n->first);
}

/* --- into the profile ----------------------------------------------------------------------- */

static uint32_t module_of(struct run *r, uint32_t number)
{
	const struct image *image = images_at(r->images, number);
	_free_ char *path = NULL;
	char hex[BUILDID_HEX];

	if (number == IMAGE_NONE || !image)
		return 0;
	if (!r->image_module[number]) {
		path = str_clean(image->path, strlen(image->path));
		buildid_hex(image->build_id, image->build_id_bytes, hex);
		r->image_module[number] = profile_module(r->profile, path, hex);
	}
	return r->image_module[number];
}

static enum frame_kind kind_of(struct run *r, uint32_t number);

/* Names a whole place by one frame, without line or inlined calls. @address: for naming it later;
 * 0: not possible. */
static void set_single(struct run *r, uint32_t place, const struct function *f, uint64_t address)
{
	const struct frame frame = {.function = profile_function(r->profile, f),
				    .address = address};

	r->spans[place] = (struct span){.first = (uint32_t)r->frames.n, .n = 1};
	vec_push(&r->frames, profile_frame(r->profile, &frame));
	r->stats->unnamed += !f->named;
}

static void set_offset(struct run *r, uint32_t place, uint64_t address)
{
	const struct place *at = &r->places[place];
	const struct image *image = images_at(r->images, at->image);
	_free_ char *name = NULL;

	if (at->image == IMAGE_NONE || !image)
		name = mem_printf("[unknown] 0x%lx", at->offset);
	else
		name = nameless(image, at->offset & ~PLACE_VARIABLE);
	set_single(r, place,
		   &(struct function){.name = answer_clean_text(r->profile, name),
				      .module = module_of(r, at->image),
				      .kind = (uint8_t)kind_of(r, at->image)},
		   address);
}

/* --- the kernel ----------------------------------------------------------------------------- */

static void set_kernel(struct run *r, uint32_t place, const struct kallsym *sym)
{
	_free_ char *module = NULL;

	if (!sym->name) {
		set_offset(r, place, 0);
		return;
	}
	if (sym->module)
		module = mem_printf("[%s]", sym->module);
	set_single(r, place,
		   &(struct function){.name = answer_clean_text(r->profile, sym->name),
				      .module = module ? profile_module(r->profile, module, "")
						       : module_of(r, IMAGE_KERNEL),
				      .kind = KIND_KERNEL,
				      .named = 1},
		   0);
}

/* Names places order[first … end-1]. */
static void name_kernel(struct run *r, size_t first, size_t end)
{
	const size_t n = end - first;
	_free_ uint64_t *addresses = mem_zalloc(n, sizeof(*addresses));
	_free_ struct kallsym *syms = mem_zalloc(n, sizeof(*syms));
	struct image *image = images_at(r->images, IMAGE_KERNEL);
	FILE *f = fopen("/proc/kallsyms", "re");

	for (size_t i = 0; i < n; i++)
		addresses[i] = query_lookup(&r->queries[first + i]);
	if (!f || kallsyms_ask(f, r->images->kernel_names, addresses, n, syms)) {
		free(image->note);
		image->note = mem_strdup(f ? err_text() : "/proc/kallsyms cannot be read");
	}
	if (f)
		fclose(f);
	for (size_t i = 0; i < n; i++)
		set_kernel(r, r->order[first + i], &syms[i]);
	kallsyms_release(syms, n);
}

/* --- scripts -------------------------------------------------------------------------------- */

/* A script's module is its package; of the program's own scripts it is the file. */
static void set_script(struct run *r, uint32_t place, const struct script_code *code, uint32_t line,
		       bool awaits)
{
	const struct script_language *language = script_language(code->language);
	_free_ char *file = str_clean(code->file, strlen(code->file));
	_free_ char *module = script_module(language->title, file);
	const struct function function = {
		.name = answer_clean_text(r->profile, code->name),
		.file = intern_add(&r->profile->strings, file),
		.line = code->first_line,
		.module = profile_module(r->profile, module, ""),
		.kind = awaits ? KIND_AWAITER : language->kind,
		.named = 1,
	};
	const struct frame frame = {.function = profile_function(r->profile, &function),
				    .line = line};

	r->spans[place] = (struct span){.first = (uint32_t)r->frames.n, .n = 1};
	vec_push(&r->frames, profile_frame(r->profile, &frame));
	r->stats->with_lines += line != 0;
}

/* No function, as it has no file. */
static void set_task(struct run *r, uint32_t place, const struct script_code *code)
{
	_free_ char *text = mem_printf("task %s", code->name);
	const char *name = code->name[0] ? text : async_note(WIRE_SCRIPT_TASK);

	set_single(r, place,
		   &(struct function){.name = answer_clean_text(r->profile, name),
				      .kind = KIND_AWAITER,
				      .named = 1},
		   0);
}

static void name_scripts(struct run *r, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++) {
		const uint32_t place = r->order[i];
		const bool awaits = r->places[place].offset & CODES_AWAITER;
		const uint64_t offset = r->places[place].offset & ~CODES_AWAITER;
		const struct script_code *code = codes_at(r->images->codes, offset);
		const char *note = awaits ? async_note(offset) : codes_note(offset);

		if (code && codes_is_task(code))
			set_task(r, place, code);
		else if (code && script_language(code->language))
			set_script(r, place, code, codes_line(r->images->codes, offset), awaits);
		else
			set_single(r, place,
				   &(struct function){.name = answer_clean_text(r->profile, note),
						      .kind = awaits ? KIND_AWAITER : KIND_MARK,
						      .named = 1},
				   0);
	}
}

/* --- files -------------------------------------------------------------------------------- */

static void note(struct image *image, const char *text)
{
	if (!image->note)
		image->note = mem_strdup(text);
}

static void take_place(struct run *r, const struct answer_view *v, const uint32_t *functions,
		       uint32_t query, uint32_t place)
{
	const uint32_t first = query ? v->ends[query - 1] : 0;
	const struct answer_frame *frames = &v->frames[first];
	const uint32_t n = v->ends[query] - first;

	r->spans[place] = (struct span){.first = (uint32_t)r->frames.n, .n = n};
	for (uint32_t i = 0; i < n; i++) {
		const struct frame frame = {.function = functions[frames[i].function],
					    .line = frames[i].line,
					    .inlined = frames[i].inlined != 0,
					    .address = (uint64_t)frames[i].address_high << 32 |
						       frames[i].address_low};

		vec_push(&r->frames, profile_frame(r->profile, &frame));
		r->stats->inlined_frames += frame.inlined;
	}
	r->stats->with_lines += frames[0].line != 0;
	r->stats->unnamed += !v->functions[frames[n - 1].function].named;
}

static void note_missing(struct run *r, const struct answer_view *v)
{
	const char *name = v->n_splits ? str_base(v->text + v->splits[0].name) : "";
	_free_ char *clean = str_clean(name, strlen(name));

	if (!r->stats->missing[0])
		snprintf(r->stats->missing, sizeof(r->stats->missing), "%s", clean);
}

static void take(void *context, const struct job *job, const struct answer_view *v)
{
	struct run *r = context;
	_free_ uint32_t *functions = mem_zalloc(v->n_functions + 1, sizeof(*functions));
	const size_t first = (size_t)(job->queries - r->queries);
	const uint32_t number = r->places[r->order[first]].image;
	struct image *image = images_at(r->images, number);

	for (uint32_t i = 0; i < v->n_functions; i++)
		functions[i] = answer_function_in(r->profile, v, i, module_of(r, number),
						  kind_of(r, number), v->functions[i].named);
	for (uint32_t i = 0; i < v->n_queries; i++)
		take_place(r, v, functions, i, r->order[first + i]);
	if (v->flags & ANSWER_CORRUPT) {
		r->is_corrupt[number] = 1;
		note(image, "not a readable ELF file");
	}
	if (v->flags & ANSWER_NO_SYMBOLS)
		note(image, "no symbols");
	r->flags[number] |= (uint8_t)v->flags;
	if (v->flags & ANSWER_SPLIT)
		note_missing(r, v);
	if (v->bad_lines > r->bad_lines[number])
		r->bad_lines[number] = v->bad_lines;
	if (!r->stats->first_bad)
		r->stats->first_bad = v->first_bad;
}

/* Names by offset what no worker could answer. */
static void give_up(struct run *r, const struct job *job)
{
	const size_t first = (size_t)(job->queries - r->queries);
	const uint32_t number = r->places[r->order[first]].image;

	for (size_t i = first; i < first + job->n; i++)
		set_offset(r, r->order[i], 0);
	r->is_corrupt[number] = 1;
	note(images_at(r->images, number), "reading its symbols failed: corrupt?");
}

/* Names by address what there was no time for. */
static void put_off(struct run *r, const struct job *job)
{
	const size_t first = (size_t)(job->queries - r->queries);
	struct image *image = images_at(r->images, r->places[r->order[first]].image);
	struct elffile file = {0};
	struct budget budget;
	uint64_t address;
	bool is_elf;

	budget_open_small(NULL, 0, &budget);
	is_elf = image->kind == IMAGE_KIND_FILE && image->fd >= 0 &&
		 !elffile_open_within(image->fd, &budget, &file);
	for (size_t i = first; i < first + job->n; i++) {
		if (!is_elf || !segments_address(&file, query_lookup(&r->queries[i]), &address))
			address = 0;
		set_offset(r, r->order[i], address);
	}
	if (is_elf)
		elffile_release(&file);
	budget_close(&budget);
	r->stats->put_off += job->n;
	note(image, "names were not looked up: the time for that was over");
}

/* Adds jobs for places order[first … end-1], which are of one image. */
static void add_jobs(struct run *r, size_t first, size_t end)
{
	const struct image *image = images_at(r->images, r->places[r->order[first]].image);
	const size_t n = end - first, width = worker_width();
	const size_t slices = n / SLICE < 1 ? 1 : n / SLICE < width ? n / SLICE : width;

	r->stats->images++;
	r->stats->images_unopened += image->fd < 0 && image->kind != IMAGE_KIND_JIT;
	for (size_t i = 0; i < slices; i++) {
		const size_t from = first + n * i / slices, to = first + n * (i + 1) / slices;

		vec_push(&r->jobs, ((struct job){.image = image,
						 .queries = &r->queries[from],
						 .n = (uint32_t)(to - from)}));
	}
}

/* --- grouping ------------------------------------------------------------------------------- */

struct sortable {
	uint64_t lookup;
	uint32_t image, place;
};

static int compare(const void *pa, const void *pb)
{
	const struct sortable *a = pa, *b = pb;

	if (a->image != b->image)
		return a->image < b->image ? -1 : 1;
	if (a->lookup != b->lookup)
		return a->lookup < b->lookup ? -1 : 1;
	return a->place < b->place ? -1 : 1;
}

static void sort_places(struct run *r)
{
	_free_ struct sortable *sorted = mem_zalloc(r->n, sizeof(*sorted));

	for (size_t i = 0; i < r->n; i++) {
		const struct query q = {r->places[i].offset, r->is_return[i]};

		sorted[i] = (struct sortable){query_lookup(&q), r->places[i].image, (uint32_t)i};
	}
	qsort(sorted, r->n, sizeof(*sorted), compare);
	for (size_t i = 0; i < r->n; i++) {
		const uint32_t place = sorted[i].place;

		r->order[i] = place;
		r->queries[i] = (struct query){r->places[place].offset, r->is_return[place]};
	}
}

static void name_unknown(struct run *r, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++)
		set_offset(r, r->order[i], 0);
}

/* For each kind of image: the kind of its frames, and the function that names places order[first …
 * end-1] of one image. */
static const struct {
	enum frame_kind kind;
	void (*name)(struct run *, size_t first, size_t end);
} namers[] = {
	[IMAGE_KIND_NONE] = {KIND_UNKNOWN, name_unknown},
	[IMAGE_KIND_KERNEL] = {KIND_KERNEL, name_kernel},
	[IMAGE_KIND_VDSO] = {KIND_VDSO, add_jobs},
	[IMAGE_KIND_FILE] = {KIND_NATIVE, add_jobs},
	[IMAGE_KIND_JIT] = {KIND_JIT, add_jobs},
	[IMAGE_KIND_SCRIPT] = {KIND_UNKNOWN, name_scripts},
};

static enum image_kind image_kind_of(const struct run *r, uint32_t number)
{
	const struct image *image = images_at(r->images, number);

	return image ? image->kind : IMAGE_KIND_NONE;
}

static enum frame_kind kind_of(struct run *r, uint32_t number)
{
	return namers[image_kind_of(r, number)].kind;
}

static void name_all(struct run *r)
{
	size_t first = 0;

	sort_places(r);
	for (size_t i = 1; i <= r->n; i++) {
		if (i < r->n && r->places[r->order[i]].image == r->places[r->order[first]].image)
			continue;
		namers[image_kind_of(r, r->places[r->order[first]].image)].name(r, first, i);
		first = i;
	}
	worker_run(r->jobs.at, r->jobs.n, r->images->patience, take, r);
	for (size_t i = 0; i < r->jobs.n; i++) {
		if (r->jobs.at[i].failed)
			give_up(r, &r->jobs.at[i]);
		else if (r->jobs.at[i].put_off)
			put_off(r, &r->jobs.at[i]);
	}
	for (size_t i = 0; i < r->images->at.n; i++) {
		r->stats->images_corrupt += r->is_corrupt[i];
		r->stats->images_zstd += (r->flags[i] & ANSWER_ZSTD) != 0;
		r->stats->images_split += (r->flags[i] & ANSWER_SPLIT) != 0;
		r->stats->images_dwp += (r->flags[i] & ANSWER_DWP) != 0;
		r->stats->images_alt += (r->flags[i] & ANSWER_ALT) != 0;
		r->stats->bad_lines += r->bad_lines[i];
	}
}

static void collect(const struct run *r, struct named *out)
{
	for (size_t i = 0; i < r->n; i++) {
		vec_push(&out->first, (uint32_t)out->frame.n);
		for (uint32_t k = 0; k < r->spans[i].n; k++)
			vec_push(&out->frame, r->frames.at[r->spans[i].first + k]);
	}
	vec_push(&out->first, (uint32_t)out->frame.n);
}

int namer_run(struct images *images, const struct place *places, const uint8_t *is_return, size_t n,
	      struct profile *p, struct named *out, struct namer_stats *stats)
{
	struct run r = {.images = images,
			.places = places,
			.is_return = is_return,
			.n = n,
			.profile = p,
			.stats = stats};

	*out = (struct named){0};
	*stats = (struct namer_stats){.places = n};
	if (n > UINT32_MAX / 2)
		return err(-ENOMEM, "%zu addresses are too many to name", n);
	r.order = mem_zalloc(n + 1, sizeof(*r.order));
	r.queries = mem_zalloc(n + 1, sizeof(*r.queries));
	r.spans = mem_zalloc(n + 1, sizeof(*r.spans));
	r.image_module = mem_zalloc(images->at.n, sizeof(*r.image_module));
	r.is_corrupt = mem_zalloc(images->at.n, sizeof(*r.is_corrupt));
	r.flags = mem_zalloc(images->at.n, sizeof(*r.flags));
	r.bad_lines = mem_zalloc(images->at.n, sizeof(*r.bad_lines));
	name_all(&r);
	collect(&r, out);
	free(r.order);
	free(r.queries);
	free(r.spans);
	free(r.image_module);
	free(r.is_corrupt);
	free(r.flags);
	free(r.bad_lines);
	vec_release(&r.frames);
	vec_release(&r.jobs);
	return 0;
}
