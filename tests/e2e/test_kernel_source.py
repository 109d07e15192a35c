"""Timers in the kernel as the source of running threads' samples: the same profile, with few stops."""

import ctypes
import json
import os
import re
import shutil

from blocked import Profile
from harness import (PROFILE, SLOWNESS, SPROF, Program, Skip, Target, as_plain_user, attach_for, attach_while, check_error, check_share, go_target,
                     main, others, missed_share, own_sprof, own_target, paranoid, perf_opens, read_profile, require, require_machine, require_switches, run,
                     sprof, target, tool, wait_for_cpu, with_perfmon)
from report import read_report
from test_rundelay import forbid_perf
from test_shares import check_identity, check_shares, check_usage, truth_of

FAILED = 2
KERNEL = ("--source", "kernel")
AUTO = ("--source", "auto")


def test_shares_and_times():
    """Shares of user code, of sleep and of the kernel; the times are the kernel's."""
    truth = truth_of(sprof("run", *KERNEL, "-r", 299, *PROFILE, "-o", "x.txt", "--", target("shares"), 2))
    report, (folded, stats) = read_report("x.txt"), read_profile()
    check_usage(report, truth)
    check_identity(report)
    check_shares(folded, stats, truth)
    assert stats["stacks_truncated"] <= 2 and stats["samples_by_kernel"] > 0, stats
    assert stats["samples_stopped"] > 0 or may_show_kernel(), stats


def give_up(*capabilities):
    """Of root's rights: capabilities(7); prctl: PR_CAPBSET_DROP."""
    libc = ctypes.CDLL(None)
    for capability in capabilities:
        libc.prctl(24, capability, 0, 0, 0)


def forbid_kernel_samples():
    """Even root needs CAP_PERFMON or CAP_SYS_ADMIN for them."""
    give_up(38, 21)


def system_calls(**how):
    """The figures of a thread that is in system calls."""
    profile = Profile("calls", 2 * SLOWNESS, *KERNEL, **how)
    shares, stacks = profile.true_shares("caller"), profile.of("caller")
    for name, share in shares.items():
        check_share(stacks.share(name), share, profile.row("caller")["samples"], name, missed_share(profile.stats))
    assert stacks.share(r"\[read\]") > 0.5, stacks.stacks
    return profile.stats


def test_kernel_time_has_records():
    """Where the kernel shows its own code, it says where a system call was made, without a stop."""
    if not may_show_kernel():
        raise Skip("the kernel shows its own code to nobody here: perf_event_paranoid, and no CAP_PERFMON")
    stats = system_calls()
    assert stats["samples_by_kernel"] > (2 * stats["samples_stopped"] if SLOWNESS == 1 else 0), stats


def test_the_kernels_own_functions():
    """Of running threads, too: what the kernel does in a system call."""
    if not may_show_kernel():
        raise Skip("the kernel shows its own code to nobody here: perf_event_paranoid, and no CAP_PERFMON")
    with open("/proc/kallsyms", encoding="utf-8") as functions:
        if not int(functions.readline().split()[0], 16):
            raise Skip("the kernel hides its addresses: kernel.kptr_restrict, and no CAP_SYSLOG")
    stacks = Profile("calls", 2, *KERNEL, "--kernel", "stack").of("caller")
    assert stacks.share(r"\[read\]") > 0.5, stacks.stacks
    assert stacks.share("vfs_read") > 0.5, stacks.stacks
    assert not stacks.share("0x[0-9a-f]{8,}"), stacks.stacks


def test_without_the_kernels_own_code_there_are_no_timers():
    """They would not cover all that a thread does."""
    if may_show_kernel(of_others=True):
        raise Skip("perf_event_paranoid is below 2: the kernel shows its own code to everybody")
    require(os.geteuid() == 0, "gives up rights of root")
    result = sprof("run", *KERNEL, "--", "touch", "started", preexec_fn=forbid_kernel_samples)
    check_error(result, FAILED, "perf_event_paranoid", "--source ptrace")
    assert not os.path.exists("started")


def may_show_kernel(of_others=False):
    return paranoid() < 2 if of_others else perf_opens(with_kernel=True)


def require_timers():
    require_machine(may_show_kernel(), "the kernel gives no timers here")


def test_user_code_is_hardly_stopped():
    require_timers()
    folded, stats = spin(499)
    assert stats["samples_by_kernel"] > 0.5 * (stats["samples"] - stats["samples_reused"]), stats
    assert stats["stops"] < 0.5 * stats["samples_by_kernel"], stats
    check_share(folded.share("spin_three"), 0.75, stats["samples_by_kernel"], "spin_three", missed_share(stats))
    assert stats["stacks_truncated"] <= 0.001 * stats["samples"] + 1, stats


