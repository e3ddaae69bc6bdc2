"""One incident: what it starts, the command that is typed, and what must be read then."""

import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

from base import BUILD, EPROF, RENDER, Job

LINES, COLUMNS = 24, 80
PROG = os.path.join(BUILD, "prog")
HERE = os.path.dirname(os.path.abspath(__file__))


class Lacking(Exception):
    """The machine has no means for it."""


class Case:
    """The folder and the processes of an incident, all of which are gone after it."""

    def __init__(self, name, says, verbose):
        self.name, self.says, self.verbose = name, (says or "").strip(), verbose
        self.passed = self.failed = 0
        self.jobs, self.ends = [], []

    def __enter__(self):
        self.temp = tempfile.TemporaryDirectory(prefix="eprof-incident-", ignore_cleanup_errors=True)
        self.folder = self.temp.name
        os.chmod(self.folder, 0o755)
        return self

    def __exit__(self, *_):
        for end in reversed(self.ends):
            end()
        self.temp.cleanup()

    # --- what is started ---------------------------------------------------------------------

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self, *argv, ready=0.5, stop=signal.SIGKILL):
        """Starts a process, which is sent @stop at the end."""
        job = Job(list(argv))

        def end():
            if job.pid in Job.running:
                job.signal(stop)
                job.end()

        self.ends.append(end)
        time.sleep(ready)
        return job

    def server(self, kind):
        server = kind()
        self.ends.append(server.end)
        return server

    def need(self, *programs):
        for program in programs:
            if not shutil.which(program):
                raise Lacking(f"no {program}")

    def build(self, source, *options, compiler="gcc"):
        """Compiles a source of tools/incidents.d; the program has its name."""
        out = self.path(os.path.splitext(source)[0])
        self.need(compiler)
        subprocess.run([compiler, *options, os.path.join(HERE, source), "-o", out], check=True)
        return out

    def program(self, name):
        """A program of tests/prog."""
        return os.path.join(PROG, name)

    # --- what is typed -----------------------------------------------------------------------

    def run(self, *argv, within=120):
        """Runs `eprof argv`, or with "render" first eprof-render; its stdout and stderr."""
        argv = [RENDER, *argv[1:]] if argv[0] == "render" else [EPROF, *argv]
        done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=within,
                              cwd=self.folder, stdin=subprocess.DEVNULL,
                              env={**os.environ, "COLUMNS": str(COLUMNS), "LINES": str(LINES)})
        self.said = done.stderr
        return done.stdout

    def capture(self, *argv):
        """Captures, and returns the first screen of the report."""
        self.typed = "eprof " + " ".join(argv)
        self.run("record", "-o", "x.h5", "--force", *argv)
        self.screen = self.first(self.run("render", "x.h5"))
        return self.screen

    def first(self, text):
        return "\n".join(text.splitlines()[:LINES])

    # --- what must be read -------------------------------------------------------------------

    def expect(self, *patterns, of=None):
        """Each pattern stands in the first screen, in which lines are joined."""
        screen = self.screen if of is None else self.first(of)
        text = " ".join(screen.split())
        missed = [p for p in patterns if not re.search(p, text)]
        self.passed += len(patterns) - len(missed)
        self.failed += len(missed)
        print(f"{'not ok' if missed else 'ok'} {self.name}: {self.says}: {self.typed}", flush=True)
        for pattern in missed:
            print(f"    does not say: {pattern}")
        if missed or self.verbose:
            print("\n".join("    | " + line for line in screen.splitlines()), flush=True)
        if missed and self.said:
            print("\n".join("    > " + line for line in self.said.splitlines()[-5:]), flush=True)
