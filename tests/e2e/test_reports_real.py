"""Each option of `sprof report` on recordings of python3, git and gcc: what must hold of any profile holds."""

import json
import os
import re
from collections import Counter

from harness import main, run, sprof, tool
from subjects import command, write

SCRIPT = """
import json, re
def parse(n): return json.loads(json.dumps([{str(i): [i, "x" * i]} for i in range(n)]))
def match(n): return [re.match("(a+)+b", "a" * (i % 12)) for i in range(n)]
def rounds(n):
    if n: parse(150); match(200); rounds(n - 1)
for i in range(12): rounds(9)
"""
# One function of many terms each, for cc1 to optimize.
C_SOURCE = "".join(f"int f{i}(int a, int b) {{ int r = {i}; for (int i = 0; i < a; i++) r = r * b + i % (b | {i + 1}); "
                   f"switch (r % 7) {{ case 0: return r; case {i % 6 + 1}: return b; default: return a * r; }} }}\n"
                   for i in range(400))
KEYS = ("samples", "wall", "user", "sys", "runq", "wait", "stolen")


def record_python():
    return [tool("/usr/bin/python3"), "-c", SCRIPT]


def record_git():
    git = [tool("git"), "-C", "repository", "-c", "user.name=t", "-c", "user.email=t@example.org"]
    os.mkdir("repository")
    run(*git, "init", "-q").check(0)
    for i in range(150):
        write(f"repository/{i}.txt", "".join(f"{j * i % 97} line {j}\n" for j in range(9000)))
    run(*git, "add", ".").check(0)
    run(*git, "commit", "-q", "-m", "first").check(0)
    for i in range(150):
        write(f"repository/{i}.txt", "".join(f"{j * i % 89} line {j}\n" for j in range(9000)))
    return [*git, "diff", "--stat", "--patience"]


def record_gcc():
    return [tool("gcc"), "-O2", "-c", write("terms.c", C_SOURCE), "-o", "terms.o"]


def report(*options):
    return sprof("report", "x.pb.gz", "--no-pager", *options).check(0).text()


def as_json(*options):
    return json.loads(report("-f", "json", *options))


def whole_of(profile):
    return sum((Counter(row["self"]) for row in profile["flat"]), Counter())


def own(profile, name):
    return Counter({key: value for row in profile["flat"] if profile["functions"][row["function"]]["name"] == name
                    for key, value in row["self"].items()})


def hottest(profile):
    """The function of a file with most self time, and its path."""
    row = max((row for row in profile["flat"] if "[" not in row.get("dso", "[")), key=lambda row: row["self"]["wall"])
    function = profile["functions"][row["function"]]
    return function["name"], row.get("dso")


def check_split(profile):
    """Every row's time is split completely, and no function has more itself than in all."""
    for row in profile["flat"]:
        for part in (row["self"], row["total"]):
            assert part["wall"] == sum(part[key] for key in ("user", "sys", "runq", "wait", "stolen")), row
        assert all(row["self"][key] <= row["total"][key] for key in KEYS), row


def check_groups(whole):
    for label in ("dso", "file", "srcline", "comm", "process", "thread", "pid", "state", "cpu", "address"):
        groups = as_json("--by", label)["by"]["groups"]
        for key in KEYS:
            assert sum(group["values"][key] for group in groups) == whole[key], (label, key)
        text = report("--by", label)
        title = "thread" if label == "comm" else label
        assert re.search(rf"^by {title}\b", text, re.MULTILINE), (label, text[:500])
    parents = as_json("--parent", ".")["by"]["groups"]
    assert sum(group["values"]["wall"] for group in parents) == whole["wall"]


def check_sorting():
    """Figures fall, texts rise; equal rows may have any order."""
    for column in ("self", "total", "samples", "self-user", "self-sys", "self-wait", "dso"):
        rows = as_json("--sort", column)["flat"]
        parts = {"self": ("self", "wall"), "total": ("total", "wall"), "samples": ("total", "samples")}
        part, key = parts.get(column, ("self", column.removeprefix("self-")))
        if column == "dso":
            values = [row.get("dso") or "" for row in rows]
            assert values == sorted(values) or "" in values, column
        else:
            values = [row[part][key] for row in rows]
            assert values == sorted(values, reverse=True), column
        text = report("--columns", f"{column},self", "--sort", column)
        assert text.partition("flat profile")[2].splitlines()[1].split()[:1] == [column], text[:400]


