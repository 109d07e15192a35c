"""Whatever is wrong gets one clear line, at most one hint, a known exit code, and costs no data.

2: sprof failed; 64: it was called wrongly; 1: the result is partial.
"""

import os
import shutil
import signal
import stat
import subprocess
import sys

from harness import (LIMIT, NOBODY, PROFILE, SPROF, Attached, Program, Target, check_error,
                     check_untouched, main, most_of, read_folded, read_profile, require, require_machine, run, sprof,
                     state_of, status_field, target, tool, wait_for_cpu, wait_until)

PARTIAL, FAILED, USAGE = 1, 2, 64
PF_KTHREAD = 0x00200000


def attach(pid, *options):
    return sprof("attach", "-p", pid, "-d", "200ms", "-o", "x.folded", *options)


# Called wrongly.

def test_absurd_rates():
    for rate in ("0", "-5", "nan", "1e9", "abc", "", "inf", "99x"):
        check_error(sprof("run", "-r", rate, "--", "true"), USAGE, "rate")


def test_absurd_durations():
    for duration in ("-1s", "abc", "", "10parsecs", "nan"):
        check_error(sprof("attach", "-p", "1", "-d", duration), USAGE, "duration")


def test_absurd_pids():
    for pid in ("0", "-1", "abc", "", "99999999999999999999", "1x"):
        check_error(sprof("attach", "-p", pid), USAGE, "pid|process")


def test_wrong_command_lines():
    for args in (["no-such-command"], ["run"], ["run", "--"], ["attach"], ["dump"],
                 ["attach", "-p"], ["attach", "-p", "1", "x"]):
        check_error(sprof(*args), USAGE)
    for options in (["--no-such-option"], ["-f", "no-such-format"], ["-o", "x.unknown"],
                    ["--weight", "none"], ["--report-mode", "none"]):
        check_error(sprof("run", *options, "--", "touch", "ran"), USAGE)
    assert not os.path.exists("ran")


# No such thing.

def test_no_such_program():
    check_error(sprof("run", "--", "/no/such/program"), FAILED, "/no/such/program", "no such file")
    check_error(sprof("run", "--", "no-such-program-in-path"), FAILED, "no-such-program-in-path")


def test_not_executable():
    with open("data", "w", encoding="utf-8") as file:
        file.write("no program\n")
    check_error(sprof("run", "--", "./data"), FAILED, "./data", "permission denied")
    check_error(sprof("run", "--", "/"), FAILED, "permission denied|is a directory")


def test_no_such_pid():
    ended = Program(["true"])
    pid = ended.pid
    ended.finish()
    for command in ("attach", "dump"):
        check_error(sprof(command, "-p", pid), FAILED, str(pid), "no such process")


def test_zombie():
    ended = Program(["true"])
    wait_until(lambda: state_of(ended.pid) == "Z", "a zombie")
    for command in ("attach", "dump"):
        check_error(sprof(command, "-p", ended.pid), FAILED, str(ended.pid),
                    "no such process|ended|zombie")


def kernel_thread():
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            if int(file.read().rpartition(")")[2].split()[6]) & PF_KTHREAD:
                return pid
    return None


def test_kernel_thread():
    pid = kernel_thread()
    require_machine(pid, "no kernel threads in this pid namespace")
    for command in ("attach", "dump"):
        check_error(sprof(command, "-p", pid), FAILED, pid, "kernel thread")


def test_itself():
    """A process can't trace itself: a shell that becomes sprof knows its pid beforehand."""
    result = run("/bin/sh", "-c", 'exec "$0" attach -p $$ -d 1s', SPROF)
    check_error(result, USAGE, "itself")


# Refused.

def test_already_traced():
    """Says by whom: name and pid."""
    tracer = Target("traced")
    check_error(attach(tracer.said[0]), FAILED, "traced", rf"traced.*\b{tracer.pid}\b")
    assert not os.path.exists("x.folded")
    tracer.finish().check(0)


