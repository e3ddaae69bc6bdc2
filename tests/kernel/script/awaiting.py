"""awaiting.py SECONDS SEEN: tasks of asyncio that await each other in known ways, for async.test.

Each way ends in a function named spin_*, which computes. Who must be its callers is written down
here by hand, in CHAINS; and before it computes, each asks asyncio itself who awaits it
(asyncio.capture_call_graph(), Python 3.14), with lines. SEEN gets both.
"""

import asyncio
import json
import sys
import time

if "uvloop" in sys.modules:
    sys.exit("uvloop is not to be there")

HERE = sys.argv[0]
END = time.monotonic() + float(sys.argv[1]) if len(sys.argv) > 1 else 0
SEEN = {}

# The functions of this file above each spin_*, outermost first.
CHAINS = {
    "spin_plain": ["main", "plain", "plain_inner", "spin_plain"],
    "spin_gather_a": ["main", "gather", "gather_a", "gather_deep", "spin_gather_a"],
    "spin_gather_b": ["main", "gather", "gather_b", "spin_gather_b"],
    "spin_group": ["main", "group", "group_member", "group_deep", "spin_group"],
    "spin_wait_for": ["main", "wait_for", "wait_for_inner", "spin_wait_for"],
    "spin_shield": ["main", "shield", "shield_inner", "spin_shield"],
    "spin_alone": ["alone", "alone_inner", "spin_alone"],
    "spin_nested": ["main", "nested", "nested_1", "nested_2", "nested_3", "nested_4",
                    "spin_nested"],
    "spin_generator": ["main", "generator", "generator_user", "numbers", "spin_generator"],
    "spin_two": ["two_inner", "spin_two"],
    "spin_left": ["main", "left", "left_inner", "spin_left"],
    "spin_named": ["main", "named", "named_inner", "spin_named"],
    "spin_wait": ["main", "wait", "wait_inner", "spin_wait"],
    "spin_object": ["main", "awaited_object", "object_inner", "spin_object"],
    "spin_many": ["main", "many", "many_inner", "spin_many"],
}
# Those whose callers are unknown: more than one task awaits them.
SEVERAL = {"spin_two"}


def chain_of(graph):
    """(function, line) of what awaits the current task, outermost first; None: more than one"""
    frames = []
    while True:
        by = graph.awaited_by
        if len(by) > 1:
            return None
        if not by:
            return frames[::-1]
        graph = by[0]
        frames += [(e.frame.f_code.co_qualname, e.frame.f_lineno) for e in graph.call_stack]


def work():
    """Tells what awaits the function that calls this, and computes."""
    me = sys._getframe(1).f_code.co_qualname
    chain = chain_of(asyncio.capture_call_graph())
    seen = SEEN.setdefault(me, [])
    if chain not in seen:
        seen.append(chain)
    for _ in range(40):
        sum(range(1000))


def spin_plain(): work()
def spin_gather_a(): work()
def spin_gather_b(): work()
def spin_group(): work()
def spin_wait_for(): work()
def spin_shield(): work()
def spin_alone(): work()
def spin_nested(): work()
def spin_generator(): work()
def spin_two(): work()
def spin_left(): work()
def spin_named(): work()
def spin_wait(): work()
def spin_object(): work()
def spin_many(): work()


async def plain_inner():
    await asyncio.sleep(0)
    spin_plain()


async def plain():
    await plain_inner()


async def gather_deep():
    await asyncio.sleep(0)
    spin_gather_a()


async def gather_a():
    await gather_deep()


async def gather_b():
    spin_gather_b()
    await asyncio.sleep(0)
    spin_gather_b()


async def gather():
    await asyncio.gather(gather_a(), gather_b(), gather_a())


async def group_deep():
    await asyncio.sleep(0)
    spin_group()


async def group_member():
    await group_deep()


async def group():
    async with asyncio.TaskGroup() as members:
        members.create_task(group_member())
        members.create_task(group_member())


async def wait_for_inner():
    await asyncio.sleep(0)
    spin_wait_for()


async def wait_for():
    await asyncio.wait_for(wait_for_inner(), 60)


async def shield_inner():
    await asyncio.sleep(0)
    spin_shield()


async def shield():
    await asyncio.shield(shield_inner())


async def alone_inner():
    for _ in range(4):
        await asyncio.sleep(0)
        spin_alone()


async def alone():
    await alone_inner()


async def unawaited():
    task = asyncio.create_task(alone())
    while not task.done():
        await asyncio.sleep(0)


async def nested_4():
    await asyncio.sleep(0)
    spin_nested()


async def nested_3():
    await asyncio.create_task(nested_4())


async def nested_2():
    await asyncio.gather(nested_3())


async def nested_1():
    await asyncio.wait_for(asyncio.create_task(nested_2()), 60)


async def nested():
    await asyncio.create_task(nested_1())


async def numbers():
    for i in range(3):
        await asyncio.sleep(0)
        spin_generator()
        yield i


async def generator_user():
    async for _ in numbers():
        pass


async def generator():
    await asyncio.create_task(generator_user())


async def two_inner():
    for _ in range(3):
        await asyncio.sleep(0)
    spin_two()


async def awaits(task):
    await task


async def two():
    task = asyncio.create_task(two_inner())
    await asyncio.gather(awaits(task), awaits(task))


async def left_inner(others):
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    for other in others:
        other.cancel()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    spin_left()


async def left_other(task):
    await asyncio.shield(task)


async def left():
    others = []
    task = asyncio.create_task(left_inner(others))
    others += [asyncio.create_task(left_other(task)) for _ in range(12)]
    await task


async def named_inner():
    await asyncio.sleep(0)
    spin_named()


async def named():
    await asyncio.create_task(named_inner(), name="Aufgabe größer")


async def wait_inner():
    await asyncio.sleep(0)
    spin_wait()


async def wait():
    await asyncio.wait([asyncio.create_task(wait_inner())])


class Awaitable:
    def __init__(self, coroutine):
        self.coroutine = coroutine

    def __await__(self):
        return self.coroutine.__await__()


async def object_inner():
    await asyncio.sleep(0)
    spin_object()


async def awaited_object():
    await Awaitable(asyncio.wait_for(asyncio.create_task(object_inner()), 60))


async def many_inner(n):
    if n:
        await many_inner(n - 1)
    else:
        await asyncio.sleep(0)
        spin_many()


async def many():
    await asyncio.create_task(many_inner(0))


WAYS = (plain, gather, group, wait_for, shield, unawaited, nested, generator, two, left, named, wait,
        awaited_object, many)


async def main():
    while time.monotonic() < END:
        for way in WAYS:
            await way()


if __name__ == "__main__":
    asyncio.run(main())
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        json.dump({"chains": CHAINS, "several": sorted(SEVERAL), "seen": SEEN, "file": HERE}, out)
