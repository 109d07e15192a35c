#!/usr/bin/env python3
"""perf: hotspot's parser, which unwinds and names by itself, has the model's figures, stacks and threads."""

import os
import struct
import subprocess
from collections import Counter

import harness
import pprof_file
from program import Canonical, Program, UNKNOWN

PARSER = harness.need(os.environ.get("SPROF_HOTSPOT_PERFPARSER",
                                     "/usr/lib/x86_64-linux-gnu/libexec/hotspot-perfparser"), "hotspot")

# What hotspot's parser sends to hotspot, as far as it is looked at here.
LOCATION, SYMBOL, STRING, SAMPLE = 3, 4, 5, 13
NONE = -1


class Stream:
    """The parser's output: a head, then events of a length each; numbers are big-endian in them."""

    def __init__(self, data):
        assert data.startswith(b"QPERFSTREAM\0"), data[:20]
        self.strings, self.symbols, self.parents, self.samples = {}, {}, {}, []
        at = 16
        while at < len(data):
            size, = struct.unpack_from("<I", data, at)
            self.take(data[at + 4], data[at + 5:at + 4 + size])
            at += 4 + size

    def take(self, kind, event):
        if kind == STRING:
            ident, size = struct.unpack_from(">iI", event)
            self.strings[ident] = event[8:8 + size].decode()
        elif kind == SYMBOL:
            ident, name = struct.unpack_from(">ii", event)
            self.symbols[ident] = name
        elif kind == LOCATION:
            ident, _, _, _, _, _, parent = struct.unpack_from(">iQiIiii", event)
            self.parents[ident] = parent
        elif kind == SAMPLE:
            _, tid, _, _, count = struct.unpack_from(">IIQII", event)
            frames = struct.unpack_from(f">{count}i", event, 24)
            costs, = struct.unpack_from(">I", event, 25 + 4 * count)
            value = sum(struct.unpack_from(">iQ", event, 29 + 4 * count + 12 * i)[1] for i in range(costs))
            self.samples.append((tid, frames, value))

    def name_of(self, location):
        """A location without a symbol of its own has that of the one it is in."""
        while location != NONE and self.symbols.get(location, NONE) == NONE:
            location = self.parents.get(location, NONE)
        return self.strings.get(self.symbols.get(location, NONE), "?")


def ask(path):
    """{(thread, outermost function, ...): period}"""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    subprocess.run([PARSER, "--input", path, "--output", "out.stream"], check=True, capture_output=True,
                   env=environment)
    with open("out.stream", "rb") as file:
        stream = Stream(file.read())
    got = Counter()
    for tid, frames, value in stream.samples:
        got[(tid, *(stream.name_of(frame) for frame in reversed(frames)))] += value
    return got


def test_random():
    program = Program()
    for seed in harness.RANDOM_SEEDS:
        profile = program.make_model(seed, recursion=seed % 2 == 0, heavy=seed == 20)
        pprof_file.write("in.pb.gz", profile, address_of=program.address_of)
        harness.sprof("report", "in.pb.gz", "-o", "out.perf.data")
        harness.same(ask("out.perf.data"), stacks_of(profile), what=f"stacks {seed}")


def stacks_of(profile):
    want = Counter()
    for row in profile.rows:
        want[(row.thread.tid, *profile.names_of(row))] += sum(
            value for name, value in row.values.items() if name != "samples")
    return want


def test_canonical():
    program = Canonical()
    pprof_file.write("in.pb.gz", program.make(), address_of=program.address_of)
    harness.sprof("report", "in.pb.gz", "-o", "out.perf.data")
    want = Counter()
    # Its parser puts the sample's address once more in front of the callers of a kernel function, whom it can't name.
    for (tid, *names), value in stacks_of(program.known(kernel=True)).items():
        names = [name for known in names for name in ((UNKNOWN, UNKNOWN) if known == "do_sys_read" else (known,))]
        want[(tid, *("?" if name == UNKNOWN else name for name in names))] += value
    harness.same(ask("out.perf.data"), want, what="stacks")


def test_nothing_out_of_order():
    program = Program()
    profile = program.make_model(3, recursion=True)
    pprof_file.write("in.pb.gz", profile, address_of=program.address_of)
    harness.sprof("report", "in.pb.gz", "-o", "out.perf.data")
    subprocess.run([PARSER, "--input", "out.perf.data", "--output", "stats", "--print-stats"], check=True,
                   capture_output=True)
    with open("stats", encoding="ascii") as file:
        stats = dict(line.strip().split(": ") for line in file if ": " in line)
    assert stats["samples time violations"] == stats["mmaps time violations"] == "0", stats
    assert int(stats["samples"]) == len(profile.rows), stats


if __name__ == "__main__":
    harness.main(globals())
