"""Pools whose threads sleep for long and work in bursts: each thread that has run is looked at in the next tick."""

import json
import math

from harness import Target, check_near, main, sprof

SIGMAS = 4


class Pool:
    """What a profile says of tests/targets/bursts."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.profile = json.load(file)
        self.names = [function["name"] for function in self.profile["functions"]]
        self.running = self.cpu = self.kept_waiting = self.unsampled = 0
        self.functions = {"burst_one": 0, "burst_two": 0}
        for row in self.profile["rows"]:
            self._add(row)

    def _frames(self, stack):
        frames = set()
        while stack:
            stack, location = self.profile["stacks"][stack]
            if location is not None:
                frames |= {self.names[place[0]] for place in self.profile["locations"][location]}
        return frames

    def _add(self, row):
        values = row["values"]
        cpu = values["user"] + values["sys"]
        frames = self._frames(row["stack"])
        if "spin" in frames:
            return
        self.cpu += cpu
        self.kept_waiting += values["runq"] + values["stolen"]
        self.unsampled += cpu if "[unsampled]" in frames else 0
        for function in self.functions:
            self.functions[function] += cpu if function in frames else 0
        if row["state"] in ("user", "sys"):
            self.running += values["samples"]


def check_pool(threads, work_us, sleep_ms, rate, busy=0):
    program = Target("bursts", threads, work_us, sleep_ms, busy)
    sprof("attach", "-p", program.pid, "-d", "4s", "-r", rate, "-o", "x.json", "--stats",
          "s.json").check(0)
    program.finish().check(0)
    with open("s.json", encoding="utf-8") as file:
        stats = json.load(file)
    pool = Pool("x.json")
    # A thread that is ready and has no CPU may be seen as running, or have lost its sample.
    ticks_per_ns = stats["ticks"] / stats["duration_ns"]
    samples = pool.cpu * ticks_per_ns
    expected = samples + pool.kept_waiting * ticks_per_ns
    missed = stats["ticks_missed"] / (stats["ticks"] + stats["ticks_missed"])
    error = SIGMAS * math.sqrt(expected) + missed * expected
    print(f"{threads} threads, {work_us} us after {sleep_ms} ms, {rate} Hz, {busy} busy: {pool.running} running "
          f"samples, {expected:.0f} expected; {100 * pool.unsampled / pool.cpu:.1f} % [unsampled]; "
          f"{100 * stats['profiler_cpu_ns'] / stats['duration_ns']:.1f} % of a CPU")
    assert samples - error - stats["samples_lost"] <= pool.running <= expected + error, (
        f"{pool.running} running samples, {samples:.0f} to {expected:.0f} expected, +- {error:.0f}")
    # Functions have the time of threads without a sample, too (profile/edit/estimate.c).
    assert pool.unsampled <= 0.01 * pool.cpu, f"{pool.unsampled} of {pool.cpu}"
    share = pool.functions["burst_one"] / sum(pool.functions.values())
    check_near(share, 0.5, SIGMAS * 0.5 / math.sqrt(samples) + 0.01, "the share of burst_one")


def test_few_long_bursts():
    check_pool(64, 10000, 1000, 99)


def test_many_short_bursts():
    check_pool(500, 5000, 10000, 99)


def test_very_many_very_short_bursts():
    check_pool(1000, 2000, 10000, 99)


def test_bursts_beside_a_busy_thread():
    check_pool(200, 5000, 2000, 99, busy=1)


if __name__ == "__main__":
    main()