def test_traced_by_sprof():
    program = Target("spin-two")
    first = Attached(program.pid, "-o", "first.folded")
    check_error(attach(program.pid), FAILED, rf"\b{first.pid}\b.*sprof")
    first.stop().check(0)
    read_folded("first.folded").check("spin_round")
    program.finish().check(0)


def plain_user():
    """What makes a command run without root's rights."""
    if os.geteuid() != 0:
        return []
    return [tool("setpriv"), f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]


def run_as_plain_user(*args):
    """sprof without root's rights, from a place where anybody can read it."""
    if not os.path.exists("sprof"):
        shutil.copy(SPROF, "sprof")
        os.chmod("sprof", 0o755)
    return run(*plain_user(), "./sprof", *args)


def test_other_user():
    require(os.geteuid() == 0, "only root can become another user")
    program = Target("spin-two")
    for command in (["attach", "-d", "1s"], ["dump"]):
        result = run_as_plain_user(*command, "-p", program.pid)
        check_error(result, FAILED, str(program.pid), "not permitted", "user")
    check_untouched(program.pid)
    program.finish().check(0)


def test_not_dumpable():
    """Both are of the same user, so that only PR_SET_DUMPABLE stands between them."""
    shutil.copy(target("undumpable"), "undumpable")
    os.chmod("undumpable", 0o755)
    program = Target(os.path.abspath("undumpable"), before=plain_user())
    result = run_as_plain_user("attach", "-p", program.pid, "-d", "1s")
    check_error(result, FAILED, str(program.pid), "not permitted", "dumpable")
    program.finish().check(0)


def test_not_dumpable_from_its_start_on():
    """A program of the user's own that is run: its stacks are whole where it computes."""
    shutil.copy(target("undumpable"), "undumpable")
    os.chmod("undumpable", 0o755)
    os.chmod(".", 0o777)
    result = run_as_plain_user("run", "-r", "99", *PROFILE, "--", "./undumpable", "2").check(0)
    folded, stats = read_profile()
    print(stats["samples"], stats["truncated_reasons"], result.err)
    # What it was stopped in before it shut us out may be cut for any reason.
    others = sum(count for reason, count in stats["truncated_reasons"].items() if reason != "denied")
    assert others <= most_of(stats["samples"], 0.05), stats["truncated_reasons"]
    assert stats["stacks_complete"] > 0, stats
    assert folded.has("main", "burn") and folded.weight("burn") > 0.2 * folded.total, folded.stacks
    assert folded.share(r"\[unsampled\]") < 0.5, folded.stacks
    assert "PR_SET_DUMPABLE" in result.err and "CAP_SYS_PTRACE" in result.err, result.err


def test_missing_capability():
    """Root without CAP_SYS_PTRACE may not attach to a root that has it."""
    require(os.geteuid() == 0, "only root has capabilities to drop")
    require_machine(int(status_field("self", "CapEff", os.getpid()), 16) >> 19 & 1, "we have no CAP_SYS_PTRACE")
    program = Target("spin-two")
    command = [tool("setpriv"), "--bounding-set=-sys_ptrace", "--inh-caps=-sys_ptrace", SPROF]
    result = run(*command, "attach", "-p", program.pid, "-d", "1s")
    check_error(result, FAILED, str(program.pid), "not permitted", "CAP_SYS_PTRACE")
    program.finish().check(0)


def test_other_user_namespace():
    """A container's root is nobody outside of it."""
    unshare = tool("unshare")
    require(run(unshare, "-Ur", "true").code == 0, "may not make a user namespace")
    program = Target("spin-two")
    for options in ("-Ur", "-U"):
        result = run(unshare, options, SPROF, "attach", "-p", program.pid, "-d", "1s")
        check_error(result, FAILED, str(program.pid), "not permitted", "user namespace")
    check_untouched(program.pid)
    program.finish().check(0)


def test_no_samples():
    """What ends with an error says why, however quiet it is to be."""
    program = Target("spin-two")
    result = sprof("attach", "-q", "-p", program.pid, "-d", "1ms", "-D", "10ms", "-r", "0.1",
                   "--mode", "wait", "-o", "x.folded")
    check_error(result, PARTIAL, "no samples")
    program.finish().check(0)


