/*
 * The paths into and out of functions, in order of time: per call, the functions above it and its
 * callees below it. A recursive call is shown inside the outer one. Does not handle calls beyond
 * the list's limit.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/strings.h"
#include "output/calls/report.h"
#include "output/fit.h"
#include "output/units.h"

enum { INDENT = 2, INDENT_MAX = 60, CALLERS_MAX = 64, NONE = SPROF_ACTIVATION_NONE };
enum { LEAST_NAME = 16, TIME_SIZE = 64, PLACE_SIZE = 64 };

struct paths {
	const struct sprof_calls_report *report;
	struct sprof_out *out;
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

static size_t room_of(size_t width, size_t column)
{
	return width > column + LEAST_NAME ? width - column : LEAST_NAME;
}

/* ": 1.23 ms (open)" */
static void write_time(const struct sprof_activation *call, char *ret, size_t size)
{
	const bool is_timed = sprof_activation_is_timed(call->end),
		   is_usual = call->end == SPROF_ACTIVATION_RETURNED;

	snprintf(ret, size, "%s%s%s%s%s", is_timed ? ": " : "",
		is_timed ? sprof_figure_time(call->end_ns - call->begin_ns).text : "",
		is_usual ? "" : " (", is_usual ? "" : sprof_calls_end_name(call->end),
		is_usual ? "" : ")");
}

/*
 * Ends a line of `column` characters: names in the room that is left, so that the time after them
 * stays.
 */
static void end_line(const struct paths *paths, size_t column, const char *names,
	const struct sprof_activation *call)
{
	const size_t width = paths->report->width;
	struct sprof_out *out = paths->out;
	SPROF_AUTO_FREE char *fitted = NULL;
	char time[TIME_SIZE];

	write_time(call, time, sizeof(time));
	column += strlen(time);
	fitted = sprof_fit(names, width ? room_of(width, column) : SIZE_MAX);
	if (fitted)
		sprof_out_printf(out, "%s%s\n", fitted, time);
	else
		sprof_out_fail(out, ENOMEM);
}

/*
 * The way into a call, the outermost function first; of a long way the innermost part. Returns NULL
 * if out of memory.
 */
static char *name_way(const struct paths *paths, uint32_t index)
{
	const size_t width = paths->report->width;
	uint32_t way[CALLERS_MAX];
	size_t count = 0, size;
	char *text = NULL;
	FILE *stream = open_memstream(&text, &size);
	uint32_t at = index;

	for (; at != NONE && count < CALLERS_MAX; at = paths->calls[at].caller)
		way[count++] = at;
	if (stream && at != NONE)
		fputs("... > ", stream);
	for (size_t i = count; stream && i--;) {
		SPROF_AUTO_FREE char *name = sprof_fit_function(
			sprof_calls_name(paths->report, paths->calls[way[i]].function), false,
			width ? room_of(width / count, 0) : 0);

		fprintf(stream, "%s%s", name ? name : "?", i ? " > " : "");
	}
	return sprof_string_close(stream, &text, true);
}

static void write_head(const struct paths *paths, uint32_t index)
{
	const struct sprof_calls_report *report = paths->report;
	const struct sprof_activation *call = &paths->calls[index];
	const struct sprof_profile_thread *thread = sprof_calls_thread(report, call->thread);
	const uint64_t begin_ns =
		call->begin_ns > report->begin_ns ? call->begin_ns - report->begin_ns : 0;
	SPROF_AUTO_FREE char *way = name_way(paths, index);
	char place[PLACE_SIZE];

	snprintf(place, sizeof(place), "%12.6f s  %d  ", (double)begin_ns / SPROF_NS_PER_S,
		thread ? (int)thread->tid : 0);
	sprof_out_puts(paths->out, place);
	end_line(paths, strlen(place), way ? way : "?", call);
}

/* The callees of a call, without recursion: paths may be long. */
static void write_callees(const struct paths *paths, uint32_t root)
{
	uint32_t at = paths->first[root];
	unsigned depth = 1;

	while (at != NONE) {
		const struct sprof_activation *call = &paths->calls[at];
		const unsigned indent = INDENT * depth < INDENT_MAX ? INDENT * depth : INDENT_MAX;

		sprof_out_fill(paths->out, ' ', 16 + indent);
		sprof_out_puts(paths->out, "> ");
		end_line(paths, 16 + indent + 2, sprof_calls_name(paths->report, call->function),
			call);
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
	struct paths paths = {.report = report, .out = out, .calls = report->books->calls};
	const bool done = make(&paths, wanted);

	for (uint32_t i = 0; done && i < report->books->call_count; i++) {
		const uint32_t caller = paths.calls[i].caller;

		if (!paths.is_inside[i] || (caller != NONE && paths.is_inside[caller]))
			continue;
		write_head(&paths, i);
		write_callees(&paths, i);
	}
	if (done)
		sprof_calls_note_limit(report, out);
	free(paths.first);
	free(paths.next);
	free(paths.is_inside);
	return done;
}
