/*
 * `sprof annotate --json`: one object. Times are in ns, samples are counts; another tool's weight
 * is called "value".
 */
#include <inttypes.h>

#include "output/annotate/annotate.h"
#include "output/json.h"

static void add_metrics(const struct sprof_annotate *annotate, const struct sprof_metrics *metrics,
	struct sprof_json *json)
{
	sprof_json_format(json, "{\"value\":%" PRIu64 ",\"samples\":%" PRIu64,
		sprof_metrics_get(metrics, annotate->weight), metrics->samples);
	for (int i = 0;
		sprof_profile_counts_time(annotate->profile) && i < SPROF_WEIGHT_ALL_COLUMNS; i++)
		sprof_json_format(json, ",\"%s\":%" PRIu64,
			sprof_weight_name(sprof_weight_columns[i]),
			sprof_metrics_get(metrics, sprof_weight_columns[i]));
	sprof_json_text(json, "}");
}

static void add_head(const struct sprof_annotate *annotate, struct sprof_json *json)
{
	const struct sprof_profile *profile = annotate->profile;
	const struct sprof_profile_function *function = &profile->functions[annotate->function];

	sprof_json_member_string(json, "{\"function\":", function->name);
	sprof_json_member_string(json, ",\"linkage\":", function->linkage);
	sprof_json_member_string(json, ",\"module\":",
		function->module == SPROF_PROFILE_NONE
			? NULL
			: sprof_modules_get(profile->modules, function->module)->path);
	sprof_json_member_string(
		json, ",\"weight\":", sprof_profile_weight_name(profile, annotate->weight));
	sprof_json_format(json, ",\"whole\":%" PRIu64 ",\"self\":",
		sprof_metrics_get(&annotate->annotation.whole, annotate->weight));
	add_metrics(annotate, &annotate->annotation.self, json);
	sprof_json_text(json, ",\"total\":");
	add_metrics(annotate, &annotate->annotation.total, json);
}

static void add_calls(const struct sprof_annotate *annotate,
	const struct sprof_annotated_line *line, struct sprof_json *json)
{
	for (size_t i = 0; i < line->call_count; i++) {
		const struct sprof_annotated_call *call =
			&annotate->annotation.calls[line->first_call + i];

		sprof_json_text(json, i ? ",{\"function\":" : "{\"function\":");
		sprof_json_string(json, annotate->profile->functions[call->function].name);
		sprof_json_text(json, ",\"total\":");
		add_metrics(annotate, &call->total, json);
		sprof_json_text(json, "}");
	}
}

static void add_line(const struct sprof_annotate *annotate, const struct sprof_annotated_line *line,
	const struct sprof_source *source, struct sprof_json *json)
{
	const struct sprof_profile_function *function =
		&annotate->profile->functions[line->function];

	sprof_json_member_string(json, "{\"function\":", function->name);
	sprof_json_member_string(json, ",\"file\":", line->file);
	sprof_json_text(json, ",\"line\":");
	if (line->line)
		sprof_json_number(json, line->line);
	else
		sprof_json_text(json, "null");
	sprof_json_member_string(json, ",\"source\":", sprof_source_line(source, line->line));
	sprof_json_text(json, ",\"self\":");
	add_metrics(annotate, &line->self, json);
	sprof_json_text(json, ",\"total\":");
	add_metrics(annotate, &line->total, json);
	sprof_json_text(json, ",\"calls\":[");
	add_calls(annotate, line, json);
	sprof_json_text(json, "]}");
}

static void add_instruction(const struct sprof_annotate *annotate,
	const struct sprof_code_instruction *instruction, struct sprof_json *json)
{
	sprof_json_format(json, "{\"address\":%" PRIu64 ",\"text\":", instruction->address);
	sprof_json_string(json, instruction->text);
	sprof_json_member_string(json, ",\"file\":", instruction->file);
	sprof_json_format(json, ",\"line\":%" PRIu32 ",\"self\":", instruction->line);
	add_metrics(annotate, &instruction->self, json);
	sprof_json_text(json, ",\"total\":");
	add_metrics(annotate, &instruction->total, json);
	sprof_json_text(json, "}");
}

static void add_copy(const struct sprof_annotate *annotate, const struct sprof_code_copy *copy,
	struct sprof_json *json)
{
	sprof_json_member_string(json, "{\"symbol\":", copy->symbol);
	sprof_json_format(json,
		",\"inlined\":%s,\"begin\":%" PRIu64 ",\"end\":%" PRIu64 ",\"instructions\":[",
		copy->inlined ? "true" : "false", copy->begin, copy->end);
	for (size_t i = 0; i < copy->count; i++) {
		sprof_json_text(json, i ? "," : "");
		add_instruction(annotate, &annotate->code.instructions[copy->first + i], json);
	}
	sprof_json_text(json, "]}");
}

static bool add_lines(
	const struct sprof_annotate *annotate, struct sprof_json *json, struct sprof_error *err)
{
	const struct sprof_annotation *annotation = &annotate->annotation;
	const char *file = NULL;
	struct sprof_source source = {0};

	sprof_json_text(json, ",\"lines\":[");
	for (size_t i = 0; i < annotation->line_count; i++) {
		if (annotation->lines[i].file != file) {
			file = annotation->lines[i].file;
			sprof_source_finish(&source);
			if (!annotate->read_source(annotate, &annotation->lines[i], &source, err))
				return false;
		}
		sprof_json_text(json, i ? "," : "");
		add_line(annotate, &annotation->lines[i], &source, json);
	}
	sprof_source_finish(&source);
	sprof_json_text(json, "]");
	return true;
}

static void add_code(const struct sprof_annotate *annotate, struct sprof_json *json)
{
	sprof_json_text(json, ",\"copies\":[");
	for (size_t i = 0; i < annotate->code.copy_count; i++) {
		sprof_json_text(json, i ? "," : "");
		add_copy(annotate, &annotate->code.copies[i], json);
	}
	sprof_json_text(json, "],\"unplaced\":");
	add_metrics(annotate, &annotate->code.unplaced, json);
}

bool sprof_annotate_write_json(const struct sprof_annotate *annotate, struct sprof_error *err)
{
	struct sprof_json json;
	bool ok;

	if (!sprof_json_open(&json, annotate->out, false))
		return sprof_error_no_memory(err);
	add_head(annotate, &json);
	ok = add_lines(annotate, &json, err);
	if (ok && annotate->with_code)
		add_code(annotate, &json);
	sprof_json_text(&json, "}\n");
	sprof_json_close(&json);
	return ok;
}
