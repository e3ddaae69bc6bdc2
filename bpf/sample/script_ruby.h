/* SPDX-License-Identifier: GPL-2.0 */
/*
 * script_ruby: frames of Ruby 3.0 to 3.2. For script_pairs.h.
 *
 * A thread's execution context, or that of the fiber that it runs, has a stack of frames, the
 * innermost one first. A run of the loop ends in a frame whose environment says so. Methods in C
 * have frames, too, but the native stack shows them.
 */
#ifndef SAMPLE_SCRIPT_RUBY_H
#define SAMPLE_SCRIPT_RUBY_H

/* glibc: where a thread has the blocks of its thread-local variables, by module. */
#define DTV_AT	    8
#define DTV_STEP    16
#define DTV_MODULES 4096

/* Words of a frame. Offsets without a row in the layouts are the same in 3.0 to 3.2. */
#define RUBY_PC		 0
#define RUBY_ISEQ	 2
#define RUBY_EP		 4
#define RUBY_FRAME_WORDS 5

/* Flags of a frame, the word to which its ep points: */
#define RUBY_FINISH 0x20
#define RUBY_C	    0x80
#define RUBY_MAGIC  0x7fff0001
#define RUBY_DUMMY  0x79990001 /* of a thread's outermost frame, which is none */

/* The body of a sequence of instructions, in words: */
#define RUBY_BODY	16 /* in the sequence, bytes: where it is */
#define RUBY_SIZE	0  /* upper half: instructions */
#define RUBY_ENCODED	1
#define RUBY_PATH	8
#define RUBY_LABEL	10
#define RUBY_FIRST	11 /* its first line, a small number: twice that and 1 */
#define RUBY_BODY_WORDS 19
#define RUBY_INFO_SIZE	2 /* behind where the lines are */

/* Values: what they are, in their flags. */
#define RUBY_TYPE	0x1f
#define RUBY_STRING	5
#define RUBY_ARRAY	7
#define RUBY_ELSEWHERE	(1 << 13) /* of a string: its bytes are … */
#define RUBY_WITHIN	(1 << 13) /* of an array: its elements are not */
#define RUBY_LENGTH(fl) ((fl) >> 14 & 31)
#define RUBY_DATA	16

/* The index from an instruction to its row of lines: that of the first ones in 7 bits each, then
 * blocks, a bit an instruction. */
#define SUCC_FIRST	 54
#define SUCC_IN_WORD	 9
#define SUCC_BLOCKS	 48
#define SUCC_BLOCK_BYTES 80
#define SUCC_BITS	 16
#define SUCC_IN_BLOCK	 512

static __always_inline __u32 ruby_bits(__u64 x)
{
	x -= x >> 1 & 0x5555555555555555ull;
	x = (x & 0x3333333333333333ull) + (x >> 2 & 0x3333333333333333ull);
	x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0full;
	return x * 0x0101010101010101ull >> 56;
}

/* How many rows begin at or before instruction @at, by the index at @index; 0: unread. */
static __always_inline __u32 ruby_rows(const struct script_memory *m, struct script *s, __u64 index,
				       __u32 at)
{
	__u64 block, small, before;

	if (at < SUCC_FIRST) {
		if (!read_user(m, s->text, 8, index + at / SUCC_IN_WORD * 8))
			return 0;
		return s->text[0] >> at % SUCC_IN_WORD * 7 & 0x7f;
	}
	at -= SUCC_FIRST;
	block = index + SUCC_BLOCKS + at / SUCC_IN_BLOCK * SUCC_BLOCK_BYTES;
	small = at % SUCC_IN_BLOCK / 64;
	if (!read_user(m, s->text, 16, block) ||
	    !read_user(m, &s->text[2], 8, block + SUCC_BITS + small * 8))
		return 0;
	before = small ? s->text[1] >> (small - 1) * 9 & 0x1ff : 0;
	return (__u32)s->text[0] + before + ruby_bits(s->text[2] << (63 - at % 64));
}

static __always_inline __u64 ruby_body(const struct script *s, __u32 word)
{
	return s->body[word & (SCRIPT_BODY - 1)];
}

/* The line of the frame that was read; 0: unknown. Its pc is behind the instruction. */
static __always_inline __u32 ruby_line(const struct script_memory *m, struct script *s)
{
	const __u32 info = s->proc.instruction / 8;
	const __u32 rows = ruby_body(s, info + RUBY_INFO_SIZE);
	__u64 at = (s->frame[RUBY_PC] - s->body[RUBY_ENCODED]) / 8;
	__u32 row = 1, line = 0;

	if (at)
		at--;
	if (at >= s->body[RUBY_SIZE] >> 32)
		return 0;
	if (rows > 1)
		row = ruby_rows(m, s, ruby_body(s, s->proc.code / 8), at);
	if (!row || row > rows ||
	    !read_user(m, &line, 4, ruby_body(s, info) + (__u64)(row - 1) * s->proc.end))
		return 0;
	return line;
}

static __always_inline struct two_hashes ruby_hashes(const struct script *s)
{
	struct two_hashes h = s->hashes;

	stack_hash_mix(&h, config_hash_keys[3], s->body[RUBY_SIZE]);
	stack_hash_mix(&h, config_hash_keys[4], s->body[RUBY_ENCODED]);
	stack_hash_mix(&h, config_hash_keys[5], s->body[RUBY_PATH]);
	stack_hash_mix(&h, config_hash_keys[6], s->body[RUBY_LABEL]);
	stack_hash_mix(&h, config_hash_keys[7], s->body[RUBY_FIRST]);
	stack_hash_mix(&h, config_hash_keys[8], ruby_body(s, s->proc.instruction / 8));
	h.key = stack_hash_finish(h.key);
	h.check = stack_hash_finish(h.check);
	return h;
}

