"""Captures in whose processes one call fails, at a random one of all calls of a kind: no memory, no
descriptor, a full disk, or a wait that is interrupted. tests/prog/failing.c makes it fail."""

import os
import re
import shutil
import struct
import subprocess

# struct failing of tests/prog/failing.c, whose enum the kinds' numbers are.
FAILING = struct.Struct("=IIq48s")
KINDS = {1: "memory", 2: "descriptors", 3: "writes", 4: "interrupts"}
NEVER = 1 << 60
END_S = 60.0


def short_captures(files, out, store):
    """Captures that end themselves, each with the file that it makes."""
    pid = str(files.target.process.pid)
    yield ["-o", out, "-d", "0.2", "-F", "999", "-p", pid], out
    yield ["-o", out, "-d", "0.8", "--window", "0.5", "-F", "499", "-a"], out
    yield ["-o", out, "-d", "0.2", "--wall", "-a"], out
    yield ["-o", out, "-d", "0.2", "--zone", "target:spin_here", "-p", pid], out
    yield ["--store", store, "--version-key", "1", "--baseline", files.profiles[0], "-d", "0.2", "-p", pid], store
    yield ["-o", out, "--wall", "--", files.target.path, "0.3"], out


class Faults:
    """What tests/kill/run makes of it: folder, target, files, random, and how it judges."""

    def fail(self, argv, kind, at):
        """Runs eprof with the call number @at failing: its status (None: it did not end), what it said,
        how many calls were counted, and which failed where."""
        shared = f"{self.folder}/failing"
        with open(shared, "wb") as f:
            f.write(FAILING.pack(kind, 0, at, b""))
        os.chmod(shared, 0o666)
        env = {**os.environ, "LD_PRELOAD": os.path.abspath(f"{self.prog}/failing"), "FAILING": shared}
        process = subprocess.Popen([self.eprof, *argv], env=env, start_new_session=True, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
        try:
            said = process.communicate(timeout=END_S)[1]
        except subprocess.TimeoutExpired:
            process.kill()
            said = process.communicate()[1]
            process.returncode = None
        with open(shared, "rb") as f:
            _, pid, left, call = FAILING.unpack(f.read(FAILING.size))
        os.unlink(shared)
        met = f"{call.rstrip(bytes(1)).decode()} of {'the first' if pid == process.pid else 'another'} process"
        return process.returncode, said, at - left, met if pid else None

    def check_saved(self, said, path, may_be_lost, wrong):
        """Samples that were taken are in a profile, there or where it is said to be."""
        elsewhere = re.search("the profile is in '([^']*)'", said)
        if elsewhere:
            self.readable(elsewhere[1], wrong)
            os.unlink(elsewhere[1])
        elif not may_be_lost and re.search("^eprof: (sampling|capturing)", said, re.M) and not os.path.exists(path):
            wrong.append("the samples are lost")

    def fault(self, i):
        folder = f"{self.folder}/fault{i}"
        os.mkdir(folder)
        ways = list(short_captures(self.files, f"{folder}/out.h5", f"{folder}/store.h5"))
        way = self.random.randrange(len(ways))
        kind = 1 + i % len(KINDS)
        argv, path = ways[way]
        if (kind, way) not in self.calls:
            self.calls[kind, way] = self.fail(argv, kind, NEVER)[2]
            self.check_processes([])
            shutil.rmtree(folder)
            os.mkdir(folder)
        at = self.random.randrange(max(self.calls[kind, way], 1))
        status, said, _, met = self.fail(argv, kind, at)
        wrong = []
        self.check_processes(wrong)
        if status is None:
            wrong.append(f"did not end within {END_S:.0f} s")
        elif status not in ((0,) if KINDS[kind] == "interrupts" else (0, 1)):
            wrong.append(f"ended with {status}")
        if status == 1 and not any(line.startswith("eprof: ") for line in said.splitlines()):
            wrong.append("does not say why")
        if status == 0 and not os.path.exists(path):
            wrong.append("there is no profile")
        if status == 1:
            self.check_saved(said, path, KINDS[kind] == "memory", wrong)
        for name in os.listdir(folder):
            if not name.startswith("."):
                self.readable(f"{folder}/{name}", wrong)
        self.check_target(wrong)
        if wrong:
            wrong.append(f"it said: {said.strip()}")
        self.say(f"{i} {KINDS[kind]}, {met or 'none'}, {at} of {self.calls[kind, way]}: {' '.join(argv[-6:])} ({status})", wrong)
        shutil.rmtree(folder)
