/*
 * The ways to watch functions: breakpoints, if they were asked for; else the kernel's uprobes; else, to
 * count calls, debug registers. Does not handle which functions are wanted.
 */
#include "cmd/functions-state.h"

#include <stdio.h>
#include <stdlib.h>

#include "attach/breakpoints.h"
#include "attach/trap-signals.h"
#include "base/proc.h"
#include "cmd/perf-denied.h"

/* What the kernel is asked to watch of one function: its begin and its returns. */
struct sprof_functions_watched {
	struct sprof_functions_watched *next;
	char path[SPROF_PROC_PATH_MAX];
	struct sprof_probe probes[2];
};

/* Processes that are only watched over have no events. */
static bool take_event(void *data, const struct sprof_trace_event *event)
{
	const struct sprof_functions *functions = data;
	const struct sprof_functions_options *options = &functions->options;

	if (!options->follow_children && functions->target &&
		event->pid != sprof_target_pid(functions->target))
		return true;
	return options->event(options->data, event);
}

static void take_gap(void *data, uint64_t end_ns)
{
	const struct sprof_functions *functions = data;

	if (functions->options.gap)
		functions->options.gap(functions->options.data, end_ns);
}

/* Everybody may have debug registers for his own processes. They tell of begins only. */
static bool find_permitted(struct sprof_functions *functions, struct sprof_perf_denial *ret_denial)
{
	struct sprof_perf_denial other;

	if (sprof_recorded_probes_are_permitted(ret_denial))
		return true;
	functions->by_registers = functions->options.counts_will_do &&
		sprof_recorded_breakpoints_are_permitted(&other);
	functions->returns_ended = functions->by_registers;
	return functions->by_registers;
}

static bool record(struct sprof_functions *functions, struct sprof_error *err)
{
	const struct sprof_functions_options *options = &functions->options;
	const uint32_t types = 1U << SPROF_TRACE_PROBE;
	const struct sprof_recorded_options wanted = {
		.wants = {.stacks = options->stacks ? types : 0},
		.follow_children = options->follow_children,
		.holds = true,
		.sink = {functions, take_event},
		.gap = take_gap,
	};
	struct sprof_perf_denial denial;
	enum sprof_trace_type denied;

	if (!find_permitted(functions, &denial) ||
		!sprof_recorded_events_create(&wanted, &functions->recorded, &denied, &denial)) {
		(void)!sprof_perf_denied(&denial, "uprobes", err);
		sprof_error_hint(err,
			"--breakpoints needs no rights: it changes the program's code while it watches");
		return false;
	}
	functions->source = sprof_recorded_events_source(functions->recorded);
	functions->sink = sprof_recorded_events_sink(functions->recorded);
	return true;
}

static bool use_breakpoints(struct sprof_functions *functions, struct sprof_error *err)
{
	if (!sprof_breakpoints_are_possible())
		return sprof_error_set(err, SPROF_ERROR_UNSUPPORTED,
			"this build has no breakpoints: they need x86_64 and libZydis");
	functions->sink = (struct sprof_trace_sink){functions, take_event};
	functions->breakpoints = sprof_breakpoint_events_create(&(struct sprof_breakpoint_options){
		.sink = functions->sink,
		.stacks = functions->options.stacks,
		.begins_only = functions->options.begins_only,
		.times = functions->options.times,
	});
	if (!functions->breakpoints)
		return sprof_error_no_memory(err);
	functions->source = sprof_breakpoint_events_source(functions->breakpoints);
	return true;
}

bool sprof_functions_choose(struct sprof_functions *functions, struct sprof_error *err)
{
	const bool done = functions->options.breakpoints ? use_breakpoints(functions, err)
							 : record(functions, err);

	functions->tasks = sprof_task_events_source(&functions->sink);
	return done;
}

void sprof_functions_unwatch(struct sprof_functions *functions)
{
	sprof_recorded_events_destroy(functions->recorded);
	sprof_breakpoint_events_destroy(functions->breakpoints);
	sprof_idmap_finish(&functions->tried);
	sprof_idmap_finish(&functions->execs);
	while (functions->watched) {
		struct sprof_functions_watched *next = functions->watched->next;

		free(functions->watched);
		functions->watched = next;
	}
}

/* NULL: no memory. */
static struct sprof_functions_watched *add_watched(struct sprof_functions *functions)
{
	struct sprof_functions_watched *watched = calloc(1, sizeof(*watched));

	if (!watched) {
		functions->out_of_memory = true;
		return NULL;
	}
	watched->next = functions->watched;
	functions->watched = watched;
	return watched;
}

