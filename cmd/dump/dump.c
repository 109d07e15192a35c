/*
 * sprof dump: prints where each thread of a process is, once or several times, and detaches; or
 * where each thread was in a core. text.c and json.c write it; core-threads.c reads cores.
 * Descendants are found by the parents in /proc; one whose parent has ended is not found.
 */
#include "cmd/dump/dump.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "attach/regs/regs.h"
#include "base/clock.h"
#include "base/proc-status.h"
#include "base/proc.h"
#include "cmd/cli/commands.h"
#include "cmd/cli/environment.h"
#include "cmd/cli/processes.h"
#include "cmd/dump/core-look.h"
#include "cmd/dump/file-locks.h"
#include "cmd/dump/python-locks.h"
#include "cmd/record/python.h"
#include "cmd/record/tracing.h"
#include "cmd/saved/naming.h"
#include "cmd/ui.h"
#include "interp/interp.h"

struct dump_options {
	struct sprof_common_options common;
	struct sprof_naming naming;
	struct sprof_processes processes;
	const char *core, *program;
	bool json;
	size_t times;
	uint64_t interval_ns; /* 0: not given */
	size_t max_depth;
	enum sprof_python_shown python;
};

_Static_assert(offsetof(struct dump_options, common) == 0,
	"main.c reads the common options of any command");

#define FIELD(name) offsetof(struct dump_options, name)

static const struct dump_options defaults = {
	.max_depth = SPROF_UNWIND_DEFAULT_DEPTH,
	.times = 1,
	.naming.debuginfod_limit_ns = SPROF_DEBUGINFOD_LIMIT_NS,
};

static const struct sprof_option option_table[] = {
	{"children", NULL, NULL, "also show the descendants of these processes", sprof_value_flag,
		FIELD(processes.children), .conflicts = "tid"},
	{"core", NULL, "FILE", "read a core file instead of a process; -: from stdin",
		sprof_value_text, FIELD(core), .conflicts = "pid tid name children times"},
	{"exe", NULL, "FILE", "with --core: the program's file, if it has moved", sprof_value_text,
		FIELD(program), .needs = "core"},
	{"times", NULL, "N", "look N times (1)", sprof_value_count, FIELD(times)},
	{"interval", NULL, "DURATION", "with --times: the time between two looks (1s)",
		sprof_value_duration, FIELD(interval_ns), .needs = "times"},
	{"format", "f", "FORMAT", NULL, sprof_value_json, FIELD(json)},
	{"json", NULL, NULL, "write JSON instead of text, one line per look", sprof_value_flag,
		FIELD(json), .conflicts = "format"},
	{"locals", "l", NULL, "also print the local variables of each frame", sprof_value_flag,
		FIELD(naming.with_variables)},
	{"python", NULL, "FRAMES",
		"frames of Python programs: calls: Python functions, and C\n"
		"functions that do work; all: also C functions that only call\n"
		"Python; only: just Python functions; none: the functions of the\n"
		"interpreter (calls)",
		sprof_python_set, FIELD(python)},
	{"no-python", NULL, NULL,
		"show the functions of the interpreter instead of Python functions",
		sprof_python_unset, FIELD(python)},
	{"max-depth", NULL, "N", "show at most N frames per stack (8192)", sprof_value_count,
		FIELD(max_depth)},
	{"native", "n", NULL, NULL, sprof_value_ignored, 0},
	{0},
};

static const struct sprof_option_group groups[] = {
	{"Options", sprof_processes_table, FIELD(processes)},
	{"Options", sprof_processes_all_table, FIELD(processes)},
	{"Options", option_table},
	{"Names", sprof_naming_table, FIELD(naming)},
	{"General", sprof_common_option_table},
	{0},
};

struct dump {
	const struct dump_options *options;
	struct sprof_pids pids; /* of this look */
	struct sprof_modules *modules;
	struct sprof_unwinder *unwinder;
	struct sprof_namer namer;
	struct sprof_core *core;
	struct sprof_interp *interp; /* for the core, or for Python's locks; NULL: native only */
	struct sprof_core_look core_look;
	/* One look: */
	struct sprof_stacks stacks;
	struct sprof_lock_cycles cycles;
	uint64_t time_ns;
};

static bool add_descendants(struct sprof_pids *pids, struct sprof_error *err)
{
	return sprof_pids_add_descendants(pids) ||
		sprof_error_set(err, SPROF_ERROR_UNSUPPORTED, "they have more than %d descendants",
			SPROF_PIDS_MAX);
}

static bool dump_init(struct dump *dump, struct sprof_error *err)
{
	const struct sprof_unwinder_options unwinding = {
		.max_depth = dump->options->max_depth,
		.signature_mask = sprof_regs_signature_mask(),
		.wants_state = dump->options->naming.with_variables,
	};

	dump->modules = sprof_modules_create();
	if (!dump->modules)
		return sprof_error_no_memory(err);
	return sprof_unwinder_create(dump->modules, &unwinding, &dump->unwinder, err) &&
		sprof_python_begin(dump->options->python, dump->modules, &dump->interp, err) &&
		sprof_namer_create(&dump->options->naming, dump->modules, true, &dump->namer, err);
}

