"""--why: the critical path of programs that say how long each of their functions took (tests/targets/critical.c)."""

import json
import os
import signal

from harness import (Program, SPROF, as_plain_user, check_error, main, own_sprof, run, sprof, state_of, target,
                     wait_until, with_tracefs, without_tracefs)

FAILED, USAGE = 2, 64
MS = 1_000_000
# By shape: functions that are on the path, with their threads, how often, and for how long each.
ON_PATH = {
    "pipeline": {"sort": ("sorter", 20, 25), "load": ("loader", 1, 2), "parse": ("parser", 1, 5), "store": ("storer", 1, 12)},
    "fork": {"task_long": ("worker", 1, 500)},
    "phases": {"first_phase": ("worker", 1, 200), "second_phase": ("worker", 1, 300)},
    "chain": {"inner": ("holder", 1, 300), "outer": ("middle", 1, 40), "waiting": ("waiter", 1, 60)},
    "server": {"serve": ("server", 20, 15), "ask": ("critical", 20, 5)},
    "child": {"task_long": ("critical", 1, 500)},
}


class Path:
    """The critical path in x.json, and what the program said."""

    def __init__(self, text=None):
        with open("x.json", encoding="utf-8") as file:
            profile = json.load(file)
        self.names = [function["name"] for function in profile["functions"]]
        self.path = profile["critical_path"]
        self.truth = json.loads(text) if text else {}
        self.length = self.path["length_ns"]
        self.rows = self.path["rows"]
        # Every moment is on the path once.
        assert sum(row["ns"] for row in self.rows) == self.length, self.path

    def is_of(self, row, function):
        return any(row[which] is not None and self.names[row[which]] == function for which in ("function", "caller"))

    def of(self, function, thread=None):
        """All rows of a function, or of what it called."""
        return [row for row in self.rows if self.is_of(row, function) and thread in (None, row["thread"])]

    def time_of(self, function):
        return sum(row["ns"] for row in self.of(function))

    def unsure(self):
        """What depends on the machine, and not on the program."""
        return sum(row["ns"] for row in self.rows if row["kind"] in ("queue", "lost") or row["waker"] == "sprof")

    def without(self, function):
        found = [saving for saving in self.path["savings"] if saving["function"] is not None and self.is_of(saving, function)]
        assert len(found) == 1, (function, self.path["savings"])
        return found[0]


def record(*words, options=()):
    result = run(*with_tracefs(), SPROF, "run", "--why", "-q", *options, "-o", "x.json", "--", target("critical"), *words)
    return Path(result.check(0).out)


def record_calm(*words, most_unsure=0.05, has_wakers=True):
    """
    The path, and whether its figures can be judged: on a busy machine, records are lost, and the waits for a CPU decide. What
    must hold on any machine is asserted here, of each recording.
    """
    for _ in range(5):
        path = record(*words)
        assert path.truth["length"] <= path.length, (path.truth, path.length)
        for name, truth_ns in path.truth.items():
            assert name == "length" or path.time_of(name) <= truth_ns, (name, path.path, path.truth)
        for saving in path.path["savings"]:
            assert not path.path["lost_ns"] and saving["saved_ns"] <= path.length, path.path
        if (not path.path["lost_ns"] and path.unsure() <= most_unsure * path.length and
                not (has_wakers and path.path["unwoken_ns"])):
            return path, True
    print(f"     (a busy machine: the figures of {words} are not judged)")
    return path, False


def check_whole(path):
    assert not path.path["lost_ns"] and not path.path["is_cut"] and not path.path["broken"], path.path
    # From main's begin to its end, and what comes before and behind.
    assert path.truth["length"] <= path.length, (path.truth, path.length)


