"""sprof diff --fail-if: several runs of a program on each side, an exit code, and what is refused."""

import re
import shutil
import xml.etree.ElementTree

from harness import check_error, main, sprof, target

SHORT, LONG = 16, 64  # rounds: equal work each
RUNS = 5


def record(path, rounds=SHORT, *options):
    sprof("run", "-q", "-r", 999, *options, "-o", path, "--", target("spin-two"), rounds).check(0)


def record_sides(after=SHORT):
    """The files before and after, recorded in turns."""
    sides = [f"before-{i}.pb.gz" for i in range(RUNS)], [f"after-{i}.pb.gz" for i in range(RUNS)]
    for before, new in zip(*sides):
        record(before)
        record(new, after)
    return sides


def gate(conditions, before, after, *options):
    words = [word for condition in conditions for word in ("--fail-if", condition)]
    return sprof("diff", *words, *options, *before, "--", *after)


def user_ms(path, function):
    """The user time of stacks with a function, as another format has it."""
    text = sprof("report", path, "--weight", "user", "-f", "folded", "-o", "-").check(0).text()
    rows = [line.rpartition(" ") for line in text.splitlines()]
    return sum(int(row[2]) for row in rows if function in row[0].split(";")) / 1000


def row_of(text, condition):
    return next(line.split() for line in text.splitlines() if condition in line)


def test_a_slower_program_fails():
    """Four times the work: each run after is beyond each run before, on whatever machine."""
    before, after = record_sides(LONG)
    slow = gate(["user(spin_three) > +20%", "user(spin_one) > +2000%", "user > 10ms"], before, after,
                "--junit", "gate.xml", "--markdown", "gate.md")
    text = slow.check(1).text()
    assert "spin-two: 5 runs before, 5 after: 2 of 3 comparisons failed" in text, text
    assert row_of(text, "user(spin_three)")[0] == "FAIL" and row_of(text, "user(spin_one)")[0] == "ok", text
    check_means(row_of(text, "user(spin_three)"), before, after)
    check_junit()
    check_markdown()
    assert "command lines of" in text, text  # the work of the two sides isn't the same
    assert gate(["user(spin_three) > +20%"], after, before).check(0).text().count("ok ") == 1


def check_means(row, before, after):
    """The table's means are those of the folded stacks."""
    for paths, column in ((before, 1), (after, 3)):
        mean = sum(user_ms(path, "spin_three") for path in paths) / RUNS
        shown = float(row[column]) * {"us": 0.001, "ms": 1, "s": 1000}[row[column + 1]]
        assert abs(shown - mean) <= 0.01 * mean, f"{row}: {mean} ms"


def check_junit():
    suite = xml.etree.ElementTree.parse("gate.xml").getroot().find("testsuite")
    assert (suite.get("tests"), suite.get("failures")) == ("3", "2"), suite.attrib
    tests = {test.get("name"): test for test in suite.iter("testcase")}
    assert list(tests) == ["user(spin_three) > +20%", "user(spin_one) > +2000%", "user > 10ms"], list(tests)
    assert {name for name in tests if tests[name].find("failure") is not None} == {
        "user(spin_three) > +20%", "user > 10ms"}
    assert {test.get("classname") for test in tests.values()} == {"spin-two"}


def check_markdown():
    with open("gate.md", encoding="utf-8") as file:
        lines = [line for line in file if line.startswith("|")]
    assert len(lines) == 2 + 3 and {line.count("|") for line in lines} == {9}, lines
    assert lines[2].startswith("| **FAIL** | `user(spin_three) > +20%` | `spin_three` |"), lines[2]


def test_equal_programs_pass():
    before, after = record_sides()
    text = gate(["user(spin_*) > +1000%", "self-user(spin_three) > +10s"], before, after).check(0).text()
    assert "0 of 4 comparisons failed" in text, text
    assert re.findall(r"spin_\w+$", text, re.MULTILINE)[:3] == ["spin_one", "spin_round", "spin_three"], text
    assert "recorded before those of the other" not in text, text
    again = gate(["user(spin_*) > +1000%", "self-user(spin_three) > +10s"], before, after).check(0).text()
    assert again == text


def test_what_differs_is_refused():
    for name, options in (("a", ()), ("b", ()), ("rate", ("-r", 99)), ("mode", ("--mode", "cpu"))):
        record(f"{name}.pb.gz", SHORT, *options)
    sprof("run", "-q", "-r", 999, "-o", "other.pb.gz", "--", target("often"), 1000, 10000).check(7)
    shutil.copy("a.pb.gz", "copy.pb.gz")
    for name, why in (("rate", "999 Hz and 99 Hz"), ("mode", "wall and cpu"), ("copy", "the same recording")):
        result = gate(["user > 5%"], ["a.pb.gz"], [f"{name}.pb.gz"])
        check_error(result, 2, "a.pb.gz", f"{name}.pb.gz", why)
    result = gate(["user > 5%"], ["a.pb.gz", "other.pb.gz"], ["b.pb.gz"])
    check_error(result, 2, "a.pb.gz", "other.pb.gz", "spin-two and often")
    check_error(gate(["user > 5%"], ["a.pb.gz"], ["b.pb.gz"]), 2, "1 run before and 1 after", "at least 5 runs")
    check_error(gate(["user > 5%"], ["a.pb.gz"], ["absent.pb.gz"]), 2, "absent.pb.gz")


def test_what_can_not_be_told():
    before, after = record_sides()
    check_error(gate(["user(no_such) > 5%"], before, after), 2, "no_such", "no run has such a function")
    check_error(gate([f"user > {i}%" for i in range(13)], before, after), 2, "13 comparisons", "at least 6 runs")
    gate([f"user > {1000 + i}%" for i in range(13)], before, after, "--level", "10").check(0)


def test_usage():
    record("a.pb.gz")
    both = ["a.pb.gz"], ["a.pb.gz"]
    check_error(gate(["wall(f)"], *both), 64, r"--fail-if wall\(f\)", "for example")
    check_error(gate(["wall > 5%"], [], ["a.pb.gz"]), 64, "runs before")
    check_error(gate(["wall > 5%"], ["a.pb.gz"], []), 64, "runs after")
    check_error(gate(["wall > 5%"], ["a.pb.gz"], ["a.pb.gz", "--", "a.pb.gz"]), 64, "more than one --")
    check_error(sprof("diff", "--fail-if", "wall > 5%", "a.pb.gz", "a.pb.gz"), 64, "--,")
    check_error(gate(["wall > 5%"], ["a.pb.gz"], ["a.pb.gz", "--junit"]), 64, "precede the --")
    check_error(gate(["wall > 5%"], *both, "-o", "x.html"), 64, "prints another table")
    check_error(gate(["wall > 5%"], *both, "--level", "51"), 64, "--level 51")
    check_error(sprof("diff", "--junit", "x.xml", "a.pb.gz", "a.pb.gz"), 64, "--fail-if")
    check_error(gate(["wall > 5%"], *both, "--junit", "no/such/x.xml"), 2, "no/such/x.xml")
    for words in (("--", "a.pb.gz", "a.pb.gz"), ("a.pb.gz", "a.pb.gz")):
        assert "in all, by wall" in sprof("diff", *words).check(0).text()


if __name__ == "__main__":
    main()
