"""judge_js.py PROFILE: checks the functions of JavaScript in a profile (json-profile) of shapes.js:
prints how many stacks and pairs there are, and fails on a function with another line than its own,
on a pair of adjacent functions of which the first does not call the second, be it by one or two that
V8 may have compiled into it, and if fewer than 98 % of
the stacks with compiled code have names for all of it.
"""

import collections
import json
import os
import sys

from stacks import stacks

JIT = 2
JAVASCRIPT = 12
SHAPES = ("methods", "arrows", "callbacks", "generators", "exceptions", "closures", "evaluated", "names",
          "json", "replaced", "proxied", "prototypes", "allocations")
CALLS = {
    "recursion": ("recursion", "spin"), "Outer": ("spin",), "value": ("spin",), "made": ("Outer",),
    "get got": ("spin",), "got": ("spin",), "methods": ("made", "value", "Outer", "get got", "got"),
    "arrow": ("spin",), "arrows": ("arrow", "(anonymous)"), "ordered": ("spin",),
    "callbacks": ("ordered", "mapped"), "mapped": ("spin",), "generated": ("spin",),
    "generators": ("generated",), "thrower": ("spin",), "exceptions": ("thrower", "spin"),
    "closures": ("inner",), "inner": ("spin",), "evaluated": ("(anonymous)", "anonymous", "eval"),
    "länge": ("spin",), "names": ("länge",), "reviver": ("spin",), "json": ("reviver",),
    "replaced": ("replacer",), "replacer": ("spin",), "proxied": ("get",), "get": ("spin",),
    "Old.assignedToThePrototype": ("spin",), "prototypes": ("Old", "Old.assignedToThePrototype"),
    "awaited": ("spin",), "coroutines": ("awaited",), "main": SHAPES + ("recursion", "coroutines"),
    "(anonymous)": ("spin", "main"), "anonymous": ("spin",), "eval": ("spin",), "spin": (), "allocations": (),
    "Old": (),
}


def calls(caller, callee, inlined=2):
    return any(name == callee or (inlined and calls(name, callee, inlined - 1))
               for name in CALLS.get(caller, ()) if name != caller or callee == caller)


def lines_of(path):
    """Where each name stands first in the program, at its definition."""
    found = {}
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            for word in ("function ", "function* ", "const ", "\t", "static ", "get ", "{ "):
                for name in CALLS:
                    for form in (f"{word}{name}(", f"{word}{name} = ("):
                        if form in line and not line.rstrip().endswith(";"):
                            found.setdefault(name, set()).add(number)
    return found


def main():
    profile = json.load(open(sys.argv[1], encoding="utf-8"))
    fn, fr = profile["tables"]["functions"], profile["tables"]["frames"]
    lines = lines_of(os.path.join(os.path.dirname(__file__), "shapes.js"))
    wrong, pairs, all_js, unnamed, seen = collections.Counter(), 0, 0, 0, collections.Counter()
    for frames, n in stacks(profile):
        stack = [fr["function"][frame] for frame in frames]
        compiled = any(fn["kind"][f] == JIT for f in stack)
        js = [f for f in stack if fn["kind"][f] == JAVASCRIPT]
        all_js += n * bool(js or compiled)
        unnamed += n * compiled
        for f in js:
            name, line = fn["name"][f], fn["line"][f]
            if not fn["file"][f].endswith("/shapes.js"):
                continue
            seen[name] += n
            if name in lines and line not in lines[name]:
                wrong[f"{name} is in line {line}, not {lines[name]}"] += n
            if name not in CALLS:
                wrong[f"there is no {name}"] += n
        for caller, callee in zip(js, js[1:]):
            if not fn["file"][caller].endswith("/shapes.js"):
                continue
            pairs += n
            if not calls(fn["name"][caller], fn["name"][callee]) and \
                    not fn["file"][callee].startswith("node:"):
                wrong[f"{fn['name'][caller]} calls {fn['name'][callee]}"] += n
    missing = [s for s in SHAPES if not seen[s]]
    whole = 100 * (1 - unnamed / max(1, all_js))
    print(f"{all_js} stacks of JavaScript, {whole:.2f} % named, {pairs} pairs, {sum(wrong.values())} wrong")
    for what, n in wrong.most_common(8):
        print(f"  {n} × {what}")
    if missing:
        print(f"  not seen: {', '.join(missing)}")
    if wrong or missing or whole < 98 or pairs < 1000 or len(lines) < 15:
        sys.exit(1)


main()
