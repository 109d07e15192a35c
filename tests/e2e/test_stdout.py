"""Whose stdout is: in `sprof run` it is the program's, unless it is a pipe, or -o - or -f says so."""

import os
import pty
import subprocess

from harness import SPROF, Program, check_error, main, read_folded, run, sprof, tool, wait_until
from subjects import build

SAYS = ("sh", "-c", "echo of the program; exec ./work 0.2")
SAID = b"of the program\nready\n"
# Where no terminal shows the answer, one line says where it is.
TOLD = "sprof: the recording is in {}/sprof/last.pb.gz: sprof report shows it\n"


def environment(home):
    return {**os.environ, "XDG_CACHE_HOME": os.path.abspath(home), "TERM": "dumb", "NO_COLOR": "1"}


def read_terminal(master):
    """All that was written to a terminal whose other side is closed."""
    text = b""
    while True:
        try:
            text += os.read(master, 1 << 16)
        except OSError:  # EIO: nobody has it open
            return text.decode().replace("\r\n", "\n")


def run_on_terminal(home, *words, **options):
    """stderr is a terminal, stdout is not; returns the exit code, stdout and what the terminal got."""
    master, slave = pty.openpty()
    process = subprocess.Popen([SPROF, *words], stdin=subprocess.DEVNULL, stderr=slave, env=environment(home), **options)
    os.close(slave)
    shown = read_terminal(master)
    os.close(master)
    out = process.stdout.read() if process.stdout else b""
    return process.wait(), out, shown


def report(home):
    return run(SPROF, "report", env=environment(home)).check(0).text()


def test_a_file_is_the_programs():
    """The name of the file doesn't matter; the recording is kept for sprof report."""
    build("work")
    for name in ("a", "a.folded", "a.html"):
        with open(name, "wb") as file:
            result = run(SPROF, "run", "--", *SAYS, stdout=file, env=environment(name + ".cache")).check(0)
        assert result.err == TOLD.format(os.path.abspath(name + ".cache")), result.err
        with open(name, "rb") as file:
            assert file.read() == SAID, name
        assert "inner" in report(name + ".cache")


def test_quiet_keeps_it():
    build("work")
    with open("a", "wb") as file:
        result = run(SPROF, "run", "-q", "--", *SAYS, stdout=file, env=environment("cache")).check(0)
    assert result.err == "", result.err
    assert "inner" in report("cache")


def test_a_device_is_the_programs():
    build("work")
    with open("/dev/null", "wb") as null:
        code, _, shown = run_on_terminal("cache", "run", "--", *SAYS, stdout=null)
    assert code == 0 and "of the program" not in shown, shown
    assert "inner" in shown and "sprof report" in shown, shown
    with open("/dev/full", "wb") as full:  # its own echo fails, and it exits as it would
        result = run(SPROF, "run", "--", tool("true"), stdout=full, env=environment("cache")).check(0)
        assert result.err == TOLD.format(os.path.abspath("cache")), result.err


def test_the_answer_goes_to_a_terminal():
    build("work")
    with open("a", "wb") as file:
        code, _, shown = run_on_terminal("cache", "run", "--", *SAYS, stdout=file)
    assert code == 0 and "inner" in shown, shown
    with open("a", "wb") as file:
        code, _, shown = run_on_terminal("cache", "run", "--full", "--", *SAYS, stdout=file)
    assert code == 0 and "flat profile" in shown, shown
    with open("a", "rb") as file:
        assert file.read() == SAID


def test_a_pipe_gets_folded_stacks():
    """Unless there is -o FILE: then it is the program's."""
    build("work")
    code, out, shown = run_on_terminal("cache", "run", "--", *SAYS, stdout=subprocess.PIPE)
    assert code == 0 and b";inner" in out and b"of the program" not in out, out
    assert "of the program" in shown and "folded" in shown, shown
    code, out, shown = run_on_terminal("cache", "run", "-o", "x.folded", "--", *SAYS, stdout=subprocess.PIPE)
    assert code == 0 and out == SAID and "inner" in shown, (out, shown)
    read_folded("x.folded").check("inner")
    result = sprof("run", "-o", "x.folded", "--", *SAYS).check(0)
    assert result.out == SAID and result.err == "", result.err


def test_asked_for():
    """-o - and -f name stdout, whatever it is; the program's goes to stderr."""
    build("work")
    for words, expected in ((("-o", "-"), ";inner"), (("-f", "text"), "flat profile"), (("-o", "-", "-f", "text"), "flat profile")):
        with open("a", "wb") as file:
            result = run(SPROF, "run", *words, "--", *SAYS, stdout=file).check(0)
        assert "of the program" in result.err, result.err
        with open("a", encoding="utf-8") as file:
            assert expected in file.read(), words


