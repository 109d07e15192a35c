"""A program with known shares: the report shows them, and its times add up to the kernel's.

The truth is what the target measured of itself by its own clock while it ran, so that a busy
machine moves both sides. Shares of functions come from folded stacks; times per thread from the
text report.
"""

import json

from harness import (PROFILE, SPROF, Skip, Target, check_near, main, read_folded, read_profile,
                     run, sprof, target, wait_for_cpu)
from report import read_report

NEEDS_CPUS = True

POINTS = 0.03
SECONDS = 6
PARTS = ("part_a", "part_b", "part_c")
INTENDED = (0.3, 0.5, 0.2)
ATTEMPTS = 3


def truth_of(result):
    return json.loads(result.check(0).text().splitlines()[-1])


def shares_by_the_program(truth):
    spent = [truth["a_ns"], truth["b_ns"], truth["c_ns"]]
    return [part / sum(spent) for part in spent]


def was_left_alone(truth):
    """Whether the program got the processor when it wanted it: other programs can be louder."""
    shares = shares_by_the_program(truth)
    return all(abs(share - part) < 0.02 for share, part in zip(shares, INTENDED))


def tolerance(truth):
    """
    As a part of the wall time. What the host of a virtual machine took of a thread that sleeps too can only be
    estimated: so much more, where the program wanted the processor and did not get it.
    """
    wanted, got = truth["a_ns"] + truth["c_ns"], 1000 * (truth["user_us"] + truth["sys_us"])
    return POINTS + max(0, wanted - got) / truth["wall_ns"]


def profile(*options):
    """What `shares` says of itself when sprof profiles it, on a machine that is not too busy."""
    for _ in range(ATTEMPTS):
        truth = truth_of(sprof("run", *options, "--", target("shares"), SECONDS))
        if was_left_alone(truth):
            return truth
    raise Skip(f"other programs keep the processors busy: {truth}")


def test_the_program_keeps_its_books():
    """Natively: what it says it spent is all there was, or the other tests mean nothing."""
    truth = truth_of(run(target("shares"), 1))
    spent = truth["a_ns"] + truth["b_ns"] + truth["c_ns"]
    check_near(spent, truth["wall_ns"], 0.01 * truth["wall_ns"], "time in the three parts")


def check_wall(folded, truth):
    for name, expected in zip(PARTS, shares_by_the_program(truth)):
        check_near(folded.share(name), expected, tolerance(truth), f"wall time in {name}")


def check_usage(report, truth):
    """user + sys of the process is what getrusage(2) said at its end."""
    used = sum(row["user"] + row["sys"] for row in report.threads)
    check_near(used, (truth["user_us"] + truth["sys_us"]) / 1e6, 0.020, "user + sys")


def check_identity(report):
    """user + sys + runq + wait + stolen = wall, except for the rounding of each figure."""
    for row, parts, tolerance in report.sums():
        check_near(parts, row["wall"], tolerance, f"times of {row['name']}")


def check_classes(report):
    """Each part has its kind of time, and nearly no other: no CPU time for a sleeper."""
    part_a, part_b, part_c = (report.functions[name] for name in PARTS)
    assert part_a["user"] > 0.85 * (1 - part_a["runq"] - part_a.get("stolen", 0)), part_a
    assert part_b["wait"] > 0.95, part_b
    assert part_c["sys"] > 0.85 * (1 - part_c["runq"] - part_c.get("stolen", 0)), part_c


def test_shares_and_times():
    truth = profile("-o", "x.txt", *PROFILE)
    report, (folded, stats) = read_report("x.txt"), read_profile()
    check_wall(folded, truth)
    check_usage(report, truth)
    check_identity(report)
    check_classes(report)
    wall = truth["wall_ns"] / 1e9
    check_near(stats["duration_ns"] / 1e9, wall, 0.02 * wall, "duration")
    check_near(report.threads[0]["wall"], wall, 0.02 * wall, "wall time of the thread")


def check_mostly(folded, name, share):
    shares = {part: round(folded.share(part), 3) for part in PARTS}
    assert shares[name] >= share, f"{name} has less than {share}: {shares}"


def weight_by(kind):
    truth = profile("-o", "x.folded", "--weight", kind)
    return read_folded("x.folded"), truth


def test_weight_user():
    folded, truth = weight_by("user")
    check_near(folded.total / 1e6, truth["user_us"] / 1e6, 0.05 * SECONDS, "user time")
    check_mostly(folded, "part_a", 0.9)


def test_weight_sys():
    folded, _ = weight_by("sys")
    check_mostly(folded, "part_c", 0.9)


def test_weight_wait():
    folded, truth = weight_by("wait")
    check_near(folded.weight("part_b") / 1e6, truth["b_ns"] / 1e9, tolerance(truth) * SECONDS, "wait time")
    check_mostly(folded, "part_b", 0.97)


def test_threads_add_up():
    """Busy and sleeping threads, more than there are CPUs: every thread's identity holds."""
    threads = Target("threads", 3, 3, before=[SPROF, "run", "-o", "x.txt", "--"])
    wait_for_cpu(int(threads.said[0]), 2)
    threads.finish().check(0)
    report = read_report("x.txt")
    assert len(report.threads) == 7
    check_identity(report)
    longest = max(row["wall"] for row in report.threads)
    for row in report.threads:
        check_near(row["wall"], longest, 0.02 * longest, f"wall time of {row['name']}")


if __name__ == "__main__":
    main()
