"""--faults: who takes page faults, of a program that knows it, beside samples; and figures that add up to the kernel's."""

import json
import os
import re
import resource
import shutil
import sys

from harness import (SPROF, Skip, Target, as_plain_user, check_error, main, others, own_sprof, own_target, read_folded, require_switches,
                     run, sprof, target, tracer_of)
from test_rundelay import forbid_perf

TARGET = "toucher"
PAGE = 4096
FAILED = 2
USAGE = 64
# Pages that each function touches, with the one from when it ran first.
TOUCHED = {"mapped": 501, "allocated": 301, "of_a_file": 201, "again": 302, "on_the_stack": 101, "in_a_thread": 401, "after_exec": 250}
OUTER = ("in_a_thread", "after_exec")
IN_THE_KERNEL = 64
FILES = 40  # enough for the first thread, and not for all of them twice
# The loader has touched some of the stack before.
FORMER = {"on_the_stack": 8}
# Besides: pages of code and of libraries that a function meets for the first time.
OTHER = 8
EVERY = ("--faults=1",)


def part_of(stack):
    """The part of the program that a stack is of: threads and the second program use another part's code."""
    for name in (*OUTER, *TOUCHED):
        if name in stack:
            return name
    return None


def record(*options, program=SPROF, words=(), **how):
    """Faults by part of the program, all of them, those that were not seen, and what the kernel counted."""
    result = run(program, "run", *options, "-o", "x.folded", "-o", "x.pb.gz", "--", *(words or [target(TARGET)]), **how).check(7)
    folded = read_folded("x.folded")
    sums = dict.fromkeys(TOUCHED, 0)
    for stack, count in folded.stacks:
        if part_of(stack):
            sums[part_of(stack)] += count
    unseen = sum(count for stack, count in folded.stacks if "[not seen]" in stack)
    return sums, folded.total, unseen, json.loads(result.out.splitlines()[-1])["faults"], result


def check_parts(sums, unseen):
    """What the machine was too busy for is not in a part, but it is nowhere else either."""
    for name, pages in TOUCHED.items():
        assert pages - FORMER.get(name, 0) - unseen <= sums[name] <= pages + OTHER, (name, sums, unseen)


def check_total(total, counted):
    """The target has some more faults at its end, after it has read the kernel's figure."""
    assert counted <= total <= counted + 30, (total, counted)


def test_every_fault():
    require_switches()
    sums, total, unseen, counted, _ = record(*EVERY)
    check_parts(sums, max(0, unseen - IN_THE_KERNEL))
    check_total(total, counted)


def test_every_fault_of_an_ordinary_user():
    """What the kernel takes for the program, as in read(2), is told to root only."""
    require_switches()
    require_level(2)
    sums, total, unseen, counted, result = record(*EVERY, program=own_sprof(), words=[own_target(TARGET)], **as_plain_user())
    check_total(total, counted)
    if may_see_kernel():
        return
    assert IN_THE_KERNEL <= unseen, (unseen, result.err)
    check_parts(sums, unseen - IN_THE_KERNEL)
    assert "not seen" in result.err and "root only" in result.err, result.err


def test_some_faults():
    """The kernel chooses how many a record stands for; the total is the kernel's all the same."""
    require_switches()
    for options in ("--faults",), ("--faults=20",):
        sums, total, unseen, counted, _ = record(*options)
        check_total(total, counted)
        for name, pages in TOUCHED.items():
            assert sums[name] <= 1.5 * pages + 60, (options, name, sums)
        assert sum(sums.values()) + unseen > 0.8 * counted, (options, sums, unseen, counted)


# The leader touches more pages than all of the other program, which another thread executes.
LEADERS = 5000
LATE = f"""
import mmap, os, sys, threading
pages = mmap.mmap(-1, 4096 * {LEADERS})
pages.madvise(mmap.MADV_NOHUGEPAGE)
for i in range(0, len(pages), 4096): pages[i] = 1
threading.Thread(target=os.execv, args=(sys.argv[1], sys.argv[1:])).start()
threading.Event().wait()
"""
STEADY = "mapped", "of_a_file", "again", "in_a_thread", "after_exec"


def test_an_exec_by_another_thread_than_the_first():
    """It goes on under the leader's id, with its own figures."""
    require_switches()
    sums, total, unseen, counted, _ = record(*EVERY, words=[sys.executable, "-c", LATE, target(TARGET)])
    for name in STEADY:
        assert TOUCHED[name] - unseen <= sums[name] <= TOUCHED[name] + OTHER, (name, sums, unseen)
    # What the kernel has counted of the leader can't be read any more. So lost records of it are not in the total.
    assert counted - LEADERS < total <= counted + 30, (total, counted)


