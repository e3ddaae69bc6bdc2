#!/usr/bin/python3
"""What is kept: the profiles of this folder, which an older eprof wrote, as eprof-render shows them.

	kept.py compare RENDER         prints "ok …" and "not ok …" of each profile; with KEPT_BEFORE=OLDER
	                               (another eprof-render), for what differs, the two sides' diff
	kept.py write RENDER           writes expected/, by the eprof-render that is the measure

Text, CSV, SVG, folded, pprof, callgrind, speedscope and Tracy CSV are compared byte by byte; JSON,
the page's data and HDF5 after parsing, each key by itself: keys that are new are no difference.

expected/hashes has what comes out, expected/keys the keys that count. `changed` lists the differences
that are wanted, below a line "# WHY": "NAME OUTPUT HASH", with what comes out now; or "NAME OUTPUT
+COLUMN", of CSV: without this column, which is new, it is as before. What is listed there and is no
difference any more fails.
"""

import concurrent.futures
import csv
import difflib
import gzip
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile

import parsed

HERE = os.path.dirname(os.path.abspath(__file__))
TABLES = """samples modules functions frames nodes threads metrics ledger cost windows origins
thread_waits run_queues source_lines reasons zones zone_edges zone_threads zone_hist zone_values
""".split()
VIEWS = """overview,summary,platform,zone-bars,zone-flame,zones,bars,flame,tree,heatmap,functions,
modules,lines,paths,processes,threads,reasons,run-queue,cost,methods""".replace("\n", "")
# The version that wrote the profiles: as good as that of the eprof-render which shows them.
WRITER = b"026b106"
PART = ["--from", "200ms", "--to", "700ms"]

# Output: arguments, with IN for the profile and OUT for what is written.
BYTES = {
    "txt": ["IN"],
    "txt-all": ["IN", "--view", VIEWS, "--width", "140", "--rows", "40"],
    "txt-part": ["IN", "--view", VIEWS, *PART],
    "txt-thread": ["IN", "--view", "functions,tree,zones,threads,reasons", "--thread", "w*"],
    "txt-zone": ["IN", "--zone", "*", "--view", "zone"],
    "csv": ["IN", "--format", "csv", "-o", "-"],
    "svg": ["IN", "--format", "svg", "-o", "-"],
    "store-meta": ["store", "meta", "IN"],
    "store-runs": ["store", "runs", "IN"],
    "folded": ["export", "IN", "--to", "folded"],
    "folded-reasons": ["export", "IN", "--to", "folded", "--with-reasons"],
    "folded-part": ["export", "IN", "--to", "folded", *PART],
    "pprof": ["export", "IN", "--to", "pprof"],
    "pprof-part": ["export", "IN", "--to", "pprof", *PART],
    "callgrind": ["export", "IN", "--to", "callgrind"],
    "speedscope": ["export", "IN", "--to", "speedscope"],
    "tracy-csv": ["export", "IN", "--to", "tracy-csv"],
    "tracy-csv-self": ["export", "IN", "--to", "tracy-csv", "--self"],
    **{f"csv-{t}": ["export", "IN", "--to", "csv", "--table", t] for t in TABLES},
    **{f"csv-{t}-part": ["export", "IN", "--to", "csv", "--table", t, *PART]
       for t in ("samples", "threads", "nodes", "reasons")},
}
JSON = {
    "json": ["export", "IN", "--to", "json"],
    "json-profile": ["export", "IN", "--to", "json-profile"],
    "json-profile-part": ["export", "IN", "--to", "json-profile", *PART],
    "json-profile-thread": ["export", "IN", "--to", "json-profile", "--thread", "w*"],
    "chrome": ["export", "IN", "--to", "chrome"],
    "firefox": ["export", "IN", "--to", "firefox"],
}
PAGE = {
    "page": ["IN", "--format", "html", "-o", "OUT"],
    "page-part": ["IN", "--format", "html", "-o", "OUT", *PART],
}
HDF5 = {
    "hdf5-store": ["store", "add", "OUT", "IN"],
    "hdf5-merge": ["merge", "IN", "-o", "OUT"],
    "hdf5-merge-self": ["merge", "IN", "IN", "-o", "OUT"],
    "hdf5-merge-part": ["merge", "IN", "-o", "OUT", *PART],
}


