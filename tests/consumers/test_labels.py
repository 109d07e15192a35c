#!/usr/bin/env python3
"""Labels and comments of other tools: `go tool pprof -tags` and -comments say the same of what sprof writes."""

import gzip
import json
import os
import subprocess

import harness
import pprof_file
from pprof_file import Encoder, data, number, varint

GO = harness.need("go", "golang-go")

# Samples of (stack, value, labels); a label is a text, or a number with a unit.
SAMPLES = [
    (["main", "a"], 10, [("request", "GET /"), ("tenant", "blue"), ("bytes", (4096, "bytes"))]),
    (["main", "a"], 20, [("request", "GET /"), ("tenant", "red"), ("bytes", (512, "bytes"))]),
    (["main", "b"], 30, [("request", "PUT"), ("request", "PUT again"), ("depth", (7, "")), ("weight", (-5, "kg"))]),
    (["main", "b"], 40, [("pid", (17, "")), ("tid", (18, "")), ("state", "parked"), ("syscall", "made up")]),
    (["main"], 50, [("tid", "not a number"), ("pid", "99999999999999"), ("wait_kind", "tea"), ("processor", (3, ""))]),
    (["main", "c"], 60, [("thread", "worker"), ("pid", "12"), ("host", "far"), ("rank", "2"), ("rank", "3")]),
    (["main", "c"], 70, [("time", (3000, "nanoseconds")), ("latency", (20, "milliseconds"))]),
    (["c"], 80, [("evil", "\"'<script>\x01\n=;"), ("3:x", "s1:a2:bc"), ("empty", (0, "seconds"))]),
    (["c"], 90, []),
]
COMMENTS = ["made by a test", "with: colons=and <tags>", "made by a test too"]


def label(encoder, key, value):
    if isinstance(value, str):
        return data(3, number(1, encoder.string(key)) + number(2, encoder.string(value)))
    amount, unit = value
    return data(3, number(1, encoder.string(key)) + number(3, amount) + number(4, encoder.string(unit)))


def write(path, samples, kind="cpu"):
    encoder = Encoder()
    encoder.out.append(data(1, number(1, encoder.string(kind)) + number(2, encoder.string("nanoseconds"))))
    functions, locations = {}, {}
    for names, value, labels in samples:
        for name in names:
            if name not in locations:
                ident = functions[name] = locations[name] = len(functions) + 1
                encoder.out.append(data(5, number(1, ident) + number(2, encoder.string(name))))
                encoder.out.append(data(4, number(1, ident) + data(4, number(1, ident))))
        ids = b"".join(varint(locations[name]) for name in reversed(names))
        encoder.out.append(data(2, data(1, ids) + data(2, varint(value))
                                + b"".join(label(encoder, *pair) for pair in labels)))
    encoder.out.append(data(13, b"".join(varint(encoder.string(text)) for text in COMMENTS)))
    encoder.out.append(number(15, encoder.string("https://example.invalid/doc")))
    with open(path, "wb") as file:
        file.write(gzip.compress(encoder.finish(), mtime=0))


def tags(path):
    return harness.run(GO, "tool", "pprof", "-tags", "-symbolize=none", path)


def comments(path):
    return harness.run(GO, "tool", "pprof", "-comments", "-symbolize=none", path)


def clean(text):
    """As every writer of sprof does with control characters."""
    return text.replace("\x01", "?").replace("script>?\n", "script>??")


def check(path, want):
    assert clean(tags(path)) == clean(tags(want)), f"{path}:\n{tags(path)}\ninstead of\n{tags(want)}"
    assert comments(path) == comments(want), comments(path)


def test_round_trip():
    write("in.pb.gz", SAMPLES)
    harness.sprof("report", "in.pb.gz", "-o", "out.pb.gz")
    assert "request: Total" in tags("in.pb.gz") and "made by a test too" in comments("in.pb.gz")
    check("out.pb.gz", "in.pb.gz")
    harness.sprof("report", "out.pb.gz", "-o", "again.pb.gz")
    check("again.pb.gz", "out.pb.gz")
    raw = harness.run(GO, "tool", "pprof", "-raw", "-symbolize=none", "out.pb.gz")
    assert "https://example.invalid/doc" in raw or "Doc:" not in raw, raw[:300]


def test_filter_and_merge():
    write("in.pb.gz", SAMPLES)
    write("one.pb.gz", SAMPLES[:4])
    write("two.pb.gz", SAMPLES[4:])
    harness.sprof("merge", "-o", "both.pb.gz", "one.pb.gz", "two.pb.gz")
    check("both.pb.gz", "in.pb.gz")
    harness.sprof("report", "in.pb.gz", "--focus", "^a$", "-o", "part.pb.gz")
    write("want.pb.gz", SAMPLES[:2])
    check("part.pb.gz", "want.pb.gz")


def test_choose_by_label():
    write("in.pb.gz", SAMPLES)
    for wanted, total in (("tenant=blue", 10), ("request=^GET", 30), ("request=again", 30), ("bytes=^512b", 20),
                          ("depth=^7$", 30), ("thread=work", 60), ("rank=3", 60), ("state=parked", 40),
                          ("weight=^-5kg$", 30)):
        text = harness.sprof("report", "in.pb.gz", "--label", wanted, "-f", "folded")
        assert sum(int(line.rsplit(" ", 1)[1]) for line in text.splitlines()) == total, (wanted, text)
    result = subprocess.run([harness.SPROF, "report", "in.pb.gz", "--label", "tenant=green"], capture_output=True,
                            check=False, text=True)
    assert result.returncode == 2 and "the labels of that name are: blue" in result.stderr, result
    for wanted in ("tenant", "tenant=("):
        result = subprocess.run([harness.SPROF, "report", "in.pb.gz", "--label", wanted], capture_output=True,
                                check=False)
        assert result.returncode == 64, result


