"""
Python functions among native ones: stacks that the program can have, the lines of faulthandler, and no stop.

SPROF_TEST_PYTHONS names the interpreters to test, with blanks between them: PROGRAM, or ROOT:PROGRAM for one that
runs in another root, while sprof looks on from outside (scripts/python-versions).
"""

import collections
import glob
import json
import os
import re
import shutil
import signal

from harness import Program, check_untouched, main, most_of, sprof, state_of, threads_of, tool, wait_until

MERGED = 0.999
RATE = "999"
LOOP = "_PyEval_EvalFrameDefault"
FREED = "[freed code]"

# Where a line calls functions of this file, its comment names them: nothing else can be above it.
CALLS = '''
import asyncio, ctypes, re, sys, threading, time
def spin(n):
    s = 0
    for i in range(n):
        s += i * i
    return s
def key(v):
    return spin(20) + v  # -> spin
def gen(n):
    for i in range(n):
        yield spin(30)  # -> spin
def rep(m):
    spin(20)  # -> spin
    return 'x'
class A:  # -> A
    def __del__(self):
        spin(30)  # -> spin
    def meth(self):
        return sum(gen(40))  # -> gen __del__
def rec(n):
    if n == 0:
        return spin(500)  # -> spin
    return rec(n - 1)  # -> rec
INT = ctypes.POINTER(ctypes.c_int)
CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, INT, INT)
def compare(a, b):
    spin(5)  # -> spin
    return a[0] - b[0]
libc = ctypes.CDLL(None)
def qsort():
    numbers = (ctypes.c_int * 20)(*range(20, 0, -1))
    libc.qsort(numbers, 20, 4, CALLBACK(compare))  # -> compare
def exc(n):
    try:
        if n == 0: raise ValueError
        exc(n - 1)  # -> exc
    except ValueError:
        spin(20)  # -> spin
        if n < 10: raise
async def co(n):
    if n: return await co(n - 1)  # -> co
    spin(100)  # -> spin
    await asyncio.sleep(0)
    return spin(100)  # -> spin
async def amain():
    await asyncio.gather(*(co(i) for i in range(10)))  # -> <genexpr> co
def work(end):
    while time.process_time() < end:
        sorted(range(100), key=key)  # -> key
        re.sub('a', rep, 'a' * 100)  # -> rep
        A().meth()  # -> meth __del__
        rec(20)  # -> rec
        qsort()  # -> qsort
        exc(10)  # -> exc
        asyncio.run(amain())  # -> amain co
        exec(compile('spin(50)', '<text>', 'exec'))  # -> spin
        time.sleep(0.002)
def main():
    end = time.process_time() + 2
    ts = [threading.Thread(target=work, args=(end,)) for i in range(2)]  # -> <listcomp>
    for t in ts: t.start()
    work(end)  # -> work
    for t in ts: t.join()
main()  # -> main
'''

# All threads wait, each in its own way.
WAITS = '''
import faulthandler, os, signal, sys, threading, time
told = open(__file__ + '.told', 'w')
faulthandler.register(signal.SIGUSR1, file=told, all_threads=True)
never = threading.Event()
lock = threading.Lock()
read_end, write_end = os.pipe()
def on_event(n):
    if n:
        return on_event(n - 1)
    never.wait()
def on_lock():
    with lock:
        pass
def on_pipe():
    os.read(read_end, 1)
def on_sort():
    sorted([1, 2], key=lambda v: time.sleep(1000))
lock.acquire()
for body in (lambda: on_event(5), on_lock, on_pipe, on_sort):
    threading.Thread(target=body, daemon=True).start()
def wait():
    print('ready', flush=True)
    while True:
        time.sleep(1000)
wait()
'''

SUB = '''
import sys, time
try:
    import _xxsubinterpreters as subs
except ImportError:
    import _interpreters as subs
def spin(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end: sum(range(100))
def run():
    sub = subs.create()
    text = 'import time\\ndef inner():\\n end = time.process_time() + 0.5\\n while time.process_time() < end: sum(range(100))\\ninner()'
    (subs.run_string if hasattr(subs, 'run_string') else subs.exec)(sub, text)
    spin(0.5)
    subs.destroy(sub)
run()
'''

# The innermost native frame is mostly the loop itself.
SUB_BEGIN, SUB_END = SUB.partition("def run()")[0], '''
text = 'import time\\ndef inner():\\n end = time.process_time() + %s\\n while time.process_time() < end:\\n  for i in range(2000): i += i\\ninner()'
def enter(sub): (subs.run_string if hasattr(subs, 'run_string') else subs.exec)(sub, text)
%s
'''

