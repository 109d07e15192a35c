/* Tries each permission once, instead of deriving it from settings. A page for bug reports. */
#include "cmd/cli/self-check.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "attach/start/machine.h"
#include "attach/start/self-check.h"
#include "base/proc-status.h"
#include "base/proc.h"
#include "cmd/cli/command.h"
#include "cmd/cli/perf-denied.h"
#include "cmd/cli/program-file.h"
#include "events/perf/timer.h"
#include "events/sched/switches.h"
#include "events/sched/tracepoints.h"

static bool check_start(struct sprof_error *err)
{
	return sprof_self_check_ptrace(false, err);
}

static bool check_attach(struct sprof_error *err)
{
	return sprof_self_check_ptrace(true, err);
}

static bool check_timers(struct sprof_error *err)
{
	struct sprof_perf_denial denial = {0};

	return sprof_perf_timer_is_permitted(&denial) || sprof_perf_denied(&denial, "timers", err);
}

static bool check_event(
	struct perf_event_attr attributes, const char *what, struct sprof_error *err)
{
	struct sprof_perf_denial denial = {0};
	const int fd = sprof_perf_open(&attributes, 0, -1, &denial);

	if (fd < 0)
		return sprof_perf_denied(&denial, what, err);
	close(fd);
	return true;
}

static bool check_kernel_code(struct sprof_error *err)
{
	struct perf_event_attr attributes =
		sprof_perf_attributes(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);

	attributes.exclude_kernel = 0;
	return check_event(attributes, "timers in kernel code", err);
}

static bool check_faults(struct sprof_error *err)
{
	return check_event(sprof_perf_attributes(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS),
		"page faults", err);
}

static bool check_switches(struct sprof_error *err)
{
	struct sprof_perf_denial denial = {0};
	struct sprof_switches switches;
	const bool done = sprof_switches_begin(&switches, getpid(), &denial);

	sprof_switches_finish(&switches);
	return done || sprof_perf_denied(&denial, "switch records", err);
}

static bool check_tracepoints(struct sprof_error *err)
{
	struct sprof_perf_denial denial = {0};
	struct sprof_sched_tracepoints points;
	const bool done = sprof_sched_tracepoints_begin(&points, getpid(), 0, &denial);

	sprof_sched_tracepoints_finish(&points);
	return done || sprof_perf_denied(&denial, "tracepoints", err);
}

static bool check_program(const char *name, const char *package, struct sprof_error *err)
{
	char path[PATH_MAX];

	if (sprof_program_find(name, 0, path, err))
		return true;
	sprof_error_set(err, SPROF_ERROR_NOT_FOUND, "%s is not installed", name);
	sprof_error_hint(err, "it is in the package %s", package);
	return false;
}

static bool check_dot(struct sprof_error *err)
{
	return check_program("dot", "graphviz", err);
}

static bool check_objdump(struct sprof_error *err)
{
	return check_program("objdump", "binutils", err);
}

static bool check_debuginfod(struct sprof_error *err)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	if (urls && urls[0])
		return true;
	sprof_error_set(err, SPROF_ERROR_NOT_FOUND, "DEBUGINFOD_URLS is not set");
	sprof_error_hint(err, "debug files are then only those that are installed");
	return false;
}

static const struct check {
	const char *what;
	bool (*try)(struct sprof_error *err);
	bool is_needed; /* sprof can do nothing without it */
} checks[] = {
	{"kernel and /proc", sprof_machine_check, true},
	{"run: start and trace a program", check_start, true},
	{"attach: trace a process that runs already", check_attach, false},
	{"--source kernel: samples without stops", check_timers, false},
	{"--kernel=stack: the kernel's own code", check_kernel_code, false},
	{"--waits=exact, rundelay: every switch", check_switches, false},
	{"syscalls, trace: tracepoints instead of stops", check_tracepoints, false},
	{"heap, --faults: page faults", check_faults, false},
	{"-o FILE.png: pictures of graphs", check_dot, false},
	{"annotate --asm: instructions", check_objdump, false},
	{"--debuginfod: debug files from a server", check_debuginfod, false},
};

/* The first line of a file of settings; "-": there is none. */
static const char *setting_of(const char *path, char *buffer, size_t size)
{
	if (sprof_proc_read_path(path, buffer, size) <= 0)
		return "-";
	buffer[strcspn(buffer, "\n")] = '\0';
	return buffer;
}

static void print_setting(const char *name, const char *path)
{
	char text[64];

	printf("%s: %s\n", name, setting_of(path, text, sizeof(text)));
}

static void print_status(const char *status, const char *field)
{
	char value[64];

	if (sprof_proc_status_field(status, field, value, sizeof(value)))
		printf("%s: %s\n", field, value);
}

static void print_machine(void)
{
	char status[SPROF_PROC_STATUS_MAX];
	struct utsname name;

	if (!uname(&name))
		printf("kernel: %s %s %s %s\n", name.sysname, name.release, name.version,
			name.machine);
	printf("CPUs: %ld; user: %ld\n", sysconf(_SC_NPROCESSORS_ONLN), (long)geteuid());
	if (sprof_proc_status_read(SPROF_PROC_SELF, 0, status, sizeof(status)) >= 0) {
		print_status(status, "CapEff");
		print_status(status, "NoNewPrivs");
		print_status(status, "Seccomp");
	}
	print_setting("kernel.yama.ptrace_scope", "/proc/sys/kernel/yama/ptrace_scope");
	print_setting("kernel.perf_event_paranoid", "/proc/sys/kernel/perf_event_paranoid");
	print_setting("kernel.perf_event_mlock_kb", "/proc/sys/kernel/perf_event_mlock_kb");
	print_setting("kernel.kptr_restrict", "/proc/sys/kernel/kptr_restrict");
}

static bool print_check(const struct check *check)
{
	struct sprof_error err = {0};
	const bool works = check->try(&err);

	printf("%-4s%s\n", works ? "yes" : "no", check->what);
	if (works)
		return true;
	printf("      %s\n", err.message);
	if (err.hint[0])
		printf("      hint: %s\n", err.hint);
	return false;
}

int sprof_self_check(void)
{
	int code = 0;

	print_machine();
	puts("");
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		if (!print_check(&checks[i]) && checks[i].is_needed)
			code = SPROF_EXIT_FAILED;
	}
	return code;
}
