/*
 * speedscope's format: one profile per thread, with the requested weight, in order of time if
 * known. Each arrival of the thread at a stack is a sample.
 * https://github.com/jlfwong/speedscope/wiki/Importing-from-custom-sources
 *
 * A frame is identified by its index, so each function has one, with the line of its definition.
 * Weights are JavaScript numbers, exact up to 2^53.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "output/format.h"
#include "output/formats/moments.h"
#include "output/json.h"
#include "profile/model/expand.h"

struct speedscope {
	const struct sprof_profile *profile;
	enum sprof_weight weight;
	struct sprof_moments moments;
	struct sprof_expansion expansion;
	struct sprof_json json;
};

static void write_frame(struct speedscope *writer, const struct sprof_profile_function *function)
{
	struct sprof_json *json = &writer->json;

	sprof_json_member_name(json, "{\"name\":", function->name);
	if (function->file) {
		sprof_json_member_name(json, ",\"file\":", function->file);
	}
	if (function->line)
		sprof_json_format(json, ",\"line\":%u", function->line);
	sprof_json_text(json, "}");
}

static void write_frames(struct speedscope *writer)
{
	bool first = true;

	sprof_json_text(&writer->json, "\"shared\":{\"frames\":[");
	for (size_t i = 0; i < writer->profile->function_count; i++) {
		sprof_json_comma(&writer->json, &first);
		write_frame(writer, &writer->profile->functions[i]);
	}
	sprof_json_text(&writer->json, "]}");
}

/* One stack, outermost first. */
static bool write_stack(struct speedscope *writer, uint32_t stack)
{
	bool first = true;

	if (!sprof_expansion_fill(&writer->expansion, writer->profile, stack))
		return false;
	sprof_json_text(&writer->json, "[");
	for (size_t i = writer->expansion.count; i-- > 0;) {
		sprof_json_comma(&writer->json, &first);
		sprof_json_number(&writer->json, writer->expansion.frames[i]->function);
	}
	sprof_json_text(&writer->json, "]");
	return true;
}

/* The thread's next moment with a weight, and that weight. Returns false at the end. */
static bool next_moment(struct speedscope *writer, uint32_t *ret_stack, uint64_t *ret_weight)
{
	struct sprof_moment moment;

	while (sprof_moments_next(&writer->moments, NULL, &moment)) {
		*ret_stack = writer->profile->rows[moment.row].stack;
		*ret_weight = sprof_metrics_get(&moment.metrics, writer->weight);
		if (*ret_weight)
			return true;
	}
	return false;
}

static bool write_samples(struct speedscope *writer, uint32_t thread)
{
	bool first = true;
	uint64_t weight;
	uint32_t stack;

	sprof_json_text(&writer->json, "\"samples\":[");
	sprof_moments_start(&writer->moments, thread);
	while (next_moment(writer, &stack, &weight)) {
		sprof_json_comma(&writer->json, &first);
		if (!write_stack(writer, stack))
			return false;
	}
	first = true;
	sprof_json_text(&writer->json, "],\"weights\":[");
	sprof_moments_start(&writer->moments, thread);
	while (next_moment(writer, &stack, &weight)) {
		sprof_json_comma(&writer->json, &first);
		sprof_json_number(&writer->json, weight);
	}
	sprof_json_text(&writer->json, "]");
	return true;
}

static uint64_t whole_of(const struct speedscope *writer, uint32_t thread)
{
	const struct sprof_by_thread *order = &writer->moments.order;
	uint64_t sum = 0;

	for (size_t i = order->first[thread]; i < order->first[thread + 1]; i++)
		sum += sprof_metrics_get(
			&writer->profile->rows[order->rows[i]].metrics, writer->weight);
	return sum;
}

/* The format's unit for the weight. */
static const char *unit_of(const struct speedscope *writer)
{
	static const char *const known[] = {
		"nanoseconds", "microseconds", "milliseconds", "seconds", "bytes", NULL};
	const char *unit = sprof_profile_weight_unit(writer->profile, writer->weight);

	return sprof_string_is_one_of(unit, known) ? unit : "none";
}

static bool write_thread(struct speedscope *writer, uint32_t index)
{
	const struct sprof_profile_thread *thread = &writer->profile->threads[index];
	const struct sprof_profile_process *process = &writer->profile->processes[thread->process];
	SPROF_AUTO_FREE char *name = sprof_string_print("%s [%d/%d] %s", thread->name, process->pid,
		thread->tid, sprof_profile_weight_name(writer->profile, writer->weight));

	if (!name)
		return false;
	sprof_json_member_name(&writer->json, "{\"type\":\"sampled\",\"name\":", name);
	sprof_json_format(
		&writer->json, ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":", unit_of(writer));
	sprof_json_number(&writer->json, whole_of(writer, index));
	sprof_json_text(&writer->json, ",");
	if (!write_samples(writer, index))
		return false;
	sprof_json_text(&writer->json, "}");
	return true;
}

/* Leaves out threads without weight; the heaviest is shown first. */
static bool write_threads(struct speedscope *writer)
{
	uint64_t heaviest = 0;
	size_t written = 0, active = 0;
	bool first = true;

	sprof_json_text(&writer->json, ",\"profiles\":[");
	for (uint32_t i = 0; i < writer->profile->thread_count; i++) {
		uint64_t whole = whole_of(writer, i);

		if (!whole)
			continue;
		if (whole > heaviest) {
			heaviest = whole;
			active = written;
		}
		written++;
		sprof_json_comma(&writer->json, &first);
		if (!write_thread(writer, i))
			return false;
	}
	sprof_json_format(&writer->json, "],\"activeProfileIndex\":%zu}\n", active);
	return true;
}

static bool write_all(struct speedscope *writer)
{
	const char *command = writer->profile->command;

	sprof_json_text(&writer->json,
		"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
		"\"exporter\":\"sprof@" SPROF_VERSION "\",\"name\":");
	sprof_json_name(&writer->json, command ? command : "profile");
	sprof_json_text(&writer->json, ",");
	write_frames(writer);
	return write_threads(writer);
}

static bool write_speedscope(const struct sprof_profile *profile,
	const struct sprof_output_options *options, struct sprof_out *out, struct sprof_error *err)
{
	struct speedscope writer = {.profile = profile, .weight = options->weight};
	bool ok = sprof_moments_init(&writer.moments, profile) &&
		sprof_json_open(&writer.json, out, false) && write_all(&writer);

	sprof_json_close(&writer.json);
	sprof_moments_finish(&writer.moments);
	sprof_expansion_finish(&writer.expansion);
	return ok || sprof_error_no_memory(err);
}

const struct sprof_format sprof_format_speedscope = {
	.name = "speedscope",
	.suffix = ".speedscope.json",
	.summary = "for speedscope.app: one profile per thread",
	.write = write_speedscope,
};
