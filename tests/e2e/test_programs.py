"""Programs with processes and threads of their own, under run and while attaches come and go: they print
and return what they do by themselves, and leave nothing behind: what loses its parent becomes a child of
the test's, and it has none in the end, living or dead."""

import ctypes
import os
import re
import signal

from harness import SPROF, Program, check_untouched, main, run, sprof, tool, wait_until
from postgres import Server

CLIENTS = 8

BASH = """
trap 'echo trapped' USR1; kill -USR1 $$
sum=0; for i in $(seq 1 300); do sum=$((sum + $(echo $i))); done; echo $sum
(exit 3); echo $?; seq 5000 | sort -rn | head -1; sleep 0.1 & wait $!; echo $?
mapfile -t lines < <(seq 20); echo ${#lines[@]}; ls /proc/self/fd | wc -l; exit 5
"""

PYTHON = """
import multiprocessing, subprocess
def square(x):
    return sum(i * x for i in range(20000))
if __name__ == '__main__':
    with multiprocessing.Pool(4) as pool:
        print(sum(pool.map(square, range(100))))
    print(subprocess.run(['sh', '-c', 'echo out; exit 4'], capture_output=True))
    print([subprocess.call(['true']) for _ in range(30)])
    print(multiprocessing.active_children())
"""

NODE = """
const {Worker, isMainThread, parentPort, workerData} = require('worker_threads');
if (isMainThread) {
  let left = 4, sum = 0;
  for (let n = 1; n <= 4; n++)
    new Worker(__filename, {workerData: n}).on('message', (value) => { sum += value; })
      .on('exit', () => { if (--left === 0) console.log(sum); });
} else {
  let value = 0;
  for (let i = 0; i < 20000000; i++) value = (value * 31 + workerData + i) % 65521;
  parentPort.postMessage(value);
}
"""

JAVA = """
import java.util.concurrent.*;
import java.util.stream.*;
class Threads {
    public static void main(String[] unused) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(4);
        var sums = IntStream.range(0, 16).mapToObj(n -> pool.submit(() -> {
            long sum = 0;
            for (int i = 0; i < 3000000; i++) sum = (sum * 31 + n + i) % 65521;
            Thread.sleep(5);
            return sum;
        })).collect(Collectors.toList());
        long total = 0;
        for (var sum : sums) total += sum.get();
        pool.shutdown();
        System.out.println(total);
        System.exit(3);
    }
}
"""


UNDER_RUN = (SPROF, "run", "-q", "-r", 499, "-o", "x.folded", "--")
PR_SET_CHILD_SUBREAPER = 36
ATTACHES = 12


def become_subreaper():
    assert ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0


def is_childless():
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
        return False
    except ChildProcessError:
        return True


def check_nothing_left():
    """No process lives on, and nobody keeps a dead one from being waited for."""
    wait_until(is_childless, "all processes have ended")


def write(name, text):
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)
    return name


def check_under_run(command):
    native = run(*command)
    check_nothing_left()
    watched = run(*UNDER_RUN, *command)
    check_nothing_left()
    assert (watched.code, watched.out, watched.err) == (native.code, native.out, native.err), (
        f"{watched.code} {watched.text()} {watched.err}\nnatively {native.code} {native.text()}")
    return native


def attach_again_and_again(program):
    """Attaches of 50 ms, one after the other, for as long as it runs. Returns how many there were."""
    attaches = 0
    while program.alive():
        result = sprof("attach", "-p", program.pid, "--children", "-q", "-d", "50ms", "-r", 499, "-o",
                       "y.folded")
        attaches += result.code == 0
        if program.alive() and result.code == 0:
            try:
                check_untouched(program.pid)
            except FileNotFoundError:
                break  # it has just ended
    return attaches


def check_under_attach(command, native):
    """The program again and again, until it has been attached to at so many of its moments."""
    attaches = 0
    while attaches < ATTACHES:
        program = Program(command)
        now = attach_again_and_again(program)
        result = program.finish()
        assert (result.code, result.out, result.err) == (native.code, native.out, native.err), (
            f"{result.code} {result.text()} {result.err}")
        check_nothing_left()
        attaches += now
    print(f"{attaches} attaches")


def check_both(*command):
    check_under_attach(command, check_under_run(command))


def test_bash():
    check_both(tool("bash"), write("script.sh", BASH))


def test_python():
    check_both(tool("/usr/bin/python3"), write("workers.py", PYTHON))


def write_project():
    """A small project of C, and a script that builds it from nothing and says what came out."""
    for number in range(12):
        write(f"part{number}.c", f"#include <stdio.h>\n#include <stdlib.h>\n"
                                 f"int part{number}(int x) {{ return x * {number} + abs(x); }}\n")
    calls = " + ".join(f"part{number}(3)" for number in range(12))
    names = "".join(f"int part{number}(int);\n" for number in range(12))
    write("main.c", f"{names}#include <stdio.h>\nint main(void) {{ printf(\"%d\\n\", {calls}); }}\n")
    write("Makefile", "OBJECTS := $(patsubst %.c,%.o,$(wildcard *.c))\n"
                      "program: $(OBJECTS)\n\t$(CC) -o $@ $^\n")
    tool("gcc")
    write("build.sh", "rm -f *.o program; make -s -j2 CC=gcc CFLAGS=-O2; echo $?; ./program; ls *.o | wc -l\n")


