"""`sprof dump`: who waits for whom, deadlocks, several processes and several looks, JSON."""

import json
import os
import re
import signal
import sys

from harness import (SPROF, Program, Target, check_untouched, main, others, require, run, sprof, state_of, threads_of, tool,
                     wait_until)
from subjects import build, command, write

# Of locks that a `with` statement has taken.
HOLDERS_SHOWN = (3, 11) <= sys.version_info[:2] <= (3, 13)

# A child and its child, which wait like their parent until stdin is closed.
FAMILY = """
import os, sys
r, w = os.pipe()
if not os.fork():
    os.fork()
    os.write(w, b".")
    sys.stdin.read()
    os._exit(0)
os.read(r, 1), os.read(r, 1)
print("ready", flush=True)
sys.stdin.read()
"""


# Two threads take two locks in either order; or they wait for work, and the first thread for their end.
PYTHON_LOCKS = """
import queue, sys, threading
locks, meeting, work = [threading.Lock(), threading.Lock()], threading.Barrier(3), queue.Queue()
def take(first, second):
    with first:
        meeting.wait()
        with second:
            pass
def fetch(*unused):
    meeting.wait()
    work.get()
play = take if sys.argv[1] == "circle" else fetch
threads = [threading.Thread(target=play, args=args) for args in (locks, locks[::-1])]
for thread in threads:
    thread.start()
meeting.wait()
print("ready", flush=True)
for thread in threads:
    thread.join()
"""


# The same, while the first thread only sleeps; also of one lock of the kind RLock. Or it is no circle.
PYTHON_SLEEPER = """
import sys, threading, time
locks = [threading.Lock(), threading.RLock()]
meeting = threading.Barrier(3)
def take(first, second):
    for _ in range(2):
        with locks[0]:
            time.sleep(0)
    meeting.wait()
    with first:
        meeting.wait()
        if second:
            with second:
                pass
        else:
            time.sleep(1000)
pairs = (locks, locks[::-1]) if sys.argv[1] == "circle" else (locks, (locks[1], None))
for pair in pairs:
    threading.Thread(target=take, args=pair, daemon=True).start()
meeting.wait()
meeting.wait()
print("ready", flush=True)
time.sleep(1000)
"""


# The first thread waits for a mutex in a C function that keeps the interpreter's lock; the other one has the mutex, and
# wants to go on.
PYTHON_INTERPRETER = """
import ctypes, threading
mutex, taken = ctypes.create_string_buffer(64), threading.Event()
def take():
    ctypes.CDLL(None).pthread_mutex_lock(mutex)
    taken.set()
    while True:
        pass
threading.Thread(target=take, daemon=True).start()
taken.wait()
lock = ctypes.PyDLL(None).pthread_mutex_lock
print("ready", flush=True)
lock(mutex)
"""


# It has the lock of a file, or waits for it.
FILE_LOCK = """
import fcntl, sys
take = getattr(fcntl, sys.argv[1])
files = [open("locked", "w") for _ in range(2 if sys.argv[2] == "twice" else 1)]
print("ready", flush=True)
for file in files:
    take(file, fcntl.LOCK_EX)
print("taken", flush=True)
sys.stdin.read()
"""


def waits_of(pid):
    """What each thread except the first is in: the first argument of its system call; None: it runs."""
    found = []
    for tid in threads_of(pid):
        if tid != pid:
            with open(f"/proc/{pid}/task/{tid}/syscall", encoding="utf-8") as file:
                words = file.read().split()
            found.append(words[1] if len(words) > 3 else None)
    return found


def deadlock(kinds):
    """The target, once each thread waits for a lock of its own: until then they meet at a barrier."""
    program = Target("deadlock", kinds)

    def all_wait():
        waits = waits_of(program.pid)
        return None not in waits and len(set(waits)) == len(kinds)

    wait_until(all_wait, "each thread waits for its lock")
    return program


def look(*options, code=0):
    return json.loads(sprof("dump", *options, "--json").check(code).text())


def object_of(pid):
    return look("-p", pid)["processes"][0]["threads"][0]["object"]


def waits_for_file(pid):
    return (object_of(pid) or "").startswith("lock of ")


