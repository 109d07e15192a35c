"""How long calls take, and how often functions are called that can't be watched all the time."""

import json

from harness import check_near, main
from rounds import measured, median
from test_calls import check_sums, rows, watch_often

NAP_NS = 20e6


def test_times():
    """Sleeps have a length that is known. A machine that stands still may make a stop seem too long."""
    tables = measured(lambda: rows("naps,snooze", "naps"), lambda table: table["snooze"]["min_ns"] >= NAP_NS, rounds=3)
    assert all(table["snooze"]["calls"] == 3 for table in tables), tables
    assert median([table["snooze"]["min_ns"] for table in tables]) >= NAP_NS, tables
    assert median([table["snooze"]["total_ns"] for table in tables]) >= 3 * NAP_NS, tables
    assert all(table["naps"]["total_ns"] >= table["snooze"]["total_ns"] for table in tables), tables
    assert median([table["naps"]["self_ns"] for table in tables]) < NAP_NS, tables
    for table in tables:
        check_near(table["snooze"]["avg_ns"], table["snooze"]["total_ns"] / 3, 1, "the mean")


def test_what_costs_too_much_is_estimated():
    """Some 4 s of turns of which stops take a part that is above the limit."""
    turns = 6000
    table = json.loads(watch_often(turns, 1_000_000, "--json", "--overhead", "5"))
    windows, calls = table["windows"], {row["function"]: row["calls"] for row in table["functions"]}
    assert windows["since_ns"] >= 0.9e9 and windows["count"] > 20 and 0 < windows["error"] < 0.5, table
    check_near(windows["since_ns"] + windows["length_ns"], table["duration_ns"], 1e6, "both end with the run")
    assert 0 < windows["watched_ns"] < 0.5 * windows["length_ns"], windows
    check_near(calls["once"] / (calls["once"] + calls["twice"]), 1 / 3, 0.05, "the share of a function")
    # As far as is told: too low by what a stop costs beyond its shortest time, and the standard error.
    check_near(sum(calls.values()), 3 * turns, (0.34 + 3 * windows["error"]) * 3 * turns, "calls")
    for row in table["functions"]:
        check_sums(row)


if __name__ == "__main__":
    main()
