/*
 * Calls as a Chrome trace (chrome://tracing, Perfetto): a complete event per listed call, and
 * thread names. A call with unknown end lasts until it was last seen; its `end` says so.
 */
#include <inttypes.h>

#include "base/clock.h"
#include "base/numbers.h"
#include "output/calls/report.h"
#include "output/json.h"

static int pid_of(
	const struct sprof_calls_report *report, const struct sprof_profile_thread *thread)
{
	return (int)report->profile->processes[thread->process].pid;
}

static void add_name(const struct sprof_calls_report *report,
	const struct sprof_profile_thread *thread, struct sprof_json *json)
{
	sprof_json_format(json,
		"{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%d,\"tid\":%d,\"args\":{\"name\":",
		pid_of(report, thread), (int)thread->tid);
	sprof_json_name(json, thread->name);
	sprof_json_text(json, "}}");
}

/* In us: the unit of the format. */
static void add_call(const struct sprof_calls_report *report, const struct sprof_activation *call,
	struct sprof_json *json)
{
	const struct sprof_profile_thread *thread = sprof_calls_thread(report, call->thread);
	const uint64_t begin_ns = sprof_minus(call->begin_ns, report->begin_ns);

	sprof_json_member_name(
		json, "{\"ph\":\"X\",\"name\":", sprof_calls_name(report, call->function));
	sprof_json_format(json, ",\"pid\":%d,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f",
		thread ? pid_of(report, thread) : 0, thread ? (int)thread->tid : 0,
		(double)begin_ns / SPROF_NS_PER_US,
		(double)(call->end_ns - call->begin_ns) / SPROF_NS_PER_US);
	if (call->end != SPROF_ACTIVATION_RETURNED)
		sprof_json_format(
			json, ",\"args\":{\"end\":\"%s\"}", sprof_calls_end_name(call->end));
	sprof_json_text(json, "}");
}

/* A line through all threads, from which on there are gaps. */
static void add_windows(const struct sprof_calls_windows *windows, struct sprof_json *json)
{
	sprof_json_format(json,
		",\n{\"ph\":\"i\",\"s\":\"g\",\"name\":\"watched in windows from here on\","
		"\"pid\":0,\"tid\":0,\"ts\":%.3f}",
		(double)windows->since_ns / SPROF_NS_PER_US);
}

bool sprof_calls_timeline(const struct sprof_calls_report *report, struct sprof_out *out)
{
	const struct sprof_profile *profile = report->profile;
	struct sprof_json json;
	bool first = true;

	if (!sprof_json_open(&json, out, false))
		return false;
	sprof_json_text(&json, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
	for (size_t i = 0; i < profile->thread_count; i++) {
		sprof_json_text(&json, first ? "" : ",\n");
		first = false;
		add_name(report, &profile->threads[i], &json);
	}
	for (size_t i = 0; i < report->books->call_count; i++) {
		sprof_json_text(&json, first ? "" : ",\n");
		first = false;
		add_call(report, &report->books->calls[i], &json);
	}
	if (report->windows)
		add_windows(report->windows, &json);
	sprof_json_format(&json, "\n],\"otherData\":{\"dropped\":%" PRIu64, report->books->dropped);
	sprof_calls_windows_json(report->windows, &json);
	sprof_json_text(&json, "}}\n");
	sprof_json_close(&json);
	return true;
}
