"""`sprof dump --core`: what a core tells, compared with gdb on the same core."""

import json
import os
import re
import resource
import shutil
import signal
import sys

from harness import (SPROF, Program, Target, go_target, main, require_machine, run, sprof, state_of, target, threads_of,
                     tool, wait_until)
from test_python import WAITS, installed

# The pc of each frame that is on the stack, by thread: none that is inlined, or that has made a tail call.
ASK_GDB = """
set backtrace past-main on
python
for thread in gdb.selected_inferior().threads():
    thread.switch()
    frame, pcs = gdb.newest_frame(), []
    while frame:
        if frame.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
            pcs.append(frame.pc())
        frame = frame.older()
    print("PCS", thread.ptid[1], *pcs)
end
"""
SLEEPER = """
#include <unistd.h>
__attribute__((noinline)) int inner(int n) { pause(); return n + 1; }
__attribute__((noinline)) int middle(int n) { return inner(n) + 1; }
int main(int count, char *arguments[]) { return middle(count) * 2; }
"""

FORKED = """
import os, threading
def work():
    pid = os.fork()
    if pid:
        print(pid, flush=True)
    os.read(0, 1)  # both end with the test
threading.Thread(target=work, name="forker").start()
"""


def dump(core, *options):
    return json.loads(sprof("dump", "--core", core, "--json", *options).check(0).text())


def gcore(pid, name="gcore"):
    run(tool("gcore"), "-o", name, str(pid)).check(0)
    return f"{name}.{pid}"


def gdb_pcs(program, core):
    with open("ask.gdb", "w", encoding="utf-8") as file:
        file.write(ASK_GDB)
    text = run(tool("gdb"), "-batch", "-nx", "-iex", "set debuginfod enabled off", "-x", "ask.gdb", program, core).text()
    found = [list(map(int, line.split()[1:])) for line in text.splitlines() if line.startswith("PCS")]
    assert found, text
    return {tid: pcs for tid, *pcs in found}


def check_like_gdb(core, program, *options):
    """The same threads with the same frames: files are mapped by pages, so that 12 bits are the same."""
    found = dump(core, *options)
    threads = {thread["tid"]: thread for process in found["processes"] for thread in process["threads"]}
    told = gdb_pcs(program, core)
    assert threads.keys() == told.keys()
    for tid, pcs in told.items():
        offsets = [frame["offset"] for frame in threads[tid]["stack"] if not frame["inlined"]]
        assert [offset & 0xfff for offset in offsets] == [pc & 0xfff for pc in pcs], (
            f"thread {tid}: {list(map(hex, offsets))} {list(map(hex, pcs))}")
        assert threads[tid]["stack_end"] == "root", threads[tid]
    return found


def names_of(thread):
    return [frame["function"] for frame in thread["stack"]]


def sleeper(*flags):
    """A program that sleeps in main's callee, built with these flags; returns when it sleeps."""
    with open("sleeper.c", "w", encoding="utf-8") as file:
        file.write(SLEEPER)
    run(tool("cc"), "-O1", "-o", "sleeper", "sleeper.c", *flags).check(0)
    program = Program(["./sleeper"])
    wait_until(lambda: state_of(program.pid) == "S" and in_call(program.pid), "it sleeps in pause()")
    return program


def in_call(pid):
    with open(f"/proc/{pid}/syscall", encoding="utf-8") as file:
        return len(file.read().split()) > 3


