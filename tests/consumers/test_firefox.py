#!/usr/bin/env python3
"""firefox: Mozilla's own profiler code, as a command line tool, has the model's figures per thread."""

import json
import os
import socket
import subprocess
import tempfile
import time
from collections import Counter

import harness
import model
import pprof_file

CLI = os.path.join(harness.need_npm("@firefox-devtools/profiler-cli"), "dist/profiler-cli.js")
LIMIT = 60


class Session:
    """
    The tool's daemon with one file loaded, asked over its socket as the tool's commands ask it: each of these
    would start Node.js once more. The folder holds the socket: its path must be short.
    """

    def __init__(self, path):
        self.folder = tempfile.TemporaryDirectory(prefix="pq")
        environment = {**os.environ, "PROFILER_CLI_SESSION_DIR": self.folder.name}
        self.daemon = subprocess.Popen(["node", CLI, "--daemon", os.path.abspath(path), "--session", "t"],
                                       env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + LIMIT
        while (state := self.status()) != "ready":
            assert state != "error" and self.daemon.poll() is None and time.monotonic() < deadline, (path, state)
            time.sleep(0.02)

    def status(self):
        try:
            return self.send({"type": "status"})["type"]
        except (FileNotFoundError, ConnectionError):
            return "starting"

    def send(self, message):
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(LIMIT)
            client.connect(os.path.join(self.folder.name, "t.sock"))
            client.sendall(json.dumps(message).encode() + b"\n")
            with client.makefile(encoding="utf-8") as answer:
                return json.loads(answer.readline())

    def ask(self, command, subcommand, **options):
        answer = self.send({"type": "command",
                            "command": {"command": command, "subcommand": subcommand, **options}})
        assert answer["type"] == "success", answer
        return answer["result"]

    def threads(self):
        return find(self.ask("thread", "list", threadListOptions={}), "threads")

    def functions(self, handle):
        return find(self.ask("thread", "functions", thread=handle, includeIdle=True), "functions")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        self.daemon.kill()
        self.daemon.wait()
        self.folder.cleanup()


def find(value, key):
    """The first value of that key, wherever it is."""
    if isinstance(value, dict):
        if key in value:
            return value[key]
        value = list(value.values())
    for item in value if isinstance(value, list) else ():
        found = find(item, key)
        if found is not None:
            return found
    return None


def check(profile, name="out.json.gz", weight="wall"):
    pprof_file.write("in.pb.gz", profile)
    harness.sprof("report", "in.pb.gz", "-o", name, "--weight", weight)
    own, total = Counter(), Counter()
    with Session(name) as session:
        threads = session.threads()
        for thread in threads:
            for row in session.functions(thread.get("threadHandle") or thread.get("handle")):
                own[row["name"].strip()] += row["selfSamples"]
                total[row["name"].strip()] += row["totalSamples"]
    scale = 1 if weight == "samples" else 10 ** 6
    whole = profile.whole(weight)
    for got, want in zip((own, total), profile.tables(weight)):
        got = {key: value * scale for key, value in got.items()}
        want = {key.strip(): value for key, value in want.items()}
        harness.same(got, want, 0 if weight == "samples" else max(1e-12 * whole, 0.5), weight)
    return threads


def test_canonical():
    threads = check(model.canonical())
    assert len(threads) == 5, threads


def test_worked_example():
    check(model.worked())


def test_plain_file():
    check(model.make_random(1), "out.firefox.json")
    with open("out.firefox.json", "rb") as file:
        assert file.read(1) == b"{"


def test_random():
    for seed in harness.RANDOM_SEEDS:
        check(model.make_random(seed), weight=("wall", "samples")[seed % 2])


PROGRAM = """
#include <time.h>
#include <unistd.h>
volatile long x;
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec / 1e9; }
__attribute__((noinline)) void first(double end) { while (now() < end) x++; }
__attribute__((noinline)) void second(double end) { while (now() < end) x--; }
int main(void) { double start = now(); first(start + 0.5); usleep(400000); second(now() + 0.5); return 0; }
"""


def functions(session, key="selfSamples"):
    return {row["name"].strip(): row[key] for row in session.functions("t-0") if row[key]}


def check_trace(path):
    """Of trace events Mozilla's code makes markers: one for each call. Returns the events."""
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    calls = [event for event in events if event["ph"] == "B"]
    with Session(path) as session:
        threads = session.threads()
        assert [thread["markerCount"] for thread in threads] == [len(calls)], (threads, len(calls))
    return events


def middle_of(events, name):
    """The middle third of the time in a function, in seconds."""
    times = [event["ts"] / 1e6 for event in events if event["ph"] in "BE" and event.get("name") == name]
    begin, end = min(times), max(times)
    return begin + (end - begin) / 3, end - (end - begin) / 3


def test_a_run_has_its_time():
    """Samples and waits are when they were: what is zoomed to is what the program did then."""
    with open("two.c", "w", encoding="ascii") as file:
        file.write(PROGRAM)
    harness.run(harness.need("gcc", "gcc"), "-g", "-O1", "-o", "two", "two.c")
    harness.sprof("run", "--rate", "500", "-o", "two.json.gz", "-o", "two.json", "-o", "two.trace.json",
                  "--", "./two")
    events = check_trace("two.trace.json")
    with open("two.json", encoding="utf-8") as file:
        truth = json.load(file)
    with Session("two.json.gz") as session:
        names = [function["name"] for function in truth["functions"]]
        want = Counter()
        for row in truth["flat"]:
            want[names[row["function"]]] += row["self"]["wall"] / 1e6
        harness.same(functions(session), want, 0.01, "the whole run")
        marker, = find(session.ask("thread", "markers", thread="t-0"), "byType")
        assert (marker["markerName"], marker["count"]) == ("clock_nanosleep", 1), marker
        assert marker["durationStats"]["avg"] > 200, marker
        for inside, outside in (("first", "second"), ("second", "first"), ("[clock_nanosleep]", "second")):
            zoom = "{:.3f},{:.3f}".format(*middle_of(events, inside))
            session.ask("zoom", "push", range=zoom)
            found = functions(session, "totalSamples")
            assert found.get(inside, 0) > 0 and not found.get(outside), (zoom, found)
            session.ask("zoom", "pop")


if __name__ == "__main__":
    harness.main(globals())