static bool add_probe(struct sprof_functions *functions, const struct sprof_probe *probe,
	const struct sprof_process *process)
{
	struct sprof_perf_denial denial;

	if (sprof_recorded_events_add_probe(functions->recorded, probe, process, &denial))
		return true;
	functions->not_watched++;
	return false;
}

/* The kernel finds the file through the module's descriptor, also if it has been replaced. */
static void probe(struct sprof_functions *functions, size_t number)
{
	const struct sprof_function *function = &functions->table.items[number];
	struct sprof_functions_watched *watched = add_watched(functions);

	if (!watched)
		return;
	snprintf(watched->path, sizeof(watched->path), "/proc/self/fd/%d", function->module->fd);
	for (int is_return = 0; is_return < (function->is_brief ? 1 : 2); is_return++) {
		struct sprof_probe *added = &watched->probes[is_return];

		*added = (struct sprof_probe){watched->path, function->offset, is_return,
			(int64_t)number, function->is_brief};
		if (!add_probe(functions, added, NULL))
			return;
	}
}

/* Whether the mapping has the function's begin. */
static bool find_address(
	const struct sprof_mapping *mapping, const struct sprof_function *function, uint64_t *ret)
{
	if (mapping->module != function->module->id || function->offset < mapping->offset ||
		function->offset - mapping->offset >= mapping->end - mapping->start)
		return false;
	*ret = mapping->start + (function->offset - mapping->offset);
	return true;
}

/* Whether it is tried for the first time in this program of the process. */
static bool is_first_try(
	struct sprof_functions *functions, const struct sprof_process *process, uint64_t address)
{
	const uint32_t found = sprof_idmap_find(&functions->execs, 0, process->id);
	const uint64_t program = found == SPROF_IDMAP_NONE ? 0 : found;
	const uint64_t key = (uint64_t)process->id << 32 | program;

	if (sprof_idmap_find(&functions->tried, key, address) != SPROF_IDMAP_NONE)
		return false;
	if (!sprof_idmap_put(&functions->tried, key, address, 0))
		functions->out_of_memory = true;
	return true;
}

void sprof_functions_new_program(
	struct sprof_functions *functions, const struct sprof_process *process)
{
	const uint32_t found = sprof_idmap_find(&functions->execs, 0, process->id);

	if (!sprof_idmap_put(
		    &functions->execs, 0, process->id, found == SPROF_IDMAP_NONE ? 1 : found + 1))
		functions->out_of_memory = true;
}

/* There are four; who comes first gets one. */
static void take_register(struct sprof_functions *functions, struct sprof_process *process,
	uint64_t address, size_t number)
{
	struct sprof_functions_watched *watched = add_watched(functions);

	if (!watched)
		return;
	watched->probes[0] = (struct sprof_probe){.offset = address, .number = (int64_t)number};
	(void)!add_probe(functions, &watched->probes[0], process);
}

static void break_at(struct sprof_functions *functions, struct sprof_process *process,
	uint64_t address, size_t number)
{
	const bool is_brief = functions->table.items[number].is_brief;

	if (sprof_breakpoint_tag(process, address) || !is_first_try(functions, process, address))
		return;
	if (functions->by_registers)
		take_register(functions, process, address, number);
	else if (!sprof_breakpoint_events_add(process, address, (int64_t)number, is_brief))
		functions->not_watched++;
}

static void break_at_all(struct sprof_functions *functions, struct sprof_process *process,
	const struct sprof_mapping *mapping)
{
	uint64_t address;

	for (size_t i = 0; i < functions->table.count; i++) {
		if (find_address(mapping, &functions->table.items[i], &address))
			break_at(functions, process, address, i);
	}
}

/* None of the program's own code has run, if it was linked with who throws. */
static void end_returns(struct sprof_functions *functions)
{
	if (!functions->recorded || functions->returns_ended || functions->options.are_leaves ||
		!functions->table.has_unwinder)
		return;
	functions->returns_ended = true;
	sprof_recorded_events_end_returns(functions->recorded);
}

/* In each process, and not in each file. */
static bool is_by_address(const struct sprof_functions *functions)
{
	return functions->breakpoints || functions->by_registers;
}

void sprof_functions_watch(struct sprof_functions *functions, struct sprof_process *process)
{
	end_returns(functions);
	if (functions->breakpoints)
		sprof_trap_signals_begin(process);
	for (; !is_by_address(functions) && functions->watched_count < functions->table.count;
		functions->watched_count++)
		probe(functions, functions->watched_count);
	for (size_t i = 0; is_by_address(functions) && i < process->maps.count; i++) {
		if (process->maps.items[i].module != SPROF_MAPPING_NO_MODULE)
			break_at_all(functions, process, &process->maps.items[i]);
	}
}
