#include "symbol/answer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

char *nameless(const struct image *image, uint64_t offset)
{
	if (image->kind == IMAGE_KIND_JIT)
		return mem_strdup("[JIT code]");
	if (image->kind == IMAGE_KIND_NONE)
		return mem_strdup(image->path);
	return mem_printf("%s+0x%lx", str_base(image->path), offset);
}

#define MAGIC 0x65616e73 /* tells the head of an answer from the rest of one that was cut off */

struct head {
	uint32_t magic, job, flags, bad_lines, first_bad;
	uint32_t n_queries, n_frames, n_functions, n_folders, n_splits, n_text;
};

uint32_t answer_text(struct answer *a, const char *s)
{
	return intern_add(&a->text, s ? s : "");
}

static uint32_t position(const struct answer *a, uint32_t string)
{
	return string ? (uint32_t)a->text.start.at[string] : 0;
}

static uint32_t function(struct answer *a, const struct answer_function *f)
{
	uint32_t *i;
	bool fresh;

	i = map_put(&a->by_function, hash_bytes(f, sizeof(*f)), &fresh);
	if (fresh) {
		*i = (uint32_t)a->functions.n;
		vec_push(&a->functions, *f);
	}
	return *i;
}

void answer_add(struct answer *a, struct answer_function f, uint32_t line, bool inlined)
{
	f.name = position(a, f.name);
	f.linkage = position(a, f.linkage);
	f.file = position(a, f.file);
	vec_push(&a->frames, ((struct answer_frame){function(a, &f), line, inlined, 0, 0}));
}

void answer_frame(struct answer *a, const char *name, const char *linkage, const char *file,
		  uint32_t file_line, uint32_t line, bool inlined, bool named)
{
	const struct answer_function f = {.name = answer_text(a, name),
					  .linkage = answer_text(a, linkage),
					  .file = answer_text(a, file),
					  .line = file_line,
					  .named = named};

	answer_add(a, f, line, inlined);
}

void answer_address(struct answer *a, uint64_t address)
{
	struct answer_frame *f = &a->frames.at[a->frames.n - 1];

	f->address_low = (uint32_t)address;
	f->address_high = (uint32_t)(address >> 32);
}

void answer_folder(struct answer *a, const char *folder)
{
	const uint32_t at = position(a, answer_text(a, folder));

	for (size_t i = 0; i < a->folders.n; i++)
		if (a->folders.at[i] == at)
			return;
	if (at && a->folders.n < ANSWER_FOLDERS)
		vec_push(&a->folders, at);
}

uint32_t answer_split(struct answer *a, const char *name, const char *folder)
{
	if (a->splits.n == ANSWER_SPLITS)
		return 0;
	vec_push(&a->splits, ((struct answer_split){position(a, answer_text(a, name)),
						    position(a, answer_text(a, folder))}));
	return (uint32_t)a->splits.n;
}

void answer_next(struct answer *a)
{
	vec_push(&a->ends, (uint32_t)a->frames.n);
}

void answer_release(struct answer *a)
{
	vec_release(&a->ends);
	vec_release(&a->frames);
	vec_release(&a->functions);
	vec_release(&a->folders);
	vec_release(&a->splits);
	vec_release(&a->split_of);
	intern_release(&a->text);
	map_release(&a->by_function);
	map_release(&a->by_linkage);
}

int answer_write(struct answer *a, uint32_t job, int fd)
{
	static const char zeros[4];
	const struct head head = {.magic = MAGIC,
				  .job = job,
				  .flags = a->flags,
				  .bad_lines = a->bad_lines,
				  .first_bad = a->first_bad,
				  .n_queries = (uint32_t)a->ends.n,
				  .n_frames = (uint32_t)a->frames.n,
				  .n_functions = (uint32_t)a->functions.n,
				  .n_folders = (uint32_t)a->folders.n,
				  .n_splits = (uint32_t)a->splits.n,
				  .n_text = (uint32_t)(a->text.bytes.n + 4) & ~3u};
	int rc = file_put(fd, &head, sizeof(head));

	if (!rc)
		rc = file_put(fd, a->ends.at, a->ends.n * sizeof(*a->ends.at));
	if (!rc)
		rc = file_put(fd, a->frames.at, a->frames.n * sizeof(*a->frames.at));
	if (!rc)
		rc = file_put(fd, a->functions.at, a->functions.n * sizeof(*a->functions.at));
	if (!rc)
		rc = file_put(fd, a->folders.at, a->folders.n * sizeof(*a->folders.at));
	if (!rc)
		rc = file_put(fd, a->splits.at, a->splits.n * sizeof(*a->splits.at));
	if (!rc && a->splits.n)
		rc = file_put(fd, a->split_of.at, a->ends.n * sizeof(*a->split_of.at));
	if (!rc)
		rc = file_put(fd, a->text.bytes.at, a->text.bytes.n);
	/* Write at least one zero: the last string ends even if nothing was added. */
	return rc ? rc : file_put(fd, zeros, head.n_text - a->text.bytes.n);
}

