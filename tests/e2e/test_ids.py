"""Ids that the kernel gives out again, between two ticks: each life is its own process or thread."""

import collections
import json
import os

from harness import SPROF, Target, main, require

PROGRAM = os.path.join("..", "behaviours", "behaviours")
LIVES = 30


def profile_of(name):
    """The profile of one of the behaviours, and its figures."""
    program = Target(PROGRAM, name, before=[SPROF, "run", "-q", "-r", "999", "-o", "x.json",
                                            "--stats", "stats.json", "--"])
    program.say("go\n")
    said = program.finish().check(0).text()
    require("not permitted" not in said, "the kernel gives no id on request here")
    assert said.startswith(f"{LIVES} right"), said
    return read_json("x.json"), read_json("stats.json")


def read_json(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def lives_of(items, key):
    """Those that had the id that was asked for. Where another program has it for a while, the next one may have more."""
    counts = collections.Counter(item[key] for item in items)
    numbers = [number for number, count in counts.items() if count == LIVES + 1]
    assert numbers, counts
    return [item for item in items if item[key] == numbers[0]]


def test_a_pid_that_comes_again():
    profile, stats = profile_of("pids-again")
    lives = lives_of(profile["processes"], "pid")
    assert stats["processes_seen"] >= LIVES + 2, stats
    names = {process["name"] for process in lives}
    assert any(".live" in name for name in names) and any("pids-again" in name for name in names), names


def test_a_tid_that_comes_again():
    profile, stats = profile_of("tids-again")
    lives_of(profile["threads"], "tid")
    assert stats["threads_seen"] >= LIVES + 2 and stats["processes_seen"] == 1, stats


if __name__ == "__main__":
    main()
