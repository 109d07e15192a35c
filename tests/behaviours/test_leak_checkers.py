"""Programs that look for leaks at their end: what they find, and how they end, is as without sprof."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "e2e"))
from harness import (Attached, Target, main, require, run, sprof, status_field, target,  # noqa: E402
                     wait_until)

CHECKS = {"ASAN_OPTIONS": "detect_leaks=1", "LSAN_OPTIONS": "detect_leaks=1"}
CHECK_LINE = "looks for leaks"


def leak_checkers():
    """The target's two builds; a compiler may lack the library of one."""
    found = [name for name in ("leaks-address", "leaks-leak") if os.path.exists(target(name))]
    require(found, "no sanitizer that looks for leaks")
    return found


def check_same(result, native, words):
    assert result.code == native.code, f"{words}: {result.code} {result.err}"
    for program in (result, native):
        assert "fatal error" not in program.err, f"{words}: {program.err}"
    sums = [[line for line in program.err.splitlines() if "SUMMARY" in line] for program in (result, native)]
    assert sums[0] == sums[1], f"{words}: {sums}"


def check_leaks_natively(name, count):
    native = run(target(name), str(count), env={**os.environ, **CHECKS})
    assert (native.code != 0) == ("detected memory leaks" in native.err) == bool(count), native.err
    return native


def test_leak_checkers():
    """They stop their own threads at their end: what they find and how they end is their own."""
    for name in leak_checkers():
        for count in (0, 5):
            native = check_leaks_natively(name, count)
            for words in (["run", "-r", "999", "-o", "x.folded"], ["run", "--source", "stop", "-o", "x.folded"],
                          ["syscalls"], ["syscalls", "-e", "write,clone"], ["heap"]):
                result = sprof(*words, "--", target(name), str(count), env={**os.environ, **CHECKS})
                check_same(result, native, [name, *words])
                assert words[0] != "run" or result.out == native.out, f"{words}: {result.out}"
                assert CHECK_LINE in result.err, result.err


def test_leak_checkers_under_attach():
    for name in leak_checkers():
        for count in (0, 5):
            native = check_leaks_natively(name, count)
            for source in ("auto", "stop"):
                program = Target(name, str(count), env={**os.environ, **CHECKS})
                switches = int(status_field(program.pid, "voluntary_ctxt_switches"))
                attached = Attached(program.pid, "-o", "y.folded", "--source", source)
                wait_until(lambda: int(status_field(program.pid, "voluntary_ctxt_switches")) > switches,
                           "its main thread is watched")
                program.say("go\n")
                check_same(program.finish(), native, [name, source])
                assert CHECK_LINE in attached.finish().err


if __name__ == "__main__":
    main()
