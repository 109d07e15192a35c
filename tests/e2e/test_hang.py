"""Memory that never comes while the program stands still: sprof ends, the program goes on, what was recorded is there."""

import subprocess

from harness import SPROF, Attached, Program, Target, main, require_machine, sprof, tracer_of, wait_for_cpu, wait_until

READS = ("--source", "stop", "-r", "200")


def plain(**options):
    """Its stack is still whole."""
    program = Target("absent-stack", **options)
    require_machine(program.said[0] == "absent", "userfaultfd(2) is not permitted")
    return program


def go_below(program):
    program.say("x")
    assert program.line() == "below"


def absent():
    program = plain()
    go_below(program)
    return program


def check_goes_on(program):
    """With no tracer, and to its right end."""
    assert tracer_of(program.pid) == 0
    wait_for_cpu(program.pid, 0.1)
    program.finish().check(7)


def check_said(result):
    assert "a page did not come" in result.err and "hint: userfaultfd" in result.err, result.err


def check_recorded():
    text = sprof("report", "x.pb.gz").check(0).text()
    assert "spin_plainly" in text, text


def test_attach():
    """What was recorded before is written."""
    program = plain()
    attached = Attached(program.pid, *READS, "-o", "x.pb.gz")
    wait_for_cpu(program.pid, 2.5)  # a window of times is closed each second
    go_below(program)
    attached.wait()
    check_said(attached.finish().check(1))
    check_recorded()
    check_goes_on(program)


def test_a_signal_meanwhile():
    program = absent()
    attached = Program([SPROF, "attach", *READS, "-o", "x.pb.gz", "-p", program.pid], stdin=subprocess.DEVNULL)
    wait_until(lambda: tracer_of(program.pid) or not attached.alive(), "it attaches")
    attached.signal(15)
    check_said(attached.finish().check(1))
    check_goes_on(program)


def test_other_commands():
    """They say what has happened, and let the program go."""
    program = absent()
    for words in (("dump",), ("syscalls", "--sample", "--source", "ptrace", "-d", "600")):
        result = sprof(*words, "-p", program.pid)
        assert result.code in (0, 2), (words, result.err)
        if result.code:
            check_said(result)
        assert tracer_of(program.pid) == 0, words
    check_goes_on(program)


def test_run():
    """sprof ends behind the program that it has started."""
    program = plain(before=(SPROF, "run", *READS, "-o", "x.pb.gz", "--"))
    wait_for_cpu(int(program.said[1]), 2.5)
    go_below(program)
    wait_until(lambda: "a page did not come" in program.stderr(), "sprof lets it go", program.stderr)
    assert program.alive()
    check_said(program.finish().check(1))
    check_recorded()


if __name__ == "__main__":
    main()
