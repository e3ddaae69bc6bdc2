#include "script/codes.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "script/language.h"
#include "script/positions.h"

/* All functions together, and those that one process was the first to send, take at most so much
 * memory; others stay without a name. A process that makes up functions costs others none. */
#define MOST_BYTES	  (256u << 20)
#define MOST_KIB_OF_A_PID (32u << 10)
/* Names of tasks of a process, which may be others for each request. */
#define MOST_TASKS 256

struct entry {
	struct script_code code; /* .name NULL: forgotten, or number 0 */
	uint32_t round;		 /* when it was last received */
};

/* Numbers of entries, from 1 on, are not reused: places that were named have them. The walker's
 * numbers are others: it may give a function several. */
struct codes {
	VEC(struct entry) at;
	struct map by_content; /* hash → number of an entry */
	struct map by_walker;  /* the walker's number → that of an entry */
	struct map kib;	       /* process → KiB of functions that it was the first to send */
	struct map tasks;      /* process → names of tasks that it was the first to send */
	uint32_t round;
	uint64_t bytes;
	struct positions *positions;
};

struct codes *codes_new(struct positions *positions)
{
	struct codes *c = mem_zalloc(1, sizeof(*c));

	c->positions = positions;
	vec_add(&c->at);
	return c;
}

static uint64_t bytes_of(const struct script_code *code)
{
	return strlen(code->name) + strlen(code->file) + code->table_bytes + sizeof(struct entry);
}

static void code_release(struct script_code *code)
{
	free(code->name);
	free(code->file);
	free(code->table);
	*code = (struct script_code){0};
}

void codes_free(struct codes *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->at.n; i++)
		code_release(&c->at.at[i].code);
	vec_release(&c->at);
	map_release(&c->by_content);
	map_release(&c->by_walker);
	map_release(&c->kib);
	map_release(&c->tasks);
	free(c);
}

/* --- texts ------------------------------------------------------------------------------------ */

/* What is no character becomes U+FFFD. */
static char *put_char(char *to, uint32_t c)
{
	const bool is_one = c && c <= 0x10ffff && (c < 0xd800 || c >= 0xe000);

	return to + str_put_code(to, is_one ? c : 0xfffd);
}

/* Bytes that a character may take, and what ends a text that was cut. */
#define CHAR_BYTES 4
#define CUT_SIGN   0x2026

/* @bytes of @text, whose characters have @width bytes each; owned by the caller, as is the next. */
static char *decode_wide(const struct wire_script_text *t, const uint8_t *text, uint32_t bytes,
			 uint32_t width)
{
	char *out = mem_zalloc(bytes / width + 2, CHAR_BYTES), *to = out;

	for (uint32_t i = 0; i + width <= bytes; i += width) {
		uint32_t c = 0;

		memcpy(&c, text + i, width);
		to = put_char(to, c);
	}
	if (t->cut)
		to = put_char(to, CUT_SIGN);
	*to = '\0';
	return out;
}

/* What a NUL hides, as in the names of PHP's anonymous classes, is not for people. */
static char *decode_utf8(const struct wire_script_text *t, const char *text, size_t bytes)
{
	char *out = mem_zalloc(bytes + 2, CHAR_BYTES), *to = out;

	bytes = strnlen(text, bytes);
	while (bytes) {
		const char *at = text;
		const size_t len = str_next(&text, &bytes);

		to = put_char(to, len ? str_code(at, len) : 0);
	}
	if (t->cut)
		to = put_char(to, CUT_SIGN);
	*to = '\0';
	return out;
}

char *codes_text(const struct wire_script_text *t, const uint8_t *text, uint32_t most)
{
	const uint32_t bytes = t->bytes < most ? t->bytes : most;

	if (t->width == WIRE_SCRIPT_UTF8)
		return decode_utf8(t, (const char *)text, bytes);
	return decode_wide(t, text, bytes, t->width == 2 || t->width == 4 ? t->width : 1);
}

/* --- functions -------------------------------------------------------------------------------- */

static uint64_t hash_code(const struct script_code *code)
{
	const uint64_t name = hash_bytes(code->name, strlen(code->name));
	const uint64_t file = hash_bytes(code->file, strlen(code->file));
	const uint64_t table = hash_bytes(code->table, code->table_bytes);

	return hash_two(hash_two(name, file),
			hash_two(table, (uint64_t)code->form << 48 |
						(uint64_t)code->language << 32 | code->first_line));
}

static bool is_same(const struct script_code *a, const struct script_code *b)
{
	return a->name && !strcmp(a->name, b->name) && !strcmp(a->file, b->file) &&
	       a->language == b->language && a->form == b->form && a->first_line == b->first_line &&
	       a->table_bytes == b->table_bytes && a->cut == b->cut &&
	       !memcmp(a->table, b->table, a->table_bytes);
}

static struct script_code read_code(struct codes *c, const struct wire_script *w, uint64_t bytes)
{
	const struct script_language *language = script_language(w->language);
	struct script_code code = {
		.language = w->language, .form = w->form, .first_line = w->first_line};
	const uint64_t room = bytes - sizeof(*w);
	uint32_t position;

	code.name = codes_text(&w->name, w->name_text, sizeof(w->name_text));
	code.file = codes_text(&w->file, w->file_text, sizeof(w->file_text));
	code.table_bytes = (uint32_t)(w->table_sent < room ? w->table_sent : room);
	code.table = mem_zalloc(code.table_bytes + 1, 1);
	memcpy(code.table, w + 1, code.table_bytes);
	code.cut = w->table_bytes > code.table_bytes;
	if (language && language->finish && language->finish(&code, &position))
		code.first_line = positions_line(c->positions, w->pid, code.file, position);
	return code;
}

