/*
 * The page's rows (thread, context, node, figures), and the timeline, whose runs refer to rows.
 * Profile rows with the same path on the page become one row.
 */
#include "output/html/html.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "profile/classify/idle.h"
#include "profile/classify/own-place.h"
#include "profile/model/spans.h"
#include "profile/views/view.h"

enum {
	/* above this number, times are rounded so that most take one letter */
	MANY_SPANS = 200 * 1000,
	SHORTEST = 16, /* then a period is this many units */
	FINE_UNIT_NS = 1000,
};

static int by_place(const void *left, const void *right)
{
	const struct sprof_html_place *a = left, *b = right;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return (a->context > b->context) - (a->context < b->context);
}

enum {
	IDLE_PART = 3, /* waits for work */
	IDLE_BESIDE,   /* added: it waits for something else, and is idle */
	PARTS = 2 * IDLE_BESIDE
};

/* What a row waits for. One call may be a different wait on another stack. */
static unsigned waits_for(const struct sprof_profile *profile, size_t index, bool is_idle)
{
	struct sprof_profile_row row = profile->rows[index];
	struct sprof_waiting waiting = {0};

	row.metrics.times = (struct sprof_times){.ns[SPROF_TIME_SLEEP] = 1};
	sprof_waiting_add(&waiting, profile, &row, is_idle);
	return waiting.io_ns ? 1 : waiting.lock_ns ? 2 : waiting.idle_ns ? IDLE_PART : 0;
}

/* The same, and whether the summary calls the row idle. */
static unsigned part_of(
	const struct sprof_profile *profile, size_t index, bool waits_for_work, bool is_idle)
{
	const unsigned part = waits_for(profile, index, waits_for_work);

	return is_idle && part != IDLE_PART ? IDLE_BESIDE + part : part;
}

static bool sort_places(struct sprof_html *html)
{
	const struct sprof_profile *profile = html->profile;
	SPROF_AUTO_FREE bool *waits = sprof_profile_waits_for_work(profile);
	SPROF_AUTO_FREE bool *idle = sprof_profile_idle_rows(profile);
	const bool ok = waits && idle;

	for (size_t i = 0; ok && i < profile->row_count; i++)
		html->places[i] = (struct sprof_html_place){
			.thread = profile->rows[i].thread,
			.node = html->nodes[profile->rows[i].stack],
			.context = PARTS * profile->rows[i].context +
				part_of(profile, i, waits[i], idle[i]),
			.row = (uint32_t)i,
		};
	qsort(html->places, profile->row_count, sizeof(*html->places), by_place);
	return ok;
}

/* Writes the contexts that rows have, and numbers them. Returns false if out of memory. */
static bool write_contexts(struct sprof_html *html)
{
	const struct sprof_profile *profile = html->profile;
	const size_t most = PARTS * profile->context_count;
	SPROF_AUTO_FREE uint32_t *numbers = calloc(most + 1, sizeof(*numbers));
	uint32_t count = 0;

	if (!numbers)
		return false;
	for (size_t i = 0; i < profile->row_count; i++)
		numbers[html->places[i].context] = 1;
	sprof_out_puts(html->out, ",\n\"contexts\":[");
	for (size_t i = 0; i < most; i++) {
		const struct sprof_profile_context *context = &profile->contexts[i / PARTS];

		if (!numbers[i])
			continue;
		numbers[i] = count;
		sprof_html_number(html, count++, context->state);
		sprof_html_number(html, true, i % PARTS);
		sprof_html_index(html, true, sprof_html_string(html, context->syscall));
		sprof_html_index(html, true, sprof_html_string(html, context->object));
		sprof_html_index(html, true, sprof_html_string(html, context->holder));
	}
	sprof_out_puts(html->out, "]");
	for (size_t i = 0; i < profile->row_count; i++)
		html->places[i].context = numbers[html->places[i].context];
	return true;
}

