#include "process/copied.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "elf/budget.h"
#include "elf/elffile.h"
#include "process/opener.h"
#include "process/procfs.h"

#define PAGE 4096ull

/* How much is compared: so many places, of so many bytes each. */
#define PLACES	    32
#define PLACE_BYTES 256

/* A probe puts this byte over the first of an instruction. A debugger or profiler may have done so
 * in either. */
#define BREAKPOINT	 0xcc
#define MOST_BREAKPOINTS 8

/* A text segment of a file as a process has it. */
struct placed {
	uint64_t start, end; /* addresses in the process */
	uint64_t bias;	     /* address + bias = file offset */
};

bool copied_is_candidate(const char *path)
{
	return !path[0] || !strcmp(path, "//anon") || str_starts(path, "/anon_huge") ||
	       str_starts(path, "[anon:");
}

static uint64_t page_down(uint64_t at)
{
	return at & ~(PAGE - 1);
}

static uint64_t page_up(uint64_t at)
{
	return page_down(at + PAGE - 1);
}

/* Whether @near may be a mapping of the segment. */
static bool maps_segment(const struct procfs_mapping *near, const Elf64_Phdr *p)
{
	return p->p_type == PT_LOAD && p->p_filesz <= UINT64_MAX - p->p_offset - PAGE &&
	       near->file_offset >= page_down(p->p_offset) &&
	       near->file_offset < page_up(p->p_offset + p->p_filesz);
}

/* The text segment of @f that covers most of @m, if the file's addresses are @base above those in
 * it; false: none covers any. */
static bool find_text(const struct elffile *f, uint64_t base, const struct copied_memory *m,
		      struct placed *out)
{
	uint64_t most = 0;

	for (size_t i = 0; i < f->segments.n; i++) {
		const Elf64_Phdr *p = &f->segments.at[i];
		const uint64_t first = base + p->p_vaddr, last = first + p->p_filesz;
		const uint64_t start = page_down(first) > m->start ? page_down(first) : m->start;
		const uint64_t end = page_up(last) < m->end ? page_up(last) : m->end;

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X) || last < first || end <= start ||
		    end - start <= most)
			continue;
		most = end - start;
		*out = (struct placed){start, end, p->p_offset - first};
	}
	return most;
}

/* Whether the two are the same but for some breakpoints in @memory. */
static bool is_same(const uint8_t *memory, const uint8_t *file, size_t n)
{
	uint32_t breakpoints = 0;

	for (size_t i = 0; i < n; i++)
		if (memory[i] != file[i] &&
		    (memory[i] != BREAKPOINT || ++breakpoints > MOST_BREAKPOINTS))
			return false;
	return true;
}

/* Whether any code can be told apart by these bytes. */
static bool is_plain(const uint8_t *bytes, size_t n)
{
	return !memcmp(bytes, bytes + 1, n - 1);
}

/* Compares @n bytes at @address; *@is_code is set if they are not all alike. */
static bool compare_at(struct images *m, const struct elffile *f, uint32_t pid,
		       const struct placed *text, uint64_t address, bool *is_code)
{
	const uint64_t left = text->end - address, n = left < PLACE_BYTES ? left : PLACE_BYTES;
	const struct opener_request r = {.what = OPENER_MEMORY,
					 .pid = pid,
					 .start = address,
					 .bytes_most = n,
					 .root_fd = OPENER_OWN_ROOT};
	struct opener_answer a;
	uint8_t file[PLACE_BYTES];
	bool same;

	if (n < 2 || elffile_read(f, address + text->bias, file, n))
		return false;
	same = !opener_ask(m->opener, &r, &a) && a.text && a.text_bytes == n &&
	       is_same((const uint8_t *)a.text, file, n);
	opener_answer_release(m->opener, &a);
	*is_code |= !is_plain(file, n);
	return same;
}

static bool compare(struct images *m, const struct elffile *f, const struct copied_memory *memory,
		    const struct placed *text)
{
	const uint64_t step = (text->end - text->start) / PLACES;
	const uint64_t asked = memory->asked & ~(uint64_t)(PLACE_BYTES - 1);
	bool is_code = false;

	if (asked >= text->start && asked < text->end &&
	    !compare_at(m, f, memory->pid, text, asked, &is_code))
		return false;
	for (uint64_t i = 0; i < PLACES; i++)
		if (!compare_at(m, f, memory->pid, text, text->start + i * step, &is_code))
			return false;
	return is_code;
}

static enum copied compare_file(struct images *m, const struct elffile *f,
				const struct copied_memory *memory,
				const struct procfs_mapping *near, struct placed *text)
{
	enum copied best = COPIED_ELSEWHERE;

	/* Neighbors in the file may share a page: which of them is mapped is then not known. */
	for (size_t i = 0; i < f->segments.n && best != COPIED_SAME; i++) {
		const Elf64_Phdr *p = &f->segments.at[i];
		const uint64_t from_start = near->file_offset - page_down(p->p_offset);

		if (!maps_segment(near, p) ||
		    !find_text(f, near->start - from_start - page_down(p->p_vaddr), memory, text))
			continue;
		best = compare(m, f, memory, text) ? COPIED_SAME : COPIED_OTHER;
	}
	return best;
}

enum copied copied_compare(struct images *m, const struct copied_memory *memory, uint32_t image,
			   const struct procfs_mapping *near, struct mapping *out)
{
	const struct image *file = images_at(m, image);
	enum copied found = COPIED_ELSEWHERE;
	struct placed text = {0};
	struct budget budget;
	struct elffile f;

	if (file->kind != IMAGE_KIND_FILE || file->fd < 0)
		return found;
	budget_open_small(m->pool, file->owner, &budget);
	if (budget_begin(&budget, NULL) && !elffile_open_within(file->fd, &budget, &f)) {
		found = compare_file(m, &f, memory, near, &text);
		elffile_release(&f);
	}
	(void)budget_end(&budget);
	budget_close(&budget);
	if (found == COPIED_SAME)
		*out = (struct mapping){.start = text.start,
					.end = text.end,
					.bias = text.bias,
					.image = image,
					.is_copy = true};
	return found;
}
