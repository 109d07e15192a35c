/*
 * Chrome trace events: a begin and an end (ph B, E) per path of each thread's caller graph, one beside
 * the other in the order of the graph. They show what was spent where; the profile does not say when.
 * Complete events (ph X) would be shorter, but readers add start and length as doubles, and a child
 * that ends a billionth behind its parent is put in another place.
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

static void write_mark(struct chrome *writer, uint32_t thread, const char *phase,
	const struct sprof_graph_node *node, uint64_t time)
{
	begin_event(writer, phase, thread);
	sprof_json_text(&writer->json, ",\"name\":");
	sprof_json_name(&writer->json, writer->profile->functions[node->function].name);
	write_us(writer, "ts", time);
	sprof_json_text(&writer->json, "}");
}

/* Writes the ends of the nodes that are open from `node` upwards, to the parent of the next one. */
static void close_nodes(struct chrome *writer, uint32_t thread, const struct sprof_graph *graph,
	uint32_t node, uint32_t next_parent, const uint64_t *starts)
{
	while (node != next_parent && node) {
		write_mark(writer, thread, "E", &graph->nodes[node],
			starts[node] + graph->nodes[node].total);
		node = graph->nodes[node].parent;
	}
}

/* A node starts where its elder sibling ended, and a first child where its parent starts. */
static bool write_graph(struct chrome *writer, uint32_t thread, const struct sprof_graph *graph)
{
	uint64_t *starts = calloc(graph->count + 1, sizeof(*starts));
	uint64_t *nexts = calloc(graph->count + 1, sizeof(*nexts)); /* of a further child */
	uint32_t open = 0;

	for (uint32_t i = 1; starts && nexts && i < graph->count; i++) {
		const struct sprof_graph_node *node = &graph->nodes[i];

		close_nodes(writer, thread, graph, open, node->parent, starts);
		starts[i] = nexts[i] = nexts[node->parent];
		nexts[node->parent] += node->total;
		write_mark(writer, thread, "B", node, starts[i]);
		open = i;
	}
	if (starts && nexts)
		close_nodes(writer, thread, graph, open, 0, starts);
	open = starts && nexts;
	free(starts);
	free(nexts);
	return open;
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
