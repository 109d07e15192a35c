"""Who is profiled: several processes, single threads, and processes by name."""

import os
import re
import shutil
import signal
import sys
import tempfile

from harness import (PROFILE, SPROF, Attached, Program, Target, check_error, check_untouched, main,
                     read_profile, sprof, status_field, target, threads_of, tracer_of, wait_for_cpu, wait_until)


def named(name, program="threads", arguments=(1, 0)):
    """A target under another name of its file, which is in a new folder."""
    name = os.path.join(tempfile.mkdtemp(dir="."), name)
    shutil.copy(target(program), name)
    read_end, write_end = os.pipe()
    process = Program([os.path.abspath(name), "--ready", write_end, *arguments], pass_fds=[write_end])
    os.close(write_end)
    assert os.read(read_end, 5) == b"ready"
    os.close(read_end)
    return process


def parts_of_time(one, other):
    """Of the time of a profile of both, what each thread has."""
    sprof("attach", "-p", f"{one.pid},{one.pid}", "-p", other.pid, "-d", "1s", "-t", *PROFILE).check(0)
    for program in (one, other):
        check_untouched(program.pid)
    folded, stats = read_profile()
    assert stats["processes_seen"] == 2 and stats["target_pid"] == one.pid, stats
    tids = threads_of(one.pid) + threads_of(other.pid)
    assert stats["threads_seen"] == len(tids), stats
    return [folded.weight(f".*/{tid}") / (stats["duration_ns"] / 1e3) for tid in tids]


def test_several_processes():
    """Each thread of each process has the whole time. A thread that waits for a CPU at the end makes it longer."""
    one, other = Target("threads", 1, 2), Target("spin-two")
    parts = parts_of_time(one, other)
    assert all(part > 0 for part in parts), parts
    for program in (one, other):
        program.finish().check(0)


def test_it_ends_with_the_last_one():
    one, other = Target("threads", 1, 0), Target("threads", 0, 1)
    attached = Attached(one.pid, "-p", other.pid, *PROFILE)
    wait_until(lambda: tracer_of(other.pid) == attached.pid, "sprof has the second one too")
    wait_for_cpu(one.pid, 0.3)
    one.finish().check(0)
    assert attached.alive()
    other.finish().check(0)
    attached.wait()
    attached.finish().check(0)
    folded, stats = read_profile()
    assert stats["processes_seen"] == 2
    folded.check("busy_worker", "asleep_worker")


def test_one_that_is_not_there_refuses_all():
    program = Target("threads", 1, 0)
    gone = Target("threads", 0, 0)
    gone.finish().check(0)
    result = sprof("attach", "-p", f"{program.pid},{gone.pid}", "-d", "5s", *PROFILE)
    check_error(result, 2, f"attach to {gone.pid}: no such process")
    assert not os.path.exists("x.folded")
    check_untouched(program.pid)
    program.finish().check(0)


def test_children_of_each():
    programs = [Program(["sh", "-c", "read line; (sleep 0.3; :); sleep 0.3; :"]) for _ in range(2)]
    attached = Attached(programs[0].pid, "-p", programs[1].pid, "--children", *PROFILE)
    wait_until(lambda: tracer_of(programs[1].pid) == attached.pid, "sprof has both")
    for program in programs:
        program.say("\n")
    for program in programs:
        program.finish()
    attached.wait()
    attached.finish().check(0)
    _, stats = read_profile()
    assert stats["processes_seen"] >= 2 + 2, stats


def test_single_threads():
    """The others are not traced, nor is what they start; the chosen ones have all of their time."""
    program = Target("threads", 2, 1)
    main_tid, first, second, _ = sorted(threads_of(program.pid))
    attached = Program([SPROF, "attach", "--tid", second, "-t", "-o", "x.txt", *PROFILE])
    wait_until(lambda: status_field(program.pid, "TracerPid", second) != "0", "sprof attaches")
    program.say("b\n")
    late = int(program.line().split()[1])
    for tid in (main_tid, first, late):
        assert status_field(program.pid, "TracerPid", tid) == "0", tid
    wait_for_cpu(program.pid, 0.3, second)
    attached.signal(signal.SIGINT)
    attached.finish().check(0)
    check_untouched(program.pid)
    folded, stats = read_profile()
    assert stats["threads_seen"] == 1 and stats["target_pid"] == program.pid, stats
    assert folded.weight(f".*/{second}") == folded.total > 0, (folded.stacks, stats)
    with open("x.txt", encoding="utf-8") as file:
        assert f"(only threads {second})" in file.read()
    program.finish().check(0)


