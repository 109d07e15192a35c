/* Words of other tools as data. What works here under the same name has no row. */
#include "cmd/cli/other-tools.h"

#include <stddef.h>
#include <string.h>

#include "base/strings.h"

#define WHOLE_MACHINE "sprof looks at processes, not at the whole machine; "
#define OF_PERF WHOLE_MACHINE "perf does that"
#define OF_PERF_PROF WHOLE_MACHINE "perf-prof or bpftrace does that"

struct answer {
	const char
		*commands; /* of sprof, separated by blanks; NULL: none, the words are commands */
	const char *words; /* the other tool's, separated by blanks */
	const char *sentence;
};

static const struct answer commands[] = {
	/* perf */
	{NULL, "stat",
		"sprof measures time, not hardware events: sprof run -- PROGRAM; perf stat counts "
		"cycles and cache misses"},
	{NULL, "script",
		"sprof report -f folded writes stacks as lines; -o FILE.perf.data is for perf script"},
	{NULL, "sched", "the waits for a CPU: sprof rundelay"},
	{NULL, "lock", "locks and their holders: sprof run, then sprof report --waits"},
	{NULL, "list", "the events that can be traced: sprof events"},
	{NULL, "probe ftrace uftrace live",
		"the calls of functions: sprof calls -F NAME -- PROGRAM"},
	{NULL, "kmem kwork iostat kvm", OF_PERF},
	{NULL, "c2c bench", "sprof measures the time of programs; perf does that"},
	{NULL, "timechart", "a page with a timeline: sprof run -o page.html -- PROGRAM"},
	{NULL, "version", "sprof --version"},
	{NULL, "archive buildid-list inject data evlist",
		"a saved profile (-o FILE.pb.gz) needs no other file"},
	/* perf-prof */
	{NULL, "profile", "sprof attach -p PID -d 10s, or sprof run -- PROGRAM"},
	{NULL, "kmemprof",
		"sprof heap --exact -p PID, or sprof trace --impl kmemprof for other events"},
	{NULL, "task-state",
		"the time in each state, and the waits: sprof attach -p PID, sprof report --waits"},
	{NULL, "oncpu", "the time on CPUs: sprof attach -p PID --mode cpu"},
	{NULL,
		"kvm-exit blktrace kmemleak irq-off hrtimer percpu-stat watchdog ldlat-loads "
		"tlbstat loadavg",
		OF_PERF_PROF},
	{NULL, "page-faults", "sprof run --faults -- PROGRAM"},
	{NULL, "breakpoint", "the calls of a function: sprof calls -F NAME -p PID"},
	/* strace, ltrace, gdb */
	{NULL, "strace", "sprof syscalls -- PROGRAM"},
	{NULL, "ltrace", "sprof calls -F NAME -- PROGRAM"},
	{NULL, "gdb bt backtrace where stack pstack gstack gcore thread info",
		"the stack of each thread: sprof dump -p PID"},
	{NULL, "snapshot",
		"the stack of each thread: sprof dump -p PID; a recording: sprof attach -p PID"},
	/* valgrind, heaptrack */
	{NULL, "valgrind memcheck massif dhat heaptrack memleak leaks",
		"sprof heap -- PROGRAM, or with --exact --live for memory that is not freed"},
	{NULL, "callgrind cachegrind",
		"sprof run -o callgrind.out.x -- PROGRAM writes a file for KCachegrind"},
	{NULL, "helgrind drd",
		"deadlocks: sprof dump -p PID; sprof does not look for data races, valgrind does"},
	/* bcc, bpftrace */
	{NULL, "offcputime offwaketime wakeuptime",
		"blocked time, and what it waits for: sprof attach -p PID, then sprof report --waits"},
	{NULL, "runqlat runqlen runqslower cpudist", "the waits for a CPU: sprof rundelay -p PID"},
	{NULL, "funclatency funcslower funccount stackcount argdist",
		"the calls of functions: sprof calls -F NAME -p PID, only their number with --count"},
	{NULL, "syscount filetop fileslower vfsstat",
		"the calls, their latency and errors: sprof syscalls -p PID"},
	{NULL, "opensnoop execsnoop exitsnoop statsnoop killsnoop",
		"sprof counts system calls: sprof syscalls -p PID; bpftrace or strace shows each one"},
	{NULL, "deadlock", "deadlocks and the stack of each thread: sprof dump -p PID"},
	{NULL,
		"bpftrace bcc biolatency biosnoop biotop cachestat hardirqs softirqs tcpconnect "
		"tcplife tcptop ext4slower llcstat",
		WHOLE_MACHINE "bpftrace does that"},
	/* py-spy, uftrace, samply, async-profiler, pprof */
	{NULL, "flamegraph flame-graph", "sprof run -o flame.svg -- PROGRAM"},
	{NULL, "graph replay tui",
		"sprof report --callees NAME; sprof calls --tree -F NAME -- PROGRAM"},
	{NULL, "load import view", "sprof report FILE, or sprof report FILE -o page.html"},
	{NULL, "start", "sprof attach -p PID -d 10s"},
};

