/*
 * The readings of `sprof mem` as comma-separated values, in bytes and seconds. Figures not read
 * this time are empty.
 */
#include <inttypes.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "output/clean.h"
#include "output/mem/report.h"

void sprof_mem_csv_head(struct sprof_out *out)
{
	sprof_out_puts(out, "seconds,pid,comm");
	for (int metric = 0; metric < SPROF_MEMORY_METRICS; metric++)
		sprof_out_printf(out, ",%s", sprof_mem_metric_key(metric));
	sprof_out_puts(out, "\n");
}

/* Next to PSS and USS, the other figures are those that were read with them. */
static uint64_t value_of(const struct sprof_memory_process *process,
	enum sprof_memory_metric metric, uint64_t now_ns)
{
	if (process->whole_ns == now_ns && metric == SPROF_MEMORY_SWAP)
		return process->whole.swap;
	return process->series[metric].last;
}

static void write_row(const struct sprof_memory_process *process, uint64_t begin_ns,
	uint64_t now_ns, struct sprof_out *out)
{
	SPROF_AUTO_FREE char *comm = sprof_clean_text(process->comm, ",;\"'");

	sprof_out_printf(out, "%.6f,%d,%s", (double)(now_ns - begin_ns) / SPROF_NS_PER_S,
		(int)process->pid, comm ? comm : "?");
	for (int metric = 0; metric < SPROF_MEMORY_METRICS; metric++) {
		const struct sprof_series *series = &process->series[metric];

		if (series->count && series->last_ns == now_ns)
			sprof_out_printf(out, ",%" PRIu64,
				value_of(process, (enum sprof_memory_metric)metric, now_ns));
		else
			sprof_out_puts(out, ",");
	}
	sprof_out_puts(out, "\n");
}

void sprof_mem_csv_rows(const struct sprof_memory_watch *watch, uint64_t begin_ns, uint64_t now_ns,
	struct sprof_out *out)
{
	for (size_t i = 0; i < watch->count; i++) {
		if (watch->items[i].series[SPROF_MEMORY_RSS].last_ns == now_ns)
			write_row(&watch->items[i], begin_ns, now_ns, out);
	}
}
