"""What threads without a sample have run is shared out by the samples of threads like them; sums stay the kernel's."""

import json

from harness import Target, check_near, main, share_tolerance, sprof

THREADS, WORK_US, SLEEP_MS = 200, 3000, 2000
RUNNING = ("user", "sys", "runq")
BURSTS = ("burst_one", "burst_two")


class Profile:
    """A profile in JSON: the time of each thread and class, and of functions."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.profile = json.load(file)
        self.names = [function["name"] for function in self.profile["functions"]]
        self.rows = [(row, self._frames(row["stack"])) for row in self.profile["rows"]]

    def _frames(self, stack):
        frames = set()
        while stack:
            stack, location = self.profile["stacks"][stack]
            if location is not None:
                frames |= {self.names[place[0]] for place in self.profile["locations"][location]}
        return frames

    def threads(self):
        """By thread: the time of each class."""
        sums = {}
        for row, _ in self.rows:
            times = sums.setdefault(self.profile["threads"][row["thread"]]["tid"], {})
            for name, value in row["values"].items():
                times[name] = times.get(name, 0) + value
        return sums

    def running(self, function=None):
        return sum(row["values"][name] for row, frames in self.rows for name in RUNNING
                   if not function or function in frames)

    def estimated(self):
        return sum(row["values"][name] for row, _ in self.rows for name in RUNNING if row.get("estimate"))

    def seen(self):
        """In how many threads each burst has samples: those of one burst are not independent."""
        return sum(1 for row, frames in self.rows
                   if frames & set(BURSTS) and row["state"] == "user" and row["values"]["samples"])


def test_a_pool_of_short_bursts():
    program = Target("bursts", THREADS, WORK_US, SLEEP_MS)
    sprof("attach", "-p", program.pid, "-d", "4s", "-o", "x.json", "-o", "x.pb.gz", "-o", "x.txt", "--stats",
          "s.json").check(0)
    program.finish().check(0)
    sprof("report", "x.pb.gz", "-t", "-o", "own.json").check(0)
    sprof("report", "x.pb.gz", "-o", "again.json").check(0)
    all_threads, own, again = Profile("x.json"), Profile("own.json"), Profile("again.json")
    with open("s.json", encoding="utf-8") as file:
        stats = json.load(file)
    with open("x.txt", encoding="utf-8") as file:
        report = file.read()
    running, left = all_threads.running(), all_threads.running("[unsampled]")
    print(f"{running} ns of running time, {stats['estimated_ns']} by other threads, {left} [unsampled]")
    assert stats["running_ns"] == running and stats["estimated_ns"] == all_threads.estimated() > 0
    assert left <= 0.01 * running
    assert "  estimate  " in report, report[:2000]
    # Each thread has the same time, whether or not other threads say what it did.
    assert all_threads.threads() == own.threads() == again.threads()
    assert own.estimated() == 0 and own.running("[unsampled]") == left + all_threads.estimated()
    assert again.estimated() == all_threads.estimated()
    one, two = (all_threads.running(name) for name in BURSTS)
    seen = all_threads.seen()
    # A thread's own time is that of all its bursts: half of it is an estimate more.
    check_near(one / (one + two), 0.5, share_tolerance(0.5, seen / 2), f"the share of burst_one, seen in {seen} threads")


def test_one_thread_alone():
    """Nobody else says what it did: with --thread, its time is [unsampled]."""
    program = Target("bursts", THREADS, WORK_US, SLEEP_MS)
    sprof("attach", "-p", program.pid, "-d", "2s", "-o", "x.json", "-o", "x.pb.gz").check(0)
    program.finish().check(0)
    whole = Profile("x.json")
    row = next(row for row, _ in whole.rows if row.get("estimate"))
    thread = whole.profile["threads"][row["thread"]]
    sprof("report", "x.pb.gz", "--thread", thread["tid"], "-o", "part.json").check(0)
    part = Profile("part.json")
    assert part.threads() == {thread["tid"]: whole.threads()[thread["tid"]]}
    assert part.estimated() == 0 and part.running("[unsampled]") > 0


if __name__ == "__main__":
    main()