def by(label, *files):
    """{value: (whole, {function: (self, total)}, threads)}, of the json format, which has to be as its schema says."""
    harness.sprof("report", *(files or ["in.pb.gz"]), "--by", label, "-o", "by.json")
    with open("by.json", encoding="utf-8") as file:
        told = json.load(file)
    names = [function["name"] for function in told["functions"]]
    assert told["by"]["label"] == label
    return {group["name"]: (group["values"]["value"],
                            {names[row["function"]]: (row["self"]["value"], row["total"]["value"])
                             for row in group["flat"]}, group["threads"]) for group in told["by"]["groups"]}


def test_by_label():
    """What a label tells apart: the same figures as of the samples alone that have it."""
    write("in.pb.gz", SAMPLES)
    assert by("tenant") == {
        "red": (20, {"a": (20, 20), "main": (0, 20)}, 1), "blue": (10, {"a": (10, 10), "main": (0, 10)}, 1),
        None: (420, {"main": (50, 250), "b": (70, 70), "c": (300, 300)}, 3)}
    assert list(by("tenant")) == ["red", "blue", None], "not the heaviest first"
    assert list(by("bytes")) == ["512bytes", "4096bytes", None], "not by number"
    assert by("request")["PUT, PUT again"][0] == 30
    assert {name: got[0] for name, got in by("pid").items()} == {
        "17": 40, "12": 60, "99999999999999": 50, None: 300}
    assert {name: got[0] for name, got in by("rank").items()} == {"2, 3": 60, None: 390}
    harness.need_npm("ajv")
    harness.node("check-schema.cjs", os.path.join(harness.HERE, "../../docs/profile.schema.json"), "by.json")


def test_by_label_in_text_and_folded():
    write("in.pb.gz", SAMPLES)
    text = harness.sprof("report", "in.pb.gz", "--by", "tenant", "--no-pager")
    table = text.partition("\nby tenant\n")[2].partition("\n\n")[0].splitlines()
    assert [line.split() for line in table[1:]] == [
        ["4.4", "20", "ns", "0", "1", "red"], ["2.2", "10", "ns", "0", "1", "blue"],
        ["93.3", "420", "ns", "0", "3", "(none)"]], table
    assert "== tenant red ==" in text and "== tenant (none) ==" in text
    folded = harness.sprof("report", "in.pb.gz", "--by", "tenant", "-f", "folded").splitlines()
    assert "red;main;a 20" in folded and "(none);main 50" in folded, folded
    top = harness.sprof("report", "in.pb.gz", "--by", "tenant", "--top", "1", "--no-pager")
    assert "(2 more values below the first 1)" in top and "== tenant blue" not in top
    result = subprocess.run([harness.SPROF, "report", "in.pb.gz", "--by", "tenants"], capture_output=True,
                            check=False, text=True)
    assert result.returncode == 64 and "no sample has the label tenants" in result.stderr, result
    assert "request, tenant, bytes" in result.stderr, result.stderr


def test_by_label_of_our_own_files():
    """Threads, processes, states: the truth is the model's."""
    import model
    profile = model.make_random(5)
    pprof_file.write("in.pb.gz", profile)
    for label, value in (("tid", lambda row: str(row.thread.tid)), ("pid", lambda row: str(row.thread.pid)),
                         ("thread", lambda row: row.thread.name), ("process", lambda row: row.thread.process),
                         ("state", lambda row: row.state)):
        told = json.loads(harness.sprof("report", "in.pb.gz", "--by", label, "-f", "json"))
        names = [function["name"] for function in told["functions"]]
        assert {group["name"] for group in told["by"]["groups"]} == {value(row) for row in profile.rows}
        for group in told["by"]["groups"]:
            rows = [row for row in profile.rows if value(row) == group["name"]]
            want = model.Model(rows, profile.threads).tables("wall")
            for table, key in zip(want, ("self", "total")):
                harness.same({names[row["function"]]: row[key]["wall"] for row in group["flat"]}, table,
                             what=f"{label} {group['name']} {key}")
            assert group["threads"] == len({row.thread for row in rows})


def test_labels_of_our_own_files():
    """What another tool adds to a file of ours stays, beside our own labels."""
    import model
    plain = Encoder.row
    try:
        Encoder.row = lambda self, row, address_of=lambda place: None: plain(self, row, address_of)[:0] + relabel(
            self, plain(self, row, address_of))
        pprof_file.write("in.pb.gz", model.make_random(5))
    finally:
        Encoder.row = plain
    harness.sprof("report", "in.pb.gz", "-o", "out.pb.gz")
    assert "deploy: Total" in tags("in.pb.gz") and tags("out.pb.gz") == tags("in.pb.gz")


def relabel(encoder, message):
    """The sample with one label more; its length is the varint behind the first byte."""
    size, at, shift = 0, 1, 0
    while True:
        byte = message[at]
        size |= (byte & 0x7f) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            break
    more = label(encoder, "deploy", "canary") + label(encoder, "shard", (4, "count"))
    return data(2, message[at:at + size] + more)


def test_go_writes_labels():
    """Those of runtime/pprof: pprof.Do() in a Go program, and the sizes of a heap profile."""
    environment = {**os.environ, "GOCACHE": os.path.abspath("cache"), "GO111MODULE": "off"}
    harness.run(GO, "run", os.path.join(harness.HERE, "spin.go"), env=environment)
    for name in ("cpu", "heap"):
        harness.sprof("report", f"{name}.pb.gz", "-o", "out.pb.gz")
        assert tags("out.pb.gz") == tags(f"{name}.pb.gz")
    assert "bytes:" in tags("heap.pb.gz")


if __name__ == "__main__":
    harness.main(globals())
