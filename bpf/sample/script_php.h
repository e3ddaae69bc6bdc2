/* SPDX-License-Identifier: GPL-2.0 */
/*
 * script_php: frames of PHP 8 without threads. For script_pairs.h.
 *
 * The executor's globals lead to its innermost frame; each frame leads to its caller's, whatever
 * native frames are between. A run of the loop ends in a frame that says so. Functions of PHP
 * itself have frames, too, but the native stack shows them.
 */
#ifndef SAMPLE_SCRIPT_PHP_H
#define SAMPLE_SCRIPT_PHP_H

/* In a frame. Offsets without a row in the layouts are the same in all versions from 8.0 on. */
#define PHP_FRAME_BYTES 56
#define PHP_FLAGS	40
#define PHP_ENDS	(1u << 17) /* ZEND_CALL_TOP */

/* In an instruction. */
#define PHP_LINE     24
#define PHP_ANY_LINE (0xffffffffull << 32)

/* In a function: its type, a byte, then flags; its name; its class. */
#define PHP_INTERNAL	1
#define PHP_TRAMPOLINE	(1ull << (32 + 18)) /* flag: about to become __call() */
#define PHP_NAME	8
#define PHP_CLASS	16
#define PHP_HEAD_BYTES	24
#define PHP_CLASS_NAME	8  /* in a class */
#define PHP_LINES_BYTES 16 /* from the file on: that, the first line, the last one */

/* In a string: the hash of its bytes, or 0 if nobody asked for that yet; then its length. */
#define PHP_STRING_HASH 8
#define PHP_STRING_DATA 24
#define PHP_MOST_FILE	4200 /* bytes of a file's name: a path, and what eval() adds */

/* In place of numbers of functions: one of PHP itself, and the outermost one of a fiber. */
#define PHP_NATIVE ~0ull
#define PHP_FIBER  (~0ull - 1)

/* Where in struct script's code is what: */
#define PHP_CODE_NAME  1
#define PHP_CODE_CLASS 2
#define PHP_CODE_FILE  3
#define PHP_CODE_LINES 4

/* Words of struct script's body: of each string of a function the hash of its bytes, or its
 * address, and its length. */
#define PHP_BODY_NAME  0
#define PHP_BODY_CLASS 2
#define PHP_BODY_FILE  4

static __always_inline bool php_known(const struct script_memory *m, struct script *s, __u64 at,
				      const __u32 to)
{
	__u64 *known = &s->body[to];

	known[0] = known[1] = 0;
	if (at && !read_user(m, known, 16, at + PHP_STRING_HASH))
		return false;
	if (!known[0])
		known[0] = at;
	return true;
}

/* By the content of its strings: scripts are compiled again at every request. */
static __always_inline struct two_hashes php_hashes(const struct script *s)
{
	struct two_hashes h = s->hashes;

	stack_hash_mix(&h, config_hash_keys[3], s->code[PHP_CODE_LINES]);
	for (__u32 i = 0; i < 6; i++)
		stack_hash_mix(&h, config_hash_keys[4 + i], s->body[i]);
	h.key = stack_hash_finish(h.key);
	h.check = stack_hash_finish(h.check);
	return h;
}

/* Copies the string at @at, none if 0, to @to, of @most + 1 bytes; returns its length, or -1. */
static __always_inline __s64 php_text(const struct script_memory *m, struct script *s, __u64 at,
				      void *to, const __u32 most)
{
	__u64 bytes;

	s->text[1] = 0;
	if (!at)
		return 0;
	if (!read_user(m, s->text, 16, at + PHP_STRING_HASH))
		return -1;
	bytes = BOUND(s->text[1], most);
	return read_user(m, to, bytes, at + PHP_STRING_DATA) ? (__s64)s->text[1] & __INT_MAX__ : -1;
}

static __always_inline bool php_field(const struct script_memory *m, struct script *s, __u64 at,
				      struct wire_script_text *out, void *to, const __u32 most)
{
	const __s64 bytes = php_text(m, s, at, to, most);

	*out = (struct wire_script_text){.bytes = bytes > most ? most : bytes,
					 .cut = bytes > most,
					 .width = WIRE_SCRIPT_UTF8};
	return bytes >= 0;
}

static __always_inline bool php_send(const struct script_memory *m, struct walk *walk, __u64 number)
{
	struct script *s = &walk->script;
	struct wire_script *record = code_room(m, sizeof(*record) + WIRE_SCRIPT_SMALL);
	__s64 class;

	if (!record)
		return false;
	code_begin(walk, record, number);
	record->first_line = s->code[PHP_CODE_LINES];
	class = php_text(m, s, s->code[PHP_CODE_CLASS], record + 1, WIRE_SCRIPT_SMALL - 1);
	record->table_bytes = class;
	record->table_sent = class < WIRE_SCRIPT_SMALL ? class : WIRE_SCRIPT_SMALL - 1;
	return code_end(m, record, sizeof(*record) + WIRE_SCRIPT_SMALL,
			class >= 0 &&
				php_field(m, s, s->code[PHP_CODE_FILE], &record->file,
					  record->file_text, WIRE_SCRIPT_FILE - 1) &&
				php_field(m, s, s->code[PHP_CODE_NAME], &record->name,
					  record->name_text, WIRE_SCRIPT_NAME - 1));
}

