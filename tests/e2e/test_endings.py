"""How sprof itself ends: each signal to it has its effect once, and nothing is left behind."""

import os
import re
import resource
import signal
import time

from harness import (PROFILE, SPROF, Attached, Program, Target, check_error, check_untouched, cpu_ticks,
                     main, random_numbers, read_folded, read_profile, read_ready, require_plain_sprof, sprof, state_of,
                     target, tool, tracer_of, wait_for_cpu, wait_until)


def start_in_background(*options, name="spin-two", words=(), code=0, outputs=PROFILE):
    """
    `sprof run` of a shell that starts a target in the background; and the target's pid. The shell ends with
    the code once end_of_shell() says so; the target runs on until the run's stdin is closed.
    """
    os.mkfifo("end")
    read_end, write_end = os.pipe()
    script = f'exec 3<&0; "$0" --ready "$1" {" ".join(words)} <&3 & read -r line <end; exit {code}'
    run = Program([SPROF, "run", *options, *outputs, "--", "/bin/sh", "-c", script, target(name), write_end],
                  pass_fds=[write_end])
    os.close(write_end)
    pid = int(read_ready(read_end, run)[0])
    os.close(read_end)
    assert tracer_of(pid) == run.pid
    return run, pid


def end_of_shell():
    with open("end", "w", encoding="utf-8") as file:
        file.write("\n")
    os.unlink("end")


def start_orphan():
    """`sprof run --wait` of a shell that has ended, and the pid of what it has left in the background."""
    run, pid = start_in_background("--wait")
    shell = parent_of(pid)
    end_of_shell()
    wait_until(lambda: parent_of(pid) != shell, "the shell ends")
    return run, pid


