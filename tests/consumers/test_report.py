#!/usr/bin/env python3
"""sprof report, diff and merge alone: the worked example, the filters, the refusals."""

import json
import os
import pty
import re
import subprocess
from collections import Counter

import harness
import model
import pprof_file

example = model.worked


def report(*options):
    return harness.sprof("report", "in.pb.gz", "--no-pager", *options)


def flat(*options):
    """{name: self} of the json format."""
    data = json.loads(report("-f", "json", *options))
    got = Counter()
    for row in data["flat"]:
        got[data["functions"][row["function"]]["name"]] += row["self"]["wall"]
    return got


def self_of(rows, profile):
    return model.Model(rows, profile.threads).tables("wall")[0]


def test_worked_example():
    pprof_file.write("in.pb.gz", example())
    text = report("--weight", "samples", "--min", "0")
    for line in ("100.0 17 5.9 1 100.0 main", "94.1 16 11.8 2 94.1 a", "70.6 12 23.5 4 75.0 b", "47.1 8 47.1 8 66.7 c",
                 "58.8 10 10 58.8 100.0 58.8 c", "47.1 8 8 47.1 58.8 80.0 b",
                 "11.8 2 2 11.8 58.8 20.0 a"):
        assert re.search(re.escape(line).replace("\\ ", " +"), re.sub(r" +", " ", text).replace(" ", " ")) \
            or line.split() in [row.split() for row in text.splitlines()], (line, text)


def test_filters():
    profile = model.make_random(11)
    pprof_file.write("in.pb.gz", profile)
    rows = profile.rows
    cases = (
        (["--focus", "^f3$"], [row for row in rows if "f3" in profile.names_of(row)]),
        (["--ignore", "^f3$|^f4$"], [row for row in rows if not {"f3", "f4"} & set(profile.names_of(row))]),
        (["--state", "user,sys"], [row for row in rows if row.state in ("user", "sys")]),
        (["--state", "wait"], [row for row in rows if row.state == "sleep"]),
        (["--thread", "t1"], [row for row in rows if row.thread.name == "t1"]),
        (["--thread", "202"], [row for row in rows if row.thread.tid == 202]),
        (["--pid", "101"], [row for row in rows if row.thread.pid == 101]),
        (["--pid", "101", "--focus", "f1", "--state", "sys"],
         [row for row in rows if row.thread.pid == 101 and row.state == "sys"
          and any("f1" in name for name in profile.names_of(row))]),
    )
    for options, left in cases:
        assert left, options
        harness.same(flat(*options), self_of(left, profile), what=str(options))


def test_hide():
    """What is hidden goes to its callers; a stack of which nothing is left says so."""
    profile = model.make_random(12)
    pprof_file.write("in.pb.gz", profile)
    want = Counter()
    for row in profile.rows:
        names = [name for name in profile.names_of(row) if name not in ("f1", "f2")]
        want[names[-1] if names else "[hidden]"] += model.value_of(row, "wall")
    harness.same(flat("--hide", "^f[12]$"), want)


def test_layout_options():
    pprof_file.write("in.pb.gz", example())
    graph = report("--depth", "1").partition("caller graph")[2].partition("callee graph")[0]
    assert " main" in graph and "  a" not in graph, graph
    first = report("--sort", "total").partition("flat profile")[2].splitlines()[2]
    assert first.endswith("main") or "main " in first, first
    text = report("--top", "1")
    assert re.findall(r"\((.*) below the first 1\)", text) == ["3 more functions", "1 more path", "3 more functions", "2 more paths"], text
    assert "under 0.5" not in text, text
    assert "per thread" not in report() and "== thread 101" in report("--report-mode", "per-thread")


def test_refusals():
    pprof_file.write("in.pb.gz", example())
    for options, code, words in (
            ([], 64, "needs a profile"), (["nothing.pb.gz"], 2, "No such file"),
            (["in.pb.gz", "--focus", "("], 64, "regular expression"),
            (["in.pb.gz", "--state", "asleep"], 64, "no such state"),
            (["in.pb.gz", "--weight", "kilos"], 64, "kilos"),
            (["in.pb.gz", "--from", "1s"], 2, "time-slices"),
            (["in.pb.gz", "-o", "a.folded", "-o", "./a.folded", "-o", "a.folded"], 64, "given twice"),
            (["in.pb.gz", "-o", "x-%r.pb.gz"], 64, "rank"), (["in.pb.gz", "-o", "%y.pb.gz"], 64, "%y"),
            (["in.pb.gz", "-o", "%q{NO_SUCH}.pb.gz"], 64, "NO_SUCH is not set")):
        result = subprocess.run([harness.SPROF, "report", *options], capture_output=True, text=True,
                                check=False)
        assert result.returncode == code and words in result.stderr, (options, result)


