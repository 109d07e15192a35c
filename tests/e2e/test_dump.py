"""`sprof dump`: the stacks of all threads, once, and the target goes on."""

import json
import os
import re
import signal

from harness import (SPROF, Target, check_untouched, main, run, sprof, state_of, threads_of, wait_for_cpu,
                     wait_until)


def dump(program, *options):
    result = sprof("dump", "-p", program.pid, *options).check(0)
    check_untouched(program.pid)
    assert result.err == "", f"stderr: {result.err!r}"
    return result.text()


def check_has(text, *patterns):
    for pattern in patterns:
        assert re.search(pattern, text, re.MULTILINE), f"{pattern!r} not in:\n{text}"


def test_all_threads():
    """With id, name, functions, file and line, and for those that sleep the system call."""
    program = Target("threads", 2, 3)
    wait_until(lambda: [state_of(program.pid, tid) for tid in threads_of(program.pid)].count("S") == 4,
               "the main thread and three others sleep")
    text = dump(program)
    for tid in threads_of(program.pid):
        check_has(text, rf"\b{tid}\b")
    check_has(text, "busy-1", "asleep-2", "busy_worker", r"threads\.c:\d+", "futex", r"\bread\b")
    assert len(re.findall(r"\basleep_worker\b", text)) == 3
    wait_for_cpu(program.pid, 0.05)
    program.finish().check(0)


def test_deep_stack():
    program = Target("deep", 500, "sleep")
    text = dump(program)
    assert len(re.findall(r"\bdescend\b", text)) == 500
    check_has(text, "bottom_sleep", r"\bread\b", r"deep\.c:\d+")
    program.finish().check(0)


def test_large_stacks():
    """One look is enough, at a sleeper and at one that runs."""
    for how in (["sleep"], []):
        program = Target("deep", 8000, *how)
        text = dump(program)
        assert "ends early" not in text, text[-200:]
        assert len(re.findall(r"\bdescend\b", text)) == 8000
        program.finish().check(0)


def test_stopped_target():
    program = Target("stopped")
    os.waitpid(program.pid, os.WUNTRACED)
    text = sprof("dump", "-p", program.pid).check(0).text()
    check_has(text, r"\bmain\b", "count_on")
    # A thread that is let go runs for a moment before it stops again with the others (ptrace(2)).
    wait_until(lambda: {state_of(program.pid, tid) for tid in threads_of(program.pid)} == {"T"},
               "all threads are stopped as before")
    program.signal(signal.SIGCONT)
    assert program.line() == "continued"
    program.finish().check(0)


def test_sprof_is_no_child():
    """A shell that looks at itself has started sprof."""
    told = run("sh", "-c", '"$0" dump -p $$ --children --json; true', SPROF).check(0).out
    names = [[thread["name"] for thread in process["threads"]] for process in json.loads(told)["processes"]]
    assert names == [["sh"]], told


def test_again_and_again():
    """A target that is looked at often computes on, and no call of it is broken off."""
    program = Target("eintr")
    for _ in range(20):
        dump(program)
    assert '"eintr": 0' in program.finish().check(0).text()


if __name__ == "__main__":
    main()