def check_filters(whole, function, dso):
    pattern = f"^{re.escape(function)}$"
    for takes, leaves, word in (("--focus", "--ignore", pattern), ("--focus-dso", "--ignore-dso", re.escape(dso))):
        taken, left = whole_of(as_json(takes, word)), whole_of(as_json(leaves, word)) if takes != "--focus-dso" else None
        assert taken["wall"] > 0
        if left is not None:
            assert taken + left == whole, (takes, word)
    assert whole_of(as_json("--hide-dso", re.escape(dso))) == whole
    assert whole_of(as_json("--hide", pattern)) == whole and not +own(as_json("--hide", pattern), function)
    assert whole_of(as_json("--charge-callers")) == whole
    states = [whole_of(as_json("--state", state)) for state in ("user,sys", "wait") if report_has(state)]
    assert sum((Counter(state) for state in states), Counter())["samples"] == whole["samples"]


def report_has(state):
    return sprof("report", "x.pb.gz", "-f", "json", "--state", state).code == 0


def check_neighbours(profile, function):
    """The parts of callers and callees add up, and the trees begin with them."""
    pattern = f"^{re.escape(function)}$"
    names = [item["name"] for item in profile["functions"]]
    for side, rest in (("callers", "root"), ("callees", "self")):
        for found in as_json(f"--{side}", pattern, "--min", "0")[side]:
            parts = found[side]
            assert sum(part["total"] for part in parts) + found[rest] == found["total"], (side, found["function"])
            direct = sum(line["total"] for line in found["tree"] if line["depth"] == 1)
            assert direct == sum(part["total"] for part in parts), side
        assert re.search(re.escape(function), report(f"--{side}", pattern)), names


def shares(text):
    """Of the flat profile: (self%, total%) of each row."""
    lines = text.partition("flat profile")[2].partition("\n\n")[0].splitlines()[2:]
    return [tuple(map(float, line.split()[:2])) for line in lines if not line.startswith("(")]


def check_texts(function):
    columns = ("--columns", "self%,total%")
    for line in shares(report(*columns)):
        assert 0 <= line[0] <= line[1] <= 100, line
    pattern = f"^{re.escape(function)}$"
    relative, absolute = (shares(report(*columns, "--focus", pattern, "--percentage", of)) for of in ("relative", "absolute"))
    assert max(total for _, total in relative) == 100
    assert all(a[0] <= r[0] + 0.1 for a, r in zip(absolute, relative)), (absolute, relative)
    assert len(report("--full")) > len(report("--min", "20"))
    assert "[x" not in report("--full", "--unfold").partition("caller graph")[2].partition("\n\n")[0]
    assert "total" not in report("--no-children").partition("flat profile")[2].splitlines()[1]
    assert "waits" in report("--waits")
    assert report("--top", "3", "--depth", "2") != report("--top", "4", "--depth", "3")
    assert report("--report-mode", "both") != report()
    assert len(re.findall(r"^ *\w+ \[", report("-f", "dot", "--nodes", "5"), re.MULTILINE)) <= 7
    assert report("-f", "dot", "--colour", "self") != report("-f", "dot")
    # Lines that round to 0 are left out, and other ones with --threads than without.
    folded, by_thread = (report("-f", "folded", *options).splitlines() for options in ((), ("--threads",)))
    assert len(folded) > 10 and len(by_thread) > 10
    assert len({sum(int(line.split()[-1]) for line in lines) for lines in (folded, by_thread)}) == 1


def check_perf(whole, profile):
    """perf finds the same shares of the same samples, by object."""
    report("-o", "x.perf.data")
    text = command(tool("perf"), "report", "-i", "x.perf.data", "--stdio", "-g", "none", "--no-children",
                   "--sort", "dso", "-t", ",")
    told = {row.split(",")[1].strip(): float(row.split("%")[0]) for row in text.splitlines() if re.match(r" *\d+\.", row)}
    ours = Counter()
    for row in profile["flat"]:
        ours[row.get("dso")] += row["self"]["wall"]
    for name, value in ours.items():
        if name and name in told:
            assert abs(told[name] - 100 * value / whole["wall"]) < 0.1, (name, told[name], value)
    assert sum(name in told for name in ours) >= 2, (told, ours)


def check_annotate(profile, function):
    shown = json.loads(sprof("annotate", "--json", function, "x.pb.gz").check(0).text())
    for key in ("user", "sys", "wait"):
        assert sum(line["self"][key] for line in shown["lines"]) == shown["self"][key], key
    assert shown["self"]["value"] > 0 and own(profile, function)["wall"] > 0, (function, shown["self"])


def check_all(words):
    sprof("run", "--cpus", "-q", "-r", "499", "-o", "x.pb.gz", "--", *words).check(0)
    profile = as_json()
    whole, (function, dso) = whole_of(profile), hottest(profile)
    print(function, dso, whole["samples"])
    check_split(profile)
    check_groups(whole)
    check_sorting()
    check_filters(whole, function, dso)
    check_neighbours(profile, function)
    check_texts(function)
    check_perf(whole, profile)
    check_annotate(profile, function)


def test_python():
    check_all(record_python())


def test_git():
    check_all(record_git())


def test_gcc():
    check_all(record_gcc())


if __name__ == "__main__":
    main()