def test_paths():
    for shape, functions in ON_PATH.items():
        path, is_calm = record_calm(shape)
        if not is_calm:
            continue
        check_whole(path)
        for name, (thread, times, each) in functions.items():
            rows = [row for row in path.of(name, thread) if row["kind"] == "sleep"]
            spent = sum(row["ns"] for row in rows)
            # Of an interrupt on an idle CPU, perf has no record now and then.
            assert {row["waker"] for row in rows} <= {"interrupt", "unknown"}, (shape, name, rows)
            pieces = sum(row["pieces"] for row in rows)
            # A short one, or the first of many, may end while another thread is being born.
            assert pieces == times or pieces == times - 1 and (times > 1 or each < 10), (shape, name, rows)
            # It falls asleep a little after it asked for its nap.
            # Another process does not say how long it took.
            assert pieces * each * MS <= spent + 2 * MS, (shape, name, rows, path.truth)
            assert spent <= path.truth.get(name, path.length), (shape, name, rows, path.truth)
            # Only its wait for a CPU, if any, is another row.
            if name in path.truth and times > 1 and shape == "pipeline":
                assert spent <= path.truth[name] <= spent + path.unsure() + path.length / 50, (shape, name, path.truth)


def test_a_lock_that_is_passed_on():
    """Eight threads hold it for 10 ms, four times each: the path is with its holders."""
    path, is_calm = record_calm("locks")
    if not is_calm:
        return
    check_whole(path)
    held = sum(row["ns"] for row in path.of("guarded"))
    # Before all of them are born, the lock may be free.
    assert held <= path.truth["guarded"], (path.path, path.truth)
    # What is left are naps before they take it: a busy machine makes each of them longer.
    alone = sum(row["ns"] for row in path.of("alone"))
    assert held + alone > path.length - path.unsure() - path.length / 20 and held > alone, (path.path, path.truth)
    wakings = [w for w in path.path["wakings"] if w["thread"] == w["by"] == "worker"]
    assert wakings and 20 <= wakings[0]["times"] <= 32, path.path["wakings"]


SAVINGS = (("pipeline", "sort"), ("fork", "task_long"), ("phases", "second_phase"), ("chain", "inner"), ("server", "serve"),
           ("locks", "guarded"))


def test_savings():
    """No more than the function took. bench/truths/why.py compares them with real runs without it."""
    for shape, function in SAVINGS:
        path, is_calm = record_calm(shape)
        if not is_calm:
            continue
        saving = path.without(function)
        # Another process does not say how long it took.
        assert 0 < saving["saved_ns"] <= path.truth.get(function, path.length), (shape, saving, path.truth)
        assert saving["length_ns"] < path.length, (shape, saving, path.length)
        assert record(shape, function).truth["length"] and saving["next"], (shape, saving)


def test_work_on_a_cpu():
    """It has the thread's CPU time, however long that took; its waits for a CPU are their own row."""
    path, is_calm = record_calm("busy")
    if not is_calm:
        return
    check_whole(path)
    ran = sum(row["ns"] for row in path.of("burn", "burner") if row["kind"] == "run")
    assert 490 * MS <= ran <= path.truth["burn"], (path.path, path.truth)
    assert ran + path.unsure() >= path.truth["burn"] - path.length / 50, (path.path, path.truth)


def test_short_threads():
    """Threads without a sample: their pieces have no function, but their time is on the path."""
    path, is_calm = record_calm("short", most_unsure=0.5)
    if not is_calm:
        return
    assert path.truth["length"] <= path.length, (path.truth, path.length)
    nap = sum(row["ns"] for row in path.of("task_short"))
    assert 200 * MS <= nap <= path.truth["task_short"], (path.path, path.truth)
    assert path.path["unwoken_ns"] <= path.length / 50, path.path
    started = [w for w in path.path["wakings"] if w["by"] == "short"]
    assert started and started[0]["times"] > 100, path.path["wakings"]


def traced_by(program):
    """The process that sprof has started."""
    for task in os.listdir(f"/proc/{program.pid}/task"):
        with open(f"/proc/{program.pid}/task/{task}/children", encoding="ascii") as file:
            for child in file.read().split():
                return int(child)
    return None


