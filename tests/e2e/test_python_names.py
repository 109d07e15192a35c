"""Names that Python programs give to threads, and not to the kernel: in every interpreter, wherever names are shown."""

import json
import os
import signal

from harness import Attached, Program, main, sprof, state_of, threads_of, wait_until
from test_dump_core import gcore
from test_python import installed

# One of them has told the kernel a name, and one is of a class with many attributes.
PROGRAM = '''
import ctypes, threading, time
from concurrent.futures import ThreadPoolExecutor
def wait():
    time.sleep(1000)
def called():
    ctypes.CDLL(None).prctl(15, b'told-kernel', 0, 0, 0)
    wait()
class Own(threading.Thread):
    def __init__(self, number):
        self.number, self.before = number, 'other'
        super().__init__(daemon=True)
        for i in range(40):
            setattr(self, 'attribute_%d' % i, i)
    def run(self):
        wait()
plain = [threading.Thread(target=wait, name='reader \\xe9 \\u20ac'), threading.Thread(target=wait),
         threading.Thread(target=called, name='not this'), Own(3)]
plain[1].name = 'renamed before it starts'
plain[3].__dict__['another'] = 1
plain[3].name = 'with a dict of its own'
pool = ThreadPoolExecutor(1, thread_name_prefix='a-pool-with-a-name-longer-than-sixteen')
for thread in plain:
    thread.daemon = True
    thread.start()
pool.submit(wait)
print('ready', flush=True)
wait()
'''
NAMES = {"reader \xe9 \u20ac", "renamed before it starts", "told-kernel", "with a dict of its own",
         "a-pool-with-a-name-longer-than-sixteen_0"}

BUSY = "the last snapshot is still being written"

# It gives itself another name when it is told to.
RENAMED = '''
import sys, threading
def work():
    while len(told) < 2:
        sum(range(100))
        if told: threading.current_thread().name = 'second'
told = []
thread = threading.Thread(target=work, name='first')
thread.start()
print('ready', flush=True)
for line in sys.stdin: told.append(line)
thread.join()
'''


def waiting(python):
    program = Program([*python.command, python.write("names.py", PROGRAM)])
    assert program.line() == "ready"
    wait_until(lambda: [state_of(program.pid, tid) for tid in threads_of(program.pid)].count("S") == 6,
               "all threads wait")
    return program


def names_in(text):
    return {thread["name"] for thread in json.loads(text)["processes"][0]["threads"][1:]}


def snapshot(attached):
    """Asks for x.json, and again if sprof was still at the last one."""
    if os.path.exists("x.json"):
        os.remove("x.json")
    refused = attached.stderr().count(BUSY)
    attached.signal(signal.SIGUSR1)

    def is_there():
        nonlocal refused
        if attached.stderr().count(BUSY) > refused:
            refused += 1
            attached.signal(signal.SIGUSR1)
        return os.path.exists("x.json")

    wait_until(is_there, "a snapshot", attached.stderr)


def names_so_far(attached):
    """What the recording has by now, of all threads but the first."""
    snapshot(attached)
    with open("x.json", encoding="utf-8") as file:
        return {thread["name"] for thread in json.load(file)["threads"][1:]}


def check_names(python):
    program = waiting(python)
    assert names_in(sprof("dump", "-p", program.pid, "--json").check(0).text()) == NAMES, python
    attached = Attached(program.pid, "-o", "x.pb.gz", "-o", "x.json")
    wait_until(lambda: names_so_far(attached) == NAMES, f"{python}: all names are known")
    attached.stop().check(0)
    for options in (("-f", "text"), ("-f", "text", "--by", "thread"), ("-f", "html"), ("-f", "chrome")):
        found = sprof("report", "x.pb.gz", *options, "-o", "out").check(0)
        with open("out", encoding="utf-8") as file:
            text = file.read()
        for name in NAMES:
            assert name in text or json.dumps(name)[1:-1] in text, f"{python} {options}: no {name} {found}"
    core = gcore(program.pid)
    # What a core has of the kernel's names is the process's only.
    assert names_in(sprof("dump", "--core", core, "--json").check(0).text()) == NAMES - {"told-kernel"} | {"not this"}
    program.signal(signal.SIGKILL)
    program.wait()


def test_names():
    for python in installed():
        check_names(python)


def check_a_change(python):
    program = Program([*python.command, python.write("renamed.py", RENAMED)])
    assert program.line() == "ready"
    attached = Attached(program.pid, "-r", "499", "-o", "x.txt", "-o", "x.json")
    for name in ("first", "second"):
        wait_until(lambda name=name: names_so_far(attached) == {name}, f"{python}: the {name} name is known")
        program.say("go on\n")
    program.finish().check(0)
    attached.wait()
    attached.finish().check(0)
    with open("x.txt", encoding="utf-8") as file:
        assert "second, before first" in file.read()


def test_a_name_that_changes():
    for python in installed():
        check_a_change(python)


if __name__ == "__main__":
    main()
