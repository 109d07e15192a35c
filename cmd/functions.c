/*
 * Watches functions: finds them whenever something may have been mapped, and gives each to the source
 * that watches it. Does not handle code without a file.
 */
#include "cmd/functions.h"

#include <stdio.h>
#include <stdlib.h>

#include "attach/maps-read.h"
#include "base/clock.h"
#include "base/proc.h"
#include "cmd/function-table.h"
#include "cmd/perf-denied.h"
#include "events/call-events.h"
#include "events/loading.h"
#include "events/recorded-events.h"

/* How soon a library is seen that the program loads while it runs. */
enum { SCAN_NS = 50 * SPROF_NS_PER_MS };

/* What the kernel is asked to watch of one function: its begin and its returns. */
struct watched {
	struct watched *next;
	char path[SPROF_PROC_PATH_MAX];
	struct sprof_probe probes[2];
};

struct sprof_functions {
	struct sprof_functions_options options;
	struct sprof_function_table table;
	size_t watched_count; /* of the table's functions */
	struct watched *watched;
	struct sprof_loading loading;
	struct sprof_target *target;
	struct sprof_recorded_events *recorded;
	struct sprof_event_source source, tasks; /* of calls, and of what the target reports */
	struct sprof_trace_sink sink;            /* of the latter */
	uint64_t next_ns;                        /* of the next look */
	uint32_t not_watched;
	bool out_of_memory;
};

static bool record(struct sprof_functions *functions, struct sprof_error *err)
{
	const struct sprof_functions_options *options = &functions->options;
	const uint32_t types = 1U << SPROF_TRACE_PROBE;
	const struct sprof_recorded_options wanted = {
		.wants = {.stacks = options->stacks ? types : 0},
		.follow_children = options->follow_children,
		.holds = true,
		.sink = {options->data, options->event},
		.gap = options->gap,
	};
	struct sprof_perf_denial denial;
	enum sprof_trace_type denied;

	if (!sprof_recorded_probes_are_permitted(&denial) ||
		!sprof_recorded_events_create(&wanted, &functions->recorded, &denied, &denial))
		return sprof_perf_denied(&denial, "uprobes", err);
	functions->source = sprof_recorded_events_source(functions->recorded);
	functions->sink = sprof_recorded_events_sink(functions->recorded);
	functions->tasks = sprof_task_events_source(&functions->sink);
	return true;
}

bool sprof_functions_create(const struct sprof_functions_options *options,
	struct sprof_functions **ret, struct sprof_error *err)
{
	struct sprof_functions *functions = calloc(1, sizeof(*functions));

	*ret = functions;
	if (!functions)
		return sprof_error_no_memory(err);
	functions->options = *options;
	functions->table.options = &functions->options;
	if (record(functions, err))
		return true;
	sprof_functions_destroy(functions);
	*ret = NULL;
	return false;
}

void sprof_functions_destroy(struct sprof_functions *functions)
{
	if (!functions)
		return;
	sprof_recorded_events_destroy(functions->recorded);
	while (functions->watched) {
		struct watched *next = functions->watched->next;

		free(functions->watched);
		functions->watched = next;
	}
	sprof_function_table_finish(&functions->table);
	sprof_loading_finish(&functions->loading);
	free(functions);
}

void sprof_functions_prepare(const struct sprof_functions *functions, struct sprof_subject *subject)
{
	subject->tasks = true;
	subject->holds = true;
}

const char *sprof_functions_source_name(const struct sprof_functions *functions)
{
	return "uprobes";
}

size_t sprof_functions_count(const struct sprof_functions *functions)
{
	return functions->table.count;
}

const struct sprof_function *sprof_functions_at(
	const struct sprof_functions *functions, int64_t number)
{
	return &functions->table.items[number];
}

struct sprof_functions_gaps sprof_functions_gaps(const struct sprof_functions *functions)
{
	const struct sprof_recorded_gaps gaps = sprof_recorded_events_gaps(functions->recorded);

	return (struct sprof_functions_gaps){
		.lost = gaps.lost,
		.unwatched = gaps.unwatched,
		.unreadable = functions->table.unreadable,
		.not_watched = functions->not_watched,
	};
}

