"""judge.py PROFILE SEEN SCRIPT [LOOPS]: checks the script frames of a profile (json-profile) against the
calls that the script's own run under sys.setprofile() saw (shapes.py): prints how many stacks and
pairs there are, and fails on a pair of adjacent frames that was not seen, on a line that the
function has not, and if fewer than 99.5 % of the stacks of the interpreter are whole. Frames of code
outside SCRIPT call each other in ways that a second run need not repeat: of these only the callers
and callees in SCRIPT are judged. At most 1 % of the stacks may have a frame of the interpreter's loop.
LOOPS is for CPython before 3.11: so many percent, since each call begins and ends a loop.
"""

import collections
import json
import sys

from stacks import stacks

PYTHON = 9
MARK = 5
NOTE = 3
# What ledger rows say of stacks whose script frames are not whole.
MISSING = ("script frames torn", "script frames whole, some unread", "no script frames yet")


def main():
    profile = json.load(open(sys.argv[1], encoding="utf-8"))
    seen = json.load(open(sys.argv[2], encoding="utf-8"))
    script = sys.argv[3]
    most_loops = float(sys.argv[4]) if len(sys.argv) > 4 else 1
    t = profile["tables"]
    fn, fr = t["functions"], t["frames"]
    pairs = {tuple(p) for p in seen["pairs"]}
    wrong, judged, with_script, total, loops = collections.Counter(), 0, 0, 0, 0

    def key(frame):
        f = fr["function"][frame]
        return f"{fn['name'][f]} {fn['file'][f]} {fn['line'][f]}"

    def kind(frame):
        return fn["kind"][fr["function"][frame]]

    for stack, n in stacks(profile):
        total += n
        # Behind a mark, as of a frame that could not be read, is not the one that it called.
        shown = [f for f in stack if kind(f) in (PYTHON, MARK)]
        behind = {f for before, f in zip(shown, shown[1:]) if kind(before) == MARK}
        py = [f for f in shown if kind(f) == PYTHON]
        with_script += n * bool(py)
        loops += n * any(fn["name"][fr["function"][f]].startswith("_PyEval_EvalFrameDefault")
                         for f in stack)
        for f in py:
            known = seen["lines"].get(key(f))
            if known is not None and not key(f).startswith("<module>") and fr["line"][f] not in known:
                wrong[f"line {fr['line'][f]} of {key(f)}"] += n
        # What runs while the script is still being read is not under sys.setprofile().
        if len(py) > 1 and key(py[0]).startswith("<module>") and not key(py[1]).startswith("main "):
            continue
        for i in range(1, len(py)):
            if py[i] in behind:
                continue
            caller, callee = key(py[i - 1]), key(py[i])
            if script not in caller and script not in callee and "<string>" not in callee:
                continue
            if "<module>" in caller or " main " in f" {caller} " or "<module>" in callee:
                continue
            if "threading.py" in caller and "_bootstrap" in caller:
                continue
            judged += n
            if (caller, fr["line"][py[i - 1]], callee) in pairs:
                continue
            # The creation of a generator is no call to sys.setprofile().
            if i == len(py) - 1 and callee in seen["generators"]:
                continue
            wrong[f"{caller} at {fr['line'][py[i - 1]]} calls {callee}"] += n
    ledger = t["ledger"]
    missing = sum(n for name, c, n in zip(ledger["name"], ledger["class"], ledger["count"])
                  if c == NOTE and name.startswith(MISSING))
    whole = 100 * (1 - missing / max(1, missing + with_script))
    print(f"{with_script} of {total} stacks with script frames, {whole:.2f} % whole, {judged} pairs, "
          f"{sum(wrong.values())} wrong, {loops} with a loop")
    for what, n in wrong.most_common(8):
        print(f"  {n} × {what}")
    if wrong or whole < 99.5 or judged < 1000 or loops > most_loops / 100 * total:
        sys.exit(1)


main()
