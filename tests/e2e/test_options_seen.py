"""
Each option of each command, from one table: what shows that it was heard. An option of the help that has no row here fails, and
so does a row of an option that there is no more. Nothing here depends on how long something takes: what is seen is what is
written of made profiles, and of a program that sleeps; or that a wrong value is refused in the option's name.
"""

import os
import re

import made
from harness import Program, main, require_switches, sprof, status_field, wait_until

COMMANDS = ("run attach report diff merge annotate heap trace syscalls dump calls top symbols mem rundelay events").split()
SHOWING = "report diff merge annotate"
RECORDING = "run attach"
NAMING = f"{RECORDING} heap trace syscalls dump top symbols"
CHOOSING = "attach heap trace syscalls dump calls top symbols mem rundelay"
LAUNCHING = "heap trace syscalls calls top mem"

# Of each command: the words before and behind its options. {pid} is a shell with a child, both asleep.
LINES = {
    "run": ([], ["--", "sleep", "0.5"]),
    "attach": (["-p", "{pid}", "-d", "100ms"], []),
    "report": ([], ["small.pb.gz"]),
    "diff": ([], ["small.pb.gz", "changed.pb.gz"]),
    "merge": (["-o", "written.folded"], ["small.pb.gz"]),
    "annotate": ([], ["main", "small.pb.gz"]),
    "heap": (["--source", "ptrace"], ["--", "true"]),
    "trace": (["-e", "syscalls:sys_enter_mmap", "-e", "syscalls:sys_exit_mmap"], ["--", "true"]),
    "syscalls": (["--source", "ptrace"], ["--", "sh", "-c", "true | true"]),
    "dump": (["-p", "{pid}"], []),
    "calls": (["-F", "no_such_function"], ["--", "true"]),
    "top": ([], ["--", "true"]),
    "symbols": ([], [os.environ.get("SPROF", "sprof")]),
    "mem": ([], ["--", "true"]),
    "rundelay": (["--source", "proc"], ["--", "true"]),
    "events": ([], []),
}


# Accepted as before, but not documented: what belongs to `report`, and what another option says.
FILTERS = "focus-dso ignore-dso hide-dso"
NAMES = "no-inlines no-demangle debuginfod-limit"
SHAPES = (f"{FILTERS} focus ignore hide charge-callers thread state label top no-pager threads own all-code callers callees sort "
          "columns percentage depth unfold min per-thread report-mode nodes colour wait-frames weight")
LATE = "sysmap debuginfod debuginfod-limit trust-paths"
HIDDEN = {
    "run": f"{SHAPES} {NAMES} from to no-python timeline-max",
    "attach": f"{SHAPES} {NAMES} from to no-python timeline-max",
    "report": f"{FILTERS} debuginfod-limit parent report-mode nodes colour unfold no-pager no-children verbose",
    "diff": f"{FILTERS} {LATE} charge-callers threads no-pager verbose",
    "merge": f"{FILTERS} {LATE} focus ignore hide charge-callers thread state label pid from to weight debug-dir verbose",
    "annotate": f"{FILTERS} {LATE} ignore hide charge-callers label verbose",
    "calls": "overhead",
    "heap": f"{NAMES} overhead growth older no-pager threads",
    "trace": f"{NAMES} perins rate",
    "syscalls": f"{NAMES} perins rate",
    "dump": f"{NAMES} no-python verbose",
    "top": f"{NAMES} verbose",
    "symbols": f"{NAMES} address verbose",
    "rundelay": "perins mmap-pages",
    "events": "quiet verbose",
}


class Fails:
    """It is refused, with these words."""

    def __init__(self, words, codes=(64, 2)):
        self.words, self.codes = words, codes

    def check(self, given, _plain):
        assert given.code in self.codes and re.search(self.words, given.err), (given.code, given.err, given.text()[:300])


class Says:
    """Only with it, there are these words."""

    def __init__(self, words):
        self.words = words

    def check(self, given, plain):
        assert re.search(self.words, given.everything), (self.words, given.everything[:2000])
        assert not re.search(self.words, plain.everything), (self.words, plain.everything[:2000])


