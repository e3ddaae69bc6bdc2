"""Servers of their own for measurements and incidents: redis without files, postgres in a folder."""

import glob
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

from base import Job, QUICK

REQUESTS = 20_000 if QUICK else 100_000
TRANSACTIONS = 2_000 if QUICK else 8_000  # of each client
CLIENTS = 4
REDIS_PORT, POSTGRES_PORT = 7399, 7398
TICK_S = 1 / os.sysconf("SC_CLK_TCK")


def ask(argv, **kw):
    """Its standard output; None where it fails."""
    done = subprocess.run(argv, capture_output=True, text=True, check=False, **kw)
    return done.stdout if done.returncode == 0 else None


def wait_for(ready, what):
    for _ in range(100):
        if ready():
            return
        time.sleep(0.1)
    raise SystemExit(f"{what} does not answer")


class Redis:
    """A server of its own, without files."""

    name, needs = "redis", "redis-server"

    def __init__(self):
        self.job = Job(["redis-server", "--port", str(REDIS_PORT), "--save", "", "--appendonly", "no"])
        self.pid = self.job.pid
        wait_for(lambda: (ask(["redis-cli", "-p", str(REDIS_PORT), "ping"]) or "").strip() == "PONG",
                 "redis-server")

    def served(self):
        """Requests a second, and µs of the server's CPU time a request."""
        began = self.cpu_s()
        out = subprocess.run(["redis-benchmark", "-p", str(REDIS_PORT), "-t", "get", "-n",
                              str(REQUESTS), "-c", "20", "--csv"], check=True, capture_output=True,
                             text=True).stdout
        rate = float(out.splitlines()[-1].split(",")[1].strip('"'))
        return rate, 1e6 * (self.cpu_s() - began) / REQUESTS

    def cpu_s(self):
        """Of all its threads, to the ns."""
        total = 0
        for path in glob.glob(f"/proc/{self.pid}/task/*/schedstat"):
            with open(path, encoding="ascii") as f:
                total += int(f.read().split()[0])
        return total / 1e9

    def end(self):
        self.job.signal(signal.SIGTERM)
        self.job.end()


def postgres_folder():
    """Where Debian keeps the newest version's programs; None: it has none."""
    found = glob.glob("/usr/lib/postgresql/*/bin")
    return max(found, key=lambda path: int(path.split("/")[-2])) if found else None


class Postgres:
    """A cluster in a folder of its own, owned by the user postgres, who runs it."""

    name, needs = "postgres", "initdb"

    def __init__(self):
        self.bin = postgres_folder()
        self.folder = tempfile.TemporaryDirectory(prefix="eprof-postgres-", ignore_cleanup_errors=True)
        self.home = self.folder.name
        shutil.chown(self.home, "postgres", "postgres")
        self.run("initdb", "-D", os.path.join(self.home, "data"), "-A", "trust", "-N")
        self.job = Job(self.command(
            "postgres", "-D", os.path.join(self.home, "data"), "-p", str(POSTGRES_PORT), "-k", self.home,
            "-c", "listen_addresses=", "-c", "shared_buffers=128MB", "-c", "fsync=off",
            "-c", "autovacuum=off", "-c", "checkpoint_timeout=1h"))
        self.pid = self.job.pid
        wait_for(lambda: ask(self.command("pg_isready", "-h", self.home, "-p", str(POSTGRES_PORT))),
                 "postgres")
        self.bench("-i", "-s", "5", "-q")

    def command(self, program, *args):
        return ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups",
                os.path.join(self.bin, program), *args]

    def run(self, program, *args):
        said = ask(self.command(program, *args), cwd=self.home)
        if said is None:
            raise SystemExit(f"tools/bench: postgres: {program} {' '.join(args)} failed")
        return said

    def bench(self, *args):
        return self.run("pgbench", "-h", self.home, "-p", str(POSTGRES_PORT), *args, "postgres")

    def served(self):
        """Transactions a second, and µs of the CPU time of its servers a transaction. Each client's
        server lives as long as the client."""
        began = self.cpu_s()
        out = self.bench("-S", "-M", "prepared", "-n", "-c", str(CLIENTS), "-t", str(TRANSACTIONS))
        rate = float(re.search(r"tps = ([0-9.]+)", out)[1])
        wait_for(lambda: len(self.backends()) == 0, "the end of postgres' servers")
        return rate, 1e6 * (self.cpu_s() - began) / (CLIENTS * TRANSACTIONS)

    def backends(self):
        return (ask(["pgrep", "-P", str(self.pid), "-f", r"\[local\]"]) or "").split()

    def cpu_s(self):
        """Of the first process and those of its children that it has waited for."""
        with open(f"/proc/{self.pid}/stat", encoding="ascii") as f:
            fields = f.read().rsplit(") ", 1)[1].split()
        return sum(int(n) for n in fields[11:15]) * TICK_S

    def end(self):
        self.job.signal(signal.SIGINT)
        self.job.end()
        self.folder.cleanup()
