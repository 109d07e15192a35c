"""Programs that nobody here wrote: nearly every stack is complete, and the programs don't notice.

Each test makes its own workload and compares what the program produced with what it must produce.
"""

import hashlib
import os
import re
import socket

from harness import (LIMIT, PROFILE, Attached, Program, attach_for, check_quality, check_untouched, main,
                     read_profile, run, sprof, tool, wait_until)
from postgres import Server

RATE = 299


def profile(*command, **options):
    """Runs a command under sprof; its result, the folded stacks, the quality figures."""
    result = sprof("run", "-r", RATE, *PROFILE, "--", *command, limit=2 * LIMIT, **options)
    return result, *read_profile()


# python3

PYTHON_THREADS = """
import hashlib, threading, time
def count(results, number):
    total = 0
    for i in range(1500000):
        total += i * number % 7
    results[number] = total
def digest(results, number):
    data = bytes(1 << 20)
    for _ in range(200):
        data = hashlib.sha256(data).digest() * (1 << 15)
    results[number] = hashlib.sha256(data).hexdigest()
def nap(results, number):
    time.sleep(0.5)
    results[number] = 'slept'
results = {}
threads = [threading.Thread(target=body, args=(results, number))
           for number, body in enumerate([count, count, digest, nap])]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(sorted(results.items()))
"""


def test_python():
    command = [tool("/usr/bin/python3"), "-c", PYTHON_THREADS]
    native = run(*command).check(0)
    result, folded, stats = profile(*command)
    assert result.check(0).out == native.out
    check_quality(stats)
    assert stats["threads_seen"] == 5, stats
    folded.check("count", ".*[Ss][Hh][Aa]256.*|.*libcrypto.*")


# gcc

def large_source():
    """A C++ file that keeps the compiler busy for seconds: templates, instantiated many times."""
    parts = ["#include <algorithm>", "#include <map>", "#include <regex>", "#include <string>"]
    for number in range(12):
        parts.append(f"""
            struct key{number} {{ int a; std::string b; bool operator<(const key{number} &o) const
                {{ return a < o.a || (a == o.a && b < o.b); }} }};
            int use{number}(std::map<key{number}, std::string> &m, int n) {{
                std::vector<key{number}> v(n);
                std::sort(v.begin(), v.end());
                for (auto &k : v) m[k] = std::to_string(k.a);
                std::regex pattern("[a-z]+{number}");
                return std::regex_search("x{number}", pattern) ? m.size() : n; }}""")
    return "\n".join(parts)


def test_gcc():
    with open("large.cc", "w", encoding="utf-8") as file:
        file.write(large_source())
    result, folded, stats = profile(tool("gcc"), "-O2", "-c", "large.cc", "-o", "large.o")
    result.check(0)
    check_quality(stats)
    assert stats["processes_seen"] >= 3, "gcc, cc1plus and as"
    assert "use11" in run(tool("nm"), "large.o").check(0).text()
    assert any("cc1plus" in name for name in folded.names()), sorted(folded.names())[:80]


# git

FILES = 40


def history(commits):
    """A stream for git fast-import: each commit rewrites one file, never the same way twice."""
    for number in range(commits):
        lines = "".join(f"{hashlib.md5(b'%d' % ((number * 7 + i) % 999)).hexdigest()} {i}\n"
                        for i in range(120))
        message = f"commit {number}\n"
        yield (f"commit refs/heads/main\ncommitter T <t@example.com> {1500000000 + number} +0000\n"
               f"data {len(message)}\n{message}\n"
               f"M 100644 inline folder{number % 5}/file{number % FILES}\n"
               f"data {len(lines)}\n{lines}\n")


def make_repository(commits):
    git = tool("git")
    run(git, "init", "-q", "-b", "main", "repository").check(0)
    with open("history", "w", encoding="utf-8") as file:
        file.writelines(history(commits))
    with open("history", "rb") as file:
        run(git, "-C", "repository", "fast-import", "--quiet", stdin=file).check(0)
    return git, "-C", "repository"


def test_git_log():
    git = make_repository(3000)
    command = [*git, "log", "--stat", "-p", "main"]
    native = run(*command).check(0)
    result, folded, stats = profile(*command)
    assert result.check(0).out == native.out
    check_quality(stats)
    folded.check("main|git.*|__libc_start.*|_start", "inflate.*|.*libz.*")


def test_git_gc():
    commits = 1000
    git = make_repository(commits)
    result, folded, stats = profile(*git, "gc", "--aggressive", "--prune=now", "--quiet")
    result.check(0)
    check_quality(stats)
    assert stats["processes_seen"] > 3, "gc makes children"
    run(*git, "fsck", "--full").check(0)
    assert run(*git, "rev-list", "--count", "main").text().strip() == str(commits)


# sqlite3