# Up to 3.12, the state of such an interpreter has the id of the thread that made it.
SUB_OF_ANOTHER_THREAD = SUB_BEGIN + SUB_END % (1, '''
import threading
sub = subs.create()
thread = threading.Thread(target=enter, args=(sub,))
thread.start()
while thread.is_alive(): sorted(range(200), key=lambda value: value)
''')

MANY_SUBS = SUB_BEGIN + SUB_END % (0.2, '''
def run():
    made = [subs.create() for i in range(6)]
    spin(0.3)
    for sub in made: enter(sub)
    spin(0.3)
    for sub in made: subs.destroy(sub)
run()
''')

DEEP = '''
import time
def rec(n, end):
    if n: return rec(n - 1, end)
    while time.process_time() < end: sum(range(100))
rec(900, time.process_time() + 2)
'''


class Python:
    """An interpreter, perhaps in another root: there its scripts are in a folder of the same name as here."""

    def __init__(self, program, root=""):
        self.program, self.root = program, root
        self.folder = root + os.getcwd()
        self.command = ["chroot", root, program] if root else [program]

    def __str__(self):
        return self.root + self.program

    def write(self, name, text):
        """The script's path, as the interpreter sees it."""
        os.makedirs(self.folder, exist_ok=True)
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)
        return os.path.abspath(name)

    def clean(self):
        if self.root:
            shutil.rmtree(self.folder, ignore_errors=True)


def installed():
    """Debian's, and those of pyenv that we know."""
    yield Python(tool("/usr/bin/python3"))
    for path in sorted(glob.glob("/root/.pyenv/versions/*/bin/python3.[0-9]*")):
        match = re.fullmatch(r"python3\.(\d+)", os.path.basename(path))
        if match and 8 <= int(match.group(1)) <= 15:
            yield Python(path)


def named(words):
    for word in words:
        root, _, program = word.rpartition(":")
        yield Python(program, root)


def pythons():
    words = os.environ.get("SPROF_TEST_PYTHONS", "").split()
    for python in named(words) if words else installed():
        try:
            yield python
        finally:
            python.clean()


def record(python, path, *options):
    sprof("run", "-r", RATE, "-o", "x.json", "--stats", "x.stats", *options, "--", *python.command, path).check(0)
    with open("x.json", encoding="utf-8") as file:
        profile = json.load(file)
    with open("x.stats", encoding="utf-8") as file:
        return profile, json.load(file)


def stacks_of(profile):
    """(samples, [(function, file, line), ...]), outermost first."""
    for row in profile["rows"]:
        frames, stack = [], row["stack"]
        while profile["stacks"][stack][0] is not None:
            parent, location = profile["stacks"][stack]
            for function, line, *_ in profile["locations"][location]:
                named = profile["functions"][function]
                frames.append((named["name"], named["file"], line))
            stack = parent
        yield row["values"]["samples"], frames[::-1]


def check_merged(stats, least=MERGED):
    """
    Nearly all stacks are. Until sprof has found the interpreter's library, the kernel may take samples: how many, a busy machine decides.
    """
    unmerged = {name: count for name, count in stats.items() if name.startswith("python_unmerged") and count}
    not_read = unmerged.pop("python_unmerged_not_read", 0)
    assert not_read <= stats["samples_by_kernel"] + stats["stacks_truncated"] and not_read < stats["python_merged"], stats
    total = stats["python_merged"] + sum(unmerged.values())
    assert stats["python_merged"], stats
    assert total - stats["python_merged"] <= most_of(total, 1 - least), f"{stats['python_merged']} of {total}: {unmerged}"


def allowed_above(text):
    """line -> what may be called there."""
    return {number: line.partition("# -> ")[2].split() for number, line in enumerate(text.split("\n"), 1)}


def check_path(path, calls, text):
    names = [(name.rpartition(".")[2], line) for name, _, line in path]
    assert names[0][0] in ("<module>", "work"), path
    for (_, line), (callee, _) in zip(names, names[1:]):
        assert callee in calls.get(line, ()), f"{callee} above line {line} in {path}"
    innermost, line = names[-1]
    # Since 3.10, some instructions that the compiler has added have no line.
    if line and innermost not in ("<module>", "<genexpr>", "<listcomp>", "A"):
        begins = [n for n, code in enumerate(text.split("\n"), 1) if re.search(rf"def {innermost}\(", code)]
        ends = [n for n in range(begins[0] + 1, line + 1) if re.match(r"\s*(async )?def |\S", text.split("\n")[n - 1])]
        assert line >= begins[0] and not ends, f"{innermost} has no line {line}"


