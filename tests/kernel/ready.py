"""ready.py same FILE WALL: the time that threads were ready in FILE is that of the same threads in
WALL, a capture with --wall around it, within 5 %.
ready.py starved FILE: the only thread was ready without a CPU for nearly all of the capture."""

import sys

import h5py


def rows_of(path):
    """[on, runnable, blocked] by (pid, tid), in ns; and the length of the capture."""
    out = {}
    with h5py.File(path, "r") as f:
        run = [run for version in f.values() for platform in version.values()
               for run in platform["profiles"].values()][0]
        threads = run["threads"][()]
        for row in run["thread_waits"][()]:
            thread = threads[row["thread"]]
            at = out.setdefault((int(thread["pid"]), int(thread["tid"])), [0, 0, 0])
            for i, key in enumerate(("on_ns", "runnable_ns", "blocked_ns")):
                at[i] += int(row[key])
        return out, int(run.attrs["duration_ns"])


def say(ok, name, why):
    print(f"{'ok' if ok else 'not ok'} {name}{'' if ok else ':'} {why}")
    return ok


def same(path, wall_path):
    rows, wall = rows_of(path)[0], rows_of(wall_path)[0]
    # The command itself began before the capture, as eprof's child.
    first = min(rows)
    both = [key for key in rows if key in wall and key != first]
    ready, right = (sum(of[key][1] for key in both) for of in (rows, wall))
    return all([say(len(both) >= 24 and len(both) == len(rows) - 1, "all threads are in both",
                    f"({len(both)} of {len(rows)})"),
                say(abs(ready - right) <= 0.05 * right, "ready without a CPU, within 5 % of --wall",
                    f"({ready / 1e6:.1f} ms, {right / 1e6:.1f} ms)")])


def starved(path):
    rows, length = rows_of(path)
    on, ready, blocked = (sum(column) for column in zip(*rows.values()))
    return all([say(len(rows) == 1, "one thread", f"({len(rows)})"),
                say(ready > 0.9 * length, "it starves all the time",
                    f"({ready / 1e6:.1f} of {length / 1e6:.1f} ms)"),
                say(on + blocked < 0.1 * length, "it neither runs nor sleeps",
                    f"({on / 1e6:.1f}, {blocked / 1e6:.1f} of {length / 1e6:.1f} ms)")])


sys.exit(not {"same": same, "starved": starved}[sys.argv[1]](*sys.argv[2:]))
