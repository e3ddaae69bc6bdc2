"""Programs of other languages than C."""

import os
import subprocess


SLOW_JS = """const rows = [];
for (let i = 0; i < 2000; i++) rows.push({id: i, name: 'row ' + i, tags: ['a', 'b']});
function copyOfRows() { return JSON.parse(JSON.stringify(rows)); }
function serve() { for (;;) copyOfRows(); }
serve();
"""


def start_node(case, *options):
    case.need("node")
    with open(case.path("slow.js"), "w", encoding="ascii") as f:
        f.write(SLOW_JS)
    return case.start("node", *options, case.path("slow.js"), ready=1)


def node(case):
    """a slow loop over JSON"""
    job = start_node(case, "--perf-basic-prof", "--interpreted-frames-native-stack")
    case.capture("-p", str(job.pid), "-d", "3")
    case.expect(r"% of that in .*copyOfRows.*Json")


def node_names(case):
    """a slow loop over JSON, in a process that nothing was asked of when it started"""
    job = start_node(case)
    case.capture("-p", str(job.pid), "-d", "2")
    case.expect(r"% of that in .*copyOfRows.*Json")


def python(case):
    """a slow extension in C"""
    job = case.start("/usr/bin/python3", "-c", "import zlib\nd = b'abc' * 100000\nwhile True: zlib.compress(d, 9)")
    case.capture("-p", str(job.pid), "-d", "2")
    case.expect(r"% of that in .*(deflate|longest_match|fill_window)", r"libz\.so")


SLOW_PY = """import json
USERS = [{"id": i, "name": f"user {i}"} for i in range(3000)]
def find_user(name):
    for user in USERS:
        if user["name"] == name: return user
def render(user): return json.dumps(user)
def handle(i): return render(find_user(f"user {i % 3000}"))
i = 0
while True:
    handle(i)
    i += 1
"""


def python_scan(case):
    """a handler that scans a list, among code that is fine"""
    with open(case.path("shop.py"), "w", encoding="ascii") as f:
        f.write(SLOW_PY)
    job = case.start("/usr/bin/python3", case.path("shop.py"))
    case.capture("-p", str(job.pid), "-d", "2")
    case.expect(r"% of that in .*handle > find_user", r"find_user +shop\.py")


GIL_PY = """import threading
def checksum():
    x = 0
    while True: x = (x * 31 + 7) % 1000003
for _ in range(4): threading.Thread(target=checksum).start()
"""


def python_gil(case):
    """four threads that compute: more threads do not help"""
    with open(case.path("threads.py"), "w", encoding="ascii") as f:
        f.write(GIL_PY)
    job = case.start("/usr/bin/python3", case.path("threads.py"))
    case.capture("-p", str(job.pid), "--wall", "-d", "3")
    case.expect(r"GIL", r"checksum")


JAVA = """public class Slow {
    static long slowHash(long x) { for (int i = 0; i < 1000; i++) x = x * 31 + (x >>> 7); return x; }
    static long serve(long x) { for (int i = 0; i < 1000; i++) x = slowHash(x); return x; }
    public static void main(String[] a) { long x = 1; for (;;) x = serve(x); }
}
"""


def java_class(case):
    case.need("java", "javac")
    with open(case.path("Slow.java"), "w", encoding="ascii") as f:
        f.write(JAVA)
    subprocess.run(["javac", "-d", case.folder, case.path("Slow.java")], check=True)


def java(case):
    """without a map: what to do to get names"""
    java_class(case)
    job = case.start("java", "-cp", case.folder, "Slow", ready=2)
    case.capture("-p", str(job.pid), "-d", "2")
    case.expect(r"code without symbols", r"Compiler\.perfmap|perf-.*\.map")


def java_map(case):
    """with the map of its compiler"""
    java_class(case)
    case.need("jcmd")
    job = case.start("java", "-XX:+PreserveFramePointer", "-cp", case.folder, "Slow", ready=2)
    subprocess.run(["jcmd", str(job.pid), "Compiler.perfmap"], check=True, capture_output=True)
    case.capture("-p", str(job.pid), "-d", "2")
    case.expect(r"Slow\.(serve|slowHash|main)")


GO = """package main

import "sync"

var total int
var tableLock sync.Mutex

//go:noinline
func addToTable(n int) { tableLock.Lock(); for i := 0; i < n; i++ { total += i }; tableLock.Unlock() }

func main() {
	for i := 0; i < 200; i++ {
		go func() { for { addToTable(2000) } }()
	}
	select {}
}
"""


def go(case):
    """200 goroutines on one mutex"""
    case.need("go")
    with open(case.path("main.go"), "w", encoding="ascii") as f:
        f.write(GO)
    subprocess.run(["go", "build", "-o", case.path("table"), case.path("main.go")], check=True,
                   env={**os.environ, "GOCACHE": os.path.join(case.folder, "cache"), "HOME": case.folder})
    job = case.start(case.path("table"))
    case.capture("-p", str(job.pid), "--wall", "-d", "2")
    case.expect(r"main\.addToTable", r"(lock|Mutex)")


def stripped(case):
    """a stripped service in C++, named afterwards by its debug file"""
    case.need("g++", "objcopy")
    program = case.build("service.cc", "-g", "-O1", compiler="g++")
    debug = case.path("debug/.build-id")
    wanted = subprocess.run(["readelf", "-n", program], check=True, capture_output=True, text=True).stdout
    build_id = wanted.split("Build ID: ")[1].split()[0]
    os.makedirs(os.path.join(debug, build_id[:2]))
    subprocess.run(["objcopy", "--only-keep-debug", program,
                    os.path.join(debug, build_id[:2], build_id[2:] + ".debug")], check=True)
    subprocess.run(["strip", program], check=True)
    job = case.start(program)
    case.capture("-p", str(job.pid), "-d", "2")
    case.expect(r"code without symbols", r"eprof name")
    case.run("name", "x.h5", "--debug-dir", case.path("debug"))
    case.typed = "eprof name x.h5 --debug-dir debug"
    case.screen = case.first(case.run("render", "x.h5"))
    case.expect(r"price_order", r"Orders::total")


INCIDENTS = (node, node_names, python, python_scan, python_gil, java, java_map, go, stripped)
