"""What is wait and what is not, to a few ms: against the kernel's own figures of one thread, as the program read them."""

from harness import check_near, main
from rounds import ROUNDS, median
from test_accounts import NS, profile

LATE = 0.03  # seconds, that a thread may have been without its figures at either end


def test_a_loop_waits_for_nothing():
    """
    However often it is stopped, preempted, or its CPU is taken by others. Before the loop a program may wait
    for its files, and in a second with such a wait it can't be told to a few ms which part was stolen.
    """
    waited, loops = 0, 0
    for rate in (99, 500, 2000, 5000):
        sums, report, truth = profile(rate, 1000)
        before = sums["wall"] - truth["there"]
        assert sums["wait"] <= before + 0.006 * sums["wall"], (rate, sums, truth)
        waited, loops = waited + (sums["wait"] > 0), loops + 1
        assert "page fault" not in report, (rate, report)
        print(f"     {rate} Hz: {sums['stolen'] / 1e6:.1f} ms of {sums['wall'] / 1e6:.0f} ms stolen")
    assert waited <= loops / 2, f"{waited} of {loops} loops waited"


def test_short_naps_are_wait():
    for rate in (99, 999):
        sums, _, truth = profile(rate, 2000, 100)
        slept = truth["there"] - truth["cpu"] - truth["runq"]
        assert truth["switches"] > 500, truth
        check_near((sums["wait"] + sums["stolen"]) * NS, slept * NS, LATE, "wait and stolen")
        assert sums["wait"] > 0.85 * slept, (rate, sums, truth)


def test_a_loop_without_schedstat_waits_for_nothing():
    """The ticks of stat are 10 ms: where the machine takes CPU time away, a part may be told as wait."""
    for faults in ("schedstat:2:1+", "schedstat-zeros:0:1+"):
        waits = []
        for _ in range(ROUNDS):
            sums, _, truth = profile(99, 1000, faults=faults)
            check_near((sums["user"] + sums["sys"]) * NS, truth["cpu"] * NS, 0.05, f"CPU time, {faults}")
            waits.append(sums["wait"])
        print(f"     wait of a loop without schedstat: {sorted(waits)} ns")
        assert median(waits) == 0, waits


if __name__ == "__main__":
    main()
