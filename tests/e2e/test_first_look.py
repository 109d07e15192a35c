"""What a person sees first: the answer on one screen, of programs whose answer is known."""

import os
import re
import shlex
import signal

from harness import LIMIT, SPROF, Program, Target, main, run, tool, wait_until
from postgres import Server
from screen import Screen
from subjects import build, write
from test_real_programs import make_repository

SMALL, LARGE = (24, 80), (50, 200)


def answers(*command, environment=(), sizes=(SMALL, LARGE)):
    """The answer on screens of these sizes."""
    for rows, columns in sizes:
        screen = Screen(rows, columns, SPROF, *command, environment=[
            "XDG_CACHE_HOME=" + os.path.abspath("cache"), *environment])
        yield screen


def check_run(*command, words, **options):
    for screen in answers("run", "--", *command, **options):
        print(screen.text)
        screen.check_answer(*words)
        assert any("sprof report" in line for line in screen.part("next")), screen.text


def check_attach(pid, words):
    for screen in answers("attach", "-p", pid, "-d", "2s", sizes=[SMALL]):
        print(screen.text)
        screen.check_answer(*words)


def test_demo():
    """Two pickers fight for a lock that is held while its owner rests."""
    check_run(os.environ["SPROF_DEMO"], words=["orchard", "blocked", "mutex", "count_apples", "held by picker", "rest"])


def test_deadlock():
    """Each of two threads waits for the other's mutex. It is no deadlock as long as they only wait for each other in turns."""
    hangs, plays = Target("deadlock", "mm"), Target("deadlock", "turns")
    for screen in answers("attach", "-p", hangs.pid, "-d", "2s"):
        screen.check_answer("deadlock (", "deadlock, 2 threads will wait for ever")
        assert f"sprof dump -p {hangs.pid} " in screen.part("next")[0], screen.text
    for screen in answers("attach", "-p", plays.pid, "-d", "2s", sizes=[SMALL]):
        assert "ever" not in " ".join(screen.part("verdict")), screen.text
    hangs.finish().check(0)
    plays.finish().check(0)


def test_single_threaded_program():
    check_run(build("work"), "2", words=["work", "computing", "inner"])


PYTHON = """
import time
def count(number):
    return sum(i * i % 7 for i in range(number))
end = time.monotonic() + 1.5
while time.monotonic() < end:
    count(20000)
"""


# Programs that nobody here wrote: on the small screen, which is the harder one.

def test_python():
    check_run(tool("python3"), write("count.py", PYTHON), sizes=[SMALL],
              words=["python3", "computing", "count.<locals>.<genexpr>"])


MAKEFILE = """
all: a.o b.o c.o
%.o: %.cc
\t$(CXX) -O2 -c -o $@ $<
"""


def test_make():
    """Some fifteen processes, of which the compilers matter; make and the shells wait for them."""
    source = "#include <regex>\n#include <map>\nstd::regex r(\"a+\"); std::map<int, std::regex> m{{1, r}};\n"
    write("Makefile", MAKEFILE)
    for name in "abc":
        write(f"{name}.cc", source)
    for screen in answers("run", "--", tool("make"), "-B", "-j2", f"CXX={tool('g++')}", sizes=[SMALL]):
        print(screen.text)
        screen.check_answer("cc1plus (3 processes)", "computing", "more process")


def test_sqlite():
    sql = ("CREATE TABLE t(a, b); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE "
           "i < 1500000) INSERT INTO t SELECT i, i % 1000 FROM n; SELECT b, count(*) FROM t GROUP BY b "
           "ORDER BY 2 LIMIT 1;")
    for screen in answers("run", "--", tool("sqlite3"), ":memory:", sql, sizes=[SMALL]):
        print(screen.text)
        screen.check_answer("sqlite3", "computing")
        # (So few samples don't tell which of its functions is the first one.)
        assert any("sqlite3VdbeExec" in line for line in screen.part("functions")), screen.text


def test_git_log():
    git = make_repository(4000)
    script = shlex.join([*git, "log", "--stat", "-p"]) + " > log"
    for screen in answers("run", "-o", "log.folded", "--", "sh", "-c", script, sizes=[SMALL]):
        print(screen.text)
        screen.check_answer("git", "computing")