static void put_row(const struct sprof_html *html, uint32_t distance,
	const struct sprof_html_place *place, const struct sprof_metrics *metrics)
{
	const uint32_t stack = html->profile->rows[place->row].stack;
	const uint32_t own = sprof_own_place_of(html->profile, stack).function;

	sprof_html_packed(html, distance);
	sprof_html_packed(html, place->context);
	sprof_html_packed(html, own == SPROF_PROFILE_NONE ? 0 : own + 1);
	sprof_html_packed(html, metrics->samples);
	for (int i = 0; i < SPROF_WEIGHT_ALL_COLUMNS; i++)
		sprof_html_packed(html, sprof_metrics_get(metrics, sprof_weight_columns[i]));
	if (sprof_weight_is_further(html->weight))
		sprof_html_packed(html, metrics->further);
}

/* Writes the rows of one thread from `next` on. Returns the index after them. */
static size_t write_thread_rows(struct sprof_html *html, size_t next, uint32_t thread)
{
	const struct sprof_profile *profile = html->profile;
	uint32_t before = 0, number = 0;

	for (; next < profile->row_count && html->places[next].thread == thread; number++) {
		const struct sprof_html_place *place = &html->places[next];
		struct sprof_metrics sum = {0};

		for (; next < profile->row_count && by_place(place, &html->places[next]) == 0;
			next++) {
			sprof_metrics_add(&sum, &profile->rows[html->places[next].row].metrics);
			html->rows[html->places[next].row] = number;
		}
		put_row(html, place->node - before, place, &sum);
		before = place->node;
	}
	return next;
}

bool sprof_html_write_rows(struct sprof_html *html)
{
	size_t next = 0;

	if (!sort_places(html) || !write_contexts(html))
		return false;
	sprof_out_puts(html->out, ",\n\"rows\":[");
	for (uint32_t i = 0; i < html->profile->thread_count; i++) {
		sprof_out_puts(html->out, i ? ",\n\"" : "\"");
		next = write_thread_rows(html, next, i);
		sprof_out_puts(html->out, "\"");
	}
	sprof_out_puts(html->out, "]");
	return true;
}

static void put_run(const struct sprof_html *html, uint64_t length, uint32_t row, uint32_t samples)
{
	sprof_html_packed(html, length);
	sprof_html_packed(html, row);
	sprof_html_packed(html, samples);
}

/* Points in time are rounded, not durations, so errors don't add up. */
static void write_thread_runs(const struct sprof_html *html, const struct sprof_spans *spans,
	uint32_t thread, uint64_t unit)
{
	uint64_t at = 0;

	for (size_t i = spans->first[thread]; i < spans->first[thread + 1]; i++) {
		struct sprof_span span = sprof_spans_get(spans, i);
		uint64_t begin = (span.begin_ns + unit / 2) / unit;
		uint64_t end = (span.end_ns + unit / 2) / unit;

		if (begin > at)
			put_run(html, begin - at, 0, 0);
		at = begin > at ? begin : at;
		end = end > at ? end : at;
		put_run(html, end - at, html->rows[span.row] + 1, span.samples);
		at = end;
	}
}

static uint64_t unit_of(const struct sprof_spans *spans)
{
	uint64_t coarse = spans->period_ns / SHORTEST;

	return spans->profile->span_count >= MANY_SPANS && coarse > FINE_UNIT_NS ? coarse
										 : FINE_UNIT_NS;
}

bool sprof_html_write_timeline(struct sprof_html *html)
{
	struct sprof_spans spans;
	uint64_t unit;

	if (!html->profile->span_count)
		return true;
	if (!sprof_spans_build(html->profile, &spans))
		return false;
	unit = unit_of(&spans);
	sprof_out_puts(html->out, ",\n\"timeline\":{\"unit\":");
	sprof_html_number(html, false, unit);
	if (html->profile->spans_cut_ns > html->profile->start_ns) {
		sprof_out_puts(html->out, ",\"cut\":");
		sprof_html_number(
			html, false, html->profile->spans_cut_ns - html->profile->start_ns);
	}
	sprof_out_puts(html->out, ",\"threads\":[");
	for (uint32_t i = 0; i < html->profile->thread_count; i++) {
		sprof_out_puts(html->out, i ? ",\n\"" : "\"");
		write_thread_runs(html, &spans, i, unit);
		sprof_out_puts(html->out, "\"");
	}
	sprof_out_puts(html->out, "]}");
	sprof_spans_finish(&spans);
	return true;
}
