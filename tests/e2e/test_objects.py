"""Shared objects: the flat profile says whose a function is, and tables and filters by it agree with perf."""

import json
import os
import re
from collections import Counter

from harness import main, sprof, tool
from subjects import build, build_library, command, write

# One name in the program and in a library, which burns twice as much.
TWIN = """
#include <time.h>
static long now(void) { struct timespec t; clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000 + t.tv_nsec; }
static volatile unsigned long sink;
%s __attribute__((noinline)) void twin(long ms)
{
	for (long end = now() + ms * 1000000; now() < end;)
		for (int i = 0; i < 20000; i++)
			sink = sink * 3 + 1;
}
"""
MAIN = TWIN % "static" + """
void of_library(void);
/* In turns: the machine may be slower at one time than at another. */
int main(void) { for (int i = 0; i < 30; i++) { twin(10); of_library(); } return 0; }
"""
LIBRARY = TWIN % "static" + "void of_library(void) { twin(20); sink++; }\n"


def record():
    source = write("libtwin.c", LIBRARY)
    command(tool("gcc"), "-O2", "-g", "-shared", "-fPIC", source, "-o", "libtwin.so")
    program = build("twins", "-g", "libtwin.so", "-Wl,-rpath,$ORIGIN", source=MAIN)
    sprof("run", "-o", "x.pb.gz", "-r", "500", "--", program).check(0)


def report(*options):
    return sprof("report", "x.pb.gz", "--no-pager", *options).check(0).text()


def flat(*options):
    """The lines of the flat profile below its head."""
    lines = report("--full", *options).partition("flat profile")[2].partition("\n\n")[0].splitlines()
    return lines[1], [line for line in lines[2:] if not line.startswith("(")]


def as_json(*options):
    return json.loads(report("-f", "json", *options))


def self_by_object(profile):
    sums = Counter()
    for row in profile["flat"]:
        sums[row.get("dso")] += row["self"]["wall"]
    return +sums


def test_the_flat_profile_says_whose_a_function_is():
    record()
    head, rows = flat("--weight", "user")
    assert re.search(r" verdict dso +function$", head), head
    twins = [row.split() for row in rows if row.split()[-2 if ":" in row.split()[-1] else -1] == "twin"]
    own = {row[row.index("twin") - 1]: float(row[0]) for row in twins}
    assert set(own) == {"twins", "libtwin.so"}, rows
    assert 1.6 < own["libtwin.so"] / own["twins"] < 2.5, own


def test_totals_of_objects():
    """The table's self adds up to everything, and is that of the functions; totals are at least self."""
    record()
    profile = as_json("--by", "dso")
    by = {os.path.basename(group["name"] or ""): group for group in profile["by"]["groups"]}
    whole = sum(row["values"]["wall"] for row in profile["rows"])
    assert sum(group["values"]["wall"] for group in by.values()) == whole
    for name, spent in self_by_object(profile).items():
        assert by[name or ""]["values"]["wall"] == spent, (name, spent)
    for group in by.values():
        assert group["values"]["wall"] <= group["total"]["wall"] <= whole, group
    # main() calls the library's twin().
    assert by["twins"]["total"]["wall"] >= by["twins"]["values"]["wall"] + 0.5 * by["libtwin.so"]["values"]["wall"]
    table = report("--by", "dso").partition("by dso")[2].partition("\n\n")[0]
    assert re.search(r"self +total +user .* dso\n", table) and "libtwin.so" in table, table


def test_perf_agrees_on_objects():
    record()
    report("-o", "x.perf.data")
    text = command(tool("perf"), "report", "-i", "x.perf.data", "--stdio", "-g", "none", "--no-children",
                   "--sort", "dso", "-t", ",", "--percentage", "absolute")
    told = {row.split(",")[1].strip(): float(row.split("%")[0]) for row in text.splitlines()
            if row.strip() and not row.startswith("#")}
    ours = self_by_object(as_json())
    for name in ("twins", "libtwin.so"):
        share = 100 * ours[name] / sum(ours.values())
        assert abs(told[name] - share) < 0.1, (name, told, share)


