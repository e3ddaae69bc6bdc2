#include "symbol/variables.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "elf/segments.h"
#include "process/maps.h"
#include "symbol/answer_mangled.h"
#include "symbol/nameless.h"

/* A variable of at most this many bytes is one lock: pthread_cond_t, pthread_rwlock_t and
 * std::condition_variable_any are no larger, and wait at different places of it. In a larger one
 * the place tells which lock it is. */
#define ONE_LOCK_BYTES 64

static void open_table(struct variables_table *v, Elf *elf, Elf *debug_elf)
{
	if (v->open)
		return;
	v->open = true;
	if (elf)
		symtab_add_variables(&v->symtab, elf);
	if (debug_elf)
		symtab_add_variables(&v->symtab, debug_elf);
	symtab_finish(&v->symtab);
}

static void say_nameless(const struct image *image, uint64_t address, struct answer *a)
{
	_free_ char *name = nameless(image, address);

	answer_frame(a, name, NULL, NULL, 0, 0, false, false);
}

static void say(const struct symbol *symbol, uint64_t address, struct answer *a)
{
	_free_ char *name = mem_strndup(symbol->name, strcspn(symbol->name, "@"));
	const uint64_t within = address - symbol->start;
	char suffix[32] = "";

	if (symbol->end - symbol->start > ONE_LOCK_BYTES && within)
		snprintf(suffix, sizeof(suffix), "+0x%" PRIx64, within);
	answer_frame_mangled(a, name, NULL, suffix, NULL, 0, 0, false);
}

void variable_name(struct variables_table *v, const struct elffile *file, Elf *elf, Elf *debug_elf,
		   const struct image *image, uint64_t offset, struct answer *a)
{
	const uint64_t distance = offset & ~PLACE_VARIABLE;
	const struct symbol *symbol = NULL;
	uint64_t address;

	if (!segments_loaded(file, distance, &address)) {
		say_nameless(image, distance, a);
		return;
	}
	open_table(v, elf, debug_elf);
	symbol = symtab_find(&v->symtab, address);
	if (symbol)
		say(symbol, address, a);
	else
		say_nameless(image, address, a);
}

void variables_release(struct variables_table *v)
{
	symtab_release(&v->symtab);
}
