"""`sprof run`: the program starts as the shell would start it, and its children are followed."""

import collections
import fcntl
import json
import os
import pty
import re
import resource
import select
import signal
import termios

from harness import (LIMIT, PROFILE, SPROF, Folded, Program, Target, cpu_ticks, main, read_folded,
                     read_profile, read_ready, require_machine, run, sprof, target, wait_for_cpu, wait_until)

INHERITED = "Umask|Uid|Gid|Groups|NoNewPrivs|Seccomp|Cap.*|Cpus_allowed|Mems_allowed|THP_enabled"
SIGNALS = "SigBlk|SigIgn|SigCgt|SigPnd|ShdPnd"


# What the program inherits.

def check_same(*command, **options):
    """The command prints the same about itself under sprof as without it."""
    native = run(*command, **options).check(0)
    profiled = sprof("run", *PROFILE, "--", *command, **options).check(0)
    assert profiled.out == native.out, f"{profiled.text()}\nnatively:\n{native.text()}"
    return native.text()


def test_environment():
    check_same("env", "-0", env={**os.environ, "ODD": "a\nb=c", "EMPTY": ""})


def test_arguments():
    check_same("/bin/sh", "-c", "tr '\\0' '\\n' </proc/$$/cmdline", "name", "", "-o", "--", "a b")


def test_working_directory():
    os.mkdir("folder")
    assert check_same("/bin/pwd", "-P").strip() == os.getcwd()


def test_limits():
    for kind in ("-S", "-H"):
        check_same("/bin/sh", "-c", f"ulimit {kind} -a; ulimit {kind} -n")


REFUSED = 2
LAUNCHING = (("run",), ("run", "--faults"), ("run", "--source", "kernel"), ("run", "--waits=exact"), ("syscalls",),
             ("calls", "-F", "main"), ("heap",), ("heap", "--exact"), ("mem",), ("rundelay",),
             ("trace", "-e", "syscalls:sys_enter_read", "--cycle"))


def few_files():
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (100, hard))


def test_few_files():
    """Our own limit is raised where events need it, not the program's."""
    for words in LAUNCHING:
        result = sprof(*words, "--", "/bin/sh", "-c", "ulimit -Sn > limit", preexec_fn=few_files)
        if not os.path.exists("limit"):
            assert result.code == REFUSED, (words, result.text(), result.err)
            print(f"     not permitted here: {' '.join(words)}")
            continue
        with open("limit", encoding="utf-8") as file:
            assert file.read() == "100\n", words
        os.remove("limit")


def odd_signals():
    """In the child: signals blocked and ignored that are usually not."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2, signal.SIGCHLD, signal.SIGRTMIN + 1])
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGCHLD, signal.SIGPIPE, signal.SIGBUS, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_IGN)


def usual_signals():
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)


def test_signal_mask_and_dispositions():
    for set_up in (usual_signals, odd_signals):
        check_same("grep", "-E", f"^({SIGNALS}):", "/proc/self/status", preexec_fn=set_up,
                   restore_signals=False)


def test_rights_and_processors():
    check_same("grep", "-E", f"^({INHERITED}):", "/proc/self/status")
    for name in ("personality", "oom_score_adj", "timerslack_ns", "coredump_filter", "cgroup"):
        check_same("cat", f"/proc/self/{name}")


def job_of(result):
    """Process group, session, terminal, its group; then nice value and scheduling policy."""
    fields = result.text().rpartition(")")[2].split()
    return fields[2:6], fields[16], fields[37:39]


def test_process_group_and_priority():
    command = ("cat", "/proc/self/stat")
    native = job_of(run(*command).check(0))
    profiled = job_of(sprof("run", *PROFILE, "--", *command).check(0))
    assert profiled == native, f"{profiled}, not {native}"


def test_descriptors():
    """The program has those of its caller, and none of sprof's."""
    ends = os.pipe()
    check_same("ls", "/proc/self/fd", pass_fds=ends)
    for fd in ends:
        os.close(fd)


# Where output goes.

def test_folded_stacks_into_a_pipe():
    """The program's own output makes room for them, and a line says so."""
    result = sprof("run", "--", target("spin-two"), "100").check(0)
    assert Folded(result.text()).has("main", "spin_round", "spin_three")
    assert re.search(r"^ready \d+$", result.err, re.MULTILINE), result.err
    assert len(re.findall(r"^sprof: .*stderr", result.err, re.MULTILINE)) == 1, result.err


def test_report_by_name():
    result = sprof("run", "-f", "text", "--", target("spin-two"), "100").check(0)
    assert "spin_three" in result.text() and not re.search(r"^main;", result.text(), re.MULTILINE)


def test_first_instruction():
    """Even a program that is over before the first tick leaves a whole file."""
    sprof("run", *PROFILE, "--", "true").check(0)
    assert read_profile()[1]["processes_seen"] == 1


# Children.

def run_forker(how, *options):
    sprof("run", *PROFILE, "-r", "199", *options, "--", target("forker"), how).check(0)
    return read_profile()


def test_children_are_followed():
    for how, processes in (("fork", 2), ("vfork", 2), ("exec", 2), ("spawn", 2), ("double", 3)):
        folded, stats = run_forker(how)
        assert stats["processes_seen"] == processes, f"{how}: {stats['processes_seen']} processes"
        folded.check("parent_work", "child_work")


def test_no_children():
    for how in ("fork", "vfork", "exec", "spawn"):
        folded, stats = run_forker(how, "--no-children")
        assert stats["processes_seen"] == 1, f"{how}: {stats['processes_seen']} processes"
        folded.check("parent_work")
        assert folded.weight("child_work") == 0, how


