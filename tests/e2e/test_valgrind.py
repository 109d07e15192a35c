"""sprof itself under valgrind: no bad access, no lost memory, no descriptor left open."""

import glob
import os
import re
import signal
import subprocess

from harness import (LIMIT, SPROF, Program, Target, check_untouched, main, require_plain_sprof, run, target,
                     tool, tracer_of, wait_for_cpu, wait_until)

FRAMES_OF_OTHERS = r"libunwind|inherited from parent"  # libunwind keeps a pipe for itself


def valgrind(*words):
    require_plain_sprof("a sanitizer does the same job, and not under valgrind")
    return [tool("valgrind"), "-q", "--leak-check=full", "--errors-for-leak-kinds=definite",
            "--show-leak-kinds=definite", "--track-fds=yes", "--error-exitcode=99",
            "--log-file=valgrind.%p", SPROF, *words]


def read_log(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def check_logs(pid):
    """
    sprof has closed what it opened, but for its standard streams. The copies of it that write in
    between, or that would have become the program, end with what they have.
    """
    for block in re.split(r"(?m)^==\d+== *$", read_log(f"valgrind.{pid}")):
        if "Open " in block and not re.search(FRAMES_OF_OTHERS, block):
            raise AssertionError(f"left open:\n{block}")
    for path in glob.glob("valgrind.*"):
        text = read_log(path)
        assert not re.search("Invalid |uninitialised|definitely lost", text), text


def check(*words, code=0):
    program = Program(valgrind(*words), stdin=subprocess.DEVNULL)
    program.finish(2 * LIMIT).check(code)
    check_logs(program.pid)


def test_run():
    check("run", "-r", "199", "-o", "x.txt", "-o", "x.pb.gz", "-o", "x.html", "--stats", "x.json",
          "--", target("forker"), "fork")


def test_births_and_deaths():
    """Threads, processes and programs that come and go, signals and stops, all at once."""
    program = Target(os.path.join("..", "torture", "torture"), 1,
                     before=valgrind("run", "--every", "1s", "-q", "-r", "199", "-o", "x-%n.pb.gz", "--"))
    wait_for_cpu(int(program.said[0]), 1)
    result = program.finish(2 * LIMIT).check(0)
    assert result.text().startswith("right "), result.text()
    check_logs(program.pid)


def test_attach_to_a_storm():
    for storm, options in (("threads", ()), ("processes", ("--children",))):
        program = Target("storm", storm)
        check("attach", "-p", program.pid, "-r", "199", "-d", "2s", "-o", "x.pb.gz", *options)
        check_untouched(program.pid)
        program.finish().check(0)


def test_attach_with_a_snapshot():
    """The copy that writes the snapshot is a process of its own, and checked as well."""
    program = Target("threads", 2, 2)
    attach = Program(valgrind("attach", "-p", program.pid, "-r", "49", "--every", "1s", "-o", "x-%n.pb.gz",
                              "-o", "x-%n.folded"))
    wait_until(lambda: tracer_of(program.pid) == attach.pid or not attach.alive(), "sprof attaches")
    attach.signal(signal.SIGUSR1)
    wait_until(lambda: glob.glob("x-2.folded"), "two periods", limit=2 * LIMIT)
    attach.signal(signal.SIGINT)
    attach.finish(2 * LIMIT).check(0)
    check_untouched(program.pid)
    program.finish().check(0)
    check_logs(attach.pid)


def test_reading():
    run(SPROF, "run", "-o", "x.pb.gz", "--", target("forker"), "fork").check(0)
    for words in (("report", "x.pb.gz"), ("diff", "x.pb.gz", "x.pb.gz"),
                  ("merge", "-o", "y.pb.gz", "x.pb.gz", "x.pb.gz"), ("symbols", target("forker"))):
        check(*words)


def test_failures():
    program = Target("traced")
    for words, code in ((("attach", "-p", program.said[0]), 2), (("run", "--", "/no/such"), 2),
                        (("run", "-o", "x.nosuch", "--", "true"), 64), (("report", "/dev/null"), 2)):
        check(*words, code=code)
    program.finish().check(0)


if __name__ == "__main__":
    main()
