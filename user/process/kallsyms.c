#include "process/kallsyms.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"

/* The file does not say where a function ends. The largest are tens of KiB; an address further
 * above a symbol than this has no symbol. */
#define MAX_FUNCTION_BYTES (256 * 1024)

struct line {
	uint64_t start;
	char type;
	char *name, *module; /* in the line's buffer; module is NULL if there is none */
};

/* "ffffffffc0a01000 t ext4_sync_fs	[ext4]" */
static bool parse(char *text, struct line *out)
{
	char *end;

	out->start = strtoull(text, &end, 16);
	if (end == text || end[0] != ' ' || !end[1] || end[2] != ' ' || !end[3])
		return false;
	out->type = end[1];
	out->name = end + 3;
	out->module = NULL;
	end = out->name + strcspn(out->name, "\t \n");
	if (*end == '\t' && end[1] == '[') {
		out->module = end + 2;
		out->module[strcspn(out->module, "]\n")] = '\0';
	}
	*end = '\0';
	return end > out->name;
}

static bool is_code(char type)
{
	return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

/* Of aliases the global one wins, then the one with fewer leading underscores, then the first. */
static int alias_rank(char type, const char *name)
{
	return (type == 't' ? 64 : 0) + (int)strspn(name, "_");
}

static void take(struct kallsym *sym, int *bad, const struct line *line)
{
	const int line_bad = alias_rank(line->type, line->name);

	if (sym->name &&
	    (line->start < sym->start || (line->start == sym->start && line_bad >= *bad)))
		return;
	free(sym->name);
	free(sym->module);
	sym->start = line->start;
	sym->name = mem_strdup(line->name);
	sym->module = line->module ? mem_strdup(line->module) : NULL;
	*bad = line_bad;
}

static void drop(struct kallsym *sym)
{
	free(sym->name);
	free(sym->module);
	*sym = (struct kallsym){0};
}

static void drop_distant(const uint64_t *addresses, size_t n, struct kallsym *out)
{
	for (size_t i = 0; i < n; i++) {
		if (out[i].name && addresses[i] - out[i].start >= MAX_FUNCTION_BYTES)
			drop(&out[i]);
	}
}

/* An address without a symbol between it and the wanted address below it has that one's symbol. */
static void fill_gaps(size_t n, struct kallsym *out)
{
	for (size_t i = 1; i < n; i++) {
		if (out[i].name || !out[i - 1].name)
			continue;
		out[i].start = out[i - 1].start;
		out[i].name = mem_strdup(out[i - 1].name);
		out[i].module = out[i - 1].module ? mem_strdup(out[i - 1].module) : NULL;
	}
}

static int hidden(void)
{
	return err(-EPERM, "kernel addresses are hidden: sysctl kernel.kptr_restrict=0, or run "
			   "with CAP_SYSLOG");
}

int kallsyms_find(FILE *f, const uint64_t *addresses, size_t n, struct kallsym *out)
{
	_free_ int *bad = mem_zalloc(n, sizeof(*bad));
	_free_ char *text = NULL;
	bool any_address = false;
	struct line line;
	size_t cap = 0;

	memset(out, 0, n * sizeof(*out));
	while (getline(&text, &cap, f) > 0) {
		size_t i;

		if (!parse(text, &line))
			continue;
		any_address |= line.start != 0;
		i = line.start && is_code(line.type) ? bound_lower(addresses, n, line.start) : n;
		if (i < n)
			take(&out[i], &bad[i], &line);
	}
	if (!any_address)
		return hidden();
	fill_gaps(n, out);
	drop_distant(addresses, n, out);
	return 0;
}

/* --- the kernel first, then the text ---------------------------------------------------------- */

/* The first lines are per-CPU variables, which may be at address 0. */
static bool shows_addresses(FILE *f)
{
	_free_ char *text = NULL;
	struct line line;
	size_t cap = 0;

	while (getline(&text, &cap, f) > 0) {
		if (parse(text, &line) && line.start)
			return true;
	}
	return false;
}

/* "bpf_prog_" and 16 hexadecimal digits, or "bpf_trampoline_" and a number: the text lists these in
 * a module "bpf"; other interfaces return the name alone. */
static bool is_bpf(const char *name)
{
	static const char prog[] = "bpf_prog_", trampoline[] = "bpf_trampoline_";

	if (str_starts(name, trampoline))
		return name[sizeof(trampoline) - 1] >= '0' && name[sizeof(trampoline) - 1] <= '9';
	return str_starts(name, prog) && strspn(name + sizeof(prog) - 1, "0123456789abcdef") == 16;
}

static void find_rest(FILE *f, const uint64_t *addresses, size_t n, struct kallsym *out)
{
	_free_ struct kallsym *found = mem_zalloc(n, sizeof(*found));
	_free_ uint64_t *wanted = mem_zalloc(n, sizeof(*wanted));
	size_t missing = 0, at = 0;

	for (size_t i = 0; i < n; i++) {
		if (!out[i].name)
			wanted[missing++] = addresses[i];
	}
	rewind(f);
	if (!missing || kallsyms_find(f, wanted, missing, found))
		return;
	for (size_t i = 0; i < n; i++) {
		if (!out[i].name)
			out[i] = found[at++];
	}
}

int kallsyms_ask(FILE *f, kallsyms_ask_fn ask, const uint64_t *addresses, size_t n,
		 struct kallsym *out)
{
	memset(out, 0, n * sizeof(*out));
	if (!shows_addresses(f))
		return hidden();
	if (!ask || ask(addresses, n, out)) {
		kallsyms_release(out, n);
		rewind(f);
		return kallsyms_find(f, addresses, n, out);
	}
	for (size_t i = 0; i < n; i++) {
		if (out[i].name && !out[i].module && is_bpf(out[i].name))
			out[i].module = mem_strdup("bpf");
	}
	find_rest(f, addresses, n, out);
	drop_distant(addresses, n, out);
	return 0;
}

void kallsyms_release(struct kallsym *syms, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(syms[i].name);
		free(syms[i].module);
	}
}

uint64_t kallsyms_address(FILE *f, const char *name, size_t lines)
{
	uint64_t found = 0;
	char *text = NULL;
	size_t room = 0;

	for (; lines && !found && getline(&text, &room, f) > 0; lines--) {
		struct line line;

		if (parse(text, &line) && !strcmp(line.name, name))
			found = line.start;
	}
	free(text);
	return found;
}