def check_calls(python):
    path = python.write("calls.py", CALLS)
    profile, stats = record(python, path)
    calls, seen, total = allowed_above(CALLS), collections.Counter(), 0
    for samples, frames in stacks_of(profile):
        own = [frame for frame in frames if frame[1] == path]
        if not own:
            continue
        check_path(own, calls, CALLS)
        total += samples
        seen.update({name.rpartition(".")[2]: samples for name, _, _ in own})
    print(f"{python}: {stats['python_merged']} stacks, {total} of the program")
    check_merged(stats)
    missing = {"spin", "key", "gen", "rep", "meth", "rec", "compare", "exc", "co", "work", "main"} - set(seen)
    assert not missing, f"{missing} not in {seen}"


def test_paths():
    """Recursion, generators, coroutines, callbacks from C, exceptions, finalizers, threads: in each interpreter."""
    for python in pythons():
        check_calls(python)


def told_by_faulthandler(text):
    """A list for each thread, innermost first."""
    threads = []
    for line in text.split("\n"):
        if re.match(r"(Current t|T)hread 0x", line):
            threads.append([])
        match = re.fullmatch(r'  File "(.*)", line (\d+) in (.*)', line)
        if match:
            threads[-1].append((match.group(3), match.group(1), int(match.group(2))))
    return sorted(threads)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def whole(threads):
    """All threads and all of their frames, or nothing yet."""
    ends = {frames[-1][0] for frames in threads if frames}
    return threads if len(threads) == 5 and ends == {"<module>", "_bootstrap"} else None


def threads_in_dump(result):
    return json.loads(result.check(0).text())["processes"][0]["threads"]


def stack_of(thread):
    return [(frame["function"].rpartition(".")[2], frame["file"], frame["line"]) for frame in thread["stack"]]


def told_by_dump(pid):
    return sorted(map(stack_of, threads_in_dump(sprof("dump", "-p", pid, "--json", "--python", "only"))))


def check_same_as_faulthandler(python):
    path = python.write("waits.py", WAITS)
    program = Program([*python.command, path])
    assert program.line() == "ready"
    wait_until(lambda: [state_of(program.pid, tid) for tid in threads_of(program.pid)].count("S") == 5,
               "all threads wait")
    program.signal(signal.SIGSTOP)
    wait_until(lambda: state_of(program.pid) == "T", "it is stopped")
    ours = told_by_dump(program.pid)
    program.signal(signal.SIGCONT)
    program.signal(signal.SIGUSR1)
    theirs = wait_until(lambda: whole(told_by_faulthandler(read(f"{python.root}{path}.told"))), "faulthandler has spoken")
    assert ours == theirs, f"{python}\nsprof:       {ours}\nfaulthandler: {theirs}"
    assert told_by_dump(program.pid) == theirs
    program.signal(signal.SIGKILL)
    program.wait()


def test_same_as_faulthandler():
    """The same functions and lines of all threads, of a stopped process and of one that sleeps."""
    for python in pythons():
        check_same_as_faulthandler(python)


def is_path(names, path):
    """Code of an interpreter that has just been freed may say so in place of its name."""
    return len(names) == len(path) and all(name in (wanted, FREED) for name, wanted in zip(names, path))


def test_interpreters():
    """A second interpreter in the same thread: its functions are above those of the first one."""
    for python in pythons():
        path = python.write("sub.py", SUB)
        profile, stats = record(python, path)
        check_merged(stats, 0.99)
        inner = [names_of(frames, path) for _, frames in stacks_of(profile)
                 if any(name == "inner" for name, _, _ in frames)]
        assert inner, python
        assert all(is_path(names, ["<module>", "run", "<module>", "inner"]) for names in inner), inner


def names_of(frames, path):
    """The functions of the program."""
    return [name for name, file, _ in frames if file in (path, "<script>", "<string>") or name == FREED]


def merged_names(profile, path):
    """(samples, functions of the program) of stacks without a loop that are not in a system call."""
    for samples, frames in stacks_of(profile):
        innermost = frames[-1][0] if frames else ""
        if innermost[:1] not in ("", "[") and not any(name == LOOP for name, _, _ in frames):
            yield samples, names_of(frames, path)