/* Copies the string at @at to @to, of @most + 1 bytes. */
static __always_inline bool ruby_text(const struct script_memory *m, struct script *s, __u64 at,
				      struct wire_script_text *out, void *to, const __u32 most)
{
	__u64 from = at + s->proc.text, length, bytes;

	if (at % 8 || !read_user(m, s->text, sizeof(s->text), at) ||
	    (s->text[0] & RUBY_TYPE) != RUBY_STRING)
		return false;
	length = s->proc.ascii ? RUBY_LENGTH(s->text[0]) : s->text[2];
	if (s->text[0] & RUBY_ELSEWHERE) {
		length = s->text[2];
		from = s->text[3];
	}
	bytes = BOUND(length, most);
	*out = (struct wire_script_text){
		.bytes = bytes, .cut = length > most, .width = WIRE_SCRIPT_UTF8};
	return read_user(m, to, bytes, from);
}

/* The file's name: of a file that was loaded it is the first of two. */
static __always_inline __u64 ruby_path(const struct script_memory *m, struct script *s)
{
	const __u64 path = s->body[RUBY_PATH];

	if (!read_user(m, s->text, 24, path))
		return 0;
	if ((s->text[0] & RUBY_TYPE) == RUBY_ARRAY && s->text[0] & RUBY_WITHIN)
		return s->text[2];
	return path;
}

static __always_inline bool ruby_send(const struct script_memory *m, struct walk *walk,
				      __u64 number)
{
	struct script *s = &walk->script;
	struct wire_script *record = code_room(m, sizeof(*record) + WIRE_SCRIPT_SMALL);

	if (!record)
		return false;
	code_begin(walk, record, number);
	record->first_line = s->body[RUBY_FIRST] >> 1;
	record->table_bytes = record->table_sent = 0;
	return code_end(m, record, sizeof(*record) + WIRE_SCRIPT_SMALL,
			ruby_text(m, s, ruby_path(m, s), &record->file, record->file_text,
				  WIRE_SCRIPT_FILE - 1) &&
				ruby_text(m, s, s->body[RUBY_LABEL], &record->name,
					  record->name_text, WIRE_SCRIPT_NAME - 1));
}

/* The number of the sequence at @iseq; sets the body. Does not look again for the number of what
 * this walk has met already. */
static __always_inline __u64 ruby_number(const struct script_memory *m, struct walk *walk,
					 __u64 iseq)
{
	struct script *s = &walk->script;
	struct script_number *n = &s->numbers[iseq >> 3 & (SCRIPT_CODES - 1)];
	struct two_hashes key;

	if (!read_user(m, &s->next, 8, iseq + RUBY_BODY) ||
	    !read_user(m, s->body, RUBY_BODY_WORDS * 8, s->next))
		return 0;
	if (n->code != iseq) {
		key = ruby_hashes(s);
		n->number = code_find(m, walk, &key, ruby_send);
		n->code = iseq;
	}
	return n->number;
}

/* The execution context of the thread whose pthread_self() is @base; 0: it has none. */
static __always_inline __u64 ruby_context(const struct script_memory *m, struct script *s,
					  __u64 base)
{
	__u64 *pair = s->text, at = 0;

	pair[0] = 1; /* the program's own variables */
	pair[1] = s->proc.code_type;
	if (!base || (s->proc.runtime && !read_user(m, pair, 16, s->proc.runtime)) ||
	    pair[0] >= DTV_MODULES)
		return 0;
	if (!read_user(m, &at, 8, base + DTV_AT) ||
	    !read_user(m, &at, 8, at + DTV_STEP * pair[0]) || at + 1 <= 1)
		return 0;
	return read_user(m, &at, 8, at + pair[1]) ? at : 0;
}

/* @base: pthread_self() of the current thread. */
static __always_inline bool ruby_begin(const struct script_memory *m, struct walk *walk, __u64 base)
{
	struct script *s = &walk->script;
	const __u64 context = ruby_context(m, s, base);
	__u64 bytes, first = 0;

	/* Its stack, and in words of that the size; the innermost frame. */
	if (context && read_user(m, s->text, 24, context)) {
		bytes = s->text[1] * 8;
		s->outer = s->text[0] + bytes;
		if (s->text[2] - s->text[0] < bytes)
			first = s->text[2];
	}
	return chain_begin(walk, first);
}

static __always_inline void ruby_round(const struct script_memory *m, struct walk *walk)
{
	struct script *s = &walk->script;
	__u64 flags = 0, number, next = s->at + s->proc.previous;

	if (!read_user(m, s->frame, RUBY_FRAME_WORDS * 8, s->at) ||
	    !read_user(m, &flags, 8, s->frame[RUBY_EP])) {
		s->chain_more = 0;
		return;
	}
	if (s->frame[RUBY_ISEQ] && !(flags & RUBY_C) && (flags & RUBY_MAGIC) != RUBY_DUMMY) {
		number = ruby_number(m, walk, s->frame[RUBY_ISEQ]);
		chain_add(walk, number, ruby_line(m, s), flags & RUBY_FINISH);
	}
	chain_next(s, next < s->outer ? next : 0);
}

#endif
