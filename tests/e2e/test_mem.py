"""sprof mem: the memory of programs that know how much they have, against smem, and in every format."""

import csv
import json
import os
import re
import subprocess
import sys
from xml.etree import ElementTree

from harness import (SPROF, Program, Target, check_error, check_near, main, others, run, sprof, target, tool, tracer_of)

MIB = 1 << 20
SLEEPER = "import sys, json, decimal; data = bytearray(20 << 20); print(1, flush=True); sys.stdin.read()"
# It keeps as many MiB as each line says.
KEEPER = f"import sys\nkept = []\nprint(1, flush=True)\nfor line in sys.stdin:\n" \
         f"    del kept[int(line):]\n    kept.extend(bytearray({MIB}) for _ in range(int(line) - len(kept)))\n"


class Watcher(Program):
    """sprof mem --json; its readings are seen as they come."""

    def __init__(self, *words):
        os.mkfifo("live.csv")
        super().__init__([SPROF, "mem", "--json", "-i", "10ms", "-o", "live.csv", *words])
        self.rows = csv.DictReader(os.fdopen(os.open("live.csv", os.O_RDONLY), encoding="utf-8", newline=""))

    def until(self, condition):
        """The first reading from now on for which it holds."""
        for row in self.rows:
            if condition(row):
                return row
        raise AssertionError(f"never read; {self.stderr()}")

    def result(self, code=0):
        return json.loads(self.finish().check(code).text())


def mem(*words, code=0):
    return json.loads(sprof("mem", "--json", *words).check(code).text())


def python(script):
    program = Program([sys.executable, "-c", script], stdin=subprocess.PIPE)
    assert program.line() == "1"
    return program


def sleeper():
    return python(SLEEPER)


def test_growth_and_peak():
    """20 MiB come and go."""
    keeper = python(KEEPER)
    watcher = Watcher("--maps", "-p", keeper.pid)
    before = int(watcher.until(lambda row: row["rss"])["rss"])
    keeper.say("20\n")
    # The mappings are read when PSS and USS are.
    watcher.until(lambda row: int(row["uss"] or 0) > 19 * MIB and int(row["rss"]) > before + 19 * MIB)
    keeper.say("0\n")
    watcher.until(lambda row: int(row["rss"]) < before + 2 * MIB)
    keeper.finish().check(0)
    found = watcher.result()
    (process,) = found["processes"]
    rss = process["rss"]
    assert rss["max"] - rss["min"] > 19 * MIB and rss["max"] - rss["last"] > 17 * MIB, rss
    assert process["kernels_peak"] >= rss["max"], process
    last = process["last"]
    assert last["rss"] >= last["pss"] >= last["uss"] > 0 and last["time_ns"] <= found["duration_ns"], last
    assert 0 < rss["max_ns"] < found["duration_ns"] and rss["min"] < rss["mean"] < rss["max"], rss
    # The kernel's counters of the parts lag by some pages.
    assert process["anon"]["max"] + process["file"]["max"] >= rss["max"] - MIB, process
    assert found["total"]["rss"]["max"] == rss["max"], found
    assert sum(file["uss"] for file in process["mapped_at_peak"]["files"]) > 19 * MIB, process


def test_a_peak_behind_the_last_reading():
    """A program that is over before the second reading: the kernel's count tells what it had."""
    hidden = sprof("mem", "-i", "60000ms", "--", sys.executable, "-c", "data = bytearray(64 << 20)").check(0).text()
    risen = re.search(r"RSS of one process has risen to (\d+)\.\d MiB, after its last reading: -i 10", hidden)
    assert risen and 64 <= int(risen[1]) < 128, hidden
    assert "has risen" not in sprof("mem", "-p", str(os.getppid()), "-d", "10ms").check(0).text()


