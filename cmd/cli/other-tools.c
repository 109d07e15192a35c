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
	{NULL, "gdb bt backtrace where stack pstack gstack gcore",
		"the stack of each thread: sprof dump -p PID"},
	{NULL, "snapshot",
		"the stack of each thread: sprof dump -p PID; a recording: sprof attach -p PID"},
	/* valgrind, heaptrack */
	{NULL, "valgrind memcheck massif dhat heaptrack memleak leaks",
		"sprof heap -- PROGRAM, or with --exact --live for memory that is not freed"},
	{NULL, "callgrind cachegrind helgrind drd",
		"sprof run -o callgrind.out.x -- PROGRAM writes a file for KCachegrind"},
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
	{"run attach", "-u --uid", "attach --name REGEX --all takes several processes"},
	{"run attach",
		"-m --mmap-pages --switch-output -b --branch-any --intr-regs --user-regs -W --weight-struct",
		"sprof needs no such option"},
	{"run attach", "--off-cpu", "blocked time is always recorded"},
	{"run", "-p --pid", "for a running process: sprof attach -p PID"},
	{"run attach top", "--gil", "waits for Python's lock: sprof report --waits"},
	{"run attach", "--function --line --locals", "every format has functions and lines"},
	{"report", "--tui --gtk", "sprof report FILE -o page.html is a page for a browser"},
	{"report", "-n --show-nr-samples", "--columns self%,self,samples,function"},
	{"report", "--comm --comms --tid", "--thread REGEX, -p PID"},
	{"report", "--dso --dsos", "--focus @REGEX"},
	{"report", "-S --symbols --symbol-filter", "--focus REGEX"},
	{"report", "--no-inline", "--names no-inlines, when it is recorded"},
	{"annotate", "-s --symbol", "sprof annotate NAME"},
	{"annotate", "-l --print-line --stdio --stdio2", "leave it out"},
	{"syscalls", "-f", "children are followed without it"},
	{"syscalls", "-T -t -y -s -x", "sprof does not show single calls: strace does"},
	{"syscalls", "-S --summary-sort-by", "the table is sorted by total time"},
	{"syscalls", "--summary-only -w --summary-wall-clock", "times are always wall-clock times"},
	{"syscalls", "-k --stack-trace", "--stack shows where calls come from"},
	{"trace", "-s --summary -S --with-summary", "a table of system calls: sprof syscalls"},
	{"trace", "--pf", "page faults: sprof run --faults, or -e mem:fault"},
	{"trace", "--only-than", "--than TIME"},
	{"trace", "-a --all-cpus", OF_PERF_PROF},
	{"calls", "-e", "-F NAME"},
	{"heap", "--leak-check --show-leak-kinds --show-reachable",
		"--exact --live shows what is not freed"},
	{"heap", "--tool --time-unit", "leave it out; --exact watches every allocation"},
	{"dump", "-m", "every frame has its function, and its line if that is known"},
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
