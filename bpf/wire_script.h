/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wire_script: the part of the contract (wire.h) for interpreters: what the walker must know of a
 * process to find the frames of its script, and what it sends of each function of a script.
 */
#ifndef WIRE_SCRIPT_H
#define WIRE_SCRIPT_H

#include "wire.h"

enum wire_script_language {
	WIRE_SCRIPT_NONE = 0,
#define SCRIPT(name, NAME, number) WIRE_SCRIPT_##NAME = number,
#include "scripts.def"
#undef SCRIPT
};

/* Keys of script_procs. A piece of a file with code of an interpreter, whose .what is this: so all
 * processes that run the file are known at once; also the key of the want that asks for it. Or a
 * process, .piece, whose .device is this and all else 0: for stacks that no walk in the kernel has
 * followed to the interpreter. */
#define WIRE_SCRIPT_ASKED 0xfffffffdu

/* Where V8 keeps what names a function; offsets in bytes. */
struct wire_script_v8 {
	wire_u16 info_type, scope_type, script_type; /* instance types */
	wire_u8 info;				     /* in a function: its shared information … */
	wire_u8 scope;				     /* … and in that: its scope, or name */
	wire_u8 script;				     /* … and its script */
	wire_u8 variables; /* in a scope: the names of variables that closures use */
	wire_u8 position;  /* in a scope: where in the script the function begins; 0: behind its
			      name */
	wire_u8 pad[5];
};

/* Of CPython with --async: where the types of these objects are, less the address of PyCode_Type.
 * coroutine 0: who awaits a task cannot be read. */
struct wire_script_async {
	wire_s32 coroutine, generator, async_generator, text;
};

/* The value of script_procs: where the interpreter of CPython keeps its frames. Offsets are in
 * bytes. All 0: an interpreter whose script frames cannot be found. The addresses are those of the
 * process; or, for a piece of a file, less the address at which the file would begin if all of it
 * was mapped as that piece is. *
 * CPython before 3.11 has objects as frames, each run by a loop of its own, which the loop below
 * is: previous, code and instruction are behind its first 24 bytes, the last one an index, of bytes
 * if end is 1, else of units of two bytes.
 *
 * PHP has executor_globals at runtime, key is there the innermost frame, and code is a frame's
 * function; file and first_line are in that.
 *
 * Ruby has at runtime the module and the offset of a thread-local variable, which leads to the
 * frames; if that is 0, it is the program's own, at offset code_type. previous is the size of a
 * frame; of a function instruction is where its lines are, in rows of end bytes, and code the index
 * to them. A short string has its bytes at text, and if ascii is 1, its length in its flags. */
struct wire_script_proc {
	wire_u64 runtime;      /* address of _PyRuntime */
	wire_u64 code_type;    /* address of PyCode_Type; 0: unknown */
	wire_u16 key;	       /* in _PyRuntime: the key of the thread-specific data, an int */
	wire_u16 state_thread; /* in a thread's state: pthread_self() */
	wire_u8 state_frame;   /* in a thread's state: the innermost frame, or C frame if there are
				  such */
	wire_u8 cframe; /* in a C frame: its current frame, and the next word is its caller … */
	wire_u8 has_cframes; /* … if the version has C frames: up to 3.12 */
	wire_u8 previous;    /* in a frame, as are the next three: its caller */
	wire_u8 code;
	wire_u8 instruction;
	wire_u8 end;	   /* a byte that tells the last frame of a run of the loop … */
	wire_u8 end_least; /* … if it is at least this */
	wire_u8 end_shown; /* 1: that frame is a function's, not the loop's own */
	wire_u8 first_line, bytecode; /* in a code object */
	wire_u8 ascii, text;	      /* in a string: its bytes, if ASCII and if not */
	wire_u8 language;	      /* enum wire_script_language */
	wire_u8 gil_in_interpreter;   /* 1: gil is in an interpreter's state, and a pointer */
	wire_u16 gil;		      /* in _PyRuntime: the interpreter's lock; 0: unknown */
	wire_u8 file;		      /* in a function of PHP */
	wire_u8 form;		      /* of tables of lines, as the language numbers them */
	/* Of languages whose runs are paired with the loops by user space: the loop's code, the
	 * part of it that is elsewhere, and a function that only the loop calls, as a part of it.
	 */
	wire_u64 loop, cold, core;
	wire_u32 loop_bytes, cold_bytes, core_bytes;
	/* Of CPython up to 3.11, whose threads keep a key to one of their states alone, though
	 * they have one in each interpreter of the process: */
	wire_u16 active;      /* in _PyRuntime: the state of the thread that holds the lock; 0: the
				 key's is the one that runs */
	wire_u8 interpreters; /* in _PyRuntime: the first interpreter */
	wire_u8 threads;      /* in an interpreter: the first state of a thread */
	union {
		struct wire_script_v8 v8;
		struct wire_script_async async; /* of CPython */
	};
};
_Static_assert(sizeof(struct wire_script_proc) == 96,
	       "wire_script_proc is the value of script_procs");

