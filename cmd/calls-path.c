/*
 * The paths into and out of functions, in order of time: per call, the functions above it and its
 * callees below it. A recursive call is shown inside the outer one. Does not handle calls beyond
 * the list's limit.
 */
#include <stdlib.h>

#include "cmd/calls-report.h"
#include "output/units.h"

enum { INDENT = 2, INDENT_MAX = 60, CALLERS_MAX = 64, NONE = SPROF_ACTIVATION_NONE };

struct paths {
	const struct sprof_calls_report *report;
	const struct sprof_activation *calls;
	uint32_t *first, *next; /* calls that a call made, in the order of time */
	bool *is_inside;        /* a wanted call, or one below */
};

static bool make(struct paths *paths, const bool *wanted)
{
	const size_t count = paths->report->books->call_count;

	paths->first = malloc((count + 1) * sizeof(*paths->first));
	paths->next = malloc((count + 1) * sizeof(*paths->next));
	paths->is_inside = calloc(count + 1, sizeof(*paths->is_inside));
	if (!paths->first || !paths->next || !paths->is_inside)
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct sprof_activation *call = &paths->calls[i];

		paths->first[i] = paths->next[i] = NONE;
		paths->is_inside[i] = wanted[call->function] ||
			(call->caller != NONE && paths->is_inside[call->caller]);
	}
	for (size_t i = count; i--;) {
		const uint32_t caller = paths->calls[i].caller;

		if (caller == NONE)
			continue;
		paths->next[i] = paths->first[caller];
		paths->first[caller] = (uint32_t)i;
	}
	return true;
}

static void write_time(const struct sprof_activation *call, struct sprof_out *out)
{
	if (sprof_activation_is_timed(call->end))
		sprof_out_printf(
			out, ": %s", sprof_figure_time(call->end_ns - call->begin_ns).text);
	if (call->end != SPROF_ACTIVATION_RETURNED)
		sprof_out_printf(out, " (%s)", sprof_calls_end_name(call->end));
	sprof_out_puts(out, "\n");
}

/* The outermost first; of a long way the innermost part. */
static void write_callers(const struct paths *paths, uint32_t call, struct sprof_out *out)
{
	uint32_t callers[CALLERS_MAX];
	size_t count = 0;

	for (uint32_t at = paths->calls[call].caller; at != NONE; at = paths->calls[at].caller) {
		if (count == CALLERS_MAX) {
			sprof_out_puts(out, "... > ");
			break;
		}
		callers[count++] = at;
	}
	while (count--)
		sprof_out_printf(out, "%s > ",
			sprof_calls_name(paths->report, paths->calls[callers[count]].function));
}

static void write_head(const struct paths *paths, uint32_t index, struct sprof_out *out)
{
	const struct sprof_calls_report *report = paths->report;
	const struct sprof_activation *call = &paths->calls[index];
	const struct sprof_profile_thread *thread = sprof_calls_thread(report, call->thread);

	sprof_out_printf(out, "%12.6f s  %d  ",
		(double)(call->begin_ns > report->begin_ns ? call->begin_ns - report->begin_ns
							   : 0) /
			1e9,
		thread ? (int)thread->tid : 0);
	write_callers(paths, index, out);
	sprof_out_puts(out, sprof_calls_name(report, call->function));
	write_time(call, out);
}

/* The callees of a call, without recursion: paths may be long. */
static void write_callees(const struct paths *paths, uint32_t root, struct sprof_out *out)
{
	uint32_t at = paths->first[root];
	unsigned depth = 1;

	while (at != NONE) {
		const struct sprof_activation *call = &paths->calls[at];
		const unsigned indent = INDENT * depth < INDENT_MAX ? INDENT * depth : INDENT_MAX;

		sprof_out_fill(out, ' ', 16 + indent);
		sprof_out_printf(out, "> %s", sprof_calls_name(paths->report, call->function));
		write_time(call, out);
		if (paths->first[at] != NONE) {
			at = paths->first[at];
			depth++;
			continue;
		}
		while (at != root && paths->next[at] == NONE) {
			at = paths->calls[at].caller;
			depth--;
		}
		at = at == root ? NONE : paths->next[at];
	}
}

bool sprof_calls_paths(
	const struct sprof_calls_report *report, const bool *wanted, struct sprof_out *out)
{
	struct paths paths = {.report = report, .calls = report->books->calls};
	const bool done = make(&paths, wanted);

	for (uint32_t i = 0; done && i < report->books->call_count; i++) {
		const uint32_t caller = paths.calls[i].caller;

		if (!paths.is_inside[i] || (caller != NONE && paths.is_inside[caller]))
			continue;
		write_head(&paths, i, out);
		write_callees(&paths, i, out);
	}
	if (done)
		sprof_calls_tell_limit(report, out);
	free(paths.first);
	free(paths.next);
	free(paths.is_inside);
	return done;
}
