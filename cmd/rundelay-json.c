/*
 * A report on run-queue delays as one line of JSON. Unknown values are null. rundelay-rows.c
 * chooses the rows.
 */
#include "cmd/rundelay-table.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "output/clean.h"

/* The cleaned name has no control characters. */
static void print_text(const char *text)
{
	char clean[3 * SPROF_SCHED_NAME_SIZE + 4];

	sprof_clean_copy(text, clean, sizeof(clean));
	putchar('"');
	for (const char *at = clean; *at; at++) {
		if (*at == '"' || *at == '\\')
			putchar('\\');
		putchar(*at);
	}
	putchar('"');
}

static void print_singles(const struct sprof_rundelay_row *row)
{
	const struct sprof_histogram *seen = &row->figures->seen;

	printf(",\"min_ns\":%" PRIu64 ",\"p50_ns\":%" PRIu64 ",\"p95_ns\":%" PRIu64
	       ",\"p99_ns\":%" PRIu64 ",\"max_ns\":%" PRIu64,
		seen->min, sprof_histogram_quantile(seen, 0.5),
		sprof_histogram_quantile(seen, 0.95), sprof_histogram_quantile(seen, 0.99),
		seen->max);
}

static void print_row(const struct sprof_rundelay_view *view, const struct sprof_rundelay_row *row)
{
	const bool derived = sprof_rundelay_row_is_derived(row);

	printf("{");
	if (row->thread) {
		printf("\"tid\":%d,\"comm\":", (int)row->thread->tid);
		print_text(row->thread->name);
		printf(",");
	}
	printf("\"start\":\"%s\",\"end\":\"running\",\"calls\":%" PRIu64 ",\"total_ns\":%" PRIu64
	       ",\"derived\":%s",
		sprof_rundelay_row_start(row), sprof_rundelay_row_count(row),
		sprof_rundelay_row_total_ns(row), derived ? "true" : "false");
	if (derived || !row->figures->seen.count)
		printf(",\"min_ns\":null,\"p50_ns\":null,\"p95_ns\":null,\"p99_ns\":null,"
		       "\"max_ns\":null");
	else
		print_singles(row);
	if (view->than_ns && derived)
		printf(",\"over\":null");
	else if (view->than_ns)
		printf(",\"over\":%" PRIu64, row->figures->over);
	printf("}");
}

void sprof_rundelay_print_json(
	const struct sprof_rundelay_view *view, const struct sprof_rundelay_rows *rows)
{
	const struct sprof_delays *delays = &view->rundelay->delays;
	struct timespec now;
	uint64_t waited_ns;

	clock_gettime(CLOCK_REALTIME, &now);
	printf("{\"time_ns\":%" PRIu64
	       ",\"table\":\"%s\",\"source\":\"%s\",\"duration_ns\":%" PRIu64
	       ",\"lived_ns\":%" PRIu64 ",\"lost\":%" PRIu64 ",\"dropped\":%" PRIu64
	       ",\"unread\":%" PRIu64 ",\"unseen\":%" PRIu64,
		(uint64_t)now.tv_sec * SPROF_NS_PER_S + (uint64_t)now.tv_nsec,
		view->total ? "total" : "interval",
		sprof_rundelay_source_name(view->rundelay->source), view->duration_ns,
		rows->sum.lived_ns, delays->lost, delays->dropped, delays->unread, delays->unseen);
	if (view->than_ns)
		printf(",\"than_ns\":%" PRIu64, view->than_ns);
	if (sprof_rundelay_waiter(view, &waited_ns))
		printf(",\"still_waits_ns\":%" PRIu64, waited_ns);
	printf(",\"rows\":[");
	for (size_t i = 0; i < rows->count; i++) {
		printf(i ? "," : "");
		print_row(view, &rows->items[i]);
	}
	printf("]}\n");
}
