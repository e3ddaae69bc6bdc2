/*
 * async: what the walker must know of CPython to find the tasks of asyncio that await the one that
 * runs (bpf/sample/script_async.h).
 */
#ifndef SCRIPT_ASYNC_H
#define SCRIPT_ASYNC_H

#include "elf/elffile.h"
#include "script/language.h"

/* Sets .async of a CPython whose version and code type are known; .coroutine 0: it cannot be read,
 * async_why() says why. @state: its section .PyRuntime. */
void async_detect(const struct elffile *, const Elf64_Shdr *state, struct interpreter *);

/* Why it cannot be read from an interpreter whose scripts' frames can: "needs Python 3.14"; NULL:
 * it can. */
const char *async_why(const struct interpreter *);

/* What stands in the place of awaiting tasks at an offset of a place (script/codes.h) without a
 * function: "[awaited by 3 tasks]". */
const char *async_note(uint64_t offset);

#endif
