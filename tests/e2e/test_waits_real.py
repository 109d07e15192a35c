"""What real programs wait for: the interpreter's lock, a listening socket, a file, a row's lock."""

import os
import re
import socket
import subprocess

from blocked import HELD
from harness import LIMIT, PROFILE, Attached, Program, Skip, main, read_folded, sprof, tool, wait_until
from postgres import Server
from test_python import pythons

TWO_COUNTERS = """
import threading, time
def count():
    number = 0
    while time.process_time() < 1:
        for i in range(100000): number += i
threads = [threading.Thread(target=count) for _ in range(2)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""


def check_interpreter_lock(python):
    sprof("run", "-t", "--wait-frames", "-o", "x.folded", "--", *python.command, "-c", TWO_COUNTERS).check(0)
    folded = read_folded("x.folded")
    waits = [(frames, weight) for frames, weight in folded.stacks
             if any(frame.startswith("interpreter lock ") for frame in frames)]
    total = sum(weight for _, weight in waits)
    # Each of them computes for half a second, while the other one waits.
    assert total > 100_000, f"{python}: {total} us in: {folded.stacks[:20]}"
    held = 0
    for frames, weight in waits:
        waiter, match = frames[0].rpartition("/")[2], HELD.fullmatch(frames[-1])
        held += weight if match and match.group(2) != waiter else 0
    assert held >= 0.5 * total, f"{python}: {held} of {total} us have a holder"


def test_python_waits_for_the_interpreter_lock():
    """Of two threads that compute one waits, for a lock that the other one has."""
    for python in pythons():
        check_interpreter_lock(python)


def test_python_waits_in_its_own_function():
    """Not in CPython's ways to the interpreter lock, which differ between versions."""
    for python in pythons():
        sprof("run", "-t", "-o", "x.pb.gz", "--", *python.command, "-c", TWO_COUNTERS).check(0)
        text = sprof("report", "--waits", "x.pb.gz").check(0).text()
        places = re.findall(r" interpreter lock \S+ in (\S+)$", text, re.MULTILINE)
        assert places and places[0] == "count", f"{python}: {text}"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answers(port):
    try:
        with socket.create_connection(("127.0.0.1", port), 1):
            return True
    except OSError:
        return False


def test_redis_waits_for_connections():
    redis, port = tool("redis-server"), free_port()
    server = Program([redis, "--port", port, "--bind", "127.0.0.1", "--save", ""],
                     stdout=subprocess.DEVNULL)
    wait_until(lambda: answers(port), "redis answers")
    sprof("attach", "-p", server.pid, "-d", "1s", "--wait-frames", *PROFILE).check(0)
    folded = read_folded("x.folded")
    waits = folded.weight(rf"\d+ descriptors.*tcp 127\.0\.0\.1.{port} listening.*")
    main_thread = folded.weight("aeMain|main|__libc_start_main.*|__libc_start_call_main")
    assert waits >= 0.5 * main_thread > 0, folded.stacks
    server.process.terminate()
    server.wait()


def test_dd_writes_its_file():
    """A disk may be so fast that dd is hardly ever blocked; then it is in the call all the same."""
    sprof("run", "--wait-frames", "-r", 999, *PROFILE, "--", tool("dd"), "if=/dev/zero", "of=written",
          "oflag=sync", "bs=64k", "count=1500").check(0)
    folded = read_folded("x.folded")
    name = re.escape(os.path.abspath("written"))
    named, writing = folded.weight(name), folded.weight(r"\[write\]")
    # What is read too late has not the descriptor of that moment.
    assert writing >= named > 0, folded.stacks


# PostgreSQL

UPDATE = "UPDATE pgbench_branches SET bbalance = bbalance + 1 WHERE bid = 1;\n"


def test_postgres_waits_for_the_lock_of_a_row():
    """Two clients update one row: each waits for the other's transaction, at its latch."""
    server = Server()
    clients = server.clients(100 * LIMIT, UPDATE)
    # pgbench begins with a connection that it ends: only those of its clients update.
    pid = wait_until(lambda: server.backends("UPDATE"), "a client updates")[0]
    # Blocked time only: a thread that is ready, in the call, and gets no processor waits for nobody.
    sampling = Attached(pid, "-d", "2s", "--wait-frames", "--weight", "wait", *PROFILE)
    sampling.finish().check(0)
    server.stop()
    clients.finish()
    folded = read_folded("x.folded")
    if not any("ProcSleep" in frames for frames, _ in folded.stacks):
        raise Skip("this PostgreSQL has no names: it is stripped")
    waits = [(frames, weight) for frames, weight in folded.stacks if "ProcSleep" in frames]
    polling = [(frames[-1], weight) for frames, weight in waits if "[epoll_wait]" in frames]
    named = sum(weight for wait, weight in polling if "signalfd" in wait)
    assert named >= 0.5 * sum(weight for _, weight in polling) > 0, waits


if __name__ == "__main__":
    main()
