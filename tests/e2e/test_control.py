"""`--control`, `--start-off` and SIGUSR2: sampling goes on and off while the program runs."""

import json
import os
import select
import signal
import sys

from harness import (LIMIT, SPROF, Attached, Program, Target, check_error, check_near, main, read_folded, run, sprof,
                     wait_for_cpu, wait_until)

# Orders its own sampling around its hot phases, and says for how long it was on.
PROGRAM = """
import os, sys, time
lines, acks = int(sys.argv[1]), int(sys.argv[2])

def order(line):
    os.write(lines, line.encode() + b"\\n")
    assert os.read(acks, 4) == b"ack\\n"

def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(range(2000))

def now():
    return [time.monotonic(), time.thread_time()]

# On between the two answers, and no longer than from the first order to the last answer.
least, most = [0, 0], [0, 0]
order("ping")
burn(0.4)
for _ in range(3):
    before = now()
    order("enable")
    begin = now()
    burn(0.4)
    time.sleep(0.1)
    end = now()
    order("disable")
    least = [sum + to - since for sum, since, to in zip(least, begin, end)]
    most = [sum + to - since for sum, since, to in zip(most, before, now())]
    burn(0.2)
print(*least, *most)
"""


class Channel:
    """Two pipes, as sprof gets them."""

    def __init__(self):
        self.read, self.write = os.pipe()
        self.ack_read, self.ack_write = os.pipe()
        self.all = (self.read, self.write, self.ack_read, self.ack_write)
        self.value = f"fd:{self.read},{self.ack_write}"

    def say(self, text):
        os.write(self.write, text.encode())

    def take_acks(self, count):
        text = b""
        while len(text) < 4 * count:
            assert select.select([self.ack_read], [], [], LIMIT)[0], f"no answer behind {text}"
            text += os.read(self.ack_read, 4 * count - len(text))
        assert text == b"ack\n" * count, text

    def order(self, *lines):
        self.say("".join(line + "\n" for line in lines))
        self.take_acks(len(lines))

    def has_acks(self):
        return bool(select.select([self.ack_read], [], [], 0)[0])


def read_stats(path="x.json"):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def thread_time():
    """The times of the only thread, in us."""
    return read_folded("x.folded").total


def test_a_program_orders_its_own_sampling():
    channel = Channel()
    with open("program.py", "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    result = run(SPROF, "run", "--start-off", "--control", channel.value, "-o", "x.folded", "-o", "x.txt", "--stats", "x.json",
                 "--", sys.executable, "program.py", channel.write, channel.ack_read, pass_fds=channel.all)
    result.check(0)
    least, _, most, _ = (float(word) * 1e6 for word in result.text().split())
    stats = read_stats()
    for found in (thread_time(), stats["duration_ns"] / 1e3):
        assert 0.9 * least <= found <= 1.1 * most, (least, found, most)
    # Before, between and behind: 0.4 + 3 * 0.2 s of work, and the interpreter's begin and end.
    assert stats["off_ns"] > 0.9e9, stats
    with open("x.txt", encoding="utf-8") as file:
        assert ", with sampling off for another " in file.read()


def test_only_the_cpu_time_of_the_hot_phase():
    channel = Channel()
    with open("program.py", "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    result = run(SPROF, "run", "--start-off", "--control", channel.value, "--mode", "cpu", "-o", "x.folded", "--weight", "user",
                 "--", sys.executable, "program.py", channel.write, channel.ack_read, pass_fds=channel.all)
    result.check(0)
    _, least, _, most = (float(word) * 1e6 for word in result.text().split())
    assert 0.8 * least <= thread_time() <= 1.1 * most, (least, thread_time(), most)


def test_lines_are_answered_and_stop_ends():
    program, channel = Target("spin-two"), Channel()
    attached = Attached(program.pid, "--control", channel.value, "-o", "x.folded", "--stats", "x.json", pass_fds=channel.all)
    channel.order("ping")
    channel.order("disable", "ping", "enable", "snapshot", "disable", "enable")
    wait_until(lambda: os.path.exists("x.folded"), "the snapshot")
    # A line in two parts, empty ones, and those that nobody knows: one message, no answer.
    channel.say("pi")
    channel.say("ng\n\n \r\nwarm up\nping now\n" + 5000 * "x" + "\nping\r\n")
    channel.take_acks(2)
    assert not channel.has_acks()
    wait_for_cpu(program.pid, 0.3)
    channel.order("stop")
    result = attached.finish()
    result.check(0)
    assert result.err.count("--control knows") == 1 and "'warm up'" in result.err, result.err
    program.finish().check(0)


