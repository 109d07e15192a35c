/*
 * Chrome trace events.
 * https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
 *
 * Each call has a start and an end (ph B, E), as far as samples show calls: a function at the same
 * place of two successive stacks continues. Readers can show weight only as elapsed time. So for
 * weights other than wall time, and profiles without a timeline, each path of a thread's caller
 * graph gets a start and an end, side by side. The lightest path comes first: readers use doubles,
 * and a path beyond 2^53 ns would reduce the precision of all paths after it.
 *
 * Complete events (ph X) would be shorter, but readers add start and length as doubles and misplace
 * a child that ends a billionth after its parent. If one path ends where a path of the same name
 * begins, readers nest the second in the first. So there is a gap of a nanosecond between siblings,
 * which counts for their parent. Readers put an event's arguments into its name, so events have
 * none. Times are in microseconds, with the nanoseconds as decimals.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "output/format.h"
#include "output/formats/moments.h"
#include "output/json.h"
#include "profile/model/expand.h"
#include "profile/views/view.h"

enum {
	GAP = 1 /* between siblings: a ns, or one of another unit */
};

struct chrome {
	const struct sprof_profile *profile;
	struct sprof_json json;
	enum sprof_weight weight;
	struct sprof_moments moments;
	bool is_timed; /* has a timeline and shows wall time */
	/* the ns that 1 of the weight counts as: samples and other counts are microseconds */
	uint64_t unit;
	bool first;
};

static void write_us(struct chrome *writer, const char *key, uint64_t value)
{
	sprof_json_format(&writer->json, ",\"%s\":%llu", key,
		(unsigned long long)(writer->unit == 1 ? value / SPROF_NS_PER_US : value));
	if (writer->unit == 1)
		sprof_json_format(
			&writer->json, ".%03llu", (unsigned long long)(value % SPROF_NS_PER_US));
}

static void begin_event(struct chrome *writer, const char *phase, uint32_t index)
{
	const struct sprof_profile_thread *thread = &writer->profile->threads[index];

	sprof_json_comma(&writer->json, &writer->first);
	sprof_json_format(&writer->json, "\n{\"ph\":\"%s\",\"pid\":%d,\"tid\":%d", phase,
		writer->profile->processes[thread->process].pid, thread->tid);
}

static void write_names(struct chrome *writer, uint32_t index)
{
	const struct sprof_profile_thread *thread = &writer->profile->threads[index];

	begin_event(writer, "M", index);
	sprof_json_member_name(&writer->json, ",\"name\":\"process_name\",\"args\":{\"name\":",
		writer->profile->processes[thread->process].name);
	sprof_json_text(&writer->json, "}}");
	begin_event(writer, "M", index);
	sprof_json_member_name(
		&writer->json, ",\"name\":\"thread_name\",\"args\":{\"name\":", thread->name);
	sprof_json_text(&writer->json, "}}");
}

/* The places of a thread's paths on its time axis, by node of the graph. */
struct track {
	const struct sprof_graph *graph;
	uint32_t thread;
	uint64_t *starts, *lengths;
	uint64_t *nexts; /* the start of the next child */
};

static bool track_init(struct track *track, uint32_t thread, const struct sprof_graph *graph)
{
	size_t count = graph->count + 1;

	*track = (struct track){
		.graph = graph,
		.thread = thread,
		.starts = calloc(count, sizeof(*track->starts)),
		.lengths = calloc(count, sizeof(*track->lengths)),
		.nexts = calloc(count, sizeof(*track->nexts)),
	};
	if (!track->starts || !track->lengths || !track->nexts)
		return false;
	for (size_t i = graph->count; i-- > 0;) {
		uint64_t *above = i ? &track->lengths[graph->nodes[i].parent] : NULL;

		track->lengths[i] += graph->nodes[i].self;
		if (above)
			*above += track->lengths[i] + GAP;
	}
	return true;
}

static void write_mark(
	struct chrome *writer, uint32_t thread, const char *phase, uint32_t function, uint64_t time)
{
	begin_event(writer, phase, thread);
	sprof_json_member_name(
		&writer->json, ",\"name\":", writer->profile->functions[function].name);
	write_us(writer, "ts", time);
	sprof_json_text(&writer->json, "}");
}

/* Writes the ends of the open nodes, from `node` up to `above`, without `above`. */
static void close_nodes(
	struct chrome *writer, const struct track *track, uint32_t node, uint32_t above)
{
	for (; node != above && node; node = track->graph->nodes[node].parent)
		write_mark(writer, track->thread, "E", track->graph->nodes[node].function,
			track->starts[node] + track->lengths[node]);
}

/* A node starts after its lighter sibling; a first child starts where its parent starts. */
static void place(struct chrome *writer, struct track *track, uint32_t node, uint32_t *open)
{
	uint32_t parent = track->graph->nodes[node].parent;

	close_nodes(writer, track, *open, parent);
	track->starts[node] = track->nexts[node] = track->nexts[parent];
	track->nexts[parent] += track->lengths[node] + GAP;
	write_mark(writer, track->thread, "B", track->graph->nodes[node].function,
		track->starts[node]);
	*open = node;
}

