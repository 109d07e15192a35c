/*
 * sprof rundelay: how long the threads of a process wait for a CPU, and after what. Nothing stops or
 * changes the process: the kernel tells.
 */
#include <poll.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/child.h"
#include "attach/denial.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "cmd/commands.h"
#include "cmd/environment.h"
#include "cmd/rundelay-denied.h"
#include "cmd/rundelay-table.h"
#include "cmd/rundelay-watch.h"
#include "cmd/terminal.h"
#include "cmd/ui.h"

struct rundelay_options {
	struct sprof_common_options common;
	pid_t pid;
	uint64_t duration_ns, interval_ns, than_ns;
	bool per_thread, json;
	const char *filter;
	enum sprof_rundelay_request request;
};

_Static_assert(offsetof(struct rundelay_options, common) == 0,
	"main.c reads the common options of any command");

#define FIELD(name) offsetof(struct rundelay_options, name)

static bool set_source(void *field, const char *text, struct sprof_error *err)
{
	static const char *const names[] = {
		[SPROF_RUNDELAY_AUTO] = "auto",
		[SPROF_RUNDELAY_PERF] = "perf",
		[SPROF_RUNDELAY_PROC] = "proc",
		NULL,
	};
	unsigned request;

	if (!sprof_value_choice(names, text, &request, err))
		return false;
	*(enum sprof_rundelay_request *)field = (enum sprof_rundelay_request)request;
	return true;
}

static const struct sprof_option target_table[] = {
	{"pid", "p", "PID", "the process", sprof_value_pid, FIELD(pid)},
	{"duration", "d", "TIME", "end after that time, such as 10s", sprof_value_duration,
		FIELD(duration_ns)},
	{"source", NULL, "SOURCE",
		"auto (the best that is permitted), perf (tracepoints or switch\n"
		"records), proc (schedstat alone)",
		set_source, FIELD(request)},
	{0},
};

static const struct sprof_option table_table[] = {
	{"interval", "i", "MS", "a table each MS milliseconds, and one of the whole run",
		sprof_value_milliseconds, FIELD(interval_ns)},
	{"than", NULL, "TIME", "count delays that are longer, such as 4ms", sprof_value_latency,
		FIELD(than_ns)},
	{"perins", NULL, NULL, "a row for each thread", sprof_value_flag, FIELD(per_thread)},
	{"filter", NULL, "GLOB", "only threads whose name matches", sprof_value_text,
		FIELD(filter)},
	{"json", NULL, NULL, "each table as a line of JSON", sprof_value_flag, FIELD(json)},
	{0},
};

static const struct sprof_option_group groups[] = {
	{"What to watch", target_table},
	{"Output", table_table},
	{"General", sprof_common_option_table},
	{0},
};

static const struct rundelay_options defaults = {.request = SPROF_RUNDELAY_AUTO};

struct run {
	const struct rundelay_options *options;
	struct sprof_rundelay rundelay;
	struct sprof_signals signals;
	struct sprof_child child;
	uint64_t begin_ns;
	unsigned tables;
	bool no_memory;
};

static void print(struct run *run, bool total, uint64_t begin_ns, uint64_t now_ns)
{
	const struct sprof_rundelay_view view = {
		.rundelay = &run->rundelay,
		.total = total,
		.per_thread = run->options->per_thread,
		.filter = run->options->filter,
		.than_ns = run->options->than_ns,
		.now_ns = now_ns,
		.duration_ns = now_ns - begin_ns,
	};
	struct sprof_rundelay_rows rows;

	if (!sprof_rundelay_rows_collect(&view, &rows)) {
		run->no_memory = true;
	} else if (run->options->json) {
		sprof_rundelay_print_json(&view, &rows);
	} else {
		if (run->tables++)
			printf("\n");
		sprof_rundelay_print_table(&view, &rows, sprof_terminal_width());
	}
	sprof_rundelay_rows_finish(&rows);
	fflush(stdout);
}

/* Prints the interval's table, if there is to be one. False: nobody reads on. */
static bool end_interval(void *data, uint64_t now_ns)
{
	struct run *run = data;
	struct sprof_delays *delays = &run->rundelay.delays;

	sprof_delays_close_interval(delays, now_ns);
	if (run->options->interval_ns)
		print(run, false, delays->interval_begin_ns, now_ns);
	sprof_delays_end_interval(delays, now_ns);
	return !ferror(stdout);
}

/* On SIGUSR1. */
static void print_statistics(void *data)
{
	const struct run *run = data;
	const struct sprof_rundelay *rundelay = &run->rundelay;

	sprof_ui_note("%s: %zu threads, %zu records wait, %llu lost, %llu late, %llu readings",
		sprof_rundelay_source_name(rundelay->source), rundelay->delays.count,
		rundelay->order.count, (unsigned long long)rundelay->delays.lost,
		(unsigned long long)rundelay->order.late, (unsigned long long)rundelay->readings);
}

/* Whether the process may be watched at all; the error is that of an attach. */
static bool check_target(pid_t pid, struct sprof_error *err)
{
	struct sprof_denial_facts facts;

	sprof_denial_find("/proc", pid, 0, &facts);
	if (facts.cause == SPROF_DENIAL_SELF || facts.cause == SPROF_DENIAL_KERNEL_THREAD)
		return sprof_denial_error(&facts, pid, 0, err);
	return true;
}

static bool set_gone(pid_t pid, struct sprof_error *err)
{
	return sprof_error_set(err, SPROF_ERROR_TARGET_GONE, "watch %d: no such process", (int)pid);
}

static bool has_ended(int pid_fd)
{
	struct pollfd fd = {pid_fd, POLLIN, 0};

	return poll(&fd, 1, 0) > 0;
}

