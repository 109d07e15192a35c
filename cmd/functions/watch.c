/*
 * The methods of watching functions: breakpoints or, for counting calls, debug registers. Not
 * uprobes: probes of returns change return addresses, which ends a program that moves its stacks,
 * and each new thread waits milliseconds for each of its uprobes. Does not choose the functions.
 */
#include "cmd/functions/state.h"

#include <stdlib.h>

#include "attach/breakpoints/breakpoints.h"
#include "attach/breakpoints/signals.h"
#include "cmd/cli/perf-denied.h"

/* A debug register. */
struct sprof_functions_watched {
	struct sprof_functions_watched *next;
	struct sprof_probe probe;
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

static void take_gap(void *data, uint64_t since_ns, uint64_t end_ns)
{
	const struct sprof_functions *functions = data;

	if (functions->options.gap)
		functions->options.gap(functions->options.data, end_ns);
}

static void take_left(void *data, uint32_t thread, uint64_t sp, uint64_t now_ns)
{
	const struct sprof_functions *functions = data;

	if (functions->options.left)
		functions->options.left(functions->options.data, thread, sp, now_ns);
}

/* Debug registers are permitted for the user's own processes. They report begins only. */
static bool use_registers(struct sprof_functions *functions, struct sprof_error *err)
{
	const struct sprof_recorded_options wanted = {
		.follow_children = functions->options.follow_children,
		.holds = true,
		.sink = {functions, take_event},
		.gap = take_gap,
	};
	struct sprof_perf_denial denial;
	enum sprof_trace_type denied;

	if (!sprof_recorded_breakpoints_are_permitted(&denial) ||
		!sprof_recorded_events_create(&wanted, &functions->recorded, &denied, &denial)) {
		(void)!sprof_perf_denied(&denial, "debug registers", err);
		return sprof_error_hint(err,
			"without --count, breakpoints are used, which need no rights: they change "
			"the program's code while it is watched");
	}
	functions->source = sprof_recorded_events_source(functions->recorded);
	functions->sink = sprof_recorded_events_sink(functions->recorded);
	return true;
}

static bool use_breakpoints(struct sprof_functions *functions, struct sprof_error *err)
{
	if (!sprof_breakpoints_are_possible()) {
		sprof_error_set(err, SPROF_ERROR_UNSUPPORTED,
			"this build has no breakpoints: they need x86_64 and libZydis");
		return sprof_error_hint(err, "sprof calls --count counts calls without them");
	}
	functions->sink = (struct sprof_trace_sink){functions, take_event};
	functions->breakpoints = sprof_breakpoint_events_create(&(struct sprof_breakpoint_options){
		.sink = functions->sink,
		.mapped = functions->mapped,
		.left = take_left,
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
	const bool done = functions->options.counts_only ? use_registers(functions, err)
							 : use_breakpoints(functions, err);

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

/* Whether the mapping has the function's start. */
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

/*
 * A thread has four (x86-64; as many as aarch64 has at least): the first four functions get them.
 */
enum { REGISTERS = 4 };

/* NULL: it can be counted. */
static const char *why_not_counted(const struct sprof_functions *functions, size_t number)
{
	const struct sprof_function *function = &functions->table.items[number];

	if (function->way == SPROF_BREAKPOINT_RESOLVER)
		return "the program chooses one of several versions (IFUNC); watched without "
		       "--count";
	if (function->loop_count)
		return "its first instruction is in a loop, whose rounds would count as calls; "
		       "watched without --count";
	if (number >= REGISTERS)
		return "a thread has four debug registers; without --count there is no limit";
	return NULL;
}

static void refuse(struct sprof_functions *functions, size_t number, const char *why)
{
	functions->not_watched++;
	functions->table.items[number].refusal = why;
}

static void take_register(struct sprof_functions *functions, struct sprof_process *process,
	uint64_t address, size_t number)
{
	const char *why = why_not_counted(functions, number);
	struct sprof_functions_watched *watched;
	struct sprof_perf_denial denial;

	if (why) {
		refuse(functions, number, why);
		return;
	}
	watched = malloc(sizeof(*watched));
	if (!watched) {
		functions->out_of_memory = true;
		return;
	}
	*watched = (struct sprof_functions_watched){functions->watched,
		{.offset = address, .number = (int64_t)number, .pid = process->pid}};
	functions->watched = watched;
	if (!sprof_recorded_events_add_probe(
		    functions->recorded, &watched->probe, process, &denial))
		refuse(functions, number, "the kernel gives no debug register for it");
}

static bool insert(struct sprof_process *process, uint64_t address,
	const struct sprof_function *function, size_t number)
{
	for (size_t i = 0; i < function->loop_count; i++) {
		if (!sprof_breakpoint_insert_loop(process, address + function->loops[i], address))
			return false;
	}
	return sprof_breakpoint_events_add(process, address, (int64_t)number, function->way);
}

static void break_at(struct sprof_functions *functions, struct sprof_process *process,
	uint64_t address, size_t number)
{
	if (functions->recorded && is_first_try(functions, process, address))
		take_register(functions, process, address, number);
	if (functions->recorded || sprof_breakpoint_is_tagged(process, address))
		return;
	if (!insert(process, address, &functions->table.items[number], number) &&
		is_first_try(functions, process, address))
		refuse(functions, number,
			"its code can't be changed, or the program has its own breakpoint there");
}

/*
 * Without landmarks, new libraries are seen a moment later, and calls that were left may seem to
 * return.
 */
static void break_at_landmarks(const struct sprof_function_table *table,
	struct sprof_process *process, const struct sprof_mapping *mapping)
{
	uint64_t address;

	for (size_t i = 0; i < table->landmark_count; i++) {
		if (find_address(mapping, &table->landmarks[i], &address) &&
			!sprof_breakpoint_is_tagged(process, address))
			(void)!sprof_breakpoint_events_add(
				process, address, 0, table->landmarks[i].way);
	}
}

static void break_at_all(struct sprof_functions *functions, struct sprof_process *process,
	const struct sprof_mapping *mapping)
{
	uint64_t address;

	for (size_t i = 0; i < functions->table.count; i++) {
		if (find_address(mapping, &functions->table.items[i], &address))
			break_at(functions, process, address, i);
	}
	if (functions->breakpoints)
		break_at_landmarks(&functions->table, process, mapping);
}

void sprof_functions_watch(struct sprof_functions *functions, struct sprof_process *process)
{
	if (functions->breakpoints)
		sprof_trap_signals_begin(process);
	for (size_t i = 0; i < process->maps.count; i++) {
		if (process->maps.items[i].module != SPROF_MAPPING_NO_MODULE)
			break_at_all(functions, process, &process->maps.items[i]);
	}
}
