#!/usr/bin/env python3
"""Files that are no profiles, or were made to do harm: a clear error, soon, and never more than that."""

import gzip
import os
import random
import resource
import subprocess
import zlib

import harness
import model
import pprof_file
from pprof_file import data, number, varint

SIGNALS = range(-64, 0)


def read(path, *options, limit_s=200):
    """(exit code, stderr) of a report that must neither crash nor hang."""
    result = subprocess.run([harness.SPROF, "report", path, "--no-pager", *options], check=False,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=limit_s)
    assert result.returncode in (0, 2), (path, result.returncode, result.stderr[-500:])
    assert result.returncode == 0 or result.stderr.startswith(b"sprof: "), result.stderr
    return result.returncode, result.stderr.decode("utf-8", "replace")


def refuse(content, word):
    with open("bad.pb.gz", "wb") as file:
        file.write(content)
    code, text = read("bad.pb.gz")
    assert code == 2 and word in text, (word, code, text)


def valid():
    return pprof_file.encode(model.make_random(1))


def minimal(*fields):
    """samples/count and what else is given."""
    kind = data(1, number(1, 1) + number(2, 2))
    return kind + data(6, "") + data(6, "samples") + data(6, "count") + b"".join(fields)


def test_not_a_profile():
    refuse(os.urandom(1000), "")
    for bytes_of_it, words in ((b"", "it is empty"), (b"hello, world\n", "it is text"),
                               (b"main;work 12\nmain", "line 2 of folded stacks"), (b"PERFILE2\1\2", "perf's own format"),
                               (b"main;work 12\n" * 50 + b"ma\0in 3\n", "line 51 of folded stacks is not text"),
                               (b"main;work 99999999999999999999\n", "a number that is too large"),
                               (b"<!DOCTYPE html>\n", "a page for a browser"), (b'{"a": 1}', "JSON"),
                               (b"\177ELF\2\1\1\0", "a program or a core dump")):
        refuse(bytes_of_it, words)
        refuse(gzip.compress(bytes_of_it), words)


def test_damaged():
    content = gzip.compress(valid())
    refuse(content[:-20], "ends too early")
    refuse(content + content, "concatenated")
    refuse(content + b"x", "follows the end")
    refuse(content[:100] + bytes([content[100] ^ 0xff]) + content[101:], "damaged")


def test_references_to_nowhere():
    refuse(minimal(data(2, data(1, varint(7)) + data(2, varint(1)))), "no location 7")
    refuse(minimal(data(2, data(2, varint(1) + varint(2)))), "has 2 values instead of 1")
    refuse(minimal(data(4, number(1, 1) + data(4, number(1, 9)))), "with no function")
    refuse(minimal(data(4, number(1, 1) + number(2, 5))), "no mapping 5")
    refuse(minimal(data(5, number(1, 1) + number(2, 99))), "string 99 of 3")
    refuse(minimal(data(4, number(1, 1)), data(4, number(1, 1))), "two locations have the id 1")
    refuse(minimal(data(4, number(3, 1))), "id 0")
    refuse(minimal(data(2, data(1, b"\xff\xff"))), "damaged")


def test_no_default_type_is_the_last():
    kinds = data(1, number(1, 1)) + data(1, number(1, 2))
    content = (kinds + data(6, "") + data(6, "first") + data(6, "last") + data(6, "f")
               + data(5, number(1, 1) + number(2, 3)) + data(4, number(1, 1) + data(4, number(1, 1)))
               + data(2, number(1, 1) + data(2, varint(5) + varint(7))))
    with open("raw.pb", "wb") as file:
        file.write(content)
    assert "by last" in harness.sprof("report", "raw.pb", "--no-pager")
    assert harness.sprof("report", "raw.pb", "-f", "folded") == "f 7\n"
    assert harness.sprof("report", "raw.pb", "-f", "folded", "--weight", "first") == "f 5\n"


def test_text_with_a_nul():
    """A line of a sample that goes on behind a NUL, far from the first bytes."""
    refuse(b"a" * 600 + b"\0" + b"b" * 200000 + b"\n\tabc def\n", "text")
    refuse(b"a 1" + b" " * 600 + b"\0" + b"b" * 200000 + b"\n\tabc def\n", "text")


def test_bomb():
    """2 GB of zeros in 2 MB are refused after 64 MB."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    with open("bomb.pb.gz", "wb") as file:
        for _ in range(2048):
            file.write(packer.compress(bytes(2 ** 20)))
        file.write(packer.flush())
    code, text = read("bomb.pb.gz")
    assert code == 2 and "400 times its size" in text, text
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 300 * 1024


def test_bombs_of_references():
    """Few bytes that stand for much: refused, or cheap."""
    functions = data(5, number(1, 1))
    lines = data(4, number(1, 1) + b"".join(data(4, number(1, 1)) for _ in range(100000)))
    refuse(minimal(functions, lines), "more than 1000 lines")
    lines = data(4, number(1, 1) + b"".join(data(4, number(1, 1)) for _ in range(1000)))
    deep = data(2, data(1, varint(1) * 1000000) + data(2, varint(1)))
    refuse(minimal(functions, lines, deep), "more frames")


def test_bomb_of_time():
    """A few bytes that stand for milliards of samples on the timeline: no file of milliards."""
    strings = b"".join(data(6, text) for text in (
        "wall", "nanoseconds", "user", "sys", "runq", "wait", "time", "sprof: time_slice_ns=1000000000"))
    kinds = b"".join(data(1, number(1, kind) + number(2, 4)) for kind in (3, 5, 6, 7, 8))
    sample = data(2, data(1, varint(1)) + data(2, varint(2 ** 31) + varint(2 ** 50) * 2 + varint(0) * 3)
                  + data(3, number(1, 9) + number(4, 4)))
    content = minimal(strings, kinds, data(5, number(1, 1) + number(2, 3)),
                      data(4, number(1, 1) + data(4, number(1, 1))), sample, data(13, varint(10)))
    with open("time.pb", "wb") as file:
        file.write(content)
    text = harness.sprof("report", "time.pb", "--no-pager")
    assert str(2 ** 31) in text, text
    for name in ("firefox", "chrome", "speedscope", "perf", "html", "gmon", "pprof"):
        read("time.pb", "-f", name, "-o", "out")
        assert not os.path.exists("out") or os.path.getsize("out") < 2 ** 26, name


def test_mutations():
    """Random damage, under the gzip and in it."""
    plain = valid()
    packed = gzip.compress(plain)
    rng = random.Random(1)
    for i in range(400):
        content = bytearray(plain if i % 2 else packed)
        for _ in range(rng.randint(1, 8)):
            content[rng.randrange(len(content))] = rng.randrange(256)
        if i % 5 == 0:
            del content[rng.randrange(len(content)):]
        with open("mutated.pb.gz", "wb") as file:
            file.write(content)
        read("mutated.pb.gz", "-f", ("text", "json", "pprof", "folded")[i % 4])


if __name__ == "__main__":
    harness.main(globals())
