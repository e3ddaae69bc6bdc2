"""Threads that keep each other waiting, threads without a CPU, and memory that is lost."""

import os

from case import Lacking


def mutex(case):
    """one that is held for long: its name, and who holds it"""
    job = case.start(case.build("mutex.c", "-g", "-O1", "-pthread"))
    case.capture("-p", str(job.pid), "--wall", "-d", "3")
    case.expect(r"(held up|waited)", r"mutex:queue_lock", r"held by flusher")


def deadlock(case):
    """two threads, each of which has the other's lock"""
    job = case.start(case.build("deadlock.c", "-g", "-O1", "-pthread"))
    case.capture("-p", str(job.pid), "--wall", "-d", "2")
    case.expect(r"lock", r"left_lock", r"right_lock", r"none of these was released")


def socket(case):
    """a server that waits for another"""
    job = case.start(case.build("asks.c", "-g", "-O1", "-pthread"))
    case.capture("-p", str(job.pid), "--wall", "--wakers", "-d", "3")
    case.expect(r"front \d+", r"ask_backend", r"ended by backend \d+")


def sharing(case):
    """false sharing: what can be said without counters of the processor"""
    job = case.start(case.build("sharing.c", "-g", "-O1", "-pthread"))
    case.capture("-p", str(job.pid), "-d", "2")
    case.expect(r"count_(left|right)", r"cpu-clock at")


def nice(case):
    """a thread of low priority: behind whom it waits"""
    for name in ("hog", "meek"):
        os.link(case.program("spin"), case.path(name))
    case.start("taskset", "-c", "0", case.path("hog"), "300")
    meek = case.start("nice", "-n", "19", "taskset", "-c", "0", case.path("meek"), "300")
    case.capture("-p", str(meek.pid), "--wall", "-d", "3")
    case.expect(r"ready without a CPU", r"meek \d+", r"nice 19", r"behind hog \d+")


def cpu_group(case):
    """A new cgroup whose CPU time is limited to a fifth of a CPU."""
    v1, v2 = "/sys/fs/cgroup/cpu", "/sys/fs/cgroup"
    if os.path.exists(v1 + "/cpu.cfs_quota_us"):
        group = v1 + "/eprof-quota.scope"
        limits = (("cpu.cfs_period_us", "100000"), ("cpu.cfs_quota_us", "20000"))
    elif os.path.exists(v2 + "/cgroup.controllers"):
        group, limits = v2 + "/eprof-quota.scope", (("cpu.max", "20000 100000"),)
    else:
        raise Lacking("no controller for CPU time")
    os.makedirs(group, exist_ok=True)
    case.ends.append(lambda: os.rmdir(group))
    for name, text in limits:
        with open(os.path.join(group, name), "w", encoding="ascii") as f:
            f.write(text)
    return group


def quota(case):
    """a service that has used up its cgroup's CPU quota"""
    group = cpu_group(case)
    os.link(case.program("spin"), case.path("service"))
    job = case.start(case.path("service"), "300")
    with open(os.path.join(group, "cgroup.procs"), "w", encoding="ascii") as f:
        f.write(str(job.pid))
    case.capture("-p", str(job.pid), "--wall", "-d", "3")
    case.expect(r"service \d+ was ready without a CPU", r"quota was used up")


def leak(case):
    """a server that loses 1 % of 10,000 allocations a second: which"""
    job = case.start(case.build("leak.c", "-g", "-O1", "-pthread"), ready=2)
    case.capture("-p", str(job.pid), "--heap=sampled", "-d", "60")
    first_row = r"Peak Function [\d.]+ %(?:(?! % ).)* session_open\b"
    case.expect(r"Thread leak \d+ had", r"session_open", first_row)
    case.typed = "eprof report x.h5 --view heap"
    case.screen = case.first(case.run("render", "x.h5", "--view", "heap"))
    case.expect(first_row)


INCIDENTS = (mutex, deadlock, socket, sharing, nice, quota, leak)
