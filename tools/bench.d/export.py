"""Exports: a profile of 100,000 stacks and 1 million samples in each format, and one of half that
size; beside it what go tool pprof takes to read and write the same, and perf script to print samples
of a capture."""

import os
import shutil
import subprocess

from base import BUILD, Job, KEEP, PERF_RECORD, QUICK, RENDER, TOP, TURNS, note, perf_samples, row, run

FORMATS = ("folded", "pprof", "speedscope", "callgrind", "chrome", "firefox", "json", "json-profile")
SIZES = ((50000, 500000), (100000, 1000000))


def big_profile(stacks, samples):
    """Written by a unit test (tests/unit/big_profile.h), once."""
    path = os.path.join(KEEP, f"big-{stacks}-{samples}.h5")
    if not os.path.exists(path):
        maker = os.path.join(BUILD, "unit/report/test_exports")
        subprocess.run(["make", "-C", TOP, os.path.relpath(maker, TOP)], check=True,
                       stdout=subprocess.DEVNULL)
        subprocess.run([maker, path, str(stacks), str(samples)], check=True)
    return path


def export_of(path, form, out):
    """The Job of one export: what it took, and its peak of memory."""
    options = ["--to", form] + (["--table", "samples"] if form == "csv" else [])
    return run([RENDER, "export", path, "-o", out, "--force"] + options)


def pprof_s(path, out):
    """CPU seconds of go tool pprof, which reads and writes the profile."""
    if not shutil.which("go"):
        return None
    os.environ.update(HOME=KEEP, PPROF_TMPDIR=KEEP)
    return run(["go", "tool", "pprof", "-proto", f"-output={out}", path]).cpu_s


def perf_script_s():
    """CPU seconds that perf script takes for a million samples, from a capture of some 20,000. None
    where it dies, as perf 6.1 does of this kernel's own build-id now and then."""
    path = os.path.join(KEEP, "export.data")
    work = os.path.join(BUILD, "prog/work")
    run(PERF_RECORD + ["-g", "-F", "5000", "-o", path, "--", work, "400" if QUICK else "3200"])
    for _ in range(3):
        with open(os.path.join(KEEP, "export.script"), "wb") as out:
            job = Job(["perf", "script", "-i", path], output=out).end()
        if job.p.returncode == 0:
            return job.cpu_s * 1e6 / perf_samples(path)
    note("perf script died three times")
    return None


def export():
    """CPU time of each export at two sizes, the formats taking turns."""
    half, whole = (big_profile(*size) for size in SIZES)
    out = os.path.join(KEEP, "export.out")
    jobs = {(form, path): [] for form in FORMATS + ("csv",) for path in (half, whole)}
    for _ in range(2 if QUICK else TURNS):
        for (form, path), done in jobs.items():
            done.append(export_of(path, form, out))
    for form in FORMATS + ("csv",):
        row(f"export of 1 million samples, 100,000 stacks: {form}", "s",
            [j.cpu_s for j in jobs[form, whole]], "half of each", [j.cpu_s for j in jobs[form, half]])
        note(f"{form}: peak {max(j.peak_kib for j in jobs[form, whole]) / 1024:.0f} MiB, of half "
             f"{max(j.peak_kib for j in jobs[form, half]) / 1024:.0f} MiB")
    export_of(whole, "pprof", out)
    row("the same: pprof", "s", [j.cpu_s for j in jobs["pprof", whole]],
        "go tool pprof -proto, which reads and writes it", pprof_s(out, out + ".gz"))
    row("the same: folded", "s", [j.cpu_s for j in jobs["folded", whole]],
        "perf script, of a million samples", perf_script_s())


GROUPS = (export,)