def check_circle(found, count, kinds, pid):
    """One deadlock: each thread waits for the one that comes next, for a lock of its kind."""
    assert len(found["deadlocks"]) == 1, found["deadlocks"]
    circle = found["deadlocks"][0]
    assert len(circle) == count
    for at, item in enumerate(circle):
        assert item["lock"]["holder"] == circle[(at + 1) % count]["tid"]
        assert item["pid"] == pid
    # It begins with the lowest id: the first thread, which waits for the second one's lock.
    assert [item["tid"] for item in circle] == sorted(threads_of(pid))[1:]
    names = {"m": "mutex", "w": "rwlock"}
    assert [item["lock"]["kind"] for item in circle] == [names[kinds[(i + 1) % count]] for i in range(count)]
    variables = {"m": "mutexes", "w": "rwlocks"}
    assert [item["lock"]["variable"] for item in circle] == [
        variables[kinds[(i + 1) % count]] for i in range(count)]


def test_circles():
    """Of two, three and five threads, over mutexes and rwlocks, live and in a core of gcore."""
    gcore = tool("gcore")
    for kinds in ("mm", "mw", "www", "mwm", "wmmwm"):
        program = deadlock(kinds)
        check_circle(look("-p", program.pid), len(kinds), kinds, program.pid)
        check_untouched(program.pid)
        run(gcore, "-o", "gcore", str(program.pid)).check(0)
        check_circle(look("--core", f"gcore.{program.pid}"), len(kinds), kinds, program.pid)
        os.unlink(f"gcore.{program.pid}")
        program.finish().check(0)


def test_the_deadlock_comes_first():
    program = deadlock("mw")
    text = sprof("dump", "-p", program.pid).check(0).text()
    first, second = sorted(threads_of(program.pid))[1:]
    lines = text.splitlines()
    assert lines[0] == "deadlock: 2 threads wait for each other", text
    assert re.fullmatch(rf"  thread {first} \(waiter-0\) waits for rwlock rwlocks\+0x\w+ of thread {second} \(waiter-1\)",
                        lines[1]), text
    assert re.fullmatch(rf"  thread {second} \(waiter-1\) waits for mutex mutexes of thread {first} \(waiter-0\)", lines[2]), text
    assert re.search(rf"^thread {second} \(waiter-1\): sleeping in futex \(mutex mutexes of thread {first}\)$", text, re.MULTILINE)
    program.finish().check(0)


def test_a_reader_is_not_known():
    """glibc does not record who has an rwlock for reading: no circle, and the dump says why."""
    program = deadlock("mr")
    found = look("-p", program.pid)
    assert found["deadlocks"] == []
    assert "a reader may hold it: glibc does not record readers" in sprof("dump", "-p", program.pid).check(0).text()
    program.finish().check(0)


def all_wait_for_locks(pid):
    """Each sleeps in a futex that has no time limit, and it is not the one that it waits on at a barrier."""
    calls = []
    for tid in threads_of(pid):
        with open(f"/proc/{pid}/task/{tid}/syscall", encoding="utf-8") as file:
            calls.append(file.read().split())
    return all(len(call) > 4 and call[4] == "0x0" and state_of(pid, tid) == "S" for call, tid in zip(calls, threads_of(pid))) \
        and len({call[1] for call in calls}) == len(calls)


def test_locks_of_python():
    """Where frames don't show the owner of a Lock, all threads wait for locks, and none is left to free one."""
    for kind, deadlocks in (("circle", 1), ("queue", 0)):
        program = Program([sys.executable, "-c", PYTHON_LOCKS, kind])
        assert program.line() == "ready"
        wait_until(lambda: len(threads_of(program.pid)) == 3 and all_wait_for_locks(program.pid), "all threads wait")
        found = look("-p", program.pid)
        assert len(found["deadlocks"]) == deadlocks, found
        kinds = [thread["lock"]["kind"] for thread in found["processes"][0]["threads"]]
        assert kinds[0] == "join", kinds
        if kind == "circle":
            count, words = (2, "2 threads wait for each other") if HOLDERS_SHOWN else (3, f"all 3 threads of process {program.pid} wait")
            assert kinds[1:] == ["Python lock"] * 2 and len(found["deadlocks"][0]) == count, found
            text = sprof("dump", "-p", program.pid).check(0).text()
            assert text.startswith(f"deadlock: {words}"), text
        program.signal(signal.SIGKILL)
        program.finish()


