"""The same functions and lines as gdb's py-bt finds, in all threads of a stopped process."""

import os
import re
import signal

from harness import Program, main, require, run, sprof, state_of, threads_of, tool, wait_until
from test_python import WAITS, installed, stack_of, threads_in_dump

FRAME = re.compile(r'  File "(.*)", line (\d+), in (.*)')


def py_bt_of(python):
    """The file that brings the command to gdb; Debian has it beside the interpreter's debug symbols."""
    path = f"/usr/share/gdb/auto-load{os.path.realpath(python.program)}-gdb.py"
    return path if os.path.exists(path) else None


def told_by_gdb(python, pid):
    """{thread: [(function, file, line), ...]}, innermost first."""
    found = run(tool("gdb"), "-q", "-batch", "-nx", "-iex", "set auto-load no", "-p", pid,
                "-ex", f"source {py_bt_of(python)}", "-ex", "thread apply all py-bt").check(0)
    threads = {}
    for line in found.text().split("\n"):
        begin, frame = re.match(r"Thread \d+ \(.*?LWP (\d+)\)", line), FRAME.fullmatch(line)
        if begin:
            stack = threads[int(begin.group(1))] = []
        elif frame:
            stack.append((frame.group(3), frame.group(1), int(frame.group(2))))
    return threads


def check_same(python):
    program = Program([*python.command, python.write("waits.py", WAITS)])
    assert program.line() == "ready"
    wait_until(lambda: [state_of(program.pid, tid) for tid in threads_of(program.pid)].count("S") == 5,
               "all threads wait")
    program.signal(signal.SIGSTOP)
    wait_until(lambda: state_of(program.pid) == "T", "it is stopped")
    ours = {thread["tid"]: stack_of(thread)
            for thread in threads_in_dump(sprof("dump", "-p", program.pid, "--json", "--python", "only"))}
    theirs = told_by_gdb(python, program.pid)
    program.signal(signal.SIGKILL)
    program.wait()
    assert len(ours) == 5 and ours == theirs, f"{python}\nsprof: {ours}\ngdb:   {theirs}"
    print(f"     {python}: {sum(map(len, theirs.values()))} frames of {len(theirs)} threads")


def test_same_as_py_bt():
    """Of each interpreter that has the command."""
    count = 0
    for python in installed():
        if py_bt_of(python):
            check_same(python)
            count += 1
    require(count, "no interpreter has gdb's py-bt (python3-dbg)")


if __name__ == "__main__":
    main()