def test_set_user_id():
    """Whoever may start it would get root's rights over everybody's processes."""
    require(os.geteuid() == 0, "only root can make a set-user-ID program of root's")
    mounts = run("findmnt", "-no", "OPTIONS", "--target", ".").text()
    require("nosuid" not in mounts, "set-user-ID programs have no effect here")
    shutil.copy(SPROF, "sprof")
    for mode in (0o4755, 0o2755):
        os.chmod("sprof", mode)
        check_error(run_as_plain_user("run", "--", "true"), FAILED, "set-user-ID")
        check_error(run_as_plain_user("--version"), FAILED, "set-user-ID")
    os.chmod("sprof", 0o755)
    run_as_plain_user("--version").check(0)


def test_set_user_id_target():
    """Traced, it has no more rights than the one who starts it; and that is said."""
    require(os.geteuid() == 0, "only root can make a set-user-ID program of root's")
    mounts = run("findmnt", "-no", "OPTIONS", "--target", ".").text()
    require("nosuid" not in mounts, "set-user-ID programs have no effect here")
    shutil.copy(tool("id"), "who")
    os.chmod("who", 0o4755)
    assert run(*plain_user(), "./who", "-u").check(0).text() == "0\n"
    for command in (["./who", "-u"], ["sh", "-c", "./who -u; true"]):
        result = run_as_plain_user("run", "-o", "/dev/null", "-f", "text", "--", *command).check(0)
        assert result.text() == f"{NOBODY}\n", result.text()
        assert "who is set-user-ID" in result.err and len(result.err.splitlines()) == 1, result.err
    result = run_as_plain_user("run", "-o", "/dev/null", "-f", "text", "--", tool("setpriv"),
                           "--no-new-privs", "./who", "-u").check(0)
    assert result.err == "", f"it would have had no rights anyway: {result.err}"
    result = sprof("run", "-o", "/dev/null", "-f", "text", "--", *plain_user(), "./who", "-u").check(0)
    assert (result.text(), result.err) == ("0\n", ""), "root's tracing takes no rights away"


# Nowhere to write.

def test_unwritable_output():
    program = Target("spin-two")
    for path in ("/no/such/folder/x.folded", "/proc/x.folded"):
        result = sprof("attach", "-p", program.pid, "-d", "200ms", "-o", path)
        check_error(result, FAILED, path)
        check_untouched(program.pid)
    program.finish().check(0)


def test_unwritable_output_of_run():
    for option in ("-o", "--stats"):
        result = sprof("run", option, "/no/such/folder/x.folded", "--", "true")
        check_error(result, FAILED, "/no/such/folder")


def test_output_through_a_planted_link():
    """Whoever may write in /tmp must not choose the file that another user overwrites."""
    os.mkdir("open")
    os.chmod("open", 0o1777)
    with open("precious.folded", "w", encoding="utf-8") as file:
        file.write("old")
    os.symlink("../precious.folded", "open/x.folded")
    for option in ("-o", "--stats"):
        result = sprof("run", option, "open/x.folded", "--", "true")
        check_error(result, FAILED, "open/x.folded", "symbolic link")
    with open("precious.folded", encoding="utf-8") as file:
        assert file.read() == "old"


def test_output_to_devices_and_pipes():
    """What is no regular file is written to, and stays what it is."""
    os.mkfifo("pipe.folded")
    reader = Program(["cat", "pipe.folded"])
    sprof("run", "-o", "/dev/null", "-f", "text", "-o", "pipe.folded", "--",
          target("forker"), "fork").check(0)
    assert "parent_work" in reader.finish().check(0).text()
    assert stat.S_ISFIFO(os.stat("pipe.folded").st_mode)
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    for path in ("-", "/dev/stdout", "/proc/self/fd/1"):
        result = sprof("run", "-o", path, "-f", "folded", "--", target("forker"), "fork").check(0)
        assert "parent_work" in result.text(), path