def test_an_interpreter_in_another_thread():
    """Its functions are on the stack of that thread only, which computes nothing else, or it is not merged."""
    for python in pythons():
        path = python.write("thread.py", SUB_OF_ANOTHER_THREAD)
        profile, stats = record(python, path)
        whole = without = 0
        for samples, names in merged_names(profile, path):
            whole += samples * (names[:1] == ["enter"] and "inner" in names)
            without += samples * (names == ["enter"])
            assert names[:1] != ["<module>"] or "inner" not in names, f"{python}: {names}"
        print(f"{python}: {whole} with inner, {without} without, {stats['python_unmerged_mismatch']} not merged")
        every = without + whole + stats["python_unmerged_mismatch"]
        assert without <= most_of(every, 0.02), python


def test_many_interpreters():
    """More in one thread than it can be in at once: those that run have their functions."""
    for python in pythons():
        path = python.write("many.py", MANY_SUBS)
        profile, stats = record(python, path)
        check_merged(stats, 0.9)
        own = [(samples, names) for samples, names in merged_names(profile, path) if "inner" in names]
        assert own and all(is_path(names, ["<module>", "run", "enter", "<module>", "inner"]) for _, names in own), own
        freed = sum(samples for samples, names in own if FREED in names)
        # (On a busy machine, more is freed before it is read.)
        assert freed <= 0.25 * sum(samples for samples, _ in own), own
        assert sum(samples for samples, _ in own) > 0.4 * stats["python_merged"], stats


def test_deep_recursion():
    """Nearly as deep as Python permits: the first samples make room."""
    for python in pythons():
        profile, stats = record(python, python.write("deep.py", DEEP))
        deep = sum(samples for samples, frames in stacks_of(profile)
                   if sum(name == "rec" for name, _, _ in frames) == 901)
        total = sum(samples for samples, frames in stacks_of(profile) if frames and frames[-1][0] != "[execve]")
        check_merged(stats, 0.98)
        assert deep >= 0.5 * total, f"{python}: {deep} of {total}"


def test_detail():
    """Calls only, all of the interpreter's functions, Python only, and none of Python."""
    python = next(installed())
    path = python.write("calls.py", CALLS)
    names = {}
    for options in (("--python", "calls"), ("--python", "all"), ("--python", "only"), ("--no-python",)):
        profile, stats = record(python, path, *options)
        stacks = [(samples, {name for name, _, _ in frames}) for samples, frames in stacks_of(profile)]
        # While the interpreter begins or ends, its C functions call each other.
        names[options[-1]] = set().union(*(stack for _, stack in stacks
                                           if options[-1] == "--no-python" or "<module>" in stack))
        native = sum(samples for samples, stack in stacks if LOOP in stack)
        unmerged = sum(count for name, count in stats.items() if name.startswith("python_unmerged"))
        assert options[-1] == "--no-python" or native <= unmerged + most_of(stats["samples"], 1 - MERGED), f"{native} {stats}"
        assert (stats["python_merged"] > 0) == (options[-1] != "--no-python"), stats
    assert "spin" in names["calls"] & names["all"] & names["only"]
    assert "spin" not in names["--no-python"] and LOOP in names["--no-python"]
    assert "qsort" in names["only"] and "PyObject_Vectorcall" not in names["calls"]
    assert "PyObject_Vectorcall" in names["all"]


def test_a_sleeper_is_never_stopped():
    python = next(installed())
    program = Program([*python.command, python.write("waits.py", WAITS)])
    assert program.line() == "ready"
    wait_until(lambda: [state_of(program.pid, tid) for tid in threads_of(program.pid)].count("S") == 5,
               "all threads wait")
    sprof("attach", "-p", program.pid, "-d", "1s", "-o", "x.folded", "--stats", "x.stats").check(0)
    with open("x.stats", encoding="utf-8") as file:
        stats = json.load(file)
    assert stats["stops"] == 0, stats
    check_merged(stats, 1)
    check_untouched(program.pid)
    program.signal(signal.SIGKILL)
    program.wait()


def test_a_saved_profile_keeps_functions_and_lines():
    python = next(installed())
    path = python.write("calls.py", CALLS)
    sprof("run", "-r", RATE, "-o", "x.pb.gz", "-o", "x.json", "--", *python.command, path).check(0)
    sprof("report", "x.pb.gz", "-f", "json", "-o", "again.json").check(0)
    found = []  # by stack: a file folds rows that differ in what only a recording has
    for name in ("x.json", "again.json"):
        with open(name, encoding="utf-8") as file:
            profile = json.load(file)
        count = collections.Counter()
        for samples, frames in stacks_of(profile):
            if any(frame[1] == path for frame in frames):
                count[tuple(frames)] += samples
        found.append(count)
    assert found[0] and found[0] == found[1]


if __name__ == "__main__":
    main()