def test_growth_per_second():
    """A line: as many readings pass between two steps, though not as much time on a busy machine."""
    keeper = python(KEEPER)
    watcher = Watcher("-p", keeper.pid)
    for step in range(1, 11):
        keeper.say(f"{2 * step}\n")
        for _ in range(8):
            watcher.until(lambda row: row["rss"])
    keeper.finish().check(0)
    found = watcher.result()
    rss = found["processes"][0]["rss"]
    risen = (rss["max"] - rss["min"]) / (found["duration_ns"] / 1e9)
    assert 0.2 * risen < rss["growth_per_second"] < 5 * risen, (risen, rss)


@others
def test_smem_agrees():
    """Two processes that share libraries: what is whose."""
    first, second = sleeper(), sleeper()
    found = mem("-p", f"{first.pid},{second.pid}", "-d", "300ms")
    text = run(tool("smem"), "-H", "-c", "pid uss pss rss swap", "-P", "bytearray").check(0).text()
    theirs = {int(row[0]): [int(cell) * 1024 for cell in row[1:]] for row in map(str.split, text.splitlines())}
    assert len(found["processes"]) == 2, found
    for process in found["processes"]:
        uss, pss, rss, swap = theirs[process["pid"]]
        ours = {key: process[key]["last"] for key in ("uss", "pss", "rss", "swap")}
        print(process["pid"], ours, uss, pss, rss, swap)
        # Other processes that come and go share the C library, too; the kernel's counters lag by some pages.
        check_near(ours["uss"], uss, 0.01 * uss, "USS")
        check_near(ours["pss"], pss, 0.05 * pss, "PSS")
        check_near(ours["rss"], rss, 0.02 * rss, "RSS")
        assert ours["swap"] == swap and ours["uss"] > 20 * MIB, process
    total = found["total"]["pss"]["last"]
    check_near(total, sum(process["pss"]["last"] for process in found["processes"]), 1, "the sum")
    for program in (first, second):
        assert tracer_of(program.pid) == 0
        program.finish().check(0)


def test_children():
    """They are found by their parents, and counted while they are there."""
    for options, names in (((), ["cat", "cat", "sh"]), (("--no-children",), ["sh"])):
        for name in ("gate", "other", "live.csv"):
            if os.path.exists(name):
                os.unlink(name)
        os.mkfifo("gate")
        os.mkfifo("other")
        watcher, comms = Watcher(*options, "--", "sh", "-c", "cat gate & cat other & wait"), {}
        # A child is still a shell until its exec.
        watcher.until(lambda row: comms.update({row["pid"]: row["comm"]}) or sorted(comms.values()) == names)
        for name in ("gate", "other"):
            with open(name, "w", encoding="utf-8"):
                pass
        found = watcher.result()
        assert sorted(process["comm"] for process in found["processes"]) == names, found
        assert found["total"]["rss"]["max"] >= max(process["rss"]["max"] for process in found["processes"]), found


def test_sprof_is_no_child():
    told = run("sh", "-c", '"$0" mem -p $$ --children -d 300ms --json; true', SPROF).check(0).out
    assert [process["comm"] for process in json.loads(told)["processes"]] == ["sh"], told


def test_what_is_mapped():
    program = sleeper()
    text = sprof("mem", "-p", program.pid, "-d", "200ms", "--libs").check(0).text()
    rows = [line.split() for line in text.splitlines()]
    assert any("libc" in row[-1] for row in rows if row) and not any("[heap]" in row for row in rows), text
    text = sprof("mem", "-p", program.pid, "-d", "200ms", "--maps", "--at", "start").check(0).text()
    assert "[stack]" in text and "mapped by" in text, text
    program.finish().check(0)