def abort(program, number=signal.SIGABRT):
    """The core that the kernel writes when the program gets a signal."""
    with open("/proc/sys/kernel/core_pattern", encoding="utf-8") as file:
        require_machine(file.read().strip() == "core", "kernel.core_pattern gives cores to somebody else")
    resource.prlimit(program.pid, resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    program.signal(number)
    program.process.wait(60)
    names = [name for name in ("core", f"core.{program.pid}") if os.path.exists(name)]
    assert len(names) == 1, names
    return names[0]


def end(program):
    program.process.kill()
    program.process.wait()


def test_threads():
    """With names of functions, lines, and what each waits for."""
    program = Target("threads", 0, 3)
    wait_until(lambda: all(state_of(program.pid, tid) == "S" for tid in threads_of(program.pid)), "all sleep")
    core = gcore(program.pid)
    found = check_like_gdb(core, target("threads"))
    threads = found["processes"][0]["threads"]
    assert sorted(thread["tid"] for thread in threads) == sorted(threads_of(program.pid))
    assert sum("asleep_worker" in names_of(thread) for thread in threads) == 3
    assert found["core"]["pid"] == program.pid and found["core"]["name"] == "threads" and found["core"]["signal"] is None
    assert {thread["system_call"] for thread in threads} == {"futex", "read"}
    program.finish().check(0)


def test_a_core_of_the_kernel():
    program = Target("deep", 300, "sleep")
    wait_until(lambda: all(state_of(program.pid, tid) == "S" for tid in threads_of(program.pid)), "all sleep")
    pid = program.pid
    core = abort(program)
    found = check_like_gdb(core, target("deep"))
    assert found["core"]["signal"] == signal.SIGABRT and found["core"]["pid"] == pid
    assert sum(names_of(thread).count("descend") for thread in found["processes"][0]["threads"]) == 300
    assert f"core of process {pid} (deep), ended by SIGABRT in thread" in sprof("dump", "--core", core).check(0).text()
    os.truncate(core, os.path.getsize(core) // 2)
    result = sprof("dump", "--core", core).check(0)
    assert "was cut off: some of its memory is missing" in result.err, result.err


def test_python():
    program = Program([sys.executable, "-c", "import time\nprint('ready', flush=True)\ntime.sleep(1000)"])
    assert program.line() == "ready"
    wait_until(lambda: state_of(program.pid) == "S" and in_call(program.pid), "it sleeps")
    core = gcore(program.pid)
    end(program)
    found = check_like_gdb(core, os.path.realpath(sys.executable), "--no-python")
    assert found["processes"][0]["threads"][0]["system_call"] == "clock_nanosleep"


def stacks_in(found):
    return {thread["tid"]: [(frame["function"], frame["file"], frame["line"]) for frame in thread["stack"]]
            for thread in found["processes"][0]["threads"]}


def waiting_python(python):
    program = Program([*python.command, python.write("waits.py", WAITS)])
    assert program.line() == "ready"
    wait_until(lambda: [state_of(program.pid, tid) for tid in threads_of(program.pid)].count("S") == 5,
               "all threads wait")
    return program


def check_python_functions(python, write_core):
    """A core has the same stacks as the process that it was made of."""
    program = waiting_python(python)
    live = stacks_in(json.loads(sprof("dump", "-p", program.pid, "--json").check(0).text()))
    core = write_core(program)
    found = stacks_in(dump(core))
    assert found == live, f"{python}\n{found}\n{live}"
    names = [{name.rpartition(".")[2] for name, *_ in stack} for stack in found.values()]
    for name in ("on_event", "on_lock", "on_pipe", "on_sort"):
        assert sum(name in some for some in names) == 1, f"{python} {name}: {names}"
    assert not any("_PyEval_EvalFrameDefault" in some for some in names), names
    os.unlink(core)


def gcore_and_end(program):
    core = gcore(program.pid)
    end(program)
    return core


def test_python_functions():
    for python in installed():
        check_python_functions(python, gcore_and_end)


def test_python_functions_in_a_core_of_the_kernel():
    check_python_functions(next(installed()), abort)


def test_a_process_that_a_python_thread_has_forked():
    """Its leader has the thread's stack, and the process's name."""
    for python in installed():
        program = Program([*python.command, python.write("forked.py", FORKED)])
        child = int(program.line())
        wait_until(lambda pid=child: state_of(pid) == "S" and in_call(pid), "the child sleeps")
        live = json.loads(sprof("dump", "-p", child, "--json").check(0).text())["processes"][0]["threads"][0]
        found = dump(gcore(child))["processes"][0]["threads"][0]
        assert found["stack"] == live["stack"] and found["name"] == live["name"], f"{python} {found} {live}"
        assert any(name.endswith("_bootstrap") for name in names_of(found)), found
        os.kill(child, signal.SIGKILL)
        end(program)


def test_static_and_stripped():
    for flags in (["-static", "-g"], ["-static", "-s"], ["-s"]):
        program = sleeper(*flags)
        core = gcore(program.pid)
        end(program)
        found = check_like_gdb(core, "./sleeper")
        names = names_of(found["processes"][0]["threads"][0])
        assert ("inner" in names and "middle" in names) == ("-s" not in flags), names


def test_go():
    """A Go program is static, and its goroutines run on stacks of their own."""
    program = Program([go_target("plain"), "100", "3"])
    assert program.line() == "ready"
    core = gcore(program.pid)
    end(program)
    threads = dump(core)["processes"][0]["threads"]
    assert all(thread["stack_end"] == "root" for thread in threads), threads
    outermost = {names_of(thread)[-1] for thread in threads}
    assert "runtime.goexit" in outermost or "runtime.goexit.abi0" in outermost, outermost
    told = gdb_pcs(go_target("plain"), core)
    for thread in threads:
        assert thread["stack"][0]["offset"] & 0xfff == told[thread["tid"]][0] & 0xfff


def test_the_program_is_elsewhere():
    program = sleeper("-g")
    core = gcore(program.pid)
    end(program)
    shutil.move("sleeper", "moved")
    without = sprof("dump", "--core", core).check(0)
    assert "sleeper can't be opened (No such file or directory)" in without.err, without.err
    assert "inner at" not in without.text()
    text = sprof("dump", "--core", core, "--exe", "moved").check(0)
    assert text.err == "" and re.search(r"inner at .*sleeper\.c:3", text.text()), text.text()


def test_another_file_at_the_programs_place():
    """Its names would be wrong: the build id tells."""
    program = sleeper("-g", "-Wl,--build-id")
    core = gcore(program.pid)
    end(program)
    run(tool("cc"), "-O2", "-DX", "-o", "sleeper", "sleeper.c", "-Wl,--build-id").check(0)
    result = sprof("dump", "--core", core).check(0)
    assert "is not the file of the core: it has another build id" in result.err, result.err
    assert "inner" not in result.text()


def test_packed():
    """The hint is a command that works."""
    program = sleeper("-g")
    core = gcore(program.pid)
    end(program)
    for command, packed, magic in (("xz", "core.xz", b"\xfd7zXZ\0"), ("lz4", "core.lz4", b"\x04\x22\x4d\x18"),
                                   ("gzip", "core.gz", b"\x1f\x8b\x08"), ("bzip2", "core.bz2", b"BZh9")):
        with open(packed, "wb") as file:
            file.write(magic)
        check_refused(packed, command)
    run(tool("zstd"), "-q", core, "-o", "core.zst").check(0)
    hint = check_refused("core.zst", "zstd").replace("sprof dump", '"$0" dump')
    assert run("sh", "-c", hint + " --json", SPROF).check(0).out == sprof("dump", "--core", core, "--json").out


def check_refused(packed, command):
    result = sprof("dump", "--core", packed).check(2)
    assert result.err.splitlines() == [f"sprof: {packed} is compressed with {command}",
                                       f"hint: {command} -dc {packed} | sprof dump --core -"], result.err
    return result.err.splitlines()[1].removeprefix("hint: ")


def test_from_stdin():
    """A file, a pipe, and a pipe that ends early."""
    program = sleeper("-g")
    core = gcore(program.pid)
    end(program)
    plain = dump(core)
    with open(core, "rb") as file:
        assert json.loads(sprof("dump", "--core", "-", "--json", stdin=file).check(0).text()) == plain
    for size, code in ((os.path.getsize(core), 0), (1000, 2), (0, 2)):
        result = run("sh", "-c", f'head -c {size} {core} | "$0" dump --core - --json', SPROF).check(code)
        assert json.loads(result.text()) == plain if not code else "stdin" in result.err, (size, result.err)
    result = run("sh", "-c", 'echo BZh9 | "$0" dump --core -', SPROF).check(2)
    assert result.err == "sprof: stdin is compressed with bzip2\nhint: bzip2 -dc | sprof dump --core -\n", result.err


def test_no_core():
    with open("text", "w", encoding="utf-8") as file:
        file.write("nothing of the kind")
    for path, why in (("text", "is not a core file"), (target("deep"), "is not a core file"),
                      ("missing", "No such file"), ("/dev/null", "is not a file"), (".", "is not a file")):
        result = sprof("dump", "--core", path)
        assert result.code == 2 and why in result.err and result.err.count("\n") == 1, (path, result.code, result.err)


def test_cut():
    """A core without its notes, which gdb writes last, is refused in one line."""
    program = sleeper("-g")
    core = gcore(program.pid)
    end(program)
    size = os.path.getsize(core)
    for part in (10, 64, 100, 1000, 3000, 8192, size // 3):
        with open(core, "rb") as file, open("cut", "wb") as cut:
            cut.write(file.read(part))
        result = sprof("dump", "--core", "cut")
        assert result.code == 2 and result.err.count("\n") == 1, (part, result.code, result.err)


if __name__ == "__main__":
    main()
