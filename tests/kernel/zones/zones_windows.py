#!/usr/bin/python3
"""zones_windows.py PART FILE: checks that each window of a capture of prog/zone_windows stands
by itself. PART is what the capture had written when the program had made all its calls, a window
behind the other; FILE the profile of all. Prints "zw_fast=N zw_nap=N zw_across=N": the calls of all
windows; or what is wrong."""

import io
import struct
import sys

import h5py

NAP_NS = 400_000_000  # a long call of zw_nap; the short ones take a millisecond
TAKEN, KEPT, LOST = range(3)
ZONES = 2**32 - 1  # the metric of calls of zones


def images(path):
    """HDF5 files that stand one behind the other; a last one that is cut short is left out."""
    with open(path, "rb") as f:
        data = f.read()
    at = 0
    while at < len(data):
        if data[at:at + 8] != b"\x89HDF\r\n\x1a\n" or data[at + 8] > 3:
            raise SystemExit(f"no HDF5 file at {at}")
        end = struct.unpack_from("<Q", data, at + (40 if data[at + 8] < 2 else 28))[0]
        if at + end <= len(data):
            yield h5py.File(io.BytesIO(data[at:at + end]), "r")
        at += end


def run_of(file):
    return next(run for version in file.values() for platform in version.values()
                for run in platform["profiles"].values())


class Window:
    def __init__(self, run):
        self.span = [(int(a), int(b)) for a, b in zip(run["windows"]["t0_ns"].cumsum(dtype="u8"),
                                                      run["windows"]["t1_ns"].cumsum(dtype="u8"))]
        self.duration_ns = int(run.attrs["duration_ns"])
        strings = run["strings"][()].tobytes().decode().split("\0")
        self.zones = {}
        for z in run["zones"][()]:
            if int(z["counts"]):
                self.zones[strings[z["name"]]] = z
        self.bins = {}
        if "zone_hist" in run and len(run["zone_hist"]):
            zones, h = run["zones"][()], run["zone_hist"][()]
            for zone, low, high, n in zip(h["zone"].cumsum(dtype="u4"),
                                          h["low_ns"].cumsum(dtype="i8"),
                                          h["high_ns"].cumsum(dtype="i8"), h["count"]):
                name = strings[zones[int(zone)]["name"]]
                self.bins.setdefault(name, []).append((int(low), int(high), int(n)))
        self.calls = {TAKEN: 0, KEPT: 0, LOST: 0}
        self.not_timed = sum(int(r["count"]) for r in run["ledger"][()]
                             if strings[int(r["name"])].startswith("not timed: "))
        for row in run["ledger"][()]:
            if row["metric"] == ZONES and row["class"] in self.calls:
                self.calls[row["class"]] += int(row["count"])
        self.samples = int((run["samples"]["value_0"][()] != 0).sum())
        self.kept = sum(int(r["count"]) for r in run["ledger"][()]
                        if r["metric"] == 0 and r["class"] == KEPT)
        self.taken = sum(int(r["count"]) for r in run["ledger"][()]
                         if r["metric"] == 0 and r["class"] == TAKEN)
        self.lost = sum(int(r["count"]) for r in run["ledger"][()]
                        if r["metric"] == 0 and r["class"] == LOST)

    def check(self):
        if len(self.span) != 1 or self.span[0][1] - self.span[0][0] != self.duration_ns:
            yield f"takes {self.duration_ns} ns, and is {self.span}"
        if self.taken != self.kept + self.lost or self.kept != self.samples:
            yield (f"has {self.samples} samples, taken {self.taken}, kept {self.kept}, "
                   f"lost {self.lost}")
        if self.calls[TAKEN] != self.calls[KEPT] + self.calls[LOST]:
            yield f"has calls {self.calls}"
        for name, z in self.zones.items():
            n, total = int(z["counts"]), int(z["total_ns"])
            low, high = int(z["min_ns"]), int(z["max_ns"])
            if not 0 <= low <= int(z["mean_ns"]) <= high or not n * low <= total <= n * high:
                yield f"{name}: {n} calls of {low} to {high} ns in {total}"
            bins = self.bins.get(name, [])
            timed = n - int(z["untimed"]) - int(z["unwound"])
            if sum(b[2] for b in bins) != timed:
                yield f"{name}: {timed} of {n} calls timed, {sum(b[2] for b in bins)} in bins"
            elif n - timed > self.not_timed:
                yield f"{name}: {timed} of {n} calls timed, and the ledger says {self.not_timed}"
            elif not (bins[0][0] <= low < bins[0][1] and bins[-1][0] <= high < bins[-1][1]):
                yield f"{name}: {low} to {high} ns in {bins}"


def check_kinds(windows):
    """Long naps, then short ones: windows after the last long one know nothing of it."""
    naps = [(int(w.zones["zw_nap"]["min_ns"]), int(w.zones["zw_nap"]["max_ns"]))
            for w in windows if "zw_nap" in w.zones]
    is_long = [high >= NAP_NS for low, high in naps]
    if not naps or is_long != sorted(is_long, reverse=True) or not is_long[0] or is_long[-1]:
        yield f"naps: {naps}"
    across = [z for z in (w.zones.get("zw_across") for w in windows) if z is not None]
    if len(across) != 1 or int(across[0]["counts"]) != 1 or int(across[0]["min_ns"]) < 1.7e9:
        yield f"one call of 1.7 s: {across}"


windows = [Window(run_of(f)) for f in images(sys.argv[1])]
whole = Window(run_of(h5py.File(sys.argv[2], "r")))
wrong = [f"window {i} {what}" for i, w in enumerate(windows) for what in w.check()]
wrong += list(check_kinds(windows))
for name, z in whole.zones.items():
    n = sum(int(w.zones[name]["counts"]) for w in windows if name in w.zones)
    if n != int(z["counts"]):
        wrong.append(f"{name}: {n} calls in windows, {z['counts']} in all")
if wrong:
    sys.exit("; ".join(wrong[:3]))
print(*(f"{name}={sum(int(w.zones[name]['counts']) for w in windows if name in w.zones)}"
        for name in ("zw_fast", "zw_nap", "zw_across")))
