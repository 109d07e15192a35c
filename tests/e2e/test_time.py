"""Time that adds up: every share is what the program measured of itself, every sum the kernel's.

The truth is the target's own clock. Tolerances: shares of a thread's time within 3 points at 99 Hz
and above; at 20 Hz within four standard errors of so many samples, or 3 points, whichever is more.
"""

import math

from blocked import Profile
from harness import Skip, check_near, main, run, sprof, target, tool
from report import CLASSES, read_report

POINTS = 0.03
SECONDS = 8


def tolerance(share, samples):
    return max(POINTS, 4 * math.sqrt(share * (1 - share) / max(samples, 1)))


def check_shares(profile):
    for role in profile.roles():
        stacks, samples = profile.of(role), profile.row(role)["samples"]
        for name, share in profile.true_shares(role).items():
            others = [stack for stack in stacks.stacks if name not in stack[0]]
            check_near(stacks.share(name), share, tolerance(share, samples),
                       f"{role} in {name}, besides {others}")


def check_identities(profile):
    """user + sys + runq + wait = wall of each thread, and user + sys of all is getrusage's."""
    for row in profile.report.threads:
        parts = [row[name] for name in CLASSES]
        check_near(sum(parts), row["wall"],
                   sum(part.rounding for part in (row["wall"], *parts)), f"times of {row['name']}")
    used = sum(row["user"] + row["sys"] for row in profile.report.threads)
    rounding = sum(row["user"].rounding + row["sys"].rounding for row in profile.report.threads)
    check_near(used, (profile.truth["user_us"] + profile.truth["sys_us"]) / 1e6,
               0.010 + 0.002 * used + rounding, "user + sys of the process")


def check(kind, *options, seconds=SECONDS):
    profile = Profile(kind, seconds, *options)
    check_identities(profile)
    check_shares(profile)
    return profile


def test_mutex():
    profile = check("mutex")
    assert profile.row("short")["wait"] > 0.97 * profile.row("short")["wall"]


def test_condition_variable():
    check("condition")


def test_rwlock():
    check("rwlock")


def test_slow_pipe():
    profile = check("pipe")
    assert profile.row("reader")["verdict"] == "io", profile.row("reader")


def test_mix():
    check("mix")


def test_fsync():
    """A disk may be so fast that the thread is hardly ever blocked; it is in the call all the same.
    The kernel then books a part of the time as the user's, which no sample meets: [unsampled]."""
    profile = Profile("fsync", SECONDS)
    check_identities(profile)
    stacks = profile.of("syncer")
    check_near(stacks.share("sync_file") + stacks.share(r"\[unsampled\]"), 1, POINTS, "syncer")
    assert stacks.share("sync_file") > 0.7, stacks.stacks
    assert profile.row("syncer")["user"] < 0.3 * profile.row("syncer")["wall"]


def test_four_threads_on_two_processors():
    """What is not on a CPU is on the run queue: nothing else keeps a thread that only computes."""
    profile = check("crowd")
    for role in profile.roles():
        row, cpu = profile.row(role), profile.truth[role]["cpu_ns"] / 1e9
        check_near(row["user"] + row["sys"], cpu, 0.02 + POINTS * row["wall"], f"CPU of {role}")
        check_near(row["runq"] / row["wall"], 1 - cpu / row["wall"], POINTS, f"runq of {role}")
        assert row["verdict"] in ("starved", "cpu"), row
    assert sum(profile.row(role)["verdict"] == "starved" for role in profile.roles()) >= 3


def test_few_samples():
    check("mutex", "-r", "20")
    check("pipe", "-r", "20")


def test_many_samples():
    check("mutex", "-r", "999")
    check("rwlock", "-r", "999")


def test_modes():
    """What a mode leaves out is not there, and the rest is as it was."""
    running = Profile("mix", 4, "--mode", "cpu")
    for row_text in open("x.txt", encoding="utf-8"):
        assert "wait%" not in row_text, row_text
    assert not running.folded.weight("nanosleep|clock_nanosleep|__clock_nanosleep"), "it slept"
    assert running.folded.share("spin") > 0.5, running.folded.stacks
    blocked = Profile("mutex", 4, "--mode", "wait")
    for name, share in blocked.true_shares("short").items():
        check_near(blocked.of("short").share(name), share, tolerance(share, 4 * 99), name)
    assert blocked.stats["stops"] <= 8, blocked.stats


def test_time_of_gnu_time():
    """The sum over all processes of a tree is what time(1) says of it."""
    time = tool("time", "/usr/bin/time")
    result = run(time, "-f", "%U %S", target("shares"), 1).check(0)
    if len(result.err.split()) != 2:
        raise Skip(f"not GNU time: {result.err!r}")
    result = sprof("run", "-o", "x.txt", "--", time, "-f", "%U %S", target("shares"), 4).check(0)
    user, system = map(float, result.err.split()[-2:])
    shown = sum(row["user"] + row["sys"] for row in read_report("x.txt").threads)
    check_near(shown, user + system, 0.03 + 0.01 * shown, "user + sys")


if __name__ == "__main__":
    main()
