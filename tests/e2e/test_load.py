"""A machine that is too slow for the rate, and a user who wants less: fewer samples, the same shares."""

import os
import signal

from harness import (PROFILE, ROUNDS, Attached, Target, attach_for, check_error, check_near, check_untouched,
                     cpu_ticks, main, measured, median, median_of, read_profile, sprof, state_of, threads_of,
                     wait_for_cpu, wait_until)

NEEDS_CPUS = True


def cost(stats):
    """The share of a CPU's time that sampling has taken, with the start and the names in it."""
    return (stats["profiler_cpu_ns"] + stats["stop_ns_total"]) / stats["duration_ns"]


def is_bounded(used):
    """By 0.05; 0.02 is what naming and the start take of 6 s."""
    return 0.025 < used < 0.05 + 0.02


def test_bounded_overhead():
    """At a rate that takes much more than is allowed."""
    program = Target("threads", 1, 20)
    much = ("--source", "stop", "-r", "5000")
    free = [attach_for("1s", program.pid, *much)[1] for _ in range(ROUNDS)]
    bounded = measured(lambda: attach_for("6s", program.pid, *much, "--max-overhead", "5"),
                       lambda attached: is_bounded(cost(attached[1])))
    report = sprof("attach", "-p", program.pid, "-d", "1s", *much, "--max-overhead", "1%", "-f", "text").check(0).text()
    program.finish().check(0)
    costs = sorted(map(cost, free)), sorted(cost(stats) for _, stats in bounded)
    print(f"     of a CPU, unbounded: {costs[0]}; at most 0.05: {costs[1]}")
    assert median(costs[0]) > 0.10, "no load for this test"
    assert is_bounded(median(costs[1])), costs
    assert not any(stats["ticks_held_back"] for stats in free), free
    for folded, stats in bounded:
        assert stats["ticks_held_back"] > 0, stats
        check_near(folded.total, 22 * 6e6, 0.02 * 22 * 6e6, "the wall time of all threads, in us")
    assert "held back by --max-overhead" in report, report


def test_bounded_overhead_of_a_crowd():
    """
    So many busy threads that each stop is a wait for a CPU. For long enough: the start and the names take the same
    however long it goes on.
    """
    program, most = Target("threads", 40, 0), 0.05 + 0.03
    used = median_of("of a CPU, at most 0.05", lambda: cost(
        attach_for("6s", program.pid, "-r", "500", "--max-overhead", "5")[1]), is_right=lambda used: used < most)
    program.finish().check(0)
    assert used < most, used


def test_enough_budget_changes_nothing():
    program = Target("threads", 1, 2)
    _, stats = attach_for("1s", program.pid, "--max-overhead", "50")
    program.finish().check(0)
    assert stats["ticks"] + stats["ticks_missed"] >= 97, stats


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


def test_sprof_stopped_for_a_while():
    """What it missed is counted, and the time is there all the same; its target is not held up."""
    program = Target("spin-two")
    attached = Attached(program.pid, *PROFILE, "-d", "3s")
    wait_for_cpu(program.pid, 0.5)
    stop_between_samples(attached, program.pid)
    ticks = cpu_ticks(program.pid)
    wait_until(lambda: cpu_ticks(program.pid) > ticks + 100, "the target computes on")
    attached.signal(signal.SIGCONT)
    attached.finish().check(0)
    check_untouched(program.pid)
    program.finish().check(0)
    folded, stats = read_profile()
    # Timers in the kernel went on, until there was no room for their records.
    assert stats["ticks_missed"] + stats["samples_lost"] > 40 and stats["ticks_late"] >= 1, stats
    seconds = stats["duration_ns"] / 1e9
    check_near(stats["ticks"] + stats["ticks_missed"], 99 * seconds, 0.02 * 99 * seconds + 3, "ticks")
    check_near(folded.total, seconds * 1e6, 2e4 * seconds, "the wall time in us")
    check_near(folded.weight("spin_three") / folded.weight("spin_one|spin_three"), 0.75, 0.12,
               "the share of spin_three")


def test_events_do_not_prolong_the_wait_for_a_stop():
    """
    A thread that was asked to stop, and waits uninterruptibly now, for a second, while others come and go all
    the time. No tick waits for it, and the end does not wait for longer than that second.
    """
    program = Target("storm", 40)
    _, stats = attach_for("2s", program.pid, "-r", "999")
    check_untouched(program.pid)
    program.finish().check(0)
    assert stats["stop_ns_max"] < 5e8, stats
    assert stats["duration_ns"] < 3.5e9, stats


def test_sprof_without_a_cpu():
    """At the lowest priority beside programs that take every CPU. As root it raises that, and may miss no tick."""
    crowd = [Target("threads", 1, 0) for _ in range(os.cpu_count() or 1)]
    program = Target("spin-two")
    attached = Attached(program.pid, *PROFILE, "-r", "999", "-d", "2s",
                        preexec_fn=lambda: os.nice(19))
    attached.finish().check(0)
    check_untouched(program.pid)
    for other in [*crowd, program]:
        other.finish().check(0)
    folded, stats = read_profile()
    planned = stats["rate_hz"] * stats["duration_ns"] / 1e9
    check_near(stats["ticks"] + stats["ticks_missed"] + stats["ticks_held_back"], planned, 0.02 * planned, "ticks")
    check_near(folded.total, stats["duration_ns"] / 1e3, 0.02 * stats["duration_ns"] / 1e3,
               "the wall time in us")
    used = folded.weight("spin_one|spin_three")
    check_near(folded.weight("spin_three") / used, 0.75, 0.15, "the share of spin_three")


if __name__ == "__main__":
    main()
