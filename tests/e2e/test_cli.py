"""The command line itself: help, version, where messages go, and the signals to sprof."""

import ctypes
import json
import os
import re
import signal

from harness import (SPROF, Program, Target, check_error, main, read_folded, run, sprof, target,
                     tool, tracer_of, wait_for_cpu, wait_until)

PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h

COMMANDS = ("run", "attach", "dump", "report", "diff", "merge", "symbols")


def test_help_goes_to_stdout():
    for args in (["--help"], ["-h"], ["help"], *([command, "--help"] for command in COMMANDS),
                 ["attach", "-qh"]):
        result = sprof(*args).check(0)
        assert result.text().startswith("Usage: sprof ") and result.err == "", args
    for command in COMMANDS:
        assert f"  {command} " in sprof("--help").text()


def test_version():
    lines = sprof("--version").check(0).text().splitlines()
    assert lines[0].startswith("sprof ")
    facts = dict(line.split(": ", 1) for line in lines[1:])
    assert {"built for", "built with", "built without", "formats"} <= set(facts), lines
    assert {"text", "folded"} <= set(facts["formats"].split(", ")), facts


def test_self_check():
    """One page: the version, the machine, and what works, each with the cause and the remedy if it does not."""
    result = sprof("--self-check").check(0)
    text = result.text()
    assert text.startswith(sprof("--version").text()) and re.search(r"^kernel: Linux ", text, re.MULTILINE), text
    assert re.search(r"^yes run: ", text, re.MULTILINE), text
    for what in ("kernel and /proc", "attach: ", "--source kernel: ", "heap, --faults: ", "syscalls, trace: "):
        assert len(re.findall(rf"^(?:yes|no ) {re.escape(what)}", text, re.MULTILINE)) == 1, (what, text)
    for line, after in zip(text.splitlines(), text.splitlines()[1:]):
        assert not line.startswith("no ") or after.startswith("      "), (line, after)
    assert not result.err, result.err


def test_self_check_leaves_no_process():
    """This process gets the orphans of its descendants, as the first process of a container does."""
    libc = ctypes.CDLL(None)
    assert not libc.prctl(PR_SET_CHILD_SUBREAPER, 1)
    sprof("--self-check").check(0)
    assert not libc.prctl(PR_SET_CHILD_SUBREAPER, 0)
    try:
        left = os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return
    assert False, left


def test_help_of_a_command():
    """The same as the command's own --help; a slip gets the nearest command."""
    for command in COMMANDS:
        assert sprof("help", command).check(0).text() == sprof(command, "--help").check(0).text()
    check_error(sprof("help", "reprot"), 64, "unknown command reprot", "sprof report")
    check_error(sprof("help", "run", "ls"), 64, "unexpected ls", "sprof help run")


def test_record_is_understood():
    """The word of other profilers: run, or attach with a process."""
    sprof("record", "-o", "record.folded", "--", tool("sh"), "-c", "exit 3").check(3)
    # -p is the program's.
    sprof("record", tool("sh"), "-p", "-c", "exit 3").check(3)
    assert sprof("help", "record").check(0).text() == sprof("help", "run").check(0).text()
    assert os.path.exists("record.folded")
    program = Target("threads")
    sprof("record", "-p", program.pid, "-d", "1s", "-o", "attached.folded").check(0)
    assert "asleep_worker" in open("attached.folded", encoding="utf-8").read()
    program.signal(signal.SIGKILL)


def test_the_help_says_what_comes_after_a_run():
    """Where the recording is, what reads it, and which command has the locks; on one screen."""
    text = sprof("--help").text()
    for words in ("~/.cache/sprof/last.pb.gz", "report and annotate read it", "sprof report --waits"):
        assert words in text, (words, text)
    assert text.count("\n") <= 32 and max(map(len, text.splitlines())) <= 90, text


def test_examples_in_the_help():
    """Each command has one, with options that it knows."""
    listed = re.findall(r"^  (\w+) ", sprof("--help").text().partition("Commands:")[2].partition("\n\n")[0], re.MULTILINE)
    for command in listed:
        text = sprof("help", command).text()
        examples = re.findall(rf"^  sprof {command}\b(.*)$", text, re.MULTILINE)
        assert examples, f"sprof {command} --help has no example"
        known = set(re.findall(r"(?<![\w-])(--?[a-zA-Z][\w-]*)", text.partition("\n\n")[2].rpartition("\n\n")[0]))
        for example in examples:
            ours = example.partition(" -- ")[0].partition("|")[0]
            assert set(re.findall(r"(?<= )(--?[a-zA-Z][a-z-]*)", ours)) <= known, (command, example)


def test_help_that_cannot_be_written():
    with open("/dev/full", "wb") as full:
        for args in (["--help"], ["--version"], ["run", "--help"]):
            check_error(sprof(*args, stdout=full), 2, "no space left")


def test_no_command():
    check_error(sprof(), 64, "no command", "--help")
    check_error(sprof("--no-such-option"), 64, "unknown option --no-such-option")


def test_only_data_on_stdout_and_only_words_on_stderr():
    """Not a terminal: no progress; the files are named to a terminal only."""
    result = sprof("run", "-o", "x.folded", "-o", "x.txt", "--", "true").check(0)
    assert (result.out, result.err) == (b"", "")


def test_quiet():
    result = sprof("run", "-q", "--", target("exit-code"), 3).check(3)
    assert "sprof:" not in result.err


def test_format_before_and_after_output():
    sprof("run", "-f", "folded", "-o", "a", "-o", "b.x", "-f", "text", "--", target("spin-two"),
          "50").check(0)
    assert read_folded("a").weight("spin_round") > 0
    with open("b.x", encoding="utf-8") as file:
        assert "flat profile" in file.read()


