"""A target whose group has used up its share of the CPUs: what of its pauses is put down to sprof."""

from harness import Target, attach_for, check_near, main
from test_throttled import throttled


def test_throttled_time_is_no_pause():
    """It runs for 10 of 100 ms, and sprof has no part in that."""
    program = Target("threads", 2, 0)
    with throttled(program.pid, 20000, 100000):
        _, stats = attach_for("4s", program.pid, "-r", "99", "--max-overhead", "10")
    program.finish().check(0)
    print(f"{stats['stops']} stops, {stats['stop_ns_total'] / 1e6:.1f} ms, the longest "
          f"{stats['stop_ns_max'] / 1e6:.2f} ms; {stats['ticks']} ticks, "
          f"{stats['ticks_held_back']} held back, {stats['ticks_missed']} missed")
    assert stats["stop_ns_total"] < 0.05 * stats["duration_ns"], stats
    check_near(stats["ticks"] + stats["ticks_missed"], 4 * 99, 0.25 * 4 * 99, "ticks")


if __name__ == "__main__":
    main()
