#!/usr/bin/env python3
"""firefox: Mozilla's own profiler code, as a command line tool, has the model's figures per thread."""

import json
import os
import tempfile
from collections import Counter

import harness
import model
import pprof_file

CLI = os.path.join(harness.need_npm("@firefox-devtools/profiler-cli"), "dist/profiler-cli.js")


class Session:
    """A daemon that has loaded one file. Its folder holds a socket: the path must be short."""

    def __init__(self, path):
        self.folder = tempfile.mkdtemp(prefix="pq")
        self.environment = {**os.environ, "PROFILER_CLI_SESSION_DIR": self.folder}
        for attempt in range(5):  # the tool waits half a second for itself, which may be too short
            try:
                self.ask("load", path)
                return
            except AssertionError:
                self.stop()
                if attempt == 4:
                    raise

    def ask(self, *words):
        return harness.run("node", CLI, *words, "--session", "t", env=self.environment)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        harness.run("node", CLI, "stop", "t", env=self.environment, check=False)


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


def test_plain_file():
    check(model.make_random(1), "out.firefox.json")
    with open("out.firefox.json", "rb") as file:
        assert file.read(1) == b"{"


def test_random():
    for seed in harness.RANDOM_SEEDS:
        check(model.make_random(seed), weight=("wall", "samples")[seed % 2])


if __name__ == "__main__":
    harness.main(globals())