static const struct answer options[] = {
	{"run attach top", "-a --all-cpus -C --cpu", WHOLE_MACHINE "perf record -a does that"},
	{"run attach top", "-e --event",
		"sprof samples time; --faults records page faults, sprof trace measures events, "
		"perf record counts hardware events"},
	{"run attach top", "-c --count", "sprof has a rate instead: -r HZ"},
	{"run", "-i --no-inherit",
		"idle threads are always sampled; --no-children leaves child processes out"},
	{"attach", "-i --idle --no-inherit --include-idle",
		"idle threads are always sampled; --mode cpu leaves them out"},
	{"dump", "-i", "idle threads are always shown"},
	{"top dump", "--idle --include-idle", "idle threads are always shown"},
	{"run attach", "--nonblocking -S", "--source kernel stops no running thread"},
	{"top dump", "--nonblocking -S",
		"sleeping threads are not stopped, running ones for some microseconds"},
	{"run attach", "-G --cgroup --cgroups",
		WHOLE_MACHINE "attach --name REGEX --all takes several processes"},
	{"run attach top", "-u --uid", "attach --name REGEX --all takes several processes"},
	{"run attach", "--sample-cpu", "--cpus"},
	{"run attach", "--switch-output --timestamp-filename", "--every TIME -o NAME-%t.pb.gz"},
	{"run attach", "--filter --exclude-perf", "sprof report --focus, --ignore and --thread"},
	{"run attach", "--user-callchains --kernel-callchains --all-user --all-kernel",
		"stacks of the program are always recorded, the kernel's with --kernel stack"},
	{"run attach", "--off-cpu", "blocked time is always recorded"},
	{"run attach top", "-F",
		"the rate is a number, such as -r 999; if the machine can't keep up, sprof lowers it"},
	{"run", "-p --pid", "for a running process: sprof attach -p PID"},
	{"top", "--sort -s", "the columns' keys sort; ? shows them"},
	{"top", "-D --delay", "-i TIME"},
	{"top", "--comms --dsos --symbols --percent-limit -t -M",
		"/ filters, and other keys choose the view; ? shows them"},
	{"top", "--stdio --tui",
		"sprof attach -p PID writes a report; sprof top is for a terminal"},
	{"top", "-K --hide_kernel_symbols -U --hide_user_symbols -z --zero",
		"user and system time are columns; ? shows the keys"},
	{"run attach top", "--gil", "waits for Python's lock: sprof report --waits"},
	{"run attach", "--function --line --locals", "every format has functions and lines"},
	{"report", "--tui --gtk", "sprof report FILE -o page.html is a page for a browser"},
	{"report", "-n --show-nr-samples", "--columns self%,self,samples,function"},
	{"report", "--percent-limit", "--min PCT"},
	{"report", "--max-stack", "--depth N"},
	{"report", "--no-call-graph", "--columns self%,self,function"},
	{"report", "-D --dump-raw-trace",
		"-f folded has each stack as a line, -f json the whole profile"},
	{"report", "--fields -F --show-total-period -w --column-widths", "--columns LIST"},
	{"report", "--time", "--from TIME --to TIME"},
	{"report", "-C --cpu", "--by cpu"},
	{"report", "-T --hierarchy", "--per-thread, --by dso"},
	{"report", "-s", "--sort COLUMNS"},
	{"report", "--header --header-only -I --show-info --stats --tasks --mmaps -M",
		"each report begins with what was recorded, when and how: sprof report FILE | head"},
	{"report", "--kallsyms -k --vmlinux --symfs -m --modules",
		"--sysmap FILE, --debug-dir DIR"},
	{"report", "--mem-mode --branch-stack --branch-history -b",
		"sprof measures time, not hardware events; perf does that"},
	{"report diff", "--comm --comms -c --tid", "--thread REGEX, -p PID"},
	{"report diff", "--dso --dsos -d", "--focus @REGEX"},
	{"report diff", "-S --symbols --symbol-filter", "--focus REGEX"},
	{"diff", "--compute -s --sort --order -b --baseline-only --period --formula",
		"what changed most comes first; --shares shows all functions"},
	{"diff", "--time", "--from TIME --to TIME"},
	{"report", "--no-inline", "--names no-inlines, when it is recorded"},
	{"annotate", "-s --symbol -d --dsos", "sprof annotate NAME, or NAME@OBJECT"},
	{"annotate", "-i --input", "sprof annotate NAME FILE"},
	{"annotate", "-l --print-line --stdio --stdio2", "leave it out"},
	{"syscalls calls", "-f --follow-forks",
		"a program's children are followed without it, those of a process with --children"},
	{"syscalls",
		"-T -t -r -y -Y -s -x -X -C -v -a -E -P --trace-path -A -D --daemonize -n "
		"--syscall-number --syscall-times --absolute-timestamps --relative-timestamps "
		"--decode-fds --decode-pids --no-abbrev --strings-in-hex",
		"sprof counts calls, and does not show them or their arguments: strace does"},
	{"syscalls calls heap", "-u --user", "sudo -u USER sprof ..., or attach with -p PID"},
	{"syscalls", "-z -Z --successful-only --failed-only",
		"all calls are counted; the column err has those that failed"},
	{"syscalls", "-S --summary-sort-by", "the table is sorted by total time"},
	{"syscalls", "--summary-only -w --summary-wall-clock --summary-syscall-overhead -O",
		"times are always wall-clock times"},
	{"syscalls", "-k --stack-trace --stack-traces --key",
		"--stack shows where calls come from; --per-thread has a row for each thread"},
	{"trace", "-s --summary -S --with-summary", "a table of system calls: sprof syscalls"},
	{"trace", "--pf", "page faults: sprof run --faults, or -e mem:fault"},
	{"trace", "--only-than", "--than TIME"},
	{"trace", "-a --all-cpus", OF_PERF_PROF},
	{"trace",
		"--time --comm --filter --filter-pids --expr --failure --errno-summary -T --max-events",
		"a filter belongs to an event: -e 'GROUP:NAME/FILTER/'; a table of system calls: sprof "
		"syscalls"},
	{"trace", "-g --call-graph", "a stack for an event: -e 'GROUP:NAME//stack/'"},
	{"trace rundelay", "-C --cpus",
		"sprof traces one process on all CPUs; to compare CPUs use '_cpu' in an expression"},
	{"trace rundelay", "--cgroups",
		"it traces a process and its children, not a cgroup; use -p"},
	{"trace rundelay", "--guest --exclude-guest",
		"virtual machines are not traced; leave it out"},
	{"trace rundelay", "--kvmclock --tsc",
		"all of sprof's sources have the same clock; leave it out"},
	{"trace rundelay", "--kernel-callchain --python-callchain --user-callchain",
		"the native stack of the process: -e 'GROUP:NAME//stack/'"},
	{"calls", "-e -x -l --library --trace", "-F NAME, -F NAME@LIBRARY"},
	{"calls", "-c -C", "the table of all calls is what sprof calls prints: -F NAME -- PROGRAM"},
	{"calls", "-S", "system calls: sprof syscalls"},
	{"calls", "-n --indent -A --flat", "--tree shows which function called which"},
	{"calls", "-r -t -T --chrome --flame-graph --graphviz",
		"--timeline FILE has each call with its time, -o FILE.dot the graph"},
	{"calls", "--filter --notrace -N -C --caller-filter", "-F LIST chooses the functions"},
	{"calls", "-s --sort-column --avg-total --avg-self", "--sort COLUMN"},
	{"heap", "--leak-check --show-leak-kinds --show-reachable",
		"--exact --live shows what is not freed"},
	{"heap", "--tool --time-unit", "leave it out; --exact watches every allocation"},
	{"heap", "--trace-children", "children are followed without it"},
	{"heap", "-a --analyze", "sprof report FILE"},
	{"heap", "-d -r --record-only", "leave it out"},
	{"heap", "--log-file --xml-file --massif-out-file --dhat-out-file", "-o FILE"},
	{"dump", "-m", "every frame has its function, and its line if that is known"},
	{"dump", "-b -batch --batch -e -ex --ex -x",
		"leave it out: the stack of each thread is what sprof dump shows"},
	/* perf's commands behind a command of the same name */
	{"mem", "record report", "loads and stores: perf mem; where memory grows: sprof heap"},
	{"trace", "record report", "a table of system calls: sprof syscalls -- PROGRAM"},
};

const char *sprof_other_tools_command(const char *word)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (sprof_string_has_word(commands[i].words, word, strlen(word)))
			return commands[i].sentence;
	}
	return NULL;
}

const char *sprof_other_tools_option(const char *command, const char *option)
{
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		if (sprof_string_has_word(options[i].commands, command, strlen(command)) &&
			sprof_string_has_word(options[i].words, option, strcspn(option, "=")))
			return options[i].sentence;
	}
	return NULL;
}
