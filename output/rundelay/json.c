/*
 * A report on run-queue delays as one line of JSON. Unknown values are null.
 * events/sched/rundelay-rows.c chooses the rows.
 */
#include "output/rundelay/table.h"

#include <inttypes.h>

#include "base/clock.h"
#include "output/json.h"

static void write_singles(const struct sprof_rundelay_row *row, struct sprof_json *json)
{
	const struct sprof_histogram *seen = &row->figures->seen;

	sprof_json_format(json,
		",\"min_ns\":%" PRIu64 ",\"p50_ns\":%" PRIu64 ",\"p95_ns\":%" PRIu64
		",\"p99_ns\":%" PRIu64 ",\"max_ns\":%" PRIu64,
		seen->min, sprof_histogram_quantile(seen, 0.5),
		sprof_histogram_quantile(seen, 0.95), sprof_histogram_quantile(seen, 0.99),
		seen->max);
}

static void write_row(const struct sprof_rundelay_view *view, const struct sprof_rundelay_row *row,
	struct sprof_json *json)
{
	const bool derived = sprof_rundelay_row_is_derived(row);

	sprof_json_text(json, "{");
	if (row->thread) {
		sprof_json_format(json, "\"tid\":%d,\"comm\":", (int)row->thread->tid);
		sprof_json_name(json, row->thread->name);
		sprof_json_text(json, ",");
	}
	sprof_json_format(json,
		"\"start\":\"%s\",\"end\":\"running\",\"calls\":%" PRIu64 ",\"total_ns\":%" PRIu64
		",\"derived\":%s",
		sprof_rundelay_row_start(row), sprof_rundelay_row_count(row),
		sprof_rundelay_row_total_ns(row), derived ? "true" : "false");
	if (derived || !row->figures->seen.count)
		sprof_json_format(json,
			",\"min_ns\":null,\"p50_ns\":null,\"p95_ns\":null,\"p99_ns\":null,"
			"\"max_ns\":null");
	else
		write_singles(row, json);
	if (view->than_ns && derived)
		sprof_json_format(json, ",\"over\":null");
	else if (view->than_ns)
		sprof_json_format(json, ",\"over\":%" PRIu64, row->figures->over);
	if (sprof_rundelay_row_is_short(row))
		sprof_json_text(json, ",\"is_short\":true");
	sprof_json_text(json, "}");
}

bool sprof_rundelay_json(const struct sprof_rundelay_view *view,
	const struct sprof_rundelay_rows *rows, struct sprof_out *out)
{
	const struct sprof_delays *delays = &view->rundelay->delays;
	struct sprof_json json;
	uint64_t waited_ns;

	if (!sprof_json_open(&json, out, false))
		return false;
	sprof_json_format(&json,
		"{\"time_ns\":%" PRIu64
		",\"table\":\"%s\",\"source\":\"%s\",\"duration_ns\":%" PRIu64
		",\"lived_ns\":%" PRIu64 ",\"lost\":%" PRIu64 ",\"dropped\":%" PRIu64
		",\"unread\":%" PRIu64 ",\"unread_ns\":%" PRIu64 ",\"unseen\":%" PRIu64,
		sprof_clock_real_ns(), view->total ? "total" : "interval",
		sprof_rundelay_source_name(view->rundelay->source), view->duration_ns,
		rows->sum.lived_ns, delays->lost, delays->dropped, delays->unread,
		delays->unread_ns, delays->unseen);
	if (view->rundelay->source == SPROF_RUNDELAY_SCHEDSTAT)
		sprof_json_text(&json, ",\"children\":null");
	else
		sprof_json_format(&json, ",\"children\":%zu", delays->children.count);
	if (view->than_ns)
		sprof_json_format(&json, ",\"than_ns\":%" PRIu64, view->than_ns);
	if (sprof_rundelay_waiter(view, &waited_ns))
		sprof_json_format(&json, ",\"still_waits_ns\":%" PRIu64, waited_ns);
	sprof_json_format(&json, ",\"rows\":[");
	for (size_t i = 0; i < rows->count; i++) {
		sprof_json_text(&json, i ? "," : "");
		write_row(view, &rows->items[i], &json);
	}
	sprof_json_text(&json, "]}\n");
	sprof_json_close(&json);
	return true;
}
