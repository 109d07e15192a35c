"""Names that come later: a profile of stripped files, named where their debug files are."""

import json
import os
import re
import shutil
import signal

from harness import Program, check_error, main, sprof, threads_of, tool, wait_until
from subjects import build, build_id, command, split_debug

# Threads that sleep on several stacks, so that every recording has the same stacks: through inlined
# functions, static functions next to each other, and a library with an exported function.
SLEEPERS = """
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
int through_library(int (*next)(int), int n);
static volatile int zero;

static inline __attribute__((always_inline)) int innermost(int n)
{
    while (!zero) pause();
    return n + zero;
}
static inline __attribute__((always_inline)) int inlined(int n)
{
    return innermost(n + 1) + zero;
}
static NOINLINE int first(int n) { return inlined(n) + zero; }
static NOINLINE int second(int n) { return innermost(n) * 3 + zero; }
static NOINLINE int deep(int n) { return n ? deep(n - 1) + zero + 1 : first(n) + zero; }
static void *one(void *data) { return (void *)(long)(through_library(first, 1) + zero); }
static void *two(void *data) { return (void *)(long)(through_library(second, 2) + zero); }
static void *three(void *data) { return (void *)(long)(deep(5) + zero); }
int main(void)
{
    void *(*const bodies[])(void *) = {one, two, three};
    pthread_t threads[3];

    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, bodies[i], NULL);
    puts("ready");
    fflush(stdout);
    return second(0) + zero;
}
"""

LIBRARY = """
static volatile int none;
static __attribute__((noinline)) int hidden(int (*next)(int), int n) { return next(n) + none; }
static inline __attribute__((always_inline)) int inside(int (*next)(int), int n)
{
    return hidden(next, n) + none;
}
int through_library(int (*next)(int), int n) { return inside(next, n) + none; }
"""


def make(*flags):
    """./program and ./libpath.so stripped, and their debug files in debug/."""
    library = ["-O2", "-g", "-fPIC", "-shared", *flags]
    with open("path.c", "w", encoding="utf-8") as file:
        file.write(LIBRARY)
    command(tool("gcc"), *[flag for flag in library if flag != "-no-pie"], "-o", "libpath.so", "path.c")
    build("program", "-O2", "-g", "-pthread", *flags, "-Wl,-rpath,$ORIGIN", "-L.", "-lpath", source=SLEEPERS)
    os.mkdir("debug")
    for name in ("program", "libpath.so"):
        split_debug(name, f"{name}.stripped", f"debug/{name}.debug")
        os.rename(name, f"{name}.full")
        os.rename(f"{name}.stripped", name)


def all_sleep(pid):
    """Whether its four threads are in the same system call, which is pause()."""
    calls = set()
    for tid in threads_of(pid):
        with open(f"/proc/{pid}/task/{tid}/syscall", encoding="ascii") as file:
            calls.add(file.read().split()[0])
    return len(threads_of(pid)) == 4 and len(calls) == 1 and calls != {"running"}


def record(path, *options):
    """A profile of the sleepers, once all of them sleep."""
    program = Program(["./program"])
    assert program.line() == "ready"
    wait_until(lambda: all_sleep(program.pid), "all threads sleep")
    sprof("attach", "-p", program.pid, "-d", "200ms", "-r", "99", "-o", path, *options).check(0)
    program.signal(signal.SIGKILL)
    program.finish()


def stacks(path, *options):
    """{thread: its stacks}, with (function, file, line) for each frame, as a report has them."""
    sprof("report", path, *options, "-o", "out.speedscope.json").check(0)
    with open("out.speedscope.json", encoding="utf-8") as file:
        data = json.load(file)
    frames = [(frame["name"], frame.get("file"), frame.get("line")) for frame in data["shared"]["frames"]]
    return {tuple(frames[number] for number in sample)
            for profile in data["profiles"] for sample in profile["samples"]}


def functions(path, *options):
    result = sprof("report", path, *options, "-f", "folded", "-o", "-").check(0)
    return {name for line in result.text().splitlines() for name in line.rpartition(" ")[0].split(";")}


def made_up(names):
    return sorted(name for name in names if re.match(r"(program|libpath\.so)\+0x", name))


def by_build_id():
    """Moves the debug files to where their build ids say."""
    for name in ("program", "libpath.so"):
        identity = build_id(name)
        os.makedirs(f"debug/.build-id/{identity[:2]}", exist_ok=True)
        os.rename(f"debug/{name}.debug", f"debug/.build-id/{identity[:2]}/{identity[2:]}.debug")


def leave():
    """The server's files are not at home."""
    os.makedirs("gone", exist_ok=True)
    for name in ("program", "libpath.so", "program.full", "libpath.so.full"):
        os.rename(name, f"gone/{name}")


def check_like_at_once(*flags):
    make(*flags)
    by_build_id()
    record("once.pb.gz", "--debug-dir", "debug")
    record("late.pb.gz")
    leave()
    assert made_up(functions("late.pb.gz"))
    want = stacks("once.pb.gz")
    for name in ("innermost", "inlined", "first", "second", "deep", "hidden", "inside", "main"):
        assert any(frame[0] == name and frame[2] for stack in want for frame in stack), (name, want)
    assert stacks("late.pb.gz", "--debug-dir", "debug") == want
    sprof("report", "late.pb.gz", "--debug-dir", "debug", "-o", "named.pb.gz").check(0)
    shutil.rmtree("debug")
    assert stacks("named.pb.gz") == want
    text = sprof("report", "named.pb.gz", "-f", "text", "-o", "-").check(0).text()
    assert not re.search(r"\b(program|libpath\.so)\+0x", text), text  # libc has its names only where libc6-dbg is installed