/* Depth first, lightest child first: the graph's order is the reverse, which suits a stack. */
static bool write_graph(struct chrome *writer, uint32_t thread, const struct sprof_graph *graph)
{
	SPROF_AUTO_FREE uint32_t *waiting = calloc(graph->count + 1, sizeof(*waiting));
	struct track track;
	bool ok = track_init(&track, thread, graph) && waiting;
	size_t count = 0;
	uint32_t open = 0;

	for (uint32_t node = 0; ok; node = waiting[--count]) {
		if (node)
			place(writer, &track, node, &open);
		for (uint32_t i = node + 1; i < graph->nodes[node].end; i = graph->nodes[i].end)
			waiting[count++] = i;
		if (!count)
			break;
	}
	if (ok)
		close_nodes(writer, &track, open, 0);
	free(track.starts);
	free(track.lengths);
	free(track.nexts);
	return ok;
}

static bool write_spent(struct chrome *writer, uint32_t thread, struct sprof_error *err)
{
	const struct sprof_view view = {.weight = writer->weight, .thread = thread};
	struct sprof_graph graph;
	bool ok;

	if (!sprof_graph_build(writer->profile, &view, SPROF_GRAPH_CALLER, &graph, err))
		return false;
	if (graph.count > 1)
		write_names(writer, thread);
	ok = write_graph(writer, thread, &graph);
	sprof_graph_finish(&graph);
	return ok || sprof_error_no_memory(err);
}

/* The open functions, outermost first, and the next moment. */
struct calls {
	uint32_t thread;
	uint32_t *open;
	size_t count, capacity;
	struct sprof_expansion next; /* innermost first */
};

static uint32_t next_function(const struct calls *calls, size_t depth)
{
	return calls->next.frames[calls->next.count - 1 - depth]->function;
}

static void close_calls(struct chrome *writer, struct calls *calls, size_t left, uint64_t time)
{
	while (calls->count > left)
		write_mark(writer, calls->thread, "E", calls->open[--calls->count], time);
}

/* Ends the functions that the next stack lacks and begins its new ones. */
static bool turn_to(struct chrome *writer, struct calls *calls, uint32_t row, uint64_t time)
{
	size_t same = 0;

	if (!sprof_expansion_fill(
		    &calls->next, writer->profile, writer->profile->rows[row].stack) ||
		!sprof_array_reserve(&calls->open, &calls->capacity, calls->next.count + 1,
			sizeof(*calls->open)))
		return false;
	while (same < calls->count && same < calls->next.count &&
		calls->open[same] == next_function(calls, same))
		same++;
	if (same < calls->count) {
		close_calls(writer, calls, same, time);
		time += GAP;
	}
	while (calls->count < calls->next.count) {
		uint32_t function = next_function(calls, calls->count);

		write_mark(writer, calls->thread, "B", function, time);
		calls->open[calls->count++] = function;
	}
	return true;
}

static bool write_calls(struct chrome *writer, uint32_t thread)
{
	struct calls calls = {.thread = thread};
	struct sprof_moment moment;
	uint64_t end = 0;
	bool ok = true;

	write_names(writer, thread);
	sprof_moments_start(&writer->moments, thread);
	while (ok && sprof_moments_next(&writer->moments, NULL, &moment) && moment.is_timed) {
		if (moment.begin_ns > end)
			close_calls(writer, &calls, 0, end);
		ok = turn_to(writer, &calls, moment.row, moment.begin_ns);
		end = moment.end_ns;
	}
	close_calls(writer, &calls, 0, end);
	free(calls.open);
	sprof_expansion_finish(&calls.next);
	return ok;
}

static bool write_thread(struct chrome *writer, uint32_t thread, struct sprof_error *err)
{
	if (!writer->is_timed)
		return write_spent(writer, thread, err);
	return write_calls(writer, thread) || sprof_error_no_memory(err);
}

static bool write_chrome(const struct sprof_profile *profile,
	const struct sprof_output_options *options, struct sprof_out *out, struct sprof_error *err)
{
	struct chrome writer = {
		.profile = profile,
		.unit = strcmp(sprof_profile_weight_unit(profile, options->weight),
				"nanoseconds") == 0
			? 1
			: 1000,
		.first = true,
		.weight = options->weight,
		.is_timed = profile->span_count && options->weight == SPROF_WEIGHT_WALL,
	};
	bool ok = sprof_moments_init(&writer.moments, profile) &&
		sprof_json_open(&writer.json, out, false);

	if (!ok) {
		sprof_moments_finish(&writer.moments);
		return sprof_error_no_memory(err);
	}
	sprof_json_text(&writer.json, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
	for (uint32_t i = 0; ok && i < profile->thread_count; i++)
		ok = write_thread(&writer, i, err);
	sprof_json_text(&writer.json, "\n]}\n");
	sprof_json_close(&writer.json);
	sprof_moments_finish(&writer.moments);
	return ok;
}

const struct sprof_format sprof_format_chrome = {
	.name = "chrome",
	.suffix = ".trace.json",
	.summary = "trace events, for chrome://tracing and Perfetto: which function ran when",
	.write = write_chrome,
};
