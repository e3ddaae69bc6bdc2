"""A whole machine, builds, disks, memory, and what changed."""

import os
import subprocess

from case import Lacking

HOT = """#include <math.h>
volatile double sum;
__attribute__((noinline)) static void parse(void) { for (int i = 0; i < 1000; i++) sum += sqrt(i); }
__attribute__((noinline)) static void render(int n) { for (int i = 0; i < n; i++) sum += sqrt(i); }
int main(int argc, char **argv)
{
	for (int i = 0; i < 60000; i++) {
		for (int k = 0; k < 3; k++)
			parse();
		render(argc > 1 ? 1250 : 1000);
	}
}
"""


def make(case):
    """make -j2: the costliest file"""
    case.need("make", "g++")
    for name, lines in (("small_1", 1), ("small_2", 1), ("costly", 60), ("small_3", 1)):
        with open(case.path(name + ".cc"), "w", encoding="ascii") as f:
            f.write("#include <algorithm>\n#include <map>\n#include <string>\n#include <vector>\n")
            for i in range(lines):
                f.write(f"struct s{i} {{ int x; bool operator<(const s{i} &o) const {{ return x < o.x; }} }};\n"
                        f"void f{i}(std::vector<s{i}> &v) {{ std::sort(v.begin(), v.end());"
                        f" std::map<s{i}, std::string> m; m[v[0]] = \"a\"; }}\n")
    with open(case.path("Makefile"), "w", encoding="ascii") as f:
        f.write("all: small_1.o small_2.o costly.o small_3.o\n")
    case.capture("--", "make", "-j2")
    case.expect(r"cc1plus", r"costly\.cc")


def faults(case):
    """a storm of page faults: who, and where"""
    job = case.start(case.program("faults"), "1000000")
    case.capture("-p", str(job.pid), "-e", "page-faults", "-d", "2")
    case.expect(r"[Tt]hread faults \d+ had (all|[\d,]+ of the) [\d,]+ page-faults", r"touch_often")


THROTTLE = "/sys/fs/cgroup/blkio/eprof-incident"


def throttled_disk(case):
    """A cgroup with a disk that reads 1 MiB/s; what lies on it."""
    device = os.stat(case.folder).st_dev
    try:
        os.makedirs(THROTTLE, exist_ok=True)
        case.ends.append(lambda: os.rmdir(THROTTLE))
        with open(f"{THROTTLE}/blkio.throttle.read_bps_device", "w", encoding="ascii") as f:
            f.write(f"{os.major(device)}:{os.minor(device)} 1048576")
    except OSError as e:
        raise Lacking(f"no disk that can be slowed down: {e}")


def disk(case):
    """a slow disk: which file"""
    throttled_disk(case)
    with open(case.path("table.data"), "wb") as f:
        f.write(os.urandom(32 << 20))
    os.sync()
    job = case.start("/usr/bin/python3", "-c",
                     "import os, time\n"
                     "open('%s/cgroup.procs', 'w').write(str(os.getpid()))\n"
                     "def scan_table():\n"
                     "  f = os.open('%s', os.O_RDONLY)\n"
                     "  os.posix_fadvise(f, 0, 0, os.POSIX_FADV_DONTNEED)\n"
                     "  while os.read(f, 65536): pass\n"
                     "while True: scan_table()\n" % (THROTTLE, case.path("table.data")))
    case.capture("-p", str(job.pid), "--wall", "-d", "3")
    case.expect(r"(held up|waited)", r"(disk|read|file)", r"table\.data")


def container(case):
    """-a on a busy machine, down to one container"""
    roots = [p for p in ("/sys/fs/cgroup/cpu", "/sys/fs/cgroup/unified", "/sys/fs/cgroup")
             if os.path.exists(p + "/cgroup.procs")]
    if not roots:
        raise Lacking("no cgroups")
    group = os.path.join("/sys/fs/cgroup/unified" if "/sys/fs/cgroup/unified" in roots else roots[-1],
                         "eprof-shop.scope")
    os.makedirs(group, exist_ok=True)
    case.ends.append(lambda: os.rmdir(group))
    os.link(case.program("spin"), case.path("shop"))
    os.link(case.program("spin"), case.path("neighbor"))
    job = case.start(case.path("shop"), "300", ready=0)
    with open(group + "/cgroup.procs", "w", encoding="ascii") as f:
        f.write(str(job.pid))
    case.start(case.path("neighbor"), "300")
    case.capture("-a", "-d", "3")
    case.expect(r"neighbor", r"shop")
    case.typed = "eprof report x.h5 --cgroup '*shop*'"
    case.screen = case.first(case.run("render", "x.h5", "--cgroup", "*shop*"))
    case.expect(r"[Tt]hread shop \d+", r"spin_here")


def regression(case):
    """a function that takes a quarter longer, 6 % of the program, in CI"""
    with open(case.path("hot.c"), "w", encoding="ascii") as f:
        f.write(HOT)
    subprocess.run(["gcc", "-O1", "-g", case.path("hot.c"), "-o", case.path("hot"), "-lm"], check=True)
    for i in range(5):
        for side, more in (("old", []), ("new", ["more"])):
            case.run("record", "-F", "999", "-o", f"{side}.{i}.h5", "--", case.path("hot"), *more)
    runs = {s: [f"{s}.{i}.h5" for i in range(5)] for s in ("old", "new")}
    case.typed = "eprof-render compare old.*.h5 --fail-on regressed -- new.*.h5"
    case.screen = case.first(case.run("render", "compare", *runs["old"], "--fail-on", "regressed",
                                      "--", *runs["new"]))
    case.expect(r"regressed", r"render")


INCIDENTS = (make, faults, disk, container, regression)
