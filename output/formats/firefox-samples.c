/*
 * The samples and markers of a thread in the Firefox Profiler's format: time, stack, weight, CPU
 * time, and what the thread waited for. Each column is a separate walk over the timeline.
 */
#include "output/formats/firefox.h"

#include <string.h>

#include "base/clock.h"

bool sprof_firefox_is_idle(const struct sprof_profile *profile, uint32_t row)
{
	return sprof_state_is_blocked(profile->contexts[profile->rows[row].context].state);
}

enum {
	IDLE_SAMPLES = 32 /* of a waiting thread make one: threads may wait for hours */
};

static uint32_t most(const struct sprof_profile *profile, uint32_t row)
{
	return sprof_firefox_is_idle(profile, row) ? IDLE_SAMPLES : 1;
}

static bool is_time(const struct sprof_firefox *writer)
{
	return strcmp(sprof_profile_weight_unit(writer->profile, writer->weight), "nanoseconds") ==
		0;
}

static void write_ms(struct sprof_firefox *writer, uint64_t ns)
{
	sprof_json_format(&writer->json, "%llu.%06llu", (unsigned long long)(ns / SPROF_NS_PER_MS),
		(unsigned long long)(ns % SPROF_NS_PER_MS));
}

/* Writes times in ms, with the ns as decimals. */
static void write_weight(struct sprof_firefox *writer, uint64_t value)
{
	if (is_time(writer))
		write_ms(writer, value);
	else
		sprof_json_number(&writer->json, value);
}

enum column { STACK, TIME, WEIGHT, CPU };

struct walk {
	uint64_t time_ns; /* for samples without time: laid out one after the other */
	uint64_t cpu_ns;
};

static void write_cell(struct sprof_firefox *writer, enum column column,
	const struct sprof_moment *moment, struct walk *walk)
{
	const uint64_t *ns = moment->metrics.times.ns;
	uint32_t stack = writer->profile->rows[moment->row].stack;
	uint64_t weight = sprof_metrics_get(&moment->metrics, writer->weight);
	uint64_t cpu_ns = walk->cpu_ns + ns[SPROF_TIME_USER] + ns[SPROF_TIME_SYS];

	if (column == STACK)
		sprof_json_number(&writer->json,
			sprof_firefox_is_idle(writer->profile, moment->row) ? writer->idle[stack]
									    : writer->ends[stack]);
	else if (column == TIME && writer->profile->span_count)
		write_ms(writer, moment->begin_ns);
	else if (column == TIME)
		write_weight(writer, walk->time_ns);
	else if (column == WEIGHT)
		write_weight(writer, weight);
	else
		sprof_json_number(&writer->json, cpu_ns / 1000 - walk->cpu_ns / 1000);
	walk->time_ns += weight;
	walk->cpu_ns = cpu_ns;
}

/* The first sample is empty, because the viewer ignores the first CPU value. Returns the number of
 * samples. */
static size_t write_column(
	struct sprof_firefox *writer, const char *name, uint32_t thread, enum column column)
{
	struct sprof_moment moment;
	struct walk walk = {0};
	size_t count = 1;

	sprof_json_format(&writer->json, ",\n\"%s\":[%s", name, column == STACK ? "null" : "0");
	sprof_moments_start(&writer->moments, thread);
	for (; sprof_moments_next(&writer->moments, most, &moment); count++) {
		sprof_json_text(&writer->json, ",");
		write_cell(writer, column, &moment, &walk);
	}
	sprof_json_text(&writer->json, "]");
	return count;
}

enum marker_column {
	MARKER_CATEGORY,
	MARKER_DATA,
	MARKER_NAME,
	MARKER_START,
	MARKER_END,
	MARKER_PHASE
};

static void write_marker_data(
	struct sprof_firefox *writer, const struct sprof_profile_context *context)
{
	sprof_json_member_name(&writer->json,
		"{\"type\":\"Wait\",\"object\":", context->object ? context->object : "");
	if (context->holder) {
		sprof_json_member_name(&writer->json, ",\"holder\":", context->holder);
	}
	sprof_json_text(&writer->json, "}");
}

static void write_marker(
	struct sprof_firefox *writer, enum marker_column column, const struct sprof_moment *moment)
{
	uint32_t context = writer->profile->rows[moment->row].context;

	switch (column) {
	case MARKER_CATEGORY:
		sprof_json_number(&writer->json, SPROF_FIREFOX_IDLE);
		break;
	case MARKER_DATA:
		write_marker_data(writer, &writer->profile->contexts[context]);
		break;
	case MARKER_NAME:
		sprof_json_number(&writer->json, sprof_firefox_wait_name(writer, context));
		break;
	case MARKER_START:
		write_ms(writer, moment->begin_ns);
		break;
	case MARKER_END:
		write_ms(writer, moment->end_ns);
		break;
	case MARKER_PHASE: /* an interval */
		sprof_json_text(&writer->json, "1");
		break;
	}
}

static bool is_marked(const struct sprof_firefox *writer, const struct sprof_moment *moment)
{
	const struct sprof_profile_context *context =
		&writer->profile->contexts[writer->profile->rows[moment->row].context];

	return moment->is_timed && sprof_firefox_is_idle(writer->profile, moment->row) &&
		(context->syscall || context->object);
}

static size_t write_marker_column(
	struct sprof_firefox *writer, const char *name, uint32_t thread, enum marker_column column)
{
	struct sprof_moment moment;
	size_t count = 0;
	bool first = true;

	sprof_json_format(
		&writer->json, "%s\n\"%s\":[", column == MARKER_CATEGORY ? "" : ",", name);
	sprof_moments_start(&writer->moments, thread);
	while (sprof_moments_next(&writer->moments, NULL, &moment)) {
		if (!is_marked(writer, &moment))
			continue;
		sprof_json_comma(&writer->json, &first);
		write_marker(writer, column, &moment);
		count++;
	}
	sprof_json_text(&writer->json, "]");
	return count;
}

static void write_markers(struct sprof_firefox *writer, uint32_t thread)
{
	static const char *const names[] = {
		"category", "data", "name", "startTime", "endTime", "phase"};
	size_t count = 0;

	sprof_json_text(&writer->json, ",\"markers\":{");
	for (int i = MARKER_CATEGORY; i <= MARKER_PHASE; i++)
		count = write_marker_column(writer, names[i], thread, (enum marker_column)i);
	sprof_json_format(&writer->json, ",\"length\":%zu}}", count);
}

void sprof_firefox_write_samples(struct sprof_firefox *writer, uint32_t thread)
{
	const char *unit = sprof_profile_weight_unit(writer->profile, writer->weight);
	const char *type = is_time(writer)   ? "tracing-ms"
		: strcmp(unit, "bytes") == 0 ? "bytes"
					     : "samples";
	size_t count;

	sprof_json_format(&writer->json, ",\"samples\":{\"weightType\":\"%s\"", type);
	count = write_column(writer, "stack", thread, STACK);
	write_column(writer, "time", thread, TIME);
	write_column(writer, "weight", thread, WEIGHT);
	write_column(writer, "threadCPUDelta", thread, CPU);
	sprof_json_format(&writer->json, ",\"length\":%zu}", count);
	write_markers(writer, thread);
}