class Side:
    """An eprof-render, and what it makes of the profiles, in a folder of its own."""

    def __init__(self, render):
        self.render = os.path.abspath(render)
        self.version = subprocess.run([self.render, "--version"], check=True, capture_output=True,
                                      text=True).stdout.split()[1]
        help_text = subprocess.run([self.render, "export", "--help"], check=True,
                                   capture_output=True, text=True).stdout
        # Older ones export command lines unasked.
        self.asks = ["--cmdline"] if "--cmdline" in help_text else []

    def run(self, profile, output, args, folder):
        """(file, None) or (None, what it prints, or why it prints nothing)."""
        out = f"{profile}-{output}"
        args = [{"IN": f"{profile}.h5", "OUT": out}.get(a, a) for a in args]
        args += self.asks if args[0] == "export" else []
        env = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TZ": "UTC", "HOME": folder}
        run = subprocess.run([self.render, *args], cwd=folder, env=env, capture_output=True,
                             stdin=subprocess.DEVNULL, timeout=120)
        if run.returncode:
            return None, f"status {run.returncode}".encode()
        if out in args:
            return os.path.join(folder, out), None
        data = run.stdout
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
        return None, data

    def outputs(self, profile):
        """{output: {key: bytes}} of @profile."""
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(os.path.join(HERE, profile + ".h5"), folder)
            made = {o: self.run(profile, o, a, folder)
                    for o, a in {**BYTES, **JSON, **PAGE, **HDF5}.items()}
            pages = {o: made[o][0] for o in PAGE if made[o][0]}
            read = dict(zip(pages, parsed.pages(list(pages.values()))))
            return {o: {k: self.without_version(v) for k, v in self.keys(o, *m, read).items()}
                    for o, m in made.items()}

    def without_version(self, data):
        return re.sub(rb"\b(%s|%s)\b" % (re.escape(self.version.encode()), WRITER), b"VERSION", data)

    def keys(self, output, path, data, read):
        if path is None and data.startswith(b"status "):
            return {"bytes": data}
        if output in JSON:
            return parsed.from_json(data)
        if output in PAGE:
            return read[output]
        return parsed.from_hdf5(path) if output in HDF5 else {"bytes": data}


def kind(output):
    """What outputs of the same keys have in common."""
    return re.sub("-(part|thread|store|merge|self)", "", output)


def digest(keys, known):
    """Of the keys that are known, all together."""
    text = b"".join(b"%s\n%s\n" % (k.encode(), v) for k, v in sorted(keys.items()) if k in known)
    return hashlib.sha256(text).hexdigest()[:16]


def without_columns(data, names):
    """CSV without the columns @names; None where it lacks one."""
    rows = list(csv.reader(io.StringIO(data.decode(), newline="")))
    if not rows or not set(names) <= set(rows[0]):
        return None
    keep = [i for i, name in enumerate(rows[0]) if name not in names]
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\n").writerows([r[i] for i in keep] for r in rows)
    return out.getvalue().encode()