/* False: there is none for more of that process. */
static bool has_room(struct codes *c, uint32_t pid, uint64_t bytes)
{
	bool fresh;
	uint32_t *kib = map_put(&c->kib, pid, &fresh);

	*kib = fresh ? 0 : *kib;
	if (*kib >= MOST_KIB_OF_A_PID || c->bytes + bytes > MOST_BYTES)
		return false;
	*kib += (uint32_t)(bytes / 1024 + 1);
	return true;
}

/* The number of the function of @pid, which it takes over; 0: there is no room for it. */
static uint32_t put_code(struct codes *c, uint32_t pid, struct script_code *code)
{
	uint64_t key = hash_code(code);
	uint32_t *at;
	bool fresh;

	for (at = map_put(&c->by_content, key, &fresh); !fresh;
	     at = map_put(&c->by_content, ++key, &fresh)) {
		if (is_same(&c->at.at[*at].code, code)) {
			code_release(code);
			return *at;
		}
	}
	if (!has_room(c, pid, bytes_of(code))) {
		*at = 0;
		code_release(code);
		return 0;
	}
	c->bytes += bytes_of(code);
	*at = (uint32_t)c->at.n;
	vec_push(&c->at, ((struct entry){.code = *code}));
	return *at;
}

bool codes_is_task(const struct script_code *code)
{
	return code->language == WIRE_SCRIPT_TASK_NAME;
}

/* Takes the name away from a task that is one of too many. */
static void limit_tasks(struct codes *c, uint32_t pid, struct script_code *code)
{
	uint32_t *n;
	bool fresh;

	if (map_get(&c->by_content, hash_code(code)))
		return;
	n = map_put(&c->tasks, pid, &fresh);
	*n = fresh ? 1 : *n + 1;
	if (*n > MOST_TASKS)
		code->name[0] = '\0';
}

void codes_take(struct codes *c, const struct wire_script *w, uint64_t bytes)
{
	struct script_code code = read_code(c, w, bytes);
	uint32_t number;
	bool fresh;

	if (codes_is_task(&code))
		limit_tasks(c, w->pid, &code);
	number = put_code(c, w->pid, &code);
	c->at.at[number].round = c->round;
	*map_put(&c->by_walker, w->number, &fresh) = number;
}

uint64_t codes_offset(struct codes *c, uint64_t value)
{
	const uint64_t position = WIRE_SCRIPT_POSITION(value);
	const uint32_t *number;

	if (!WIRE_SCRIPT_NUMBER(value))
		return position;
	number = map_get(&c->by_walker, WIRE_SCRIPT_NUMBER(value));
	if (!number || !*number)
		return WIRE_SCRIPT_UNREAD;
	return (uint64_t)*number << WIRE_SCRIPT_SHIFT | position;
}

uint32_t codes_number(uint64_t offset)
{
	return (uint32_t)WIRE_SCRIPT_NUMBER(offset);
}

uint32_t codes_count(const struct codes *c)
{
	return (uint32_t)c->at.n;
}

const struct script_code *codes_at(const struct codes *c, uint64_t offset)
{
	const uint64_t number = WIRE_SCRIPT_NUMBER(offset);

	return c && number < c->at.n && c->at.at[number].code.name ? &c->at.at[number].code : NULL;
}

uint32_t codes_line(const struct codes *c, uint64_t offset)
{
	const struct script_code *code = codes_at(c, offset);
	const struct script_language *language = code ? script_language(code->language) : NULL;

	return language ? language->line(code, WIRE_SCRIPT_POSITION(offset)) : 0;
}

const char *codes_note(uint64_t offset)
{
	switch (WIRE_SCRIPT_POSITION(offset)) {
	case WIRE_SCRIPT_TORN:
		return "[script frames missing]";
	case WIRE_SCRIPT_NATIVE:
		return "[native frames missing]";
	default:
		return "[script frame unread]";
	}
}

/* --- forgetting ------------------------------------------------------------------------------- */

static void index_again(struct codes *c)
{
	struct map by_walker = {0};
	bool fresh;

	map_release(&c->by_content);
	for (uint32_t i = 1; i < c->at.n; i++) {
		uint64_t key;

		if (!c->at.at[i].code.name)
			continue;
		key = hash_code(&c->at.at[i].code);
		while (map_get(&c->by_content, key))
			key++;
		*map_put(&c->by_content, key, &fresh) = i;
	}
	for (size_t i = 0; i < c->by_walker.cap; i++) {
		const struct map_slot *slot = &c->by_walker.slots[i];

		if (slot->used && c->at.at[slot->value].code.name)
			*map_put(&by_walker, slot->key, &fresh) = slot->value;
	}
	map_release(&c->by_walker);
	c->by_walker = by_walker;
}

void codes_forget(struct codes *c, const uint8_t *used)
{
	for (uint32_t i = 1; i < c->at.n; i++) {
		struct entry *e = &c->at.at[i];

		if (!e->code.name || used[i] || e->round == c->round)
			continue;
		c->bytes -= bytes_of(&e->code);
		code_release(&e->code);
	}
	c->round++;
	map_release(&c->kib);
	map_release(&c->tasks);
	index_again(c);
	positions_forget(c->positions);
}
