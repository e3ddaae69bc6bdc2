"""lost.py LIBRARY SECONDS HOW: runs below a function in C through which no native walk gets.

HOW: back: that calls back into Python; burn: that burns, in a rule that no table has; spin: in C.
"""

import ctypes
import sys
import time

LIBRARY = ctypes.CDLL(sys.argv[1])
FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_uint64)


def inner(n):
    x = 0
    for i in range(n):
        x += i
    return x


@FUNCTION
def called_back(n):
    inner(n)


def outer(function, n):
    LIBRARY.lost(function, n)


def main(how):
    function, n = {
        "back": (called_back, 20000),
        "burn": (LIBRARY.burn, 1000000),
        "spin": (LIBRARY.spin, 1000000),
    }[how]
    # So that eprof knows the interpreter when the function is called first.
    begin = time.monotonic() + 0.5
    while time.monotonic() < begin:
        inner(1000)
    end = time.monotonic() + float(sys.argv[2])
    while time.monotonic() < end:
        outer(function, ctypes.c_uint64(n))


main(sys.argv[3])
