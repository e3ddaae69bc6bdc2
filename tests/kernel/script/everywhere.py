"""everywhere.py WHAT [N]: what other sources than the CPU see of a script."""

import ctypes
import sys
import threading
import time

LIBC = ctypes.CDLL(None)
LIBC.malloc.restype = ctypes.c_void_p


def grab():
    return LIBC.malloc(12345)  # line of grab


def allocate(n):
    return [grab() for _ in range(n)]


def ask():
    return LIBC.getppid()


def asking(n):
    ask()
    time.sleep(1)
    for _ in range(n):
        ask()


def nap():
    time.sleep(1000)


def outer():
    nap()


def forever():
    threading.Event().wait()


def forever_c():
    LIBC.pause()


def deep(n=900):
    return forever() if n == 0 else deep(n - 1)


def asleep(_):
    sys.setrecursionlimit(3000)
    threading.stack_size(1 << 24)
    for function in (outer, forever, forever_c, deep):
        threading.Thread(target=function, daemon=True).start()
    print("ready", flush=True)
    forever()


def setter(event):
    while True:
        time.sleep(0.01)
        event.set()


def waiter(n):
    event = threading.Event()
    threading.Thread(target=setter, args=(event,), daemon=True).start()
    for _ in range(n):
        event.wait()
        event.clear()


def work(n):
    x = 0
    for i in range(n):
        x += i * i
    return x


def spin(until):
    x = 0
    while time.monotonic() < until:
        for i in range(2000):
            x = x * 31 + i & 0xFFFF


def each_sleeps(until):
    while time.monotonic() < until:
        time.sleep(0.002)


def in_threads(function, n=4):
    until = time.monotonic() + 2
    threads = [threading.Thread(target=function, args=(until,)) for _ in range(n)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


WHAT = {
    "allocate": allocate,
    "ask": asking,
    "asleep": asleep,
    "wait": waiter,
    "work": work,
    "busy": lambda _: in_threads(spin),
    "sleepers": lambda _: in_threads(each_sleeps),
}
WHAT[sys.argv[1]](int(sys.argv[2]) if len(sys.argv) > 2 else 0)
