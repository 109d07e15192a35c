"""The exit code and the output of `sprof run -- CMD` are CMD's own."""

import os
import re
import signal
import subprocess

from harness import SPROF, main, read_folded, run, sprof, target, with_fault

PROFILE = "profile.folded"


def both(*command, **options):
    """The results of a command on its own and under sprof, which must not differ in any byte."""
    native = run(*command, **options)
    profiled = sprof("run", "-o", PROFILE, "--", *command, **options)
    assert profiled.out == native.out, f"{profiled.out[:300]!r}, not {native.out[:300]!r}"
    assert profiled.err == native.err, f"{profiled.err[:300]!r}, not {native.err[:300]!r}"
    return native, profiled


def shell(script, *command):
    """A shell that sets something up and becomes the command."""
    return run("/bin/sh", "-c", script, "sh", *command)


def check_death(number, how, *more):
    native, profiled = both(target("die-by"), how, *more)
    assert native.code == -number
    profiled.check(128 + number)


def test_exit_codes():
    for code in (0, 3, 255):
        native, profiled = both(target("exit-code"), code)
        assert native.code == code
        profiled.check(code)


def test_death_by_signal():
    for number in (signal.SIGTERM, signal.SIGSEGV, signal.SIGKILL, signal.SIGABRT, signal.SIGHUP):
        check_death(number, int(number))


def test_death_by_real_time_signal():
    check_death(signal.SIGRTMIN + 5, signal.SIGRTMIN + 5)


def test_death_by_fault():
    check_death(signal.SIGSEGV, "fault")
    check_death(signal.SIGSEGV, "fault", "thread")


def test_death_of_a_thread():
    check_death(signal.SIGKILL, int(signal.SIGKILL), "thread")


def test_the_main_thread_ends_first():
    """The status is the process's, also where the kernel shows the main thread's to whoever doesn't reap: before Linux 5.17."""
    for how, code in (("exit", 11), (signal.SIGTERM, -signal.SIGTERM), ("fault", -signal.SIGSEGV)):
        words = target("die-by"), int(how) if how == signal.SIGTERM else how, "last"
        native, profiled = both(*words)
        assert native.code == code
        shown = code if code > 0 else 128 - code
        profiled.check(shown)
        sprof("run", "-o", PROFILE, "--", *words, env=with_fault("wait-5.16:0:1+")).check(shown)
        sprof("syscalls", "-o", "calls.txt", "--", *words, env=with_fault("wait-5.16:0:1+")).check(shown)


def test_big_output():
    native, profiled = both("seq", 1, 2000000)
    assert native.out.endswith(b"\n2000000\n")
    profiled.check(0)


def test_input_is_passed_on():
    data = b"".join(b"%d\n" % i for i in range(50000))
    command = [SPROF, "run", "-o", PROFILE, "--", "sort", "-rn"]
    out = subprocess.run(command, input=data, stdout=subprocess.PIPE, check=True, timeout=600).stdout
    assert out == b"".join(b"%d\n" % i for i in reversed(range(50000)))


def check_with_closed(redirection, *command):
    """The same exit code and output when a standard stream is closed."""
    script = f'exec "$@" {redirection}'
    native = shell(script, *command)
    profiled = shell(script, SPROF, "run", "-o", PROFILE, "--", *command)
    assert (profiled.code, profiled.out, profiled.err) == (native.code, native.out, native.err), (
        f"{redirection}: {vars(profiled)}, not {vars(native)}")


def test_closed_streams():
    """`ls` would open its folder as the lowest free descriptor, so it shows what is closed."""
    for redirection in ("<&-", "2>&-", "<&- 2>&-"):
        check_with_closed(redirection, "ls", "/proc/self/fd/")
    for redirection in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
        check_with_closed(redirection, target("exit-code"), 3)


def test_reader_that_leaves():
    """Death by SIGPIPE is passed on too."""
    script = '{ "$@"; echo $? >code; } | head -n 1'
    shell(script, SPROF, "run", "-o", PROFILE, "--", "yes").check(0)
    with open("code", encoding="utf-8") as file:
        assert int(file.read()) == 128 + signal.SIGPIPE
    read_folded(PROFILE)


def test_stdout_without_a_reader():
    """One rule for all commands, whatever the program's own exit code is."""
    sprof("run", "-q", "-o", "x.pb.gz", "--", target("exit-code"), "0").check(0)
    calls = ("-e", "syscalls:sys_enter_brk", "-e", "syscalls:sys_exit_brk", "--source", "ptrace")
    program = ("--", target("exit-code"), "3")
    for words in (("run", *program), ("run", "-f", "text", *program), ("heap", *program), ("mem", *program),
                  ("heap", "--exact", "--breakpoints", *program), ("syscalls", "--source", "ptrace", *program),
                  ("syscalls", "--source", "ptrace", "-i", "1ms", "--", "sleep", "0.1"), ("trace", *calls, *program),
                  ("trace", "-i", "1ms", *calls, "--", "sleep", "0.1"), ("calls", "--breakpoints", "-F", "main", *program),
                  ("rundelay", *program), ("rundelay", "--json", *program), ("rundelay", "-i", "1ms", "--", "sleep", "0.1"),
                  ("dump", "-p", os.getpid()), ("dump", "--json", "-p", os.getpid()), ("report", "x.pb.gz"),
                  ("diff", "x.pb.gz", "x.pb.gz"), ("merge", "-o", "-", "-f", "folded", "x.pb.gz", "x.pb.gz"),
                  ("symbols", target("exit-code"), "main"), ("events",), ("--help",), ("run", "--help"), ("--list-formats",)):
        reader, writer = os.pipe()
        os.close(reader)
        result = sprof(*words, stdout=writer)
        assert result.code == 2 and re.search("Broken pipe|stdout has no reader", result.err), (words, result.code, result.err)
        os.close(writer)


if __name__ == "__main__":
    main()
