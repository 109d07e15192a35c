/* `sprof heap --exact` as JSON: one object. Times are in ns since the start of the run. */
#include <inttypes.h>

#include "base/clock.h"
#include "base/numbers.h"
#include "output/frames.h"
#include "output/heap/report.h"
#include "output/json.h"

static const char *const figures[SPROF_HEAP_FIGURES] = {
	[SPROF_HEAP_ALLOCATED] = "allocated",
	[SPROF_HEAP_FREED] = "freed",
	[SPROF_HEAP_LIVE] = "in_use",
	[SPROF_HEAP_LEFT] = "left",
	[SPROF_HEAP_REPLACED] = "gone_by_exec",
	[SPROF_HEAP_TEMPORARY] = "temporary",
	[SPROF_HEAP_RELEASED] = "released",
};

static void add_sum(struct sprof_json *json, const char *name, struct sprof_heap_sum sum)
{
	sprof_json_format(json, "\"%s\":{\"bytes\":%" PRIu64 ",\"objects\":%" PRIu64 "},", name,
		sum.bytes, sum.objects);
}

static void add_sums(struct sprof_json *json, const struct sprof_heap_sum sums[SPROF_HEAP_FIGURES])
{
	for (size_t i = 0; i < SPROF_HEAP_FIGURES; i++)
		add_sum(json, figures[i], sums[i]);
	add_sum(json, "not_freed", sprof_heap_unfreed(sums));
}

static void add_resizes(const struct sprof_heap_resizes *resizes, struct sprof_json *json)
{
	sprof_json_format(json,
		",\"resizes\":{\"count\":%" PRIu64 ",\"moved\":%" PRIu64 ",\"grown\":%" PRIu64
		",\"shrunk\":%" PRIu64 ",\"moved_bytes\":%" PRIu64 ",\"longest\":%" PRIu64 "}",
		resizes->count, resizes->moved, resizes->grown, resizes->shrunk,
		resizes->moved_bytes, resizes->longest);
}

static void add_lifetimes(const struct sprof_histogram *lifetimes, struct sprof_json *json)
{
	sprof_json_format(json,
		",\"lifetimes\":{\"count\":%" PRIu64 ",\"p50_ns\":%" PRIu64 ",\"p95_ns\":%" PRIu64
		",\"max_ns\":%" PRIu64 "}",
		lifetimes->count, sprof_histogram_quantile(lifetimes, 0.5),
		sprof_histogram_quantile(lifetimes, 0.95), lifetimes->max);
}

static void add_sizes(const struct sprof_heap_books *books, struct sprof_json *json)
{
	bool first = true;

	sprof_json_text(json, ",\"sizes\":[");
	for (size_t i = 0; i < SPROF_HEAP_SIZES; i++) {
		if (!books->sizes[i].objects)
			continue;
		sprof_json_comma(json, &first);
		sprof_json_format(json,
			"{\"from\":%" PRIu64 ",\"bytes\":%" PRIu64 ",\"objects\":%" PRIu64 "}",
			i ? UINT64_C(1) << (i - 1) : 0, books->sizes[i].bytes,
			books->sizes[i].objects);
	}
	sprof_json_text(json, "]");
}

static void add_counts(const struct sprof_heap_report *report, struct sprof_json *json)
{
	const struct sprof_allocations_counts *counts = report->counts;

	sprof_json_format(json,
		",\"calls\":%" PRIu64 ",\"failed\":%" PRIu64 ",\"null_frees\":%" PRIu64
		",\"unknown_frees\":%" PRIu64 ",\"unknown_resizes\":%" PRIu64
		",\"inherited_frees\":%" PRIu64,
		counts->calls, counts->failed, counts->null_frees, counts->unknown_frees,
		counts->unknown_resizes, counts->inherited_frees);
	sprof_json_format(json,
		",\"given_again\":%" PRIu64 ",\"unpaired_returns\":%" PRIu64
		",\"not_returned\":%" PRIu64 ",\"unread\":%" PRIu64 ",\"lost\":%" PRIu64,
		report->books->replaced, counts->unpaired_returns, counts->left, counts->unread,
		report->lost);
}

static void add_row(const struct sprof_heap_report *report, const struct sprof_heap_row *row,
	struct sprof_json *json)
{
	sprof_json_text(json, "{");
	add_sums(json, row->sums);
	add_sum(json, "peak", row->at_peak);
	if (report->live) {
		add_sum(json, "old", row->old);
		sprof_json_format(json, "\"oldest_ns\":%" PRIu64 ",", row->oldest_ns);
	}
	sprof_json_text(json, "\"frames\":[");
	sprof_frames_json(report->profile, row->stack, json);
	sprof_json_text(json, "]}");
}

static void add_rows(const struct sprof_heap_report *report, struct sprof_json *json)
{
	bool first = true;

	sprof_heap_rows_sort(report->rows, report->kind);
	sprof_json_text(json, ",\"stacks\":[");
	for (size_t i = 0; i < report->rows->count; i++) {
		sprof_json_comma(json, &first);
		add_row(report, &report->rows->items[i], json);
	}
	sprof_json_text(json, "]");
}

bool sprof_heap_report_json(const struct sprof_heap_report *report, struct sprof_out *out)
{
	const struct sprof_heap_books *books = report->books;
	struct sprof_json json;

	if (!sprof_json_open(&json, out, false))
		return false;
	sprof_json_member_string(&json, "{\"command\":", report->profile->command);
	sprof_json_format(&json,
		",\"time_ns\":%" PRIu64
		",\"source\":\"%s\",\"functions\":%zu,\"duration_ns\":%" PRIu64,
		sprof_clock_real_ns(), report->source, report->functions,
		report->end_ns - report->begin_ns);
	add_counts(report, &json);
	sprof_json_text(&json, ",\"totals\":{");
	add_sums(&json, books->totals);
	add_sum(&json, "peak", books->peak);
	sprof_json_format(
		&json, "\"peak_ns\":%" PRIu64 "}", sprof_minus(books->peak_ns, report->begin_ns));
	add_resizes(&books->resizes, &json);
	add_lifetimes(&books->lifetimes, &json);
	add_sizes(books, &json);
	add_rows(report, &json);
	sprof_json_text(&json, "}\n");
	sprof_json_close(&json);
	return true;
}