def test_many_children():
    script = "i=0; while [ $i -lt 100 ]; do /bin/true; i=$((i+1)); done; exit 9"
    sprof("run", *PROFILE, "-r", "999", "--", "/bin/sh", "-c", script).check(9)
    assert read_profile()[1]["processes_seen"] == 101


def test_exec_keeps_the_exit_code():
    sprof("run", *PROFILE, "--", "/bin/sh", "-c", f"exec {target('exit-code')} 12").check(12)


def test_script_without_interpreter_line():
    """As a shell starts it."""
    with open("script", "w", encoding="utf-8") as file:
        file.write("exit 4\n")
    os.chmod("script", 0o755)
    sprof("run", *PROFILE, "--", "./script").check(4)


# The kernel's workers in the process.

END_NS = 5_000_000  # what a thread may use behind its last look at its own figures


def cpu_of_threads(path):
    """{tid: CPU time in ns}, and {function: CPU time} of those named iou-*."""
    with open(path, encoding="utf-8") as file:
        exact = json.load(file)
    sums, spent = collections.Counter(), collections.Counter()
    for row in exact["rows"]:
        thread = exact["threads"][row["thread"]]
        cpu_ns = row["values"]["user"] + row["values"]["sys"]
        sums[thread["tid"]] += cpu_ns
        if thread["name"].startswith("iou-"):
            assert not row["values"]["user"] and "estimate" not in row, row
            (line,) = exact["locations"][exact["stacks"][row["stack"]][1]]
            spent[exact["functions"][line[0]]["name"]] += cpu_ns
    return sums, spent


def check_workers(path, text, least, source):
    """Each worker that a tick has seen has the CPU time that the kernel has told the program."""
    said = {int(tid): int(ns) for tid, ns in re.findall(r"^worker (\d+) (\d+)$", text, re.MULTILINE)}
    require_machine(len(said) >= least, "io_uring's workers are no threads of the process here")
    sums, spent = cpu_of_threads(path)
    seen = {tid: ns for tid, ns in said.items() if tid in sums}
    for tid, ns in seen.items():
        assert ns <= sums[tid] <= ns + END_NS, (tid, ns, sums)
    # The kernel may make another one behind the last tick. Where timers cover all threads, ticks are left out.
    assert seen or source == "auto", (said, sums)
    assert spent["[unsampled]"] <= END_NS * len(said) and set(spent) <= {"[kernel worker]", "[unsampled]"}, spent


def test_workers_of_the_kernel():
    """io_uring's: no one announces their births, and a stop would break off their reads."""
    for source in ("auto", "stop"):
        for words, least in ((("12000",), 1), (("2000", "poll"), 2)):
            result = sprof("run", "--source", source, "-r", "499", "-o", "x.json", "--", target("ring"), *words)
            require_machine(result.code != 77, "io_uring is forbidden here")
            check_workers("x.json", result.check(0).text(), least, source)


# On a terminal.

class Terminal:
    """A program that leads the session of a terminal of its own; the test types and reads."""

    def __init__(self, *argv):
        self.fd, side = pty.openpty()
        self.read = b""
        ready, write_end = os.pipe()

        def lead():
            os.setsid()
            fcntl.ioctl(side, termios.TIOCSCTTY, 0)

        argv = [str(write_end) if word == "FD" else word for word in argv]
        self.program = Program(argv, stdin=side, stdout=side, preexec_fn=lead, pass_fds=[write_end])
        os.close(side)
        os.close(write_end)
        self.said = read_ready(ready, self.program)
        os.close(ready)

    def type(self, text):
        os.write(self.fd, text)

    def expect(self, word):
        while word not in self.read:
            assert select.select([self.fd], [], [], LIMIT)[0], f"no {word} in {self.read}"
            self.read += os.read(self.fd, 4096)

    def close(self):
        result = self.program.finish()
        os.close(self.fd)
        return result


def start_jobs(*before):
    terminal = Terminal(*before, target("jobs"), "--ready", "FD")
    assert terminal.said[1] == "foreground"
    wait_for_cpu(int(terminal.said[0]), 0.3)
    return terminal


def test_ctrl_c_goes_to_the_program():
    terminal = start_jobs(SPROF, "run", *PROFILE, "--")
    terminal.type(b"\x03")
    terminal.expect(b"interrupted")
    terminal.close().check(5)
    assert read_folded("x.folded").has("main", "compute")


def stop_and_go_on(*command):
    """Ctrl-Z, fg, Ctrl-C in a shell with job control, which tells each end of its wait."""
    script = 'set -m; "$@"; echo "[$?]"; fg >/dev/null; echo "[$?]"'
    terminal = start_jobs("/bin/sh", "-c", script, "sh", *command)
    pid = int(terminal.said[0])
    terminal.type(b"\x1a")
    terminal.expect(b"[148]")
    terminal.expect(b"continued")
    ticks = cpu_ticks(pid)
    wait_until(lambda: cpu_ticks(pid) > ticks, "it computes on")
    terminal.type(b"\x03")
    terminal.expect(b"interrupted")
    terminal.expect(b"[5]")
    terminal.close().check(0)


def test_ctrl_z_stops_the_program():
    stop_and_go_on()
    stop_and_go_on(SPROF, "run", *PROFILE, "--")
    assert read_folded("x.folded").has("main", "compute")


def test_signals_to_sprof_are_the_programs():
    """kill(1) means the pair of them: the program gets it, and decides."""
    for name, number, code in (("jobs", signal.SIGINT, 5), ("spin-two", signal.SIGTERM, 143)):
        program = Target(name, before=[SPROF, "run", *PROFILE, "--"])
        wait_for_cpu(int(program.said[0]), 0.2)
        program.signal(number)
        program.wait()
        program.finish().check(code)
        read_folded("x.folded").check("main")


if __name__ == "__main__":
    main()