def test_source_files_lines_and_names_of_threads():
    record()
    for label, pattern in (("file", r"/twins\.c$"), ("srcline", r"/libtwin\.c:\d+$"), ("comm", "^twins$"),
                           ("thread", "^twins$")):
        groups = as_json("--by", label)["by"]["groups"]
        assert any(re.search(pattern, group["name"] or "") for group in groups), (label, groups)
    refused = sprof("report", "x.pb.gz", "--by", "cpu").check(64)
    assert "not kept" in refused.err, refused.err


def test_filters_by_object():
    record()
    whole = as_json()
    left = self_by_object(as_json("--focus-dso", "libtwin"))
    # The functions of C's library that the program's twin() calls are on other stacks.
    assert left["libtwin.so"] == self_by_object(whole)["libtwin.so"]
    assert left["twins"] == 0
    assert self_by_object(as_json("--ignore-dso", "libtwin"))["libtwin.so"] == 0
    hidden = as_json("--hide-dso", "libtwin")
    assert self_by_object(hidden)["libtwin.so"] == 0
    assert sum(self_by_object(hidden).values()) == sum(self_by_object(whole).values())
    refused = sprof("report", "x.pb.gz", "--focus-dso", "nosuch").check(2).err
    assert "no shared object matches" in refused and "libtwin.so" in refused, refused


def test_columns_and_order():
    record()
    head, rows = flat("--columns", "dso,self-user,self-wait,sym", "--sort", "dso,sym")
    assert head.split() == ["dso", "self-user", "self-wait", "function"], head
    keys = [(row.split()[0], row.split()[-2 if ":" in row.split()[-1] else -1]) for row in rows
            if row.split()[0] != "-"]
    assert keys and [key[0] for key in keys] == sorted(key[0] for key in keys), rows
    _, rows = flat("--columns", "samples,function", "--sort", "samples")
    counts = [int(row.split()[0]) for row in rows]
    assert counts == sorted(counts, reverse=True), rows
    for options in (("--sort", "colour"), ("--columns", "self,"), ("--columns", ""), ("--percentage", "half")):
        sprof("report", "x.pb.gz", *options).check(64)


def test_split_of_self_adds_up():
    record()
    for row in as_json()["flat"]:
        spent = row["self"]
        assert spent["wall"] == sum(spent[name] for name in ("user", "sys", "runq", "wait", "stolen")), row


def test_shares_of_everything():
    """After a filter, absolute shares are smaller, by what the filter left."""
    record()
    whole, left = (sum(row["self"]["wall"] for row in as_json(*options)["flat"])
                   for options in ((), ("--focus-dso", "libtwin")))
    def first(*options):
        return max(float(row.split()[0]) for row in flat("--focus-dso", "libtwin", *options)[1])
    relative, absolute = first(), first("--percentage", "absolute")
    assert first("--percentage", "relative") == relative
    assert abs(absolute - relative * left / whole) < 0.11, (relative, absolute, left / whole)


def test_parents():
    record()
    groups = {group["name"]: group for group in as_json("--parent", "^of_library$|^main$")["by"]["groups"]}
    assert groups["of_library"]["values"]["wall"] > groups["main"]["values"]["wall"], groups
    names = [function["name"] for function in as_json()["functions"]]
    twins = [row for row in groups["of_library"]["flat"] if names[row["function"]] == "twin"]
    assert len(twins) == 1 and twins[0]["dso"] == "libtwin.so", twins
    for options, code in ((("--parent", "nosuch"), 2), (("--parent", "("), 64),
                          (("--parent", "main", "--by", "dso"), 64)):
        sprof("report", "x.pb.gz", *options).check(code)


if __name__ == "__main__":
    main()