/* A frame of a script: a word of kind WIRE_FRAME_SCRIPT, whose value is the number of the function
 * (struct wire_script), and the position in it: the instruction, in units of the language. */
#define WIRE_SCRIPT_SHIFT	    24
#define WIRE_SCRIPT_MOST	    ((1ull << WIRE_SCRIPT_SHIFT) - 1)
#define WIRE_SCRIPT_NUMBER(value)   ((value) >> WIRE_SCRIPT_SHIFT)
#define WIRE_SCRIPT_POSITION(value) ((value)&WIRE_SCRIPT_MOST)
/* The position before the first instruction. */
#define WIRE_SCRIPT_BEGIN WIRE_SCRIPT_MOST

/* Number 0 is no function: the position says what stands in the place of frames. */
enum wire_script_note {
	WIRE_SCRIPT_UNREAD = 1, /* a frame whose function could not be read or sent */
	WIRE_SCRIPT_TORN = 2,	/* frames that cannot be followed further */
	WIRE_SCRIPT_NATIVE = 3, /* native frames: the walk of those ended here, before the thread's
				   first one */
	/* Of words of kind WIRE_FRAME_AWAITER alone: */
	WIRE_SCRIPT_TASK = 4, /* a task to which the program gave no name */
	WIRE_SCRIPT_TASKS_LEFT_OUT = 5,
	WIRE_SCRIPT_TASKS_UNREAD = 6,
	WIRE_SCRIPT_COROUTINES_LEFT_OUT = 7,
	WIRE_SCRIPT_AWAITED_BY = 8, /* and so many: there is no one chain */
};
/* In the place of a function's language: it is the name that a program gave to a task. */
#define WIRE_SCRIPT_TASK_NAME 0xff
/* So many or more. */
#define WIRE_SCRIPT_AWAITED_MOST 10

/* What waits for the task of asyncio whose coroutine's frames stand before, as if it was called by
 * that: words of kind WIRE_FRAME_AWAITER, which are else as those of WIRE_FRAME_SCRIPT. For the
 * task and then each that waits for the one before: its coroutines, innermost first, of all but the
 * first task, which is on the stack; then the task, a note or its name
 * (WIRE_SCRIPT_TASK_NAME). Behind them the stack goes on with what runs the tasks. */

/* The script frames of a stack that the loader walks: a struct wire_stack of this kind, whose hash
 * is the number that its slice names it by. Runs of frames, innermost first, each with a word of
 * kind WIRE_FRAME_CODE behind it: an address in the C frame of the loop that runs them. Or, with
 * WIRE_BY_FRAME_POINTER, of V8: what may be the frame pointer of its frame; if it is none, the
 * function is not on the stack. Of PHP and Ruby it is what follows. */

/* Of PHP and Ruby the script's frames do not tell which native frame is their loop. So a stack has
 * its native frames first, those of the loop with kinds of their own, WIRE_FRAME_LOOP, and
 * WIRE_FRAME_CORE for the function that it runs in its place; then a word
 * WIRE_FRAME_CHAIN, then the script's frames, innermost first; the last of each run of a loop has
 * the flag WIRE_SCRIPT_END. For a stack that the loader walks all from WIRE_FRAME_CHAIN on is sent
 * as its chain. Of more frames than there is room for, the WIRE_TAIL_FRAMES outermost ones are kept
 * in a ring behind the innermost ones, as in a deep stack. User space puts the runs in the places
 * of the loops.
 *
 * The value of WIRE_FRAME_CHAIN: how many script frames there are, and how many runs; whether they
 * were followed to the outermost one. */
#define WIRE_SCRIPT_END		WIRE_EXACT
#define WIRE_CHAIN_SHIFT	24
#define WIRE_CHAIN_WHOLE	(1ull << 48)
#define WIRE_CHAIN_FRAMES(word) ((word) & ((1u << WIRE_CHAIN_SHIFT) - 1))
#define WIRE_CHAIN_RUNS(word)	((word) >> WIRE_CHAIN_SHIFT & ((1u << WIRE_CHAIN_SHIFT) - 1))

