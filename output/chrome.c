/*
 * Chrome trace events: a begin and an end (ph B, E) per path of each thread's caller graph, one beside
 * the other in the order of the graph. They show what was spent where; the profile does not say when.
 * Complete events (ph X) would be shorter, but readers add start and length as doubles, and a child
 * that ends a billionth behind its parent is put in another place. And where one path ends and one of
 * the same name begins at the same time, they take the second for a child of the first: there is a
 * gap of a nanosecond between siblings, which counts for their parent.
 * https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
 *
 * Readers put the arguments of an event into its name, so there are none. Times are in
 * microseconds, with the nanoseconds behind the point.
 */
#include <stdlib.h>
#include <string.h>

#include "output/format.h"
#include "output/json.h"
#include "profile/view.h"

struct chrome {
	const struct sprof_profile *profile;
	struct sprof_json json;
	uint64_t unit; /* what 1 of the weight is in ns: samples and other things count as microseconds */
	bool first;
};

static void write_us(struct chrome *writer, const char *key, uint64_t value)
{
	uint64_t ns_per_us = 1000;

	sprof_json_format(&writer->json, ",\"%s\":%llu", key,
		(unsigned long long)(writer->unit == 1 ? value / ns_per_us : value));
	if (writer->unit == 1)
		sprof_json_format(
			&writer->json, ".%03llu", (unsigned long long)(value % ns_per_us));
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
	sprof_json_text(&writer->json, ",\"name\":\"process_name\",\"args\":{\"name\":");
	sprof_json_name(&writer->json, writer->profile->processes[thread->process].name);
	sprof_json_text(&writer->json, "}}");
	begin_event(writer, "M", index);
	sprof_json_text(&writer->json, ",\"name\":\"thread_name\",\"args\":{\"name\":");
	sprof_json_name(&writer->json, thread->name);
	sprof_json_text(&writer->json, "}}");
}

/* Where the paths of a thread are on its line of time; by node of the graph. */
struct track {
	const struct sprof_graph *graph;
	uint32_t thread;
	uint64_t *starts, *lengths;
	uint64_t *nexts; /* where the next child begins */
};

static bool track_init(
	struct track *track, uint32_t thread, const struct sprof_graph *graph, uint64_t gap)
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
			*above += track->lengths[i] + gap;
	}
	return true;
}

static void track_finish(struct track *track)
{
	free(track->starts);
	free(track->lengths);
	free(track->nexts);
}

static void write_mark(struct chrome *writer, const struct track *track, const char *phase,
	uint32_t node, uint64_t time)
{
	const struct sprof_profile_function *function =
		&writer->profile->functions[track->graph->nodes[node].function];

	begin_event(writer, phase, track->thread);
	sprof_json_text(&writer->json, ",\"name\":");
	sprof_json_name(&writer->json, function->name);
	write_us(writer, "ts", time);
	sprof_json_text(&writer->json, "}");
}

/* Writes the ends of what is open, from `node` up to but without `above`. */
static void close_nodes(
	struct chrome *writer, const struct track *track, uint32_t node, uint32_t above)
{
	for (; node != above && node; node = track->graph->nodes[node].parent)
		write_mark(writer, track, "E", node, track->starts[node] + track->lengths[node]);
}

/* A node starts behind its elder sibling, and a first child where its parent starts. */
static bool write_graph(struct chrome *writer, uint32_t thread, const struct sprof_graph *graph)
{
	uint64_t gap = 1; /* a ns, or one of whatever it is: see above */
	struct track track;
	bool ok = track_init(&track, thread, graph, gap);
	uint32_t open = 0;

	for (uint32_t i = 1; ok && i < graph->count; i++) {
		uint32_t parent = graph->nodes[i].parent;

		close_nodes(writer, &track, open, parent);
		track.starts[i] = track.nexts[i] = track.nexts[parent];
		track.nexts[parent] += track.lengths[i] + gap;
		write_mark(writer, &track, "B", i, track.starts[i]);
		open = i;
	}
	if (ok)
		close_nodes(writer, &track, open, 0);
	track_finish(&track);
	return ok;
}

static bool write_thread(
	struct chrome *writer, enum sprof_weight weight, uint32_t thread, struct sprof_error *err)
{
	const struct sprof_view view = {.weight = weight, .thread = thread};
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
	};
	bool ok = sprof_json_open(&writer.json, out, false);

	sprof_json_text(&writer.json, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
	for (uint32_t i = 0; ok && i < profile->thread_count; i++)
		ok = write_thread(&writer, options->weight, i, err);
	sprof_json_text(&writer.json, "\n]}\n");
	sprof_json_close(&writer.json);
	return ok;
}

const struct sprof_format sprof_format_chrome = {
	.name = "chrome",
	.suffix = ".trace.json",
	.summary = "trace events, for chrome://tracing and its kin: what was spent where, not when",
	.write = write_chrome,
};
