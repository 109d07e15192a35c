"""Programs with processes and threads of their own, under run and while attaches come and go: they print
and return what they do by themselves, and leave nothing behind."""

import os
import re

from harness import Program, check_untouched, main, run, sprof, tool, wait_until
from postgres import Server

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


def write(name, text):
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)
    return name


def check_under_run(command):
    native = run(*command)
    watched = sprof("run", "-q", "-r", 499, "-o", "x.folded", "--", *command)
    assert (watched.code, watched.out, watched.err) == (native.code, native.out, native.err), (
        f"{watched.code} {watched.text()} {watched.err}\nnatively {native.code} {native.text()}")
    return native


def check_under_attach(command, native):
    """Attaches of 50 ms, one after the other, for as long as it runs."""
    program = Program(command)
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
    result = program.finish()
    assert (result.code, result.out, result.err) == (native.code, native.out, native.err), (
        f"{result.code} {result.text()} {result.err}")
    assert attaches > 0, "it was never attached to"


def check_both(*command):
    check_under_attach(command, check_under_run(command))


def test_bash():
    check_both(tool("bash"), write("script.sh", BASH))


def test_python():
    check_both(tool("/usr/bin/python3"), write("workers.py", PYTHON))


def test_make():
    """A small project of C, built twice from nothing by a script that says what came out."""
    for number in range(12):
        write(f"part{number}.c", f"#include <stdio.h>\n#include <stdlib.h>\n"
                                 f"int part{number}(int x) {{ return x * {number} + abs(x); }}\n")
    calls = " + ".join(f"part{number}(3)" for number in range(12))
    names = "".join(f"int part{number}(int);\n" for number in range(12))
    write("main.c", f"{names}#include <stdio.h>\nint main(void) {{ printf(\"%d\\n\", {calls}); }}\n")
    write("Makefile", "OBJECTS := $(patsubst %.c,%.o,$(wildcard *.c))\n"
                      "program: $(OBJECTS)\n\t$(CC) -o $@ $^\n")
    tool("gcc")
    check_both(tool("bash"), write("build.sh", "rm -f *.o program; make -s -j2 CC=gcc CFLAGS=-O2; "
                                               "echo $?; ./program; ls *.o | wc -l\n"))


def test_node():
    check_both(tool("node"), write("workers.js", NODE))


def test_java():
    javac = tool("javac")
    write("Threads.java", JAVA)
    run(javac, "Threads.java").check(0)
    check_both(tool("java"), "-Xshare:auto", "Threads")


def descriptors_of(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def test_nginx():
    """Under wrk, while attaches come and go to a worker: no request fails, no descriptor is left."""
    nginx, wrk = tool("nginx", "/usr/sbin/nginx"), tool("wrk")
    folder = os.getcwd()
    write("index.html", "hello " * 200)
    write("nginx.conf", f"""daemon off; worker_processes 2; pid {folder}/pid; error_log {folder}/errors;
        events {{}} http {{ access_log off; server {{ listen 127.0.0.1:18931; root {folder}; }} }}""")
    server = Program([nginx, "-e", f"{folder}/errors", "-c", f"{folder}/nginx.conf"])
    wait_until(lambda: os.path.exists("pid"), "nginx is up")
    children = f"/proc/{server.pid}/task/{server.pid}/children"
    worker = wait_until(lambda: open(children, encoding="utf-8").read().split(), "workers")[0]
    before = descriptors_of(worker)
    bench = Program([wrk, "-t1", "-c8", "-d3s", "http://127.0.0.1:18931/index.html"])
    while bench.alive():
        sprof("attach", "-p", worker, "-q", "-d", "100ms", "-r", 499, "-o", "y.folded").check(0)
        check_untouched(int(worker))
    result = bench.finish().check(0)
    assert int(re.search(r"(\d+) requests in", result.text()).group(1)) > 100, result.text()
    assert not re.search(r"Socket errors|Non-2xx", result.text()), result.text()
    wait_until(lambda: descriptors_of(worker) <= before, "connections are closed")
    server.process.terminate()
    server.wait()
    server.finish().check(0)


def test_postgres():
    """Under pgbench, while attaches come and go to the server and what it starts."""
    server = Server()
    clients = server.clients(4)
    while clients.alive():
        sprof("attach", "-p", server.postmaster(), "--children", "-q", "-d", "100ms", "-r", 499, "-o",
              "y.folded").check(0)
        check_untouched(server.postmaster())
        for pid in server.backends():
            sprof("attach", "-p", pid, "-q", "-d", "50ms", "-r", 499, "-o", "y.folded")
    text = clients.finish().check(0).text()
    assert "number of failed transactions: 0 (" in text, text
    wait_until(lambda: not server.backends(), "the server's children for clients end")
    balances = [server.bench("-n", "-t", "1").code for _ in range(2)]
    assert balances == [0, 0], "it serves no more"
    server.stop()


if __name__ == "__main__":
    main()
