/*
 * Turns system calls and the target's other reports into events. Does not select which are wanted.
 */
#include "events/syscalls/events.h"

#include <limits.h>
#include <unistd.h>

#include "base/proc.h"

/* A report comes later than its stop, and the thread may have continued since. */
static struct sprof_trace_event event_of(
	const struct sprof_event *report, enum sprof_trace_type type)
{
	const struct sprof_thread *thread = report->thread;

	return (struct sprof_trace_event){
		.time_ns = report->time_ns,
		.thread = thread->id,
		.pid = thread->process->pid,
		.tid = thread->tid,
		.cpu = -1,
		.type = type,
	};
}

static bool give(const struct sprof_trace_sink *sink, struct sprof_trace_event *event,
	const struct sprof_trace_value *fields)
{
	event->fields = fields;
	return sink->event(sink->data, event);
}

static struct sprof_trace_event event_of_call(
	const struct sprof_call *call, enum sprof_trace_type type, uint64_t time_ns)
{
	return (struct sprof_trace_event){
		.time_ns = time_ns,
		.thread = call->thread,
		.pid = call->pid,
		.tid = call->tid,
		.cpu = call->cpu,
		.type = type,
		.stack = call->stack,
	};
}

static bool on_begin(void *data, const struct sprof_call *call)
{
	struct sprof_trace_event event = event_of_call(call, SPROF_TRACE_SYS_ENTER, call->begin_ns);
	struct sprof_trace_value fields[1 + SPROF_TRACE_ARGUMENTS] = {{.integer = call->number}};

	for (size_t i = 0; i < SPROF_TRACE_ARGUMENTS; i++)
		fields[1 + i].integer = (int64_t)call->arguments[i];
	return give(data, &event, fields);
}

static bool on_call(void *data, const struct sprof_call *call)
{
	struct sprof_trace_event event = event_of_call(call, SPROF_TRACE_SYS_EXIT, call->end_ns);
	const struct sprof_trace_value fields[] = {
		{.integer = call->number}, {.integer = call->result}};

	if (call->ending != SPROF_CALL_RETURNED && call->ending != SPROF_CALL_UNDER_WAY)
		return true;
	return give(data, &event, fields);
}

struct sprof_calls_listener sprof_call_events_listener(const struct sprof_trace_sink *sink)
{
	return (struct sprof_calls_listener){
		.data = (void *)(uintptr_t)sink, .call = on_call, .begin = on_begin};
}

static bool give_exec(const struct sprof_trace_sink *sink, const struct sprof_event *report)
{
	struct sprof_trace_event event = event_of(report, SPROF_TRACE_EXEC);
	char path[PATH_MAX];
	const struct sprof_trace_value fields[] = {{.text = path}};

	if (!sprof_proc_read_link(sprof_proc_path(event.pid, 0, "exe").text, path, sizeof(path)))
		path[0] = '\0';
	return give(sink, &event, fields);
}

static bool give_birth(const struct sprof_trace_sink *sink, const struct sprof_event *report)
{
	struct sprof_trace_event event =
		event_of(report, report->born.is_process ? SPROF_TRACE_FORK : SPROF_TRACE_CLONE);
	const struct sprof_trace_value fields[] = {{.integer = report->born.tid}};

	return give(sink, &event, fields);
}

static bool give_signal(const struct sprof_trace_sink *sink, const struct sprof_event *report)
{
	const siginfo_t *info = &report->info;
	struct sprof_trace_event event = event_of(report, SPROF_TRACE_SIGNAL);
	/* Only signals sent by a process have a sender (sigaction(2)). */
	const struct sprof_trace_value fields[] = {{.integer = info->si_signo},
		{.integer = info->si_code}, {.integer = info->si_code <= 0 ? info->si_pid : 0}};

	return give(sink, &event, fields);
}

static bool give_end(const struct sprof_trace_sink *sink, const struct sprof_event *report)
{
	struct sprof_trace_event event = event_of(report, SPROF_TRACE_EXIT);
	const struct sprof_trace_value fields[] = {{.integer = report->thread->exit_code}};

	event.tid = report->former_tid;
	return give(sink, &event, fields);
}

static bool take_report(const struct sprof_trace_sink *sink, const struct sprof_event *report)
{
	switch (report->kind) {
	case SPROF_EVENT_EXEC:
		return give_exec(sink, report);
	case SPROF_EVENT_BORN:
		return give_birth(sink, report);
	case SPROF_EVENT_DELIVERED:
		return give_signal(sink, report);
	case SPROF_EVENT_ENDED:
		return give_end(sink, report);
	case SPROF_EVENT_CALL:
	case SPROF_EVENT_HELD:
	case SPROF_EVENT_STOPPED:
	case SPROF_EVENT_SIGNAL:
	case SPROF_EVENT_TIMEOUT:
	case SPROF_EVENT_EMPTY:
		break;
	}
	return true;
}

/* The sink itself remembers a lack of memory, and its owner ends the run. */
static void take(void *data, const struct sprof_event *report)
{
	(void)!take_report(data, report);
}

struct sprof_event_source sprof_task_events_source(struct sprof_trace_sink *sink)
{
	return (struct sprof_event_source){.data = sink, .take = take};
}
