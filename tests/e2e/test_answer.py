"""The answer in the user's own words: the program's functions, what is idle and what is a lock."""

import json
import re
import signal
import socket

from harness import SPROF, Program, main, sprof, tool, wait_until
from subjects import command, write

SORTS = """
#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>
static void sortit(std::vector<std::string> &words) { std::sort(words.begin(), words.end()); }
static size_t count(const std::vector<std::string> &words)
{
\tstd::map<std::string, int> found;
\tfor (const auto &word : words)
\t\tfound[word]++;
\treturn found.size();
}
int main(int argc, char **argv)
{
\tsize_t sum = 0;
\tfor (int round = atoi(argv[1]); round > 0; round--) {
\t\tstd::vector<std::string> words;
\t\tunsigned x = round;
\t\tfor (int i = 0; i < 20000; i++)
\t\t\twords.push_back("a-long-common-prefix-" + std::to_string((x = x * 1664525 + 1013904223) % 5000));
\t\tsortit(words);
\t\tsum += count(words);
\t}
\treturn sum == 0;
}
"""

DEADLOCK = """
import signal, threading
a, b, both = threading.Lock(), threading.Lock(), threading.Barrier(2)
def one(first, second):
    with first:
        both.wait()
        print("held", flush=True)
        with second:
            pass
for locks in ((a, b), (b, a)):
    threading.Thread(target=one, args=locks, daemon=True).start()
signal.pause()
"""

EVENTS = """
#include <stdio.h>
#include <sys/epoll.h>
#include <unistd.h>
static int epoll;
__attribute__((noinline)) int take_row_lock(void) { struct epoll_event e; return epoll_wait(epoll, &e, 1, -1); }
__attribute__((noinline)) int answer(void) { return take_row_lock() + 1; }
__attribute__((noinline)) int serve(void) { return answer() + 1; }
int main(void)
{
\tstruct epoll_event event = {.events = EPOLLIN};
\tint ends[2][2];
\tepoll = epoll_create1(0);
\tfor (int i = 0; i < 2; i++)
\t\tif (pipe(ends[i]) || epoll_ctl(epoll, EPOLL_CTL_ADD, ends[i][0], &event))
\t\t\treturn 1;
\tputs("ready");
\tfflush(stdout);
\treturn serve();
}
"""


def answer_of(command, *args):
    sprof(command, "-o", "answer.json", *args).check(0)
    with open("answer.json", encoding="utf-8") as file:
        return json.load(file)["answer"]


def names(rows):
    return [row["name"].split("(")[0] for row in rows]


def test_the_programs_functions_come_first():
    command(tool("g++", "c++"), "-O2", "-g", "-o", "sorts", write("sorts.cc", SORTS))
    answer = answer_of("run", "-r", 999, "--", "./sorts", 30)
    assert {"sortit", "count", "main"} == set(names(answer["functions"])[:3]), answer
    assert any("std::sort" in (row["in"] or "") for row in answer["functions"]), answer
    everything = answer_of("run", "-r", 999, "--all-code", "--", "./sorts", 30)
    assert any("std::" in row["name"] for row in everything["functions"]), everything


def test_a_deadlock_in_python_is_not_idle():
    program = Program([tool("python3"), write("deadlock.py", DEADLOCK)])
    for _ in range(2):
        program.line()
    answer = answer_of("attach", "-p", program.pid, "-d", "1s")
    program.signal(signal.SIGKILL)
    # From later releases of 3.13 on, threads wait on semaphores on their stacks: these two at the same place, in one row.
    kinds = [row["kind"] for row in answer["waits"] if row["name"] == "one"][:2]
    assert kinds and set(kinds) == {"lock"}, answer
    assert "deadlock, 2 threads will wait for ever; " in answer["verdict"][0], answer
    assert answer["next"][0].startswith("sprof dump -p "), answer


JOINED = """
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static void *take(void *first)
{
\tpthread_mutex_lock(first);
\tpthread_barrier_wait(&both);
\tputs("held");
\tfflush(stdout);
\tpthread_mutex_lock(first == &a ? &b : &a);
\treturn NULL;
}
int main(void)
{
\tpthread_t one, other;
\tpthread_barrier_init(&both, NULL, 2);
\tpthread_create(&one, NULL, take, &a);
\tpthread_create(&other, NULL, take, &b);
\tpthread_join(one, NULL);
\treturn pthread_join(other, NULL);
}
"""


def test_a_thread_that_joins_is_not_in_the_deadlock():
    command(tool("cc", "gcc"), "-O1", "-g", "-pthread", "-o", "joined", write("joined.c", JOINED))
    program = Program(["./joined"])
    for _ in range(2):
        program.line()
    answer = answer_of("attach", "-p", program.pid, "-d", "1s")
    program.signal(signal.SIGKILL)
    assert "deadlock, 2 threads will wait for ever, 1 more for them; " in answer["verdict"][0], answer


NAPS = """
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static void *maintain(void *data)
{
\tfor (;;)
\t\tusleep(20000);
}
int main(void)
{
\tpthread_t thread;
\tint ends[2], others[2];
\tif (pipe(ends) || pipe(others))
\t\treturn 1;
\tstruct pollfd watched[] = {{.fd = ends[0], .events = POLLIN}, {.fd = others[0], .events = POLLIN}};
\tpthread_create(&thread, NULL, maintain, NULL);
\tputs("ready");
\tfflush(stdout);
\treturn poll(watched, 2, -1);
}
"""