def test_pie():
    check_like_at_once()


def test_no_pie():
    check_like_at_once("-no-pie")


def test_segments_with_other_offsets():
    """Link-time addresses that are not offsets in the file."""
    check_like_at_once("-no-pie", "-Wl,-z,noseparate-code")


def test_like_unstripped():
    """The report is that of the program which has never been stripped."""
    make()
    by_build_id()
    record("late.pb.gz")
    leave()
    for name in ("program", "libpath.so"):
        os.rename(f"gone/{name}.full", name)
    record("full.pb.gz")
    assert stacks("late.pb.gz", "--debug-dir", "debug") == stacks("full.pb.gz")


def test_debuglink():
    """Without a build id the name and the checksum of .gnu_debuglink are saved."""
    make("-Wl,--build-id=none")
    for name in ("program", "libpath.so"):
        os.rename(f"debug/{name}.debug", f"debug/symbols-of-{name}")
        command(tool("objcopy"), f"--add-gnu-debuglink=debug/symbols-of-{name}", name)
    record("once.pb.gz", "--debug-dir", "debug")
    record("late.pb.gz", "--debug-dir", ".")
    leave()
    assert made_up(functions("late.pb.gz"))
    assert stacks("late.pb.gz", "--debug-dir", "debug") == stacks("once.pb.gz")
    with open("debug/symbols-of-program", "ab") as file:
        file.write(b"x")
    assert made_up(functions("late.pb.gz", "--debug-dir", "debug"))


def test_other_build_id():
    """Never used, and said once."""
    make()
    record("late.pb.gz")
    leave()
    identity = build_id("gone/program")
    os.makedirs(f"debug/.build-id/{identity[:2]}")
    os.rename("debug/libpath.so.debug", f"debug/.build-id/{identity[:2]}/{identity[2:]}.debug")
    os.remove("debug/program.debug")
    before = functions("late.pb.gz")
    assert functions("late.pb.gz", "--debug-dir", "debug") == before
    text = sprof("report", "late.pb.gz", "--debug-dir", "debug", "-f", "text", "-o", "-").check(0).text()
    assert len(re.findall(r"not used, another build id: debug/\.build-id/", text)) == 1, text


def test_no_build_id():
    """By path only if asked for."""
    make("-Wl,--build-id=none")
    record("late.pb.gz")
    for name in ("program", "libpath.so"):
        os.rename(f"{name}.full", name)
    assert made_up(functions("late.pb.gz", "--debug-dir", "debug"))
    assert not made_up(functions("late.pb.gz", "--trust-paths"))
    record("full.pb.gz")
    assert stacks("late.pb.gz", "--trust-paths") == stacks("full.pb.gz")


def test_list_of_symbols():
    """A list is enough for the names of functions; what had a name keeps it."""
    make("-no-pie")
    record("late.pb.gz")
    with open("program.map", "w", encoding="utf-8") as file:
        file.write(command(tool("nm"), "program.full"))
    with open("libpath.map", "w", encoding="utf-8") as file:
        file.write(command(tool("nm"), "libpath.so.full"))
    leave()
    before = functions("late.pb.gz")
    names = functions("late.pb.gz", "--sysmap", "program.map=program", "--sysmap", "libpath.map=libpath.so")
    assert not made_up(names), names
    assert {"main", "first", "second", "deep", "hidden"} <= names
    assert {name for name in before if "+0x" not in name} <= names
    assert {"main", "first"} <= functions("late.pb.gz", "--sysmap", "program.map")
    sprof("report", "late.pb.gz", "--sysmap", "libpath.map=libpath.so", "-o", "half.pb.gz").check(0)
    assert {"main", "first"} <= functions("half.pb.gz", "--sysmap", "program.map")


def compared(*words):
    """Of a difference: its stacks, with the thread's name in front."""
    text = sprof("diff", *words, "-t", "-f", "folded", "-o", "-").check(0).text()
    return {re.sub(r"\d+", "N", line.rsplit(" ", 2)[0]) for line in text.splitlines()}


def test_diff_and_merge():
    make()
    by_build_id()
    record("once.pb.gz", "--debug-dir", "debug")
    record("twice.pb.gz", "--debug-dir", "debug")
    record("a.pb.gz")
    record("b.pb.gz")
    leave()
    sprof("merge", "a.pb.gz", "b.pb.gz", "--debug-dir", "debug", "-o", "sum.pb.gz").check(0)
    want = stacks("a.pb.gz", "--debug-dir", "debug")
    assert not made_up(functions("sum.pb.gz"))
    assert stacks("sum.pb.gz") == want
    assert compared("a.pb.gz", "b.pb.gz", "--debug-dir", "debug") == compared("once.pb.gz", "twice.pb.gz")
    text = sprof("diff", "a.pb.gz", "b.pb.gz", "--debug-dir", "debug", "-f", "folded", "-o", "-").check(0).text()
    assert ";first;inlined;innermost" in text and "program+0x" not in text, text


def test_nothing_is_asked_for():
    """A report alone looks for no file: it is what was recorded."""
    make()
    by_build_id()
    record("late.pb.gz")
    before = functions("late.pb.gz")
    assert made_up(before)
    os.rename("program.full", "program")
    assert functions("late.pb.gz") == before


def test_usage():
    make()
    record("late.pb.gz")
    check_error(sprof("report", "late.pb.gz", "--debug-dir", "absent"), 64, "absent")
    check_error(sprof("merge", "late.pb.gz", "-o", "x.pb.gz", "--sysmap", "absent"), 64, "absent")


if __name__ == "__main__":
    main()