def test_output_has_the_users_mask():
    for mask, mode in ((0o077, 0o600), (0o022, 0o644), (0o002, 0o664)):
        sprof("run", *PROFILE, "--", "true", umask=mask).check(0)
        for name in ("x.folded", "x.json"):
            assert os.stat(name).st_mode & 0o777 == mode, (name, oct(mask))
            os.remove(name)


def test_output_is_a_folder():
    os.mkdir("x.folded")
    check_error(sprof("run", "-o", "x.folded", "--", "true"), FAILED, "x.folded")


def test_full_disk():
    program = Target("spin-two")
    with open("/dev/full", "wb") as full:
        result = sprof("attach", "-p", program.pid, "-d", "300ms", stdout=full)
    check_error(result, FAILED, "no space left")
    check_untouched(program.pid)
    program.finish().check(0)


def test_one_bad_output_of_two():
    """The one that can be written is."""
    program = Target("spin-two")
    with open("/dev/full", "wb") as full:
        result = sprof("attach", "-p", program.pid, "-d", "300ms", "-o", "x.folded",
                       "-o", "-", stdout=full)
    assert result.code == PARTIAL, f"exit code {result.code}"
    assert "o space left" in result.err
    read_folded("x.folded").check("spin_round")
    program.finish().check(0)


# Targets that end too early.

def test_target_that_exits_during_attach():
    """Whichever comes first: there is a profile, or a line that says why there is none."""
    for _ in range(20):
        program = Target("undumpable")
        attach_ = Program([SPROF, "attach", "-p", program.pid, "-o", "x.folded"])
        program.finish().check(0)
        result = attach_.finish()
        assert result.code in (0, PARTIAL, FAILED), f"exit code {result.code}: {result.err}"
        if result.code != 0:
            check_error(result, result.code, "process")


def test_target_that_ends_before_the_first_sample():
    result = sprof("run", "-D", "1h", *PROFILE, "--", "sh", "-c", "exit 3")
    check_error(result, 3, "sample")
    folded, stats = read_profile()
    assert stats["samples"] == 0 and folded.names() <= {"[unsampled]"}
    assert stats["duration_ns"] < LIMIT * 1e9, f"it took {stats['duration_ns']} ns"


def test_target_killed_midway():
    """By somebody else, while sprof runs or is attached: what was taken is written."""
    program = Target("spin-two")
    attached = Attached(program.pid, "-o", "x.folded")
    wait_for_cpu(program.pid, 0.5)
    program.signal(signal.SIGKILL)
    attached.finish().check(0)
    read_folded("x.folded").check("spin_round")


def test_launched_target_killed_midway():
    program = Target("spin-two", before=[SPROF, "run", *PROFILE, "--"])
    pid = int(program.said[0])
    wait_for_cpu(pid, 0.5)
    os.kill(pid, signal.SIGKILL)
    program.finish().check(128 + signal.SIGKILL)
    folded, stats = read_profile()
    folded.check("spin_round")
    assert stats["samples"] > 0



# Names that would drive a terminal.

ODD = b"\x1b[31m\xff\n\xc2\x9bX"  # colours, no UTF-8, a new line, the one-byte CSI
UMLAUT = "bl\u00fcte".encode()
RENAMED = """
import ctypes, os, sys
libc = ctypes.CDLL(None)
child = os.fork()
if child:
    libc.prctl(15, %r, 0, 0, 0)  # PR_SET_NAME
    assert libc.ptrace(0x4206, child, None, None) == 0  # PTRACE_SEIZE
    print(child, flush=True)
sys.stdin.read()
"""


def check_tame(name, text, *words):
    """Valid UTF-8 and nothing but printed characters, in whole lines; and it has these words."""
    for character in text.decode():
        assert character == "\n" or character.isprintable(), f"{name}: {text!r}"
    for word in words:
        assert word in text, f"{name}: no {word!r} in {text!r}"