def test_kinds_and_formats():
    """The profile has samples and faults; a report shows faults first, and what else is asked for."""
    require_switches()
    _, total, unseen, _, _ = record(*EVERY)
    sprof("report", "x.pb.gz", "-o", "x.txt", "-o", "y.folded", "-o", "x.html", "-o", "x.json", "-o", "x.speedscope.json", "-o", "x.svg",
          "-o", "y.pb.gz").check(0)
    with open("x.txt", encoding="utf-8") as file:
        text = file.read()
    assert "flat profile, by faults" in text and "also has    touched" in text and "samples" in text, text
    assert re.search(rf"faults +{total} page faults touched [0-9.]+ MiB, .* % of them in touch called from mapped", text), text
    assert f"{unseen} not seen" in text if unseen else "not seen" not in text.split("flat profile")[0], text
    assert read_folded("y.folded").total == total
    sprof("report", "y.pb.gz", "-f", "folded", "-o", "z.folded").check(0)
    assert read_folded("z.folded").total == total
    sprof("report", "x.pb.gz", "--weight", "touched", "-o", "z.folded").check(0)
    assert read_folded("z.folded").total == total * PAGE
    assert "by wall" in sprof("report", "x.pb.gz", "--weight", "wall", "-f", "text").check(0).text()
    with open("x.speedscope.json", encoding="utf-8") as file:
        assert "mapped" in file.read()
    result = sprof("run", *EVERY, "--weight", "wall", "-o", "w.txt", "--", target(TARGET)).check(7)
    with open("w.txt", encoding="utf-8") as file:
        assert "flat profile, by wall" in file.read(), result.err


def test_a_running_process():
    require_switches()
    program = Target("threads", 1, 1)
    result = sprof("attach", "-p", program.pid, "--faults", "-d", "300ms", "-f", "text").check(0)
    assert "by faults" in result.text() and tracer_of(program.pid) == 0, result.text()
    program.finish().check(0)


def test_the_answer():
    """On a terminal it comes first."""
    require_switches()
    sprof("run", *EVERY, "-f", "summary", "-o", "answer.txt", "--", target(TARGET)).check(7)
    with open("answer.txt", encoding="utf-8") as file:
        lines = file.read().splitlines()
    assert re.match(r"faults +\d+ page faults touched", lines[1]), lines
    assert any(re.match(r"self total +[0-9.]+ % +[0-9.]+ %  touch", line) for line in lines), lines


def few_files():
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES))


def later_faults():
    """Those behind the burst that have a record. On a busy machine the ring may still be full of the burst."""
    result = sprof("run", "--faults", "-o", "x.folded", "--", target(TARGET), "burst", preexec_fn=few_files).check(7)
    later = sum(count for stack, count in read_folded("x.folded").stacks if "mapped" in stack)
    print(f"     {later} of {TOUCHED['mapped'] - 1} later faults: {result.err}")
    assert "could not be watched" not in result.err, result.err
    return later


def test_few_files():
    """There are not enough descriptors to watch the threads with another period: they are watched as before."""
    require_switches()
    assert any(later_faults() for _ in range(5))


def test_usage():
    check_error(sprof("run", "--faults", "--delay", "1s", "--", "true"), USAGE, "--faults", "--delay")
    check_error(sprof("run", "--weight", "faults", "--", "true"), USAGE, "--weight faults")


def test_where_perf_is_forbidden():
    """One line says why; the program is not started."""
    words = ["touch", "started"]
    result = sprof("run", "--faults", "--", *words, preexec_fn=forbid_perf)
    check_error(result, FAILED, "--faults", "seccomp")
    assert not os.path.exists("started") and not result.out, result.out


@others
def test_perf_agrees():
    """perf record, which takes each fault too."""
    require_switches()
    if not shutil.which("perf"):
        raise Skip("there is no perf here")
    if run("perf", "record", "-q", "-e", "page-faults", "-c", "1", "-o", "perf.data", "--", target(TARGET)).code != 7:
        raise Skip("perf may record nothing here")
    names = run("perf", "script", "-i", "perf.data", "-F", "ip,sym").check(0).text().split()
    _, _, unseen, _, _ = record(*EVERY)
    stacks = read_folded("x.folded").stacks
    for name in "mapped", "allocated", "of_a_file", "again", "on_the_stack":
        ours = sum(count for stack, count in stacks if [frame for frame in stack if frame != "touch"][-1:] == [name])
        theirs = names.count(name)
        print(f"     {name}: {ours} faults, by perf {theirs}")
        assert theirs - max(0, unseen - IN_THE_KERNEL) - OTHER <= ours <= theirs + OTHER, (name, ours, theirs, unseen)


def level():
    with open("/proc/sys/kernel/perf_event_paranoid", encoding="ascii") as file:
        return int(file.read())


def require_level(most):
    if level() > most:
        raise Skip(f"kernel.perf_event_paranoid is {level()}: ordinary users have no perf events")


def may_see_kernel():
    return level() < 2


if __name__ == "__main__":
    main()
