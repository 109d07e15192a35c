"""Rates of allocations, by windows in which they are watched; the program itself says how often it allocates."""

import re

from harness import check_near, main, read_folded, require, sprof, target


def test_rates():
    """In windows; the program itself says how often it allocates."""
    tool_of = sprof("--version").text()
    require("libZydis" in tool_of, "this build has no breakpoints")
    result = sprof("heap", "--rate", "-o", "rates.folded", "--", target("steady")).check(7)
    turns, folded = float(result.text()), read_folded("rates.folded")
    much, little = (sum(value for stack, value in folded.stacks if name in stack) for name in ("take_much", "take_little"))
    assert "standard error" in result.err and "stops took at most" in result.err, result.err
    # Some 60 windows, each of 2 ms of the program's own time. The machine has other work, too, and not always the same.
    check_near(much + little, 4000 * turns, 2000 * turns, "bytes a second")
    check_near(much / (much + little), 0.75, 0.12, "the share of what is large")


def test_the_overhead_is_in_percent():
    """What is the default gives as many windows if it is asked for."""
    require("libZydis" in sprof("--version").text(), "this build has no breakpoints")
    said = sprof("heap", "--rate", "--overhead", "5", "-o", "rates.folded", "--", target("steady")).check(7).err
    assert int(re.search(r"an estimate from (\d+) windows", said)[1]) > 20, said


if __name__ == "__main__":
    main()