def test_a_terminal_is_the_programs():
    """The answer comes behind what the program has written there, whatever stderr is."""
    build("work")
    master, slave = pty.openpty()
    program = Program([SPROF, "run", "--", *SAYS], stdin=subprocess.DEVNULL, stdout=slave, env=environment("cache"))
    os.close(slave)
    shown = read_terminal(master)
    os.close(master)
    program.wait()
    assert shown.index("of the program") < shown.index("inner"), shown
    assert program.stderr() == "", program.stderr()


def test_nowhere_to_keep_it():
    """Then that is said, before the program runs."""
    build("work")
    with open("a", "wb") as file:
        result = run(SPROF, "run", "--", *SAYS, stdout=file).check(0)
    assert "-o FILE" in result.err and len(result.err.splitlines()) == 1, result.err


def test_attach_to_a_file():
    """There, stdout is sprof's."""
    build("work")
    program = Program(["./work", "60"])
    with open("a.folded", "wb") as file:
        run(SPROF, "attach", "-p", program.pid, "-d", "0.3", stdout=file).check(0)
    read_folded("a.folded").check("inner")
    with open("/dev/null", "wb") as null:
        run(SPROF, "attach", "-p", program.pid, "-d", "0.3", stdout=null).check(0)
    program.signal(9)
    program.wait()


def test_minus_is_stdout_in_every_command():
    build("work")
    for words in (("run",), ("heap",), ("syscalls", "-f", "text"), ("calls", "-F", "outer", "--breakpoints"), ("mem",),
                  ("trace", "--source", "ptrace", "-e", "syscalls:sys_enter_write", "-e", "syscalls:sys_exit_write")):
        result = sprof(*words, "-o", "-", "--", "./work", "0.2").check(0)
        assert result.out and b"ready" not in result.out, (words, result.out)
        assert "ready" in result.err, (words, result.err)
    assert not os.path.exists("-")


def test_one_output_twice():
    """By whatever names: refused before the program runs."""
    os.mkdir("d")
    os.symlink("d", "e")
    run_ = ("run", "-f", "text")
    calls = ("calls", "-F", "main")
    for words in ((*run_, "-o", "a", "-o", "./a"), (*run_, "-o", "d/a", "-o", "e/a"), (*run_, "-o", "-", "-o", "/dev/fd/1"),
                  (*run_, "-o", "a", "--stats", "./a"), (*calls, "-o", "a.txt", "--timeline", "./a.txt"), (*calls, "--timeline", "-"),
                  ("mem", "-o", "a.csv", "-o", "./a.csv")):
        check_error(sprof(*words, "--", "touch", "ran"), 64, "given twice|the output, too")
        assert not os.path.exists("ran"), words
    sprof(*run_, "-o", "/dev/null", "-o", "/dev/null", "--", tool("true")).check(0)


def test_other_devices():
    for words in (("run", "-f", "text"), ("calls", "-F", "main"), ("syscalls", "-f", "text")):
        check_error(sprof(*words, "-o", "/dev/zero", "--", "touch", "ran"), 2, "it is not a file")
        assert not os.path.exists("ran"), words


def test_a_reader_who_has_seen_enough():
    """A saved profile is not lost if nobody reads all of a report."""
    build("work")
    sprof("run", "-o", "x.pb.gz", "--", "./work", "0.2").check(0)
    for words in ("report -f html", "report -f json", "diff x.pb.gz -f html", "report --full"):
        result = run("sh", "-c", f"{SPROF} {words} x.pb.gz | head -c 1").check(0)
        assert len(result.out) == 1 and "Broken pipe" not in result.err, (words, result.err)


def test_a_recording_that_nobody_reads():
    """It is lost where nothing else keeps it: that is a failure."""
    for words in (("run", "-q", "-f", "text", "-o", "-"), ("syscalls", "--source", "ptrace", "-f", "text", "-o", "-"),
                  ("heap", "--exact", "--breakpoints", "-f", "text", "-o", "-")):
        reader, writer = os.pipe()
        program = Program([SPROF, *words, "--", "sh", "-c", "echo ready >&2; read line"], stdout=writer)
        os.close(writer)
        wait_until(lambda: "ready" in program.stderr(), "the program runs")
        os.close(reader)
        program.say("\n")
        result = program.finish()
        assert result.code == 2 and "Broken pipe" in result.err, (words, result.code, result.err)


def test_every_needs_a_name():
    with open("a", "wb") as file:
        result = run(SPROF, "run", "--every", "1s", "--", tool("true"), stdout=file)
    check_error(result, 64, "--output")


if __name__ == "__main__":
    main()
