"""Python's own knowledge of its stack beside ours: C functions with numbers, and the stack that Python had when it called each."""

import collections
import json
import re

from harness import main, run, tool
from test_python import check_merged, installed, record, stacks_of

MARKS = 48

# mark_N() takes time. through() calls a function of Python: it must be between its caller and that function.
LIBRARY = """
#define MARK(n) void mark_##n(void) { for (volatile int i = 0; i < 100000 + n; i++) continue; }
%s
int through(int (*callback)(int), int value) { return callback(value) + 1; }
"""

# `tell(N); mark[N]()` is one line: the stack at the mark is the one that was told. What is called by through() is named so.
PROGRAM = '''
import asyncio, contextlib, ctypes, functools, gc, json, re, signal, sys, threading, time, weakref
lib = ctypes.CDLL('./marks.so')
mark = [getattr(ctypes.PyDLL('./marks.so'), 'mark_%d' % i) for i in range(COUNT)]
told = {}
def tell(number):
    frame, path = sys._getframe(1), []
    while frame:
        path.append((frame.f_code.co_name, frame.f_code.co_filename, frame.f_lineno))
        if frame.f_code.co_name.startswith('by_c'): path.append(('through', '', 0))
        frame = frame.f_back
    told.setdefault(number, set()).add(tuple(reversed(path)))

def recursion(n):
    tell(n); mark[n]()
    if n: recursion(n - 1)
def generator(n):
    for i in range(n):
        tell(10); mark[10]()
        yield i
def delegating(n):
    yield from generator(n)
    tell(11); mark[11]()
def generators():
    sum(delegating(3)); list(map(lambda v: (tell(12), mark[12]()), generator(2)))
    [v for v in delegating(2) if (tell(13), mark[13]())]
    {v: 0 for v in generator(1)}
async def inner(n):
    tell(14); mark[14]()
    await asyncio.sleep(0)
    tell(15); mark[15]()
async def outer(n):
    if n: await outer(n - 1)
    else: await inner(n)
async def agen():
    for i in range(2):
        tell(16); mark[16]()
        yield i
async def tasks():
    await asyncio.gather(outer(2), outer(3))
    async for i in agen(): pass
    async with manager(): tell(17); mark[17]()
class manager:
    async def __aenter__(self): tell(18); mark[18]()
    async def __aexit__(self, *_): tell(19); mark[19]()
def key(v):
    tell(20); mark[20]()
    return -v
def compare(a, b):
    tell(21); mark[21]()
    return a - b
def sorts():
    sorted([1, 2, 3], key=key)
    sorted([3, 2, 1], key=functools.cmp_to_key(compare))
def replace(match):
    tell(22); mark[22]()
    return 'x'
def regular():
    re.sub('a', replace, 'abab')
CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)
def by_c(n):
    tell(23 + n); mark[23 + n]()
    if n: lib.through(CALLBACK(by_c), n - 1)
    return 0
def callbacks():
    lib.through(CALLBACK(by_c), 2)
    lib.through(CALLBACK(by_c_too), 0)
def by_c_too(n):
    sorted([2, 1], key=lambda v: lib.through(CALLBACK(by_c_deep), v))
    return 0
def by_c_deep(v):
    tell(26); mark[26]()
    return v
def raising(n):
    try:
        if n: raising(n - 1)
        else: raise ValueError
    except ValueError:
        tell(27); mark[27]()
        raise
    finally:
        tell(28); mark[28]()
def exceptions():
    with contextlib.suppress(ValueError): raising(2)
class Finalized:
    def __init__(self, n):
        tell(29); mark[29]()
        self.inner = Finalized(n - 1) if n else None
    def __del__(self):
        tell(30); mark[30]()
class Meta(type):
    def __call__(cls, *values):
        tell(31); mark[31]()
        return super().__call__(*values)
class Made(metaclass=Meta):
    def __new__(cls, n):
        tell(32); mark[32]()
        return object.__new__(cls)
    def __init__(self, n): tell(33); mark[33]()
    def __getattr__(self, name): tell(34); mark[34](); return 1
    def __eq__(self, other): tell(35); mark[35](); return True
    def __iter__(self): return iter(lambda: (tell(36), mark[36]()) and None, None)
    @property
    def value(self): tell(37); mark[37]()
    @functools.lru_cache(None)
    def cached(self): tell(38); mark[38](); return 1
    __hash__ = object.__hash__
def objects():
    Finalized(2)
    made = Made(1)
    made.missing; made.value; made.cached(); [Made(2)] == [made]; list(made)
    cycle = [weakref.ref(Made(3), lambda _: (tell(39), mark[39]()))]
    cycle.append(cycle); cycle.append(Finalized(0)); del cycle; gc.collect()
    functools.partial(functools.partial(recursion), 1)()
def texts():
    exec(compile('tell(40); mark[40]()', '<text>', 'exec'))
    eval('[(tell(41), mark[41]()) for i in range(2)]')
def handler(*_):
    tell(42); mark[42]()
def signals():
    signal.raise_signal(signal.SIGUSR1)
def tracer(frame, event, value):
    if event == 'call' and frame.f_code.co_name == 'traced': tell(43); mark[43]()
def traced():
    tell(44); mark[44]()
def tracing():
    sys.setprofile(tracer)
    traced()
    sys.setprofile(None)
def thread(end):
    while time.process_time() < end:
        tell(45); mark[45]()
        recursion(3); sorts(); callbacks(); time.sleep(0.02)
def main():
    signal.signal(signal.SIGUSR1, handler)
    end = time.process_time() + SECONDS
    threads = [threading.Thread(target=thread, args=(end,)) for _ in range(2)]
    for one in threads: one.start()
    while time.process_time() < end:
        recursion(9); generators(); asyncio.run(tasks()); sorts(); regular(); callbacks(); exceptions(); objects(); texts()
        signals(); tracing()
    for one in threads: one.join()
    with open('told.json', 'w') as file: json.dump({number: sorted(paths) for number, paths in told.items()}, file)
main()
'''


