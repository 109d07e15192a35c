"""What a beginner gets wrong, and the words that help: one line that says what is wrong, and a hint."""

import os
import subprocess

from harness import SPROF, Program, main, run, sprof, tool, wait_until
from subjects import build

WORDS = (
    # What was typed; the exit code; what has to be said.
    (["run", "--", "/tmp"], 2, ["it is a directory, not a program"]),
    (["run", "--", "./lost-interpreter"], 2, ["its interpreter /no/such/shell doesn't exist"]),
    (["run", "--", "./dos"], 2, ["its first line ends with CR LF", "sed -i"]),
    (["run", "--", "./lost-loader"], 2, ["its dynamic loader doesn't exist", "readelf -l"]),
    (["run", "--", "./plain"], 2, ["Permission denied", "chmod +x"]),
    (["run", "--", "no-such-program"], 2, ["there is no 'no-such-program' in PATH"]),
    (["run", "--", "plain"], 2, ["there is no 'plain' in PATH"]),
    (["run", "-d", "0", "--", "true"], 64, ["--duration 0: must be longer than 0"]),
    (["run", "-d", "10x", "--", "true"], 64, ["a number of seconds, or with units, such as 10, 500ms, 1m30s"]),
    (["attach", "-pid", "1"], 64, ["--pid id: not an id, nor a list of them", "did you mean --pid?"]),
    (["report", "-p", "1", "-p", "2"], 64, ["--pid 2: is a second process; 1 was the first"]),
    (["attach", "-p", "1,"], 64, ["--pid 1,: not an id, nor a list of them"]),
    (["attach", "-p", "1", "--tid", "2"], 64, ["--pid and --tid exclude each other"]),
    (["attach", "--tid", "2", "--children"], 64, ["--children and --tid exclude each other"]),
    (["attach", "-p", "1", "--newest"], 64, ["--newest needs --name"]),
    (["attach", "--name", "x", "--newest", "--all"], 64, ["--all and --newest exclude each other"]),
    (["attach", "--name", "("], 64, ["--name: not a regular expression: ("]),
    (["run", "--durtion", "1s", "--", "true"], 64, ["unknown option --durtion", "did you mean --duration?"]),
    (["attatch", "-p", "1"], 64, ["unknown command attatch", "did you mean: sprof attach?"]),
    (["ls", "-l"], 64, ["unknown command ls", "to profile it: sprof run -- ls -l"]),
    (["qwrtz"], 64, ["unknown command qwrtz", "sprof --help"]),
    (["run", "-o", "/etc", "--", "true"], 2, ["can't write /etc: Is a directory", "name a file in it: /etc/profile.pb.gz"]),
    (["run", "-o", "/etc/", "-f", "text", "--", "true"], 2, ["can't write /etc/: Is a directory", "/etc/profile.pb.gz"]),
    (["run", "--stats", "-o", "x", "--", "true"], 64, ["--stats -o: is an option, not a value", "./-o"]),
    (["run", "-o", "-f", "text", "--", "true"], 64, ["--output -f: is an option, not a file"]),
    (["run", "--focus", "(", "--", "true"], 64, ["--focus (: not a regular expression"]),
    (["run", "-f", "text", "--focus", "nowhere", "--", "./work", "0.1"], 1,
     ["no function matches --focus nowhere", "the heaviest are: ", "inner"]),
    (["run", "-f", "text", "--thread", "nobody", "--", "./work", "0.1"], 1,
     ["no thread matches --thread nobody", "the threads are: work"]),
    (["run", "-f", "text", "--label", "rank=7", "--", "./work", "0.1"], 1,
     ["no sample has a label that matches --label rank=7", "the labels of this profile: "]),
    (["report", "empty"], 2, ["empty: not a saved profile: it is empty", "sprof run -o profile.pb.gz"]),
    (["report", "difference.folded"], 2, ["each line of folded stacks has two numbers: a difference", "sprof diff"]),
    (["report", "torn.folded"], 2, ["torn.folded: line 3 of folded stacks ends with no whole number"]),
    (["report", "perf.data"], 2, ["it is a file in perf's own format", "perf script -F +pid -i perf.data | sprof report -"]),
    (["report", "x.txt"], 2, ["it is text"]),
    (["report", "x.html"], 2, ["it is a page for a browser"]),
    (["report", "plain"], 2, ["it is text"]),
    (["report"], 64, ["report needs a profile", "it shows the last recording, and there is none"]),
)


