/* `sprof calls --json`: one object with a row per function, which contains its callers. */
#include <inttypes.h>

#include "base/clock.h"
#include "output/calls/report.h"
#include "output/json.h"

static void add_figures(const struct sprof_activation_row *row, struct sprof_json *json)
{
	sprof_json_format(json,
		",\"calls\":%" PRIu64 ",\"total_ns\":%" PRIu64 ",\"self_ns\":%" PRIu64,
		sprof_activation_row_calls(row), row->total_ns, row->self_ns);
	for (int column = SPROF_CALLS_MIN; column <= SPROF_CALLS_MAX; column++)
		sprof_json_format(json, ",\"%s_ns\":%.0f", sprof_calls_column_names[column],
			sprof_calls_figure(row, (enum sprof_calls_column)column));
	for (int end = 0; end < SPROF_ACTIVATION_ENDS; end++)
		sprof_json_format(json, ",\"%s\":%" PRIu64,
			sprof_calls_end_name((enum sprof_activation_end)end), row->ends[end]);
	sprof_json_format(json, ",\"nested\":%" PRIu64, row->nested);
}

static void add_caller(const struct sprof_calls_report *report,
	const struct sprof_activation_row *row, struct sprof_json *json)
{
	const bool is_root = row->caller == SPROF_ACTIVATION_ROOT;

	sprof_json_member_string(
		json, "{\"caller\":", is_root ? NULL : sprof_calls_name(report, row->caller));
	add_figures(row, json);
	sprof_json_text(json, "}");
}

static void add_key(const struct sprof_calls_report *report, int64_t key, struct sprof_json *json)
{
	const char *name = sprof_calls_key_thread(report, key);

	sprof_json_format(json, ",\"key\":%" PRId64, key);
	if (!name)
		return;
	sprof_json_member_string(json, ",\"comm\":", name);
}

static void add_thread(const struct sprof_calls_report *report,
	const struct sprof_activation_row *row, struct sprof_json *json)
{
	const struct sprof_profile_thread *thread = sprof_calls_thread(report, row->thread);

	if (report->keys && row->thread < report->key_count)
		add_key(report, report->keys[row->thread], json);
	if (!thread)
		return;
	sprof_json_format(json, ",\"tid\":%d,\"comm\":", (int)thread->tid);
	sprof_json_string(json, thread->name);
}

/* Writes a function and the callers' rows after it; returns their number. */
static size_t add_function(const struct sprof_calls_report *report,
	const struct sprof_activation_row *const *rows, size_t count, struct sprof_json *json)
{
	const struct sprof_activation_row *row = rows[0];
	size_t i;

	sprof_json_member_string(json, "{\"function\":", sprof_calls_name(report, row->function));
	if (report->by_thread)
		add_thread(report, row, json);
	add_figures(row, json);
	if (row->threads && !report->windows && !report->keys)
		sprof_json_format(json, ",\"threads\":%u", row->threads);
	sprof_json_format(json, ",\"deepest\":%u,\"unpaired\":%" PRIu64 ",\"callers\":[",
		row->deepest, row->unpaired);
	for (i = 1; i < count && rows[i]->caller != SPROF_ACTIVATION_ANY; i++) {
		sprof_json_text(json, i > 1 ? "," : "");
		add_caller(report, rows[i], json);
	}
	sprof_json_text(json, "]}");
	return i;
}

static void write_refusals(const struct sprof_calls_report *report, struct sprof_json *json)
{
	bool has_one = false;

	sprof_json_text(json, ",\"refused\":[");
	for (size_t i = 0; report->refusals && i < report->name_count; i++) {
		if (!report->refusals[i])
			continue;
		sprof_json_text(json, has_one ? ",{\"function\":" : "{\"function\":");
		sprof_json_string(json, report->names[i]);
		sprof_json_text(json, ",\"reason\":");
		sprof_json_string(json, report->refusals[i]);
		sprof_json_text(json, "}");
		has_one = true;
	}
	sprof_json_text(json, "]");
}

bool sprof_calls_json(const struct sprof_calls_report *report, struct sprof_out *out)
{
	struct sprof_calls_rows rows;
	struct sprof_json json;

	if (!sprof_calls_rows_init(report, &rows) || !sprof_json_open(&json, out, false)) {
		sprof_calls_rows_finish(&rows);
		return false;
	}
	sprof_json_member_string(&json, "{\"source\":", report->source);
	sprof_json_format(&json,
		",\"time_ns\":%" PRIu64 ",\"duration_ns\":%" PRIu64
		",\"watched\":%zu,\"lost\":%" PRIu64
		",\"unwatched\":%u,\"not_watched\":%u,\"gone\":%" PRIu64,
		sprof_clock_real_ns(), report->end_ns - report->begin_ns, report->name_count,
		report->lost, report->unwatched, report->not_watched, report->gone);
	write_refusals(report, &json);
	sprof_calls_windows_json(report->windows, &json);
	sprof_json_text(&json, ",\"functions\":[");
	for (size_t i = 0; i < rows.count;) {
		sprof_json_text(&json, i ? "," : "");
		i += add_function(report, rows.items + i, rows.count - i, &json);
	}
	sprof_json_text(&json, "]}\n");
	sprof_json_close(&json);
	sprof_calls_rows_finish(&rows);
	return true;
}