def test_python_locks_beside_a_sleeper():
    """Frames show the locks of `with`: the circle is one, and so is who keeps whom waiting."""
    require(HOLDERS_SHOWN, "frames of this Python show no holders")
    for kind in ("circle", "chain"):
        program = Program([sys.executable, "-c", PYTHON_SLEEPER, kind])
        assert program.line() == "ready"

        def locks():
            found = look("-p", program.pid)
            threads = found["processes"][0]["threads"]
            return found, {thread["tid"]: thread["lock"]["holder"] for thread in threads
                           if thread.get("lock") and thread["lock"]["kind"] == "Python lock"}

        waiters = 2 if kind == "circle" else 1
        wait_until(lambda: len(locks()[1]) == waiters, "they wait")
        found, holders = locks()
        first, one, other = threads_of(program.pid)
        assert holders == ({one: other, other: one} if kind == "circle" else {one: other}), (holders, first, one, other)
        assert len(found["deadlocks"]) == (kind == "circle"), found["deadlocks"]
        program.signal(signal.SIGKILL)
        program.finish()


def test_a_deadlock_through_the_interpreter_lock():
    require(getattr(sys, "_is_gil_enabled", lambda: True)(), "this Python has no interpreter lock")
    program = Program([sys.executable, "-c", PYTHON_INTERPRETER])
    assert program.line() == "ready"
    # The holder of the mutex asks for the interpreter's lock every 5 ms, and is not asleep then.
    (circle,) = wait_until(lambda: look("-p", program.pid)["deadlocks"], "they wait for each other")
    assert [item["lock"]["kind"] for item in circle] == ["mutex", "interpreter lock"], circle
    assert [item["lock"]["holder"] for item in circle] == threads_of(program.pid)[::-1], circle
    program.signal(signal.SIGKILL)
    program.finish()


# Two threads take two locks in either order.
RUST_LOCKS = """
use std::sync::{Barrier, Mutex, RwLock};
use std::thread;
static TABLE: Mutex<u64> = Mutex::new(0);
static INDEX: RwLock<u64> = RwLock::new(0);
fn main() {
    let meeting = Barrier::new(2);
    thread::scope(|scope| {
        scope.spawn(|| { let _table = TABLE.lock().unwrap(); meeting.wait(); let _index = INDEX.write().unwrap(); });
        scope.spawn(|| { let _index = INDEX.read().unwrap(); meeting.wait(); let _table = TABLE.lock().unwrap(); });
        println!("ready");
    });
}
"""


@others
def test_locks_of_rust():
    """They record no owner, and are known by their functions; if all threads wait, it is a deadlock."""
    command(tool("rustc"), "-O", write("locks.rs", RUST_LOCKS), "-o", "locks")
    program = Program(["./locks"])
    assert program.line() == "ready"

    def waiting():
        threads = look("-p", program.pid)["processes"][0]["threads"]
        return {thread["lock"]["variable"] for thread in threads if (thread.get("lock") or {}).get("kind") == "Rust lock"}

    wait_until(lambda: len(waiting()) == 2, "both wait")
    assert {name.split("::")[-1] for name in waiting()} == {"TABLE", "INDEX"}
    text = sprof("dump", "-p", program.pid).check(0).text()
    assert "Rust lock" in text and "which records no owner" in text, text
    program.signal(signal.SIGKILL)
    program.finish()


# Two threads in a lock of parking_lot, as far as names and futexes go: each waits at a word of its own.
PARKED = """
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
static _Thread_local int parked;
__attribute__((noinline)) void lock_slow(void) __asm__("_ZN11parking_lot9raw_mutex8RawMutex9lock_slow17h8d5e2a1b3c4f6071E");
void lock_slow(void)
{
    for (parked = 1; parked;) syscall(SYS_futex, &parked, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 1, NULL);
}
static void *take(void *data)
{
    lock_slow();
    return data;
}
int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, take, NULL);
    puts("ready");
    fflush(stdout);
    pthread_join(threads[0], NULL);
}
"""


def test_locks_of_parking_lot():
    """Waiters are known by their functions; no address of theirs is the lock's, and no owner is recorded."""
    program = Program([build("parked", "-pthread", source=PARKED)])
    assert program.line() == "ready"
    wait_until(lambda: len(threads_of(program.pid)) == 3 and all_wait_for_locks(program.pid), "all threads wait")
    found = look("-p", program.pid)
    locks = [thread["lock"] for thread in found["processes"][0]["threads"]]
    assert [lock["kind"] for lock in locks] == ["join", "parking_lot lock", "parking_lot lock"], locks
    assert all(lock["address"] is lock["variable"] is None for lock in locks[1:]), locks
    assert len(found["deadlocks"]) == 1 and len(found["deadlocks"][0]) == 3, found["deadlocks"]
    text = sprof("dump", "-p", program.pid).check(0).text()
    assert text.count("(a parking_lot lock, which records no owner)") == 2, text
    assert text.startswith(f"deadlock: all 3 threads of process {program.pid} wait"), text
    program.signal(signal.SIGKILL)
    program.finish()


