"""zone_greenlet ROUNDS: Python's greenlets, which copy slices of the C stack away and back:
generators that give values from a recursion through C, exceptions thrown into them, and some that
are left unfinished. Status 38."""

import functools
import os
import sys

from greenlet import getcurrent, greenlet


def walk(depth, place):
    if depth:
        functools.reduce(lambda _, p: walk(depth - 1, p), [2 * place], None)
    getcurrent().parent.switch(place * 7919 % 1009)
    if depth:
        sorted([2 * place + 1], key=lambda p: walk(depth - 1, p) or 0)


def one_round():
    total, left = 0, [greenlet(functools.partial(walk, 4, n)) for n in range(1, 7)]
    while left:
        for g in list(left):
            value = g.switch()
            if g.dead:
                left.remove(g)
            else:
                total = (total * 31 + value) % 1000003
    for i in range(20):
        g = greenlet(functools.partial(walk, 3, i))
        total += g.switch()
        try:
            if i % 2:
                g.throw(ValueError, str(i))
        except ValueError as error:
            total += len(str(error))
    return total


def main():
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    gate, first, done = os.environ.get("ZONE_GATE"), None, 0
    while open(gate, "rb").read(1) == b"0" if gate else done < wanted:
        result = one_round()
        first = result if first is None else first
        if result != first:
            sys.exit(f"round {done + 1} differs")
        done += 1
    print(f"ok {first}", flush=True)
    sys.exit(38)


main()
