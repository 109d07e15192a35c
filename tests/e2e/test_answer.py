"""The answer in the user's own words: the program's functions, what is idle and what is a lock."""

import json
import signal
import socket

from harness import Program, main, sprof, tool, wait_until
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
    assert [row["kind"] for row in answer["waits"] if row["name"] == "one"][:2] == ["lock", "lock"], answer
    assert "blocked" in answer["verdict"][0], answer


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
    assert not [words for words in answer["verdict"] if "blocked" in words], answer


def test_an_unknown_wait_deep_in_a_program_is_not_idle():
    command(tool("cc", "gcc"), "-O1", "-g", "-fno-optimize-sibling-calls", "-o", "events", write("events.c", EVENTS))
    program = Program(["./events"])
    program.line()
    answer = answer_of("attach", "-p", program.pid, "-d", "1s")
    program.signal(signal.SIGKILL)
    assert "blocked" in answer["verdict"][0] and names(answer["functions"])[0] == "take_row_lock", answer


if __name__ == "__main__":
    main()