# A child has a mutex that processes share, and sleeps; its parent, of one thread, waits for it.
SHARED = """
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    pthread_mutex_t *mutex = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_t attributes;
    int ends[2];
    char byte = 0;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    if (argc > 1) pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(mutex, &attributes);
    if (pipe(ends)) return 1;
    if (!fork()) {
        pthread_mutex_lock(mutex);
        if (write(ends[1], &byte, 1) != 1) return 1;
        return read(0, &byte, 1) != 0;
    }
    if (read(ends[0], &byte, 1) != 1) return 1;
    puts("ready");
    fflush(stdout);
    return pthread_mutex_lock(mutex) && argc == 1;
}
"""


def test_a_lock_of_another_process_is_no_deadlock():
    """All threads of the parent wait, but the child may free the lock."""
    path = build("shared", "-pthread", source=SHARED)
    for words in ((), ("robust",)):
        program = Program([path, *words])
        assert program.line() == "ready"
        wait_until(lambda: all_wait_for_locks(program.pid), "the parent waits")
        for options in ((), ("--children",)):
            found = look("-p", program.pid, *options)
            assert found["deadlocks"] == [], found
            # Its kind is known only where libc's static functions have names.
            lock = found["processes"][0]["threads"][0]["lock"]
            assert lock["address"] and lock["kind"] in ("mutex", None), found
        program.signal(signal.SIGKILL)
        program.finish()


def test_locks_of_files():
    """The kernel knows which process has the lock of a file."""
    def locker(*words):
        program = Program([sys.executable, "-c", FILE_LOCK, *words])
        assert program.line() == "ready"
        return program

    for how in ("flock", "lockf"):
        holder = locker(how, "once")
        assert holder.line() == "taken"
        waiter = locker(how, "once")
        path = os.path.realpath("locked")
        wait_until(lambda: waits_for_file(waiter.pid), "it waits for the lock")
        found = object_of(waiter.pid)
        name = open(f"/proc/{holder.pid}/comm", encoding="utf-8").read().strip()
        assert found == f"lock of {path} held by {name} ({holder.pid})", found
        holder.finish().check(0)
        assert waiter.line() == "taken"
        waiter.finish().check(0)
    alone = locker("flock", "twice")
    wait_until(lambda: waits_for_file(alone.pid), "it waits for the lock")
    assert object_of(alone.pid).endswith(" held by itself")
    assert len(look("-p", alone.pid)["deadlocks"]) == 1
    alone.signal(signal.SIGKILL)
    alone.finish()


# Takes files "0" and "1", beginning with argv[1]; "handler": a signal of a timer could end the wait, as flock(1) does it.
FILE_CIRCLE = """
import fcntl, signal, sys
if sys.argv[2] == "handler":
    signal.signal(signal.SIGALRM, lambda *unused: None)
files = [open(name, "w") for name in (sys.argv[1], str(1 - int(sys.argv[1])))]
fcntl.flock(files[0], fcntl.LOCK_EX)
print("taken", flush=True)
sys.stdin.readline()
fcntl.flock(files[1], fcntl.LOCK_EX)
"""


def test_circles_of_files_locks():
    """Two processes, each of which has the file that the other one wants. They are no circle if a signal may end a wait."""
    for how in ("plain", "handler"):
        programs = [Program([sys.executable, "-c", FILE_CIRCLE, str(number), how]) for number in range(2)]
        for program in programs:
            assert program.line() == "taken"
        for program in programs:
            program.process.stdin.write(b"\n")
            program.process.stdin.flush()
        wait_until(lambda: all(waits_for_file(program.pid) for program in programs), "both wait")
        pids = ",".join(str(program.pid) for program in programs)
        found, text = look("-p", pids)["deadlocks"], sprof("dump", "-p", pids).check(0).text()
        if how == "plain":
            assert [thread["pid"] for thread in found[0]] == sorted(program.pid for program in programs), found
            assert "deadlock: 2 threads wait for each other" in text, text
            assert re.search(r"\n  thread .* waits for the lock of /\S+/[01] held by \S+ \(\d+\)\n", text), text
        else:
            assert found == [] and "deadlock" not in text, text
        for program in programs:
            program.signal(signal.SIGKILL)
            program.finish()