def test_make():
    write_project()
    check_both(tool("bash"), "build.sh")


def test_node():
    check_both(tool("node"), write("workers.js", NODE))


def test_java():
    javac = tool("javac")
    write("Threads.java", JAVA)
    run(javac, "-J-XX:-UsePerfData", "Threads.java").check(0)  # which would leave a folder in /tmp
    check_both(tool("java"), "-XX:-UsePerfData", "-Xshare:auto", "Threads")


def descriptors_of(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def wchan_of(pid):
    with open(f"/proc/{pid}/wchan", encoding="utf-8") as file:
        return file.read()


class Nginx:
    """A server of one page, with two workers."""

    def __init__(self, before=()):
        nginx, folder = tool("nginx", "/usr/sbin/nginx"), os.getcwd()
        write("index.html", "hello " * 200)
        write("nginx.conf", f"""daemon off; worker_processes 2; pid {folder}/pid;
            error_log {folder}/errors; events {{}} http {{ access_log off;
            server {{ listen 127.0.0.1:18931; root {folder}; }} }}""")
        self.program = Program([*before, nginx, "-e", f"{folder}/errors", "-c", f"{folder}/nginx.conf"])
        wait_until(lambda: os.path.exists("pid") and self.is_idle(), "nginx is up")
        self.idle = self.descriptors()

    @staticmethod
    def master():
        with open("pid", encoding="utf-8") as file:
            return int(file.read() or 0)

    def workers(self):
        master = self.master()
        return master and [int(pid) for pid in children_of(master)]

    def is_idle(self):
        """Both wait for connections, with what they keep open for that."""
        workers = self.workers()
        return workers and len(workers) == 2 and all("poll" in wchan_of(pid) for pid in workers)

    def descriptors(self):
        return [descriptors_of(pid) for pid in (self.master(), *self.workers())]

    def busiest(self, clients):
        """The worker that most of the clients have, once all are there: one may have taken them all."""
        wait_until(lambda: sum(self.descriptors()[1:]) >= sum(self.idle[1:]) + clients, "all clients are connected")
        return max(self.workers(), key=descriptors_of)

    def stop(self):
        """It ends by itself, with its workers."""
        os.kill(self.master(), signal.SIGTERM)
        self.program.wait()
        return self.program.finish().check(0)


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as file:
        return file.read().split()


def start_wrk(seconds=3):
    """SIGINT ends it sooner, with its figures."""
    return Program([tool("wrk"), "-t1", f"-c{CLIENTS}", f"-d{seconds}s", "http://127.0.0.1:18931/index.html"])


def check_wrk(bench):
    """Many requests, of which none failed."""
    text = bench.finish().check(0).text()
    assert int(re.search(r"(\d+) requests in", text).group(1)) > 100, text
    assert not re.search(r"Socket errors|Non-2xx", text), text


def test_nginx():
    """Under wrk, while attaches come and go to a worker; then under run, from its start to its end."""
    server = Nginx()
    bench = start_wrk()
    before, worker = server.idle, server.busiest(CLIENTS)
    while bench.alive():
        sprof("attach", "-p", worker, "-q", "-d", "100ms", "-r", 499, "-o", "y.folded").check(0)
        check_untouched(worker)
    check_wrk(bench)
    wait_until(lambda: server.descriptors() == before, "connections are closed")
    server.stop()
    check_nothing_left()
    server = Nginx(UNDER_RUN)
    check_wrk(start_wrk())
    wait_until(lambda: server.descriptors() == before, "connections are closed")
    assert not server.stop().err
    check_nothing_left()


def check_serves(server, clients):
    """No transaction has failed, the server's processes for clients end, and it serves others."""
    text = clients.finish().check(0).text()
    assert "number of failed transactions: 0 (" in text, text
    wait_until(lambda: not server.backends(), "the server's children for clients end")
    balances = [server.bench("-n", "-t", "1").code for _ in range(2)]
    assert balances == [0, 0], "it serves no more"


def test_postgres():
    """Under pgbench, while attaches come and go to the server and what it starts."""
    server = Server()
    before = descriptors_of(server.postmaster())
    clients = server.clients(4)
    while clients.alive():
        sprof("attach", "-p", server.postmaster(), "--children", "-q", "-d", "100ms", "-r", 499, "-o",
              "y.folded").check(0)
        check_untouched(server.postmaster())
        for pid in server.backends():
            sprof("attach", "-p", pid, "-q", "-d", "50ms", "-r", 499, "-o", "y.folded")
    check_serves(server, clients)
    assert descriptors_of(server.postmaster()) == before, "a descriptor is left"
    server.stop()
    check_nothing_left()


def test_postgres_run():
    """The same, under run from its start to its end."""
    server = Server(UNDER_RUN)
    check_serves(server, server.clients(4))
    server.stop()
    check_nothing_left()


if __name__ == "__main__":
    become_subreaper()
    main()
