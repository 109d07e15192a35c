"""Events of programs that others wrote: by each command they do what they do by themselves, and the tables hold
together."""

import json
import os
import signal

from harness import Program, check_untouched, main, run, sprof, tool, wait_until
from postgres import Server
from test_programs import (CLIENTS, Nginx, become_subreaper, check_nothing_left, check_serves, check_wrk, start_wrk,
                           write_project)
from test_real_programs import answers, make_repository, start_redis

# Descriptors from where they come from to where they are closed, beside calls and waits for a CPU.
COMMANDS = (
    ("syscalls", "--json", "--stack", "--than", "50ms"),
    ("trace", "--json", "-k", "fd", "-e", "syscalls:sys_exit_openat/ret>=0/key=ret/",
     "-e", "syscalls:sys_enter_close//key=fd/"),
    ("rundelay", "--json"),
)
WHILE_SERVING = "700ms"
PROCESSES = 2000

SCRIPT = f"""
i=0
while [ $i -lt {PROCESSES // 10} ]; do
    /bin/true; (:); (:); (:); (:); (:); (:); (:); (:); (:)
    i=$((i + 1))
done
echo $i
"""

ASYNCIO = """
import asyncio
async def echo(reader, writer):
    while line := await reader.readline():
        writer.write(line.upper())
    writer.close()
async def ask(port, number):
    reader, writer = await asyncio.open_connection('127.0.0.1', port)
    answers = []
    for turn in range(50):
        writer.write(b'hello %d %d\\n' % (number, turn))
        answers.append(await reader.readline())
    writer.close()
    return len(b''.join(answers))
async def main():
    server = await asyncio.start_server(echo, '127.0.0.1')
    port = server.sockets[0].getsockname()[1]
    print(await asyncio.gather(*[ask(port, number) for number in range(20)]))
    process = await asyncio.create_subprocess_exec('echo', 'child', stdout=asyncio.subprocess.PIPE)
    print(await process.communicate())
asyncio.run(main())
"""

NODE = """
const fs = require('fs');
const work = fs.promises.readFile(process.execPath).then(bytes => bytes.length > 1000);
let turns = 0;
const timer = setInterval(() => { if (++turns === 50) { clearInterval(timer); work.then(v => console.log(turns, v)); } }, 2);
"""


def table_of(command, text):
    """The total of a run: its last table."""
    tables = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    return [table for table in tables if "rows" in table][-1]


def check_row(row):
    assert row["calls"] >= 0 and row["total_ns"] >= 0, row
    assert row.get("errors", 0) <= row["calls"], row
    if row["calls"] and row.get("p50_ns") is not None:
        assert row["min_ns"] <= row["p50_ns"] <= row["p95_ns"] <= row["p99_ns"] <= row["max_ns"], row
        assert row["min_ns"] * row["calls"] <= row["total_ns"] <= row["max_ns"] * row["calls"], row


def check_table(command, result):
    """Rows in which each figure fits the others. Returns them by their call or first event."""
    rows = table_of(command, result.text())["rows"]
    for row in rows:
        check_row(row)
    if command[0] == "syscalls":
        assert sum(row["calls"] for row in rows) > 0, rows
    return {row.get("syscall", row.get("start")): row for row in rows}


def check_launched(*words):
    """The program prints and returns what it does by itself. Returns each command's rows."""
    native = run(*words)
    check_nothing_left()
    found = []
    for command in COMMANDS:
        result = sprof(*command, "--", *words)
        check_nothing_left()
        # (Where both want stdout, sprof says that it has it.)
        said = [line for line in result.err.splitlines() if not line.startswith("sprof: stdout is for")]
        assert (result.code, sorted(said)) == (native.code, sorted((native.text() + native.err).splitlines())), (
            f"{command}: {result.code} {result.err}")
        found.append(check_table(command, result))
    return found


def check_served(pid, clients):
    """A server that clients use all the time, while one command after the other looks at it."""
    found = []
    for command in COMMANDS:
        result = sprof(*command, "-p", pid, "-d", WHILE_SERVING).check(0)
        check_untouched(pid)
        found.append(check_table(command, result))
    assert clients.alive(), "the clients have ended too early"
    return found


def test_shell_script():
    calls, files, _ = check_launched(tool("sh"), "-c", SCRIPT)
    assert calls["exit_group"]["calls"] == PROCESSES + 1, calls["exit_group"]
    assert calls["execve"]["calls"] - PROCESSES // 10 in (0, 1), calls["execve"]  # its own is sprof's
    assert files["sys_exit_openat"]["calls"] >= PROCESSES // 10, files


def test_git_gc():
    git = make_repository(300)
    before = run(*git, "rev-list", "--count", "main").check(0).out
    calls, files, _ = check_launched(*git, "gc", "--prune=now", "--quiet")
    assert calls["openat"]["calls"] > 100 and files["sys_exit_openat"]["calls"] > 50, (calls["openat"], files)
    run(*git, "fsck", "--full").check(0)
    assert run(*git, "rev-list", "--count", "main").check(0).out == before


def test_make():
    write_project()
    calls, _, _ = check_launched(tool("bash"), "build.sh")
    assert calls["execve"]["calls"] > 12 * 3, calls["execve"]


def test_python():
    calls, _, _ = check_launched(tool("/usr/bin/python3"), "-c", ASYNCIO)
    assert calls["sendto"]["calls"] >= 2 * 20 * 50 and calls["epoll_wait"]["calls"] > 50, calls["sendto"]


def test_node():
    calls, _, _ = check_launched(tool("node"), "-e", NODE)
    waits = [row["calls"] for name, row in calls.items() if name in ("epoll_wait", "epoll_pwait")]
    assert sum(waits) >= 50, calls.keys()


def test_redis():
    path = os.path.abspath("redis.sock")
    server = start_redis(path)
    bench = Program([tool("redis-benchmark"), "-s", path, "-t", "set,get", "-q", "-n", 10**8, "-c", 20])
    calls, _, _ = check_served(server.pid, bench)
    assert calls["read"]["calls"] > 100 and calls["write"]["calls"] > 100, calls
    assert answers(path), "it answers no more"
    bench.process.kill()
    server.process.terminate()
    server.finish().check(0)


def test_nginx():
    server = Nginx()
    bench = start_wrk(seconds=60)
    calls, files, delays = check_served(server.busiest(CLIENTS), bench)
    bench.signal(signal.SIGINT)
    assert calls["writev"]["calls"] > 50 and files["sys_exit_openat"]["calls"] > 50, (calls, files)
    assert delays, "two workers and their load have two CPUs at most"
    check_wrk(bench)
    server.stop()
    check_nothing_left()


def test_postgres():
    """One of the processes that serve clients."""
    server = Server()
    clients = server.clients(8)
    # Not the process of pgbench's first connection, which ends before its clients come.
    backend = wait_until(lambda: server.backends("UPDATE"), "a client updates")[0]
    calls, _, _ = check_served(backend, clients)
    assert calls["sendto"]["calls"] > 10 and calls["recvfrom"]["calls"] > 10, calls
    check_serves(server, clients)
    server.stop()
    check_nothing_left()


if __name__ == "__main__":
    become_subreaper()
    main()
