/* SPDX-License-Identifier: GPL-2.0 */
/*
 * script_async: the tasks of asyncio that wait for the one that runs, of CPython 3.14 (--async).
 * For script.bpf.c, which includes script_python.h first.
 *
 * A thread's state has the task that it runs, and a task its coroutine, whose frame is the last of
 * its run on the stack: so the layout of a task is checked by each sample. A task also has the task
 * that waits for it, or a set of several. That one is suspended: its coroutine's frame lies within
 * the coroutine, and what it awaits, on top of the frame's own stack, is mostly the next coroutine.
 *
 * The frames of these coroutines follow the run, as words of kind WIRE_FRAME_AWAITER: they are no
 * callers, so they are shown only on request.
 */
#ifndef SAMPLE_SCRIPT_ASYNC_H
#define SAMPLE_SCRIPT_ASYNC_H

/* In the state of a thread, as _asyncio describes it of itself (.AsyncioDebug). */
#define STATE_TASK 872
/* In a task: what is read of it, from here, as words. */
#define TASK_FROM	   96
#define TASK_AWAITED_BY	   0
#define TASK_FLAGS	   1 /* the fifth byte: 1, it is a task; the sixth: 1, a set waits for it */
#define TASK_COROUTINE	   4
#define TASK_NAME	   5
#define TASK_IS(flags)	   ((flags) >> 32 & 0xff)
#define TASK_IS_SET(flags) ((flags) >> 40 & 0xff)

/* In a coroutine or generator: its state, its frame. */
#define COROUTINE_STATE 67
#define COROUTINE_FRAME 72
/* In what is read of it, from the word with its state on. */
#define COROUTINE_FROM	64
#define COROUTINE_WORDS (1 + SCRIPT_FRAME_WORDS)
/* The states, as bytes. */
#define IS_SUSPENDED 0xfe
#define IS_AWAITING  0xff
#define IS_RUNNING   0
/* In a frame: where its stack ends. */
#define FRAME_STACK 64
/* What iterators that stand for a coroutine have behind their head: that coroutine. */
#define WRAPPED 16

/* In a set: how many members, slots less one, the slots; then the two words of a slot. */
#define SET_USED   24
#define SLOTS	   (SCRIPT_BODY / 2) /* that are read at once */
#define SLOTS_MOST 256

/* Of a name, what identifies it. */
#define NAME_WORDS 8

const volatile bool config_async;

static __always_inline void async_word(struct walk *walk, __u64 value)
{
	script_keep(walk, (__u64)WIRE_FRAME_AWAITER << WIRE_FRAME_SHIFT | value);
}

static __always_inline bool async_read_task(struct async_walk *a, __u64 task)
{
	return here_read(NULL, a->task, sizeof(a->task), task + TASK_FROM) &&
	       TASK_IS(a->task[TASK_FLAGS]) == 1 && TASK_IS_SET(a->task[TASK_FLAGS]) <= 1;
}

/* Finds the task that the current thread runs. */
static __always_inline void async_begin(struct script *s, __u64 base)
{
	struct async_walk *a = &s->async;
	__u64 state, task = 0;

	a->outcome = WIRE_ASYNC_UNKNOWN;
	if (!s->proc.async.coroutine)
		return;
	a->outcome = WIRE_ASYNC_NONE;
	state = python_state(NULL, &s->proc, base);
	if (state && here_read(NULL, &task, 8, state + STATE_TASK) && task &&
	    async_read_task(a, task))
		a->frame = a->task[TASK_COROUTINE] + COROUTINE_FRAME;
}

/* The chain ends: goes on as python_left() would have. */
static __always_inline void async_end(struct walk *walk)
{
	walk->script.async.frame = walk->script.async.here = 0;
	python_caller(walk);
}

static __always_inline void async_cut(struct walk *walk, enum wire_script_note note)
{
	walk->script.async.outcome = WIRE_ASYNC_CUT;
	async_word(walk, note);
}

/* Goes on with the task at @task, which waits. */
static __always_inline void async_next(struct walk *walk, __u64 task)
{
	struct async_walk *a = &walk->script.async;

	if (a->tasks == ASYNC_TASKS || a->frames >= ASYNC_FRAMES) {
		async_cut(walk, WIRE_SCRIPT_TASKS_LEFT_OUT);
		async_end(walk);
		return;
	}
	a->tasks++;
	a->at = task;
	a->step = ASYNC_READ;
}