WORKLOAD = """
CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400000)
  INSERT INTO t SELECT i, (i * 7919) % 10007, 'text ' || (i * 31 % 1009) FROM n;
CREATE INDEX t_a ON t (a, b);
SELECT a % 10, count(*), sum(id), max(b) FROM t GROUP BY 1 ORDER BY 1;
SELECT count(*) FROM t x JOIN t y ON x.a = y.a AND x.id % 50 = 0 WHERE x.b < y.b;
DELETE FROM t WHERE a % 3 = 0;
VACUUM;
SELECT count(*), min(b), max(b) FROM t;
PRAGMA integrity_check;
"""


def test_sqlite():
    sqlite = tool("sqlite3")
    with open("workload.sql", "w", encoding="utf-8") as file:
        file.write(WORKLOAD)
    native = run(sqlite, "native.db", ".read workload.sql").check(0)
    result, folded, stats = profile(sqlite, "profiled.db", ".read workload.sql")
    assert result.check(0).out == native.out and b"ok" in native.out
    check_quality(stats)
    folded.check("sqlite3_step", "main|sqlite3.*|__libc_start.*")


# redis-server

def answers(path):
    """Whether a redis-server answers on its socket."""
    try:
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(LIMIT)
            client.connect(path)
            client.sendall(b"PING\r\n")
            return client.recv(64) == b"+PONG\r\n"
    except (FileNotFoundError, ConnectionRefusedError):
        return False


def start_redis(path):
    server = Program([tool("redis-server"), "--port", "0", "--unixsocket", path, "--save", "",
                      "--appendonly", "no", "--daemonize", "no", "--dir", "."])
    wait_until(lambda: answers(path), "redis-server answers")
    return server


def test_redis():
    path = os.path.join(os.getcwd(), "socket")
    server = start_redis(path)
    bench = Program([tool("redis-benchmark"), "-s", path, "-t", "set,get,lpush,lrange_100", "-q",
                     "-n", 10**8, "-c", 20, "-r", 10000])
    folded, stats = attach_for("2s", server.pid, "-r", RATE)
    check_untouched(server.pid)
    assert bench.alive() and answers(path), "the target has suffered"
    bench.process.kill()
    check_quality(stats, threads=4)
    folded.check("main|aeMain|redis-.*", "__libc_start.*|_start", "epoll_wait|.*libc.*")
    server.process.terminate()
    server.finish().check(0)
    assert not re.search("crash|assert", server.stderr(), re.IGNORECASE)


# node

NODE_PROGRAM = """
const crypto = require('crypto');
const {Worker, isMainThread, parentPort} = require('worker_threads');
function count(n) { let map = new Map(); for (let i = 0; i < n; i++) map.set('k' + i % 999, (map.get('k' + i % 999) || 0) + i); return map.size; }
function digest(n) { let d = Buffer.alloc(1 << 16); for (let i = 0; i < n; i++) d = crypto.createHash('sha256').update(d).update('x'.repeat(1 << 16)).digest(); return d.toString('hex'); }
function sorted(n) { let a = []; let x = 1; for (let i = 0; i < n; i++) { x = x * 16807 % 2147483647; a.push({x}); } a.sort((p, q) => p.x - q.x); return a[0].x; }
const work = () => [count(3000000), digest(2000), sorted(400000), JSON.stringify(JSON.parse(JSON.stringify([...Array(200000).keys()]))).length];
if (isMainThread) {
  const worker = new Worker(__filename);
  worker.on('message', theirs => console.log(JSON.stringify([work(), theirs])));
} else parentPort.postMessage(work());
"""


def test_node():
    with open("program.js", "w", encoding="utf-8") as file:
        file.write(NODE_PROGRAM)
    command = [tool("node"), "program.js"]
    native = run(*command).check(0)
    result, folded, stats = profile(*command)
    assert result.check(0).out == native.out
    # The builtins of V8 have no CFI, and pass control on in ways of their own.
    check_quality(stats, complete=0.998)
    assert stats["threads_seen"] >= 6, stats
    folded.check("node::.*|uv_.*|v8::.*", "__libc_start.*|_start|.*start_thread.*|.*clone.*")
    assert {name for name in folded.names() if re.match(r"\[(jit|anon)", name)} == {"[jit of node]"}, folded.names()


# PostgreSQL

def test_postgres():
    """A server that is attached to before its clients come, with all the processes it starts for them."""
    server = Server()
    sampling = Attached(server.postmaster(), "-d", "3s", "-r", RATE, "--children", *PROFILE)
    server.clients(2).finish().check(0)
    sampling.finish().check(0)
    server.stop()
    folded, stats = read_profile()
    assert stats["processes_seen"] >= 3, stats
    check_quality(stats)
    folded.check("__libc_start.*|_start", "PostgresMain|postgres.*")


if __name__ == "__main__":
    main()
