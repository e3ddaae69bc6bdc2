/* SPDX-License-Identifier: GPL-2.0 */
/*
 * script_v8: functions of JavaScript that V8 runs, in Node. For script.bpf.c, which includes
 * script_code.h first.
 *
 * Frames of V8, interpreted or compiled, are native ones, linked by frame pointers. Such a frame
 * has below its frame pointer the context and the function that it runs; V8's own frames have an
 * even number in place of the context. The function leads to what all its copies share, and that to
 * its scope, which has its name, and to its script, which has the file.
 *
 * The garbage collector moves objects, so names are copied at the first sight of a function. Every
 * object is of the instance type that is expected, or the frame stays native.
 */
#ifndef SAMPLE_SCRIPT_V8_H
#define SAMPLE_SCRIPT_V8_H

/* Pointers to objects are odd: by one, and by three if they are weak. */
#define V8_TAG	1
#define V8_TAGS 3

/* In every object: its map, and in that its instance type. */
#define V8_TYPE 12

/* Strings have types below this. What they consist of, and whether their characters are bytes. */
#define V8_STRINGS    0x80
#define V8_PARTS      7
#define V8_ONE_BYTE   8
#define V8_WHOLE      0
#define V8_CONS	      1 /* two others */
#define V8_SLICED     3 /* a part of another */
#define V8_THIN	      5 /* another */
#define V8_LENGTH     12
#define V8_CHARACTERS 16
#define V8_OTHER      16
#define V8_SECOND     24
#define V8_FROM	      24 /* of a part: its first character */

/* In a scope: how many variables closures use. So many that their names are not in it. */
#define V8_VARIABLES 24
#define V8_MANY	     75
#define V8_MOST	     (1 << 20)

/* In a script: the name of its file. */
#define V8_FILE 16

/* A function that stays native: one of V8's own. */
#define V8_NATIVE (~0ull)

static __always_inline bool v8_is_pointer(__u64 word)
{
	return (word & V8_TAGS) == V8_TAG;
}

/* Small numbers are in the upper half of a word. */
static __always_inline bool v8_is_number(__u64 word)
{
	return !(__u32)word;
}

/* The instance type of an object; WIRE_V8_NONE: it is none. */
#define V8_NONE 0xffff
static __always_inline __u32 v8_type(const struct script_memory *m, struct script *s, __u64 object)
{
	__u64 *map = &s->text[0], *type = &s->text[1];

	*type = 0;
	if (!v8_is_pointer(object) || !read_user(m, map, 8, object - V8_TAG) ||
	    !v8_is_pointer(*map) || !read_user(m, type, 2, *map - V8_TAG + V8_TYPE))
		return V8_NONE;
	return *type;
}

/* A word of an object. */
static __always_inline __u64 v8_word(const struct script_memory *m, struct script *s, __u64 object,
				     __u32 offset)
{
	s->text[0] = 0;
	(void)read_user(m, &s->text[0], 8, object - V8_TAG + offset);
	return s->text[0];
}

static __always_inline __u32 v8_length(const struct script_memory *m, struct script *s,
				       __u64 string)
{
	s->text[0] = 0;
	(void)read_user(m, &s->text[0], 4, string - V8_TAG + V8_LENGTH);
	return s->text[0];
}

/* Copies a string that is not put together of others to @to, of @most + 1 bytes. */
static __always_inline void v8_text(const struct script_memory *m, struct script *s, __u64 string,
				    struct wire_script_text *out, void *to, const __u32 most)
{
	__u32 type = v8_type(m, s, string), shift;
	__u64 bytes, from = 0;

	*out = (struct wire_script_text){0};
	if (type >= V8_STRINGS)
		return;
	bytes = v8_length(m, s, string);
	if ((type & V8_PARTS) == V8_SLICED)
		from = v8_word(m, s, string, V8_FROM) >> 32;
	if ((type & V8_PARTS) == V8_SLICED || (type & V8_PARTS) == V8_THIN) {
		string = v8_word(m, s, string, V8_OTHER);
		type = v8_type(m, s, string);
	}
	if (type >= V8_STRINGS || (type & V8_PARTS) != V8_WHOLE)
		return;
	shift = !(type & V8_ONE_BYTE);
	bytes <<= shift;
	out->cut = bytes > most;
	bytes = BOUND(bytes, most);
	if (!read_user(m, to, bytes, string - V8_TAG + V8_CHARACTERS + (from << shift)))
		return;
	out->bytes = bytes;
	out->width = 1 + shift;
}