def spin(rate, *options):
    """It has user time only: that it waits for a CPU in one of its functions is none of it."""
    program = Target("spin-two")
    profile = attach_while(program.pid, 1, *KERNEL, "-r", rate, "--weight", "user", *options)
    program.finish().check(0)
    return profile


def test_threads_and_births():
    """Each thread has its own timer, also one that is born meanwhile, and its own functions."""
    require_timers()
    threads = Target("threads", 2, 2, before=[SPROF, "run", *KERNEL, "-r", "299", "-o", "x.txt", *PROFILE, "--"])
    threads.say("b\n")
    wait_for_cpu(int(threads.said[0]), 1.5)
    threads.finish().check(0)
    report, (folded, stats) = read_report("x.txt"), read_profile()
    check_identity(report)
    assert folded.has("late_worker") and folded.has("burn"), folded.stacks
    assert stats["samples_by_kernel"] > 0, stats


def test_programs_one_after_the_other():
    """Forks and execs: each program has its own names, and none of another's."""
    require_timers()
    shutil.copy(target("spin-two"), "one")
    shutil.copy(target("spin-two"), "two")
    sprof("run", *KERNEL, "-r", "499", *PROFILE, "--", "sh", "-c",
          "./one 60; ./two 60; exec ./one 60").check(0)
    folded, stats = read_profile()
    assert stats["processes_seen"] == 3 and stats["samples_by_kernel"] > 0, stats
    assert folded.has("main", "spin_three"), folded.stacks
    assert stats["stacks_truncated"] <= 0.1 * stats["samples"] + 4, stats


def test_work_before_an_exec_is_the_old_programs():
    """Its last records are read when it has gone: each round works twelve or four ms, all of them as much."""
    require_timers()
    rounds = 60
    sprof("run", *KERNEL, "-r", "999", *PROFILE, "--weight", "user", "-o", "x.txt", "--", target("exec-work"), rounds, 12).check(0)
    folded, stats = read_profile()
    worked = folded.weight("long_work"), folded.weight("short_work")
    print(f"     {worked} us in both, {stats['samples_lost']} lost")
    # Of each round, a period may be lost.
    check_share(worked[0] / sum(worked), 0.75, sum(worked) / 1000, "the long rounds", 1 / 8)
    assert sum(worked) > 0.5 * rounds * 8000, (worked, stats)


def test_deep_stacks():
    """As much is copied as stops have needed, and at last stops do it: all but the first stacks are whole."""
    require_timers()
    for depth, by_kernel in ((100, True), (1000, True), (20000, False)):
        program = Target("deep", depth)
        folded, stats = attach_while(program.pid, 0.8, *KERNEL, "-r", 199, "--max-depth", 2 * depth)
        program.finish().check(0)
        # Until the copies have grown: on a busy machine, records are read late.
        assert stats["stacks_truncated"] <= 4 + stats["samples_by_kernel"] / (2 if by_kernel else 1), (depth, stats)
        spinning = [(frames.count("descend"), weight) for frames, weight in folded.stacks if "bottom_spin" in frames]
        whole = sum(weight for levels, weight in spinning if levels == depth)
        assert whole > (0.9 if SLOWNESS == 1 else 0.5) * sum(weight for _, weight in spinning), (depth, spinning)
        # The largest copy of a timer has no room for the last stack.
        assert (stats["samples_by_kernel"] > stats["stacks_truncated"]) == by_kernel, (depth, stats)


@others
def test_go_is_stopped():
    """The stacks of goroutines take more than one copy."""
    program = Program([go_target("plain"), "2", "2"])
    program.line()
    stats = attach_while(program.pid, 0.3, *KERNEL)[1]
    program.finish().check(0)
    assert stats["samples_stopped"] and not stats["samples_by_kernel"], stats


def test_a_user_without_rights():
    require(os.geteuid() == 0, "takes another user")
    require_switches()
    require_machine(may_show_kernel(of_others=True), "perf_event_paranoid is above 1: the kernel gives other users no timers")
    program = Target(own_target("spin-two"), **as_plain_user())
    result = run(own_sprof(), "attach", "-p", program.pid, "-d", "500ms", *KERNEL, *PROFILE, **as_plain_user())
    result.check(0)
    program.finish().check(0)
    stats = read_profile()[1]
    assert stats["samples_by_kernel"] > 0 and not stats["timers_refused"], stats


