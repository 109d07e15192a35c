"""How sprof itself ends: each signal to it has its effect once, and nothing is left behind."""

import os
import random
import signal
import time

from harness import (PROFILE, SPROF, Attached, Program, Target, check_untouched, cpu_ticks, main,
                     read_folded, read_profile, read_ready, require_plain_sprof, sprof, state_of,
                     target, tool, tracer_of, wait_for_cpu, wait_until)


def start_orphan():
    """`sprof run` of a shell that has ended, and the pid of what it has left in the background."""
    read_end, write_end = os.pipe()
    script = 'exec 3<&0; "$0" --ready "$1" <&3 &'
    run = Program([SPROF, "run", *PROFILE, "--", "/bin/sh", "-c", script, target("spin-two"), write_end],
                  pass_fds=[write_end])
    os.close(write_end)
    pid = int(read_ready(read_end, run)[0])
    os.close(read_end)
    shell = tracer_of(pid)
    assert shell == run.pid, f"traced by {shell}"
    wait_until(lambda: parent_of(pid) != first_child(run), "the shell ends")
    return run, pid


def parent_of(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        return int(file.read().rpartition(")")[2].split()[1])


def first_child(run):
    """The process that sprof has started, as long as it lives."""
    for tid in os.listdir(f"/proc/{run.pid}/task"):
        with open(f"/proc/{run.pid}/task/{tid}/children", encoding="utf-8") as file:
            for child in file.read().split():
                return int(child)
    return 0


def test_one_signal_ends_the_run_of_a_daemon():
    """Nobody is left whom the signal could be passed on to."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        run, pid = start_orphan()
        wait_for_cpu(pid, 0.2)
        run.signal(number)
        run.wait()
        check_untouched(pid)
        wait_for_cpu(pid, 0.05)
        read_folded("x.folded").check("spin_round")
        run.finish().check(0)


def test_without_children_the_first_process_is_the_end():
    """What it has left in the background is nobody's business."""
    read_end, write_end = os.pipe()
    script = 'exec 3<&0; "$0" --ready "$1" <&3 & exit 4'
    run = Program([SPROF, "run", "--no-children", *PROFILE, "--", "/bin/sh", "-c", script,
                   target("spin-two"), write_end], pass_fds=[write_end])
    os.close(write_end)
    pid = int(read_ready(read_end, run)[0])
    os.close(read_end)
    run.wait()
    check_untouched(pid)
    wait_for_cpu(pid, 0.05)
    run.finish().check(4)
    assert read_profile()[1]["processes_seen"] == 1
    wait_until(lambda: not os.path.exists(f"/proc/{pid}"), "the rest ends")


def test_signal_at_the_end_of_the_duration():
    """It reaches the program, whether it came before the last tick, in it or after it."""
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    moments = random.Random(seed)
    for _ in range(40):
        run = Target("threads", 2, 8, before=[SPROF, "run", "-d", "60ms", "-r", "999", *PROFILE, "--"])
        time.sleep(moments.uniform(0.02, 0.07))
        run.signal(signal.SIGTERM)
        run.wait(10)
        run.finish().check(143)


def test_signal_at_the_end_of_the_program():
    """It was the program's too: whether sprof has heard of it by then does not matter."""
    script = "trap : INT; kill -INT $PPID; exit 8"
    for _ in range(100):
        result = sprof("run", "-q", "-r", "5000", "-o", "x.folded", "--", "/bin/sh", "-c", script)
        assert result.code == 8, f"exit {result.code}, {result.err}"


def test_second_signal_leaves_at_once():
    """Here while a FIFO that nobody reads keeps sprof from writing."""
    require_plain_sprof("a sanitizer puts handlers off while sprof opens a file")
    os.mkfifo("x.folded")
    program = Target("spin-two")
    attached = Attached(program.pid, "-o", "x.folded")
    wait_for_cpu(program.pid, 0.2)
    attached.signal(signal.SIGINT)
    wait_until(lambda: tracer_of(program.pid) == 0, "sprof lets go")
    check_untouched(program.pid)
    wait_until(lambda: attached.signal(signal.SIGINT) or not attached.alive(), "sprof ends")
    attached.finish().check(130)
    program.finish().check(0)


def test_nothing_is_left_of_an_unfinished_file():
    """Killed in the middle of writing: a file that is not whole has no name."""
    os.mkfifo("y.folded")
    program = Target("spin-two")
    attached = Attached(program.pid, "-o", "x.folded", "-o", "y.folded")
    wait_for_cpu(program.pid, 0.2)
    attached.signal(signal.SIGINT)
    wait_until(lambda: os.path.exists("x.folded"), "the first file")
    attached.signal(signal.SIGKILL)
    attached.wait()
    assert sorted(os.listdir(".")) == ["x.folded", "y.folded"], os.listdir(".")
    program.finish().check(0)


def test_snapshot_of_a_run():
    run = Target("spin-two", before=[SPROF, "run", *PROFILE, "--"])
    pid = int(run.said[0])
    wait_for_cpu(pid, 0.3)
    run.signal(signal.SIGUSR1)
    wait_until(lambda: os.path.exists("x.json"), "a snapshot")
    snapshot = read_profile()
    assert run.alive() and tracer_of(pid) == run.pid
    wait_for_cpu(pid, 0.3)
    run.finish().check(0)
    folded, stats = read_profile()
    assert folded.total > snapshot[0].total and stats["ticks"] > snapshot[1]["ticks"]
    assert sorted(os.listdir(".")) == ["x.folded", "x.json"], os.listdir(".")


def writer_of(run, pid):
    """The process that writes a snapshot for sprof, which runs this program; None: there is none yet."""
    for tid in os.listdir(f"/proc/{run.pid}/task"):
        with open(f"/proc/{run.pid}/task/{tid}/children", encoding="utf-8") as file:
            others = [int(child) for child in file.read().split() if int(child) != pid]
        if others:
            return others[0]
    return None


def test_stopped_writer_of_a_snapshot():
    """Whoever stops it, as job control may, does not make it one of the profiled processes."""
    os.mkfifo("y.folded")
    run = Target("spin-two", before=[SPROF, "run", *PROFILE, "-o", "y.folded", "--"])
    pid = int(run.said[0])
    wait_for_cpu(pid, 0.1)
    run.signal(signal.SIGUSR1)
    writer = wait_until(lambda: writer_of(run, pid), "a snapshot is written")
    os.kill(writer, signal.SIGSTOP)
    wait_until(lambda: state_of(writer) == "T", "the writer is stopped")
    before = cpu_ticks(run.pid)
    wait_for_cpu(pid, 0.5)
    used = cpu_ticks(run.pid) - before
    os.kill(writer, signal.SIGCONT)
    Program(["cat", "y.folded"]).finish().check(0)
    reader = Program(["cat", "y.folded"])
    run.finish().check(0)
    reader.finish().check(0)
    _, stats = read_profile()
    assert stats["processes_seen"] == 1, stats
    assert used < 20, f"{used} of 50 ticks of CPU time for nothing"


def test_full_disk():
    """Said, with the exit code of something that is missing, and the target runs on."""
    program = Target("spin-two")
    attached = Attached(program.pid, "-o", "/dev/full", "-f", "folded", "-o", "x.folded")
    wait_for_cpu(program.pid, 0.2)
    result = attached.stop().check(1)
    assert "/dev/full" in result.err and "No space left" in result.err, result.err
    read_folded("x.folded").check("spin_round")
    check_untouched(program.pid)
    program.finish().check(0)


def test_no_memory():
    """An address space that is too small ends sprof with a line, and not the target."""
    require_plain_sprof("a sanitizer needs a large address space")
    program = Target("deep", 5000)
    limits = [str(size << 20) for size in (24, 28, 32, 40, 48)]
    for size in limits:
        attach = Program([tool("prlimit"), f"--as={size}", SPROF, "attach", "-p", program.pid,
                          "-d", "300ms", "-o", "x.folded"])
        result = attach.finish()
        assert result.code in (0, 1, 2, 127), f"{size}: {result.code} {result.err}"
        check_untouched(program.pid)
    program.finish().check(0)


if __name__ == "__main__":
    main()
