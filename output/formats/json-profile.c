/*
 * The whole profile as one JSON object, for programs. docs/profile.schema.json defines it; the
 * names are a stable interface. Writes while walking the tables. Figures are integers, times are in
 * ns; doubles represent them exactly up to 2^53.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "output/format.h"
#include "output/formats/json-answer.h"
#include "output/formats/json-critical.h"
#include "output/formats/json-neighbours.h"
#include "output/json.h"
#include "profile/model/attributes.h"
#include "profile/model/labels.h"
#include "profile/model/objects.h"
#include "profile/model/quality.h"
#include "profile/views/view.h"

struct writer {
	const struct sprof_profile *profile;
	struct sprof_json json;
	enum sprof_weight weight;
};

static void write_figure(struct writer *writer, const struct sprof_metrics *metrics,
	enum sprof_weight weight, bool *first)
{
	sprof_json_comma(&writer->json, first);
	sprof_json_format(&writer->json, "\"%s\":", sprof_weight_name(weight));
	sprof_json_number(&writer->json, sprof_metrics_get(metrics, weight));
}

static void write_figures(struct writer *writer, const struct sprof_metrics *metrics)
{
	bool first = true;

	sprof_json_text(&writer->json, "{");
	for (int i = 0; sprof_profile_counts_time(writer->profile) && i < SPROF_WEIGHT_COUNT; i++)
		write_figure(writer, metrics, (enum sprof_weight)i, &first);
	if (sprof_weight_is_further(writer->weight))
		write_figure(writer, metrics, writer->weight, &first);
	sprof_json_text(&writer->json, "}");
}

static void write_quality(struct writer *writer)
{
	const struct sprof_quality *quality = &writer->profile->quality;
	bool first = true;

	sprof_json_format(&writer->json, "\"quality\":{\"target_pid\":%d,\"rate_hz\":%.10g,",
		quality->target_pid, quality->rate_hz);
	for (const struct sprof_quality_field *field = sprof_quality_fields; field->name; field++) {
		sprof_json_format(&writer->json, "\"%s\":", field->name);
		sprof_json_number(&writer->json, sprof_quality_get(quality, field->offset));
		sprof_json_text(&writer->json, ",");
	}
	sprof_json_text(&writer->json, "\"stacks\":{");
	for (int i = 0; i < SPROF_END_COUNT; i++) {
		sprof_json_comma(&writer->json, &first);
		sprof_json_format(&writer->json, "\"%s\":", sprof_end_name((enum sprof_end)i));
		sprof_json_number(&writer->json, quality->stacks[i]);
	}
	sprof_json_format(&writer->json, "},\"schedstat_missing\":%s}",
		quality->schedstat_missing ? "true" : "false");
}

static void write_head(struct writer *writer, enum sprof_weight weight)
{
	const struct sprof_profile *profile = writer->profile;

	sprof_json_member_string(&writer->json,
		"{\"format\":\"sprof-profile\",\"version\":1,\"command\":", profile->command);
	sprof_json_text(&writer->json, ",\"start_realtime_ns\":");
	sprof_json_number(&writer->json, profile->start_realtime_ns);
	sprof_json_member_name(
		&writer->json, ",\"weight\":", sprof_profile_weight_name(profile, weight));
	sprof_json_member_name(
		&writer->json, ",\"unit\":", sprof_profile_weight_unit(profile, weight));
	sprof_json_text(&writer->json, ",\n");
	write_quality(writer);
}

/* The attributes of a process or a thread; unknown ones are null. */
static void write_attributes(
	struct writer *writer, enum sprof_attribute_of of, const struct sprof_build_thread *owner)
{
	struct sprof_build_thread fields = *owner;
	bool first = of == SPROF_ATTRIBUTE_OF_PROCESS;

