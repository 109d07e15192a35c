/*
 * sprof dump: where each thread of a process is right now, once, and then let it go.
 */
#include <stdio.h>
#include <string.h>

#include "attach/regs.h"
#include "base/cleanup.h"
#include "base/module.h"
#include "cmd/commands.h"
#include "cmd/environment.h"
#include "cmd/naming.h"
#include "cmd/stacks.h"
#include "cmd/syscall-name.h"
#include "cmd/tracing.h"
#include "output/clean.h"
#include "output/fit.h"

struct dump_options {
	struct sprof_common_options common;
	struct sprof_naming naming;
	bool short_names;
	pid_t pid;
	size_t max_depth;
};

_Static_assert(offsetof(struct dump_options, common) == 0,
	"main.c reads the common options of any command");

#define FIELD(name) offsetof(struct dump_options, name)

static const struct dump_options defaults = {
	.max_depth = SPROF_UNWIND_DEFAULT_DEPTH,
	.naming.debuginfod_limit_ns = SPROF_DEBUGINFOD_LIMIT_NS,
};

static const struct sprof_option option_table[] = {
	{"pid", "p", "PID", "the process", sprof_value_pid, FIELD(pid)},
	{"max-depth", NULL, "N", "at most N frames per stack (8192)", sprof_value_count,
		FIELD(max_depth)},
	{0},
};

static const struct sprof_option_group groups[] = {
	{"Options", option_table},
	{"Names", sprof_naming_kind_table, FIELD(short_names)},
	{"Names", sprof_naming_table, FIELD(naming)},
	{"General", sprof_common_option_table},
	{0},
};

struct dump {
	const struct dump_options *options;
	struct sprof_modules *modules;
	struct sprof_unwinder *unwinder;
	struct sprof_namer namer;
	struct sprof_signals signals;
	struct sprof_stacks stacks;
};

static bool dump_init(struct dump *dump, struct sprof_error *err)
{
	const struct sprof_unwinder_options unwinding = {
		.max_depth = dump->options->max_depth,
		.signature_mask = sprof_regs_signature_mask(),
	};

	sprof_signals_block(&dump->signals, false);
	dump->modules = sprof_modules_create();
	if (!dump->modules)
		return sprof_error_no_memory(err);
	return sprof_unwinder_create(dump->modules, &unwinding, &dump->unwinder, err) &&
		sprof_namer_create(&dump->options->naming, dump->modules, true, &dump->namer, err);
}

static void dump_finish(struct dump *dump)
{
	sprof_stacks_finish(&dump->stacks);
	sprof_namer_finish(&dump->namer);
	sprof_unwinder_destroy(dump->unwinder);
	sprof_modules_destroy(dump->modules);
}

static bool take_stacks(struct dump *dump, struct sprof_error *err)
{
	const struct sprof_subject subject = {.pid = dump->options->pid};
	struct sprof_tracing tracing = {
		.subject = &subject,
		.modules = dump->modules,
		.unwinder = dump->unwinder,
		.signals = &dump->signals,
		.sampling = {.rate_hz = 10, .once = true},
		.sink = sprof_stacks_sink(&dump->stacks),
	};

	if (!sprof_tracing_sample(&tracing, err))
		return false;
	sprof_tracing_finish(&tracing);
	sprof_signals_release(&dump->signals);
	sprof_stacks_sort(&dump->stacks);
	if (tracing.begun && !tracing.sampling_failed)
		return true;
	*err = tracing.error;
	return false;
}

/* "read (pipe:[4711] from cat (12))", "futex (mutex of thread 4712)". */
static void print_call(const struct sprof_thread_stack *thread)
{
	SPROF_AUTO_FREE char *object = sprof_clean_text(thread->object ? thread->object : "", NULL);
	char name[64];

	sprof_syscall_name(thread->syscall, name, sizeof(name));
	printf(" in %s", name);
	if (thread->object && object)
		printf(" (%s)", object);
	else if (thread->lock != SPROF_LOCK_UNKNOWN && thread->holder)
		printf(" (%s of thread %d)", sprof_lock_kind_name(thread->lock), thread->holder);
	else if (thread->lock != SPROF_LOCK_UNKNOWN)
		printf(" (%s)", sprof_lock_kind_name(thread->lock));
}