def lines_of(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as f:
        return f.read().splitlines()


def write_expected(made):
    """@made: {profile: outputs}."""
    keys = sorted({f"{kind(o)} {k}" for outs in made.values() for o, ks in outs.items() for k in ks})
    with open(os.path.join(HERE, "expected/keys"), "w", encoding="utf-8") as f:
        f.writelines(k + "\n" for k in keys)
    known = read_keys()
    with open(os.path.join(HERE, "expected/hashes"), "w", encoding="utf-8") as f:
        f.writelines(f"{p} {o} {digest(ks, known[kind(o)])}\n"
                     for p, outs in made.items() for o, ks in outs.items())


def read_keys():
    """{kind of output: its keys}."""
    known = {}
    for line in lines_of("expected/keys"):
        output, key = line.split(" ", 1)
        known.setdefault(output, set()).add(key)
    return known


def read_hashes():
    """{(profile, output): hash}."""
    return {tuple(line.split(" ")[:2]): line.split(" ")[2] for line in lines_of("expected/hashes")}


def read_changed():
    """{(profile, output): hash}, and {output: {columns}}."""
    hashes, columns, why = {}, {}, None
    for line in lines_of("changed"):
        if line.startswith("#"):
            why = line[1:].strip()
        elif line:
            assert why, f"changed: no reason above '{line}'"
            profile, output, rest = line.split(" ")
            if rest.startswith("+"):
                columns.setdefault((profile, output), set()).add(rest[1:])
            else:
                hashes[profile, output] = rest
    return hashes, columns


class Wanted:
    """What stands in expected/ and in `changed`."""

    def __init__(self):
        self.keys, self.hashes = read_keys(), read_hashes()
        self.changed, self.columns = read_changed()

    def stray(self, profiles):
        """Entries of nothing that is made, and profiles of which nothing is expected."""
        entries = [" ".join(e) for e in (*self.changed, *self.columns) if e not in self.hashes]
        return entries + [p for p in profiles if not any(p == e[0] for e in self.hashes)] + \
            [" ".join(e) for e in self.hashes if e[0] not in profiles]

    def why_not(self, profile, output, keys):
        """Why @output is not as it must be, or None."""
        place = profile, output
        added = self.columns.get(place)
        if added:
            keys = {"bytes": without_columns(keys["bytes"], added)}
            if keys["bytes"] is None:
                return f"lacks {', '.join(added)}, which `changed` lists"
        now, before = digest(keys, self.keys[kind(output)]), self.hashes.get(place)
        listed = self.changed.get(place)
        if listed and now == before:
            return "is as before, though `changed` lists it"
        return None if now == (listed or before) else f"is {now}, not {listed or before}"


def show(before, after, output):
    """The diff of what both sides have."""
    for key in sorted({*before, *after}):
        sides = [s.get(key, b"").decode("utf-8", "backslashreplace").splitlines()
                 for s in (before, after)]
        diff = list(difflib.unified_diff(*sides, "before", "now", n=1, lineterm=""))
        if diff:
            print(f"  {output} {key}: {'gone' if key not in after else ''}"
                  f"{'new' if key not in before else ''}")
        for line in diff[2:60] if key in before and key in after else []:
            print("    " + line[:300])


def compare(profile, outputs, wanted, older):
    """Says what differs, and shows it, where @older has the other side."""
    wrong = {o: why for o, keys in outputs.items() if (why := wanted.why_not(profile, o, keys))}
    wrong.update({o: "is not made" for p, o in wanted.hashes if p == profile and o not in outputs})
    print(f"not ok kept: {profile}: " + "; ".join(f"{o} {why}" for o, why in wrong.items())
          if wrong else f"ok kept: {profile}, {len(outputs)} outputs")
    if wrong and older:
        before = older.outputs(profile)
        for output in wrong:
            show(before[output], outputs.get(output, {}), f"{profile} {output}")
    return not wrong


def main():
    _, what, render = sys.argv
    now, older = Side(render), os.environ.get("KEPT_BEFORE")
    profiles = sorted(f[:-3] for f in os.listdir(HERE) if f.endswith(".h5"))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        made = dict(zip(profiles, pool.map(now.outputs, profiles)))
    if what == "write":
        write_expected(made)
        return 0
    wanted, before = Wanted(), Side(older) if older else None
    good = [compare(p, made[p], wanted, before) for p in profiles]
    stray = wanted.stray(profiles)
    print(f"not ok kept: lists of what there is not: {stray}" if stray else
          "ok kept: the lists are of what there is")
    return 0 if all(good) and not stray else 1


if __name__ == "__main__":
    sys.exit(main())
