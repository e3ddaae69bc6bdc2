"""judge_awaiting.py PROFILE SEEN: checks a profile (json-profile, exported with --async) of
awaiting.py against the callers that it wrote down: of each stack with a function spin_*, its
functions above that must be those of the chain and no others, and what asyncio itself said of the
awaiting coroutines must stand there, with the same lines. Fails on a stack that has other callers or
another line, and if fewer than 99.5 % of the stacks of spin_* are whole.
"""

import collections
import json
import sys

from stacks import stacks

LEAST = 20  # stacks of each spin_*


def main():
    profile = json.load(open(sys.argv[1], encoding="utf-8"))
    told = json.load(open(sys.argv[2], encoding="utf-8"))
    t = profile["tables"]
    fn, fr = t["functions"], t["frames"]
    whole, short, wrong = collections.Counter(), collections.Counter(), collections.Counter()

    def name(frame):
        return fn["name"][fr["function"][frame]]

    def is_here(frame):
        return fn["file"][fr["function"][frame]] == told["file"]

    def has(said, stack):
        """whether what asyncio said is in the stack, in that order"""
        rest = iter((name(f), fr["line"][f]) for f in stack)
        return all(tuple(one) in rest for one in said)

    for stack, n in stacks(profile):
        names = [name(f) for f in stack]
        spin = next((x for x in names if x.startswith("spin_")), None)
        if not spin or spin not in told["chains"]:
            continue
        stack = stack[:names.index(spin) + 1]
        here = [name(f) for f in stack if is_here(f)]
        chain, marks = told["chains"][spin], [x for x in names if x.startswith("[awaited by")]
        if "<module>" in here or any(x.startswith("[") and x not in marks for x in names):
            short[spin] += n
        elif here != chain:
            wrong[" > ".join(here)] += n
        elif (spin in told["several"]) != bool(marks):
            wrong[f"{spin} with marks {marks}"] += n
        elif not any(said is None or has(said, stack) for said in told["seen"][spin]):
            wrong[f"{spin} with other lines"] += n
        else:
            whole[spin] += n
    total = sum(whole.values()) + sum(short.values())
    percent = 100 * sum(whole.values()) / max(1, total)
    few = [x for x in told["chains"] if whole[x] < LEAST]
    print(f"{total} stacks of tasks, {percent:.2f} % whole, {sum(wrong.values())} wrong")
    for what, n in wrong.most_common(8):
        print(f"  {n} × {what}")
    for what, n in short.most_common(8):
        print(f"  {n} × {what} not whole")
    for what in few:
        print(f"  {what}: only {whole[what]} stacks")
    if wrong or few or percent < 99.5:
        sys.exit(1)


main()
