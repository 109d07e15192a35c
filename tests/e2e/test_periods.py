"""`--every`: one file per period, and together they are what one recording of that length is."""

import glob
import json
import os
import shutil
import signal

from harness import (SPROF, Attached, Program, Target, attach_for, check_error, check_near, check_untouched,
                     main, read_folded, read_profile, sprof, status_field, target, tool, wait_for_cpu,
                     wait_until)

EVERY = ("--every", "1s", "-o", "x-%n.folded", "--stats", "x-%n.json", "-t")


def number_of(path):
    return int(path.rpartition("-")[2].partition(".")[0])


def read_periods():
    """The profiles and figures of all periods, in their order."""
    stats = []
    for path in sorted(glob.glob("x-*.json"), key=number_of):
        with open(path, encoding="utf-8") as file:
            stats.append(json.load(file))
    profiles = [read_folded(path) for path in sorted(glob.glob("x-*.folded"), key=number_of)]
    assert len(profiles) == len(stats), os.listdir(".")
    return profiles, stats


def check_sums(profiles, stats, duration, threads):
    """
    Every period is whole in itself, and no time is between two of them, or in both. On a busy machine, the last tick of a
    period takes its time.
    """
    for profile, figures in zip(profiles, stats):
        wall = figures["duration_ns"] / 1e3 * threads
        assert 0.5 * wall - 30000 * threads < profile.total < 3 * wall, (profile.total, wall)
        assert 0 < figures["samples"] <= 1.1 * threads * (figures["ticks"] + figures["ticks_missed"] + 1), figures
        assert figures["threads_seen"] == threads, figures
    seconds = sum(figures["duration_ns"] for figures in stats) / 1e9
    assert duration - 0.01 <= seconds, f"{seconds} s in all"
    planned = seconds * stats[0]["rate_hz"]
    ticks = sum(figures["ticks"] + figures["ticks_missed"] for figures in stats)
    check_near(ticks, planned, 0.2 * planned + len(stats) + 2, "ticks")
    whole = seconds * threads * 1e6
    assert 0.8 * whole < sum(profile.total for profile in profiles) < 1.5 * whole, (profiles, whole)


def test_periods_add_up():
    program = Target("threads", 1, 3)
    attached = Attached(program.pid, "-d", "3500ms", *EVERY)
    attached.finish().check(0)
    check_untouched(program.pid)
    profiles, stats = read_periods()
    assert 2 <= len(profiles) <= 4, os.listdir(".")
    check_sums(profiles, stats, 3.5, 5)
    # On a busy machine, a short period may end before a thread that runs has stopped. Its time is then [unsampled].
    for profile in profiles:
        profile.check("asleep_worker", r"burn|\[unsampled\]", r"busy_w.*|busy-0.*|busy.*")
    assert any(profile.weight("burn") for profile in profiles), profiles
    program.finish().check(0)


def test_time_without_a_cpu_is_told_once():
    """What passes while sprof itself is held up is missed, or samples stand for it."""
    program = Target("threads", 1, 3)
    for held_up_from in (0.15, 0.2, 0.25):
        attached = Attached(program.pid, "-d", "1s", "-o", "x-1.folded", "--stats", "x-1.json", "-t")
        wait_for_cpu(program.pid, held_up_from)
        attached.signal(signal.SIGSTOP)
        wait_for_cpu(program.pid, 0.07)
        attached.signal(signal.SIGCONT)
        attached.finish().check(0)
        check_sums(*read_periods(), 1, 5)
    program.finish().check(0)


def test_periods_have_the_kernels_cpu_time():
    """What a spinning thread used is in one period or the other, and nowhere twice."""
    program = Target("spin-two")
    attached = Attached(program.pid, "-d", "2500ms", "--weight", "user", *EVERY)
    before = cpu_ns(program.pid)
    attached.finish().check(0)
    after = cpu_ns(program.pid)
    profiles, _ = read_periods()
    used = sum(profile.total for profile in profiles)
    # It also ran while sprof began, and while it wrote the last file.
    spent = (after - before) / 1e3
    assert 0.5 * spent < used < 1.05 * spent, (used, spent)
    program.finish().check(0)


def cpu_ns(pid):
    with open(f"/proc/{pid}/schedstat", encoding="utf-8") as file:
        return int(file.read().split()[0])


def test_files_by_time_and_a_snapshot_between():
    """Each file appears while the recording goes on; SIGUSR1 is no end of a period."""
    program = Target("spin-two")
    attached = Attached(program.pid, "--every", "1s", "-o", "x-%t.folded", "-o", "x-%t.pb.gz")
    wait_until(lambda: len(glob.glob("x-*.folded")) >= 2, "two files")
    attached.signal(signal.SIGUSR1)
    wait_until(lambda: len(glob.glob("x-*.folded")) >= 3, "a third one")
    wait_for_cpu(program.pid, 0.1)
    attached.stop().check(0)
    files = sorted(glob.glob("x-*.folded"))
    for path in files[:-1]:
        read_folded(path).check("spin_round")
    assert len(glob.glob("x-*.pb.gz")) == len(files), os.listdir(".")
    merged = sprof("merge", "-o", "all.folded", *glob.glob("x-*.pb.gz")).check(0)
    assert merged.err == "", merged.err
    total = sum(read_folded(path).total for path in files)
    check_near(read_folded("all.folded").total, total, 0.001 * total, "the sum of all files")
    program.finish().check(0)