static __always_inline bool v8_is_cons(const struct script_memory *m, struct script *s,
				       __u64 string)
{
	const __u32 type = v8_type(m, s, string);

	return type < V8_STRINGS && (type & V8_PARTS) == V8_CONS;
}

/* Copies a string that may be put together of others, as names that V8 made up are: a part that is
 * whole as v8_text(), what is before and behind it to @rest. */
static __always_inline void v8_parts(const struct script_memory *m, struct script *s, __u64 string,
				     struct wire_script *record, struct wire_script_made *rest)
{
	__u32 i;

	for (i = 0; i < WIRE_SCRIPT_PARTS && v8_is_cons(m, s, string); i++) {
		s->type = v8_word(m, s, string, V8_OTHER);
		s->lines = v8_word(m, s, string, V8_SECOND);
		if (v8_is_cons(m, s, s->type)) {
			string = s->type;
			s->type = s->lines;
		} else {
			string = s->lines;
			rest->before |= 1 << i;
		}
		v8_text(m, s, s->type, &rest->parts[i].text, rest->parts[i].bytes,
			WIRE_SCRIPT_PART - 1);
	}
	rest->n = i;
	v8_text(m, s, string, &record->name, record->name_text, WIRE_SCRIPT_NAME - 1);
}

/* Copies the name of a file, which may be two strings, a folder and a name, say. */
#define V8_HALF 256
_Static_assert(2 * V8_HALF <= WIRE_SCRIPT_FILE, "two halves are a file's name");
static __always_inline void v8_file(const struct script_memory *m, struct script *s, __u64 string,
				    struct wire_script *record)
{
	struct wire_script_text *file = &record->file;
	__u64 first, n;

	s->type = v8_word(m, s, string, V8_SECOND);
	if (!v8_is_cons(m, s, string) || !v8_length(m, s, s->type)) {
		if (v8_is_cons(m, s, string))
			string = v8_word(m, s, string, V8_OTHER);
		v8_text(m, s, string, file, record->file_text, WIRE_SCRIPT_FILE - 1);
		return;
	}
	first = v8_word(m, s, string, V8_OTHER);
	v8_text(m, s, first, file, record->file_text, V8_HALF - 1);
	n = BOUND((__u64)file->bytes, V8_HALF - 1);
	first = file->width;
	v8_text(m, s, s->type, file, record->file_text + n, V8_HALF - 1);
	file->bytes += n;
	if (file->width != first)
		*file = (struct wire_script_text){0};
}

/* Reads what is in a scope behind its variables to s->frame: its function's name and the number of
 * a variable, then the name that V8 made up, both or either; the scope around; up to V8 12 where
 * the function begins and ends. */
static __always_inline bool v8_scope(const struct script_memory *m, struct script *s, __u64 scope)
{
	__u64 n;

	if (!read_user(m, &s->text[0], 8, scope - V8_TAG + V8_VARIABLES))
		return false;
	n = s->text[0] >> 32;
	if (!v8_is_number(s->text[0]) || n > V8_MOST)
		return false;
	n += n < V8_MANY ? n : 1;
	return read_user(m, s->frame, SCRIPT_FRAME_WORDS * 8,
			 scope - V8_TAG + s->proc.v8.variables + 8 * n);
}

/* The first name in s->frame; 0: the function has none. */
static __always_inline __u64 v8_name(const struct script_memory *m, struct script *s)
{
	for (__u32 i = 0; i < 4; i++)
		if (v8_type(m, s, s->frame[i]) < V8_STRINGS && v8_length(m, s, s->frame[i]))
			return s->frame[i];
	return 0;
}

/* Where in its script the function begins, in characters. */
static __always_inline __u32 v8_position(const struct script_memory *m, struct script *s,
					 __u64 scope)
{
	__u64 *word = &s->text[0];

	if (s->proc.v8.position) {
		*word = 0;
		(void)read_user(m, word, 8, scope - V8_TAG + s->proc.v8.position);
		return *word >> 32;
	}
	/* The two numbers that are the last in a row. */
	for (__u32 i = 0; i + 2 < SCRIPT_FRAME_WORDS; i++)
		if (v8_is_number(s->frame[i]) && v8_is_number(s->frame[i + 1]) &&
		    !v8_is_number(s->frame[i + 2]))
			return s->frame[i] >> 32;
	return 0;
}