static void forget_look(struct dump *dump)
{
	sprof_lock_cycles_finish(&dump->cycles);
	sprof_stacks_finish(&dump->stacks);
}

static void dump_finish(struct dump *dump)
{
	forget_look(dump);
	sprof_namer_finish(&dump->namer);
	sprof_unwinder_destroy(dump->unwinder);
	sprof_core_look_finish(&dump->core_look);
	sprof_interp_destroy(dump->interp);
	sprof_core_close(dump->core);
	sprof_modules_destroy(dump->modules);
}

static bool trace(struct dump *dump, struct sprof_error *err)
{
	const struct sprof_pids *tids = &dump->options->processes.tids;
	const struct sprof_subject subject = {
		.pid = dump->pids.items[0],
		.pids = &dump->pids,
		.tids = tids->count ? tids : NULL,
	};
	struct sprof_signals signals;
	struct sprof_tracing tracing = {
		.subject = &subject,
		.modules = dump->modules,
		.unwinder = dump->unwinder,
		.python = dump->options->python,
		.signals = &signals,
		.sampling = {.rate_hz = 10, .once = true},
		.sink = sprof_stacks_sink(&dump->stacks),
	};

	sprof_signals_block(&signals, false);
	if (!sprof_tracing_sample(&tracing, err))
		return false;
	sprof_tracing_finish(&tracing);
	sprof_signals_release(&signals);
	if (tracing.begun && !tracing.sampling_failed)
		return true;
	*err = tracing.error;
	return false;
}

/*
 * Other memory can look like a mutex, so functions on the stack must confirm it. For other locks,
 * they show the kind.
 */
static bool check_locks(struct dump *dump, struct sprof_error *err)
{
	const struct sprof_dump_view view = {
		.stacks = &dump->stacks, .modules = dump->modules, .symbols = dump->namer.symbols};

	for (size_t i = 0; i < dump->stacks.thread_count; i++) {
		struct sprof_thread_stack *thread = &dump->stacks.threads[i];
		struct sprof_lock_traits *traits = &thread->lock_traits;
		struct sprof_dump_lock lock;

		if (!thread->sampled || !thread->lock_address || thread->holder)
			continue;
		if (!sprof_dump_lock_find(&view, thread, &lock, err))
			return false;
		thread->lock = lock.kind;
		if (lock.kind != SPROF_LOCK_MUTEX)
			traits->is_endless = false;
		if (lock.kind != SPROF_LOCK_MUTEX && lock.kind != SPROF_LOCK_RWLOCK)
			traits->lost_owner = 0;
	}
	return true;
}

static bool take_stacks(struct dump *dump, struct sprof_error *err)
{
	forget_look(dump);
	dump->stacks.keeps_memory = !dump->core;
	if (dump->core) {
		const struct sprof_sink sink = sprof_stacks_sink(&dump->stacks);

		if (!sprof_core_threads_give(&dump->core_look, &sink, err))
			return false;
	} else if (!trace(dump, err)) {
		return false;
	}
	sprof_stacks_sort(&dump->stacks);
	if (!check_locks(dump, err))
		return false;
	if (!dump->core &&
		(!sprof_python_locks_find(&dump->stacks, dump->interp, dump->modules) ||
			!sprof_dump_file_locks_find(&dump->stacks)))
		return sprof_error_no_memory(err);
	return sprof_lock_cycles_find(&dump->stacks, !dump->core, &dump->cycles) ||
		sprof_error_no_memory(err);
}

/*
 * Threads of live processes are read one after the other, so locks that change hands meanwhile can
 * look like a cycle. A second look checks that all its threads still sleep.
 */
static bool look_again(struct dump *dump, struct sprof_error *err)
{
	struct sprof_lock_sleeps sleeps;
	bool ok;

	if (!sprof_lock_sleeps_note(&dump->cycles, &dump->stacks, &sleeps))
		return sprof_error_no_memory(err);
	ok = take_stacks(dump, err);
	if (ok)
		sprof_lock_cycles_confirm(&dump->cycles, &sleeps, &dump->stacks);
	sprof_lock_sleeps_finish(&sleeps);
	return ok;
}

static bool look(struct dump *dump, struct sprof_error *err)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	dump->time_ns = (uint64_t)now.tv_sec * SPROF_NS_PER_S + (uint64_t)now.tv_nsec;
	dump->pids = dump->options->processes.pids;
	if (dump->options->processes.children && !add_descendants(&dump->pids, err))
		return false;
	return take_stacks(dump, err) &&
		(dump->core || !dump->cycles.count || look_again(dump, err));
}

