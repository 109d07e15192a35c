#!/usr/bin/env python3
"""Completions, asked for as each shell does: zsh and bash on a terminal, where Tab is pressed."""

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

from harness import LIMIT, SPROF, main, run, tool

COMMANDS = ("run", "attach", "dump", "report", "diff", "merge", "symbols")
COMPLETIONS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../completions")
BASH = os.path.join(COMPLETIONS, "sprof.bash")


def shell(name, *words):
    """What a shell prints that finds this sprof."""
    path = f"{os.path.dirname(SPROF)}:{os.environ['PATH']}"
    return run(tool(name), *words, env={**os.environ, "PATH": path, "HOME": os.getcwd()}).check(0).text()


def completed(*words):
    """What bash offers for the last of the words."""
    script = 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _sprof; echo "${COMPREPLY[@]}"'
    return shell("bash", "-c", script, BASH, "sprof", *words).split()


def completed_by_fish(line):
    text = shell("fish", "-c", f"source {COMPLETIONS}/sprof.fish; complete -C '{line}'")
    return [row.split("\t")[0] for row in text.splitlines()]


def test_completion():
    assert {*COMMANDS, "--list-formats"} <= {*completed("")}
    assert completed("run", "--max-o") == ["--max-overhead"]
    assert completed("mem", "--ne") == ["--newest"] and completed("rundelay", "--ti") == ["--tid"]
    assert completed("mem", "--al") == ["--all"] and completed("rundelay", "--al") == [], "it takes one process"
    assert completed("report", "--state", "st") == ["stopped"]
    assert "speedscope" in completed("attach", "-f", "")
    assert completed("syscalls", "-e", "read,%fi") == ["read,%file"]
    assert completed("trace", "--impl", "s") == ["syscalls"]
    assert completed("trace", "-e", "proc:exit,raw_syscalls:sys_ex") == ["proc:exit,raw_syscalls:sys_exit"]
    options = ["-t", "-r", "99", "--max-stacks", "5"]
    assert completed("run", *options, "--", "x", "--rate") == [], "an option of the program"
    assert "bash" in completed("run", *options, "bas")


def test_completion_by_fish():
    assert {*COMMANDS} <= {*completed_by_fish("sprof ")}
    assert completed_by_fish("sprof run --max-o") == ["--max-overhead"]
    assert "speedscope" in completed_by_fish("sprof attach -f s")
    assert completed_by_fish("sprof syscalls -e read,%fi") == ["read,%file"]
    assert "bash" in completed_by_fish("sprof run -r 99 -- bas")
    write = open("profile-here.pb.gz", "wb")
    write.close()
    assert completed_by_fish("sprof report profile-h") == ["profile-here.pb.gz"]


def test_completion_of_events():
    """Bash takes a word with a colon for three."""
    script = ('source "$0"; COMP_LINE="sprof trace -e sched:sched_sw"; COMP_POINT=${#COMP_LINE}; '
              'COMP_WORDS=(sprof trace -e sched : sched_sw); COMP_CWORD=5; _sprof; echo "${COMPREPLY[@]}"')
    assert shell("bash", "-c", script, BASH).split() == ["sched_switch"]


# Nothing of a user's settings; Ctrl-X Ctrl-X tells the line as it is, and empties it.
ZSH = r"""PS1= PROMPT_EOL_MARK= ; unsetopt zle_bracketed_paste prompt_sp; fpath=($PWD/functions $fpath)
autoload -Uz compinit; compinit -D -u
tell() { zle -I; print -r -- "<$BUFFER>"; BUFFER= }; zle -N tell; bindkey '^X^X' tell; bindkey '^I' expand-or-complete
print ready $_comps[sprof]
"""
BASH_SETTINGS = r"""PS1=; bind 'set enable-bracketed-paste off'; bind 'set page-completions off'
bind 'set show-all-if-ambiguous on'
tell() { printf '\n<%s>\n' "$READLINE_LINE"; READLINE_LINE=; }; bind -x '"\C-x\C-x": tell'
source sprof.bash; complete -p sprof; echo ready
"""


