"""
Terminals as they are found: without a pager or with a wrong one, dumb, narrow, in no language; and what else a shell
may have set before: no home, a small stack, a closed stdout. What was asked for arrives whole, and one line says what is not
as usual.
"""

import fcntl
import os
import pty
import resource
import select
import shutil
import struct
import subprocess
import termios

import made
from harness import LIMIT, SPROF, Target, main, sprof, tool
from subjects import command, write

USAGE, FAILED = 64, 2
SMALL_STACK = 64 << 10  # of the first thread, as ulimit -s 64 has it
BRIEF = "echo hello; exit 3"           # it may end without a sample
SLEEPY = "echo hello; sleep 1; exit 3"


def read_all(terminal, process):
    """What is written to the terminal until nothing has it open any more."""
    text = b""
    while True:
        ready = select.select([terminal], [], [], LIMIT)[0]
        assert ready, f"hangs: {process.args}, behind {text[-500:]!r}"
        try:
            part = os.read(terminal, 1 << 16)
        except OSError:  # EIO: its last user has gone
            return text.decode().replace("\r\n", "\n")
        text += part


def on_terminal(*words, columns=100, before=None, **environment):
    """The exit code of sprof on a terminal, and what it shows. A variable that is None is not set."""
    terminal, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 30, columns, 0, 0))
    wanted = {"TERM": "xterm", "PAGER": "cat", "LC_ALL": "C.UTF-8", **environment}
    inherited = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "LESS", *wanted)}
    process = subprocess.Popen([SPROF, *words], stdin=side, stdout=side, stderr=side, start_new_session=True,
                               preexec_fn=before,
                               env={**inherited, **{name: value for name, value in wanted.items() if value is not None}})
    os.close(side)
    text = read_all(terminal, process)
    os.close(terminal)
    return process.wait(LIMIT), text


def without_less():
    """A PATH that has a shell and nothing else."""
    os.makedirs("bin", exist_ok=True)
    if not os.path.exists("bin/sh"):
        os.symlink(shutil.which("sh"), "bin/sh")
    return os.path.abspath("bin")


def check_paged(note, **environment):
    """The report is as without a pager, and the note is the only line more."""
    for command in (["report", "--full", "large.pb.gz"], ["report", "small.pb.gz"], ["diff", "small.pb.gz", "large.pb.gz"]):
        code, plain = on_terminal(*command, "--no-pager", **environment)
        assert code == 0 and "parse" in plain or "function_1499" in plain, plain
        code, text = on_terminal(*command, **environment)
        assert code == 0, (command, code, text[:500])
        lines = text.splitlines()
        said = [line for line in lines if "without a pager" in line]
        assert len(said) == 1 and note in said[0], text[:500]
        # The shell's own line, where only the shell can know.
        rest = [line for line in lines if line not in said and "not found" not in line and "denied" not in line]
        assert rest == plain.splitlines(), (command, text[:500])
        assert len(lines) - len(rest) <= 2


def test_no_pager_to_be_found():
    made.large("large.pb.gz")
    made.small("small.pb.gz")
    check_paged("less is not installed", PATH=without_less(), PAGER=None)
    check_paged("PAGER=nonsense can't be run", PAGER="nonsense")
    check_paged("PAGER=nonsense -x can't be run", PAGER="nonsense -x")
    check_paged("can't be run", PAGER="A=1 nonsense")  # only the shell finds out
    with open("no-program", "w", encoding="utf-8"):
        pass
    check_paged("can't be run", PAGER=os.path.abspath("no-program"))


def test_files_are_written_once():
    """Without a pager, the report comes again; files don't, and what can't be written is told once."""
    made.small("small.pb.gz")
    code, text = on_terminal("report", "small.pb.gz", "-o", "x.folded", "-o", "-", "-f", "text", "-v", PAGER="A=1 nonsense")
    assert code == 0 and text.count("wrote x.folded") == 1 and "parse" in text, text


