"""
What the cases are. A row is one fact of one small program:

    group           the folder that has the program's files
    name
    input           what makes ./a.out, or what the command reads, of a copy of all files
    command         of sprof. Of several with "; " between them, the last one gives the answer. `dump PROGRAM` looks at a
                    program that has said that it is ready; --asleep: when all of its threads sleep
    right           lines of the answer, as run_cases.py reads it: regular expressions. "not " is before what must not be
                    there, "2 times " before what must be there so often
    known to fail   yes only if it fails always, on each machine. A row that says so and is right is red
    needs           programs, and x86_64, root, switches, libc-symbols
"""

from collections import namedtuple

Case = namedtuple("Case", "group name input command right known_to_fail needs", defaults=("gcc",))

X86 = "gcc x86_64"
LIBC = "gcc libc-symbols"
PROFILE = "run -q -r 997 -o x.pb.gz ./a.out; report --full "
DIFFER = "run -q -r 997 -o 1.pb.gz ./a.out; cp other a.out; run -q -r 997 -o 2.pb.gz ./a.out; diff --full 1.pb.gz 2.pb.gz"
WORK = "calls --breakpoints -F work "
REALIGNED = ";main;caller;outer;realigned;leaf;"
NULL_CALL = ";main;ask_for_it;call_it;"
LOCKS = "gcc -O1 -pthread locks.c"
VALUES = "gcc -g values.c"
LATER = r"^later +20 .*\n  <- \[unwatched\] +20 " "\n" "calls leave 20: left by a jump"
KNOWN = "gcc -O1 -pthread known-calls.c"
TWO = "gcc -O1 -pthread two-threads.c"