class Lacks(Says):
    """Only without it, there are these words."""

    def check(self, given, plain):
        super().check(plain, given)


class Differs:
    """What is written is something else."""

    def check(self, given, plain):
        assert given.code == plain.code == 0, (given.err, plain.err)
        assert given.everything != plain.everything, given.everything[:300]


class Moves:
    """Stdout gets nothing any more."""

    def check(self, given, plain):
        assert given.code == plain.code == 0 and plain.out, (given.err, plain.err)
        assert not given.out and len(given.everything) > len(given.err), given.everything[:300]


DIFFERS = Differs()
NEEDS_PID = Fails("--children needs --pid")
# It is the text report that has it: that takes the place of the folded stacks.
REPORT = Says(r"(?m)^flat profile|^  target |stacks that match|callers of each|callees of each|waited for|waits")


def values(commands, options, wrong="-1", words="not|must|above|wrong"):
    """Options whose value is read: a wrong one is refused in their names."""
    return [(commands, option, [f"--{option}={wrong}"], (), Fails(f"--{option} .*({words})")) for option in options.split()]


# Commands, option, the words that give it, words beside it that are there without it too, what shows it.
ROWS = [
    # What is shown of a profile.
    (SHOWING, "focus", ["--focus", "parse|walk"], (), DIFFERS),
    (SHOWING, "ignore", ["--ignore", "walk"], (), DIFFERS),
    ("report merge annotate", "hide", ["--hide", "lib_sync|walk"], (), DIFFERS),
    ("diff", "hide", ["--hide", "lib_sync|walk"], ("--shares",), DIFFERS),
    ("report merge", "charge-callers", ["--charge-callers"], (), DIFFERS),
    ("diff", "charge-callers", ["--charge-callers"], ("--shares",), DIFFERS),
    ("annotate", "charge-callers", ["--charge-callers"], ("store", "small.pb.gz"), DIFFERS),
    ("report", "own", ["--own", "main"], ("-f", "summary"), DIFFERS),
    ("report", "all-code", ["--all-code"], ("-f", "summary"), DIFFERS),
    (SHOWING, "focus-dso", ["--focus-dso", "libmade"], (), DIFFERS),
    (SHOWING, "ignore-dso", ["--ignore-dso", "libmade"], (), DIFFERS),
    ("report merge", "hide-dso", ["--hide-dso", "libmade"], (), DIFFERS),
    ("diff", "hide-dso", ["--hide-dso", "libmade"], ("--shares",), DIFFERS),
    ("annotate", "hide-dso", ["--hide-dso", "libmade"], ("store", "small.pb.gz"), DIFFERS),
    (SHOWING, "focus", ["--focus", "@libmade"], (), DIFFERS),
    (SHOWING, "ignore", ["--ignore", "@libmade"], (), DIFFERS),
    ("report merge", "hide", ["--hide", "@libmade"], (), DIFFERS),
    (SHOWING, "thread", ["--thread", "writer"], (), DIFFERS),
    (SHOWING, "state", ["--state", "user,disk"], (), DIFFERS),
    (SHOWING, "label", ["--label", "rank=1"], (), DIFFERS),
    (SHOWING, "pid", ["-p", "100"], (), DIFFERS),
    (SHOWING, "from", ["--from", "1s"], (), Fails("time")),
    (SHOWING, "to", ["--to", "1s"], (), Fails("time")),
    (RECORDING, "focus", ["--focus", "zzz"], (), Says("no function matches --focus zzz")),
    (RECORDING, "ignore", ["--ignore", "."], (), Says("no sample is left by the filters")),
    (RECORDING, "hide", ["--hide", "clock_nanosleep|wait4"], (), Lacks(r"\[(clock_nanosleep|wait4)\]")),
    (RECORDING, "charge-callers", ["--charge-callers"], (), Lacks("nanosleep|wait4")),
    (RECORDING, "own", ["--own", "("], (), Fails("not a regular expression")),
    (RECORDING, "all-code", ["--all-code", "--own", "x"], (), Fails("all-code")),
    (RECORDING, "focus-dso", ["--focus-dso", "zzz"], (), Says("zzz")),
    (RECORDING, "ignore-dso", ["--ignore-dso", "libc"], ("--focus-dso", "libc"), Says("no sample is left by the filters")),
    (RECORDING, "hide-dso", ["--hide-dso", "libc"], (), Lacks("__libc_start_main")),
    (RECORDING, "thread", ["--thread", "zzz"], (), Says("no thread matches --thread zzz")),
    (RECORDING, "state", ["--state", "stopped"], (), Says("no sample")),
    (RECORDING, "label", ["--label", "no=x"], (), Says("no sample has a label")),
    ("report diff annotate", "weight", ["--weight", "user"], (), DIFFERS),
    ("merge", "weight", ["--weight", "user"], (), DIFFERS),
    *values("run attach heap", "weight", "zzz", "not one of"),
    ("syscalls", "weight", ["--weight", "user"], (), Fails("--weight needs")),
    # The report.
    ("report", "full", ["--full"], ("large.pb.gz",), DIFFERS),
    ("diff", "full", ["--full"], ("small.pb.gz", "large.pb.gz"), DIFFERS),
    ("report", "top", ["--top", "1"], (), DIFFERS),
    ("diff", "top", ["--top", "1"], ("--shares",), DIFFERS),
    (RECORDING, "full", ["--full"], (), REPORT),
    ("heap", "full", ["--full"], (), DIFFERS),
    (RECORDING, "top", ["--top", "1"], (), REPORT),
    (RECORDING, "no-pager", ["--no-pager"], (), REPORT),
    *values("heap diff", "top", "0"),
    ("report diff", "threads", ["--threads"], ("-f", "folded"), DIFFERS),
    (RECORDING, "threads", ["--threads"], (), Says(r"(?m)^(sleep|sh)-\d+/\d+;")),
    ("heap", "threads", ["--threads"], ("-f", "folded"), Says(r"(?m)^true-\d+/\d+;")),
    ("report", "waits", ["--waits"], (), DIFFERS),
    (RECORDING, "waits", ["--waits=no"], (), Fails("not one of ticks, exact")),
    (RECORDING, "why", ["--why"], ("--mode", "wait"), Fails("--why wants the whole run")),
    (RECORDING, "waits", ["--waits"], (), REPORT),
    ("report", "callers", ["--callers", "walk"], (), DIFFERS),
    ("report", "callees", ["--callees", "store"], (), DIFFERS),
    ("report", "sort", ["--sort", "total"], (), DIFFERS),
    ("report", "columns", ["--columns", "self"], (), DIFFERS),
    ("report", "percentage", ["--percentage", "absolute"], ("--focus", "parse"), DIFFERS),
    ("report", "depth", ["--depth", "1"], (), DIFFERS),
    ("report", "unfold", ["--unfold"], (), DIFFERS),
    ("report", "min", ["--min", "50"], (), DIFFERS),
    ("report", "per-thread", ["--per-thread"], (), DIFFERS),
    ("report", "top", ["--top", "1"], ("-f", "dot"), DIFFERS),
    ("report", "report-mode", ["--report-mode", "per-thread"], (), DIFFERS),
    ("report", "nodes", ["--nodes", "1"], ("-f", "dot"), DIFFERS),
    ("report", "colour", ["--colour", "self"], ("-f", "dot"), DIFFERS),
    ("report", "wait-frames", ["--wait-frames"], ("-f", "folded", "nap.pb.gz"), DIFFERS),
    *((RECORDING, name, [f"--{name}", "nanosleep|wait4"], (), REPORT) for name in ("callers", "callees")),
    (RECORDING, "sort", ["--sort", "total"], (), REPORT),
    (RECORDING, "columns", ["--columns", "self"], (), REPORT),
    (RECORDING, "percentage", ["--percentage", "absolute"], (), REPORT),
    (RECORDING, "depth", ["--depth", "1"], (), REPORT),
    (RECORDING, "unfold", ["--unfold"], (), REPORT),
    (RECORDING, "min", ["--min", "50"], (), REPORT),
    (RECORDING, "per-thread", ["--per-thread"], (), REPORT),
    (RECORDING, "report-mode", ["--report-mode", "per-thread"], (), REPORT),
    *values(RECORDING, "nodes", "0"),
    *values(RECORDING, "colour", "red", "not one of"),
    (RECORDING, "wait-frames", ["--wait-frames"], (), Says(r";\[(clock_nanosleep|wait4)\];")),
    ("report", "by", ["--by", "pid"], (), DIFFERS),
    ("report", "by", ["--by", "parent=store"], (), DIFFERS),
    ("report", "parent", ["--parent", "store"], (), DIFFERS),
    ("report", "no-children", ["--no-children"], (), DIFFERS),
    ("report", "call-graph", ["-g", "caller"], (), Lacks("callee graph")),
    ("report", "call-graph", ["--call-graph", "graph,0.5,callee"], (), Lacks("caller graph")),
    ("diff", "absolute", ["--absolute"], ("--shares",), DIFFERS),
    ("diff", "shares", ["--shares"], (), DIFFERS),
    ("diff", "fail-if", ["--fail-if", "wall(parse) > +5%"], (), Says("runs? before")),
    ("diff", "level", ["--level", "3"], (), Fails("--level needs --fail-if")),
    ("diff", "junit", ["--junit", "x"], (), Fails("--junit needs --fail-if")),
    ("diff", "markdown", ["--markdown", "x"], (), Fails("--markdown needs --fail-if")),
    ("annotate", "json", ["--json"], (), DIFFERS),
    ("annotate", "asm", ["--asm"], (), Fails("--asm: can't read /usr/bin/made")),
    ("annotate", "source-dir", ["--source-dir", "/no-such"], (), Fails("--source-dir /no-such: not a folder")),
    # Names.
    *values(f"{NAMING} calls report", "names", "long", "not one of"),
    ("report", "names", ["--names", "short"], ("templates.pb.gz",), DIFFERS),
    *values(NAMING, "names", "short,long", "not one of"),
    ("report diff annotate", "debuginfod", ["--debuginfod=5s"], (), Fails("--debuginfod 5s: DEBUGINFOD_URLS")),
    (NAMING + " report diff merge annotate", "debug-dir", ["--debug-dir", "/no-such"], (), Fails("--debug-dir /no-such: No such")),
    (NAMING + " report diff merge annotate", "sysmap", ["--sysmap", "/no-such"], (), Fails("--sysmap /no-such: No such")),
    (NAMING + " report diff merge annotate", "debuginfod", ["--debuginfod"], (), Fails("--debuginfod: DEBUGINFOD_URLS")),
    (NAMING + " report diff merge annotate", "debuginfod-limit", ["--debuginfod-limit", "1s"], (), Fails("needs --debuginfod")),
    # Outputs.
    ("run attach report diff heap syscalls", "output", ["-o", "written.txt"], (), Moves()),
    ("merge", "output", ["-o", "written.txt"], (), DIFFERS),
    ("run attach report diff heap syscalls merge", "format", ["-f", "nothing"], (), Fails("no such format")),
    (RECORDING, "stats", ["--stats", "written.txt"], (), Says("ticks_late")),
    ("rundelay", "output", ["-o", "x.svg"], (), Fails("text or JSON")),
    ("calls", "output", ["-o", "x.svg"], (), Fails("text, JSON or DOT")),
    ("trace", "output", ["-o", "x.svg"], (), Fails("text or JSON")),
    ("mem", "output", ["-o", "x.bmp"], (), Fails("x.bmp: its suffix is none")),
    ("trace syscalls mem rundelay", "json", ["--json"], (), Says(r"(?m)^\{")),
    ("dump", "json", ["--json"], (), Says(r"(?m)^\{")),
    ("heap", "json", ["--json"], (), Fails("--json needs --exact")),
    ("calls", "json", ["--json", "--tree"], (), Fails("--json and --tree exclude")),
    # Recording.
    *values(RECORDING + " top trace syscalls", "rate", "0", "not a rate"),
    *values(RECORDING + " top", "max-overhead", "0", "percent"),
    (RECORDING, "rate", ["-r", "50"], ("-f", "text"), Says("at 50 Hz")),
    *values("run attach heap trace syscalls rundelay", "source", "x", "not one of"),
    *values("run attach heap trace syscalls calls mem rundelay top", "duration", "0", "longer than 0"),
    ("run", "delay", ["--delay", "1h"], (), Says("ended before the delay was over")),
    ("run", "from", ["--from", "1h"], (), Says("ended before the delay was over")),
    ("attach", "delay", ["--delay", "1h", "--to", "1s"], (), Fails("--to is not after")),
    (RECORDING, "from", ["--from", "2s", "--to", "1s"], (), Fails("--to is not after --from")),
    (RECORDING, "to", ["--to", "1s", "--from", "2s"], (), Fails("--to is not after --from")),
    # sh takes no notice of the words behind its script.
    ("run", "wait", ["--wait"], ("--", "sh", "-c", "sleep 0.5 & exit 0"), Lacks("1 process .*--wait")),
    (RECORDING, "control", ["--control", "fifo:/no-such"], (), Fails("/no-such: No such")),
    (RECORDING, "start-off", ["--start-off"], (), Says("sampling was not switched on")),
    (RECORDING, "every", ["--every", "1s"], ("-o", "written.txt"), Says("again and again")),
    (RECORDING, "max-depth", ["--max-depth", "1"], (), Lacks("__libc_start_main")),
    *values("dump", "max-depth", "0"),
    (RECORDING, "mode", ["--mode", "cpu"], (), Lacks(r"\[(clock_nanosleep|wait4)\]")),
    *values(RECORDING + " dump", "python", "x", "not one of"),
    (RECORDING, "kernel", ["--kernel", "none"], (), Lacks(r"\[(clock_nanosleep|wait4)\]")),
    *values(RECORDING, "max-stacks", "0"),
    *values(RECORDING, "timeline-max", "0"),
    *values(RECORDING, "time-slices", "0"),
    (RECORDING, "faults", ["--faults"], ("-f", "json"), Says('"weight":"faults"')),
    *values(RECORDING, "faults", "x", "not a number"),
    ("attach", "pid", ["--tid", "1"], (), Fails("--pid and --tid exclude")),
    *((CHOOSING, option, ["--tid", "1", "--name", "x"], (), Fails("--(pid|tid) and --(tid|name) exclude")) for option in ("tid", "name")),
    (CHOOSING, "newest", ["--newest"], (), Fails("--newest needs --name")),
    ("attach top dump mem syscalls", "all", ["--all"], (), Fails("--all needs --name")),
    ("attach", "children", ["--children", "--tid", "1"], (), Fails("exclude each other")),
    # What is watched.
    *values(LAUNCHING + " symbols rundelay", "pid", "0", "not an id"),
    (LAUNCHING, "children", ["--children"], (), NEEDS_PID),
    (LAUNCHING, "no-children", ["--no-children", "-p", "1"], (), Fails("--no-children and --pid exclude")),
    ("heap", "growth", ["--growth", "--exact"], (), Fails("exclude each other")),
    ("heap", "exact", ["--exact"], (), Fails("--source and --exact exclude")),
    ("heap", "rate", ["--rate"], (), Fails("--source and --rate exclude")),
    ("heap", "max-overhead", ["--max-overhead", "3"], (), Fails("--max-overhead needs --rate")),
    ("heap", "overhead", ["--overhead", "3"], (), Fails("--overhead needs --rate")),
    ("heap", "period", ["--period", "3", "--exact"], (), Fails("exclude each other")),
    ("heap", "live", ["--live"], (), Fails("--live needs --exact")),
    *values("heap", "live", "x", "not a time"),
    ("heap", "older", ["--older", "1s"], (), Fails("--older needs --live")),
    ("heap", "sizes", ["--sizes"], (), Fails("--sizes needs --exact")),
    ("syscalls", "event", ["-e", "execve"], (), Lacks("(?m)^(mmap|write|pipe2?) ")),
    ("syscalls", "than", ["--than", "10us"], (), Says("than")),
    ("syscalls", "per-thread", ["--per-thread"], (), Says("(?m)^thread +comm")),
    ("syscalls", "perins", ["--perins"], (), Says("(?m)^thread +comm")),
    ("syscalls", "stack", ["--stack"], (), Says("(?m)^  #0 ")),
    ("syscalls trace", "sample", ["--sample"], (), Says("(?m)^verdict")),
    *values("syscalls trace", "sample", "x", "not a rate"),
    *values("syscalls trace rundelay mem", "interval", "x", "not a time"),
    *values("dump top", "interval", "x", "not a time"),
    ("trace", "event", ["-e", "no:such"], (), Fails("no:such|no event")),
    ("trace", "key", ["-k", "no_such"], (), Fails("no_such")),
    ("trace", "cycle", ["--cycle"], (), Says("sys_exit_mmap +=> +sys_enter_mmap")),
    *values("trace", "impl", "x", "not one of"),
    *values("trace", "than lower", "x", "not a time"),
    ("trace", "per-thread", ["--per-thread"], (), Says("(?m)^thread +comm")),
    ("trace", "perins", ["--perins"], (), Says("(?m)^thread +comm")),
    ("trace", "detail", ["--detail", "all"], (), Fails("--detail needs")),
    ("trace syscalls", "heatmap", ["--heatmap", "/no-such/x"], (), Fails("/no-such/x")),
    ("rundelay", "heatmap", ["--heatmap", "x"], (), Fails("--source proc has no single delays for --heatmap")),
    ("rundelay", "detail", ["--detail", "all"], (), Fails("--detail needs --than")),
    ("trace", "limit", ["--limit", "3"], (), Fails("--limit needs --impl call-delay")),
    ("calls", "function", ["-F", "a,,b"], (), Fails("missing")),
    ("calls", "count", ["--count", "--overhead", "3"], (), Fails("--overhead and --count exclude")),
    *values("calls", "max-overhead overhead", "x"),
    *values("calls", "sort", "x", "not one of"),
    *values("calls", "top", "0"),
    ("calls", "tree", ["--tree", "--json"], (), Fails("--json and --tree exclude")),
    ("calls", "path", ["--path", "f", "--json"], (), Fails("--json and --path exclude")),
    ("calls", "timeline", ["--timeline", "/no-such/x"], (), Fails("/no-such/x")),
    ("calls", "limit", ["--limit", "3"], (), Fails("--limit needs")),
    ("dump", "pid", ["--core", "x"], (), Fails("--core and --pid exclude")),
    ("dump", "core", ["--core", "x"], (), Fails("--core and --pid exclude")),
    ("dump", "exe", ["--exe", "x"], (), Fails("--exe needs --core")),
    ("dump", "children", ["--children"], (), Says(r"\(sleep\)")),
    *values("dump", "times", "0"),
    ("symbols", "address", ["--address", "0x0"], (), Says("(?m)^0x0$")),
    ("symbols", "addresses", ["--addresses", "file"], (), Fails("--addresses needs --pid")),
    ("symbols", "all", ["--all"], (), DIFFERS),
    ("symbols", "verify", ["--verify", "-p", "1"], (), Fails("--verify and --pid exclude")),
    ("mem", "at", ["--at", "start"], (), Fails("--at needs --libs or --maps")),
    *values("rundelay", "than", "x", "unit"),
    *values("rundelay trace", "mmap-pages", "3", "power of two"),
    ("rundelay", "filter", ["--filter", "no-such"], (), Says("no thread has such a name")),
    # Of all commands.
    (" ".join(COMMANDS), "help", ["--help"], (), Says("^Usage: sprof ")),
]


