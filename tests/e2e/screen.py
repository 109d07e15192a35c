"""A terminal of a given size, which is tmux's: what is on it, and whether a line was too long for it."""

import os
import shlex
import subprocess
import tempfile

from harness import LIMIT, tool


class Screen:
    """Runs a command and reads what its screen is at the end."""

    def __init__(self, rows, columns, *command, environment=()):
        self.rows = rows
        folder = tempfile.mkdtemp(prefix="tmux-", dir=".") # the last server may still be ending
        self.tmux = [tool("tmux"), "-f", "/dev/null", "-S", os.path.abspath(f"{folder}/sock")]
        words = shlex.join(str(word) for word in command)
        settings = " ".join(shlex.quote(setting) for setting in environment)
        done = shlex.join([*self.tmux, "wait-for", "-S", "done"])
        script = f"env {settings} {words}; echo status $? > status; {done}; exec cat"
        self.call("new-session", "-d", "-x", columns, "-y", rows, "sh", "-c", script)
        try:
            self.call("wait-for", "done")
            self.lines = self.read()
            self.joined = self.read("-J")
            self.coloured = self.read("-e")
            self.everything = self.read("-S", "-")
        finally:
            self.call("kill-server")
        with open("status", encoding="utf-8") as file:
            self.status = int(file.read().split()[1])

    def call(self, *words):
        environment = {**os.environ, "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}
        result = subprocess.run([*self.tmux, *(str(word) for word in words)], capture_output=True,
                                text=True, timeout=4 * LIMIT, check=False, env=environment)
        assert result.returncode == 0, (words, result.stderr)
        return result.stdout

    def read(self, *options):
        return [line.rstrip() for line in self.call("capture-pane", "-p", *options).split("\n")]

    @property
    def text(self):
        return "\n".join(self.lines)

    @property
    def is_crowded(self):
        """The program had to wait for a CPU: then that is the answer, or a part of it."""
        return "ready but without a CPU" in " ".join(self.part("verdict"))

    def check_answer(self, name, *expected):
        """It fits: its first line is still there, nothing wraps; and it says of whom it is, and what is expected."""
        begins = [line for line in self.lines if line.startswith("sprof  ")]
        assert len(begins) == 1, f"the answer begins above the screen:\n{self.text}"
        assert [line for line in self.joined if line] == [line for line in self.lines if line], \
            f"a line wraps:\n{self.text}"
        verdict = " ".join(self.part("verdict"))
        for words in (name, *expected):
            assert words in verdict or (self.is_crowded and words != name), f"no {words!r} in the verdict:\n{self.text}"
        return verdict

    def part(self, label):
        """The lines of a part, without the margin."""
        lines, inside = [], False
        for line in self.lines:
            begins = line[:11].strip()
            if begins:
                inside = begins == label
            if inside and line:
                lines.append(line[11:].strip())
        return lines