def test_an_exec_of_another_thread():
    """It ends the chosen leader without a report: the run is over, and the program is whole."""
    program = Target("exec-thread")
    attached = Program([SPROF, "attach", "--tid", program.pid, *PROFILE])
    wait_until(lambda: tracer_of(program.pid) == attached.pid, "sprof attaches")
    program.say("exec\n")
    attached.wait()
    assert attached.finish().code in (0, 1), "1: there was no sample before the exec"
    program.finish().check(6)


def test_a_thread_that_is_not_there():
    gone = Target("threads", 0, 0)
    gone.finish().check(0)
    check_error(sprof("attach", "--tid", gone.pid, *PROFILE), 2, f"attach to thread {gone.pid}: no such thread")


def test_by_name():
    name = f"wanted{os.getpid()}"
    first = named(name)
    check = sprof("attach", "--name", f"^{name}$", "-d", "200ms", *PROFILE).check(0)
    assert read_profile()[1]["target_pid"] == first.pid, check.err
    second = named(name)
    result = sprof("attach", "--name", name, "-d", "200ms", *PROFILE)
    check_error(result, 64, f"2 processes match '{name}': ", str(first.pid), str(second.pid), "--newest", "--all")
    for command in ("symbols", "rundelay", "calls"):
        result = sprof(command, "--name", name, *WATCHING[command])
        check_error(result, 64, f"2 processes match '{name}': ", "--newest takes the last one started; or choose with -p")
    sprof("attach", "--name", name, "--newest", "-d", "200ms", *PROFILE).check(0)
    assert read_profile()[1]["target_pid"] == second.pid
    sprof("attach", "--name", name, "--all", "-d", "200ms", *PROFILE).check(0)
    assert read_profile()[1]["processes_seen"] == 2
    for program in (first, second):
        check_untouched(program.pid)
        program.finish().check(0)


def test_by_command_line():
    """A script's process has the name of its interpreter. The command lines count where no process has the name."""
    name = f"script{os.getpid()}"
    with open(f"{name}.py", "w", encoding="utf-8") as file:
        file.write("import sys\nsys.stdin.readline()\n")
    program = Program([sys.executable, os.path.abspath(f"{name}.py")])
    wait_until(lambda: name in command_line(program.pid), "the interpreter has begun")
    for pattern in (rf"^{name}\.py$", f"^{sys.executable} .*{name}"):
        result = sprof("dump", "--name", pattern).check(0)
        assert str(program.pid) in result.text(), pattern
        assert f"the command line of process {program.pid}: {sys.executable} " in result.err, result.err
    other = named(f"other{name}.py")
    assert str(other.pid) in sprof("dump", "--name", name).check(0).text(), "a name comes before command lines"
    for one in (program, other):
        one.say("\n")
        one.finish()


def test_by_the_end_of_a_long_command_line():
    """As of Java: the main class behind a class path of any length."""
    name = f"Main{os.getpid()}"
    program = Program([sys.executable, "-c", "import sys; sys.stdin.readline()", "x" * 9000, name])
    wait_until(lambda: name in command_line(program.pid), "the interpreter has begun")
    assert str(program.pid) in sprof("dump", "--name", f"^{name}$").check(0).text()
    program.say("\n")
    program.finish()


def command_line(pid):
    with open(f"/proc/{pid}/cmdline", encoding="utf-8") as file:
        return file.read()