CASES = [
    # What is one function, and which name it has.
    Case("names", "labels-of-nasm", "gcc -O1 labels.c labels.S", "dump ./a.out", ";main;scan_all;scan;ready_and_wait;", "no", X86),
    Case("names", "private-functions-of-nasm", "gcc -O1 labels.c private-labels.S", "dump ./a.out",
         ";main;scan_all;scan;ready_and_wait;", "no", X86),
    Case("names", "one-name-in-two-files", "gcc -O1 -g twins*.c", PROFILE + "x.pb.gz",
         r" helper +twins-read\.c:" "\n" r" helper +twins-write\.c:", "no"),
    Case("names", "calls-of-two-files", "gcc -O1 -g twins*.c", "calls --breakpoints -F helper ./a.out",
         r"^helper \(twins-read\.c\): \d+ calls" "\n" r"^helper \(twins-write\.c\): \d+ calls", "no"),
    Case("names", "calls-of-two-units", "gcc -O1 twins*.c", "calls --breakpoints -F helper ./a.out",
         r"^helper \(twins-read\.c\): \d+ calls" "\n" r"^helper \(twins-write\.c\): \d+ calls", "no"),
    Case("names", "calls-of-two-places", "gcc -O1 twins*.c; strip -g a.out", "calls --breakpoints -F helper ./a.out",
         r"2 times ^helper \(0x[0-9a-f]+\): \d+ calls", "no"),
    Case("names", "lines-of-two-files", "gcc -O1 -g twins*.c", PROFILE + "--by srcline x.pb.gz",
         r"/twins-read\.c:5[1-4]$" "\n" r"/twins-write\.c:10[1-4]$" "\n" r"not /twins-read\.c:10" "\n" r"not /twins-write\.c:5", "no"),
    Case("names", "closures-of-rust", "gcc -O1 closures.c", PROFILE + "x.pb.gz", "2 times app::main::.*closure", "no"),
    Case("names", "parts-of-a-function", "gcc -O1 parts.c parts.S", PROFILE + "x.pb.gz", r"1 times \bhalves", "no", X86),
    Case("names", "two-builds", "gcc -O1 -g builds.c; gcc -O1 -g -DFACTOR=2 builds.c -o other", DIFFER,
         r"1 times \bparse$" "\n" r"1 times \bemit$", "no"),
    Case("names", "clone-in-two-builds",
         """gcc -O1 -DNAME='"promoted.llvm.111"' clone.c; gcc -O2 -DNAME='"promoted.llvm.222"' clone.c -o other""",
         DIFFER, r"1 times promoted\S*$", "no"),
    Case("names", "remapped-text", "gcc -O2 remapped.c", "dump ./a.out", ";main;hot;", "no"),
    Case("names", "remapped-whole-text", "gcc -O2 remapped-whole.c", "dump ./a.out", ";main;hot;", "no"),
    Case("names", "remapped-headers", "gcc -O2 -Wl,-z,noseparate-code remapped-whole.c", "dump ./a.out", ";main;hot;", "no"),
    Case("names", "changed-text", "gcc -O2 -DCHANGED remapped-whole.c", "dump ./a.out", "not ;hot;" "\n" r";\?;", "no"),
    Case("names", "few-sections", "sh sections.sh 60 > x.s; gcc -c x.s -o object", "symbols object late", r"\tlate\t", "no"),
    Case("names", "many-sections", "sh sections.sh 66000 > x.s; gcc -c x.s -o object; rm x.s", "symbols object late", r"\tlate\t", "no"),

    # Stacks to their root.
    Case("stacks", "call-of-null", "gcc -O1 null-call.c", "dump ./a.out", NULL_CALL, "no"),
    Case("stacks", "call-of-null-other-stack", "gcc -O1 -DOWN_STACK null-call.c", "dump ./a.out", NULL_CALL, "no"),
    Case("stacks", "call-of-data", "gcc -O1 -DTARGET='&data' null-call.c", "dump ./a.out", NULL_CALL, "no"),
    Case("stacks", "call-of-null-asleep", "gcc -O0 null-call.c", "dump --asleep ./a.out", NULL_CALL, "no"),
    Case("stacks", "call-of-data-asleep", "gcc -O0 -DOWN_STACK -DTARGET='&data' null-call.c", "dump --asleep ./a.out", NULL_CALL, "no"),
    Case("stacks", "call-of-null-in-a-core", "gcc -O1 crash.c; gdb -batch -ex run -ex 'gcore core' ./a.out", "dump --core core", NULL_CALL,
         "no", "gcc gdb"),
    Case("stacks", "signal-in-a-handler", "gcc -O1 nested-signals.c", "dump --asleep ./a.out", ";main;interrupted;.*;first;.*;second;", "no"),
    Case("stacks", "realigned", "gcc -O1 realigned.c", "dump ./a.out", REALIGNED, "no", X86),
    Case("stacks", "realigned-asleep", "gcc -O1 -DSLEEPS realigned.c", "dump --asleep ./a.out", REALIGNED, "no", X86),
    Case("stacks", "realigned-below-ms-abi", "gcc -O1 -DENTRY='__attribute__((ms_abi))' realigned.c", "dump ./a.out", REALIGNED,
         "no", X86),
    Case("stacks", "realigned-without-tables", "gcc -O1 -fno-asynchronous-unwind-tables realigned.c", "dump ./a.out", REALIGNED,
         "no", X86),
    Case("stacks", "realigned-asleep-without-tables", "gcc -O1 -fno-asynchronous-unwind-tables -DSLEEPS realigned.c",
         "dump --asleep ./a.out", REALIGNED, "no", X86),
    Case("stacks", "variable-asleep-without-tables",
         "gcc -O1 -fno-asynchronous-unwind-tables -DSLEEPS -DALIGNMENT=16 realigned.c", "dump --asleep ./a.out", REALIGNED, "no", X86),
    Case("stacks", "realigned-with-debug-frame", "gcc -O1 -g -fno-asynchronous-unwind-tables -DSLEEPS realigned.c",
         "dump --asleep ./a.out", REALIGNED, "no", X86),
    Case("stacks", "context", "gcc -O1 context.c", "dump ./a.out", r"stack ;((__start_context|\?);)?in_coroutine;", "no"),
    Case("stacks", "in-pieces", "gcc -O1 -fsplit-stack split.c", "dump ./a.out", ";main;start;deep;", "yes", X86),
    Case("stacks", "in-pieces-in-a-core",
         "gcc -O1 -fsplit-stack split.c; gdb -batch -ex 'catch syscall write' -ex run -ex 'gcore core' ./a.out", "dump --core core",
         ";main;start;deep;", "no", "gcc x86_64 gdb"),
    Case("stacks", "raw-clone", "gcc -O1 raw-clone.c", "dump ./a.out", "stack ;raw_entry;raw_main;raw_leaf;", "no", X86),
    Case("stacks", "no-tables", "gcc -O1 -fno-asynchronous-unwind-tables no-tables.c", "run -q -r 997 -o x.folded ./a.out",
         ";main;middle;aligned;leaf ", "no"),

    # Locks that nothing will ever free.
    Case("waits", "circle", LOCKS, "dump --asleep ./a.out circle", "^deadlock: ", "no"),
    Case("waits", "circle-of-priority-inheritance", LOCKS, "dump --asleep ./a.out circle-inherit", "^deadlock: ", "no", LIBC),
    Case("waits", "itself-with-priority-inheritance", LOCKS, "dump --asleep ./a.out itself-inherit", "^deadlock: .*refused", "no",
         LIBC),
    Case("waits", "itself", LOCKS, "dump --asleep ./a.out itself", "^deadlock: ", "no"),
    Case("waits", "holder-has-ended", LOCKS, "dump --asleep ./a.out dead-owner", "^deadlock: |ended", "no"),
    Case("waits", "holder-has-ended-recursive", LOCKS, "dump --asleep ./a.out dead-recursive", "^deadlock: .*lost_owner\": [1-9]", "no"),
    Case("waits", "writer-has-ended", LOCKS, "dump --asleep ./a.out dead-writer", "^deadlock: .*rwlock.*lost_owner\": [1-9]", "no"),
    Case("waits", "holder-in-the-parent", LOCKS, "dump --asleep --children ./a.out parent", "^deadlock: |parent|ended", "no"),
    Case("waits", "end-of-who-wants-the-lock", LOCKS, "dump --asleep ./a.out joins", "^deadlock: .*join", "no"),
    Case("waits", "semaphore", LOCKS, "dump --asleep ./a.out semaphore", "not ^deadlock: ", "no"),

    # How often functions are called.
    Case("events", "loop-to-the-entry", "gcc -O2 entry-loop.c", "calls --breakpoints -F walk,skip ./a.out",
         "^walk: 10 calls, 10 returned\n^skip: 20 calls, 20 returned", "no"),
    Case("events", "ifunc-of-the-program", "gcc -O1 ifunc.c", "calls --breakpoints -F mine ./a.out", "^mine: 50 calls, 50 returned", "no"),
    Case("events", "ifunc-of-libc", "gcc -O1 -fno-builtin ifunc.c", "calls --breakpoints -F strchr@libc.so.6 ./a.out",
         r"^\S*strchr\S*: 5\d calls", "no", X86),
    Case("events", "code-loaded-again", "gcc -O1 -shared -fPIC plugin.c -o plugin.so; gcc -O1 reload.c",
         "heap --exact --breakpoints ./a.out ./plugin.so", "^6 objects by .*;plugin_allocate$", "no"),
    Case("events", "code-loaded-later", "gcc -O1 -shared -fPIC plugin.c -o plugin.so; gcc -O1 reload.c",
         "calls -F plugin_work@plugin.so ./a.out ./plugin.so", r"^plugin_work\S*: 6 calls, 6 returned", "no"),
    Case("events", "code-written-again", "gcc -O1 rewritten.c", WORK + "./a.out", "^exit 0$\n^work: 20 calls, 20 returned", "no", X86),
    Case("events", "small-stacks", "gcc -O1 -w -DSIZE=16384 fibers.c", "calls --breakpoints -F yielding ./a.out 10",
         "^yielding: 10 calls, 10 returned", "no"),
    Case("events", "many-stacks", "gcc -O1 -w -DSIZE=65536 fibers.c", "calls --breakpoints -F yielding ./a.out 3000",
         "^yielding: 3000 calls, 3000 returned", "no"),
    Case("events", "calls-left-by-jumps", "gcc -O1 jumps.c", WORK + "./a.out", "^work: 20 calls, 10 returned", "no"),
    Case("events", "calls-left-by-exceptions", "g++ -O1 throws.cc", "calls -F work(int) ./a.out",
         r"^work\(int\): 20 calls, 10 returned", "no", "g++"),
    Case("events", "call-behind-a-jump", "gcc -O1 left-behind.c", "calls -F leave,later -o x.txt ./a.out", LATER, "no"),
    Case("events", "call-behind-an-exception", "g++ -O1 -x c++ left-behind.c", "calls -F leave,later -o x.txt ./a.out", LATER, "no", "g++"),
    Case("events", "stack-of-signals-below", "gcc -O1 other-stack.c", "calls -F outer,inner ./a.out",
         "^exit 0$\n^outer: 20 calls, 20 returned\n^inner: 20 calls, 20 returned", "no"),
    Case("events", "stack-of-signals-above", "gcc -O1 -DABOVE other-stack.c", "calls -F outer,inner ./a.out",
         "^exit 0$\n^outer: 20 calls, 20 returned\n^inner: 20 calls, 20 returned", "no"),
    Case("events", "small-stack-of-signals-above", "gcc -O1 -DABOVE -DSIZE=16384 other-stack.c", "calls -F outer,inner ./a.out",
         "^exit 0$\n^outer: 20 calls, 20 returned\n^inner: 20 calls, 20 returned", "no"),
    Case("events", "traced-stack-of-signals-above", "gcc -O1 -DABOVE other-stack.c",
         "trace -e uprobe:outer,uprobe:inner -e uretprobe:outer,uretprobe:inner -o x.txt ./a.out", "^exit 0$\n; 80 events$", "no"),
    Case("events", "allocator-on-the-stack-of-signals", "gcc -O1 -fno-builtin own-malloc.c", "heap --exact ./a.out",
         "not ^exit\n^20 objects by ", "no"),
    Case("events", "stacks-behind-a-deep-one", "gcc -O1 deep-calls.c",
         "syscalls --stack --sample=99 --source ptrace -e getppid -f folded --weight calls ./a.out",
         "^exit 0$\n;main;ask;.*getppid.* 100$\nnot ^.getppid. ", "no"),
    Case("events", "sigtrap-blocked", "gcc -O1 -pthread own-trap.c", WORK + "./a.out block", "^exit 0$\n^work: 20 calls", "no"),
    Case("events", "sigtrap-blocked-alone", "gcc -O1 -pthread own-trap.c", WORK + "./a.out one", "^exit 0$\n^work: 20 calls", "no"),
    Case("events", "sigtrap-ignored", "gcc -O1 -pthread own-trap.c", WORK + "./a.out ignore", "^exit 0$\n^work: 20 calls", "no"),
    Case("events", "sigtrap-handled", "gcc -O1 -pthread own-trap.c", WORK + "./a.out handle", "^exit 0$\n^work: 20 calls", "no"),
    Case("events", "sigtrap-handled-and-blocked", "gcc -O1 -pthread own-trap.c", WORK + "./a.out both", "^exit 0$\n^work: 20 calls", "no"),
    Case("events", "sigtrap-blocked-by-a-handler", "gcc -O1 -pthread own-trap.c", WORK + "./a.out handler", "^exit 0$\n^work: 20 calls", "no"),
    Case("events", "sigtrap-blocked-in-a-thread", "gcc -O1 -pthread own-trap.c", WORK + "./a.out thread",
         "^exit 0$\n^work: 30 calls", "no"),
    Case("events", "sigtrap-raised", "gcc -O1 -pthread own-trap.c", WORK + "./a.out raise", "^exit 0$\n^work: 20 calls", "no"),
    Case("events", "sigtrap-ignored-by-exec", "gcc -O1 -pthread own-trap.c", WORK + "./a.out exec", "^exit 0$\n^work: 40 calls", "no"),

    # What is counted or called by whom.
    Case("seeds", "system-calls-of-threads", TWO, "syscalls --source ptrace --perins -e getppid ./a.out",
         r"^\d+ early getppid 100 " "\n" r"^\d+ late getppid 1000 ", "no"),
    Case("seeds", "calls-of-threads", TWO, "calls --breakpoints --per-thread -F work ./a.out",
         "^early work: 100 calls\n^late work: 1000 calls", "no"),
    Case("seeds", "calls-of-all-threads", TWO, WORK + "./a.out", "^work: 1100 calls, 1100 returned", "no"),
    Case("seeds", "known-sleeps", KNOWN, "syscalls --source ptrace ./a.out", "nanosleep 20 .* 0$", "no"),
    Case("seeds", "known-reads-that-fail", KNOWN, "syscalls --source ptrace -e read ./a.out", "^read 1[0-9]{3} .* 10 EBADF 10$", "no"),
    Case("seeds", "known-cheap-calls", KNOWN, "syscalls --source ptrace -e getuid,getppid ./a.out", "^getuid 2000 .* 0$\n^getppid 77 .* 0$",
         "no"),

    # Time and figures of threads.
    Case("time", "memory-of-a-child", "gcc -O1 parent.c", "run -q -o x.txt ./a.out",
         r" a\.out\n +max rss \d\d?(\.\d+)? MB", "no"),
    Case("time", "a-thousand-groups", TWO + " -o two; gcc -O1 groups.c", "run -q -o x.txt ./a.out ./two",
         r"^ +\d+ +\d .* \d+ +\d+ +\d+ +\d+ .* two$", "no", "gcc root"),
    Case("time", "signals-are-no-waits", "gcc -O1 ticking.c", "run -q --waits=exact -o x.txt ./a.out",
         r"off the CPU: \d{1,2} waits", "no", "gcc switches"),
    Case("time", "interpreter-lock", "gcc -O1 -pthread gil.c", "dump --asleep ./a.out", '"interpreter lock"', "no"),

    # What commands say, write and refuse.
    Case("cmd", "signed-bit-fields", VALUES, "dump --locals ./a.out",
         "^narrow = .*five = -7, three = -1, wide = -4000000000, .*one = -1", "no"),
    Case("cmd", "unsigned-bit-field", VALUES, "dump --locals ./a.out", "^narrow = .*without_sign = 25", "no"),
    Case("cmd", "bit-field-of-an-enumeration", VALUES, "dump --locals ./a.out", r"^of_enum = \{sign = (MINUS|-2)", "no"),
    Case("cmd", "array-of-no-length", VALUES, "dump --locals ./a.out", '^open = .*count = 2\nnot data = "zyx', "no"),
    Case("cmd", "integer-of-128-bits", VALUES, "dump --locals ./a.out", "^huge = (1267650600228229401496703205381|0x10{23}5)$", "no"),
    Case("cmd", "bytes-that-are-no-text", VALUES, "dump --locals ./a.out", r'^digest = "\\x01\\x00\\x02"$', "no"),
    Case("cmd", "array-of-variable-length", VALUES, "dump --locals ./a.out", r"^of_size = \{40, 41, 42\}", "no"),
    Case("cmd", "compressed-debug-sections", "gcc -O2 -g -gz lists.c", "dump --locals ./a.out", "^known = 42$", "no"),
    Case("cmd", "plain-debug-sections", "gcc -O2 -g lists.c", "dump --locals ./a.out", "^known = 42$", "no"),
    Case("cmd", "switch-of-calls", "gcc -O1 switching.c", WORK + "./a.out", "^exit 0$\n^work: 10 calls", "no"),
    Case("cmd", "switch-of-syscalls", "gcc -O1 switching.c", "syscalls --source ptrace -e getppid ./a.out", "^exit 0$\n^getppid 1 ", "no"),
    Case("cmd", "two-lists-of-events", TWO, "syscalls --source ptrace -e getppid -e getuid ./a.out", "^getppid 1100 ", "no"),
    Case("cmd", "calls-to-stdout", TWO, WORK + "-o - ./a.out", r"^work +1100 " "\n" "not ^file -:", "no"),
    Case("cmd", "calls-to-json", TWO, WORK + "-o x.json ./a.out", r"not ^source: ", "no"),
    Case("cmd", "advice-of-calls", "gcc -O1 daemon.c", WORK + "-o x.txt ./a.out", r"^work +1 " "\n" "not --wait", "no"),
    Case("cmd", "advice-of-run", "gcc -O1 daemon.c", "run -o x.folded ./a.out", "--wait", "no"),

    # The program's end is as if it were alone.
    Case("harm", "leak-check", "gcc -O1 -fsanitize=leak leaks.c", "run -q -o x.folded ./a.out", "^exit 0$\n^done$", "no"),
    Case("harm", "leak-check-of-calls", "gcc -O1 -fsanitize=leak leaks.c", "calls --breakpoints -F main -o x.txt ./a.out",
         "^exit 0$\n^done$", "no"),
    Case("harm", "children-without-a-tracer", "gcc -O1 untraced.c", WORK + "./a.out", "^exit 42$", "yes"),
    Case("harm", "children-without-a-tracer-in-run", "gcc -O1 untraced.c", "run -q -o x.folded ./a.out", "^exit 42$", "no"),
    Case("harm", "own-tracer", "gcc -O1 own-tracer.c", WORK + "./a.out", "^exit 42$", "no"),
    Case("harm", "own-tracer-in-run", "gcc -O1 own-tracer.c", "run -q -o x.folded ./a.out", "^exit 42$", "no"),
    Case("harm", "many-functions", "sh many.sh > x.c; gcc -O1 x.c", "calls --breakpoints -F many* ./a.out",
         "^exit 42$\n400 times ^many[0-9]+: 3 calls, 3 returned", "no"),
]
