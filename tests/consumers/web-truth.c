/*
 * What the model says about a profile of web-profiles, as JSON.
 */
#include "tests/consumers/web-profiles.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "output/clean.h"
#include "profile/views/view.h"

static void put_text(FILE *file, const char *text)
{
	SPROF_AUTO_FREE char *clean = web_check(sprof_clean_text(text, NULL));

	fputc('"', file);
	for (const char *at = clean; *at; at++)
		fprintf(file, *at == '"' || *at == '\\' ? "\\%c" : "%c", *at);
	fputc('"', file);
}

static void put_metrics(FILE *file, const char *key, const struct sprof_metrics *metrics)
{
	fprintf(file, "\"%s\":{", key);
	for (int i = 0; i <= SPROF_WEIGHT_FURTHER; i++)
		fprintf(file, "%s\"%s\":%" PRIu64, i ? "," : "",
			sprof_weight_name((enum sprof_weight)i),
			sprof_metrics_get(metrics, (enum sprof_weight)i));
	fputs("}", file);
}

static void put_flat(FILE *file, const struct sprof_profile *profile, uint32_t thread)
{
	const struct sprof_view view = {.weight = SPROF_WEIGHT_WALL, .thread = thread};
	struct sprof_error err;
	struct sprof_flat flat;

	web_must(sprof_flat_build(profile, &view, &flat, &err));
	fprintf(file, "{");
	put_metrics(file, "whole", &flat.sum);
	fputs(",\"functions\":[", file);
	for (size_t i = 0; i < flat.count; i++) {
		const struct sprof_flat_row *row = &flat.rows[i];
		const struct sprof_profile_function *function = &profile->functions[row->function];

		fputs(i ? ",\n{\"name\":" : "{\"name\":", file);
		put_text(file, function->name);
		fputs(",\"module\":", file);
		put_text(file,
			sprof_module_name(sprof_modules_get(profile->modules, function->module)));
		fprintf(file, ",\"threads\":%" PRIu32 ",\"verdict\":\"%s\",", row->threads,
			sprof_verdict_name(sprof_verdict_of(&row->total.times, &row->waiting)));
		put_metrics(file, "self", &row->self);
		fputs(",", file);
		put_metrics(file, "total", &row->total);
		fputs("}", file);
	}
	fputs("]}", file);
	sprof_flat_finish(&flat);
}

static void put_row(
	FILE *file, const struct sprof_profile *profile, const struct sprof_profile_row *row)
{
	const struct sprof_profile_context *context = &profile->contexts[row->context];
	uint32_t path[64];
	size_t depth = 0;

	fprintf(file, "{\"tid\":%d,\"samples\":%" PRIu64 ",", profile->threads[row->thread].tid,
		row->metrics.samples);
	put_metrics(file, "times", &row->metrics);
	fputs(",\"object\":", file);
	put_text(file, context->object ? context->object : "");
	for (uint32_t stack = row->stack; stack != SPROF_PROFILE_ROOT;
		stack = profile->stacks[stack].parent)
		path[depth++] = profile->stacks[stack].location;
	fputs(",\"functions\":[", file);
	while (depth--) {
		const struct sprof_profile_line *line =
			&profile->lines[profile->locations[path[depth]].first_line];

		put_text(file, profile->functions[line->function].name);
		fputs(depth ? "," : "]}", file);
	}
}

/* Every sample: [ns, row]. */
static void put_samples(FILE *file, const struct sprof_profile *profile)
{
	fputs(",\"rows\":[", file);
	for (size_t i = 0; i < profile->row_count; i++) {
		fputs(i ? ",\n" : "", file);
		put_row(file, profile, &profile->rows[i]);
	}
	fputs("],\"samples\":[", file);
	for (size_t i = 0; i < profile->span_count; i++) {
		const struct sprof_profile_span *span = &profile->spans[i];

		for (uint32_t k = 0; k < span->samples; k++)
			fprintf(file, "%s[%" PRIu64 ",%" PRIu32 "]", i || k ? "," : "",
				span->begin_ns + k * MS, span->row);
	}
	fputs("]", file);
}

void web_write_truth(const struct sprof_profile *profile, const char *folder)
{
	SPROF_AUTO_FREE char *path = NULL;
	FILE *file;

	web_must(asprintf(&path, "%s/truth.json", folder) >= 0);
	file = web_check(fopen(path, "w"));
	fputs("{\"all\":", file);
	put_flat(file, profile, SPROF_PROFILE_NONE);
	fputs(",\"threads\":[", file);
	for (size_t i = 0; i < profile->thread_count; i++) {
		fprintf(file, "%s{\"tid\":%d,\"flat\":", i ? ",\n" : "", profile->threads[i].tid);
		put_flat(file, profile, (uint32_t)i);
		fputs("}", file);
	}
	fputs("]", file);
	if (profile->span_count && profile->span_count < 100000)
		put_samples(file, profile);
	fputs("}\n", file);
	web_must(fclose(file) == 0);
}