# What needs a program of its own to be seen, and the test that has one, or a test of the same row. -q and -v are about
# stderr alone.
ELSEWHERE = {
    "no-children": ("run", "test_endings.py"),
    "cpus": (RECORDING, "test_kernel_source.py"),
    "goroutines": (RECORDING, "test_go.py"),
    "no-python": (RECORDING + " dump", "test_python.py"),
    "no-inlines": (NAMING, "test_names.py"),
    "no-demangle": (NAMING, "test_names.py"),
    "locals": ("dump", "test_dump_locals.py"),
    "trust-paths": (SHOWING, "test_late_names.py"),
    "no-pager": ("report diff heap", "test_terminals.py"),
    "per-thread": ("calls rundelay", "test_calls.py"),
    "libs": ("mem", "test_mem.py"),
    "maps": ("mem", "test_mem.py"),
    "perins": ("rundelay", "test_rundelay.py"),
    "quiet": (" ".join(COMMANDS), "test_cli.py"),
    "verbose": (" ".join(COMMANDS), "test_cli.py"),
}


class Outcome:
    """What a command has written, to wherever."""

    def __init__(self, result):
        self.code, self.err, self.out = result.code, result.err, result.text()
        self.everything = self.out + self.err
        for name in ("written.folded", "written.txt"):
            if os.path.exists(name):
                with open(name, encoding="utf-8", errors="replace") as file:
                    self.everything += file.read()
                os.remove(name)

    def text(self):
        return self.out