def odd_copy(program):
    """The program under a name that is odd: in its path, and in what the kernel calls it."""
    path = os.path.join(os.getcwdb(), UMLAUT + ODD)
    shutil.copy(program, path)
    return path


def run_bytes(*argv):
    """(exit code, stderr) of sprof with words that are no text."""
    result = subprocess.run([SPROF.encode(), *argv], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, timeout=LIMIT, check=False)
    return result.returncode, result.stderr


def check_error_tame(code, *argv):
    """One line or two, whatever is in the words."""
    found, text = run_bytes(*argv)
    assert found == code, f"{argv}: exit {found}: {text!r}"
    check_tame(argv, text, b"sprof: ", UMLAUT, b"[31m")
    lines = text.splitlines()
    assert len(lines) <= 2 and all(line.startswith((b"sprof: ", b"hint: ")) for line in lines), text


def test_odd_words():
    """Of the command line: names of files, programs, options, formats, commands."""
    odd = UMLAUT + ODD
    sprof("run", "-o", "x.pb.gz", "--", "true").check(0)
    check_error_tame(FAILED, b"run", b"--", odd)
    check_error_tame(FAILED, b"run", b"-o", b"/no/" + odd + b".folded", b"--", b"true")
    check_error_tame(FAILED, b"report", odd)
    check_error_tame(FAILED, b"symbols", odd)
    check_error_tame(USAGE, odd)
    check_error_tame(USAGE, b"run", b"--" + odd)
    check_error_tame(USAGE, b"run", b"-f", odd)
    check_error_tame(USAGE, b"run", b"-o", odd, b"--", b"true")
    check_error_tame(USAGE, b"attach", b"-p", odd)
    check_error_tame(USAGE, b"report", b"--focus", b"(" + odd, b"x.pb.gz")
    check_error_tame(USAGE, b"run", b"-d", odd)


def test_odd_file_of_output():
    """Its name is said on a terminal, or with -v."""
    code, text = run_bytes(b"run", b"-v", b"-o", UMLAUT + ODD + b".folded", b"--", b"true")
    assert code == 0 and os.path.exists(UMLAUT + ODD + b".folded"), text
    check_tame("wrote", text, b"wrote " + UMLAUT)


def test_odd_name_of_a_tracer():
    tracer = Program([sys.executable, "-c", RENAMED % (UMLAUT + b"\x1b[31m\xff",)])
    pid = tracer.line()
    for command in (b"attach", b"dump"):
        code, text = run_bytes(command, b"-p", pid.encode())
        assert code == FAILED, text
        check_tame(command, text, b"sprof: ", UMLAUT, b"[31m")
    tracer.finish().check(0)


def test_odd_name_of_a_program():
    """What sprof says of the program that it starts, and of what it left to a tracer."""
    code, text = run_bytes(b"run", b"-f", b"folded", b"--", odd_copy(target("exit-code")))
    assert code == 0 and b"stdout is for the report" in text, text
    check_tame("run", text, UMLAUT)
    code, text = run_bytes(b"run", b"-o", b"x.folded", b"--", odd_copy(target("traced")))
    check_tame("run", text, UMLAUT, b"traces processes itself")


def test_odd_name_of_a_target():
    """Its name, its file and its command line, wherever they are printed."""
    program = Program([os.fsdecode(odd_copy(target("spin-two"))), "0", os.fsdecode(ODD)])
    program.line()
    for words in ((b"dump",), (b"attach", b"-d", b"200ms", b"-f", b"text"),
                  (b"attach", b"-d", b"200ms", b"-t", b"-f", b"folded"), (b"symbols",)):
        result = subprocess.run([SPROF.encode(), *words, b"-p", str(program.pid).encode()],
                                stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT, check=False)
        assert result.returncode == 0, f"{words}: {result.stderr!r}"
        check_tame(words, result.stdout.replace(b"\t", b" "), b"main")
        check_tame(words, result.stderr)
    program.process.kill()
    program.wait()


if __name__ == "__main__":
    main()