def test_files():
    program = Target("threads", 1, 1)
    sprof("mem", "-p", program.pid, "-d", "300ms", "-i", "50ms", "-o", "m.csv", "-o", "m.svg", "-o", "m.html", "-o",
          "m.json", "-o", "m.txt").check(0)
    with open("m.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert rows and {row["pid"] for row in rows} == {str(program.pid)}, rows
    assert all(int(row["rss"]) >= int(row["uss"] or 0) > -1 for row in rows) and rows[-1]["uss"], rows
    picture = ElementTree.parse("m.svg").getroot()
    titles = [title.text for title in picture.iter("{http://www.w3.org/2000/svg}title")]
    assert any(title.startswith("RSS, at most ") for title in titles), titles
    with open("m.html", encoding="utf-8") as file:
        page = file.read()
    assert "<svg" in page and "own share" in page, page
    with open("m.json", encoding="utf-8") as file:
        assert json.load(file)["processes"][0]["pid"] == program.pid
    with open("m.txt", encoding="utf-8") as file:
        assert "own share" in file.read()
    program.finish().check(0)


def test_hostile_names():
    """A program's name is shown, not obeyed."""
    os.symlink(target("threads"), "a<b&\n,\"c")
    program = Program([os.path.abspath("a<b&\n,\"c"), "1", "1"], stdin=subprocess.PIPE)
    assert "ready" in program.line()
    result = sprof("mem", "-p", program.pid, "-d", "100ms", "-o", "m.html", "-o", "m.csv", "-o", "m.svg").check(0)
    with open("m.html", encoding="utf-8") as file:
        assert "a<b" not in file.read()
    with open("m.csv", encoding="utf-8") as file:
        assert all(len(row) == 10 for row in csv.reader(file))
    ElementTree.parse("m.svg")
    assert "\n,\"c" not in result.text()
    program.finish().check(0)


def test_the_table_fits():
    program = Target("threads", 1, 1)
    text = sprof("mem", "-p", program.pid, "-d", "200ms").check(0).text()
    assert "own share" in text and "over time" in text and ("▇" in text or "█" in text), text
    program.finish().check(0)


def test_the_programs_exit_code():
    """Also of one whose memory takes long to be given back."""
    assert mem("--", "sh", "-c", "exit 3", code=3)["processes"]
    # It holds its memory for many readings: at its end they may miss it, as they are told nothing of that.
    large = "import os, time; x = bytearray(300 << 20); time.sleep(3); os._exit(5)"
    assert mem("-i", "1ms", "--", sys.executable, "-c", large, code=5)["total"]["rss"]["max"] > 250 * MIB
    sprof("mem", "--", "true").check(0)


def test_the_first_thread_ends():
    program = Target("leaderless")
    (process,) = mem("-p", program.pid, "-d", "200ms", "-i", "20ms")["processes"]
    assert not process["ended"] and process["rss"]["readings"] > 0 and process["uss"]["last"], process
    program.finish()


def test_the_programs_output():
    """With files alone, stdout is the program's; what can't be written is told, and the rest is there."""
    result = sprof("mem", "-o", "m.csv", "--", "echo", "hello").check(0)
    assert result.text() == "hello\n", result.text()
    os.symlink("/dev/full", "full.json")
    result = sprof("mem", "-o", "full.json", "-o", "m.svg", "--", "true").check(1)
    assert os.path.exists("m.svg") and "full.json" in result.err, result.err


def test_bad_input():
    gone = subprocess.Popen(["true"])
    gone.wait()
    for code, words, *said in (
            (64, (), "needs a process or a program"),
            (64, ("-p", os.getpid(), "--", "true"), "not both"),
            (64, ("-p", "x"), "list of them"),
            (64, ("-p", f"{os.getpid()},"), "list of them"),
            (64, ("-p", os.getpid(), "-o", "file.xyz"), ".csv"),
            (64, ("-p", os.getpid(), "--at", "noon"), "start"),
            (64, ("-p", os.getpid(), "-i", "0"), "interval"),
            (2, ("-p", os.getpid(), "-o", "no/such/folder/m.csv"), "no/such/folder"),
            (2, ("-p", f"{os.getpid()},{gone.pid}", "-d", "1s"), "no such process"),
            (2, ("-p", gone.pid), "no such process")):
        check_error(sprof("mem", *words), code, *said)


if __name__ == "__main__":
    main()
