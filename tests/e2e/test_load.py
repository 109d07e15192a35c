"""A machine that is too slow for the rate, and a user who wants less: fewer samples, the same shares."""

import os
import signal

from harness import (PROFILE, Attached, Target, attach_for, attach_while, check_error, check_untouched, cpu_ticks, main,
                     read_profile, sprof, state_of, threads_of, wait_for_cpu, wait_until)

THREADS = 22


def check_time_is_there(folded, stats, threads):
    """Other samples have the time of ticks that had none. (sprof may come late to its end, or to a thread.)"""
    wall = threads * stats["duration_ns"] / 1e3
    assert 0.7 * wall < folded.total < 2 * wall, (folded.total, wall, stats)


def test_bounded_overhead():
    """At a rate that takes much more than is allowed, on any machine."""
    program = Target("threads", 1, THREADS - 2)
    much = ("--source", "stop", "-r", "5000")
    free = attach_for("1s", program.pid, *much)[1]
    folded, bounded = attach_for("3s", program.pid, *much, "--max-overhead", "0.5")
    report = sprof("attach", "-p", program.pid, "-d", "1s", *much, "--max-overhead", "0.5%", "-f", "text").check(0).text()
    program.finish().check(0)
    assert free["ticks_held_back"] == 0, free
    assert bounded["ticks_held_back"] > 0 and bounded["stops"] < free["stops"], (free, bounded)
    check_time_is_there(folded, bounded, THREADS)
    assert "held back by --max-overhead" in report, report


def test_enough_budget_changes_nothing():
    program = Target("threads", 1, 0)
    stats = attach_while(program.pid, 0.5, "--max-overhead", "100")[1]
    program.finish().check(0)
    assert stats["ticks"] > 0 and stats["ticks_held_back"] == 0, stats


def test_wrong_percentages():
    for text in ("0", "-1", "101", "nan", "x", "", "5%%"):
        check_error(sprof("run", "--max-overhead", text, "--", "true"), 64, "max-overhead")


def is_held(pid):
    """Whether one of its threads stands in a stop of its tracer."""
    return "t" in [state_of(pid, tid) for tid in threads_of(pid)]


def goes_on(pid):
    """Whether it computes for so long that a stop it was asked for would have come."""
    ticks = cpu_ticks(pid)
    wait_until(lambda: is_held(pid) or cpu_ticks(pid) > ticks + 2, "the target is held or computes")
    return not is_held(pid)


def stop_between_samples(attached, pid):
    """SIGSTOP cannot be caught: a thread that sprof holds just then waits for SIGCONT, too. That is rare."""
    for _ in range(3):
        attached.signal(signal.SIGSTOP)
        wait_until(lambda: state_of(attached.pid) == "T", "sprof is stopped")
        if goes_on(pid):
            return
        attached.signal(signal.SIGCONT)
        wait_until(lambda: not is_held(pid), "sprof lets the target go on")
    raise AssertionError("the target was held up by each SIGSTOP of sprof")


def check_ticks(stats):
    """Each tick was taken, held back, or is said to be missed; but for the last ones, if sprof came late to its end."""
    planned = stats["rate_hz"] * stats["duration_ns"] / 1e9
    ticks = stats["ticks"] + stats["ticks_missed"] + stats["ticks_held_back"]
    assert 0.8 * planned - 2 <= ticks <= 1.02 * planned + 2, (planned, stats)


def test_sprof_stopped_for_a_while():
    """What it missed is counted, and the time is there all the same; its target is not held up."""
    program = Target("spin-two")
    attached = Attached(program.pid, *PROFILE)
    wait_for_cpu(program.pid, 0.5)
    stop_between_samples(attached, program.pid)
    wait_for_cpu(program.pid, 1)
    attached.signal(signal.SIGCONT)
    wait_for_cpu(program.pid, 0.5)
    attached.stop().check(0)
    check_untouched(program.pid)
    program.finish().check(0)
    folded, stats = read_profile()
    # Timers in the kernel went on, until there was no room for their records.
    assert stats["ticks_missed"] + stats["samples_lost"] > 0 and stats["ticks_late"] >= 1, stats
    check_ticks(stats)
    check_time_is_there(folded, stats, 1)


def test_events_do_not_prolong_the_wait_for_a_stop():
    """
    A thread that was asked to stop, and waits uninterruptibly now, for a second, while others come and go all
    the time. The end comes, and nobody is left stopped.
    """
    program = Target("storm", 40)
    _, stats = attach_for("2s", program.pid, "-r", "999", "-q")
    check_untouched(program.pid)
    program.finish().check(0)
    assert stats["threads_seen"] > 40 and stats["ticks"] > 0, stats


def test_sprof_without_a_cpu():
    """At the lowest priority beside programs that take every CPU: no tick is unaccounted for."""
    crowd = [Target("threads", 1, 0) for _ in range(os.cpu_count() or 1)]
    program = Target("spin-two")
    attached = Attached(program.pid, *PROFILE, "-r", "999", preexec_fn=lambda: os.nice(19))
    wait_for_cpu(program.pid, 1)
    attached.stop().check(0)
    check_untouched(program.pid)
    for other in [*crowd, program]:
        other.finish().check(0)
    folded, stats = read_profile()
    check_ticks(stats)
    check_time_is_there(folded, stats, 1)
    folded.check("spin_one", "spin_three")


if __name__ == "__main__":
    main()
