#include "elf/translator.h"

#include <string.h>

#include "base/mem.h"

/* The constants of the known ones are within their first 3 MiB. */
#define MAX_BYTES   (8u << 20)
#define CHUNK_BYTES (1u << 20)

#define MARKS	   2
#define MARK_BYTES 32 /* and fewer */

/* They stand in a folder of valgrind's own. */
static const char *const valgrind_tools[] = {"memcheck-amd64-linux",
					     "none-amd64-linux",
					     "cachegrind-amd64-linux",
					     "callgrind-amd64-linux",
					     "helgrind-amd64-linux",
					     "drd-amd64-linux",
					     "massif-amd64-linux",
					     "dhat-amd64-linux",
					     "lackey-amd64-linux",
					     "exp-bbv-amd64-linux",
					     NULL};
static const char *const qemu_programs[] = {"qemu-x86_64", "qemu-x86_64-static", NULL};
static const char *const no_others[] = {NULL};

#define BASES 2

/*
 * Marks are names of variables of the environment, which are their interface, and of their files;
 * written backwards, for else this program would be taken for one. Of QEMU the one that runs
 * programs for our processor alone: what those for others translate has no probes.
 */
static const struct {
	struct translator is;
	const char *marks[MARKS];  /* all of them are there */
	const char *bases[BASES];  /* or the file has one of these names */
	const char *const *others; /* names of files that have the marks */
} known[] = {
	{{"valgrind", false},
	 {"REHCNUAL_DNIRGLAV", "_daolerpgv"},
	 {"valgrind", "valgrind.bin"},
	 valgrind_tools},
	{{"QEMU's user mode", true}, {"XIFERP_DL_UMEQ", " 46_68x-umeq"}, {NULL}, qemu_programs},
	{{"DynamoRIO", false}, {NULL}, {"drrun", "libdynamorio.so"}, no_others},
	{{"Pin", false}, {NULL}, {"pinbin"}, no_others},
	{{"box64", true}, {NULL}, {"box64"}, no_others},
};
#define KNOWN (sizeof(known) / sizeof(*known))

struct looking {
	const struct elffile *file;
	uint8_t *chunk;
	uint64_t left; /* bytes that may be read still */
	bool found[KNOWN][MARKS];
};

static bool holds(const struct looking *l, size_t bytes, const char *backwards)
{
	const size_t n = strlen(backwards);
	char mark[MARK_BYTES];

	for (size_t i = 0; i < n; i++)
		mark[i] = backwards[n - 1 - i];
	return memmem(l->chunk, bytes, mark, n);
}

static void look_at(struct looking *l, size_t n)
{
	for (size_t i = 0; i < KNOWN; i++) {
		for (size_t k = 0; k < MARKS; k++) {
			if (known[i].marks[k] && !l->found[i][k])
				l->found[i][k] = holds(l, n, known[i].marks[k]);
		}
	}
}

/* A mark may lie across the end of a chunk: they overlap. */
static void look_through(struct looking *l, const Elf64_Phdr *p)
{
	for (uint64_t at = 0; at < p->p_filesz && l->left; at += CHUNK_BYTES - MARK_BYTES) {
		uint64_t n = p->p_filesz - at;

		if (n > CHUNK_BYTES)
			n = CHUNK_BYTES;
		if (n > l->left)
			n = l->left;
		l->left -= n;
		if (elffile_read(l->file, p->p_offset + at, l->chunk, n))
			return;
		look_at(l, n);
	}
}

static bool look(struct looking *l, uint32_t flags)
{
	bool any = false;

	for (size_t i = 0; i < l->file->segments.n; i++) {
		const Elf64_Phdr *p = &l->file->segments.at[i];

		if (p->p_type != PT_LOAD || p->p_flags != flags)
			continue;
		look_through(l, p);
		any = true;
	}
	return any;
}

const struct translator *translator_called(const char *base)
{
	for (size_t i = 0; i < KNOWN; i++) {
		for (size_t k = 0; k < BASES; k++) {
			if (known[i].bases[k] && !strcmp(known[i].bases[k], base))
				return &known[i].is;
		}
	}
	return NULL;
}

void translator_each_name(void (*each)(void *context, const char *name), void *context)
{
	for (size_t i = 0; i < KNOWN; i++) {
		for (size_t k = 0; k < BASES && known[i].bases[k]; k++)
			each(context, known[i].bases[k]);
		for (const char *const *name = known[i].others; *name; name++)
			each(context, *name);
	}
}

const struct translator *translator_find(const struct elffile *f)
{
	_free_ uint8_t *chunk = mem_zalloc(CHUNK_BYTES, 1);
	struct looking l = {.file = f, .chunk = chunk, .left = MAX_BYTES};

	/* Some linkers put constants with the code. */
	if (!look(&l, PF_R))
		look(&l, PF_R | PF_X);
	for (size_t i = 0; i < KNOWN; i++) {
		if (l.found[i][0] && l.found[i][1])
			return &known[i].is;
	}
	return NULL;
}
