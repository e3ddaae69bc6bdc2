"""shares.py SECONDS: five functions share a CPU, by work of different kinds.
shares.py perf FILE: of `perf script`, for each sample the innermost Python function, as agree.py reads it.
shares.py eprof FILE: the same of a folded export, which is folded again."""

import re
import sys
import time


def spin(n):
    x = 0
    for i in range(n):
        x += i * i
    return x


def text(n):
    return "x".join([chr(65 + i % 26) for i in range(n)]).lower().count("a")


def dicts(n):
    d = {}
    for i in range(n):
        d[i % 100] = d.get(i % 100, 0) + i
    return d


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def floats(n):
    x = 0.5
    while n:
        x = x * 3.7 * (1 - x)
        n -= 1
    return x


FUNCTIONS = ("spin", "text", "dicts", "fib", "floats")


def work(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        spin(2000)
        text(4000)
        dicts(2000)
        fib(13)
        floats(3000)


def from_perf(path):
    for sample in open(path, errors="replace").read().split("\n\n"):
        found = re.search(r"py::([^:]+):", sample)
        if found and found[1] in FUNCTIONS:
            print(f"\t1000 {found[1]} (python)\n")


def from_eprof(path):
    for line in open(path, errors="replace"):
        stack, n = line.rsplit(" ", 1)
        found = [f for f in stack.split(";") if f in FUNCTIONS]
        if found:
            print(f"python;{found[-1]} {n}", end="")


if sys.argv[1] == "perf":
    from_perf(sys.argv[2])
elif sys.argv[1] == "eprof":
    from_eprof(sys.argv[2])
else:
    work(float(sys.argv[1]))
