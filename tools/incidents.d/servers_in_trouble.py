"""Servers."""

import os
import signal

import daemons
from case import Lacking
from daemons import Postgres, Redis, ask, wait_for


def redis(case):
    """a hot command: the path to it"""
    case.need("redis-server", "redis-cli")
    server = case.server(Redis)
    at = ["redis-cli", "-p", str(daemons.REDIS_PORT)]
    ask([*at, "eval", "for i=1,200000 do redis.call('sadd','s',i) end", "0"])
    case.start("sh", "-c", f"while :; do {' '.join(at)} sort s limit 0 10; done")
    case.capture("-p", str(server.pid), "-d", "3")
    case.expect(r"redis-server \d+ ran for .* % of that in .*call > sortCommand",
                r"Slowdown [0-9.]+ %")


def postgres(case):
    """one hot row: who waits, and on whom"""
    if not daemons.postgres_folder():
        raise Lacking("no postgres")
    server = case.server(Postgres)
    ask(server.command("psql", "-h", server.home, "-p", str(daemons.POSTGRES_PORT), "-c",
                       "create table counters(id int primary key, n int); "
                       "insert into counters values (1, 0)", "postgres"))
    script = os.path.join(server.home, "hot.sql")
    with open(script, "w", encoding="ascii") as f:
        f.write("begin;\nupdate counters set n = n + 1 where id = 1;\nselect pg_sleep(0.05);\n"
                "commit;\n")
    os.chmod(script, 0o644)
    case.start(*server.command("pgbench", "-h", server.home, "-p", str(daemons.POSTGRES_PORT), "-n",
                               "-c", "4", "-T", "60", "-f", script, "postgres"), ready=1)
    case.capture("-p", ",".join([str(server.pid), *server.backends()]), "--wall", "--wakers",
                 "-d", "5")
    case.expect(r"held up .*ProcSleep", r"ended by postgres \d+ \(")


CONFIG = """daemon off; pid {at}/pid; error_log {at}/error; worker_processes 1; user nobody nogroup;
events {{}} http {{ access_log off; server {{ listen 127.0.0.1:7397; root {at}; }} }}"""


def nginx(case):
    """kernel or user, and which calls"""
    case.need("nginx", "redis-benchmark")
    with open(case.path("conf"), "w", encoding="ascii") as f:
        f.write(CONFIG.format(at=case.folder))
    with open(case.path("index.html"), "w", encoding="ascii") as f:
        f.write("x" * 2000)
    job = case.start("nginx", "-c", case.path("conf"), stop=signal.SIGTERM)
    wait_for(lambda: ask(["pgrep", "-P", str(job.pid)]), "nginx")
    load = ("import socket\n"
            "while True:\n"
            "  s = socket.create_connection(('127.0.0.1', 7397))\n"
            "  for _ in range(90):\n"
            "    s.sendall(b'GET /index.html HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n'); s.recv(4096)\n")
    case.start("python3", "-c", load)
    case.capture("-p", ask(["pgrep", "-P", str(job.pid)]).strip(), "-e", "cpu-clock",
                 "--syscalls", "-d", "3")
    case.expect(r"nginx \d+ ran for .* % of it in the kernel",
                r"Syscalls .* in .*: .*(sendfile|writev|recvfrom|openat)")


INCIDENTS = (redis, postgres, nginx)
