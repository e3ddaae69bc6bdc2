"""Calls functions so often as zones_script.test knows. An argument: the seconds to wait before."""
import asyncio
import os
import sys
import threading
import time


def plain(n):
    return n + 1


def thrower(n):
    if not n:
        raise ValueError
    thrower(n - 1)


def generator(n):
    for i in range(n):
        yield i


async def coroutine(n):
    if n:
        await coroutine(n - 1)


def deep(n):
    return deep(n - 1) if n else 0


class One:
    def same(self):
        pass


class Other:
    def same(self):
        pass


def ünïcode():
    pass


def of_children():
    pass


def loop():
    for i in range(1000):
        plain(i)


if len(sys.argv) > 1:
    time.sleep(float(sys.argv[1]))
for _ in range(10):
    try:
        thrower(4)
    except ValueError:
        pass
list(generator(50))
asyncio.run(coroutine(4))
deep(500)
for _ in range(7):
    One().same()
    Other().same()
for _ in range(3):
    ünïcode()
threads = [threading.Thread(target=loop) for _ in range(4)]
for t in threads:
    t.start()
for t in threads:
    t.join()
sorted(range(10), key=plain)
code = "def made(): pass\nfor _ in range(9): made()"
exec(compile(code, "/" + "long/" * 100 + "made.py", "exec"))
exec(compile(code, "/" + "else/" * 100 + "made.py", "exec"))
for _ in range(3):
    if not os.fork():
        for _ in range(100):
            of_children()
        os._exit(0)
for _ in range(3):
    os.wait()
