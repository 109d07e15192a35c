#!/usr/bin/env python3
"""firefox: Mozilla's own profiler code, as a command line tool, has the model's figures per thread."""

import json
import os
import re
import tempfile
import time
from collections import Counter

import harness
import model
import pprof_file

CLI = os.path.join(harness.need_npm("@firefox-devtools/profiler-cli"), "dist/profiler-cli.js")


class Session:
    """A daemon that has loaded one file. Its folder holds a socket: the path must be short."""

    def __init__(self, path):
        self.folder = tempfile.TemporaryDirectory(prefix="pq")
        self.environment = {**os.environ, "PROFILER_CLI_SESSION_DIR": self.folder.name}
        try:
            self.ask("load", path)
        except AssertionError as error:
            if "did not become ready" not in str(error):
                raise
            self.wait()

    def wait(self):
        """The tool gives itself half a second to start, which may be too short; it goes on starting."""
        deadline = time.monotonic() + 60
        while True:
            try:
                self.ask("thread", "list", "--json")
                return
            except AssertionError:
                if time.monotonic() > deadline:
                    raise

    def ask(self, *words):
        return harness.run("node", CLI, *words, "--session", "t", env=self.environment)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        harness.run("node", CLI, "stop", "t", env=self.environment, check=False)
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
        threads = find(json.loads(session.ask("thread", "list", "--json")), "threads")
        for thread in threads:
            handle = thread.get("threadHandle") or thread.get("handle")
            text = session.ask("thread", "functions", "--thread", handle, "--include-idle", "--json")
            for row in find(json.loads(text), "functions"):
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
int main(void) { double start = now(); first(start + 0.5); usleep(400000); second(start + 1.4); return 0; }
"""


def functions(session, key="selfSamples"):
    rows = find(json.loads(session.ask("thread", "functions", "--thread", "t-0", "--include-idle", "--json")),
                "functions")
    return {row["name"].strip(): row[key] for row in rows if row[key]}


def check_trace(path):
    """Of trace events Mozilla's code makes markers: one for each call."""
    with open(path, encoding="utf-8") as file:
        calls = [event for event in json.load(file)["traceEvents"] if event["ph"] == "B"]
    with Session(path) as session:
        threads = find(json.loads(session.ask("thread", "list", "--json")), "threads")
        assert [thread["markerCount"] for thread in threads] == [len(calls)], (threads, len(calls))


def test_a_run_has_its_time():
    """Samples and waits are when they were: what is zoomed to is what the program did then."""
    with open("two.c", "w", encoding="ascii") as file:
        file.write(PROGRAM)
    harness.run(harness.need("gcc", "gcc"), "-g", "-O1", "-o", "two", "two.c")
    harness.sprof("run", "--rate", "500", "-o", "two.json.gz", "-o", "two.json", "-o", "two.trace.json",
                  "--", "./two")
    check_trace("two.trace.json")
    with open("two.json", encoding="utf-8") as file:
        truth = json.load(file)
    with Session("two.json.gz") as session:
        names = [function["name"] for function in truth["functions"]]
        want = Counter()
        for row in truth["flat"]:
            want[names[row["function"]]] += row["self"]["wall"] / 1e6
        harness.same(functions(session), want, 0.01, "the whole run")
        text = session.ask("thread", "markers", "--thread", "t-0")
        length = re.search(r"clock_nanosleep +1 markers .*avg=([\d.]+)ms", text)
        assert length and 380 < float(length[1]) < 420, text
        for zoom, inside, outside in (("0.1,0.4", "first", "second"), ("1.0,1.3", "second", "first"),
                                      ("0.55,0.85", "[clock_nanosleep]", "second")):
            session.ask("zoom", "push", zoom)
            found = functions(session, "totalSamples")
            assert found.get(inside, 0) > 150 and not found.get(outside), (zoom, found)
            session.ask("zoom", "pop")


if __name__ == "__main__":
    harness.main(globals())