	for (const struct sprof_attribute *attribute = sprof_attributes; attribute->name;
		attribute++) {
		if (attribute->of != of)
			continue;
		sprof_json_comma(&writer->json, &first);
		sprof_json_format(&writer->json,
			"\"%s\":", attribute->json ? attribute->json : attribute->name);
		if (attribute->form == SPROF_ATTRIBUTE_ID)
			sprof_json_format(
				&writer->json, "%d", *sprof_attribute_id(attribute, &fields));
		else
			sprof_json_string(&writer->json, *sprof_attribute_text(attribute, &fields));
	}
	sprof_json_text(&writer->json, "}");
}

static void write_process(struct writer *writer, size_t index)
{
	const struct sprof_build_thread process =
		sprof_attributes_of_process(writer->profile, (uint32_t)index);

	sprof_json_text(&writer->json, "{");
	write_attributes(writer, SPROF_ATTRIBUTE_OF_PROCESS, &process);
}

static void write_thread(struct writer *writer, size_t index)
{
	const struct sprof_build_thread thread =
		sprof_attributes_of_thread(writer->profile, (uint32_t)index);

	sprof_json_format(
		&writer->json, "{\"process\":%u", writer->profile->threads[index].process);
	write_attributes(writer, SPROF_ATTRIBUTE_OF_THREAD, &thread);
}

static void write_module(struct writer *writer, size_t index)
{
	const struct sprof_profile *profile = writer->profile;
	const struct sprof_profile_module *facts =
		sprof_profile_module_facts(profile, (uint32_t)index);

	sprof_json_member_string(&writer->json,
		"{\"path\":", sprof_modules_get(profile->modules, (uint32_t)index)->path);
	sprof_json_member_string(&writer->json, ",\"build_id\":", facts->build_id);
	if (facts->gap_why)
		sprof_json_member_string(&writer->json, ",\"gap\":", facts->gap_why);
	if (facts->gap_help)
		sprof_json_member_string(&writer->json, ",\"gap_help\":", facts->gap_help);
	sprof_json_text(&writer->json, "}");
}

static void write_function(struct writer *writer, size_t index)
{
	const struct sprof_profile_function *function = &writer->profile->functions[index];

	sprof_json_member_string(&writer->json, "{\"name\":", function->name);
	sprof_json_member_string(&writer->json, ",\"linkage\":", function->linkage);
	sprof_json_member_string(&writer->json, ",\"file\":", function->file);
	sprof_json_format(&writer->json, ",\"line\":%u,\"module\":", function->line);
	if (function->module == SPROF_PROFILE_NONE)
		sprof_json_text(&writer->json, "null");
	else
		sprof_json_number(&writer->json, function->module);
	sprof_json_format(
		&writer->json, ",\"unresolved\":%s}", function->unresolved ? "true" : "false");
}

/* The mark of a tail call in a line. */
static const char *tail_mark(enum sprof_mark mark)
{
	if (mark == SPROF_MARK_TAIL_CALL)
		return ",\"tail call\"";
	return mark == SPROF_MARK_TAIL_CALLED ? ",\"tail call?\"" : "";
}

static void write_file(struct writer *writer, const struct sprof_profile_line *line)
{
	const char *file = sprof_profile_included_file(writer->profile, line);

	if (!file)
		return;
	sprof_json_member_string(&writer->json, ",{\"file\":", file);
	sprof_json_text(&writer->json, "}");
}

/*
 * [function, line, inlined] of each function at the place, innermost first; a tail call has a mark,
 * and a line that is not in the function's file has {"file":...} at the end.
 */
static void write_location(struct writer *writer, size_t index)
{
	const struct sprof_profile_location *location = &writer->profile->locations[index];

	sprof_json_text(&writer->json, "[");
	for (uint32_t i = 0; i < location->line_count; i++) {
		const struct sprof_profile_line *line =
			&writer->profile->lines[location->first_line + i];

		sprof_json_format(&writer->json, "%s[%u,%u,%s%s", i ? "," : "", line->function,
			line->line, line->mark == SPROF_MARK_INLINED ? "true" : "false",
			tail_mark(line->mark));
		write_file(writer, line);
		sprof_json_text(&writer->json, "]");
	}
	sprof_json_text(&writer->json, "]");
}

