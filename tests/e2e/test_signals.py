"""Each signal to each command that measures: it ends it with its result, or means nothing to it."""

import signal
import subprocess

from harness import SPROF, Program, Target, check_untouched, main, tracer_of, wait_until
from test_guardian import has_breakpoint, require_breakpoints

# What each command is given.
COMMANDS = {
    "attach": (),
    "syscalls": (),
    "heap": (),
    "heap --rate": (),
    "heap --exact": ("--breakpoints",),
    "calls": ("--breakpoints", "-F", "spin_round"),
    "trace": ("--source", "ptrace", "-e", "syscalls:sys_enter_nanosleep", "-e", "syscalls:sys_exit_nanosleep"),
    "mem": (),
    "rundelay": ("--source", "proc"),
}
ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
MEANS_NOTHING = (signal.SIGUSR1, signal.SIGUSR2, signal.SIGPIPE)
# What observes traces nothing, and says when it has begun.
OBSERVERS = ("mem", "rundelay")


def words_of(name, *words):
    return [SPROF, *name.split(), "-v", *COMMANDS[name], *words]


def begin(name, pid, **options):
    """The command, which has begun to watch the process."""
    program = Program(words_of(name, "-p", pid), stdin=subprocess.DEVNULL, **options)
    has_begun = (lambda: "watching" in program.stderr()) if name in OBSERVERS else (lambda: tracer_of(pid))
    wait_until(lambda: has_begun() or not program.alive(), f"{name} begins", program.stderr)
    assert program.alive(), (name, program.stderr())
    return program


def check_ended(name, program):
    """With what it has measured, which may be nothing yet."""
    result = program.finish()
    is_early = result.code == 1 and "no samples" in result.err
    assert is_early or (result.code == 0 and result.out), (name, result.code, result.out, result.err)


def test_attached():
    watched = Target("spin-two")
    for name in COMMANDS:
        for number in ENDS:
            program = begin(name, watched.pid)
            for other in MEANS_NOTHING:
                program.signal(other)
            program.signal(number)
            check_ended(name, program)
            check_untouched(watched.pid)
    watched.finish().check(0)


def test_what_the_program_sends_its_parent():
    """It does not come back, whatever its parent would have done with it. The program goes on when sprof has taken it."""
    waits = "while ! grep -q 'ShdPnd:.*0000000000000000' /proc/$PPID/status; do :; done; grep -c . /proc/$PPID/status"
    for number in ("INT", "TERM", "HUP", "QUIT"):
        for command in (["run", "-f", "folded", "-o", "/dev/null"], ["syscalls", "-o", "calls.txt"]):
            result = subprocess.run([SPROF, *command, "--", "sh", "-c", f"kill -{number} $PPID; {waits}; echo alive"],
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
            assert result.returncode == 0 and "alive" in result.stdout, (number, command, result)


def test_in_the_background_of_a_script():
    """Where a shell has it ignore SIGINT."""
    watched = Target("spin-two")
    for name in COMMANDS:
        program = begin(name, watched.pid, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
        program.signal(signal.SIGINT)
        check_ended(name, program)
    watched.finish().check(0)


def test_quit():
    """It ends sprof at once, and the process runs on."""
    watched = Target("spin-two")
    for name in COMMANDS:
        program = begin(name, watched.pid)
        program.signal(signal.SIGQUIT)
        assert program.finish().code in (-signal.SIGQUIT, 128 + signal.SIGQUIT), name
        wait_until(lambda: not tracer_of(watched.pid), "it is let go")
        check_untouched(watched.pid)
    watched.finish().check(0)


def test_started():
    """The program gets what ends it, and no request."""
    for name in COMMANDS:
        if name == "attach":
            continue
        for number in (*ENDS, signal.SIGQUIT, None):
            program = Target("spin-two", before=words_of(name, "--"))
            for other in MEANS_NOTHING:
                program.signal(other)
            if number:
                program.signal(number)
                program.wait()
            result = program.finish()
            result.check(128 + number if number else 0)
            assert result.text(), (name, number, result.err)


def what_sigtrap_is(how):
    """In a program to which sprof attaches, after breakpoints have come in each of its threads."""
    trapped = Target("trapped", how)
    work = int(trapped.said[1], 16)
    calls = Program([SPROF, "calls", "-q", "--overhead", "0", "--breakpoints", "-F", "work", "-o", f"{how}.txt", "-p", trapped.pid],
                    stdin=subprocess.DEVNULL)
    wait_until(lambda: has_breakpoint(trapped.pid, work) or not calls.alive(), "a breakpoint is put in", calls.stderr)
    trapped.say("go\n")
    answer = trapped.line()
    trapped.finish().check(0)
    calls.finish().check(0)
    with open(f"{how}.txt", encoding="utf-8") as file:
        assert "200 calls" in file.read(), how
    return answer


def test_sigtrap_is_the_programs_own():
    require_breakpoints()
    assert what_sigtrap_is("block") == "blocked default"
    assert what_sigtrap_is("ignore") == "free ignored"
    assert what_sigtrap_is("handle") == "free handled"


if __name__ == "__main__":
    main()