def prepare():
    """The profiles, and a process with a child, both asleep; its pid."""
    made.small("small.pb.gz")
    made.small("changed.pb.gz", factor=3)
    made.large("large.pb.gz")
    made.templates("templates.pb.gz")
    sprof("run", "-q", "-o", "nap.pb.gz", "--", "sleep", "0.5").check(0)
    shell = Program(["sh", "-c", "sh -c 'echo $$; exec sleep 1000'; exit 0"])
    child = shell.line()
    wait_until(lambda: status_field(child, "Name") == "sleep", "the shell's child sleeps")
    return shell.pid


def words_of(command, words, pid):
    """A file among the words takes the place of the line's own."""
    before, behind = LINES[command]
    files = [word for word in words if word.endswith(".pb.gz")]
    if files:
        behind = []
    if command == "merge" and "-o" in words:
        before = []
    return [command, *(word.format(pid=pid) for word in before), *words, *behind]


def outcome(command, words, pid):
    environment = {**os.environ, "DEBUGINFOD_URLS": ""}
    return Outcome(sprof(*words_of(command, words, pid), env=environment))


def options_of(command):
    """What the completions offer, the rows of its tables that help lists; and what is hidden."""
    text = sprof("--complete", command, "--").check(0).text()
    shown = {line.split("\t")[0].removeprefix("--") for line in text.splitlines() if line.startswith("--")}
    hidden = set(HIDDEN.get(command, "").split())
    assert not shown & hidden, (command, shown & hidden)
    return shown | hidden