def test_children_and_locks_across_periods():
    """Threads and processes that come and go, locks and their holders: a period forgets the last."""
    run = Target("blocked", "mutex", "3", before=[SPROF, "run", "--every", "1s", "-r", "499",
                                                "-o", "x-%n.folded", "--stats", "x-%n.json", "--"])
    run.finish().check(0)
    profiles, _ = read_periods()
    assert len(profiles) >= 2, os.listdir(".")


def test_one_name_for_all_periods():
    for words in ((), ("-o", "x.folded"), ("-o", "x-%p.folded"), ("-o", "-"),
                  ("-o", "x-%t.folded", "--stats", "x.json"), ("-o", "x-%t.folded", "-o", "y.txt")):
        check_error(sprof("run", "--every", "1s", *words, "--", "true"), 64, "--every", "%t")
    check_error(sprof("run", "--every", "10ms", "-o", "x-%t.folded", "--", "true"), 64, "--every", "1s")
    assert os.listdir(".") == []


def test_bounded_stacks():
    """What is beyond the bound is [other], with all its time, and the figures say so."""
    program = Target("spin-two")
    folded, stats = attach_for("1s", program.pid, "--max-stacks", "1", "-r", "499")
    report = sprof("attach", "-p", program.pid, "-d", "1s", "--max-stacks", "1", "-r", "499", "-f", "text")
    program.finish().check(0)
    assert 0 < stats["samples_folded"] < stats["samples"], stats
    assert folded.has("[other]") and folded.has("main", "spin_round"), folded.stacks
    # On a busy machine sprof comes late to its end.
    check_near(folded.total, stats["duration_ns"] / 1e3, 0.3 * stats["duration_ns"] / 1e3, "the time of all stacks in us")
    assert "are [other]; see --max-stacks" in report.check(0).text(), report.text()


def most_resident_kb(pid):
    """Up to now: within a period it goes up and down."""
    return int(status_field(pid, "VmHWM").split()[0])


def weather(storm, *options):
    """What is left of a storm of births and deaths: all figures of sprof's, first and last."""
    program = Target("storm", storm)
    attached = Attached(program.pid, "-r", "499", *EVERY, "-o", "y-%n.json", *options)
    states = []
    for number in (3, 7):
        wait_until(lambda number=number: os.path.exists(f"x-{number}.json"), f"{number} periods")
        states.append((most_resident_kb(attached.pid), len(os.listdir(f"/proc/{attached.pid}/fd"))))
    attached.stop().check(0)
    program.finish().check(0)
    return states


def check_nothing_grows(states, lives):
    """With a file per period, nothing follows time or how many lives there have been."""
    (before, files_before), (after, files_after) = states
    print(f"{lives} lives: {before} kB became {after} kB, {files_before} open files {files_after}")
    assert lives > 100, lives
    assert after < before + 4000, f"{before} kB became {after} kB with {lives} lives"
    assert files_after < files_before + 40, f"{files_before} open files became {files_after}"
    with open("y-7.json", encoding="utf-8") as file:
        modules = json.load(file)["modules"]
    assert len(modules) < 30, f"{len(modules)} modules"


def test_nothing_is_kept_of_threads_that_have_ended():
    states = weather("threads")
    check_nothing_grows(states, sum(figures["threads_seen"] for figures in read_periods()[1]))


def test_nothing_is_kept_of_processes_that_have_ended():
    states = weather("processes", "--children")
    check_nothing_grows(states, sum(figures["processes_seen"] for figures in read_periods()[1]))


def test_more_files_than_descriptors():
    """Files of code are kept open; so many of them that there is no room for more must leave some for writing."""
    for number in range(80):
        shutil.copy(target("exit-code"), f"program-{number}")
    script = "for p in ./program-*; do $p 0 >/dev/null 2>&1; done; read -r line"
    attached = Program([tool("prlimit"), "--nofile=60:60", SPROF, "run", "-r", "5000", "--every", "1s",
                        "-o", "x-%n.folded", "--", "/bin/sh", "-c", script])
    wait_until(lambda: os.path.exists("x-2.folded"), "two periods")
    result = attached.finish()
    assert "open files" not in result.err, result.err


def test_stats_have_placeholders():
    sprof("run", "-o", "x.folded", "--stats", "x-%n.json", "--", "true").check(0)
    os.rename("x-1.json", "x.json")
    read_profile()


if __name__ == "__main__":
    main()