def test_a_pager():
    """It has the whole report on its stdin, and may be left early, which is no failure."""
    made.large("large.pb.gz")
    plain = on_terminal("report", "--full", "large.pb.gz", "--no-pager")[1]
    assert len(plain) > 1 << 16
    code, text = on_terminal("report", "--full", "large.pb.gz", PAGER="sed 's/^/paged: /'")
    assert code == 0 and text == "".join(f"paged: {line}\n" for line in plain.splitlines())
    code, text = on_terminal("report", "--full", "large.pb.gz", PAGER="head -n 3")
    assert code == 0 and text.splitlines() == plain.splitlines()[:3], text
    code, text = on_terminal("report", "--full", "large.pb.gz", PAGER="cat >/dev/null; exit 1")
    assert (code, text) == (0, ""), (code, text)


def answer(program=BRIEF, **settings):
    code, text = on_terminal("run", "--", "sh", "-c", program, **settings)
    assert code == 3, (code, text)
    assert text.startswith("hello\n") and "verdict" in text, text
    return text


def test_the_answer_on_any_terminal():
    """The program's exit code is sprof's; without colours where the terminal has none, in ASCII in no language."""
    assert "\x1b[" in answer()
    for settings in ({"TERM": "dumb"}, {"TERM": None}, {"NO_COLOR": "1"}):
        assert "\x1b" not in answer(**settings), settings
    assert answer(LC_ALL="C", LANG="C").isascii()
    for columns in (40, 10, 1, 0):
        text = answer(columns=columns, TERM="dumb")
        if columns == 40:
            assert max(map(len, text.splitlines())) <= columns, text


def test_a_report_on_any_terminal():
    made.small("small.pb.gz")
    for settings in ({"TERM": "dumb"}, {"TERM": None}, {"columns": 40}, {"columns": 0}, {"LC_ALL": "C"}):
        code, text = on_terminal("report", "small.pb.gz", **settings)
        assert code == 0 and all(name in text for name in ("parse", "walk", "lib_sync")), text
        assert settings.get("LC_ALL") != "C" or text.isascii(), text


LONG = "a_function_whose_name_is_" + "much_" * 12 + "longer_than_a_line"
LONG_NAMES = f"""
volatile long sum;
__attribute__((noinline)) void {LONG}(long n) {{ for (long i = 0; i < n; i++) sum += i; }}
__attribute__((noinline)) void caller_of_{LONG}(long n) {{ {LONG}(n); sum++; }}
int main(void)
{{
	for (int i = 0; i < 100; i++)
		caller_of_{LONG}(1000000);
	return 0;
}}
"""


def test_tables_fit_a_terminal():
    """Of 80 columns, whatever functions and files are called."""
    folder = "a-folder-whose-name-is-" + "long-" * 10
    os.mkdir(folder)
    source = write(os.path.join(folder, "long.c"), LONG_NAMES)
    command(tool("gcc"), "-O1", "-g", os.path.abspath(source), "-o", "long")
    sprof("run", "-q", "-r", "499", "-o", "x.pb.gz", "--", "./long").check(0)
    calls = ["calls", "--breakpoints", "--overhead", "0", "--tree", "--path", "caller*", "-F", "*" + LONG]
    for words, begin in (([*calls, "--per-thread", "--", "./long"], "thread "), (["report", "--by", "srcline", "x.pb.gz"], " self% "),
                         (["annotate", LONG, "x.pb.gz"], "  total% "), (["annotate", "main", "x.pb.gz"], "  total% ")):
        code, text = on_terminal(*words, columns=80)
        assert code == 0 and f"\n{begin}" in text, (words, code, text)
        # Lines of the source are as they are; what is above the first title is text.
        table = text[text.index(f"\n{begin}"):].partition(f"\n{os.path.abspath(source)}")[0]
        for line in table.splitlines():
            assert len(line) <= 80, (words, line)