def test_many_lines_lose_nothing():
    program, channel = Target("spin-two"), Channel()
    attached = Attached(program.pid, "--control", channel.value, "-o", "x.folded", pass_fds=channel.all)
    for _ in range(20):
        channel.order(*["disable", "enable"] * 10)
    wait_for_cpu(program.pid, 0.2)
    attached.stop().check(0)
    assert thread_time() > 0
    program.finish().check(0)


def test_a_signal_switches():
    program = Target("spin-two")
    attached = Attached(program.pid, "--start-off", "-o", "x.folded", "--stats", "x.json")
    wait_for_cpu(program.pid, 0.3)
    attached.signal(signal.SIGUSR2)
    wait_for_cpu(program.pid, 0.5)
    attached.signal(signal.SIGUSR2)
    wait_for_cpu(program.pid, 0.3)
    attached.stop().check(0)
    stats = read_stats()
    assert stats["duration_ns"] > 0.2e9 and stats["off_ns"] > 0.2e9, stats
    check_near(thread_time(), stats["duration_ns"] / 1e3, 0.3 * stats["duration_ns"] / 1e3, "wall time, in us")
    program.finish().check(0)


def test_a_fifo():
    program = Target("spin-two")
    os.mkfifo("lines")
    os.mkfifo("acks")
    attached = Attached(program.pid, "--control", "fifo:lines,acks", "--start-off", "-o", "x.folded")
    acks = os.open("acks", os.O_RDONLY)
    # Each writer is another one: the end of one is not the end of the channel.
    for line in ("enable", "ping"):
        with open("lines", "w", encoding="utf-8") as file:
            file.write(line + "\n")
        assert os.read(acks, 4) == b"ack\n"
    wait_for_cpu(program.pid, 0.3)
    with open("lines", "w", encoding="utf-8") as file:
        file.write("stop\n")
    assert os.read(acks, 4) == b"ack\n"
    attached.finish().check(0)
    assert thread_time() > 1e5
    os.close(acks)
    program.finish().check(0)


def test_a_channel_that_closes_changes_nothing():
    program, channel = Target("spin-two"), Channel()
    attached = Attached(program.pid, "--control", channel.value, "-o", "x.folded", pass_fds=(channel.read, channel.ack_write))
    channel.order("disable")
    # Nobody reads answers, and the last line has no end.
    os.close(channel.ack_read)
    channel.say("ping\nping\nenable")
    os.close(channel.write)
    os.close(channel.read)
    os.close(channel.ack_write)
    wait_for_cpu(program.pid, 0.3)
    result = attached.stop()
    result.check(0)
    assert not result.err, result.err
    assert thread_time() > 1e5
    program.finish().check(0)


def test_lines_behind_the_end_are_answered():
    channel = Channel()
    script = f"echo ping >&{channel.write}; read a <&{channel.ack_read}; echo stop >&{channel.write}; read a <&{channel.ack_read}; " \
             f"echo enable >&{channel.write}; read b <&{channel.ack_read}; echo $a $b"
    result = run(SPROF, "run", "--control", channel.value, "-o", "x.txt", "--", "bash", "-c", script, pass_fds=channel.all)
    result.check(0)
    assert result.text() == "ack ack\n", result.text()


def test_never_switched_on():
    result = sprof("run", "--start-off", "-o", "x.txt", "--", "true")
    result.check(0)
    assert "no samples: sampling was not switched on before true ended" in result.err, result.err
    program = Target("spin-two")
    result = sprof("attach", "-p", program.pid, "--start-off", "-d", "100ms", "-o", "x.folded")
    check_error(result, 1, "sampling was not switched on")
    program.finish().check(0)


def test_bad_values():
    program = Program(["sleep", "1000"])
    with open("file", "w", encoding="utf-8"):
        pass
    for value, words in (("x", "must be fd:N"), ("fd:", "must be fd:N"), ("fd:777", "descriptor 777 is not open"),
                         ("fd:0,x", "must be fd:N"), ("fifo:none", "No such file"), ("fifo:file", "is not a fifo"),
                         ("fifo:/", "is not a fifo")):
        check_error(sprof("attach", "-p", program.pid, "--control", value), 64, "--control", words)
        check_error(sprof("run", "--control", value, "true"), 64, "--control", words)
    for delay in ("--delay", "--from"):
        check_error(sprof("run", "--start-off", delay, "1s", "true"), 64, "--start-off excludes")
    program.signal(signal.SIGKILL)
    program.wait()


if __name__ == "__main__":
    main()
