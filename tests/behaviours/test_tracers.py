"""Programs that trace others themselves, under sprof run: they work, and sprof says that it left them
what they started."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "e2e"))
from harness import main, read_folded, require_machine, run, sprof, target, tool, wait_until  # noqa: E402

LINE = "traces processes itself"


def under_sprof(*command):
    result = sprof("run", "-r", "999", "-o", "x.folded", "--", *command)
    read_folded("x.folded")
    return result


def check_left_alone(result, name):
    lines = [line for line in result.err.splitlines() if LINE in line]
    assert len(lines) == 1 and lines[0].startswith(f"sprof: {name} "), result.err


def test_strace():
    for options in ([], ["-f"]):
        native = run(tool("strace"), *options, "-qq", "-o", "a", "sh", "-c", "ls /; exit 4").check(4)
        result = under_sprof("strace", *options, "-qq", "-o", "b", "sh", "-c", "ls /; exit 4").check(4)
        assert result.out == native.out
        check_left_alone(result, "strace")
        assert "exit_group(4)" in open("b", encoding="utf-8").read()


def test_gdb():
    command = [tool("gdb"), "-nx", "-batch", "-ex", "break target_init", "-ex", "run", "-ex", "bt 1",
               "-ex", "continue", "--args", target("exit-code"), "3"]
    result = under_sprof(*command).check(0)
    check_left_alone(result, "gdb")
    assert "target_init" in result.text() and "exited with code 03" in result.text(), result.text()


def test_in_a_script():
    """The shell's other children are followed."""
    result = under_sprof("sh", "-c", f"{tool('strace')} -qq -o c true; {target('spin-two')} 200")
    check_left_alone(result.check(0), "strace")
    read_folded("x.folded").check("spin_three")


def test_first_moments():
    """A debugger that traces its children at once, in every way, and each of them: also the first."""
    for way in ("seize", "attach", "traceme", "exec"):
        native = run(target("debugger"), way).check(0)
        assert native.text() == "100 of 100 traced\n", native.text()
        result = under_sprof(target("debugger"), way).check(0)
        assert result.out == native.out, f"{way}: {result.text()}"
        check_left_alone(result, "debugger")


def calls_of_hit(way):
    """In the program and its children, as long as they are sprof's, while none of them comes to a breakpoint otherwise."""
    native = run(target("let-go"), way).check(0)
    assert native.text() == "50 of 50 right\n", native.text()
    result = sprof("calls", "--breakpoints", "--overhead", "0", "--json", "-F", "hit", "-o", "x.json",
                   "--", target("let-go"), way).check(0)
    assert result.out == native.out, f"{way}: {result.text()}"
    check_left_alone(result, "let-go")
    with open("x.json", encoding="utf-8") as file:
        (row,) = json.load(file)["functions"]
    return row["calls"]


def test_breakpoints_stay_behind():
    """A child that is left to another tracer has none of sprof's, nor has a thread of it that nobody wants. Those of
    the program itself are in their places afterwards."""
    require_machine(os.uname().machine == "x86_64", "breakpoints are for x86_64")
    assert calls_of_hit("traceme") == 50 * 101
    assert calls_of_hit("vfork") == 50
    assert calls_of_hit("seize") >= 50


def test_children_that_nobody_traces():
    """A program with a debugger in it that it doesn't use: its children are followed."""
    result = under_sprof(target("debugger"), "none").check(5)
    assert LINE not in result.err, result.err
    read_folded("x.folded").check("child_computes")


def test_debugger_of_its_parent():
    """strace -D is started by what it traces, as its child or grandchild."""
    result = under_sprof("strace", "-D", "-f", "-qq", "-o", "d", "sh", "-c", "ls / >/dev/null; exit 6")
    check_left_alone(result.check(6), "strace")
    wait_until(lambda: "exit_group(6)" in open("d", encoding="utf-8").read(), "strace writes its end")


def test_nothing_to_say():
    result = under_sprof("strace", "-V").check(0)
    assert LINE not in result.err, result.err


if __name__ == "__main__":
    main()
