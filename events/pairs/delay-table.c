/*
 * The table of latencies. A row is identified by its two items and, with keys, its key. Does not
 * handle the order or the names of rows in reports.
 */
#include "events/pairs/delay-table.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/interned.h"

/* The row of the rest is found like that of a key, with another first word. */
enum which { OF_PAIR, OF_KEY, OF_REST };

static struct sprof_hash key_of(const struct sprof_trace_instance *instance, enum which which)
{
	uint64_t pair = (uint64_t)instance->event1.item->index << 32 | instance->event2.item->index;
	struct sprof_hash hash = sprof_hash_start(which);

	sprof_hash_add_pair(&hash, pair, which == OF_KEY ? (uint64_t)instance->event1.key : 0);
	return hash;
}

static bool find_row(struct sprof_delay_table *table, const struct sprof_trace_instance *instance,
	enum which which, struct sprof_delay_row **ret)
{
	struct sprof_interned interned =
		SPROF_INTERNED(&table->index, table->rows, table->count, table->capacity);
	struct sprof_delay_row row = {
		.item1 = instance->event1.item,
		.item2 = instance->event2.item,
		.key = which == OF_KEY ? instance->event1.key : 0,
		.thread = instance->event1.event->thread,
		.has_key = which == OF_KEY,
		.is_rest = which == OF_REST,
	};
	uint32_t index;

	if (!sprof_intern(&interned, key_of(instance, which), &row, &index))
		return false;
	*ret = &table->rows[index];
	return true;
}

/* Whether a key may have a row: it has one, or there is room for one more. */
static bool has_room(
	const struct sprof_delay_table *table, const struct sprof_trace_instance *instance)
{
	size_t max = table->max_rows ? table->max_rows : SPROF_DELAY_ROWS;
	struct sprof_hash key = key_of(instance, OF_KEY);

	return table->count < max ||
		sprof_idmap_find(&table->index, key.high, key.low) != SPROF_IDMAP_NONE;
}

bool sprof_delay_table_add(
	struct sprof_delay_table *table, const struct sprof_trace_instance *instance)
{
	enum which which = OF_PAIR;
	struct sprof_delay_row *row;

	if (table->by_key)
		which = has_room(table, instance) ? OF_KEY : OF_REST;
	if (!find_row(table, instance, which, &row) ||
		!sprof_histogram_add(&row->interval.latencies, instance->latency_ns))
		return false;
	row->interval.over += instance->over;
	row->interval.under += instance->under;
	table->rest += which == OF_REST;
	return true;
}

bool sprof_delay_table_end_interval(struct sprof_delay_table *table)
{
	for (size_t i = 0; i < table->count; i++) {
		struct sprof_delays_part *interval = &table->rows[i].interval;
		struct sprof_delays_part *run = &table->rows[i].run;

		if (!sprof_histogram_merge(&run->latencies, &interval->latencies))
			return false;
		run->over += interval->over;
		run->under += interval->under;
		sprof_histogram_reset(&interval->latencies);
		interval->over = 0;
		interval->under = 0;
	}
	return true;
}

void sprof_delay_table_finish(struct sprof_delay_table *table)
{
	for (size_t i = 0; i < table->count; i++) {
		sprof_histogram_finish(&table->rows[i].interval.latencies);
		sprof_histogram_finish(&table->rows[i].run.latencies);
	}
	free(table->rows);
	sprof_idmap_finish(&table->index);
	*table = (struct sprof_delay_table){.by_key = table->by_key, .max_rows = table->max_rows};
}

struct sprof_delay_figures sprof_delay_figures(const struct sprof_delays_part *part)
{
	const struct sprof_histogram *latencies = &part->latencies;

	return (struct sprof_delay_figures){
		.calls = latencies->count,
		.total = latencies->total,
		.min = latencies->min,
		.p50 = sprof_histogram_quantile(latencies, 0.5),
		.p95 = sprof_histogram_quantile(latencies, 0.95),
		.p99 = sprof_histogram_quantile(latencies, 0.99),
		.max = latencies->max,
		.over = part->over,
		.under = part->under,
	};
}