/* The number of the function at @at, which is sent if it is new; 0: it could not be read. */
static __always_inline __u64 php_read(const struct script_memory *m, struct walk *walk, __u64 at)
{
	struct script *s = &walk->script;
	struct two_hashes key;

	if (!read_user(m, s->code, PHP_HEAD_BYTES, at))
		return 0;
	if ((__u8)s->code[0] == PHP_INTERNAL)
		return s->code[PHP_CODE_NAME] ? PHP_NATIVE : PHP_FIBER;
	if (s->code[0] & PHP_TRAMPOLINE)
		return PHP_NATIVE;
	if (!read_user(m, &s->code[PHP_CODE_FILE], PHP_LINES_BYTES, at + s->proc.file) ||
	    !s->code[PHP_CODE_FILE])
		return 0;
	if (s->code[PHP_CODE_LINES] >> 32 < (__u32)s->code[PHP_CODE_LINES])
		return 0;
	if (s->code[PHP_CODE_CLASS] &&
	    !read_user(m, &s->code[PHP_CODE_CLASS], 8, s->code[PHP_CODE_CLASS] + PHP_CLASS_NAME))
		return 0;
	if (!php_known(m, s, s->code[PHP_CODE_NAME], PHP_BODY_NAME) ||
	    !php_known(m, s, s->code[PHP_CODE_CLASS], PHP_BODY_CLASS) ||
	    !php_known(m, s, s->code[PHP_CODE_FILE], PHP_BODY_FILE))
		return 0;
	/* A version that keeps it elsewhere would hardly have a file's name here. */
	if (!s->body[PHP_BODY_FILE + 1] || s->body[PHP_BODY_FILE + 1] > PHP_MOST_FILE)
		return 0;
	key = php_hashes(s);
	return code_find(m, walk, &key, php_send);
}

/* The same, which does not look again at what this walk has met already. */
static __always_inline __u64 php_number(const struct script_memory *m, struct walk *walk, __u64 at)
{
	struct script_number *n = &walk->script.numbers[at >> 5 & (SCRIPT_CODES - 1)];

	if (n->code != at) {
		n->number = php_read(m, walk, at);
		n->code = at;
	}
	return n->number;
}

/* The line of the instruction at @at; 0: it is not in @lines, the first and the last one. */
static __always_inline __u32 php_line_at(const struct script_memory *m, __u64 at, __u64 lines)
{
	__u32 line = 0;

	if (!read_user(m, &line, 4, at + PHP_LINE) || line < (__u32)lines || line > lines >> 32)
		return 0;
	return line;
}

/* The line of the frame that was read; 0: unknown. A frame has its instruction as of its last call,
 * the innermost one perhaps of none: anything. The loop keeps its frame and instruction in r14 and
 * r15, and hands them on to what it calls. While an exception is thrown the instruction is one of
 * the executor's own, without a line. */
static __always_inline __u32 php_line(const struct script_memory *m, const struct walk *walk)
{
	const struct script *s = &walk->script;
	const __u64 stored = script_word(s->frame, s->proc.instruction);
	const __u64 lines = s->code[PHP_CODE_LINES];
	__u32 line = 0;

	if (s->chain_n)
		return php_line_at(m, stored, PHP_ANY_LINE);
	if (walk->registers[14] == s->at)
		line = php_line_at(m, walk->registers[15], lines);
	return line ?: php_line_at(m, stored, lines);
}

static __always_inline bool php_begin(const struct script_memory *m, struct walk *walk)
{
	struct script *s = &walk->script;
	__u64 first = 0;

	if (!read_user(m, &first, 8, s->proc.runtime + s->proc.key))
		first = 0;
	return chain_begin(walk, first);
}

static __always_inline void php_round(const struct script_memory *m, struct walk *walk)
{
	struct script *s = &walk->script;
	__u64 function, number;

	if (!read_user(m, s->frame, PHP_FRAME_BYTES, s->at)) {
		s->chain_more = 0;
		return;
	}
	function = script_word(s->frame, s->proc.code);
	/* A frame without a function stands for something, as for generators that others run. */
	number = function ? php_number(m, walk, function) : PHP_NATIVE;
	if (number < PHP_FIBER)
		chain_add(walk, number, php_line(m, walk),
			  script_word(s->frame, PHP_FLAGS) & PHP_ENDS);
	/* The frames below a fiber's are on another native stack. */
	chain_next(s, number == PHP_FIBER ? 0 : script_word(s->frame, s->proc.previous));
}

#endif
