"""`sprof attach`: all threads, also those born meanwhile; and the target never notices its end."""

import os
import re
import signal

from harness import (PROFILE, SPROF, Attached, Program, Target, attach_for, attach_while,
                     check_quality, check_untouched, main, read_folded, read_profile, run, sprof,
                     state_of, target, threads_of, wait_for_cpu, wait_until)

STATS = ("target_pid", "duration_ns", "rate_hz", "ticks", "ticks_late", "samples",
         "samples_by_kernel", "samples_stopped", "samples_peeked", "samples_reused", "stops", "stop_ns_total",
         "stop_ns_p50", "stop_ns_p95", "stop_ns_p99", "stop_ns_max", "profiler_cpu_ns", "frames",
         "stacks_complete", "stacks_truncated", "truncated_reasons", "unwind_ns_total",
         "frames_unresolved", "threads_seen", "processes_seen")


def check_figures(stats):
    """The quality figures are all there and agree with each other."""
    missing = [name for name in STATS if name not in stats]
    assert not missing, f"not in --stats: {missing}"
    kinds = ("samples_by_kernel", "samples_stopped", "samples_peeked", "samples_reused")
    assert stats["samples"] == sum(stats[kind] for kind in kinds)
    assert stats["stacks_truncated"] == sum(stats["truncated_reasons"].values())
    assert stats["stop_ns_p50"] <= stats["stop_ns_p95"] <= stats["stop_ns_p99"]
    assert stats["stop_ns_p99"] <= stats["stop_ns_max"]
    assert stats["stop_ns_max"] <= stats["stop_ns_total"] <= stats["duration_ns"]
    assert stats["samples_stopped"] <= stats["stops"]
    assert 0 < stats["profiler_cpu_ns"]


def test_duration_ends_and_the_target_runs_on():
    program = Target("threads", 1, 4)
    _, stats = attach_for("1", program.pid)
    check_untouched(program.pid)
    check_figures(stats)
    check_quality(stats, threads=6)
    assert stats["target_pid"] == program.pid
    assert stats["threads_seen"] == 6 and stats["processes_seen"] == 1
    assert 1e9 <= stats["duration_ns"], stats
    wait_for_cpu(program.pid, 0.05)
    program.finish().check(0)


def birth(program):
    """Has `threads` make one more thread; its id."""
    program.say("b\n")
    return int(program.line().split()[1])


def test_threads_born_meanwhile():
    program = Target("threads", 1, 1)
    attached = Attached(program.pid, *PROFILE)
    for _ in range(3):
        wait_for_cpu(program.pid, 0.15, birth(program))
    attached.stop().check(0)
    check_untouched(program.pid)
    folded, stats = read_profile()
    folded.check("busy_worker", "asleep_worker", "late_worker")
    assert stats["threads_seen"] == 6
    program.finish().check(0)


def test_threads_option_separates_threads():
    """The outermost frame is name-pid/tid, as stackcollapse-perf.pl --tid writes it."""
    program = Target("threads", 2, 2)
    folded, _ = attach_for("1s", program.pid, "-t")
    tids = threads_of(program.pid)
    names = ["threads", "busy-0", "busy-1", "asleep-0", "asleep-1"]
    expected = {f"{name}-{program.pid}/{tid}" for name, tid in zip(names, sorted(tids))}
    assert {frames[0] for frames, _ in folded.stacks} == expected
    program.finish().check(0)


def check_every_thread_has_its_time(pid):
    """Each thread has the wall time of the run: its last second is not cut off. At the end it may have to wait for a CPU."""
    folded, stats = read_profile()
    duration = stats["duration_ns"] / 1e3
    for tid in threads_of(pid):
        assert folded.weight(f".*/{tid}") > 0.5 * duration, (tid, duration, folded.stacks)


def test_every_thread_has_its_time():
    """More busy threads than processors, so that at the end some of them are waiting for one."""
    program = Target("threads", 6, 2)
    for _ in range(3):
        attach_for("300ms", program.pid, "-t")
        check_every_thread_has_its_time(program.pid)
    attached = Attached(program.pid, "-t", *PROFILE)
    wait_for_cpu(program.pid, 0.5)
    attached.stop().check(0)
    check_every_thread_has_its_time(program.pid)
    program.finish().check(0)


def test_storm_of_threads():
    program = Target("storm")
    folded, stats = attach_while(program.pid, 0.5, "-r", "499")
    check_untouched(program.pid)
    made = int(re.search(r"created (\d+)", program.finish().check(0).text())[1])
    assert 9 < stats["threads_seen"] <= made + 1, (stats, made)
    folded.check("gust")


# Stopped targets.

def states_of(pid):
    return {state_of(pid, tid) for tid in threads_of(pid)}


def start_stopped():
    program = Target("stopped")
    _, status = os.waitpid(program.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status)
    return program


def check_leaderless(folded, stats):
    folded.check("inner_work", "sleep_here")
    assert folded.has("work_on", "outer_work", "inner_work"), folded.stacks
    check_quality(stats, threads=2)


def test_process_whose_main_thread_has_ended():
    """Its memory and mappings are still there, though not under the id of the process."""
    program = Target("leaderless")
    check_leaderless(*attach_for("1s", program.pid))
    check_untouched(program.pid)
    stacks = sprof("dump", "-p", program.pid).check(0).text()
    assert "outer_work" in stacks and "sleep_here" in stacks, stacks
    program.finish().check(0)