# The commands that take processes, with what ends them; which of them can watch several, and single threads.
WATCHING = {
    "attach": ("-d", "200ms", "-o", "x.folded"),
    "dump": (),
    "mem": ("-d", "100ms"),
    "symbols": ("main",),
    "syscalls": ("--source", "ptrace", "-d", "100ms"),
    "rundelay": ("--source", "proc", "-d", "100ms"),
    "heap": ("--source", "ptrace", "-d", "100ms"),
    "calls": ("-F", "main", "-d", "100ms"),
    "trace": ("-e", "syscalls:sys_enter_read", "-e", "syscalls:sys_exit_read", "-d", "100ms"),
}
SEVERAL = "attach dump mem symbols syscalls".split()
SINGLE_THREADS = "attach dump syscalls rundelay".split()


def test_all_commands_take_the_same_choices():
    name = f"chosen{os.getpid()}"
    one, other = named(name, arguments=(0, 1)), Target("threads", 0, 1)
    second = max(threads_of(one.pid))
    for command, words in WATCHING.items():
        assert sprof(command, "--name", name, *words).code in (0, 1), command
        result = sprof(command, "--tid", second, *words)
        assert result.code in (0, 1) and (f"process {one.pid} has thread" in result.err) == (command not in SINGLE_THREADS), \
            (command, result.err)
        result = sprof(command, "-t", f"{one.pid},{second}", *words)
        assert result.code in (0, 1), (command, result.err)
        assert (f"process {one.pid} has thread {one.pid}" in result.err) == (command not in SINGLE_THREADS), (command, result.err)
        result = sprof(command, "-p", f"{one.pid},{other.pid}", *words)
        if command in SEVERAL:
            assert result.code in (0, 1), (command, result.err)
        else:
            check_error(result, 64, f"{command} takes one process at a time, not {one.pid}, {other.pid}")
    for command in (*WATCHING, "top"):
        check_error(sprof(command, "--name", "no-such-name", *WATCHING.get(command, ())), 2, "no process has a name or command line that matches 'no-such-name'")
    for program in (one, other):
        check_untouched(program.pid)
        program.finish().check(0)


def test_tables_of_several_processes():
    one, other = (Program(["sh", "-c", "while :; do read line < /dev/null; done"]) for _ in range(2))
    both = f"{one.pid},{other.pid}"
    for words in (("mem",), ("syscalls", "--source", "ptrace", "--per-thread")):
        for duration in "100ms", "1s", "10s":  # on a busy machine, one may not run for long
            rows = sprof(*words, "-p", both, "-d", duration).check(0).text()
            if all(re.search(rf"(?m)^ *{pid} ", rows) for pid in (one.pid, other.pid)):
                break
        else:
            raise AssertionError((words, rows))
    for program in (one, other):
        check_untouched(program.pid)
        program.signal(signal.SIGKILL)
        program.finish()


def test_a_dump_of_single_threads():
    program = Target("threads", 0, 2)
    second = max(threads_of(program.pid))
    shown = [line for line in sprof("dump", "--tid", second).check(0).text().splitlines() if "asleep_worker" in line]
    assert len(shown) == 1, shown
    program.finish().check(0)


def test_symbols_of_several_processes():
    one, other = Target("threads", 0, 0), Target("spin-two")
    text = sprof("symbols", "-p", f"{one.pid},{other.pid}", "main").check(0).text()
    assert text.index(f"# process {one.pid}") < text.index(f"# process {other.pid}"), text
    gone = Target("threads", 0, 0)
    gone.finish().check(0)
    result = sprof("symbols", "-p", f"{one.pid},{gone.pid}", "main")
    check_error(result, 2, f"can't read the mappings of process {gone.pid}")
    assert not result.text(), "one that is not there refuses all"
    for program in (one, other):
        program.finish()


def test_a_shell_with_the_name_in_its_command_line():
    name = f"unwanted{os.getpid()}"
    script = f"{SPROF} attach --name {name} -d 1s -o x.folded; exit $?"
    result = Program(["sh", "-c", script]).finish()
    check_error(result, 2, f"no process has a name or command line that matches '{name}'")


def test_it_never_finds_what_started_it():
    name = f"starter{os.getpid()}"
    shutil.copy("/bin/sh", name)
    result = Program([os.path.abspath(name), "-c", f"{SPROF} attach --name {name} -d 1s -o x.folded; exit $?"]).finish()
    check_error(result, 2, f"no process has a name or command line that matches '{name}'")


if __name__ == "__main__":
    main()
