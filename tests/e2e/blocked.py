"""What the target `blocked` says of itself, and what a profile of it says."""

import json
import re

from harness import SOURCE, Folded, read_profile, sprof, target
from report import read_report

# Names of threads may have blanks and brackets: "Thread-1 (count)".
HELD = re.compile(r"held by (.+) \((\d+)\)(?: in (\S+))?")
THREAD = re.compile(r"(.*)-(\d+)/(\d+)")


class Profile:
    """A profile of `blocked KIND SECONDS`, and its truth."""

    def __init__(self, kind, seconds, *options, **how):
        result = sprof("run", "-t", "--wait-frames", "-o", "x.folded", "-o", "x.txt", "-o",
                       "exact.json", "--report-mode", "both", "--top", "500", "--stats", "x.json", *SOURCE, *options, "--",
                       target("blocked"), kind, seconds, **how)
        self.truth = self._read_truth(result.check(0).text())
        self.folded, self.stats = read_profile()
        self.report = read_report("x.txt")
        with open("exact.json", encoding="utf-8") as file:
            self.exact = json.load(file)
        for role in self.roles():  # to the nanosecond
            parts = self.ns_of(role, "user", "sys", "runq", "sleep", "disk", "stopped", "stolen")
            assert parts == self.ns_of(role, "wall"), role

    @staticmethod
    def _read_truth(text):
        """One line of each process, without that which says that it is ready."""
        truth = {"user_us": 0, "sys_us": 0}
        for line in text.splitlines():
            if not line.startswith("ready"):
                said = json.loads(line)
                used = {name: truth[name] + said[name] for name in ("user_us", "sys_us")}
                truth = {**truth, **said, **used}
        return truth

    def roles(self):
        """The threads of which the truth is known."""
        return [name for name in self.truth if isinstance(self.truth[name], dict)]

    def true_shares(self, role):
        parts = {name: ns for name, ns in self.truth[role].items()
                 if name not in ("tid", "cpu_ns", "unheld_ns")}
        assert sum(parts.values()), f"{role} did nothing"
        return {name: ns / sum(parts.values()) for name, ns in parts.items()}

    def unheld_share(self, role, function):
        """Of the time in a function that waits for a lock: how much nobody had it, between two owners."""
        return self.truth[role]["unheld_ns"] / self.truth[role][function]

    def of(self, role):
        """The stacks of a thread."""
        part = Folded("")
        part.stacks = [(frames, weight) for frames, weight in self.folded.stacks
                       if THREAD.fullmatch(frames[0]).group(3) == str(self.truth[role]["tid"])]
        part.total = sum(weight for _, weight in part.stacks)
        return part

    def row(self, role):
        return next(row for row in self.report.threads if row["tid"] == self.truth[role]["tid"])

    def holders(self, role, function, lock):
        """Of the time that a thread waited for a lock in a function: who had it, and where."""
        holders, total = {}, 0
        for frames, weight in self.of(role).stacks:
            if function not in frames or not any(re.fullmatch(lock, frame) for frame in frames):
                continue
            total += weight
            match = HELD.fullmatch(frames[-1])
            key = match.groups() if match else None
            holders[key] = holders.get(key, 0) + weight
        assert total, f"{role} never waited for {lock} in {function}: {self.of(role).stacks}"
        return {key: weight / total for key, weight in holders.items()}

    def rows(self, role):
        """Its rows to the nanosecond: the functions on the stack, and what they are about."""
        tid = self.truth[role]["tid"]
        threads = {i for i, row in enumerate(self.exact["threads"]) if row["tid"] == tid}
        return [(self._functions(row["stack"]), row) for row in self.exact["rows"]
                if row["thread"] in threads]

    def _functions(self, stack):
        names = set()
        while stack:
            stack, location = self.exact["stacks"][stack]
            names |= {self.exact["functions"][line[0]]["name"]
                      for line in self.exact["locations"][location]}
        return names

    def ns_of(self, role, *classes):
        return sum(row["values"][name] for _, row in self.rows(role) for name in classes)

    def blocked_samples(self, role, function, is_right):
        """How many samples found a role blocked in a function, and how many of them are right."""
        rows = [row for names, row in self.rows(role)
                if function in names and row["state"] in ("sleep", "disk")]
        right = [row["values"]["samples"] for row in rows if is_right(row)]
        return sum(right), sum(row["values"]["samples"] for row in rows)