/* [parent, location]; stack 0 is the empty one. */
static void write_stack(struct writer *writer, size_t index)
{
	const struct sprof_profile_stack *stack = &writer->profile->stacks[index];

	if (index == SPROF_PROFILE_ROOT)
		sprof_json_text(&writer->json, "[null,null]");
	else
		sprof_json_format(&writer->json, "[%u,%u]", stack->parent, stack->location);
}

/* Writes nothing without a word. */
static void write_word(struct writer *writer, const char *name, const char *word)
{
	if (!word)
		return;
	sprof_json_format(&writer->json, ",\"%s\":", name);
	sprof_json_string(&writer->json, word);
}

static void write_counted(struct writer *writer, const char *text, size_t length)
{
	SPROF_AUTO_FREE char *copy = strndup(text, length);

	if (copy)
		sprof_json_string(&writer->json, copy);
	else
		sprof_out_fail(writer->json.out, ENOMEM);
}

/* Labels that other tools gave the samples: [name, text], or [name, number, unit]. */
static void write_labels(struct writer *writer, const char *set)
{
	struct sprof_label label;
	bool first = true;

	if (!set || !*set)
		return;
	sprof_json_text(&writer->json, ",\"labels\":[");
	while (sprof_labels_next(&set, &label)) {
		sprof_json_comma(&writer->json, &first);
		sprof_json_text(&writer->json, "[");
		write_counted(writer, label.key, label.key_length);
		sprof_json_text(&writer->json, ",");
		if (label.is_number)
			sprof_json_format(&writer->json, "%" PRId64 ",", label.number);
		write_counted(writer, label.text, label.text_length);
		sprof_json_text(&writer->json, "]");
	}
	sprof_json_text(&writer->json, "]");
}

static void write_context(struct writer *writer, const struct sprof_profile_context *context)
{
	char id[SPROF_ATTRIBUTE_SIZE];

	for (const struct sprof_attribute *attribute = sprof_attributes; attribute->name;
		attribute++) {
		const char *text = attribute->of == SPROF_ATTRIBUTE_OF_CONTEXT
			? sprof_attribute_get(attribute, context, id)
			: NULL;

		write_word(writer, attribute->name, text);
		if (!text && attribute->is_always_said)
			sprof_json_format(&writer->json, ",\"%s\":null", attribute->name);
	}
	write_labels(writer, context->labels);
}

static void write_row(struct writer *writer, size_t index)
{
	const struct sprof_profile_row *row = &writer->profile->rows[index];

	sprof_json_format(&writer->json, "{\"thread\":%u,\"stack\":%u", row->thread, row->stack);
	write_context(writer, &writer->profile->contexts[row->context]);
	sprof_json_text(&writer->json, ",\"values\":");
	write_figures(writer, &row->metrics);
	sprof_json_text(&writer->json, "}");
}

static void write_table(struct writer *writer, const char *name, size_t count,
	void (*write)(struct writer *, size_t))
{
	bool first = true;

	sprof_json_format(&writer->json, ",\n\"%s\":[", name);
	for (size_t i = 0; i < count && !sprof_out_failed(writer->json.out); i++) {
		sprof_json_comma(&writer->json, &first);
		sprof_json_text(&writer->json, "\n");
		write(writer, i);
	}
	sprof_json_text(&writer->json, "]");
}

/* NULL: none. */
static const char *verdict_of(const struct sprof_flat_row *row)
{
	enum sprof_verdict verdict = sprof_verdict_of(&row->total.times, &row->waiting);

	return verdict == SPROF_VERDICT_NONE ? NULL : sprof_verdict_name(verdict);
}

static bool write_flat(
	struct writer *writer, const struct sprof_view *view, struct sprof_error *err)
{
	SPROF_AUTO_FREE const char **objects = sprof_objects_names(writer->profile);
	struct sprof_flat flat;
	bool first = true;

