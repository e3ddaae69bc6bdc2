"""Naming: addresses of a binary with much DWARF."""

import os
import re
import subprocess
import tempfile

from base import KEEP, OURS, PERF, PERF_RECORD, QUICK, note, profile, row, run

UNIT = """#include <algorithm>
#include <vector>
template <unsigned K> inline unsigned mix(unsigned x) { x ^= x >> (K % 13 + 3); return x * (2 * K + 1); }
template <unsigned K> inline unsigned stir(unsigned x) { return mix<K>(x) + mix<K + 1>(x >> 3); }
"""
WORK = """unsigned work%(k)d(std::vector<unsigned> &v, unsigned x)
{
	for (auto &e : v)
		e = stir<%(k)d>(e + x);
	std::partial_sort(v.begin(), v.begin() + 4, v.end(),
			  [](unsigned a, unsigned b) { return mix<%(k)d>(a) < mix<%(k)d>(b); });
	return v[0] ^ v[1];
}
"""
MAIN = """#include <cstdlib>
#include <ctime>
#include <vector>
%(declared)s
static unsigned (*const all[])(std::vector<unsigned> &, unsigned) = {%(names)s};
int main(int argc, char **argv)
{
	std::vector<unsigned> v(24);
	unsigned x = 1;
	for (unsigned i = 0; i < v.size(); i++)
		v[i] = i * 2654435761u;
	for (clock_t end = clock() + atof(argv[1]) * CLOCKS_PER_SEC; clock() < end;)
		for (auto f : all)
			x += f(v, x);
	return x == 0 && argc > 9;
}
"""


def dwarf_program(units=16, each=100):
    """A C++ program of some 20 MB, mostly DWARF, with inlines in inlines; built once."""
    path = os.path.join(KEEP, "dwarf")
    if os.path.exists(path):
        return path
    note("building a C++ program with 20 MB of DWARF, once")
    with tempfile.TemporaryDirectory() as d:
        names = [f"work{k}" for k in range(units * each)]
        for u in range(units):
            with open(f"{d}/unit{u}.cc", "w", encoding="ascii") as f:
                f.write(UNIT + "".join(WORK % {"k": u * each + i} for i in range(each)))
        with open(f"{d}/main.cc", "w", encoding="ascii") as f:
            f.write(MAIN % {"names": ", ".join(names), "declared": "\n".join(
                f"unsigned {n}(std::vector<unsigned> &, unsigned);" for n in names)})
        subprocess.run("ls *.cc | xargs -P$(nproc) -n1 g++ -O2 -g -fno-omit-frame-pointer -c && "
                       f"g++ -o {path} *.o", shell=True, cwd=d, check=True)
    return path


def name_once(tool):
    """µs of CPU an address, of 10,000 distinct ones."""
    run([*tool.record, "-F", "9000", "-o", tool.file("dwarf"), "--", dwarf_program(), "2"])
    _, figures = profile(tool.file("dwarf"))
    note(f"{tool.name} named {figures['addresses named']:.0f} addresses in "
         f"{figures['eprof CPU time, resolving names'] / 1e6:.0f} ms")
    return 1e6 * figures["eprof CPU time, resolving names"] / 1e9 / figures["addresses named"]


def naming():
    """10,000 distinct addresses, with inlines: eprof's naming against perf script's default."""
    program = dwarf_program()
    ours, theirs = [], []
    for _ in range(1 if QUICK else 3):
        ours.append(name_once(OURS))
        # perf looks inlines up only where it unwinds itself; of fewer addresses, it takes long.
        run(PERF_RECORD + ["-F", "499", "--call-graph", "dwarf,1024", "-o", PERF.file("dwarf"),
                           program, "1" if QUICK else "2"])
        with open(os.path.join(KEEP, "dwarf.txt"), "wb") as f:
            took = run(["perf", "script", "-F", "ip,sym", "-i", PERF.file("dwarf")],
                       output=f, within=120).took_s
        with open(os.path.join(KEEP, "dwarf.txt"), encoding="utf-8", errors="replace") as f:
            addresses = {m[1] for m in re.finditer(r"^\s+([0-9a-f]+) ", f.read(), re.M)}
        note(f"perf script resolved {len(addresses)} addresses in {took:.1f} s")
        theirs.append(1e6 * took / len(addresses))
    row("naming an address, 20 MB of DWARF, inlines", "µs", ours, "perf script (its default)", theirs)
    row("naming 10,000 of them (from that)", "s", [x / 100 for x in ours],
        "perf script (its default)", [x / 100 for x in theirs])


GROUPS = (naming,)