/* The kernel finds the file through the module's descriptor, also if it has been replaced. */
static void watch(struct sprof_functions *functions, size_t number)
{
	const struct sprof_function *function = &functions->table.items[number];
	struct watched *watched = calloc(1, sizeof(*watched));
	struct sprof_perf_denial denial;

	if (!watched) {
		functions->out_of_memory = true;
		return;
	}
	watched->next = functions->watched;
	functions->watched = watched;
	snprintf(watched->path, sizeof(watched->path), "/proc/self/fd/%d", function->module->fd);
	for (int is_return = 0; is_return < 2; is_return++) {
		struct sprof_probe *probe = &watched->probes[is_return];

		*probe = (struct sprof_probe){
			watched->path, function->offset, is_return, (int64_t)number};
		if (!sprof_recorded_events_add_probe(functions->recorded, probe, &denial)) {
			functions->not_watched++;
			return;
		}
	}
}

static void scan_mappings(struct sprof_functions *functions, const struct sprof_maps *maps)
{
	for (size_t i = 0; i < maps->count; i++) {
		const uint32_t id = maps->items[i].module;

		if (id != SPROF_MAPPING_NO_MODULE &&
			!sprof_function_table_scan(&functions->table,
				sprof_modules_get(functions->options.modules, id)))
			functions->out_of_memory = true;
	}
	for (; functions->watched_count < functions->table.count; functions->watched_count++)
		watch(functions, functions->watched_count);
}

/* A process that is gone has no mappings. */
static void scan(struct sprof_functions *functions, struct sprof_process *process)
{
	if (sprof_process_read_maps(process, functions->options.modules))
		scan_mappings(functions, &process->maps);
}

static void scan_all(struct sprof_functions *functions)
{
	struct sprof_process **processes;
	size_t count;

	processes = sprof_target_processes(functions->target, &count);
	for (size_t i = 0; i < count; i++)
		scan(functions, processes[i]);
	functions->next_ns = sprof_clock_now_ns() + SCAN_NS;
}

static void follow_loader(struct sprof_functions *functions, struct sprof_thread *thread)
{
	scan(functions, thread->process);
	if (!sprof_loading_begin(&functions->loading, thread))
		functions->out_of_memory = true;
}

static void begin(void *data, struct sprof_target *target)
{
	struct sprof_functions *functions = data;
	struct sprof_thread **threads;
	size_t count;

	functions->target = target;
	functions->source.begin(functions->source.data, target);
	scan_all(functions);
	threads = sprof_target_threads(target, &count);
	for (size_t i = 0; i < count; i++) {
		if (threads[i]->phase == SPROF_THREAD_STOPPED)
			follow_loader(functions, threads[i]);
	}
}

static bool offer(void *data, const struct sprof_event_stacks *stacks)
{
	const struct sprof_functions *functions = data;

	return functions->source.offer(functions->source.data, stacks);
}

/* The thread has not run yet, or not since it is held: what is found now is complete. */
static void take_held(struct sprof_functions *functions, const struct sprof_event *event)
{
	struct sprof_thread *thread = event->thread;

	switch (event->held) {
	case SPROF_HELD_BORN:
		break;
	case SPROF_HELD_EXEC:
		follow_loader(functions, thread);
		break;
	case SPROF_HELD_CALL:
		if (sprof_loading_take(&functions->loading, event))
			scan(functions, thread->process);
		break;
	}
	sprof_thread_resume_call(thread, thread->resumption);
}

static void take(void *data, const struct sprof_event *event)
{
	struct sprof_functions *functions = data;

	functions->source.take(functions->source.data, event);
	functions->tasks.take(functions->tasks.data, event);
	if (event->kind == SPROF_EVENT_ENDED)
		sprof_loading_end(&functions->loading, event->thread->tid);
	if (event->kind == SPROF_EVENT_HELD)
		take_held(functions, event);
}

static uint64_t due_ns(const void *data)
{
	const struct sprof_functions *functions = data;
	const uint64_t source_ns = functions->source.due_ns(functions->source.data);

	return source_ns < functions->next_ns ? source_ns : functions->next_ns;
}

static bool poll_functions(void *data, uint64_t now_ns)
{
	struct sprof_functions *functions = data;

	if (now_ns >= functions->next_ns)
		scan_all(functions);
	return functions->source.poll(functions->source.data, now_ns) && !functions->out_of_memory;
}

static void end(void *data, uint64_t now_ns)
{
	struct sprof_functions *functions = data;

	functions->source.end(functions->source.data, now_ns);
}

struct sprof_event_source sprof_functions_source(struct sprof_functions *functions)
{
	return (struct sprof_event_source){
		.data = functions,
		.begin = begin,
		.offer = offer,
		.take = take,
		.due_ns = due_ns,
		.poll = poll_functions,
		.end = end,
	};
}