def test_redis():
    path = os.path.abspath("redis.sock")
    server = Program([tool("redis-server"), "--port", "0", "--unixsocket", path, "--save", ""])
    wait_until(lambda: run(tool("redis-cli"), "-s", path, "ping").out.strip() == b"PONG", "redis answers")
    bench = Program([tool("redis-benchmark"), "-s", path, "-t", "set,get", "-q", "-n", "100000000"])
    check_attach(server.pid, words=["redis-server", "in the kernel"])
    bench.signal(signal.SIGKILL)
    server.signal(signal.SIGKILL)


def test_idle_redis():
    """Who has nothing to do is idle, whatever his threads wait for."""
    path = os.path.abspath("redis.sock")
    server = Program([tool("redis-server"), "--port", "0", "--unixsocket", path, "--save", ""])
    wait_until(lambda: run(tool("redis-cli"), "-s", path, "ping").out.strip() == b"PONG", "redis answers")
    check_attach(server.pid, words=["redis-server", "idle"])
    server.signal(signal.SIGKILL)


def test_postgres():
    server = Server()
    clients = server.clients(100 * LIMIT)
    wait_until(lambda: len(server.backends("UPDATE")) == 2, "both clients are served")
    for screen in answers("attach", "-p", server.backends()[0], "-d", "2s", sizes=[SMALL]):
        print(screen.text)
        verdict = screen.check_answer("postgres")
        assert re.search(r"\d+ % (computing|in the kernel|blocked|ready)", verdict), verdict
    server.stop()
    clients.finish()


THREADS = """
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static void *wait_for_work(void *unused)
{
    pthread_mutex_lock(&lock);
    for (;;)
        pthread_cond_wait(&work, &lock);
    return unused;
}
static unsigned sum;
__attribute__((noinline)) void calculate(void)
{
    for (unsigned i = 0; i < 1000000; i++)
        __asm__ volatile("imull $31, %0" : "+r"(sum));
}
int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 1000; i++)
        pthread_create(&thread, NULL, wait_for_work, NULL);
    while (clock() < 2 * CLOCKS_PER_SEC)
        calculate();
    _exit(0);
}
"""


def test_thousand_threads():
    """A pool that waits for work doesn't head the list."""
    program = build("pool", "-g", "-pthread", source=THREADS)
    for screen in answers("run", "--", program):
        print(screen.text)
        verdict = screen.check_answer("pool", "computing", "calculate")
        assert "condition variable" not in screen.text, screen.text
        # The kernel may block who makes a thousand threads.
        assert "blocked" not in verdict or "most in clone3" in verdict, screen.text


def test_the_last_recording_is_kept():
    cache = os.path.abspath("cache")
    environment = [f"XDG_CACHE_HOME={cache}"]
    Screen(24, 80, SPROF, "run", "--", build("work"), "0.5", environment=environment)
    saved = f"{cache}/sprof/last.pb.gz"
    assert os.stat(saved).st_mode & 0o077 == 0 and os.stat(os.path.dirname(saved)).st_mode & 0o077 == 0
    report = run("env", *environment, SPROF, "report").check(0).text()
    assert "flat profile" in report and "inner" in report, report
    # What goes into a pipe is the last recording, too.
    os.remove(saved)
    run("env", *environment, SPROF, "run", "--", build("work"), "0.3").check(0)
    assert os.stat(saved).st_mode & 0o077 == 0
    # And what goes to files, with or without a terminal: a report never shows an older run.
    for words in (("-o", "x.folded"), ("-q", "-o", "x.pb.gz"), ("-f", "pprof")):
        os.remove(saved)
        run("env", *environment, SPROF, "run", *words, "--", build("work"), "0.1").check(0)
        assert os.stat(saved).st_mode & 0o077 == 0, words
    os.remove(saved)
    screen = Screen(24, 80, SPROF, "run", "-o", "x.pb.gz", "--", build("work"), "0.1", environment=environment)
    assert os.path.exists(saved) and "sprof report x.pb.gz" in screen.text, screen.text