static void print_state(const struct sprof_thread_stack *thread)
{
	static const char *const words[SPROF_STATE_COUNT] = {
		[SPROF_STATE_USER] = "running",
		[SPROF_STATE_SYS] = "running in the kernel",
		[SPROF_STATE_SLEEP] = "sleeping",
		[SPROF_STATE_DISK] = "in uninterruptible sleep",
		[SPROF_STATE_STOPPED] = "stopped",
	};

	if (!thread->sampled) {
		printf("ended\n");
		return;
	}
	printf("%s", words[thread->state]);
	if (thread->in_syscall)
		print_call(thread);
	printf("\n");
}

static bool print_location(const struct dump *dump, const struct sprof_location *location,
	const struct sprof_module *module, size_t *number)
{
	SPROF_AUTO_FREE char *function =
		sprof_fit_function(location->function, dump->options->short_names, 0);
	SPROF_AUTO_FREE char *place =
		sprof_clean_text(location->file ? location->file : sprof_module_name(module), NULL);

	if (!function || !place)
		return false;
	printf("  #%-3zu %s%s", (*number)++, function, location->inlined ? " (inlined)" : "");
	if (location->file && location->line)
		printf(" at %s:%u\n", place, location->line);
	else if (location->unresolved)
		printf("\n");
	else
		printf(" in %s\n", place);
	return true;
}

static bool print_frame(
	struct dump *dump, const struct sprof_frame *frame, size_t *number, struct sprof_error *err)
{
	const struct sprof_module *module = sprof_modules_get(dump->modules, frame->module);
	struct sprof_locations locations;

	if (!sprof_symbols_resolve(dump->namer.symbols, frame->module,
		    frame->offset - (frame->is_return ? 1 : 0), &locations, err))
		return false;
	for (size_t i = 0; i < locations.count; i++) {
		if (!print_location(dump, &locations.items[i], module, number))
			return sprof_error_no_memory(err);
	}
	return true;
}

static bool print_thread(
	struct dump *dump, const struct sprof_thread_stack *thread, struct sprof_error *err)
{
	SPROF_AUTO_FREE char *name = sprof_clean_text(thread->name, NULL);
	size_t number = 0;

	if (!name)
		return sprof_error_no_memory(err);
	printf("\nthread %d (%s): ", thread->tid, name);
	print_state(thread);
	for (size_t i = 0; i < thread->frame_count; i++) {
		if (!print_frame(dump, &thread->frames[i], &number, err))
			return false;
	}
	if (thread->sampled && thread->end != SPROF_END_ROOT)
		printf("  [the stack ends early: %s]\n", sprof_end_name(thread->end));
	return true;
}

static bool print_all(struct dump *dump, struct sprof_error *err)
{
	printf("process %d: %zu threads\n", dump->options->pid, dump->stacks.thread_count);
	for (size_t i = 0; i < dump->stacks.thread_count; i++) {
		if (!print_thread(dump, &dump->stacks.threads[i], err))
			return false;
	}
	return true;
}

static bool run(const void *data, char *const operands[], int *ret_exit, struct sprof_error *err)
{
	struct dump dump = {.options = data};
	bool done;

	if (!sprof_command_wants_pid("dump", dump.options->pid, operands, err))
		return false;
	free(sprof_environment_take());
	done = dump_init(&dump, err) && take_stacks(&dump, err) && print_all(&dump, err);
	dump_finish(&dump);
	*ret_exit = 0;
	return done;
}

const struct sprof_command sprof_command_dump = {
	.name = "dump",
	.summary = "Show where each thread of a process is right now",
	.synopsis = "-p PID [options]",
	.details =
		"Prints the stack of every thread, the innermost function first, with its state, the "
		"system\ncall it sleeps in, and source lines where there is debug information.\n",
	.groups = groups,
	.defaults = &defaults,
	.options_size = sizeof(struct dump_options),
	.run = run,
};
