/* SPDX-License-Identifier: GPL-2.0 */
/*
 * script_code: the functions of scripts, each of which the loader is told once. For script.bpf.c,
 * which includes walk.h first.
 */
#ifndef SAMPLE_SCRIPT_CODE_H
#define SAMPLE_SCRIPT_CODE_H

/* What of a code object is read: from here, SCRIPT_CODE_WORDS words. Offsets are the same from
 * CPython 3.9 to 3.14. */
#define CODE_FROM  64
#define CODE_FILE  (112 - CODE_FROM)
#define CODE_NAME  (128 - CODE_FROM) /* the qualified name */
#define CODE_LINES (136 - CODE_FROM)

/* The same before 3.11. These have no qualified name. */
#define OLD_CODE_FROM  40
#define OLD_CODE_WORDS 11
#define OLD_CODE_FILE  (104 - OLD_CODE_FROM)
#define OLD_CODE_NAME  (112 - OLD_CODE_FROM)
#define OLD_CODE_LINES (120 - OLD_CODE_FROM)

#define TEXT_LENGTH	16 /* then the hash, then the state: */
#define TEXT_WORDS	3
#define TEXT_WIDTH(s)	((s) >> 2 & 7)
#define TEXT_COMPACT(s) ((s) >> 5 & 1)
#define TEXT_ASCII(s)	((s) >> 6 & 1)
#define BYTES_LENGTH	16
#define BYTES_DATA	32

/* A size that the verifier knows to be at most @most, a power of two less one: the compiler would
 * keep the check and the size in two registers. */
#define BOUND(n, most)                                           \
	({                                                       \
		__u64 n_ = (n) < (most) ? (n) : (most);          \
		asm volatile("%0 &= %1" : "+r"(n_) : "i"(most)); \
		n_;                                              \
	})

/* The number of a function that is new; 0: the walk has met so many that it sends no more. A
 * program that makes up functions must not fill the ring. */
static __always_inline __u64 code_new_number(struct script *s)
{
	if (s->news >= SCRIPT_NEWS)
		return 0;
	s->news++;
	return __sync_fetch_and_add(&script_numbers, 1) + 1;
}

/* The number of the function of these hashes; 0: it is new. Most are found without the LRU map,
 * whose search costs several times as much. */
static __always_inline __u64 code_known(const struct two_hashes *key)
{
	const __u32 slot = key->key >> (64 - SCRIPT_MEMO_BITS);
	struct script_memo_entry *entry = bpf_map_lookup_elem(&script_memo, &slot);
	const __u64 *known;
	__u64 number;

	if (!entry)
		return 0;
	number = *(const volatile __u64 *)&entry->number;
	if (entry->key == key->key && entry->check == (key->check ^ number))
		return number;
	known = bpf_map_lookup_elem(&known_codes, key);
	if (!known)
		return 0;
	number = *known;
	*entry = (struct script_memo_entry){key->key, key->check ^ number, number};
	return number;
}

/* Sends the function of these hashes, which is new, by @send; returns its number, 0: it could not
 * be sent. */
static __always_inline __u64 code_new(const struct script_memory *m, struct walk *walk,
				      const struct two_hashes *key,
				      bool (*send)(const struct script_memory *, struct walk *,
						   __u64 number))
{
	__u64 number = code_new_number(&walk->script);

	if (!number || !send(m, walk, number))
		return 0;
	bpf_map_update_elem(&known_codes, key, &number, BPF_ANY);
	return number;
}

/* The number of the function of these hashes, which @send sends if it is new; 0: it could not. */
static __always_inline __u64 code_find(const struct script_memory *m, struct walk *walk,
				       const struct two_hashes *key,
				       bool (*send)(const struct script_memory *, struct walk *,
						    __u64 number))
{
	const __u64 number = code_known(key);

	return number ? number : code_new(m, walk, key, send);
}

/* Begins the record of a function. */
static __always_inline void code_begin(const struct walk *walk, struct wire_script *record,
				       __u64 number)
{
	record->kind = WIRE_SCRIPT;
	record->pid = walk->out.head.pid;
	record->time_ns = walk->out.head.time_ns;
	record->number = number;
	record->language = walk->script.proc.language;
	record->form = walk->script.proc.form;
}

/* What identifies the code object: its address may be another's later. */
static __always_inline struct two_hashes code_hashes(const struct script *s, __u64 code)
{
	struct two_hashes h = s->hashes;

	stack_hash_mix(&h, config_hash_keys[3], code);
	stack_hash_mix(&h, config_hash_keys[4], script_word(s->code, CODE_FILE));
	stack_hash_mix(&h, config_hash_keys[5], script_word(s->code, CODE_NAME));
	stack_hash_mix(&h, config_hash_keys[6], script_word(s->code, CODE_LINES));
	stack_hash_mix(&h, config_hash_keys[7], script_word(s->code, 0));
	stack_hash_mix(&h, config_hash_keys[8], script_word(s->code, 8));
	h.key = stack_hash_finish(h.key);
	h.check = stack_hash_finish(h.check);
	return h;
}