/* Several tasks wait, so there is no one caller; or only one of them still does. */
static __always_inline void async_set(struct walk *walk, __u64 set)
{
	struct async_walk *a = &walk->script.async;
	__u64 *words = walk->script.text, used;

	if (!here_read(NULL, words, 24, set + SET_USED)) {
		async_cut(walk, WIRE_SCRIPT_TASKS_UNREAD);
		async_end(walk);
		return;
	}
	used = words[0];
	a->left = words[1] < SLOTS_MOST ? words[1] + 1 : SLOTS_MOST;
	a->at = words[2];
	if (used == 1) {
		a->step = ASYNC_MEMBER;
		return;
	}
	if (used)
		async_word(walk, WIRE_SCRIPT_AWAITED_BY + (used < WIRE_SCRIPT_AWAITED_MOST
								   ? used
								   : WIRE_SCRIPT_AWAITED_MOST));
	async_end(walk);
}

/* Slots that were emptied have the hash -1. */
static __always_inline void async_member(struct walk *walk)
{
	struct async_walk *a = &walk->script.async;
	const __u64 *slots = walk->script.body;
	__u32 n = a->left < SLOTS ? 8 : SLOTS;

	if (!here_read(NULL, walk->script.body, n * 16, a->at)) {
		async_cut(walk, WIRE_SCRIPT_TASKS_UNREAD);
		async_end(walk);
		return;
	}
	for (__u32 i = 0; i < SLOTS; i++)
		if (i < n && slots[2 * i] && slots[2 * i + 1] != ~0ull) {
			async_next(walk, slots[2 * i]);
			return;
		}
	a->at += n * 16;
	if (a->left > n) {
		a->left -= n;
		return;
	}
	async_cut(walk, WIRE_SCRIPT_TASKS_UNREAD);
	async_end(walk);
}

/* --- the name of a task ----------------------------------------------------------------------- */

/* By its text, since names are made and freed with tasks. */
static __always_inline struct two_hashes async_name_hash(const struct script *s, __u64 name)
{
	struct two_hashes h = s->hashes;

	stack_hash_mix(&h, config_hash_keys[3], s->text[0]);
	stack_hash_mix(&h, config_hash_keys[4], s->text[2]);
	stack_hash_mix(&h, config_hash_keys[5], s->text[0] < NAME_WORDS * 8 ? 0 : name);
	for (__u32 i = 0; i < NAME_WORDS; i++)
		stack_hash_mix(&h, config_hash_keys[6 + i], s->body[i]);
	h.key = stack_hash_finish(h.key);
	h.check = stack_hash_finish(h.check);
	return h;
}

/* Reads what identifies the name. */
static __always_inline bool async_read_name(struct script *s, __u64 name)
{
	__u64 bytes;

	if (!here_read(NULL, &s->type, 8, name + 8) ||
	    s->type != s->proc.code_type + s->proc.async.text ||
	    !here_read(NULL, s->text, TEXT_WORDS * 8, name + TEXT_LENGTH) ||
	    !TEXT_COMPACT(s->text[2]))
		return false;
	bytes = s->text[0] * TEXT_WIDTH(s->text[2]);
	bytes = BOUND(bytes, NAME_WORDS * 8 - 1);
	__builtin_memset(s->body, 0, NAME_WORDS * 8);
	return here_read(NULL, s->body, bytes,
			 name + (TEXT_ASCII(s->text[2]) ? s->proc.ascii : s->proc.text));
}

static __always_inline bool async_send_name(const struct script_memory *m, struct walk *walk,
					    __u64 number)
{
	struct wire_script *record = code_room(m, sizeof(*record) + WIRE_SCRIPT_SMALL);

	if (!record)
		return false;
	code_begin(walk, record, number);
	record->language = WIRE_SCRIPT_TASK_NAME;
	record->first_line = 0;
	record->table_bytes = record->table_sent = 0;
	record->file = (struct wire_script_text){.width = 1};
	code_text(m, &walk->script, walk->script.async.task[TASK_NAME], &record->name,
		  record->name_text, WIRE_SCRIPT_NAME - 1);
	return code_end(m, record, sizeof(*record) + WIRE_SCRIPT_SMALL, record->name.width);
}

/* The number of the name of the task that was read; 0: it is none that the program gave, or cannot
 * be had. */
static __always_inline __u64 async_name(struct walk *walk)
{
	struct script *s = &walk->script;
	const __u64 name = s->async.task[TASK_NAME];
	struct two_hashes key;

	if (!name || !async_read_name(s, name))
		return 0;
	key = async_name_hash(s, name);
	return code_find(NULL, walk, &key, async_send_name);
}