def test_placeholders():
    pprof_file.write("in.pb.gz", example())
    environment = {**os.environ, "SPROF_RANK": "7", "NAME": "my"}
    harness.sprof("report", "in.pb.gz", "-o", "r%r-%q{NAME}-%%-%h.folded", env=environment)
    assert os.path.exists(f"r7-my-%-{os.uname().nodename}.folded"), os.listdir()
    harness.sprof("report", "in.pb.gz", "-o", "p%p-%t.folded")
    assert any(re.fullmatch(r"p\d+-\d{10,}\.folded", name) for name in os.listdir())
    harness.run("sh", "-c", f"PMI_RANK=1 PMI_SIZE=1 {harness.SPROF} report in.pb.gz -o one.folded")


def test_pager():
    """On a terminal the report goes through $PAGER; --no-pager and a pipe leave it alone."""
    pprof_file.write("in.pb.gz", example())

    def on_terminal(*options):
        master, slave = pty.openpty()
        process = subprocess.Popen([harness.SPROF, "report", "in.pb.gz", *options], stdout=slave,
                                   env={**os.environ, "PAGER": "sed 's/^/paged: /'"})
        os.close(slave)
        out = b""
        try:
            while chunk := os.read(master, 65536):
                out += chunk
        except OSError:
            pass
        assert process.wait() == 0
        return out.decode()

    assert "paged: flat profile" in on_terminal()
    assert "paged" not in on_terminal("--no-pager") and "paged" not in harness.sprof("report", "in.pb.gz")


def test_stdin_and_several_files():
    pprof_file.write("in.pb.gz", example())
    with open("in.pb.gz", "rb") as file:
        text = harness.sprof("report", "-", "-f", "folded", stdin=file)
    assert text == report("-f", "folded")
    twice = harness.sprof("report", "in.pb.gz", "in.pb.gz", "-f", "folded", "--weight", "samples")
    assert twice.splitlines()[0] == "main 2"


def test_saved_run_is_the_same_report():
    """What a run writes, and what is made of the profile it saved."""
    outputs = ("x.txt", "x.folded", "x.pb.gz")
    script = "i=0; while [ $i -lt 40000 ]; do i=$((i+1)); done; sleep 0.1"
    harness.sprof("run", *[word for name in outputs for word in ("-o", "run-" + name)], "--", "sh", "-c",
                  script)
    harness.sprof("report", "run-x.pb.gz", *[word for name in outputs for word in ("-o", "saved-" + name)])
    for name in outputs[:-1]:
        with open("run-" + name, "rb") as run, open("saved-" + name, "rb") as saved:
            assert same_but_time(run.read()) == same_but_time(saved.read()), name


def same_but_time(content):
    """sprof's own CPU time is that of the moment a file is written."""
    return re.sub(rb"own CPU +\S+ \S+", b"own CPU", content)


def test_diff_table():
    one, two = model.make_random(1), model.make_random(2)
    pprof_file.write("one.pb.gz", one)
    pprof_file.write("two.pb.gz", two)
    text = harness.sprof("diff", "one.pb.gz", "two.pb.gz", "--shares", "--no-pager", "--full")
    rows = {line.split()[-1]: line for line in text.splitlines()[2:]}
    before, now = (profile.tables("wall")[0] for profile in (one, two))
    for name, line in rows.items():
        want = 100 * (now[name] / two.whole("wall") - before[name] / one.whole("wall"))
        assert abs(float(line.split("%")[0]) - want) <= 0.0501, (line, want)
    same = harness.sprof("diff", "one.pb.gz", "one.pb.gz", "--shares", "--no-pager", "--absolute")
    assert re.search(r"\+0 s +\S+ \S+ +\S+ \S+ ", same), same


if __name__ == "__main__":
    harness.main(globals())
