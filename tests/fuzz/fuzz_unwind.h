/*
 * fuzz_unwind: what the privileged process does with a file whose code is in samples: its tables,
 * single frames, steps. All within a budget, as there, and no more of it than the file's size
 * explains.
 */
#ifndef TESTS_FUZZ_UNWIND_H
#define TESTS_FUZZ_UNWIND_H

#include "cfi/cfi_step.h"
#include "elf/budget.h"
#include "elf/elffile.h"
#include "unwind/table_build.h"

#include "fuzz.h"

#define FUZZ_PIECE  ((uint64_t)256 << 10)
#define FUZZ_PLACES 24

/* Memory in which each word leads somewhere near. */
static bool fuzz_word(void *context, uint64_t address, uint64_t *out)
{
	(void)context;
	*out = FUZZ_BIAS + FUZZ_TEXT + (address * 2654435761u >> 7) % FUZZ_TEXT_BYTES;
	return address % 64 != 0;
}

static void fuzz_frames(struct table_maker *maker, uint64_t bytes)
{
	const struct cfi_memory memory = {fuzz_word, NULL};
	struct cfi_registers r = {.known = (1u << CFI_REGISTERS) - 1};
	struct cfi_frame frame;

	for (uint64_t i = 0; i < FUZZ_PLACES; i++) {
		const uint64_t at =
			i < FUZZ_PLACES / 2 ? FUZZ_TEXT + i * 5 : bytes / FUZZ_PLACES * i;

		for (int k = 0; k < CFI_REGISTERS; k++)
			r.value[k] = FUZZ_BIAS + at + (uint64_t)k * 8;
		if (table_frame(maker, at, &frame))
			(void)cfi_step(&frame, &memory, &r);
	}
}

static void fuzz_tables(const struct elffile *f)
{
	struct table_maker *maker;
	struct table_blob blob;

	if (table_maker_new(f, &maker))
		return;
	for (uint64_t i = 0; i < 2 && i * FUZZ_PIECE < f->bytes; i++)
		if (!table_make(maker, i * FUZZ_PIECE, (i + 1) * FUZZ_PIECE, &blob))
			table_blob_release(&blob);
	fuzz_frames(maker, f->bytes);
	table_maker_free(maker);
}

/* Calls @with with the file within a budget; closes @fd. */
static void fuzz_within(int fd, void (*with)(const struct elffile *))
{
	struct elffile f;
	struct budget b;

	budget_open(NULL, 0, &b);
	if (budget_begin(&b, NULL) && !elffile_open_within(fd, &b, &f)) {
		with(&f);
		expect(b.spent.bytes <= (4u << 20) + 64 * f.bytes);
		expect(b.spent.steps <= 4000000 + 400 * f.bytes);
		elffile_release(&f);
	}
	(void)budget_end(&b);
	budget_close(&b);
	close(fd);
}

#endif
