#include "script/loop.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "elf/dynsym.h"
#include "elf/segments.h"

/* Bytes of the function, and of the index of the file's call frame information. */
#define MOST_CODE  (1u << 20)
#define MOST_INDEX (8u << 20)
/* Jumps into the middle of another function, at least, for that to be a part of this one: bytes
 * that only look like a jump lead anywhere. */
#define LEAST_JUMPS 4
/* A core has more bytes than that. */
#define LEAST_CORE 8192

/* .eh_frame_hdr, as linkers make it: signed offsets of 32 bits, those of the table relative to the
 * section. */
#define INDEX_VERSION  1
#define INDEX_COUNT    0x03
#define INDEX_RELATIVE 0x3b

struct index_head {
	uint8_t version, pointer_form, count_form, table_form;
	int32_t pointer;
	uint32_t n;
};

struct index_row {
	int32_t start, entry; /* of the code, and of what describes it */
};

/* Where the parts of functions begin, ascending. */
struct index {
	struct index_row *rows;
	uint32_t n, *jumps; /* into the middle of each */
	uint64_t at;	    /* address of the section */
};

static void index_release(struct index *x)
{
	free(x->rows);
	free(x->jumps);
}

static bool index_read(const struct elffile *f, struct index *out)
{
	struct index_head head;
	Elf64_Shdr section;

	if (elffile_section(f, ".eh_frame_hdr", &section) || section.sh_size > MOST_INDEX ||
	    section.sh_size < sizeof(head) ||
	    elffile_read(f, section.sh_offset, &head, sizeof(head)) ||
	    head.version != INDEX_VERSION || head.count_form != INDEX_COUNT ||
	    head.table_form != INDEX_RELATIVE ||
	    head.n > (section.sh_size - sizeof(head)) / sizeof(*out->rows))
		return false;
	out->at = section.sh_addr;
	out->n = head.n;
	out->rows = mem_zalloc(head.n + 1, sizeof(*out->rows));
	out->jumps = mem_zalloc(head.n + 1, sizeof(*out->jumps));
	return !elffile_read(f, section.sh_offset + sizeof(head), out->rows,
			     head.n * sizeof(*out->rows));
}

/* The row that @address belongs to; x->n: none. */
static uint32_t index_find(const struct index *x, uint64_t address)
{
	const int64_t start = (int64_t)(address - x->at);
	uint32_t from = 0, to = x->n;

	while (from < to) {
		const uint32_t middle = from + (to - from) / 2;

		if (x->rows[middle].start <= start)
			from = middle + 1;
		else
			to = middle;
	}
	return from ? from - 1 : x->n;
}

/* Counts the jumps from the function's @code to the middle of others. Any byte may begin a jump: so
 * no decoder is needed. */
static void count_jumps(struct index *x, const struct loop_part *function, const uint8_t *code)
{
	for (uint32_t i = 0; i + 6 <= function->bytes; i++) {
		const bool always = code[i] == 0xe9;
		const uint32_t at = always ? i + 1 : i + 2;
		uint64_t target;
		int32_t by;
		uint32_t row;

		if (!always && !(code[i] == 0x0f && (code[i + 1] & 0xf0) == 0x80))
			continue;
		memcpy(&by, code + at, sizeof(by));
		target = function->at + at + sizeof(by) + (uint64_t)(int64_t)by;
		row = index_find(x, target);
		if (target - function->at >= function->bytes && row < x->n &&
		    (uint64_t)x->rows[row].start + x->at != target)
			x->jumps[row]++;
	}
}

static void find_cold(struct index *x, const struct loop_part *function, const uint8_t *code,
		      struct loop_part *out)
{
	uint32_t most = 0;

	count_jumps(x, function, code);
	for (uint32_t i = 0; i < x->n; i++)
		if (x->jumps[i] > x->jumps[most])
			most = i;
	if (most + 1 >= x->n || x->jumps[most] < LEAST_JUMPS ||
	    x->rows[most + 1].start - (int64_t)x->rows[most].start > MOST_CODE)
		return;
	out->at = x->at + (uint64_t)(int64_t)x->rows[most].start;
	out->bytes = (uint32_t)(x->rows[most + 1].start - x->rows[most].start);
}

/* The function at @address; false: none begins there. */
static bool function_at(const struct index *x, uint64_t address, struct loop_part *out)
{
	const uint32_t row = index_find(x, address);
	int64_t bytes;

	if (row + 1 >= x->n || x->at + (uint64_t)(int64_t)x->rows[row].start != address)
		return false;
	bytes = (int64_t)x->rows[row + 1].start - x->rows[row].start;
	*out = (struct loop_part){.at = address, .bytes = (uint32_t)bytes};
	return bytes <= MOST_CODE;
}

static void find_core(const struct index *x, const struct loop_part *function, const uint8_t *code,
		      struct loop_part *out)
{
	uint32_t least = LEAST_CORE > function->bytes ? LEAST_CORE : function->bytes;
	struct loop_part called;
	int32_t by;

	for (uint32_t i = 0; i + 5 <= function->bytes; i++) {
		if (code[i] != 0xe8)
			continue;
		memcpy(&by, code + i + 1, sizeof(by));
		if (!function_at(x, function->at + i + 5 + (uint64_t)(int64_t)by, &called) ||
		    called.bytes <= least)
			continue;
		*out = called;
		least = called.bytes;
	}
}

bool loop_find(const struct elffile *f, const char *name, bool has_core, struct loop *out)
{
	_free_ uint8_t *code = NULL;
	struct index index = {0};
	uint64_t offset;
	Elf64_Sym s;

	*out = (struct loop){0};
	if (!dynsym_find(f, name, &s) || !s.st_size || s.st_size > MOST_CODE ||
	    !segments_offset(f, s.st_value, &offset))
		return false;
	out->function = (struct loop_part){.at = s.st_value, .bytes = (uint32_t)s.st_size};
	code = mem_zalloc(s.st_size, 1);
	if (elffile_read(f, offset, code, s.st_size))
		return false;
	if (index_read(f, &index)) {
		find_cold(&index, &out->function, code, &out->cold);
		if (has_core)
			find_core(&index, &out->function, code, &out->core);
	}
	index_release(&index);
	return true;
}
