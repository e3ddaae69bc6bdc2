"""judge_php.py PROFILE SCRIPT…: checks the script frames of a profile (json-profile) against what
the scripts say of themselves: "// calls: …" beside a line names the functions that it calls. Prints
how many stacks and pairs there are, and fails on a pair of adjacent frames of which the outer one's
line does not say so, or is not in that function; on a stack that begins elsewhere than in a script
or a fiber; and if fewer than 98 % of the stacks of the interpreter are whole.
"""

import collections
import json
import os
import re
import sys

PHP = 10
NOTE = 3
# What ledger rows say of stacks whose script frames are not whole.
MISSING = ("script frames torn", "script frames whole, some unread", "no script frames yet")
LOOP = "execute_ex"
EVAL = "eval()'d code"


def calls_of(path):
    """{line: {callee, …}}"""
    calls = {}
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        if "// calls: " in line:
            calls[number] = {c.strip() for c in line.split("// calls: ")[1].split(",")}
    return calls


def functions_of(path):
    """{first line: [last line, …]} of functions: up to where their braces close, or of one line."""
    found, open_at, depth, waiting = collections.defaultdict(list), [], 0, []
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        code = re.sub(r"'[^']*'", "''", line.split("// ")[0])
        for token in re.findall(r"\bfunction\b|\bfn\b|[{}]", code):
            if token == "fn":
                found[number].append(number)
            elif token == "function":
                waiting.append(number)
            elif token == "{":
                depth += 1
                if waiting:
                    open_at.append((waiting.pop(), depth))
            else:
                if open_at and open_at[-1][1] == depth:
                    found[open_at.pop()[0]].append(number)
                depth -= 1
    return found


def stacks(profile):
    """(the frames of a stack, outermost first, how often it was sampled)"""
    t = profile["tables"]
    parents, frames = t["nodes"]["parent"], t["nodes"]["frame"]
    for node, n in collections.Counter(t["samples"]["node"]).items():
        stack = []
        while node:
            stack.append(frames[node])
            node = parents[node]
        yield stack[::-1], n


def main():
    profile = json.load(open(sys.argv[1], encoding="utf-8"))
    paths = {os.path.basename(p): p for p in sys.argv[2:]}
    calls = {name: calls_of(p) for name, p in paths.items()}
    functions = {name: functions_of(p) for name, p in paths.items()}
    t = profile["tables"]
    fn, fr = t["functions"], t["frames"]
    wrong, seen = collections.Counter(), set()
    judged = with_script = loops = lines_unknown = 0

    def name(frame):
        """Since 8.4 closures are called after where they are."""
        return re.sub(r"{closure:[^}]*}", "{closure}", fn["name"][fr["function"][frame]])

    def file(frame):
        return os.path.basename(fn["file"][fr["function"][frame]])

    def text(frame):
        return f"{name(frame)} {file(frame)}:{fr['line'][frame]}"

    def is_in(frame):
        """Whether the frame's line is one of its function's."""
        first, line = fn["line"][fr["function"][frame]], fr["line"][frame]
        if EVAL in file(frame):
            return line == 1
        if name(frame) == "{main}":
            return not any(a <= line <= b for a, ends in functions[file(frame)].items()
                           for b in ends if a < line)
        return any(first <= line <= last for last in functions[file(frame)][first])

    for stack, n in stacks(profile):
        php = [f for f in stack if fn["kind"][fr["function"][f]] == PHP]
        if not php:
            continue
        with_script += n
        loops += n * any(name(f) == LOOP for f in stack)
        torn = any(name(f) == "[script frames missing]" for f in stack)
        if not torn and name(php[0]) not in ("{main}", "{closure}"):
            wrong[f"{text(php[0])} is the outermost"] += n
        for i, f in enumerate(php):
            if not fr["line"][f] and i == len(php) - 1:
                lines_unknown += n
            elif not is_in(f):
                wrong[f"{text(f)} is not in that function"] += n
        for caller, callee in zip(php, php[1:]):
            line = fr["line"][caller]
            known = {"spin", "named"} if EVAL in file(caller) else calls[file(caller)].get(line, ())
            judged += n
            seen.add((file(caller), line, name(callee)))
            if name(callee) not in known:
                wrong[f"{text(caller)} calls {name(callee)}"] += n
    ledger = t["ledger"]
    missing = sum(n for name, c, n in zip(ledger["name"], ledger["class"], ledger["count"])
                  if c == NOTE and name.startswith(MISSING))
    whole = 100 * (1 - missing / max(1, missing + with_script))
    print(f"{with_script} stacks with script frames, {whole:.2f} % whole, {judged} pairs, "
          f"{len(seen)} of them different, {sum(wrong.values())} wrong, {loops} with a loop, "
          f"{lines_unknown} without the innermost line")
    for what, n in wrong.most_common(8):
        print(f"  {n} × {what}")
    if (wrong or whole < 98 or judged < 1000 or len(seen) < 60 or loops > 0.02 * with_script
            or lines_unknown > 0.02 * with_script):
        sys.exit(1)


main()
