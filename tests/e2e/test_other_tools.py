"""Command lines of people who know perf, perf-prof, strace, ltrace, py-spy, gdb, valgrind, uftrace or samply, with sprof in the
place of the tool's name: each works, or one line says what to type here.

    python3 test_other_tools.py       as any other test; the table is also what is measured for documents
"""

import re

import made
from harness import Program, main, sprof

# The line; "works", or the words of the answer. {pid} is a sleeping shell's.
LINES = (
    # perf
    ("record -- true", "works"),
    ("record -g -F 99 -o a.pb.gz -- true", "works"),
    ("record -F 99 --call-graph dwarf -o perf.pb.gz true", "works"),
    ("record --call-graph=fp -o b.pb.gz true", "works"),
    ("record -F 99 -g -p {pid} -o c.pb.gz -- sleep 0.2", "works"),
    ("record -p {pid} -d 200ms -o d.pb.gz", "works"),
    ("record -a -g sleep 1", "perf record -a does that"),
    ("record -e cycles -- true", "perf record counts hardware events"),
    ("record -c 10000 -- true", "sprof has a rate instead: -r HZ"),
    ("record -t {pid} -- sleep 0.5", "works"),
    ("record -g -o e.pb.gz true -p 1", "works"),
    ("record --names short -o f.pb.gz -- true", "works"),
    ("attach -p {pid} -d 200ms -tq -o g.pb.gz", "works"),
    ("report -g made.pb.gz", "works"),
    ("report -g missing.pb.gz", "missing.pb.gz"),
    ("report -i missing.pb.gz made.pb.gz", "another file is given"),
    ("report -i made.pb.gz --stdio", "works"),
    ("report -i made.pb.gz --stdio --children --no-children -g caller -G", "works"),
    ("report --sort dso,self -i made.pb.gz --stdio", "works"),
    ("report --no-children -i made.pb.gz -g", "works"),
    ("report --tui -i made.pb.gz", "sprof report FILE -o page.html"),
    ("annotate --stdio parse", "leave it out"),
    ("diff made.pb.gz made.pb.gz", "works"),
    ("stat -- true", "sprof run -- PROGRAM; perf stat counts"),
    ("script -i made.pb.gz", "sprof report -f folded"),
    ("sched timehist", "sprof rundelay"),
    ("mem record ./app", "sprof heap"),
    ("report --header-only", "what was recorded"),
    ("report --percent-limit 5 -i made.pb.gz", "--min PCT"),
    ("report --sort symbol -i made.pb.gz", "works"),
    ("report --sort comm,dso -i made.pb.gz", "--by comm"),
    ("record -F max -- true", "the rate is a number"),
    ("record --user-callchains -- true", "--kernel stack"),
    ("record --proc-map-timeout 100 -- true", "leave it out, or see: sprof run --help"),
    ("report --time 10%/1", "--from TIME"),
    ("annotate -i made.pb.gz parse", "sprof annotate NAME FILE"),
    ("diff --compute ratio made.pb.gz made.pb.gz", "--shares"),
    ("top -p {pid} --delay 1", "-i TIME"),
    ("top -K -p {pid}", "user and system time are columns"),
    ("trace -e open* ./app", "sprof syscalls -e CALL"),
    ("trace -e sched:sched_switch -g ./app", "GROUP:NAME//stack/"),
    ("lock report", "sprof report --waits"),
    ("list", "sprof events"),
    ("kvm stat", "perf does that"),
    ("trace -s -- true", "sprof syscalls"),
    ("trace --only-than 4us -e syscalls:sys_enter_read -- true", "--than TIME"),
    ("top -a", "perf record -a does that"),
    # perf-prof
    ("multi-trace -e syscalls:sys_enter_read -e syscalls:sys_exit_read --than 10ms --detail -- true", "works"),
    ("multi-trace -e raw_syscalls:sys_enter -e raw_syscalls:sys_exit -k _tid -i 1000 --than 4000000 -- true", "works"),
    ("multi-trace -e syscalls:sys_enter_read -e syscalls:sys_exit_read --than 1ms --detail=-1ms,+1ms -- true", "works"),
    ("multi-trace -e syscalls:sys_enter_read --cycle --perins -m 64 --order -- true", "works"),
    ("multi-trace -e 'syscalls:sys_enter_openat/dfd==-100/' -e syscalls:sys_exit_openat -- true", "works"),
    ("multi-trace -e 'raw_syscalls:sys_enter//key=id/printkey=printf(\"%s\",syscall_name(key))/role=1/' "
     "-e 'raw_syscalls:sys_exit//key=id/role=2/' --cycle -- true", "works"),
    ("syscalls -e raw_syscalls:sys_enter -e raw_syscalls:sys_exit -i 1000 --perins -- true", "works"),
    ("syscalls -e read -e write,close -- true", "works"),
    ("rundelay --source proc -i 1000 --than 4000000 --perins --filter 'sl*,true' -- true", "works"),
    ("rundelay -e 'sched:sched_wakeup,sched:sched_wakeup_new,sched:sched_switch//key=prev_pid/' "
     "-e sched:sched_switch//key=next_pid/ -k pid --order -p {pid} -d 100ms", "works"),
    ("rundelay -e sched:sched_switch -t {pid} -d 100ms", "works"),
    ("syscalls -t {pid} -d 100ms", "works"),
    ("report -i made.folded --stdio -g callee", "works"),
    ("profile -F 99 -p {pid}", "sprof attach -p PID"),
    ("task-state -p {pid} -SD --than 10ms -g", "sprof report --waits"),
    ("kmemprof -e kmem:kmalloc -p {pid}", "sprof heap --exact"),
    ("kvm-exit -C 1", "perf-prof or bpftrace"),
    ("blktrace -d /dev/sda", "perf-prof or bpftrace"),
    ("kmemleak --alloc kmem:kmalloc --free kmem:kfree", "perf-prof or bpftrace"),
    ("trace -e irq:irq_handler_entry --cycle -- true", "perf-prof or bpftrace"),
    ("trace --cgroups x -e proc:exit --cycle -- true", "not a cgroup"),
    ("trace --source ptrace -e syscalls:sys_enter_read//key=_cpu/ -e syscalls:sys_exit_read//key=_cpu/ -- true",
     "events from stops have no CPU"),
    ("trace --source ptrace -e syscalls:sys_enter_read -e syscalls:sys_exit_read --than 1ms --detail=samecpu -- true",
     "events from stops have no CPU"),
    ("trace -m 63 -e proc:exit --cycle -- true", "not a power of two"),
    ("trace -e sched:sched_migrate_task//stack/ --cycle -- true", "have stacks"),
    # strace, ltrace
    ("syscalls -c ls", "works"),
    ("syscalls -c -e trace=openat,read -- true", "works"),
    ("syscalls -e %file -- true", "works"),
    ("syscalls -e trace=file,network,read -- true", "works"),
    ("syscalls -e fiel -- true", "no system call of this machine is called fiel"),
    ("syscalls -f -c ls", "children are followed without it"),
    ("syscalls -f ls", "children are followed without it"),
    ("syscalls -f -p {pid}", "those of a process with --children"),
    ("syscalls -f jsn ls", "folded"),
    ("syscalls -e '!futex,%desc' -c -- true", "works"),
    ("syscalls -e trace=!read -- true", "works"),
    ("syscalls -e '!fiel' -- true", "column 2"),
    ("syscalls -e signal=none -- true", "only trace="),
    ("syscalls -z -c ls", "the column err"),
    ("syscalls -P /etc/passwd ls", "strace does"),
    ("calls -c -S ls", "-F NAME"),
    ("syscalls -p {pid} -d 200ms", "works"),
    ("syscalls -T -- true", "strace does"),
    ("syscalls -tt -- true", "strace does"),
    ("syscalls -e raw_syscalls:nonsense -- true", "raw_syscalls:nonsense"),
    ("strace ls", "sprof syscalls -- PROGRAM"),
    ("-c ls", "a command comes first"),
    ("syscalls -c -S time ls", "sorted by total time"),
    ("trace ./app", "sprof syscalls counts"),
    ("uftrace record ./app", "sprof calls -F NAME"),
    ("c2c record ./app", "perf does that"),
    ("version", "sprof --version"),
    ("ltrace ls", "sprof calls -F NAME -- PROGRAM"),
    # py-spy, samply, async-profiler
    ("record -o profile.svg -p {pid} -d 1s", "works"),
    ("record -r 50 -n -s -f raw -o x.txt -- true", "works"),
    ("record -f speedscope -o x.json --subprocesses -- true", "works"),
    ("record -f flamegraph -o flame.svg -- true", "works"),
    ("record --idle -p {pid} -d 1s", "idle threads are always sampled"),
    ("record --nonblocking -p {pid} -d 1s", "--source kernel"),
    ("dump --idle --pid {pid}", "always shown"),
    ("top -p {pid} -i abc", "not a time"),
    ("top --nonblocking --pid {pid}", "some microseconds"),
    ("dump --pid {pid}", "works"),
    ("dump -n -l --pid {pid} --json", "works"),
    ("load profile.json.gz", "sprof report FILE"),
    # gdb, pstack
    ("dump {pid}", "works"),
    ("dump {pid} --json", "works"),
    ("attach {pid} -d 200ms -o h.pb.gz", "works"),
    ("attach {pid} --children -d 200ms -o h.pb.gz", "works"),
    ("attach {pid} {pid}", "attach takes no argument"),
    ("bt -p {pid}", "sprof dump -p PID"),
    ("pstack {pid}", "sprof dump -p PID"),
    ("dump -batch -ex bt -p {pid}", "leave it out"),
    ("dump made.pb.gz made.folded", "sprof dump --core made.folded"),
    ("gdb -p {pid}", "sprof dump -p PID"),
    ("{pid}", "or sprof dump -p"),
    # valgrind, heaptrack
    ("valgrind ./app", "sprof heap -- PROGRAM"),
    ("heap --leak-check=full -- true", "--exact --live"),
    ("heap --tool=massif -- true", "leave it out"),
    ("heap --trace-children=yes -- true", "children are followed"),
    ("memcheck ./app", "sprof heap -- PROGRAM"),
    ("helgrind ./app", "sprof dump"),
    ("heaptrack ./app", "sprof heap -- PROGRAM"),
    ("callgrind ./app", "KCachegrind"),
    # bcc, bpftrace
    ("offcputime -p {pid}", "sprof report --waits"),
    ("runqlat -p {pid}", "sprof rundelay"),
    ("funclatency -p {pid} c:malloc", "sprof calls -F NAME"),
    ("opensnoop -p {pid}", "sprof syscalls"),
    ("biolatency", "bpftrace does that"),
)


def words_of(line, pid):
    """As a shell reads it, of which only single quotes are needed here."""
    parts = re.findall(r"(?:[^\s']|'[^']*')+", line)
    return [part.replace("'", "").replace("{pid}", str(pid)) for part in parts]


def wrong_of(line, expected, pid):
    """What is wrong with the line; None: nothing."""
    result = sprof(*words_of(line, pid))
    if expected == "works":
        # 1: `true` is often too short for a sample.
        return None if result.code in (0, 1) and not re.search("unknown|needs", result.err) else f"exit {result.code}: {result.err}"
    answers = len(result.err.strip().splitlines()) <= 2 and expected in result.err and result.code in (2, 64)
    return None if answers else f"exit {result.code}: {result.err}"


def test_lines_of_other_tools():
    made.small("made.pb.gz")
    sprof("report", "made.pb.gz", "-o", "made.folded").check(0)
    shell = Program(["sh", "-c", "echo ready; sleep 1000 & wait"])
    assert shell.line() == "ready"
    wrong = {line: why for line, expected in LINES if (why := wrong_of(line, expected, shell.pid))}
    assert not wrong, "\n".join(f"{line}: {why}" for line, why in wrong.items())
    assert len(LINES) >= 60


if __name__ == "__main__":
    main()