/* Whether so many runs and loops can be paired. One more of either is one that was just beginning
 * or ending, unless the native stack does not reach its root. */
#define WIRE_CHAIN_PAIRS(runs, loops, rooted) \
	((rooted) ? (wire_u32)((runs) + 1 - (loops)) <= 2 : (runs) == (loops))

/* How the search for script frames in a stack went. */
enum wire_script_outcome {
	WIRE_SCRIPT_NOT_ASKED, /* no interpreter on the stack */
	WIRE_SCRIPT_LATE,      /* the loader has yet to say what the interpreter is */
	WIRE_SCRIPT_REFUSED,   /* an unknown version */
	WIRE_SCRIPT_NO_STATE,  /* a thread without frames of a script */
	WIRE_SCRIPT_WHOLE,
	WIRE_SCRIPT_CUT, /* some are missing: WIRE_SCRIPT_TORN, or the native walk ended before */
	WIRE_SCRIPT_SOME_UNREAD,
	WIRE_SCRIPT_OUTCOMES
};
/* How the search for what waits for the running task went. */
enum wire_async_outcome {
	WIRE_ASYNC_NONE, /* not asked for, or no task runs */
	WIRE_ASYNC_WHOLE,
	WIRE_ASYNC_CUT,	    /* some are missing */
	WIRE_ASYNC_UNKNOWN, /* the version of the interpreter does not tell */
	WIRE_ASYNC_OUTCOMES
};
_Static_assert(WIRE_NOTE_ASYNC_LAST == WIRE_NOTE_ASYNC + WIRE_ASYNC_OUTCOMES - 2,
	       "each outcome but the first has a counter");
_Static_assert(WIRE_NOTE_SCRIPT_LAST == WIRE_NOTE_SCRIPT + WIRE_SCRIPT_OUTCOMES - 2,
	       "each outcome but the first has a counter");

/* Bytes of texts and of the table of lines that are sent. */
#define WIRE_SCRIPT_FILE  512
#define WIRE_SCRIPT_NAME  256
#define WIRE_SCRIPT_SMALL 1024
#define WIRE_SCRIPT_LARGE 16384

/* A text as the interpreter has it. */
struct wire_script_text {
	wire_u32 bytes; /* sent */
	wire_u16 cut;	/* 1: there are more */
	wire_u16 width; /* bytes of a character: 1, 2, 4; 0: unread; or: */
};
/* The bytes are UTF-8, perhaps. */
#define WIRE_SCRIPT_UTF8 8

/* What stands in the place of a table of lines for functions of V8: where in the script the
 * function begins, in characters of UTF-16; and the rest of a name that was put together. The parts
 * with a bit in .before stand before the name, in order; the others behind it, the last one first.
 */
#define WIRE_SCRIPT_PARTS 8
#define WIRE_SCRIPT_PART  64
struct wire_script_made {
	wire_u32 position;
	wire_u16 n, before;
	struct {
		struct wire_script_text text;
		wire_u8 bytes[WIRE_SCRIPT_PART];
	} parts[WIRE_SCRIPT_PARTS];
};
_Static_assert(sizeof(struct wire_script_made) <= WIRE_SCRIPT_SMALL,
	       "wire_script_made is in the place of a small table");

/* A function of a script, sent before the first stack that has it. A table of lines follows, in
 * WIRE_SCRIPT_SMALL or WIRE_SCRIPT_LARGE bytes; of PHP, in its place, the name of the class. */
struct wire_script {
	wire_u32 kind;
	wire_u32 pid;
	wire_u64 time_ns;
	wire_u64 number;
	wire_u16 language;   /* enum wire_script_language */
	wire_u16 form;	     /* of the table: see wire_script_proc */
	wire_u32 first_line; /* 0: unknown */
	struct wire_script_text file, name;
	wire_u32 table_bytes; /* of the whole table */
	wire_u32 table_sent;  /* bytes of it that follow */
	wire_u8 file_text[WIRE_SCRIPT_FILE];
	wire_u8 name_text[WIRE_SCRIPT_NAME];
};
_Static_assert(sizeof(struct wire_script) == 56 + WIRE_SCRIPT_FILE + WIRE_SCRIPT_NAME,
	       "wire_script is part of the contract");

#endif