def family(pid):
    """A process and its children."""
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [pid, *map(int, file.read().split())]


# A process and its two children, each of which has a file that the next one wants. `how`: a third child sleeps.
FAMILY_CIRCLE = """
import fcntl, os, signal, sys
how, mine = sys.argv[1], 0
all_taken, taken = os.pipe()
for child in (1, 2):
    if mine == 0 and os.fork() == 0:
        mine = child
if how == "sleeper" and mine == 0 and os.fork() == 0:
    os.close(taken)
    signal.pause()
with open(f"{how}-{mine}", "w") as own:
    fcntl.flock(own, fcntl.LOCK_EX)
    os.close(taken)
    os.read(all_taken, 1)  # ends when each has closed its end
    with open(f"{how}-{(mine + 1) % 3}", "a") as wanted:
        fcntl.flock(wanted, fcntl.LOCK_EX)
"""


def test_a_circle_of_a_process_and_its_children():
    """They are none if a child that shares their files can still run."""
    for how, count in (("plain", 3), ("sleeper", 4)):
        program = Program([sys.executable, "-c", FAMILY_CIRCLE, how])
        wait_until(lambda: sum(waits_for_file(pid) for pid in family(program.pid)) == 3 and
                   len(family(program.pid)) == count, "all wait")
        pids = family(program.pid)
        text = sprof("dump", "-p", program.pid, "--children").check(0).text()
        assert ("deadlock: 3 threads wait for each other" in text) == (how == "plain"), text
        for pid in reversed(pids):
            os.kill(pid, signal.SIGKILL)
        program.finish()


def test_contended_locks_are_no_deadlock():
    """Threads that take two locks in turns, in either order but never both: no look may find a circle."""
    program = Target("deadlock", "turns")
    result = sprof("dump", "-p", program.pid, "--json", "--times", 15, "--interval", "20ms").check(0)
    looks = [json.loads(line) for line in result.text().splitlines()]
    assert len(looks) == 15
    assert all(found["deadlocks"] == [] for found in looks)
    program.finish().check(0)


def test_several_processes_and_children():
    one, other = Target("deep", 3, "sleep"), Target("deep", 4, "sleep")
    found = look("-p", f"{one.pid},{other.pid}")
    assert [process["pid"] for process in found["processes"]] == sorted([one.pid, other.pid])
    depths = {process["pid"]: sum(frame["function"] == "descend" for thread in process["threads"]
                                  for frame in thread["stack"]) for process in found["processes"]}
    assert depths == {one.pid: 3, other.pid: 4}
    one.finish().check(0)
    other.finish().check(0)
    parent = Program([sys.executable, "-c", FAMILY])
    assert parent.line() == "ready"
    assert len(look("-p", parent.pid)["processes"]) == 1
    family = look("-p", parent.pid, "--children")["processes"]
    assert len(family) == 3 and parent.pid in [process["pid"] for process in family]
    parent.finish().check(0)


def test_looks():
    program = Target("deep", 3, "sleep")
    text = sprof("dump", "-p", program.pid, "--times", 3, "--interval", "10ms").check(0).text()
    assert re.findall(r"^look (\d) of 3$", text, re.MULTILINE) == ["1", "2", "3"]
    assert text.count("bottom_sleep") == 3
    assert state_of(program.pid) == "S"
    program.finish().check(0)


def test_a_process_that_ends_between_looks():
    """What was seen is shown, and the exit code says that it was not all."""
    program = Target("deep", 3, "sleep")
    looking = Program([SPROF, "dump", "-p", str(program.pid), "--times", "1000", "--interval", "50ms", "--json"])
    assert json.loads(looking.line())["processes"][0]["pid"] == program.pid
    program.finish().check(0)
    result = looking.finish().check(1)
    assert str(program.pid) in result.err, result.err


def test_wrong_usage():
    for options in (["--exe", "x"], ["--interval", "1s", "-p", "1"], ["--core", "x", "-p", "1"], ["--core", "x", "--children"],
                    ["--core", "x", "--times", "2"], ["-p", "1,x"], ["--times", "0", "-p", "1"]):
        result = sprof("dump", *options).check(64)
        assert result.out == b"" and result.err.startswith("sprof: ")


if __name__ == "__main__":
    main()
