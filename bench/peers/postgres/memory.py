"""How a server of PostgreSQL is kept within so much memory, the system's cache of its files included.

In a control group of its own, of version 2 or else 1, where this program may make one: then the system sees to it. Else the
shared buffers get all of it but what processes need, and the system is asked ten times a second to drop what it has cached
of the data files. That is no limit, but leaves nothing in memory besides.
"""

import os
import pathlib
import sys
import threading

GROUPS = [pathlib.Path("/sys/fs/cgroup"), pathlib.Path("/sys/fs/cgroup/memory")]
PROCESSES_MB = 64
"""What the processes need beside the shared buffers, about."""
DROP_S = 0.1


class ControlGroup:
    """`prefix` is what a command begins with that runs in it."""

    kind = "cgroup"

    def __init__(self, memory_mb, parent):
        if "memory" in read(parent / "cgroup.controllers").split():
            limit, self.peak = "memory.max", "memory.peak"
        elif (parent / "memory.limit_in_bytes").exists():
            limit, self.peak = "memory.limit_in_bytes", "memory.max_usage_in_bytes"
        else:
            raise OSError(f"{parent} has no memory controller")
        self.path = parent / f"thermocline-bench-{os.getpid()}"
        self.path.mkdir()
        try:
            (self.path / limit).write_text(str(memory_mb << 20))
        except OSError:
            self.path.rmdir()
            raise
        for swap, value in [("memory.swap.max", 0), ("memory.swappiness", 0)]:
            if (self.path / swap).exists():
                (self.path / swap).write_text(str(value))
        self.buffers_mb = memory_mb // 4
        self.prefix = ["sh", "-c", f'echo $$ > {self.path}/cgroup.procs && exec "$@"', "sh"]

    def watch(self, data):
        pass  # the system does

    def peak_mb(self):
        peak = read(self.path / self.peak)
        return int(peak) / (1 << 20) if peak else None

    def end(self):
        self.path.rmdir()


def read(path):
    return path.read_text() if path.exists() else ""


class DroppedCache:
    """The system's cache of the data files is emptied all the time."""

    kind = "fadvise"
    prefix = []

    def __init__(self, memory_mb):
        self.buffers_mb = max(memory_mb - PROCESSES_MB, memory_mb // 2)
        self.ended = threading.Event()
        self.thread = None

    def watch(self, data):
        self.thread = threading.Thread(target=self.drop, args=[pathlib.Path(data) / "base"], daemon=True)
        self.thread.start()

    def drop(self, base):
        while not self.ended.wait(DROP_S):
            for file in base.glob("*/[0-9]*"):
                try:
                    with open(file, "rb") as opened:
                        os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
                except OSError:
                    pass  # it has been removed

    def peak_mb(self):
        return None  # nothing limits it

    def end(self):
        self.ended.set()
        if self.thread:
            self.thread.join()


def limit(memory_mb, parent):
    """The first of the two that is possible; `parent` is the control group in which one is made."""
    errors = []
    for group in [pathlib.Path(parent)] if parent else GROUPS:
        try:
            return ControlGroup(memory_mb, group)
        except OSError as error:
            errors.append(str(error))
    print(f"no control group, so memory is not limited; cached pages of files are dropped instead: {'; '.join(errors)}",
          file=sys.stderr)
    return DroppedCache(memory_mb)
