#!/usr/bin/env python3
"""sprof top, driven through a terminal: every key does what `?` says, whatever the target does meanwhile."""

import os
import re
import shlex
import signal
import subprocess
import tempfile

from harness import (LIMIT, SPROF, Target, check_error, check_untouched, main, run, target, threads_of,
                     tool, tracer_of, wait_until)

SIZES = ((24, 80), (60, 200))


class Top:
    """sprof top in a terminal of tmux, until the `with` ends."""

    pressed = set()  # since somebody has cleared it

    def __init__(self, rows, columns, *args, before="", kind="screen-256color"):
        self.folder = tempfile.mkdtemp(prefix="tmux-", dir=".")
        self.status_file = os.path.abspath(f"{self.folder}/status")
        self.tmux = [tool("tmux"), "-f", "/dev/null", "-S", os.path.abspath(f"{self.folder}/sock")]
        words = shlex.join(str(word) for word in [SPROF, "top", *args])
        script = (f"stty -a > {self.folder}/before; {before} {words}; code=$?; stty -a > {self.folder}/after; "
                  f"echo $code > {self.status_file}.new; mv {self.status_file}.new {self.status_file}; exec cat")
        self.call("new-session", "-d", "-x", columns, "-y", rows, "env", f"TERM={kind}", "sh", "-c", script)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.call("kill-server")

    def call(self, *words):
        environment = {**os.environ, "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}
        result = subprocess.run([*self.tmux, *(str(word) for word in words)], capture_output=True, text=True,
                                timeout=LIMIT, check=False, env=environment)
        assert result.returncode == 0, (words, result.stderr)
        return result.stdout

    def screen(self):
        return self.call("capture-pane", "-p")

    def wait(self, pattern):
        """Until a line of the screen matches; returns the match."""
        found = wait_until(lambda: re.search(pattern, self.screen(), re.MULTILINE), f"{pattern!r} on the screen",
                           self.screen)
        return found

    def press(self, *keys):
        Top.pressed.update(keys)
        self.call("send-keys", *keys)

    def type(self, text):
        self.call("send-keys", "-l", text)

    def sequence(self, text):
        """Bytes as a terminal sends them, such as those of the mouse."""
        self.call("send-keys", "-H", *(f"{byte:x}" for byte in text.encode()))

    def click(self, row, column, button=0, times=1):
        """All at once: however busy the machine is, two clicks are near enough to each other."""
        event = f"\033[<{button};{column + 1};{row + 1}"
        self.sequence(f"{event}M{event}m" * times)

    def lines(self):
        return self.screen().split("\n")

    def row_of(self, pattern):
        return next(i for i, line in enumerate(self.lines()) if re.search(pattern, line))

    def chosen(self):
        """The selected line: the one that is bold and reversed. Attributes go on from line to line."""
        bold = reverse = False
        for line in self.call("capture-pane", "-p", "-e").split("\n"):
            at_begin = True
            for codes, text in re.findall(r"\033\[([\d;]*)m|([^\033]+)", line):
                for code in codes.split(";") if not text else ():
                    bold = code == "1" or (bold and code not in ("", "0", "22"))
                    reverse = code == "7" or (reverse and code not in ("", "0", "27"))
                if text and at_begin and bold and reverse:
                    return text.rstrip()
                at_begin &= not text
        return ""

    def wait_chosen(self, pattern):
        return wait_until(lambda: re.search(pattern, self.chosen()), f"{pattern!r} is chosen", self.screen)

    def status(self):
        """sprof's exit code; the terminal is as it was before."""
        wait_until(lambda: os.path.exists(self.status_file), "sprof ends", self.screen)
        with open(self.status_file, encoding="utf-8") as file:
            code = int(file.read())
        settings = []
        for name in ("before", "after"):
            with open(f"{self.folder}/{name}", encoding="utf-8") as file:
                settings.append(file.read())
        assert settings[0] == settings[1], "the terminal was left changed"
        return code


def settle(top, view):
    """The view, sorted and filtered as at the begin; figures come."""
    top.press("Escape", "Escape", str(view))
    top.wait(r"^running")
    top.wait(rf"\[{view} \w+\](?!.*  /)")


def freeze_threads(top):
    """The threads in the order of their ids, which stays; returns the ids from the top."""
    settle(top, 2)
    top.press("Space")
    top.wait(r"^frozen")
    for _ in range(9):
        before = top.wait(r"\[2 threads\].*  by (\S+)").group(1)
        if before == "TID":
            break
        top.press("o")
        top.wait(rf"  by (?!{re.escape(before)})")
    top.wait(r"by TID$")
    numbers = [int(number) for number in column_of_threads(top)]
    assert numbers == sorted(numbers, reverse=True) and len(numbers) >= 6, top.screen()
    return numbers


def thaw_threads(top):
    """By CPU%, as at the begin."""
    top.press("o")
    top.wait(r"  by CPU%$")
    top.press("Space")
    top.wait(r"^running")


def column_of_threads(top):
    return [line.split()[0] for line in top.lines() if re.match(r" *\d+ +[\d.]+ ", line)]


# What `?` says, and a test of it that presses these keys.
KEYS = {}


def says(keys, what):
    def add(check):
        KEYS[keys, what] = check
        return check

    return add


@says("1 2 3 4 5", "functions, threads, waits, call tree, one thread's stack")
def check_views(top):
    top.press("2")
    top.wait(r"\[2 threads\].*by CPU%")
    top.wait(r"^ *\d+ .*user +busy-0")
    top.wait(r"^ *\d+ .*sleep +asleep-0 +futex .*never\+0")
    top.press("3")
    top.wait(r"\[3 waits\].*by WAIT%")
    top.wait(r"condition variable never\+0 in asleep_worker")
    top.press("4")
    top.wait(r"\[4 tree\]")
    top.wait(r"- busy_worker$")
    top.press("5")
    top.wait(r"\[5 stack\]")
    top.wait(r"no thread is chosen")
    top.press("1")
    top.wait(r"\[1 functions\]")
    top.wait(r"[\d.]+ burn$")


@says("Tab", "the next view")
def check_next_view(top):
    for view in (2, 3, 4, 5, 1):
        top.press("Tab")
        top.wait(rf"\[{view} \w+\]")


def check_choices(top, *choices):
    """Keys, and which line is chosen then."""
    numbers = freeze_threads(top)
    for key, place in choices:
        top.press(key)
        top.wait_chosen(rf"^ *{numbers[place]} ")
    thaw_threads(top)


@says("Up Down, k j", "choose a line")
def check_lines(top):
    check_choices(top, ("g", 0), ("Down", 1), ("j", 2), ("k", 1), ("Up", 0), ("Up", 0))


@says("PgUp PgDn", "a page up or down")
def check_pages(top):
    check_choices(top, ("g", 0), ("NPage", -1), ("PPage", 0))


@says("Home End, g G", "the first or the last line")
def check_ends(top):
    check_choices(top, ("End", -1), ("Home", 0), ("G", -1), ("g", 0))


@says("Enter", "open the line: a thread's stack, a branch of the tree")
def check_open(top):
    settle(top, 2)
    top.press("/")
    top.type("asleep-0")
    top.press("Enter")
    top.wait(r"/asleep-0/")
    top.press("Enter")
    top.press("/", "C-u", "Enter")
    top.wait(r"\[5 stack\].*thread \d+ \(asleep-0\)")
    top.wait(r"asleep_worker$")
    top.press("4", "Home")
    top.wait_chosen(r" - ")
    top.press("Enter")
    top.wait_chosen(r" \+ ")
    top.press("Enter")
    top.wait_chosen(r" - ")
    top.press("1", "Enter")
    top.wait(r"Enter opens a thread \(2\) or a branch")


@says("+ -, Right Left", "unfold or fold a branch of the tree")
def check_branches(top):
    settle(top, 4)
    top.press("Home")
    for fold, unfold in (("-", "+"), ("Left", "Right")):
        top.press(fold)
        top.wait_chosen(r" \+ ")
        top.press(unfold)
        top.wait_chosen(r" - ")
    top.press("1", "+")
    top.wait(r"only the call tree")


@says("e c", "unfold or fold the whole tree")
def check_whole_tree(top):
    settle(top, 4)
    top.press("c")
    wait_until(lambda: not re.search("busy_worker", top.screen()), "the tree is folded", top.screen)
    top.press("e")
    top.wait(r" {2}burn$")


@says("o", "sort by the next column")
def check_sorting(top):
    freeze_threads(top)
    thaw_threads(top)
    titles = re.findall(r"[A-Z%]+", top.lines()[top.row_of(r"^ *TID ")])
    assert titles[:2] == ["TID", "CPU%"], titles


@says("r", "reverse the order")
def check_reversed(top):
    numbers = freeze_threads(top)
    top.press("r")
    top.wait(r"by TID, reversed")
    assert [int(number) for number in column_of_threads(top)] == sorted(numbers), top.screen()
    top.press("r")
    top.wait(r"by TID$")
    thaw_threads(top)


@says("/", "show only lines that match a pattern")
def check_filter(top):
    settle(top, 2)
    top.press("/")
    top.wait(r"^lines that match: _")
    top.type("ASLEEP-[12]x")
    top.press("BSpace", "Enter")
    top.wait(r"/ASLEEP-\[12\]/")
    wait_until(lambda: len(column_of_threads(top)) == 2, "two threads match", top.screen)
    assert "asleep-1" in top.screen() and "busy" not in top.screen().replace("busy_", ""), top.screen()
    top.press("/", "C-u")
    top.type("(")
    top.press("Enter")
    top.wait(r"'\(' is not a pattern")


@says("w", "figures of the last period, the last 10 s, or since the start")
def check_window(top):
    for pattern, words in ((r"^running, all \d+ s", "since the start"), (r"^running, last \d+\.\d s", "last period"),
                           (r"^running, last \d+\.\d s", "last 10 s")):
        top.press("w")
        top.wait(words)
        top.wait(pattern)


@says("Space", "freeze the screen; sampling continues")
def check_freeze(top):
    settle(top, 1)
    top.press("Space")
    top.wait(r"^frozen")
    top.press("w")
    before = seconds(top.wait(r"^frozen, all (\d+) s"))
    top.press("Space")
    after = seconds(wait_until(lambda: is_later(top, before), "time has gone on", top.screen))
    assert after > before
    top.press("w", "w")
    top.wait(r"^running, last \d")


def seconds(match):
    return int(match.group(1))


def is_later(top, before):
    match = re.search(r"^running, all (\d+) s", top.screen(), re.MULTILINE)
    return match if match and seconds(match) > before else None


@says("p", "pause sampling; the program continues")
def check_pause(top):
    settle(top, 1)
    top.press("p")
    top.wait(r"^paused")
    top.wait(r"paused: nothing is sampled")
    top.press("p")
    top.wait(r"^running")


@says("s", "save the time shown as a profile, in the format of the suffix")
def check_save(top):
    settle(top, 1)
    top.press("s")
    top.wait(r"^save to: \S+\.pb\.gz_")
    for name, begin in (("saved.folded", b"busy"), ("saved.pb.gz", b"\x1f\x8b"), ("saved.svg", b"<"), ("saved.html", b"<"),
                        ("saved.txt", b""), ("saved.json", b"{")):
        top.press("C-u")
        top.type(name)
        top.press("Enter")
        top.wait(rf"saved to {re.escape(name)}")
        with open(name, "rb") as file:
            content = file.read()
        assert content.lstrip().startswith(begin) or name == "saved.folded", (name, content[:80])
        assert b"busy_worker" in content or name == "saved.pb.gz", name
        top.press("s")
    assert re.search(r"busy_worker;burn \d+", run(SPROF, "report", "saved.pb.gz", "-f", "folded").check(0).text())
    top.press("C-u")
    top.type("saved.nothing")
    top.press("Enter")
    top.wait(r"names no format")
    top.press("s", "Escape")
    top.wait(r"^\? help")


@says("? h", "this help")
def check_help(top):
    for key in ("?", "h"):
        top.press(key)
        top.wait(r"^sprof top: keys")
        top.press(key)
        top.wait(r"\[\d \w+\]")
    top.press("x")
    top.wait(r"this key does nothing")


@says("Esc", "back: from the help, a stack, a filter")
def check_back(top):
    top.press("?")
    top.wait(r"^sprof top: keys")
    top.press("Escape")
    top.wait(r"\[\d \w+\]")
    top.press("2", "/")
    top.type("asleep-0")
    top.press("Enter")
    top.wait(r"/asleep-0/")
    top.press("Escape")
    wait_until(lambda: len(column_of_threads(top)) >= 6, "all threads are back", top.screen)
    top.press("Enter")
    top.wait(r"\[5 stack\]")
    top.press("Escape")
    top.wait(r"\[2 threads\]")


@says("q, Ctrl-C", "quit; the program continues")
def check_leaving(_):
    for key in ("q", "C-c"):
        victim = Target("threads", 1, 1)
        with Top(24, 80, "-p", victim.pid) as top:
            top.wait(r"^running")
            top.press(key)
            assert top.status() == 0
        check_untouched(victim.pid)
        victim.finish().check(0)


IN_TMUX = {"PgUp": "PPage", "PgDn": "NPage", "Esc": "Escape", "Ctrl-C": "C-c"}


def keys_of(words):
    """In the words of tmux."""
    return [IN_TMUX.get(word, word) for word in words.replace(",", " ").split()]


def rows_of_help(top):
    """What `?` says: (keys, what they do), without what is said of no key."""
    top.press("?")
    top.wait(r"^sprof top: keys")
    found = [(line[:16].rstrip(), line[17:]) for line in top.lines()[1:] if line[16:17] == " " and line[:16].strip()]
    top.press("Escape")
    return [row for row in found if not row[0].startswith(("Mouse:", "100 %"))]


def check_row(top, row):
    """Its test presses each of its keys."""
    Top.pressed.clear()
    KEYS[row](top)
    missing = set(keys_of(row[0])) - Top.pressed
    assert not missing, f"{row}: {missing} not pressed"


def check_every_key(rows, columns):
    victim = Target("threads", 2, 4)
    with Top(rows, columns, "-p", victim.pid, "-i", "500ms") as top:
        top.wait(r"\[1 functions\]")
        said = rows_of_help(top)
        assert said == list(KEYS), f"not tested, or not said: {set(said) ^ set(KEYS)}"
        for row in said:
            print(f"     {row[0]}: {row[1]}")
            check_row(top, row)
        top.press("q")
        assert top.status() == 0
    check_untouched(victim.pid)
    victim.finish().check(0)


def test_every_key_on_24x80():
    check_every_key(*SIZES[0])


def test_every_key_on_60x200():
    check_every_key(*SIZES[1])


def test_a_lock_and_who_holds_it():
    victim = Target("blocked", "mutex", 100 * LIMIT)
    with Top(24, 80, "-p", victim.pid, "-i", "500ms") as top:
        top.wait(r"\[1 functions\]")
        top.press("3")
        top.wait(r"^ *[\d.]+ +1 lock +long .*in \w+ +futex mutex ca.*short_waits")
        top.press("q")
        assert top.status() == 0
    victim.signal(signal.SIGKILL)
    victim.wait()


def test_mouse():
    victim = Target("threads", 1, 4)
    with Top(24, 80, "-p", victim.pid, "-i", "500ms", kind="xterm-256color") as top:
        top.wait(r"\[1 functions\]")
        top.click(top.row_of(r"\[1 functions\]"), 16)
        top.wait(r"\[2 threads\]")
        top.press("Space")
        top.wait(r"^frozen")
        titles = top.row_of(r"^ *TID ")
        top.click(titles, 4)
        top.wait(r"by TID")
        numbers = column_of_threads(top)
        top.click(titles + 3, 5)
        top.wait_chosen(rf"^ *{numbers[2]} ")
        top.click(titles + 3, 5, 65)
        top.wait_chosen(rf"^ *{numbers[3]} ")
        top.click(titles + 3, 5, 64)
        top.wait_chosen(rf"^ *{numbers[2]} ")
        top.click(titles + 3, 5, times=2)
        top.wait(rf"\[5 stack\].*thread {numbers[2]} ")
        top.press("q")
        assert top.status() == 0
    victim.finish()


def test_sizes():
    victim = Target("threads", 1, 4)
    with Top(24, 80, "-p", victim.pid, "-i", "500ms") as top:
        top.wait(r"\[1 functions\]")
        for rows, columns in ((60, 200), (10, 40), (6, 30), (3, 20), (2, 10), (24, 80)):
            top.call("resize-window", "-x", columns, "-y", rows)
            top.wait(r"burn" if rows > 3 else r"\? help")
            top.press("2")
            if rows > 4:
                top.wait(r"\[2 threads\]")
            assert all(len(line) <= columns for line in top.lines())
            top.press("1")
        top.press("q")
        assert top.status() == 0
    victim.finish()


def test_a_program_that_ends():
    with Top(24, 80, "--", "sh", "-c", "echo kept$((1))words; exit 3") as top:
        top.wait(r"^ended with exit code 3")
        assert "kept1words" not in top.screen()
        top.press("2")
        top.wait(r"\[2 threads\]")
        top.press("q")
        assert top.status() == 3
        top.wait(r"^kept1words$")


def test_the_program_outlives_the_screen():
    with Top(24, 80, "--", "sh", "-c", "while sleep 0.05; do echo output; done", before="trap : INT;") as top:
        top.wait(r"^running")
        top.press("q")
        top.wait(r"^output$")
        top.press("C-c")
        assert top.status() == 130


def test_a_process_that_ends():
    victim = Target("threads", 1, 1)
    with Top(24, 80, "-p", victim.pid) as top:
        top.wait(r"^running")
        victim.finish().check(0)
        top.wait(r"^ended")
        top.press("C-c")
        assert top.status() == 0


def test_sampling_that_ends_before_the_processes():
    one, other = Target("threads", 1, 1), Target("threads", 1, 1)
    with Top(24, 80, "-p", f"{one.pid},{other.pid}", "-r", "4", "-d", "3s") as top:
        top.wait(r"^\w.*, last .* s, only \d+ samples? \(±\d+ points\): ")
        top.wait(r" 6 threads")
        top.wait(r"sprof \d+\.\d % of a CPU$")
        top.press("2")
        for tid in (*threads_of(one.pid), *threads_of(other.pid)):
            top.wait(rf"^ *{tid} ")
        top.wait(r"^sampling has ended")
        top.press("q")
        assert top.status() == 0
    for victim in (one, other):
        check_untouched(victim.pid)
        victim.finish().check(0)


def test_a_hundred_threads_are_born():
    victim = Target("threads", 0, 1)
    with Top(24, 80, "-p", victim.pid, "-i", "500ms") as top:
        top.wait(r" 2 threads")
        victim.say("b\n" * 100)
        top.wait(r" 102 threads")
        top.press("2")
        top.wait(r"late-\d+")
        top.press("q")
        assert top.status() == 0
    assert len(threads_of(victim.pid)) == 102
    check_untouched(victim.pid)
    victim.finish()


def test_execs():
    victim = Target("execs")
    with Top(24, 80, "-p", victim.pid, "-i", "500ms") as top:
        top.wait(r"^running")
        top.press("2")
        top.wait(r"\[2 threads\]")
        top.wait(r"^ *\d+ .* exe")
        top.press("q")
        assert top.status() == 0
    victim.finish()


def test_a_signal_gives_the_terminal_back():
    for number, code in ((signal.SIGTERM, 0), (signal.SIGHUP, 0), (signal.SIGQUIT, 0)):
        victim = Target("threads", 1, 1)
        with Top(24, 80, "-p", victim.pid) as top:
            top.wait(r"^running")
            os.kill(tracer_of(victim.pid), number)
            assert top.status() == code, number
        check_untouched(victim.pid)
        victim.finish()


def test_a_signal_after_the_end():
    with Top(24, 80, "--", target("exit-code"), "5") as top:
        top.wait(r"^ended")
        pid = int(top.call("list-panes", "-F", "#{pane_pid}"))
        child = run("pgrep", "-P", str(pid)).check(0).text().split()[0]
        os.kill(int(child), signal.SIGTERM)
        assert top.status() == 5


def test_without_a_terminal():
    check_error(run("setsid", "-w", SPROF, "top", "--", "true"), 64, "needs a terminal")
    check_error(run(SPROF, "top", "-p", str(os.getpid())), 64, "stdout is not one")
    check_error(run(SPROF, "top"), 64, "needs a program to start")
    check_error(run(SPROF, "top", "-i", "1ms", "--", "true"), 64, "at least 500ms")


def test_a_refused_process():
    with Top(24, 80, "-p", "999999999") as top:
        assert top.status() != 0
        top.wait(r"sprof: ")


if __name__ == "__main__":
    main()