def test_naps_of_a_background_thread_are_idle():
    command(tool("cc", "gcc"), "-O1", "-g", "-pthread", "-o", "naps", write("naps.c", NAPS))
    program = Program(["./naps"])
    program.line()
    answer = answer_of("attach", "-p", program.pid, "-d", "1s")
    program.signal(signal.SIGKILL)
    assert "asleep" not in answer["verdict"][0] and answer["idle_ns"] > 1.5e9, answer


def test_a_new_connection_has_its_address():
    """sprof reads the tables of sockets before the connection is made, and not again soon."""
    server = Program([tool("python3"), "-c",
                      "import socket\n"
                      "listener = socket.create_server(('127.0.0.1', 0))\n"
                      "print(listener.getsockname()[1], flush=True)\n"
                      "while True:\n"
                      "    client = listener.accept()[0]\n"
                      "    client.recv(1)\n"
                      "    client.send(b'x')\n"])
    port = int(server.line())
    watched = Program([SPROF, "attach", "-p", server.pid, "-d", "1s", "-r", 999, "-q", "-o", "answer.json"])
    while watched.alive():
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.send(b"x")
            client.recv(1)
    watched.finish().check(0)
    server.signal(signal.SIGKILL)
    # One that is closed right after the look has no address any more.
    named, nameless = (read("answer.json").count(words) for words in ("tcp 127.0.0.1:", "socket:["))
    assert named > nameless, read("answer.json")


def test_a_server_without_a_request_is_idle():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = Program([tool("python3"), "-m", "http.server", port, "--bind", "127.0.0.1"])

    def answers():
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", port)) == 0

    wait_until(answers, "the server answers")
    answer = answer_of("attach", "-p", program.pid, "-d", "1s")
    program.signal(signal.SIGKILL)
    assert [" is idle, waiting for something to do" in words for words in answer["verdict"]] == [True], answer


def test_an_unknown_wait_deep_in_a_program_is_not_idle():
    command(tool("cc", "gcc"), "-O1", "-g", "-fno-optimize-sibling-calls", "-o", "events", write("events.c", EVENTS))
    program = Program(["./events"])
    program.line()
    answer = answer_of("attach", "-p", program.pid, "-d", "1s")
    program.signal(signal.SIGKILL)
    assert "blocked" in answer["verdict"][0] and names(answer["functions"])[0] == "take_row_lock", answer


TAKES_TURNS = """
import threading, time
end = time.time() + 1
def crunch():
    while time.time() < end:
        sum(i * i for i in range(1000))
threads = [threading.Thread(target=crunch) for _ in range(2)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""


def functions_on(screen):
    """Name and share of each row, as they are printed."""
    rows = []
    for line in screen[screen.index("\nfunctions "):].splitlines()[1:]:
        row = re.match(r"(?:functions)? +(\d+\.\d) %  .{7} (.+?)(?:, in .*)?$", line)
        if not row:
            break
        rows.append((row[2].split("(")[0], row[1]))
    return rows


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def test_computing_comes_before_the_interpreters_lock():
    sprof("run", "-q", "-o", "x.json", "--", tool("python3"), write("turns.py", TAKES_TURNS)).check(0)
    [sentence] = json.loads(read("x.json"))["answer"]["verdict"][:1]
    assert 0 < sentence.find("computing") < sentence.find("crunch"), sentence
    assert sentence.find("crunch") < sentence.find("interpreter lock (GIL)"), sentence


def check_views(*program):
    """The screen, the report's first table, JSON and the page say the same of one run, and JSON of the saved one."""
    outputs = ("x.pb.gz", "x.summary.txt", "x.txt", "x.json", "x.html")
    sprof("run", "-q", "-r", 499, *(word for path in outputs for word in ("-o", path)), "--", *program).check(0)
    sprof("report", "x.pb.gz", "-o", "saved.json").check(0)
    answer, screen = json.loads(read("x.json"))["answer"], functions_on(read("x.summary.txt"))
    page = json.loads(re.search(r'id="data">(.*?)</script>', read("x.html"), re.DOTALL)[1])
    every = [(row["name"].split("(")[0], f"{row['percent']:.1f}") for row in answer["functions"]]
    assert screen and [row for row in every if row in screen] == screen, (screen, every)
    assert functions_on(read("x.txt")) == screen
    assert page["answer"] == answer["verdict"], (page["answer"], answer)
    shares = [tenths / 10 for tenths in page["own"][1::2]]
    assert shares and all(abs(share - row["percent"]) <= 0.11 for share, row in zip(shares, answer["functions"])), (shares, every)
    words = " ".join(read("x.summary.txt").split())
    assert all(" ".join(sentence.split("; ")[0].split()) in words for sentence in answer["verdict"]), (words, answer)
    saved = json.loads(read("saved.json"))["answer"]["functions"]
    assert sorted((row["name"], row["percent"]) for row in saved) == sorted((row["name"], row["percent"]) for row in answer["functions"]), (saved, answer)


def test_every_view_has_the_same_figures():
    command(tool("g++", "c++"), "-O2", "-g", "-o", "sorts", write("sorts.cc", SORTS))
    check_views("./sorts", 30)
    check_views(tool("sh"), "-c", "./sorts 10 & ./sorts 20; wait")
    check_views(tool("python3"), write("turns.py", TAKES_TURNS))


if __name__ == "__main__":
    main()