def parent_of(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        return int(file.read().rpartition(")")[2].split()[1])


def lines_about_left(result):
    return re.findall(r"(?m)^sprof: .* left [0-9]+ process.* running.*$", result.err)


def test_run_ends_with_the_program():
    """What the program leaves in the background runs on, unharmed, and has its part of the profile."""
    run, pid = start_in_background(code=4)
    wait_for_cpu(pid, 0.2)
    end_of_shell()
    run.wait()
    check_untouched(pid)
    read_folded("x.folded").check("spin_round")
    wait_for_cpu(pid, 0.05)
    result = run.finish().check(4)
    lines = lines_about_left(result)
    assert len(lines) == 1 and "1 process " in lines[0] and "--wait" in lines[0], result.err
    assert read_profile()[1]["processes_seen"] == 2
    wait_until(lambda: not os.path.exists(f"/proc/{pid}"), "the rest ends")


def test_run_of_a_daemon():
    """It is in a session of its own before its parent has computed anything; sprof's stdout is still open in it."""
    read_end, write_end = os.pipe()
    script = 'exec 3<&0; setsid "$0" --ready "$1" <&3 &'
    run = Program([SPROF, "run", *PROFILE, "--", "/bin/sh", "-c", script, target("spin-two"), write_end],
                  pass_fds=[write_end])
    os.close(write_end)
    run.wait()
    read_profile()
    pid = int(read_ready(read_end, run)[0])
    os.close(read_end)
    check_untouched(pid)
    wait_for_cpu(pid, 0.05)
    assert len(lines_about_left(run.finish().check(0))) == 1


def test_busy_processes_are_left_as_they_are():
    """They fork, exec, end and are sampled in the very moment: none stays stopped, no end and no child is lost."""
    for how in ("processes", "threads", "4"):
        for _ in range(2):
            run, pid = start_in_background("-q", "-r", "2000", name="storm", words=(how,))
            wait_for_cpu(pid, 0.05)
            end_of_shell()
            run.wait()
            ticks = cpu_ticks(pid)
            wait_until(lambda pid=pid, ticks=ticks: cpu_ticks(pid) > ticks, "it goes on")
            check_untouched(pid)
            result = run.finish().check(0)
            made, total = re.findall("[0-9]+", result.text())[-2:]
            assert made == total and result.err == "", f"{result.text()} {result.err}"


def test_signals_reach_what_is_left():
    """Signals come while sprof lets go: each is delivered once, in its order."""
    for _ in range(4):
        run, pid = start_in_background("-q", "-r", "2000", name="signals", words=("spin",))
        wait_for_cpu(pid, 0.05)
        end_of_shell()
        for number in range(100):
            os.kill(pid, signal.SIGRTMIN + 1)
            time.sleep(0.0005 if number % 2 else 0)
        run.wait()
        check_untouched(pid)
        result = run.finish().check(0)
        assert result.text().count("rt1 0") == 100, result.text()


def test_what_ends_with_the_program_is_not_left():
    """A pipeline, whose ends come in any order, and a child that the program kills with its last act."""
    for script in ("seq 10000 | sort | tail -1", "sleep 100 & kill $!", "cat <end & exec 4>end; sleep 0.05"):
        os.mkfifo("end")
        result = sprof("run", *PROFILE, "--", "/bin/sh", "-c", f"{script}; exit 6").check(6)
        assert result.err == "", f"{script}: {result.err}"
        os.unlink("end")


def test_wait_follows_to_the_last_one():
    run, pid = start_in_background("--wait", code=4)
    end_of_shell()
    wait_for_cpu(pid, 0.3)
    assert run.alive() and tracer_of(pid) == run.pid
    result = run.finish().check(4)
    assert result.err == "", result.err
    read_folded("x.folded").check("spin_round")


def test_wait_after_the_duration():
    """The sampling is over, sprof stays until the last process has ended, whoever was left by whom."""
    for at_once in (True, False):
        run, pid = start_in_background("--wait", "-d", "100ms", code=4)
        if at_once:
            end_of_shell()
        wait_until(lambda: os.path.exists("x.json"), "the profile")
        if not at_once:
            end_of_shell()
        wait_for_cpu(pid, 0.2)
        assert run.alive() and tracer_of(pid) == run.pid
        assert run.finish().check(4).err == ""
        os.unlink("x.json")


def test_end_after_the_duration():
    """As without a duration: the program's end is sprof's."""
    run, pid = start_in_background("-d", "100ms", code=4)
    wait_until(lambda: os.path.exists("x.json"), "the profile")
    end_of_shell()
    run.wait()
    check_untouched(pid)
    assert len(lines_about_left(run.finish().check(4))) == 1


def test_periods_end_with_the_program():
    run, pid = start_in_background("--every", "1s", outputs=("-o", "y-%n.folded"))
    wait_until(lambda: os.path.exists("y-1.folded"), "a period")
    wait_for_cpu(pid, 0.2)
    end_of_shell()
    run.wait()
    check_untouched(pid)
    run.finish().check(0)
    read_folded("y-2.folded").check("spin_round")


def test_one_signal_ends_the_run_of_a_daemon():
    """With --wait: nobody is left whom the signal could be passed on to."""
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
    moments = random_numbers()
    for _ in range(20):
        run = Target("threads", 2, 8, before=[SPROF, "run", "-d", "60ms", "-r", "999", *PROFILE, "--"])
        time.sleep(moments.uniform(0.02, 0.07))
        run.signal(signal.SIGTERM)
        run.wait(10)
        run.finish().check(143)


def test_signal_at_the_end_of_the_program():
    """It was the program's too: whether sprof has heard of it by then does not matter."""
    script = "trap : INT; kill -INT $PPID; exit 8"
    for _ in range(25):
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


def start_outlived(script='exec "$0" --ready "$1"', fifo="y.folded"):
    """`sprof run -d` at work on an output that nobody reads, and the pid of its program, which goes on."""
    require_plain_sprof("a sanitizer puts handlers off while sprof opens a file")
    os.mkfifo("y.folded")
    read_end, write_end = os.pipe()
    run = Program([SPROF, "run", "-d", "100ms", *PROFILE, "-o", fifo, "--", "/bin/sh", "-c", script,
                   target("spin-two"), write_end], pass_fds=[write_end])
    os.close(write_end)
    pid = int(read_ready(read_end, run)[0])
    os.close(read_end)
    wait_until(lambda: os.path.exists("x.folded"), "the sampling is over")
    return run, pid


def check_writing_ends(run, number):
    """By this signal, once the echo of the last one can't be meant."""
    assert run.alive(), run.stderr()
    wait_until(lambda: run.signal(number) or not run.alive(), "sprof ends")
    run.finish().check(128 + number)
    os.unlink("y.folded")
    os.unlink("x.folded")


def test_signal_to_a_program_that_outlives_its_sampling():
    """It is the program's, which ends; the next one ends sprof, which still writes."""
    run, pid = start_outlived()
    run.signal(signal.SIGTERM)
    wait_until(lambda: not os.path.exists(f"/proc/{pid}"), "the program ends")
    check_writing_ends(run, signal.SIGTERM)


def test_signal_after_a_program_that_outlived_its_sampling():
    for number in (signal.SIGINT, signal.SIGHUP):
        run, pid = start_outlived()
        run.process.stdin.close()
        run.process.stdin = None
        wait_until(lambda pid=pid: not os.path.exists(f"/proc/{pid}"), "the program ends")
        check_writing_ends(run, number)


def test_signals_while_the_program_ignores_them():
    """The first is the program's, the second lets go of it, the third ends the writing."""
    run, pid = start_outlived('trap "" TERM; exec "$0" --ready "$1"')
    run.signal(signal.SIGTERM)
    wait_for_cpu(pid, 0.1)
    assert tracer_of(pid) == run.pid
    wait_until(lambda: run.signal(signal.SIGTERM) or tracer_of(pid) == 0, "sprof lets go of the program")
    check_untouched(pid)
    wait_for_cpu(pid, 0.05)
    check_writing_ends(run, signal.SIGTERM)


def test_second_signal_when_all_is_written():
    run, pid = start_outlived('trap "" TERM; exec "$0" --ready "$1"', "z.folded")
    wait_until(lambda: os.path.exists("x.json"), "all is written")
    run.signal(signal.SIGTERM)
    wait_for_cpu(pid, 0.1)
    assert tracer_of(pid) == run.pid
    wait_until(lambda: run.signal(signal.SIGTERM) or not run.alive(), "sprof ends")
    check_untouched(pid)
    run.finish().check(143)
    read_folded("z.folded").check("spin_round")


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


def test_limit_of_file_sizes():
    """An output that would be larger is an error like a full disk: the others are written, and named."""
    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    options = ("-d", "100ms", "-o", "x.html", "-o", "x.folded", "--stats", "x.json")
    program = Target("spin-two")
    results = {
        "attach": sprof("attach", "-p", program.pid, *options, preexec_fn=limited).check(1),
        "run": sprof("run", *options, "--", target("spin-two"), "50", preexec_fn=limited).check(1),
    }
    program.finish().check(0)
    sprof("run", "-o", "y.pb.gz", "--", target("spin-two"), "50").check(0)
    results["report"] = sprof("report", "y.pb.gz", "-o", "x.html", "-o", "x.folded", preexec_fn=limited).check(1)
    for name, result in results.items():
        assert re.search("x.html: File too large", result.err), f"{name}: {result.err}"
        assert "x.folded" not in result.err and not os.path.exists("x.html"), f"{name}: {result.err}"
        read_profile()[0].check("spin_round")
    check_error(sprof("run", "-o", "x.html", "--", "true", preexec_fn=limited), 2, "x.html: File too large")


def test_limit_of_file_sizes_in_a_period():
    """What is written in between is, by a process of its own, under the same limit."""
    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    program = Target("spin-two")
    attached = Attached(program.pid, "-o", "x.html", "-o", "x.folded", preexec_fn=limited)
    wait_for_cpu(program.pid, 0.1)
    attached.signal(signal.SIGUSR1)
    wait_until(lambda: os.path.exists("x.folded"), "a snapshot")
    result = attached.stop().check(1)
    program.finish().check(0)
    assert result.err.count("x.html: File too large") == 2, result.err


def test_no_memory():
    """
    An address space that is too small ends sprof with a line, and not the target. In between are sizes where libdw has
    too little for its tables and doesn't see that: an assertion of its own, or worse (dynamicsizehash_concurrent.c).
    """
    require_plain_sprof("a sanitizer needs a large address space")
    program = Target("deep", 5000)
    limits = [str(size << 20) for size in (24, 28, 32, 64)]
    for size in limits:
        attach = Program([tool("prlimit"), f"--as={size}", SPROF, "attach", "-p", program.pid,
                          "-d", "300ms", "-o", "x.folded"])
        result = attach.finish()
        assert result.code in (0, 1, 2, 127), f"{size}: {result.code} {result.err}"
        check_untouched(program.pid)
    program.finish().check(0)


if __name__ == "__main__":
    main()