def test_where_it_is_forbidden():
    """kernel fails and says why, before anything is started; auto goes on by stops, and the report says so."""
    result = sprof("run", *KERNEL, "--", "touch", "started", preexec_fn=forbid_perf)
    check_error(result, FAILED, "seccomp", "--source ptrace")
    assert not os.path.exists("started")
    result = sprof("run", *AUTO, *PROFILE, "-o", "x.txt", "--", target("shares"), 1, preexec_fn=forbid_perf).check(0)
    assert "seccomp" not in result.err, result.err
    with open("x.txt", encoding="utf-8") as file:
        text = file.read()
    assert re.search(r"by stops .*\n +seccomp .*allows perf_event_open", text), f"it does not say what would help: {text}"
    stats = read_profile()[1]
    assert stats["samples_stopped"] and not stats["samples_by_kernel"] and stats["timers_denied"], stats


def test_auto():
    """Timers where they are permitted; nothing else is different."""
    require_timers()
    program = Target("spin-two")
    folded, stats = attach_while(program.pid, 0.5, *AUTO)
    program.finish().check(0)
    assert stats["samples_by_kernel"] > stats["samples_stopped"] and not stats["timers_denied"], stats
    assert folded.has("main", "spin_three"), folded.stacks


def test_auto_without_the_kernels_own_code():
    """Then page faults would be taken for system calls: stops tell where they are, and the report says what would help."""
    if may_show_kernel(of_others=True):
        raise Skip("perf_event_paranoid is below 2: the kernel shows its own code to everybody")
    require(os.geteuid() == 0, "gives up rights of root")
    sprof("run", *PROFILE, "-o", "x.txt", "--", target("shares"), 1, preexec_fn=forbid_kernel_samples).check(0)
    stats = read_profile()[1]
    assert stats["samples_stopped"] and not stats["samples_by_kernel"] and stats["timers_denied"], stats
    with open("x.txt", encoding="utf-8") as file:
        text = file.read()
    assert re.search(r"by stops .*\n +kernel.perf_event_paranoid is above 1: 1 helps", text), text


def crowded(source):
    """A program that has to share a CPU with another one; its figures, and its time in periods."""
    cpu = sorted(os.sched_getaffinity(0))[0]
    before = ["taskset", "-c", cpu]
    rival, program = Target("spin-two", before=before), Target("spin-two", before=before)
    _, stats = attach_for("1500ms", program.pid, "--source", source, "-r", 99, "-o", "x.txt")
    rival.finish().check(0)
    program.finish().check(0)
    (row,) = read_report("x.txt").threads
    assert row["runq"] > 0.2 * row["wall"], row
    return stats, row["wall"] * stats["rate_hz"]


def test_a_thread_that_waits_for_a_cpu_has_samples():
    """Its turns are shorter than a period. Its timer counts CPU time only, and its wait for a CPU is shared out with that."""
    require_timers()
    stats, periods = crowded("kernel")
    assert 1 <= stats["samples"] <= 1.3 * periods + 2, (periods, stats)
    folded = read_profile()[0]
    assert folded.share("main") > 0.9, folded.stacks


def test_without_locked_memory():
    """No room for more rings: stops take the samples, and the report says so. As a plain user, because
    other recordings of root use up kernel.perf_event_mlock_kb, too."""
    require(paranoid() >= 0, "kernel.perf_event_paranoid is -1: locked memory has no limit")
    programs = " & ".join([f"{own_target('spin-two')} 10"] * 12) + " ; wait"
    run("prlimit", "--memlock=0", *with_perfmon(), own_sprof(), "run", *KERNEL, "-r", "999", *PROFILE, "-o", "x.txt", "--", "sh",
        "-c", programs).check(0)
    stats = read_profile()[1]
    assert stats["timers_refused"] > 0 and stats["samples_stopped"] > 0, stats
    with open("x.txt", encoding="utf-8") as file:
        assert "no timer" in file.read()


def test_python():
    """A timer copies the native stack only, so Python's threads are stopped, and the report says so."""
    require_timers()
    code = "import time\nwhile time.process_time() < 0.5: sum(range(100))"
    for options in ((), ("--no-python",)):
        sprof("run", *KERNEL, *options, "-r", 499, *PROFILE, "-o", "x.txt", "--", tool("/usr/bin/python3"), "-c",
              code).check(0)
        stats = read_profile()[1]
        with open("x.txt", encoding="utf-8") as file:
            assert ("for 1 thread of Go or Python" in file.read()) == (not options), options
        assert stats["timers_unfit"] == (not options), stats
        assert (stats["samples_by_kernel"] > stats["samples_stopped"]) == bool(options), stats


def test_figures_are_saved():
    require_timers()
    spin(199, "-o", "x.pb.gz")
    text = sprof("report", "x.pb.gz").check(0).text()
    assert " by the kernel, " in text, text
    result = sprof("report", "x.pb.gz", "-o", "y.json").check(0)
    assert result.out == b""
    with open("y.json", encoding="utf-8") as file:
        assert json.load(file)["quality"]["samples_by_kernel"] > 0


if __name__ == "__main__":
    main()