/* --- tasks and coroutines --------------------------------------------------------------------- */

static __always_inline void async_task(struct walk *walk)
{
	struct async_walk *a = &walk->script.async;
	const __u64 number = async_name(walk);
	const __u64 by = a->task[TASK_AWAITED_BY];

	async_word(walk, number ? number << WIRE_SCRIPT_SHIFT : WIRE_SCRIPT_TASK);
	if (!by)
		async_end(walk);
	else if (TASK_IS_SET(a->task[TASK_FLAGS]))
		async_set(walk, by);
	else
		async_next(walk, by);
}

static __always_inline void async_read(struct walk *walk)
{
	struct async_walk *a = &walk->script.async;

	if (!async_read_task(a, a->at)) {
		async_cut(walk, WIRE_SCRIPT_TASKS_UNREAD);
		async_end(walk);
		return;
	}
	a->at = a->task[TASK_COROUTINE];
	a->found = a->wrapped = 0;
	a->step = ASYNC_COROUTINE;
}

static __always_inline bool async_is_coroutine(const struct wire_script_proc *p, __u64 type)
{
	return type == p->code_type + p->async.coroutine ||
	       type == p->code_type + p->async.generator ||
	       type == p->code_type + p->async.async_generator;
}

/* Goes on with what the coroutine whose frame was read awaits. */
static __always_inline bool async_inward(struct script *s, __u32 state)
{
	struct async_walk *a = &s->async;
	const __u64 end = s->body[1 + FRAME_STACK / 8];

	if (state != IS_AWAITING || !here_read(NULL, &a->at, 8, end - 8))
		return false;
	a->at &= ~TAG;
	a->wrapped = 0;
	return a->at;
}

/* Remembers the coroutine at a->at; false: there is none further in. */
static __always_inline bool async_found(struct walk *walk)
{
	struct script *s = &walk->script;
	struct async_walk *a = &s->async;
	__u32 state;

	if (!here_read(NULL, s->body, COROUTINE_WORDS * 8, a->at + COROUTINE_FROM))
		return false;
	state = s->body[0] >> (COROUTINE_STATE - COROUTINE_FROM) * 8 & 0xff;
	if (state != IS_AWAITING && state != IS_SUSPENDED && state != IS_RUNNING)
		return false;
	if (a->found == ASYNC_COROUTINES || a->frames >= ASYNC_FRAMES) {
		async_cut(walk, WIRE_SCRIPT_COROUTINES_LEFT_OUT);
		return false;
	}
	a->coroutines[a->found & (ASYNC_COROUTINES - 1)] =
		(struct async_coroutine){script_word(&s->body[1], s->proc.code),
					 script_word(&s->body[1], s->proc.instruction)};
	a->found++;
	a->frames++;
	return async_inward(s, state);
}

static __always_inline void async_coroutine(struct walk *walk)
{
	struct script *s = &walk->script;
	struct async_walk *a = &s->async;
	const bool read = here_read(NULL, s->text, 16, a->at + 8);
	bool more = false;

	if (read && async_is_coroutine(&s->proc, s->text[0])) {
		more = async_found(walk);
	} else if (read && !a->wrapped && a->found) {
		a->at = s->text[1];
		a->wrapped = more = 1;
	} else if (!a->found) {
		async_cut(walk, WIRE_SCRIPT_TASKS_UNREAD);
	}
	if (!more)
		a->step = ASYNC_EMIT;
}

static __always_inline void async_emit(struct walk *walk)
{
	struct script *s = &walk->script;
	struct async_walk *a = &s->async;
	const struct async_coroutine *c;
	__u64 number;

	if (!a->found) {
		a->step = ASYNC_TASK;
		return;
	}
	a->found--;
	c = &a->coroutines[a->found & (ASYNC_COROUTINES - 1)];
	number = code_number(NULL, walk, c->code & ~TAG);
	if (number)
		async_word(walk,
			   number << WIRE_SCRIPT_SHIFT | python_unit(s, c->code, c->instruction));
	else
		async_cut(walk, WIRE_SCRIPT_UNREAD);
}

/* One round of a chain that is not ASYNC_TASK. */
static __always_inline void async_round(struct walk *walk)
{
	switch (walk->script.async.step) {
	case ASYNC_MEMBER:
		async_member(walk);
		return;
	case ASYNC_READ:
		async_read(walk);
		return;
	case ASYNC_COROUTINE:
		async_coroutine(walk);
		return;
	default:
		async_emit(walk);
	}
}

#endif