static bool begin(struct run *run, pid_t pid, int pid_fd, struct sprof_error *err)
{
	const struct rundelay_options *options = run->options;
	const struct sprof_rundelay_options wanted = {
		.request = options->request,
		.than_ns = options->than_ns,
		.per_thread = options->per_thread || options->filter,
	};

	switch (sprof_rundelay_begin(&run->rundelay, pid, &wanted)) {
	case SPROF_RUNDELAY_DENIED:
		return sprof_rundelay_explain(&run->rundelay, err);
	case SPROF_RUNDELAY_GONE:
		return set_gone(pid, err);
	case SPROF_RUNDELAY_BEGUN:
		break;
	}
	return !has_ended(pid_fd) || set_gone(pid, err);
}

static void finish(struct run *run)
{
	const uint64_t now = sprof_clock_now_ns();

	sprof_rundelay_end(&run->rundelay, now);
	sprof_signals_release(&run->signals);
	end_interval(run, now);
	print(run, true, run->begin_ns, now);
	if (run->rundelay.delays.no_memory || run->no_memory)
		sprof_ui_note("there was no memory for some threads or delays");
}

static void tell_begun(const struct run *run, pid_t pid, bool launched)
{
	if (launched && !isatty(STDOUT_FILENO))
		sprof_ui_note("stdout is for the tables, so what %s prints goes to stderr",
			run->child.program);
	sprof_rundelay_tell_denied(&run->rundelay);
	sprof_ui_progress("watching process %d by %s; Ctrl-C ends it", (int)pid,
		sprof_rundelay_source_name(run->rundelay.source));
}

/* The process is there; a launched one waits for its word. */
static bool watch(struct run *run, pid_t pid, bool launched, struct sprof_error *err)
{
	SPROF_AUTO_CLOSE int pid_fd = (int)syscall(SYS_pidfd_open, pid, 0);
	const struct sprof_rundelay_watch watch = {
		.rundelay = &run->rundelay,
		.signals = &run->signals,
		.pid_fd = pid_fd,
		.begin_ns = run->begin_ns = sprof_clock_now_ns(),
		.duration_ns = run->options->duration_ns,
		.interval_ns = run->options->interval_ns,
		.end_interval = end_interval,
		.data = run,
	};

	if (pid_fd < 0)
		return set_gone(pid, err);
	if (!begin(run, pid, pid_fd, err) || (launched && !sprof_child_go(&run->child, err)))
		return false;
	tell_begun(run, pid, launched);
	sprof_rundelay_watch_run(&watch);
	finish(run);
	return true;
}

static int exit_code_of(const struct run *run, bool launched)
{
	int status;

	if (run->rundelay.delays.no_memory || run->no_memory)
		return SPROF_EXIT_PARTIAL;
	if (launched && sprof_child_ended(&run->child, &status))
		return sprof_exit_of_program(status);
	return launched && run->signals.ended_by ? 128 + run->signals.ended_by : 0;
}

static bool launch(struct run *run, char *const operands[], struct sprof_error *err)
{
	SPROF_AUTO_FREE char **environment = sprof_environment_take();
	const struct sprof_launch launch = {
		.arguments = operands,
		.environment = environment,
		.stdout_to_stderr = true,
		.ignored = sprof_signals_ignored(),
	};
	bool done;

	if (!environment)
		return sprof_error_no_memory(err);
	if (!sprof_child_start(&run->child, &launch, &run->signals.original, err))
		return false;
	run->signals.target = run->child.pid;
	done = watch(run, run->child.pid, true, err);
	sprof_child_cancel(&run->child);
	return done;
}

static bool check_usage(
	const struct rundelay_options *options, char *const operands[], struct sprof_error *err)
{
	if (!options->pid != !operands[0])
		return true;
	if (options->pid)
		sprof_error_set(err, SPROF_ERROR_USAGE,
			"rundelay watches a process or a program that it starts, not both");
	else
		sprof_error_set(err, SPROF_ERROR_USAGE, "rundelay needs a process or a program");
	sprof_error_hint(err, "sprof rundelay -p PID, or sprof rundelay -- PROGRAM");
	return false;
}

static bool run(const void *data, char *const operands[], int *ret_exit, struct sprof_error *err)
{
	const struct rundelay_options *options = data;
	struct run run = {.options = options, .child.socket = -1};
	bool done;

	if (!check_usage(options, operands, err) ||
		(options->pid && !check_target(options->pid, err)))
		return false;
	sprof_signals_block(&run.signals, !options->pid);
	run.signals.snapshot = print_statistics;
	run.signals.snapshot_data = &run;
	if (options->pid)
		done = watch(&run, options->pid, false, err);
	else
		done = launch(&run, operands, err);
	if (done)
		*ret_exit = exit_code_of(&run, !options->pid);
	sprof_rundelay_finish(&run.rundelay);
	return done;
}

const struct sprof_command sprof_command_rundelay = {
	.name = "rundelay",
	.summary = "Measure how long a process's threads wait for a CPU",
	.synopsis = "-p PID [options], or [options] [--] PROGRAM [ARGUMENT...]",
	.details =
		"A thread waits after it was preempted, and after it was woken. Preemptions are exact "
		"with\nswitch records, which a user gets for his own processes where "
		"kernel.perf_event_paranoid is at\nmost 2. Wake-ups are exact with tracepoints, which take "
		"root and a mounted tracefs; else the\nkernel tells only their number and sum (~). Ctrl-C "
		"ends it with the tables. SIGUSR1 prints\nstatistics.\n\n"
		"  sprof rundelay -p 4711 -d 10s --than 4ms --perins\n"
		"  sprof rundelay -i 1000 -- ./server --port 8080\n",
	.groups = groups,
	.defaults = &defaults,
	.options_size = sizeof(struct rundelay_options),
	.run = run,
};