/* Sends a function as @number. */
static __always_inline bool v8_send(const struct script_memory *m, struct walk *walk, __u64 number)
{
	struct script *s = &walk->script;
	struct wire_script *record = code_room(m, sizeof(*record) + WIRE_SCRIPT_SMALL);
	struct wire_script_made *made;

	if (!record)
		return false;
	code_begin(walk, record, number);
	record->first_line = 0;
	record->table_bytes = record->table_sent = sizeof(*made);
	record->name = (struct wire_script_text){0};
	made = (void *)(record + 1);
	made->n = made->before = made->position = 0;
	if (v8_scope(m, s, s->scope)) {
		made->position = v8_position(m, s, s->scope);
		s->first = v8_name(m, s);
		if (s->first)
			v8_parts(m, s, s->first, record, made);
	}
	v8_file(m, s, v8_word(m, s, s->file, V8_FILE), record);
	return code_end(m, record, sizeof(*record) + WIRE_SCRIPT_SMALL, true);
}

static __always_inline struct two_hashes v8_hashes(const struct script *s)
{
	struct two_hashes h = s->hashes;

	stack_hash_mix(&h, config_hash_keys[3], s->info);
	stack_hash_mix(&h, config_hash_keys[4], s->scope);
	stack_hash_mix(&h, config_hash_keys[5], s->file);
	h.key = stack_hash_finish(h.key);
	h.check = stack_hash_finish(h.check);
	return h;
}

/* Finds the number of @function, in s->number: 0 if it is none, or could not be read. False: it is
 * new; what is known of it stands in @s, since Linux 6.1 has little of BPF's stack left here. */
static __always_inline bool v8_find(const struct script_memory *m, struct script *s, __u64 function)
{
	struct two_hashes key;

	s->number = 0;
	if (!read_user(m, &s->info, 8, function - V8_TAG + s->proc.v8.info) ||
	    !v8_is_pointer(s->info) || !read_user(m, s->code, 64, s->info - V8_TAG))
		return true;
	s->scope = script_word(s->code, s->proc.v8.scope);
	s->file = script_word(s->code, s->proc.v8.script);
	key = v8_hashes(s);
	s->number = code_known(&key);
	return s->number;
}

/* Whether s->number is a function of JavaScript. */
static __always_inline bool v8_is_script(const struct script *s)
{
	return s->number && s->number != V8_NATIVE;
}

static __always_inline __u64 v8_frame_word(const struct script *s)
{
	return (__u64)WIRE_FRAME_SCRIPT << WIRE_FRAME_SHIFT | s->number << WIRE_SCRIPT_SHIFT;
}

/* Puts the function s->number in the place of the frame of @walk, which is the last on the stack. A
 * stub of V8 that was interrupted may work on the frame of the function that called it. */
static __always_inline void v8_put(struct walk *walk)
{
	__u64 word;

	if (!v8_is_script(&walk->script))
		return;
	walk->script.outcome = WIRE_SCRIPT_WHOLE;
	word = v8_frame_word(&walk->script);
	if (walk->at.innermost && walk->vma.has_file)
		walk_keep(walk, word);
	else
		*walk_slot(walk, walk->depth - 1) = word;
}

/* As v8_find(), but does not look again at what this walk has met already. */
static __always_inline bool v8_look(const struct script_memory *m, struct script *s, __u64 function)
{
	struct script_number *n = &s->numbers[function >> 5 & (SCRIPT_CODES - 1)];

	s->number = n->number;
	if (n->code == function)
		return true;
	n->code = 0;
	if (!v8_find(m, s, function))
		return false;
	n->code = function;
	n->number = s->number;
	return true;
}

/* False: its function is new. */
static __always_inline bool v8_frame(const struct script_memory *m, struct walk *walk)
{
	const __u64 base = walk->at.bp;
	struct script *s = &walk->script;
	__u64 function;

	if (base % 8 || !read_user(m, s->frame, 16, base - 16))
		return true;
	function = s->frame[0];
	if (!v8_is_pointer(function) || !v8_is_pointer(s->frame[1]))
		return true;
	if (!v8_look(m, s, function))
		return false;
	v8_put(walk);
	return true;
}

/* Sends the function that v8_find() found to be new; sets s->number. */
static __always_inline void v8_new(const struct script_memory *m, struct walk *walk)
{
	struct script *s = &walk->script;
	__u64 number = V8_NATIVE;
	struct two_hashes key;

	if (v8_type(m, s, s->info) != s->proc.v8.info_type)
		return;
	if (v8_type(m, s, s->scope) == s->proc.v8.scope_type &&
	    v8_type(m, s, s->file) == s->proc.v8.script_type) {
		number = code_new_number(&walk->script);
		if (!number || !v8_send(m, walk, number))
			return;
	}
	key = v8_hashes(s);
	bpf_map_update_elem(&known_codes, &key, &number, BPF_ANY);
	s->number = number;
}

#endif