def type_what_comes_next(*command):
    """
    Of what the answer suggests the first command, and what that prints when it is pasted; and whether the program's own
    time was the answer, not that others had the CPUs.
    """
    screen, = answers("run", "--", *command, sizes=[LARGE])
    print(screen.text)
    typed = screen.part("next")[0].split("    ")[0]
    environment = {**os.environ, "XDG_CACHE_HOME": os.path.abspath("cache"),
                   "PATH": f"{os.path.dirname(SPROF)}:{os.environ['PATH']}"}
    # Half a million system calls, each with its stops of 50 us where the CPUs are slow to wake, take a while.
    return typed, run("sh", "-c", typed, env=environment, limit=4 * LIMIT).check(0).text(), not screen.is_crowded


def example(name):
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/examples", f"{name}.c")
    with open(path, encoding="utf-8") as file:
        return build(name, "-g", "-pthread", source=file.read())


def test_the_next_command_can_be_pasted():
    """It answers the question that the verdict leaves open, for each kind of verdict."""
    typed, shown, is_own = type_what_comes_next(example("word-count"))
    if is_own:
        assert typed == "sprof annotate find_word" and re.search(r"word-count\.c:17 -> \S*strcmp", shown), shown
    write("large", "x" * 500_000)
    program = example("checksum")
    typed, shown, is_own = type_what_comes_next(program, "large", "a word")
    if is_own:
        assert typed == f"sprof syscalls -- {program} large 'a word'", typed
        # On a busy machine the kernel loses records of half a million calls, and says how many.
        lost = re.search(r"the kernel has lost (\d+) records", shown)
        calls = int(re.search(r"^read +(\d+) ", shown, re.MULTILINE)[1])
        assert 500_000 - (int(lost[1]) if lost else 0) <= calls < 500_100, shown
    typed, shown, is_own = type_what_comes_next(os.environ["SPROF_DEMO"])
    assert not is_own or (typed == "sprof report" and "waiters and holders" in shown), shown


def test_no_part_is_empty():
    """Blank lines stand between parts, and never two of them: a program that computes has no waits."""
    screen, = answers("run", "--", build("work"), "0.5", sizes=[LARGE])
    parts = screen.text[screen.text.index("sprof "):].strip("\n")
    assert "\n\n\n" not in parts and "\n\npaths" in parts, screen.text


def test_colour_and_ascii():
    program = build("work")
    plain = Screen(24, 80, SPROF, "run", "--", program, "0.3", environment=["NO_COLOR=1", "LC_ALL=C"])
    assert "\x1b[" not in "\n".join(plain.coloured), plain.coloured
    assert all(line.isascii() for line in plain.lines), plain.text
    coloured = Screen(24, 80, SPROF, "run", "--", program, "0.3", environment=["LC_ALL=C.UTF-8"])
    assert "\x1b[" in "\n".join(coloured.coloured) and "█" in coloured.text, coloured.text


def test_too_short_a_run():
    # Few samples on a busy machine, too, where even true(1) may take long.
    screen = Screen(24, 80, SPROF, "run", "-r", "9", "--", tool("true"))
    assert re.search("shows? nothing; ", screen.text) or "0 samples" in screen.text, screen.text
    screen = Screen(24, 80, SPROF, "run", "-r", "4", "--", tool("sleep"), "0.25")
    assert re.search("shows? nothing; try --rate 999", screen.text) or "0 samples" in screen.text, screen.text


def test_the_report_fits_a_terminal():
    """--full goes through the pager and is as wide as it likes; the other report is not."""
    program = Target("threads")
    for screen in answers("attach", "-p", program.pid, "-d", "1s", "--min", "1", environment=["PAGER=cat"]):
        joined = [line for line in screen.joined if line]
        assert joined == [line for line in screen.lines if line], screen.text
    program.signal(signal.SIGKILL)


def test_what_a_shell_opened_gets_what_its_name_says():
    program = build("work")
    worker = Program([program, "100"])
    for name, words in (("a.txt", "flat profile"), ("a.folded", ";outer"), ("a.html", "<!DOCTYPE html>"),
                        ("a", ";outer")):
        with open(name, "wb") as file:
            run(SPROF, "attach", "-p", worker.pid, "-d", "0.3", stdout=file).check(0)
        with open(name, encoding="utf-8") as file:
            assert words in file.read(), name
    worker.signal(signal.SIGKILL)
    worker.wait()
    assert "what for, where" in run(SPROF, "run", "--waits", "--", tool("sleep"), "0.3").check(0).text()
    assert "flat profile" in run(SPROF, "run", "--min", "5", "--", program, "0.2").check(0).text()


if __name__ == "__main__":
    main()