class Shell:
    """A shell on a terminal that is large enough for any list. Ends with the `with`."""

    def __init__(self, argv, settings):
        path = f"{os.path.dirname(SPROF)}:{os.environ['PATH']}"
        environment = {"PATH": path, "HOME": os.getcwd(), "TERM": "vt100", "LC_ALL": "C.UTF-8"}
        self.said = ""
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.execve(argv[0], argv, environment)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 300, 200, 0, 0))
        self.write(settings)
        self.said = self.wait(r"^ready.*$")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)

    def write(self, text):
        os.write(self.fd, text.encode())

    def wait(self, pattern):
        """What the shell says until a line matches, without what moves the cursor."""
        said, end = b"", time.monotonic() + LIMIT
        while time.monotonic() < end:
            if select.select([self.fd], [], [], 0.1)[0]:
                said += os.read(self.fd, 65536)
            text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]|[\r\0\a]", "", said.decode(errors="replace"))
            if re.search(pattern, text, re.MULTILINE):
                return text
        raise AssertionError(f"the shell never says {pattern!r}: {text!r}")

    def complete(self, line):
        """(the line after Tab, all that was shown for it)"""
        self.write(f"{line}\t\x18\x18")
        shown = self.wait(r"^<.*>$")
        return re.search(r"^<(.*)>$", shown, re.MULTILINE).group(1), shown


def check_shell(shell_on_terminal):
    """What differs between shells is left out: blanks behind a word."""
    for line, completed_line in (
            ("sprof rep", "sprof report"), ("sprof run --max-o", "sprof run --max-overhead"),
            ("sprof trace -e sched:sched_sw", "sprof trace -e sched:sched_switch"),
            ("sprof report profile-h", "sprof report profile-here.pb.gz"),
            ("sprof report --state st", "sprof report --state stopped"),
            ("sprof run -r 99 -- profile-own-prog", "sprof run -r 99 -- profile-own-program"),
            ("sprof report --debug-dir fold", "sprof report --debug-dir folder/")):
        found, shown = shell_on_terminal.complete(line)
        assert found.rstrip() == completed_line, (line, found, shown)
    _, shown = shell_on_terminal.complete("sprof ")
    assert {*COMMANDS} <= set(re.findall(r"[\w-]+", shown)), shown
    _, shown = shell_on_terminal.complete(f"sprof attach -p {str(os.getpid())[:-1]}")
    assert str(os.getpid()) in shown, shown


def make_files():
    """What is there to be completed, and a program of its own name."""
    with open("profile-here.pb.gz", "wb"):
        os.makedirs("folder")
    os.makedirs("bin")
    with open("bin/profile-own-program", "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n")
    os.chmod("bin/profile-own-program", 0o755)
    os.environ["PATH"] = f"{os.getcwd()}/bin:{os.environ['PATH']}"


def test_zsh_on_a_terminal():
    zsh = tool("zsh")
    make_files()
    os.makedirs("functions")
    os.symlink(os.path.abspath(f"{COMPLETIONS}/sprof.zsh"), "functions/_sprof")
    with Shell([zsh, "-f", "-i"], ZSH) as shell_on_terminal:
        assert "ready _sprof" in shell_on_terminal.said, shell_on_terminal.said
        check_shell(shell_on_terminal)
        _, shown = shell_on_terminal.complete("sprof ")
        assert re.search(r"^dump +-- \S", shown, re.MULTILINE), shown


def test_bash_on_a_terminal():
    make_files()
    os.symlink(os.path.abspath(BASH), "sprof.bash")
    with Shell([tool("bash"), "--norc", "--noprofile", "-i"], BASH_SETTINGS) as shell_on_terminal:
        check_shell(shell_on_terminal)


if __name__ == "__main__":
    main()
