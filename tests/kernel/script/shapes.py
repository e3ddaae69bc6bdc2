"""shapes.py SECONDS: runs shapes of Python calls for that much CPU time.
shapes.py --judge FILE: runs each a few times under sys.setprofile(), and writes to FILE which calls
it saw: {"pairs": [[caller, line, callee], …], "lines": {function: [line, …]}, "generators": […]},
a function being "name file first-line".
"""

import asyncio
import contextlib
import ctypes
import dis
import functools
import json
import sys
import threading
import time


def spin(n=400):
    x = 1
    for i in range(n):
        x = x * 31 + i & 0xFFFF
    return x


def recursion(n=60):
    if n == 0:
        return spin()
    if n % 2:
        return recursion(n - 1) + 1
    return (
        recursion(n - 1)
        + 2)


def deep():
    return recursion(900)


def numbers(n):
    for i in range(n):
        spin(100)
        yield i


def delegating(n):
    yield from numbers(n)
    yield from (spin(50) + i for i in range(n))


def generators():
    total = 0
    for i in delegating(5):
        total += i
    g = numbers(3)
    return total + next(g) + next(g)


async def awaited(n):
    await asyncio.sleep(0)
    spin()
    return n


async def gathering():
    return await asyncio.gather(*(awaited(i) for i in range(4)))


def coroutines():
    return asyncio.run(gathering())


def decorator(f):
    @functools.wraps(f)
    def wrapper(*args):
        return f(*args)
    return wrapper


@decorator
@decorator
@decorator
def decorated(n):
    return spin(n)


def decorators():
    return decorated(300) + decorated(200)


def comprehensions():
    a = [spin(50) for _ in range(5)]
    b = {i: spin(50) for i in a}
    return sum(spin(50) for _ in b) + len({spin(60) for _ in a})


def by_spin(x):
    return spin(100) + x


COMPARE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
LIBC = ctypes.CDLL(None)


def compare(a, b):
    spin(100)
    return a[0] - b[0]


def callbacks():
    sorted(range(9), key=by_spin)
    list(map(by_spin, range(5)))
    functools.reduce(lambda a, b: a + by_spin(b), range(5))
    array = (ctypes.c_int * 6)(6, 5, 4, 3, 2, 1)
    LIBC.qsort(array, 6, 4, COMPARE(compare))
    return array[0]


def in_thread():
    return recursion(8)


def threads():
    born = [threading.Thread(target=in_thread) for _ in range(3)]
    for t in born:
        t.start()
    for t in born:
        t.join()


SOURCE = """def made(n):
    a = spin(n)
    return (lambda b:
        spin(b))(a & 255)
made(200)
"""


def executed():
    exec(SOURCE, {"spin": spin})
    return eval("spin(100) + spin(50)")


def lambdas():
    return (lambda f: f(200) + f(100))(lambda n: spin(n))


class Outer:
    class Inner:
        @property
        def value(self):
            return spin(150)

        def __lt__(self, other):
            return spin(100) < other.value

        def __del__(self):
            spin(80)


def classes():
    return Outer.Inner() < Outer.Inner()


def fails():
    spin(100)
    raise ValueError


@contextlib.contextmanager
def managed():
    try:
        yield spin(80)
    finally:
        spin(90)


def exceptions():
    try:
        with managed():
            fails()
    except ValueError:
        spin(70)
    finally:
        spin(60)


class Größe:
    def länge(self):
        return spin(200)


def names():
    return Größe().länge()


SHAPES = [recursion, deep, generators, coroutines, decorators, comprehensions, callbacks, threads,
          executed, lambdas, classes, exceptions, names]


def key_of(code):
    # Before 3.11 code knows its plain name alone.
    name = getattr(code, "co_qualname", code.co_name)
    return f"{name} {code.co_filename} {code.co_firstlineno}"


def lines_of(code):
    """Before 3.11 a frame is at its function's line before the first instruction."""
    if hasattr(code, "co_qualname"):
        return {n for _, _, n in code.co_lines() if n}
    return {code.co_firstlineno, *(n for _, n in dis.findlinestarts(code))}


def judge(path):
    pairs, lines, made = set(), {}, set()

    def see(frame, event, _):
        caller = frame.f_back
        if event != "call":
            return
        for f in (frame, caller):
            if f and f.f_code not in lines:
                lines[f.f_code] = lines_of(f.f_code)
        if frame.f_code.co_flags & (0x20 | 0x80 | 0x200):
            made.add(key_of(frame.f_code))
        if caller:
            pairs.add((key_of(caller.f_code), caller.f_lineno, key_of(frame.f_code)))

    threading.setprofile(see)
    sys.setprofile(see)
    for _ in range(20):
        for shape in SHAPES:
            shape()
    sys.setprofile(None)
    threading.setprofile(None)
    by_key = {}
    for code, numbers_of in lines.items():
        by_key.setdefault(key_of(code), set()).update(numbers_of)
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"pairs": sorted(pairs), "generators": sorted(made),
                   "lines": {key: sorted(n) for key, n in by_key.items()}}, f)


def main():
    sys.setrecursionlimit(5000)
    if sys.argv[1] == "--judge":
        judge(sys.argv[2])
        return
    while time.process_time() < float(sys.argv[1]):
        for shape in SHAPES:
            shape()


main()
