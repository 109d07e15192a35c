/*
 * Watches functions: scans for them whenever something may have been mapped, and adds each to the
 * source that watches it. Does not handle code without a file.
 */
#include "cmd/functions/functions.h"

#include <stdlib.h>

#include "attach/breakpoints/breakpoints.h"
#include "base/clock.h"
#include "cmd/functions/state.h"

/*
 * How soon a library is seen that the program loads while it runs, and which part of the time
 * looking for it may take.
 */
enum { SCAN_NS = 50 * SPROF_NS_PER_MS, SCAN_SHARE = 50 };

void sprof_functions_destroy(struct sprof_functions *functions)
{
	if (!functions)
		return;
	sprof_functions_unwatch(functions);
	sprof_function_table_finish(&functions->table);
	sprof_loading_finish(&functions->loading);
	free(functions);
}

void sprof_functions_prepare(const struct sprof_functions *functions, struct sprof_subject *subject)
{
	subject->tasks = true;
	subject->holds = true;
	/*
	 * Children have the breakpoints, too: they are watched over until they have another
	 * program.
	 */
	if (functions->breakpoints)
		subject->follow_children = true;
}

const char *sprof_functions_source_name(const struct sprof_functions *functions)
{
	return functions->breakpoints ? "breakpoints" : "hardware breakpoints";
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
	struct sprof_recorded_gaps gaps = {0};

	if (functions->recorded)
		gaps = sprof_recorded_events_gaps(functions->recorded);
	return (struct sprof_functions_gaps){
		.lost = gaps.lost,
		.gone = functions->breakpoints
			? sprof_breakpoint_events_gone(functions->breakpoints)
			: 0,
		.unwatched = gaps.unwatched,
		.unreadable = functions->table.unreadable,
		.not_watched = functions->not_watched,
	};
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
}

static bool is_followed(
	const struct sprof_functions *functions, const struct sprof_process *process)
{
	return functions->options.follow_children ||
		process->pid == sprof_target_pid(functions->target);
}

/* A process that is gone has no mappings. */
static void scan(struct sprof_functions *functions, struct sprof_process *process)
{
	if (!is_followed(functions, process) ||
		!sprof_process_read_maps(process, functions->options.modules))
		return;
	scan_mappings(functions, &process->maps);
	if (!functions->is_suspended)
		sprof_functions_watch(functions, process);
}

static void scan_mapped(void *data, struct sprof_process *process)
{
	scan(data, process);
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
	functions->mapped = scan_mapped;
	if (sprof_functions_choose(functions, err))
		return true;
	sprof_functions_destroy(functions);
	*ret = NULL;
	return false;
}

static void scan_all(struct sprof_functions *functions)
{
	const uint64_t began_ns = sprof_clock_now_ns();
	uint64_t took_ns;
	struct sprof_process **processes;
	size_t count;

	processes = sprof_target_processes(functions->target, &count);
	for (size_t i = 0; i < count; i++)
		scan(functions, processes[i]);
	took_ns = sprof_clock_now_ns() - began_ns;
	functions->next_ns =
		began_ns + (took_ns > SCAN_NS / SCAN_SHARE ? SCAN_SHARE * took_ns : SCAN_NS);
}

void sprof_functions_suspend(struct sprof_functions *functions)
{
	functions->is_suspended = true;
	sprof_breakpoint_events_suspend(functions->breakpoints);
}

/* Scans for functions mapped meanwhile only now: breakpoints must exist from here on. Children that
 * are not followed keep clean code. */
void sprof_functions_resume(struct sprof_functions *functions)
{
	struct sprof_process **processes;
	size_t count;

	functions->is_suspended = false;
	if (sprof_clock_now_ns() >= functions->next_ns)
		scan_all(functions);
	processes = sprof_target_processes(functions->target, &count);
	for (size_t i = 0; i < count; i++) {
		if (!is_followed(functions, processes[i]))
			continue;
		sprof_functions_watch(functions, processes[i]);
		sprof_breakpoints_restore(processes[i]);
	}
	sprof_breakpoint_events_resume(functions->breakpoints);
}

struct sprof_breakpoint_load sprof_functions_load(
	const struct sprof_functions *functions, uint32_t thread)
{
	return sprof_breakpoint_events_load(functions->breakpoints, thread);
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
		else if (threads[i]->tid == threads[i]->process->pid)
			sprof_functions_watch_chosen(functions, threads[i]->process);
	}
}

static bool offer(void *data, const struct sprof_event_stacks *stacks)
{
	const struct sprof_functions *functions = data;

	return functions->source.offer(functions->source.data, stacks);
}

/* A child that is not followed has inherited copies of the breakpoints: removes them. */
static void clean(struct sprof_functions *functions, struct sprof_process *process)
{
	if (!is_followed(functions, process) && !sprof_breakpoints_are_shared(process))
		sprof_breakpoints_remove(process);
}

/* The program's loader has mapped a library. */
static void take_mapped(struct sprof_functions *functions, const struct sprof_process *process)
{
	if (functions->options.loaded && !functions->has_executed &&
		process->pid == sprof_target_pid(functions->target))
		functions->options.loaded(functions->options.data, sprof_clock_now_ns());
}

/* The thread has not run since it was created or held, so the scan is complete. */
static void take_held(struct sprof_functions *functions, const struct sprof_event *event)
{
	struct sprof_thread *thread = event->thread;

	switch (event->held) {
	case SPROF_HELD_BORN:
		clean(functions, thread->process);
		if (thread->process->threads == 1)
			scan(functions, thread->process);
		break;
	case SPROF_HELD_EXEC:
		functions->has_executed = true;
		sprof_functions_new_program(functions, thread->process);
		follow_loader(functions, thread);
		break;
	case SPROF_HELD_BREAKPOINT:
		return; /* the source has resumed it */
	case SPROF_HELD_CALL:
		if (!sprof_loading_take(&functions->loading, event))
			break;
		scan(functions, thread->process);
		take_mapped(functions, thread->process);
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

	const uint64_t scan_ns = functions->is_suspended ? UINT64_MAX : functions->next_ns;

	return source_ns < scan_ns ? source_ns : scan_ns;
}

static bool poll_functions(void *data, uint64_t now_ns)
{
	struct sprof_functions *functions = data;

	if (!functions->is_suspended && now_ns >= functions->next_ns)
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