def build():
    with open("marks.c", "w", encoding="utf-8") as file:
        file.write(LIBRARY % "\n".join(f"MARK({i})" for i in range(MARKS)))
    run(tool("cc"), "-O1", "-shared", "-fPIC", "-fno-ipa-icf", "-fno-optimize-sibling-calls", "-o", "marks.so", "marks.c").check(0)


def is_shown(name, file):
    """Functions of Python, and through()."""
    return name == "through" or bool(file) and (file.endswith(".py") or file.startswith("<"))


def path_of(frames):
    """As the program tells it."""
    return tuple((name.rpartition(".")[2], "" if name == "through" else file, 0 if name == "through" else line)
                 for name, file, line in frames if is_shown(name, file))


def difference(ours, theirs):
    return f"\nsprof:  {ours}\n" + "\n".join(f"Python: {path}" for path in sorted(theirs))


def check_marks(python, seconds):
    path = python.write("marked.py", PROGRAM.replace("COUNT", str(MARKS)).replace("SECONDS", str(seconds)))
    profile, stats = record(python, path)
    check_merged(stats, 0.99)  # of so few stacks, one counts for much
    with open("told.json", encoding="utf-8") as file:
        told = {int(number): {tuple(map(tuple, one)) for one in paths} for number, paths in json.load(file).items()}
    seen, freed = collections.Counter(), 0
    for samples, frames in stacks_of(profile):
        match = re.fullmatch(r"mark_(\d+)", frames[-1][0] if frames else "")
        if not match or "_PyEval_EvalFrameDefault" in {name for name, *_ in frames}:
            continue
        number = int(match.group(1))
        ours = path_of(frames[:-1])
        if ("[freed code]", "<python>", 0) in ours:
            freed += samples
            continue
        assert ours in told[number], f"{python} mark {number}: {difference(ours, told[number])}"
        seen[number] += samples
    print(f"     {python}: {seen.total() if hasattr(seen, 'total') else sum(seen.values())} samples at {len(seen)} marks")
    assert freed <= 0.25 * sum(seen.values()), "code that is compiled for one call alone"
    assert sum(seen.values()) > 50 and len(seen) > 0.5 * len(told), (seen, len(told))


def test_marks():
    """The same functions, files and lines as Python had, and C functions between them where they were."""
    build()
    for python in installed():
        check_marks(python, 1)


if __name__ == "__main__":
    main()