def test_nowhere_to_keep_the_recording():
    """The answer says how to see the whole report all the same."""
    made.small("small.pb.gz")
    for home in (None, "/proc", "/nonexistent", ""):
        text = answer(SLEEPY, HOME=home, XDG_CACHE_HOME=None)
        assert "the same with --full" in text, text
        code, text = on_terminal("report", HOME=home, XDG_CACHE_HOME=None)
        assert code == USAGE and "report needs a profile" in text, text
    os.mkdir("home")
    text = answer(SLEEPY, HOME=os.path.abspath("home"), XDG_CACHE_HOME=None)
    assert "sprof report" in text and os.path.exists("home/.cache/sprof/last.pb.gz"), text


def with_a_small_stack():
    resource.setrlimit(resource.RLIMIT_STACK, (SMALL_STACK, SMALL_STACK))


def test_a_small_stack():
    """The program has what the shell has set; sprof's own threads have more."""
    made.large("large.pb.gz")
    answer(before=with_a_small_stack)
    limit = sprof("run", "-q", "-o", "x.pb.gz", "--", "sh", "-c", "ulimit -s", preexec_fn=with_a_small_stack).check(0)
    assert limit.text() == "64\n", limit.text()
    for words in (["report", "x.pb.gz"], ["report", "--full", "large.pb.gz"], ["diff", "x.pb.gz", "large.pb.gz"],
                  ["merge", "-o", "y.pb.gz", "x.pb.gz", "large.pb.gz"], ["report", "-o", "y.html", "large.pb.gz"],
                  ["syscalls", "--source", "ptrace", "--stack", "--", "true"], ["mem", "--maps", "--", "true"],
                  ["heap", "--source", "ptrace", "--", "true"], ["rundelay", "--source", "proc", "--", "true"],
                  ["trace", "--source", "ptrace", "-e", "syscalls:sys_enter_brk", "-e", "syscalls:sys_exit_brk", "--", "true"],
                  ["symbols", SPROF], ["dump", "-p", str(os.getpid())]):
        sprof(*words, preexec_fn=with_a_small_stack).check(0)


def close_stdout():
    os.close(1)


def fill_stdout():
    os.dup2(os.open("/dev/full", os.O_WRONLY), 1)


def test_a_closed_stdout():
    """sprof fails and says so in one line, whatever the command; files are written."""
    made.small("small.pb.gz")
    for before, reason in ((close_stdout, "Bad file descriptor"), (fill_stdout, "No space left on device")):
        for words in (["report", "small.pb.gz"], ["diff", "small.pb.gz", "small.pb.gz"], ["events"], ["--help"], ["--version"],
                      ["report", "--help"], ["symbols", SPROF], ["annotate", "parse", "small.pb.gz"],
                      ["dump", "-p", str(os.getpid())], ["run", "-f", "text", "--", "true"], ["mem", "--", "true"],
                      ["syscalls", "--source", "ptrace", "--", "true"], ["rundelay", "--source", "proc", "--", "true"]):
            result = sprof(*words, preexec_fn=before).check(FAILED)
            assert result.err.count(reason) == 1, (words, result.err)
        sprof("report", "small.pb.gz", "-o", "x.txt", preexec_fn=before).check(0)
        with open("x.txt", encoding="utf-8") as file:
            assert "parse" in file.read()
        os.remove("x.txt")


def test_top_draws_and_gives_the_terminal_back():
    """The kernel's terminal alone, without a program that emulates one. tests/e2e/test_top.py presses the other keys."""
    program = Target("spin-two")
    terminal, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
    before = termios.tcgetattr(terminal)
    process = subprocess.Popen([SPROF, "top", "-p", str(program.pid)], stdin=side, stdout=side, stderr=side,
                               start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
                               env={**os.environ, "TERM": "xterm"})
    text = b""
    while b"spin_three" not in text:
        assert select.select([terminal], [], [], LIMIT)[0], f"hangs behind {text[-500:]!r}"
        text += os.read(terminal, 1 << 16)
        assert process.poll() is None, text
    os.close(side)
    os.write(terminal, b"q")
    read_all(terminal, process)
    assert process.wait(LIMIT) == 0 and termios.tcgetattr(terminal) == before
    os.close(terminal)
    program.finish().check(0)


if __name__ == "__main__":
    main()
