"""What sprof top costs."""

import os
import time

from harness import Target, cpu_ticks, main, tracer_of
from test_top import Top


def test_the_cost_of_a_hundred_threads():
    """After the names, which are looked up once: 5 % of a CPU at most, all threads of sprof together."""
    victim = Target("threads", 2, 97)
    with Top(24, 80, "-p", victim.pid) as top:
        top.wait(r" 100 threads")
        top.press("2")
        top.wait(r"^running, last [3-9]\.\d s")
        sprof_pid = tracer_of(victim.pid)
        before, begin = cpu_ticks(sprof_pid), time.monotonic()
        top.wait(r"^running, last (9|1\d)\.\d s")
        used = (cpu_ticks(sprof_pid) - before) / os.sysconf("SC_CLK_TCK")
        share = used / (time.monotonic() - begin)
        top.press("q")
        assert top.status() == 0
    victim.finish()
    print(f"     {100 * share:.1f} % of a CPU")
    assert share <= 0.05, share


if __name__ == "__main__":
    main()