def test_duration_ends_the_sampling_not_the_program():
    """The profile is there while the program still runs, and the exit code is the program's."""
    program = Target("jobs", before=[SPROF, "run", "-d", "200ms", "-o", "x.folded", "--"])
    wait_until(lambda: os.path.exists("x.folded"), "the profile")
    pid = int(program.said[0])
    wait_for_cpu(pid, 0.2)
    assert program.alive()
    os.kill(pid, signal.SIGINT)
    program.finish().check(5)


def test_timeout_kills_the_program_once():
    """timeout(1) signals sprof and then the whole group: the echo doesn't end the run by itself."""
    program = Target("spin-two", before=["timeout", "1000s", SPROF, "run", "-o", "x.folded", "--"])
    wait_for_cpu(int(program.said[0]), 0.3)
    program.signal(signal.SIGALRM)  # timeout's own: its time is over
    program.process.wait()
    program.finish().check(124)
    assert read_folded("x.folded").weight("spin_round") > 0


def test_completion_knows_what_stands_where():
    """By the words alone; each shell then does the rest."""
    def offered(*words):
        return [line.split("\t")[0] for line in sprof("--complete", *words).check(0).text().splitlines()]

    assert {*COMMANDS, "help", "--version"} <= {*offered("")}
    assert offered("rep") == ["report"]
    assert offered("nosuch", "") == [] and offered("help", "att") == ["attach"]
    assert str(os.getpid()) in offered("attach", "-p", "1,") or f"1,{os.getpid()}" in offered("attach", "-p", "1,")
    assert offered("report", "") == ["@file"] and offered("report", "--debug-dir", "") == ["@folder"]
    assert offered("run", "") == ["@program 2"] and offered("run", "-r", "9", "--", "x", "-") == ["@program 5"]
    assert offered("run", "-r", "") == [], "a number"
    for command in COMMANDS:
        text = sprof(command, "--help").text()
        listed = set(re.findall(r"^ {2,6}(?:-\w, )*(--[a-z-]+)", text, re.MULTILINE))
        # The row of --pid describes the other ways to choose.
        described = set(re.findall(r"(?<=[ .,])--[a-z-]+", text))
        assert listed <= set(offered(command, "-")) <= listed | described, command


def test_verbose():
    """What a terminal is told, elsewhere too; errors and notes are independent of it."""
    words = ["-o", "x.folded", "--", "true"]
    assert "wrote" not in sprof("run", *words).err
    assert "sprof: wrote x.folded (folded)" in sprof("run", "-v", *words).err
    assert sprof("run", "-q", *words).err == ""


def test_timeout_of_an_attach():
    program = Target("spin-two")
    timeout = Program(["timeout", "1000s", SPROF, "attach", "-p", program.pid, "-o", "x.folded"])
    wait_until(lambda: tracer_of(program.pid), "sprof has attached")
    wait_for_cpu(program.pid, 0.3)
    timeout.signal(signal.SIGALRM)
    timeout.finish().check(124)
    assert read_folded("x.folded").weight("spin_round") > 0
    program.finish().check(0)


def start_deaf():
    """A program that ignores SIGTERM, under sprof run; (sprof, the program's pid)."""
    script = 'trap "" TERM; exec "$0" --ready 1'
    command = [SPROF, "run", "-o", "x.folded", "--", "/bin/sh", "-c", script, target("spin-two")]
    program = Program(command)
    return program, int(program.line().split()[1])


def test_second_signal_ends_the_run():
    """The profile is written, and the program runs on."""
    program, pid = start_deaf()
    wait_for_cpu(pid, 0.2)
    program.signal(signal.SIGTERM)
    # Signals within half a second are one and its echo. Its two threads may run side by side.
    wait_for_cpu(pid, 1.5)
    assert program.alive()
    program.signal(signal.SIGTERM)
    program.wait()
    assert program.process.returncode == 128 + signal.SIGTERM, program.stderr()
    assert read_folded("x.folded").weight("spin_round") > 0
    wait_for_cpu(pid, 0.05)
    program.process.stdin.close()
    program.process.stdin = None
    wait_until(lambda: not os.path.exists(f"/proc/{pid}"), "the program ends")


def test_snapshot_of_run():
    """Files and stats; then the final ones replace them."""
    options = ["-o", "x.folded", "--stats", "x.json"]
    program = Target("spin-two", before=[SPROF, "run", *options, "--"])
    pid = int(program.said[0])
    wait_for_cpu(pid, 0.3)
    program.signal(signal.SIGUSR1)
    wait_until(lambda: os.path.exists("x.json"), "a snapshot")
    first = read_folded("x.folded").total
    with open("x.json", encoding="utf-8") as file:
        assert json.load(file)["samples"] > 0
    wait_for_cpu(pid, 0.3)
    program.finish().check(0)
    assert read_folded("x.folded").total > first > 0


def test_snapshot_without_files():
    program = Target("spin-two", before=[SPROF, "run", "--"])
    wait_for_cpu(int(program.said[0]), 0.1)
    program.signal(signal.SIGUSR1)
    wait_until(lambda: "snapshot" in program.stderr(), "a line about it")
    program.finish().check(0)


def test_debuginfod_is_left_alone():
    """sprof asks no server; the program sees its environment as it is."""
    environment = {**os.environ, "DEBUGINFOD_URLS": "http://192.0.2.1:9"}
    result = sprof("run", "-o", "x.folded", "--", "/bin/sh", "-c", 'echo "$DEBUGINFOD_URLS"',
                   env=environment, limit=30).check(0)
    assert result.text() == "http://192.0.2.1:9\n"


if __name__ == "__main__":
    main()
