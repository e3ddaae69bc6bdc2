"""awaiting_lost.py LIBRARY SECONDS: a task that another awaits runs a function in C through which no
native walk gets, for async.test."""

import asyncio
import ctypes
import sys
import time

LIBRARY = ctypes.CDLL(sys.argv[1])


async def member():
    await asyncio.sleep(0)
    LIBRARY.lost(LIBRARY.spin, ctypes.c_uint64(1000000))


async def main():
    # So that eprof knows the interpreter when the function is called first.
    begin = time.monotonic() + 0.5
    while time.monotonic() < begin:
        sum(range(1000))
    end = time.monotonic() + float(sys.argv[2])
    while time.monotonic() < end:
        await asyncio.gather(member(), member())


asyncio.run(main())