def test_every_option_has_a_row():
    for command in COMMANDS:
        rows = {option for commands, option, *_ in ROWS if command in commands.split()}
        rows |= {option for option, (commands, _) in ELSEWHERE.items() if command in commands.split()}
        assert options_of(command) == rows, (command, "without a row:", options_of(command) - rows,
                                             "no option:", rows - options_of(command))


def test_other_tests_have_the_rest():
    for option, (_, file) in ELSEWHERE.items():
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), file), encoding="utf-8") as text:
            assert re.search(rf"--{option}\b|\"-{option[0]}\"", text.read()), (option, file)


def check_rows(chosen):
    pid, plain, wrong = prepare(), {}, []
    for commands, option, words, beside, evidence in ROWS:
        for command in set(commands.split()) & set(chosen):
            key = (command, tuple(beside))
            if not isinstance(evidence, Fails) and key not in plain:
                plain[key] = outcome(command, list(beside), pid)
            try:
                evidence.check(outcome(command, [*words, *beside], pid), plain.get(key))
            except AssertionError as error:
                wrong.append(f"{command} --{option}: {type(evidence).__name__} {str(error)[:400]}")
    assert not wrong, "\n".join(wrong)


def test_options_of_run_are_seen():
    require_switches()  # for --faults
    check_rows(["run"])


def test_options_of_attach_are_seen():
    require_switches()
    check_rows(["attach"])


def test_options_of_all_other_commands_are_seen():
    check_rows(COMMANDS[2:])


if __name__ == "__main__":
    main()
