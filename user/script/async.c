/*
 * async: which CPython keeps the tasks of asyncio where the walker looks for them. Since 3.14 a
 * task knows what awaits it, and a thread's state has the task that it runs; both are described for
 * debuggers (Modules/_asynciomodule.c, Include/internal/pycore_debug_offsets.h), and the same in
 * all of that version's releases. Before 3.14 a task has only callbacks, of which those that wake a
 * task cannot be told from others by what lies in memory.
 */
#include "script/async.h"

#include <stdint.h>

#include "elf/dynsym.h"

#define MINOR 14

/* What the state says of itself, as words from its start on, and what the walker expects there. */
static const struct {
	uint16_t at, is;
} described[] = {
	{504, 24}, /* of a set: members */
	{512, 40}, /* … slots */
	{520, 32}, /* … slots less one */
	{296, 64}, /* of a frame: where its stack ends */
	{680, 72}, /* of a generator: its frame */
	{688, 67}, /* … and state */
};

static bool agrees(const struct elffile *f, const Elf64_Shdr *state)
{
	uint64_t word;

	for (size_t i = 0; i < sizeof(described) / sizeof(*described); i++)
		if (state->sh_size < described[i].at + sizeof(word) ||
		    elffile_read(f, state->sh_offset + described[i].at, &word, sizeof(word)) ||
		    word != described[i].is)
			return false;
	return true;
}

/* How far the type is from that of code objects; 0: the file has none of that name near it. */
static int32_t distance(const struct elffile *f, const struct interpreter *i, const char *type)
{
	Elf64_Sym symbol;
	int64_t far;

	if (!dynsym_find(f, type, &symbol))
		return 0;
	far = (int64_t)(symbol.st_value - i->code_type);
	return far == (int32_t)far ? (int32_t)far : 0;
}

void async_detect(const struct elffile *f, const Elf64_Shdr *state, struct interpreter *i)
{
	const struct wire_script_async types = {
		.coroutine = distance(f, i, "PyCoro_Type"),
		.generator = distance(f, i, "PyGen_Type"),
		.async_generator = distance(f, i, "PyAsyncGen_Type"),
		.text = distance(f, i, "PyUnicode_Type"),
	};

	i->async = (struct wire_script_async){0};
	if (i->minor == MINOR && i->code_type && agrees(f, state) && types.coroutine &&
	    types.generator && types.async_generator && types.text)
		i->async = types;
}

const char *async_why(const struct interpreter *i)
{
	if (i->async.coroutine)
		return NULL;
	return i->minor < MINOR ? "needs Python 3.14"
				: "it keeps tasks in another way than its releases";
}

const char *async_note(uint64_t offset)
{
	static const char *const notes[] = {
		[WIRE_SCRIPT_TASK] = "[task]",
		[WIRE_SCRIPT_TASKS_LEFT_OUT] = "[more awaiting tasks]",
		[WIRE_SCRIPT_TASKS_UNREAD] = "[awaiting tasks unread]",
		[WIRE_SCRIPT_COROUTINES_LEFT_OUT] = "[more coroutines]",
		[WIRE_SCRIPT_AWAITED_BY + 2] = "[awaited by 2 tasks]",
		"[awaited by 3 tasks]",
		"[awaited by 4 tasks]",
		"[awaited by 5 tasks]",
		"[awaited by 6 tasks]",
		"[awaited by 7 tasks]",
		"[awaited by 8 tasks]",
		"[awaited by 9 tasks]",
		[WIRE_SCRIPT_AWAITED_BY + WIRE_SCRIPT_AWAITED_MOST] =
			"[awaited by 10 or more tasks]",
	};
	const uint64_t number = WIRE_SCRIPT_POSITION(offset);
	const bool is_known = number < sizeof(notes) / sizeof(*notes) && notes[number];

	return is_known ? notes[number] : "[script frame unread]";
}
