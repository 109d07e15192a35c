"""A PostgreSQL server for a test."""

import glob
import os
import re
import shutil
import signal
import subprocess

from harness import Program, require, run, tool, wait_until


class Server:
    """
    A PostgreSQL server of its own, in this folder, with a pgbench table in it; `before` it in its command
    line may come a tracer.
    """

    def __init__(self, before=()):
        folders = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
        self.bin = folders[-1] if folders else os.path.dirname(tool("postgres"))
        self.pgbench = tool("pgbench", f"{self.bin}/pgbench")
        self.home = os.path.abspath("pg")
        os.mkdir(self.home)
        self.user = []
        if os.getuid() == 0:
            self.user = [tool("runuser"), "-u", "postgres", "--"]
            require(run("id", "postgres").code == 0, "there is no user postgres")
            shutil.chown(self.home, "postgres")
        run(*self.user, f"{self.bin}/initdb", "-D", f"{self.home}/d", "-A", "trust",
            cwd=self.home).check(0)
        self.program = Program(
            [*before, *self.user, f"{self.bin}/postgres", "-D", f"{self.home}/d", "-k", self.home,
             "-c", "listen_addresses="], cwd=self.home, stdout=subprocess.DEVNULL)
        wait_until(lambda: self.bench("-i", "-s", "1").code == 0, "the server answers")

    def bench(self, *options):
        return run(*self.user, self.pgbench, "-h", self.home, *options, "postgres", cwd=self.home)

    def clients(self, seconds, script=None):
        """Two clients that run a script, or what pgbench does by default."""
        options = []
        if script:
            with open(f"{self.home}/script.sql", "w", encoding="utf-8") as file:
                file.write(script)
            options = ["-f", f"{self.home}/script.sql"]
        return Program([*self.user, self.pgbench, "-h", self.home, "-n", "-c", "2", "-j", "2", "-T",
                        seconds, *options, "postgres"], cwd=self.home)

    def backends(self, command=""):
        """The processes that serve clients, or those that are at a command: their titles say it."""
        pids = []
        for name in os.listdir("/proc"):
            try:
                with open(f"/proc/{name}/cmdline", encoding="utf-8", errors="replace") as file:
                    if re.match(rf"postgres: \S+ postgres \[local\] {command}", file.read()):
                        cwd = os.readlink(f"/proc/{name}/cwd")
                        pids += [int(name)] if cwd.startswith(self.home) else []
            except OSError:
                pass
        return pids

    def postmaster(self):
        with open(f"{self.home}/d/postmaster.pid", encoding="utf-8") as file:
            return int(file.readline())

    def stop(self):
        os.kill(self.postmaster(), signal.SIGINT)
        self.program.wait()
        self.program.finish().check(0)
