"""sprof run where a shell puts programs: in pipelines, under timeout and nohup, in the background of an
interactive shell, with closed streams. Each script says the same with sprof in it as without."""

import os
import pty
import re
import select
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "e2e"))
import harness  # noqa: E402
from harness import LIMIT, SPROF, main, run, state_of, tool, wait_until  # noqa: E402

OURS = f"{SPROF} run -q -r 999 -o x.folded --"
CTRL_Z = b"\x1a"
LONG = "sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; echo done; exit 3'"


def script_result(script, prefix):
    """What it prints and returns, without the shell's own word about a death by signal: of sprof it
    sees the exit code for that, as from another shell."""
    result = run(tool("bash"), "-c", script, env={**os.environ, "S": prefix})
    errors = re.sub(r"(?m)^.*: line 1: +[0-9]+ (Killed|Terminated|Hangup).*$", "", result.err)
    return result.code, result.out, errors.strip()


def check_script(script):
    """The script with $S before its program, natively and under sprof."""
    native, watched = script_result(script, ""), script_result(script, OURS)
    assert native == watched, f"{script}\nnatively {native}\nunder sprof {watched}"


def test_pipelines():
    check_script(f"$S {LONG} | cat; echo ${{PIPESTATUS[@]}}")
    check_script("seq 20000 | $S sort -n | tail -1; echo ${PIPESTATUS[@]}")
    check_script("$S seq 1000000 | head -2; echo ${PIPESTATUS[@]}")
    check_script("$S yes | head -1000 | md5sum; echo ${PIPESTATUS[@]}")
    check_script("seq 100000 | $S head -1; echo ${PIPESTATUS[*]:1}")


def test_a_shell_in_it():
    check_script("$S bash -c 'for i in 1 2 3; do (exit $i); echo $?; done | cat; exec false'; echo $?")
    check_script("$S bash -c 'trap \"echo got\" USR1; kill -USR1 $$; kill -9 $$'; echo $?")
    check_script("$S bash -c 'sleep 0.2 & wait $!; echo $?; sleep 5 & kill $!; wait $!; echo $?'")


# Signals timeout, which leads the process group, once it waits: the program has begun then, on a slow machine, too. Right
# behind its fork, it would end without its child.
SIGNAL_TIMEOUT = ("read -ra own </proc/$$/stat; until read -ra its </proc/${own[4]}/stat; [ ${its[2]} = S ]; do :; done; "
                  "kill -%s ${own[4]}")
TIME_IS_OVER = SIGNAL_TIMEOUT % "ALRM"


def test_timeout_around_it():
    for how in "", "-s INT", "-s HUP":
        check_script(f"timeout {how} 100 $S bash -c '{TIME_IS_OVER}; exec sleep 30'; echo $?")
    check_script("timeout --foreground 0.4 $S sleep 30; echo $?")
    check_script(f"timeout -k 0.3 100 $S bash -c 'trap \"\" TERM; {TIME_IS_OVER}; while :; do :; done' 2>/dev/null; echo $?")


def test_timeout_in_it():
    check_script("$S timeout 0.3 sleep 30; echo $?")
    check_script("$S timeout -s KILL 0.3 bash -c 'while :; do :; done'; echo $?")
    check_script(f"$S timeout -k 0.2 100 bash -c 'trap \"\" TERM; {SIGNAL_TIMEOUT % 'TERM'}; while :; do :; done'; echo $?")


def test_nohup():
    check_script(f"nohup $S {LONG} </dev/null 2>/dev/null; echo $?")
    check_script("nohup $S bash -c 'kill -HUP $$; echo still here' </dev/null 2>/dev/null; echo $?")
    check_script("$S nohup bash -c 'kill -HUP $$; echo still here' </dev/null 2>/dev/null; echo $?")


def test_closed_streams():
    for streams in ("<&-", ">&-", "2>&-", "<&- >&-", "<&- >&- 2>&-"):
        check_script(f"$S ls -l /proc/self/fd {streams} | wc -l; echo ${{PIPESTATUS[0]}}")
        check_script(f"$S sh -c 'echo out; echo err >&2; exit 4' {streams}; echo $?")