def stop_beside_sleepers(program, target_pid):
    """A thread that sprof has stopped would wait for it."""
    program.signal(signal.SIGSTOP)
    wait_until(lambda: state_of(program.pid) == "T", "sprof is stopped")
    if all(state_of(target_pid, tid) == "S" for tid in os.listdir(f"/proc/{target_pid}/task")):
        return True
    program.signal(signal.SIGCONT)
    return False


def test_lost_records():
    """sprof stands still, and the rings overflow: the path says for how long it is not known."""
    program = Program([*with_tracefs(), SPROF, "run", "--why", "-q", "-o", "x.json", "--", target("critical"), "turns"])
    assert program.line() == "begin"
    target_pid = wait_until(lambda: traced_by(program), "the target")
    wait_until(lambda: stop_beside_sleepers(program, target_pid), "sprof is stopped, and no thread by it")
    program.say("\n")
    assert program.line() == "end"
    program.signal(signal.SIGCONT)
    program.say("\n")
    program.finish().check(0)
    path = Path()
    assert path.path["lost_ns"] > path.length / 10, path.path
    lost = [row for row in path.rows if row["kind"] == "lost"]
    assert sum(row["ns"] for row in lost) == path.path["lost_ns"], path.path


def test_attach():
    program = Program([target("critical"), "turns"])
    assert program.line() == "begin"
    program.say("\n")
    result = run(*with_tracefs(), SPROF, "attach", "--why", "-q", "-p", program.pid, "-d", "300ms", "-o", "x.json")
    assert program.line() == "end"
    program.say("\n")
    program.finish().check(0)
    assert not result.check(0).err, result.err
    path = Path()
    assert 100 * MS <= path.length <= 30_000 * MS, path.path
    assert {row["thread"] for row in path.rows} & {"ping", "pong"}, path.path


def test_summary():
    result = run(*with_tracefs(), SPROF, "run", "--why", "-f", "summary", "-o", "x.txt", "--", target("critical"), "pipeline")
    result.check(0)
    with open("x.txt", encoding="utf-8") as file:
        text = file.read()
    for words in ("critical   ", "sort > nap in sorter, clock_nanosleep", "saves <=   ", "without sort > nap in sorter",
                  "woken      "):
        assert words in text, (words, text)
    assert all(len(line) <= 80 for line in text.splitlines()), text


def test_network():
    """TCP on one machine: which thread has sent what came is not known."""
    path, is_calm = record_calm("tcp", has_wakers=False)
    if not is_calm:
        return
    waits = [row for row in path.rows if row["waker"] == "soft interrupt" and row["thread"] == "critical"]
    waited = sum(row["ns"] for row in waits)
    assert waited >= path.truth["serve"] - path.unsure() - path.length / 50, path.path
    assert path.path["unwoken_ns"] >= waited, path.path
    assert not any(path.is_of(saving, "tcp") for saving in path.path["savings"] if saving["function"] is not None), path.path
    result = run(*with_tracefs(), SPROF, "run", "--why", "-f", "summary", "-o", "x.txt", "--", target("critical"), "tcp")
    result.check(0)
    with open("x.txt", encoding="utf-8") as file:
        text = " ".join(file.read().split())
    assert "of the path were waits that an interrupt ended: what made it is not known" in text, text
    assert "were decided by" not in text, text


def test_outputs_without_the_path():
    for options, is_hidden in ((["-o", "x.pb.gz"], True), (["-f", "folded", "-o", "x.txt"], True),
                               (["-o", "x.html"], True), (["-o", "x.pb.gz", "-o", "x.json"], False)):
        result = run(*with_tracefs(), SPROF, "run", "--why", *options, "--", "true")
        result.check(0)
        assert ("no output shows the critical path" in result.err) == is_hidden, (options, result.err)


def test_refused():
    check_error(run(*without_tracefs(), SPROF, "run", "--why", "--", "true"), FAILED, "--why", "tracefs")
    check_error(run(own_sprof(), "run", "--why", "--", "true", **as_plain_user()), FAILED, "--why")
    check_error(sprof("run", "--why", "--mode", "wait", "--", "true"), USAGE, "--why", "--mode")


if __name__ == "__main__":
    main()