static bool is_consistent(const struct answer_view *v, uint32_t n_text)
{
	uint32_t before = 0;

	if (!n_text || v->text[n_text - 1])
		return false;
	for (uint32_t i = 0; i < v->n_queries; i++) {
		if (v->ends[i] <= before || v->ends[i] > v->n_frames)
			return false;
		before = v->ends[i];
	}
	for (uint32_t i = 0; i < v->n_frames; i++) {
		if (v->frames[i].function >= v->n_functions)
			return false;
	}
	for (uint32_t i = 0; i < v->n_functions; i++) {
		const struct answer_function *f = &v->functions[i];

		if (f->name >= n_text || f->linkage >= n_text || f->file >= n_text)
			return false;
	}
	for (uint32_t i = 0; i < v->n_folders; i++)
		if (v->folders[i] >= n_text)
			return false;
	for (uint32_t i = 0; i < v->n_splits; i++)
		if (v->splits[i].name >= n_text || v->splits[i].folder >= n_text)
			return false;
	for (uint32_t i = 0; v->split_of && i < v->n_queries; i++)
		if (v->split_of[i] > v->n_splits)
			return false;
	return true;
}

size_t answer_read(const void *at, size_t n, struct answer_view *out)
{
	const char *next = (const char *)at + sizeof(struct head);
	struct head head;
	uint64_t need;

	if (n < sizeof(head))
		return 0;
	memcpy(&head, at, sizeof(head));
	/* No overflow: sums of products of 32-bit numbers and small sizes fit in 64 bits. */
	need = sizeof(head) + (uint64_t)head.n_queries * sizeof(*out->ends) +
	       (uint64_t)head.n_frames * sizeof(*out->frames) +
	       (uint64_t)head.n_functions * sizeof(*out->functions) +
	       (uint64_t)head.n_folders * sizeof(*out->folders) +
	       (uint64_t)head.n_splits * sizeof(*out->splits) +
	       (head.n_splits ? (uint64_t)head.n_queries * sizeof(*out->split_of) : 0) +
	       head.n_text;
	if (head.magic != MAGIC || need > n || need % 4 || head.n_folders > ANSWER_FOLDERS ||
	    head.n_splits > ANSWER_SPLITS)
		return 0;
	*out = (struct answer_view){.job = head.job,
				    .flags = head.flags,
				    .bad_lines = head.bad_lines,
				    .first_bad = head.first_bad,
				    .n_queries = head.n_queries,
				    .n_frames = head.n_frames,
				    .n_functions = head.n_functions,
				    .n_folders = head.n_folders,
				    .n_splits = head.n_splits};
	out->ends = (const void *)next;
	next += (size_t)head.n_queries * sizeof(*out->ends);
	out->frames = (const void *)next;
	next += (size_t)head.n_frames * sizeof(*out->frames);
	out->functions = (const void *)next;
	next += (size_t)head.n_functions * sizeof(*out->functions);
	out->folders = (const void *)next;
	next += (size_t)head.n_folders * sizeof(*out->folders);
	out->splits = (const void *)next;
	next += (size_t)head.n_splits * sizeof(*out->splits);
	if (head.n_splits) {
		out->split_of = (const void *)next;
		next += (size_t)head.n_queries * sizeof(*out->split_of);
	}
	out->text = next;
	return is_consistent(out, head.n_text) ? (size_t)need : 0;
}