def test_background_of_a_script():
    check_script(f"$S {LONG} & wait $!; echo $?")
    check_script("$S sleep 30 & sleep 0.3; kill $!; wait $! 2>/dev/null; echo $?")
    check_script("(trap '' INT; $S sh -c 'kill -INT $$; echo survived')")


def expect(terminal, text, wanted):
    """Reads up to the wanted word. A shell that is just starting its program may miss a key."""
    said, begin = b"", time.monotonic()
    while wanted not in said:
        assert time.monotonic() < begin + LIMIT, f"after {text}, no {wanted} in {said}"
        if select.select([terminal], [], [], 1)[0]:
            said += os.read(terminal, 4096)
        elif text == CTRL_Z:
            os.write(terminal, text)


def is_stopped(shell):
    """
    Whether all that the shell has started stands still. The shell sees sprof stop, and the program may get a CPU
    for its own stop a moment later: until then it reads what is typed.
    """
    try:
        return all(state_of(pid) in "TtZ" for pid in harness._descendants(shell))  # pylint: disable=protected-access
    except (FileNotFoundError, ProcessLookupError):
        return False


def converse(prefix, typed):
    """Types each text into an interactive bash on a terminal of its own and waits for its answer."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(PS1="", S=prefix, TERM="dumb")
        os.execl("/bin/bash", "bash", "--norc", "--noprofile", "--noediting", "-i")
    for text, wanted in typed:
        os.write(terminal, text)
        expect(terminal, text, wanted)
        if text == CTRL_Z:
            wait_until(lambda: is_stopped(pid), "the program stops")
    os.write(terminal, b"exit 17\n")
    try:
        while os.read(terminal, 4096):
            pass
    except OSError:
        pass
    status = os.waitpid(pid, 0)[1]
    os.close(terminal)
    return os.waitstatus_to_exitcode(status)


INTERACTIVE = [
    (b"stty -echo; echo \"<$((6*7))>\"\n", b"<42>"),
    # In the background, waited for.
    (b"$S sh -c 'sleep 0.2; exit 6' & wait $!; echo \"<$?>\"\n", b"<6>"),
    # Stopped, looked at, continued behind, and brought to the front.
    (b"$S sh -c 'echo begun; read x; echo \"has $x\"; exit 5'\n", b"begun"),
    (CTRL_Z, b"Stopped"),
    (b"jobs; echo \"<end $?>\"\n", b"<end 0>"),
    (b"fg >/dev/null\nword\n", b"has word"),
    (b"echo \"<$?>\"\n", b"<5>"),
    # Reads from the terminal in the background: stopped by it.
    (b"$S sh -c 'read x; echo \"late $x\"' &\n", b""),
    (b"until jobs | grep -q Stopped; do sleep 0.02; done; echo '<stopped>'\n", b"<stopped>"),
    (b"fg >/dev/null\nline\n", b"late line"),
    (b"echo \"<$?>\"\n", b"<0>"),
    # Ctrl-C and Ctrl-\.
    (b"$S sh -c 'echo begun; exec sleep 100'\n", b"begun"),
    (b"\x03", b""),
    (b"echo \"<$?>\"\n", b"<130>"),
    (b"$S sh -c 'trap \"echo caught; exit 8\" INT; echo begun; while :; do :; done'\n", b"begun"),
    (b"\x03", b"caught"),
    (b"echo \"<$?>\"\n", b"<8>"),
    # Stopped, and killed while it is.
    (b"$S sh -c 'echo begun; exec sleep 100'\n", b"begun"),
    (CTRL_Z, b"Stopped"),
    # (A wait may still see it as stopped, which is 148. bash 5.3 looks at it again only when another child has ended.)
    (b"kill -TERM %+; until wait %+ 2>/dev/null; [ $? != 148 ]; do sleep 0.02; done; wait %+ 2>/dev/null; "
     b"echo '<gone>'\n", b"<gone>"),
]


def test_interactive_bash():
    assert converse("", INTERACTIVE) == 17
    assert converse(OURS, INTERACTIVE) == 17


if __name__ == "__main__":
    main()