def script(name, text, mode=0o755):
    with open(name, "w", encoding="utf-8", newline="") as file:
        file.write(text)
    os.chmod(name, mode)


def prepare():
    script("lost-interpreter", "#!/no/such/shell -e\ntrue\n")
    script("dos", "#!/bin/sh\r\ntrue\r\n")
    script("plain", "nothing\n", 0o644)
    script("empty", "")
    script("difference.folded", "main;work 1 2\nmain 3 4\n")
    script("torn.folded", "main;work 1\n\nmain;wo\n")
    script("perf.data", "PERFILE2\1\2")
    with open(tool("true"), "rb") as file:
        text = file.read()
    with open("lost-loader", "wb") as file:
        file.write(text.replace(b"/lib64/ld-linux-x86-64.so.2", b"/lib64/ld-nowhere-86-64.so.2"[:27])
                   .replace(b"/lib/ld-linux-aarch64.so.1", b"/lib/ld-nowhere-rch64.so.1"))
    os.chmod("lost-loader", 0o755)
    build("work")
    sprof("run", "-o", "x.folded", "-o", "x.txt", "-o", "x.html", "--", "./work", "0.1").check(0)


def test_words():
    prepare()
    wrong = []
    for words, code, expected in WORDS:
        result = sprof(*words)
        text = result.err + result.out.decode(errors="replace")
        if result.code != code or any(part not in text for part in expected):
            wrong.append((words, result.code, expected, result.err))
    assert not wrong, "\n".join(map(str, wrong))


def test_a_unit_is_not_needed():
    for duration in ("0.2", "200ms", "0m0.2s"):
        sprof("run", "-o", "x.folded", "-d", duration, "--", tool("sleep"), "0.3").check(0)


def test_nothing_is_lost_by_a_filter():
    build("work")
    result = sprof("run", "-o", "x.folded", "--focus", "nowhere", "--", "./work", "0.2")
    result.check(1)
    with open("x.folded", encoding="utf-8") as file:
        assert "inner" in file.read()
    sprof("run", "-o", "x.folded", "--focus", "inner", "--", "./work", "0.2").check(0)
    with open("x.folded", encoding="utf-8") as file:
        assert all("inner" in line for line in file)


def test_kernel_stacks_without_the_right():
    """Who may not read the kernel's stacks is told so before the run."""
    command = [SPROF, "run", "--kernel", "stack", "-o", "/dev/null", "-f", "folded", "--", tool("true")]
    words = "--kernel stack needs root"
    if os.getuid() == 0:
        assert words not in run(*command).check(0).err
        command = [tool("setpriv"), "--bounding-set=-all", "--inh-caps=-all", *command]
    assert words in run(*command).check(0).err


def test_nobody_reads():
    """As when flamegraph.pl is not there: before the run, or at its end with what was measured kept."""
    cache = os.path.abspath("cache")
    pipe = os.pipe()
    os.close(pipe[0])
    result = run(SPROF, "run", "--", tool("true"), stdout=pipe[1])
    assert result.code == 2 and "stdout has no reader" in result.err and "FlameGraph" in result.err, result.err
    os.close(pipe[1])
    reader, writer = os.pipe()
    build("work")
    program = Program(["env", f"XDG_CACHE_HOME={cache}", SPROF, "run", "--", "sh", "-c",
                       "echo begun >&2; exec ./work 0.3"], stdin=subprocess.DEVNULL, stdout=writer)
    os.close(writer)
    wait_until(lambda: "begun" in program.stderr(), "the program runs")
    os.close(reader)
    result = program.finish()
    assert result.code == 2 and "sprof report shows it" in result.err, (result.code, result.err)
    report = run("env", f"XDG_CACHE_HOME={cache}", SPROF, "report").check(0).text()
    assert "inner" in report, report


def test_a_pipe_gets_folded_stacks_and_a_terminal_is_told():
    build("work")
    result = sprof("run", "--", "./work", "0.2").check(0)
    assert b";inner" in result.out and "folded" not in result.err, result.err
    result = sprof("run", "-v", "--", "./work", "0.2").check(0)
    assert "stdout is not a terminal, so it gets folded stacks; -f text writes the report" in result.err


if __name__ == "__main__":
    main()
