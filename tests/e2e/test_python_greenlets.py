"""Stacks of greenlets: their own functions, and none of the greenlets whose stacks lie below."""

import collections
import itertools
import json
import re
import signal
import subprocess

from harness import Program, check_untouched, main, require, sprof, state_of, wait_until
from test_python import check_merged, installed, record, stacks_of

# Each greenlet has functions of its own. They are started at one depth and resumed from others, also
# from other greenlets, and while C calls them back (sorted, re.sub).
PROGRAM = '''
import greenlet, re, time
switch = lambda name: greenlets[name].switch()
def spin(n):
    s = 0
    for i in range(n):
        s += i * i
    return s
def one_key(v):
    spin(20)
    if v == 3: switch('two')
    return v
def one_sort():
    return sorted([3, 1, 2], key=one_key)
def one_rec(n):
    if n: return one_rec(n - 1)
    spin(50)
    switch('main')
    return one_sort()
def one():
    while True: one_rec(5)
def two_gen(n):
    for i in range(n):
        spin(20)
        if i == 2: switch('three')
        yield i
def two_rep(match):
    spin(20)
    sum(two_gen(5))
    return 'x'
def two():
    while True:
        re.sub('a', two_rep, 'aaa')
        switch('one')
def three():
    while True:
        spin(50)
        switch('two')
def zero_deep(n):
    if n: return zero_deep(n - 1)
    spin(20)
    switch('one')
    spin(20)
def zero(end):
    greenlets['main'] = greenlet.getcurrent()
    depth = 0
    while time.process_time() < end:
        depth = (depth + 7) % 30
        spin(20)
        zero_deep(depth)
greenlets = {function.__name__: greenlet.greenlet(function) for function in (one, two, three)}
zero(time.process_time() + 2)
'''

# Greenlet calls it after each change, from the greenlet that it has changed to.
TRACE = '''
def traced_deep(n):
    if n: return traced_deep(n - 1)
    spin(200)
def traced(event, args):
    traced_deep(3)
greenlet.settrace(traced)
'''

# The last greenlet is resumed from elsewhere than it was started, and tells where it is.
ASLEEP = '''
import greenlet, time, traceback
def tell():
    for frame in traceback.extract_stack()[:-1]:
        print(frame.name, frame.lineno, flush=True)
    print('ready', flush=True)
    time.sleep(1000)
def inner(n):
    if n: return inner(n - 1)
    main.switch()
    sorted([1], key=lambda v: tell())
def deep(n):
    if n: return deep(n - 1)
    sleeper.switch()
def other():
    deep(20)
main = greenlet.getcurrent()
sleeper = greenlet.greenlet(inner)
sleeper.switch(3)
greenlet.greenlet(other).switch()
'''


def python_with_greenlet():
    python = next(installed())
    got = subprocess.run([*python.command, "-c", "import greenlet"], check=False, stderr=subprocess.DEVNULL)
    require(got.returncode == 0, "python3-greenlet is not installed")
    return python


def owner_of(name):
    """The greenlet whose function this is."""
    match = re.match(r"(zero|one|two|three)(_|$)", name)
    return match and match.group(1)


def check_path(names, frames):
    """`frames`: the whole stack, for who reads that it is wrong."""
    owners = {owner_of(name) for name in names} - {None}
    if not owners:
        assert names in (["<module>"], ["<module>", "<dictcomp>"]), frames
        return None
    assert len(owners) == 1, frames
    owner = owners.pop()
    expected = ["<module>", "zero"] if owner == "zero" else [owner]
    assert names[:len(expected)] == expected, frames
    rest = [name for name in names[len(expected):] if name not in ("spin", "<lambda>")]
    assert all(owner_of(name) == owner for name in rest), frames
    return owner


def test_paths():
    """No stack has functions of two greenlets, and each begins with its greenlet's."""
    python = python_with_greenlet()
    path = python.write("greenlets.py", PROGRAM)
    profile, stats = record(python, path)
    seen = collections.Counter()
    for samples, frames in stacks_of(profile):
        own = [name for name, file, _ in frames if file == path]
        if own:
            seen[check_path(own, frames)] += samples
            names = [name for name, *_ in frames]
            assert own[0] == "<module>" or "_start" not in names, names
    print(dict(seen), stats["python_merged"], stats["python_unmerged_switch"])
    # Stacks that are just changing are not merged: nobody knows whose they are.
    switches = stats.pop("python_unmerged_switch")
    check_merged(stats, 0.99)
    assert switches < 0.5 * stats["python_merged"], f"{switches} of {stats['python_merged']}"
    assert {"zero", "one", "two", "three"} <= set(seen), seen


def test_a_trace_function():
    """It is called by the functions of one greenlet, or by none where a greenlet begins."""
    python = python_with_greenlet()
    path = python.write("traced.py", PROGRAM.replace("def one_key", TRACE + "def one_key", 1))
    profile, stats = record(python, path)
    seen = collections.Counter()
    for samples, frames in stacks_of(profile):
        own = [name for name, file, _ in frames if file == path]
        callers = list(itertools.takewhile(lambda name: name != "traced", own))
        assert all(name == "spin" or name.startswith("traced") for name in own[len(callers):]), frames
        if callers:
            seen[check_path(callers, frames), len(own) > len(callers)] += samples
    assert seen["zero", True] and seen["one", True] and seen["two", True], seen
    stats.pop("python_unmerged_switch")
    check_merged(stats, 0.99)


def told(program):
    lines = []
    while (line := program.line()) != "ready":
        name, number = line.rsplit(" ", 1)
        lines.append((name, int(number)))
    return lines


def test_one_that_sleeps():
    """It has run on another depth of the C stack, started elsewhere: the same lines as Python's own."""
    python = python_with_greenlet()
    program = Program([*python.command, python.write("asleep.py", ASLEEP)])
    theirs = told(program)
    wait_until(lambda: state_of(program.pid) == "S", "it sleeps")
    dump = json.loads(sprof("dump", "-p", program.pid, "--json", "--python", "only").check(0).text())
    stack = dump["processes"][0]["threads"][0]["stack"][::-1]
    ours = [(frame["function"].rpartition(".")[2], frame["line"]) for frame in stack]
    line = 1 + ASLEEP.split("\n").index("    time.sleep(1000)")
    assert ours == theirs + [("tell", line)], f"{ours}\n{theirs}"
    check_untouched(program.pid)
    program.signal(signal.SIGKILL)
    program.wait()


if __name__ == "__main__":
    main()
