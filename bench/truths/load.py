"""What sampling costs where it is bounded, and that a full or slow machine changes no share."""

import os

from harness import PROFILE, Attached, Target, attach_for, check_near, check_untouched, main, read_profile
from rounds import ROUNDS, measured, median, median_of


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
    program.finish().check(0)
    costs = sorted(map(cost, free)), sorted(cost(stats) for _, stats in bounded)
    print(f"     of a CPU, unbounded: {costs[0]}; at most 0.05: {costs[1]}")
    assert median(costs[0]) > 0.10, "no load for this test"
    assert is_bounded(median(costs[1])), costs
    assert not any(stats["ticks_held_back"] for stats in free), free
    for folded, stats in bounded:
        assert stats["ticks_held_back"] > 0, stats
        check_near(folded.total, 22 * 6e6, 0.02 * 22 * 6e6, "the wall time of all threads, in us")


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


def test_every_tick_within_a_budget():
    program = Target("threads", 1, 2)
    _, stats = attach_for("1s", program.pid, "--max-overhead", "50")
    program.finish().check(0)
    assert stats["ticks"] + stats["ticks_missed"] >= 97, stats


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
