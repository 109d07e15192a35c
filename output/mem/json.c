/*
 * `sprof mem` as JSON: one object.
 */
#include <errno.h>
#include <inttypes.h>

#include "memory/files.h"
#include "output/json.h"
#include "output/mem/report.h"

static void add_series(const struct sprof_mem_report *report, const struct sprof_series *series,
	struct sprof_json *json)
{
	double growth;

	sprof_json_format(json,
		"{\"last\":%" PRIu64 ",\"min\":%" PRIu64 ",\"mean\":%.0f,\"max\":%" PRIu64
		",\"max_ns\":%" PRIu64 ",\"readings\":%" PRIu64 ",\"growth_per_second\":",
		series->last, series->min, sprof_series_mean(series), series->max,
		series->max_ns - report->begin_ns, series->count);
	if (sprof_series_growth(series, &growth))
		sprof_json_format(json, "%.1f", growth);
	else
		sprof_json_text(json, "null");
	sprof_json_format(json, ",\"step_ns\":%" PRIu64 ",\"course\":[", series->step_ns);
	for (size_t i = 0; i < series->steps; i++)
		sprof_json_format(json, "%s%" PRIu64, i ? "," : "", series->course[i]);
	sprof_json_text(json, "]}");
}

static void add_metrics(const struct sprof_mem_report *report, const struct sprof_series *series,
	struct sprof_json *json)
{
	for (int metric = 0; metric < SPROF_MEMORY_METRICS; metric++) {
		if (!series[metric].count)
			continue;
		sprof_json_format(json, ",\"%s\":", sprof_mem_metric_key(metric));
		add_series(report, &series[metric], json);
	}
}

static void add_file(const struct sprof_memory_file *file, struct sprof_json *json)
{
	sprof_json_member_string(json, "{\"name\":", file->name);
	sprof_json_format(json,
		",\"rss\":%" PRIu64 ",\"pss\":%" PRIu64 ",\"uss\":%" PRIu64 ",\"swap\":%" PRIu64
		"}",
		file->figures.rss, file->figures.pss, file->figures.uss, file->figures.swap);
}

static void add_moment(const struct sprof_mem_report *report,
	const struct sprof_memory_process *process, enum sprof_memory_moment moment,
	struct sprof_json *json)
{
	static const char *const names[] = {
		[SPROF_MEMORY_START] = "start",
		[SPROF_MEMORY_PEAK] = "peak",
		[SPROF_MEMORY_END] = "end",
	};
	struct sprof_memory_files files = {0};

	if (!process->mappings[moment])
		return;
	if (!sprof_memory_files_add(&files, process->mappings[moment]))
		sprof_out_fail(json->out, ENOMEM);
	sprof_json_format(json, ",\"mapped_at_%s\":{\"time_ns\":%" PRIu64 ",\"files\":[",
		names[moment], process->mappings_ns[moment] - report->begin_ns);
	for (size_t i = 0; i < files.count; i++) {
		sprof_json_text(json, i ? "," : "");
		add_file(&files.items[i], json);
	}
	sprof_json_text(json, "]}");
	sprof_memory_files_finish(&files);
}

static void add_process(const struct sprof_mem_report *report,
	const struct sprof_memory_process *process, struct sprof_json *json)
{
	sprof_json_format(json, "{\"pid\":%d,\"comm\":", (int)process->pid);
	sprof_json_string(json, process->comm);
	sprof_json_format(json, ",\"ended\":%s,\"kernels_peak\":%" PRIu64,
		process->has_ended ? "true" : "false", process->kernels_peak);
	if (process->whole_ns)
		sprof_json_format(json,
			",\"last\":{\"time_ns\":%" PRIu64 ",\"uss\":%" PRIu64 ",\"pss\":%" PRIu64
			",\"rss\":%" PRIu64 ",\"swap\":%" PRIu64 "}",
			process->whole_ns - report->begin_ns, process->whole.uss,
			process->whole.pss, process->whole.rss, process->whole.swap);
	add_metrics(report, process->series, json);
	for (int moment = 0; moment < SPROF_MEMORY_MOMENTS; moment++)
		add_moment(report, process, moment, json);
	sprof_json_text(json, "}");
}

void sprof_mem_report_json(const struct sprof_mem_report *report, struct sprof_out *out)
{
	const struct sprof_memory_watch *watch = report->watch;
	struct sprof_json json;

	if (!sprof_json_open(&json, out, false)) {
		sprof_out_fail(out, ENOMEM);
		return;
	}
	sprof_json_format(&json, "{\"duration_ns\":%" PRIu64 ",\"period_ns\":%" PRIu64,
		report->end_ns - report->begin_ns, report->period_ns);
	sprof_json_text(&json, ",\"total\":{\"processes\":");
	sprof_json_number(&json, watch->count);
	add_metrics(report, watch->totals, &json);
	sprof_json_text(&json, "},\"processes\":[");
	for (size_t i = 0; i < watch->count; i++) {
		sprof_json_text(&json, i ? "," : "");
		add_process(report, &watch->items[i], &json);
	}
	sprof_json_text(&json, "]}\n");
	sprof_json_close(&json);
}