static bool print_look(struct dump *dump, size_t number, struct sprof_error *err)
{
	const struct dump_options *options = dump->options;
	const struct sprof_dump_view view = {
		.stacks = &dump->stacks,
		.cycles = &dump->cycles,
		.modules = dump->modules,
		.symbols = dump->namer.symbols,
		.core = dump->core,
		.short_names = options->naming.short_names,
		.with_locals = options->naming.with_variables,
		.time_ns = dump->time_ns,
	};

	if (options->json)
		return sprof_dump_print_json(&view, err);
	if (options->times > 1)
		printf("%slook %zu of %zu\n", number > 1 ? "\n" : "", number, options->times);
	if (!sprof_dump_print_text(&view, err))
		return false;
	fflush(stdout);
	return true;
}

static void wait_until(uint64_t time_ns)
{
	const struct timespec time = {
		(time_t)(time_ns / SPROF_NS_PER_S), (long)(time_ns % SPROF_NS_PER_S)};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL))
		;
}

/* A process that ends between two dumps ends the command; the earlier dumps were shown. */
static bool look_on(struct dump *dump, int *ret_exit, struct sprof_error *err)
{
	const struct dump_options *options = dump->options;
	const uint64_t begin_ns = sprof_clock_now_ns();
	const uint64_t interval_ns = options->interval_ns ? options->interval_ns : SPROF_NS_PER_S;

	for (size_t i = 0; i < options->times; i++) {
		if (i)
			wait_until(begin_ns + i * interval_ns);
		if (!look(dump, err)) {
			if (!i)
				return false;
			sprof_ui_error(err);
			*ret_exit = SPROF_EXIT_PARTIAL;
			return true;
		}
		if (!print_look(dump, i + 1, err))
			return false;
	}
	return true;
}

static bool open_core_file(struct dump *dump, struct sprof_error *err)
{
	if (strcmp(dump->options->core, "-") != 0)
		return sprof_core_open(dump->options->core, &dump->core, err);
	if (isatty(STDIN_FILENO))
		return sprof_error_set(err, SPROF_ERROR_USAGE, "--core: stdin is a terminal");
	return sprof_core_open_stream(STDIN_FILENO, "stdin", &dump->core, err);
}

static bool open_core(struct dump *dump, struct sprof_error *err)
{
	if (!dump->options->core)
		return true;
	if (!open_core_file(dump, err))
		return false;
	if (dump->core->is_cut)
		sprof_ui_note("%s was cut off: some of its memory is missing, and stacks may end "
			      "early",
			dump->options->core);
	dump->core_look = (struct sprof_core_look){
		.core = dump->core,
		.program = dump->options->program,
		.modules = dump->modules,
		.unwinder = dump->unwinder,
		.interp = dump->interp,
	};
	return sprof_core_modules_open(&dump->core_look, err);
}

static bool check(
	const struct dump_options *options, char *const operands[], struct sprof_error *err)
{
	if (options->core && options->processes.pid)
		return sprof_error_set(err, SPROF_ERROR_USAGE,
			"--core and process %d exclude each other", (int)options->processes.pid);
	if ((options->core && !operands[0]) ||
		sprof_command_wants_pid("dump", options->processes.pid, operands, err))
		return true;
	for (; operands[0]; operands++) {
		/* As for gdb: "./program core". */
		if (!operands[1] && !access(operands[0], R_OK))
			sprof_error_hint(err, "for a core file: sprof dump --core %s", operands[0]);
	}
	return false;
}

static bool run(const void *data, char *const operands[], int *ret_exit, struct sprof_error *err)
{
	struct dump dump = {.options = data};
	bool done;

	if (!check(dump.options, operands, err))
		return false;
	free(sprof_environment_take());
	*ret_exit = 0;
	done = dump_init(&dump, err) && open_core(&dump, err) && look_on(&dump, ret_exit, err);
	dump_finish(&dump);
	return done;
}

const struct sprof_command sprof_command_dump = {
	.name = "dump",
	.summary = "Show the stack of each thread, the locks that it waits for, and deadlocks",
	.synopsis = "{-p PID[,PID]... | --core FILE} [options]",
	.details =
		"Prints the stack of every thread, innermost function first, with its state, the "
		"system call in\n"
		"which it sleeps, and source lines if there is debug information. Threads that "
		"wait for each\n"
		"other's locks are a deadlock; deadlocks are printed first.\n\n"
		"  sprof dump -p 4711\n"
		"  sprof dump --core core.4711\n",
	.groups = groups,
	.hidden = "no-python verbose " SPROF_NAMING_HIDDEN,
	.processes = FIELD(processes),
	.processes_use = SPROF_PROCESSES_MANY | SPROF_PROCESSES_THREADS | SPROF_PROCESSES_WORD,
	.defaults = &defaults,
	.options_size = sizeof(struct dump_options),
	.options_anywhere = true,
	.run = run,
};