	if (!objects)
		return sprof_error_no_memory(err);
	if (!sprof_flat_build(writer->profile, view, &flat, err))
		return false;
	sprof_json_text(&writer->json, ",\n\"flat\":[");
	for (size_t i = 0; i < flat.count; i++) {
		sprof_json_comma(&writer->json, &first);
		sprof_json_format(&writer->json,
			"\n{\"function\":%u,\"threads\":%u,\"self\":", flat.rows[i].function,
			flat.rows[i].threads);
		write_figures(writer, &flat.rows[i].self);
		sprof_json_text(&writer->json, ",\"total\":");
		write_figures(writer, &flat.rows[i].total);
		write_word(writer, "dso", objects[flat.rows[i].function]);
		write_word(writer, "verdict", verdict_of(&flat.rows[i]));
		sprof_json_text(&writer->json, "}");
	}
	sprof_json_text(&writer->json, "]");
	sprof_flat_finish(&flat);
	return true;
}

static bool write_group(struct writer *writer, const struct sprof_output_options *options,
	uint32_t index, struct sprof_error *err)
{
	const struct sprof_group *group = &options->groups->items[index];
	const struct sprof_view view = {
		.weight = options->weight,
		.thread = SPROF_PROFILE_NONE,
		.groups = options->groups->of_row,
		.group = index,
		.sort = &options->sort,
	};

	sprof_json_format(&writer->json, "%s\n{\"name\":", index ? "," : "");
	sprof_json_string(&writer->json, group->name);
	sprof_json_format(&writer->json, ",\"threads\":%u,\"values\":", group->threads);
	write_figures(writer, &group->sum);
	if (options->groups->of_frames) {
		sprof_json_text(&writer->json, ",\"total\":");
		write_figures(writer, &group->total);
	} else if (!write_flat(writer, &view, err))
		return false;
	sprof_json_text(&writer->json, "}");
	return true;
}

/* The groups by a label; writes nothing if not requested. */
static bool write_groups(
	struct writer *writer, const struct sprof_output_options *options, struct sprof_error *err)
{
	if (!options->groups)
		return true;
	sprof_json_member_string(&writer->json, ",\n\"by\":{\"label\":", options->groups->label);
	sprof_json_text(&writer->json, ",\"groups\":[");
	for (uint32_t i = 0; i < options->groups->count; i++) {
		if (!write_group(writer, options, i, err))
			return false;
	}
	sprof_json_text(&writer->json, "]}");
	return true;
}

static bool write_json(const struct sprof_profile *profile,
	const struct sprof_output_options *options, struct sprof_out *out, struct sprof_error *err)
{
	const struct sprof_view view = {
		.weight = options->weight,
		.thread = SPROF_PROFILE_NONE,
		.sort = &options->sort,
	};
	struct writer writer = {.profile = profile, .weight = options->weight};
	bool ok = sprof_json_open(&writer.json, out, false);

	write_head(&writer, options->weight);
	write_table(&writer, "processes", profile->process_count, write_process);
	write_table(&writer, "threads", profile->thread_count, write_thread);
	write_table(&writer, "modules", sprof_modules_count(profile->modules), write_module);
	write_table(&writer, "functions", profile->function_count, write_function);
	write_table(&writer, "locations", profile->location_count, write_location);
	write_table(&writer, "stacks", profile->stack_count, write_stack);
	write_table(&writer, "rows", profile->row_count, write_row);
	ok = ok && sprof_json_answer(&writer.json, profile, options, err) &&
		write_flat(&writer, &view, err) && write_groups(&writer, options, err) &&
		sprof_json_neighbours(&writer.json, profile, options, err) &&
		sprof_json_critical(&writer.json, profile, err);
	sprof_json_text(&writer.json, "}\n");
	sprof_json_close(&writer.json);
	return ok;
}

const struct sprof_format sprof_format_json = {
	.name = "json",
	.suffix = ".json",
	.summary = "the whole profile, for programs",
	.write = write_json,
};