def test_main_thread_that_ends_meanwhile():
    run = Target("leaderless", before=[SPROF, "run", "-d", "1s", *PROFILE, "--"])
    wait_until(lambda: os.path.exists("x.json"), "the profile")
    run.finish().check(0)
    folded, _ = read_profile()
    assert folded.has("work_on", "outer_work", "inner_work"), folded.stacks
    # (A stop in the prologue of inner_work() has its caller as the innermost function.)
    assert folded.weight("outer_work") >= folded.weight("inner_work") > 0.5 * folded.weight("outer_work"), folded.stacks
    folded.check("sleep_here")


def test_stopped_target_stays_stopped():
    program = start_stopped()
    folded, stats = attach_for("1s", program.pid, "-o", "x.pb.gz")
    # A thread that is let go comes back to its stop by itself.
    wait_until(lambda: states_of(program.pid) == {"T"}, "it is stopped", lambda: states_of(program.pid))
    sprof("report", "x.pb.gz", "--state", "stopped", "-o", "stopped.folded").check(0)
    assert read_folded("stopped.folded").total > 0.9 * folded.total, folded.stacks
    check_quality(stats, threads=2)
    program.signal(signal.SIGCONT)
    assert program.line() == "continued"
    check_untouched(program.pid)
    program.finish().check(0)


def test_stop_and_continue_meanwhile():
    program = start_stopped()
    attached = Attached(program.pid, "-o", "x.folded")
    program.signal(signal.SIGCONT)
    assert program.line() == "continued"
    program.signal(signal.SIGSTOP)
    wait_until(lambda: states_of(program.pid) <= {"T", "t"}, "stopped while attached")
    program.signal(signal.SIGCONT)
    program.say("count\n")
    assert program.line().startswith("count")
    attached.stop().check(0)
    check_untouched(program.pid)
    program.finish().check(0)


# The end, and what comes before it.

def test_signal_ends_it_and_the_target_runs_on():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        program = Target("spin-two")
        attached = Attached(program.pid, "-o", "x.folded")
        wait_for_cpu(program.pid, 0.4)
        attached.stop(number).check(0)
        check_untouched(program.pid)
        read_folded("x.folded").check("spin_round")
        wait_for_cpu(program.pid, 0.05)
        program.finish().check(0)


def test_snapshot():
    """SIGUSR1 writes what there is and goes on; the file is always a whole one."""
    program = Target("spin-two")
    attached = Attached(program.pid, "-o", "x.folded")
    wait_for_cpu(program.pid, 0.4)
    attached.signal(signal.SIGUSR1)
    wait_until(lambda: os.path.exists("x.folded"), "a snapshot")
    snapshot = read_folded("x.folded")
    assert attached.alive()
    snapshot.check("spin_round")
    wait_for_cpu(program.pid, 0.4)
    attached.stop().check(0)
    assert read_folded("x.folded").total > snapshot.total
    program.finish().check(0)


def test_several_outputs():
    program = Target("spin-two")
    attach_for("1s", program.pid, "-o", "a.folded", "-o", "b.txt", "-o", "c.folded")
    with open("a.folded", "rb") as one, open("c.folded", "rb") as other:
        assert one.read() == other.read()
    with open("b.txt", encoding="utf-8") as file:
        assert "spin_three" in file.read()
    program.finish().check(0)


def test_closed_pipe():
    """`sprof attach ... | head` never harms the target."""
    program = Target("threads", 2, 2)
    script = f'"$0" attach -p {program.pid} -d 500ms | true'
    run("/bin/sh", "-c", script, SPROF)
    check_untouched(program.pid)
    program.finish().check(0)


# Children.

def follow_child(*options):
    """What an attach sees of a child that a shell makes after it."""
    script = 'read word; "$0" fork; echo done; read word'
    shell = Program(["/bin/sh", "-c", script, target("forker")])
    attached = Attached(shell.pid, *PROFILE, *options)
    shell.say("go\n")
    while shell.line() != "done":
        pass
    attached.stop().check(0)
    check_untouched(shell.pid)
    shell.finish()
    return read_profile()


def test_children_are_left_alone():
    folded, stats = follow_child()
    assert stats["processes_seen"] == 1 and folded.weight("child_work|parent_work") == 0


def test_children_that_are_left_out_are_named():
    shell = Program(["/bin/sh", "-c", 'sleep 600 & sleep 600 & echo $!; wait'])
    last = int(shell.line())
    words = sprof("attach", "-p", shell.pid, "-d", "100ms", "-o", "x.txt").check(0).err
    listed = re.search(rf"process {shell.pid} had started 2 processes that were not sampled; -p {shell.pid},(\d+),{last} samples them", words)
    assert listed, words
    sprof("attach", "-p", f"{shell.pid},{listed[1]},{last}", "-d", "100ms", "-o", "x.json").check(0)
    for child in (int(listed[1]), last):
        os.kill(child, signal.SIGKILL)
    shell.finish()


def test_children_on_request():
    folded, stats = follow_child("--children")
    assert stats["processes_seen"] == 3, f"{stats['processes_seen']} processes, not 3"
    folded.check("child_work", "parent_work")


if __name__ == "__main__":
    main()