/* Copies the string at @at to @to, of @most + 1 bytes. */
static __always_inline void code_text(const struct script_memory *m, struct script *s, __u64 at,
				      struct wire_script_text *out, void *to, const __u32 most)
{
	__u64 bytes, state;

	*out = (struct wire_script_text){0};
	if (!read_user(m, s->text, TEXT_WORDS * 8, at + TEXT_LENGTH))
		return;
	state = s->text[2];
	if (!TEXT_COMPACT(state))
		return;
	bytes = s->text[0] * TEXT_WIDTH(state);
	out->cut = bytes > most;
	bytes = BOUND(bytes, most);
	if (!read_user(m, to, bytes, at + (TEXT_ASCII(state) ? s->proc.ascii : s->proc.text)))
		return;
	out->bytes = bytes;
	out->width = TEXT_WIDTH(state);
}

/* Sends a function as @number; @room: for its table, a constant power of two. False: there is no
 * room, or it could not be read. */
static __always_inline bool code_send_within(const struct script_memory *m, struct walk *walk,
					     __u64 number, const __u32 room)
{
	struct script *s = &walk->script;
	struct wire_script *record = code_room(m, sizeof(*record) + room);
	__u64 bytes;

	if (!record)
		return false;
	code_begin(walk, record, number);
	record->first_line = script_word(s->code, s->proc.first_line - CODE_FROM) >>
			     (s->proc.first_line % 8 * 8);
	record->table_bytes = s->lines;
	code_text(m, s, script_word(s->code, CODE_FILE), &record->file, record->file_text,
		  WIRE_SCRIPT_FILE - 1);
	code_text(m, s, script_word(s->code, CODE_NAME), &record->name, record->name_text,
		  WIRE_SCRIPT_NAME - 1);
	bytes = BOUND(s->lines, room - 1);
	record->table_sent = bytes;
	return code_end(m, record, sizeof(*record) + room,
			record->name.width && record->file.width &&
				read_user(m, record + 1, bytes,
					  script_word(s->code, CODE_LINES) + BYTES_DATA));
}

static __always_inline bool code_send(const struct script_memory *m, struct walk *walk,
				      __u64 number)
{
	return walk->script.lines < WIRE_SCRIPT_SMALL
		       ? code_send_within(m, walk, number, WIRE_SCRIPT_SMALL)
		       : code_send_within(m, walk, number, WIRE_SCRIPT_LARGE);
}

/* Reads the code object at @code to s->code. */
static __always_inline bool code_words(const struct script_memory *m, struct script *s, __u64 code)
{
	if (!s->has_loops)
		return read_user(m, s->code, SCRIPT_CODE_WORDS * 8, code + CODE_FROM);
	if (!read_user(m, s->code, OLD_CODE_WORDS * 8, code + OLD_CODE_FROM))
		return false;
	s->code[CODE_FILE / 8] = s->code[OLD_CODE_FILE / 8];
	s->code[CODE_NAME / 8] = s->code[OLD_CODE_NAME / 8];
	s->code[CODE_LINES / 8] = s->code[OLD_CODE_LINES / 8];
	return true;
}

/* The number of the code object at @code, which is sent if it is new; 0: it could not be read. */
static __always_inline __u64 code_read(const struct script_memory *m, struct walk *walk, __u64 code)
{
	struct script *s = &walk->script;
	struct two_hashes key;
	__u64 number;

	if (!code_words(m, s, code))
		return 0;
	key = code_hashes(s, code);
	number = code_known(&key);
	if (number)
		return number;
	if (!read_user(m, &s->type, 8, code + 8) ||
	    (s->proc.code_type && s->type != s->proc.code_type) ||
	    !read_user(m, &s->lines, 8, script_word(s->code, CODE_LINES) + BYTES_LENGTH))
		return 0;
	return code_new(m, walk, &key, code_send);
}

/* The same, which does not look again at what this walk has met already. */
static __always_inline __u64 code_number(const struct script_memory *m, struct walk *walk,
					 __u64 code)
{
	struct script_number *n = &walk->script.numbers[code >> 5 & (SCRIPT_CODES - 1)];

	if (n->code != code) {
		n->number = code_read(m, walk, code);
		n->code = code;
	}
	return n->number;
}

#endif
