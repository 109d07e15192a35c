/* Adds up delay statistics. delays.h has their sources. */
#include "events/sched/delay-figures.h"

static bool merge(struct sprof_delay_counts *into, const struct sprof_delay_counts *from)
{
	if (!sprof_histogram_merge(&into->seen, &from->seen))
		return false;
	into->over += from->over;
	into->derived_count += from->derived_count;
	into->derived_ns += from->derived_ns;
	return true;
}

bool sprof_delay_set_merge(struct sprof_delay_set *into, const struct sprof_delay_set *from)
{
	for (int kind = 0; kind < SPROF_DELAY_KINDS; kind++) {
		if (!merge(&into->kinds[kind], &from->kinds[kind]))
			return false;
	}
	into->lived_ns += from->lived_ns;
	return true;
}

void sprof_delay_set_reset(struct sprof_delay_set *set)
{
	for (int kind = 0; kind < SPROF_DELAY_KINDS; kind++) {
		struct sprof_delay_counts *figures = &set->kinds[kind];

		sprof_histogram_reset(&figures->seen);
		figures->over = figures->derived_count = figures->derived_ns = 0;
	}
	set->lived_ns = 0;
}

void sprof_delay_set_finish(struct sprof_delay_set *set)
{
	for (int kind = 0; kind < SPROF_DELAY_KINDS; kind++)
		sprof_histogram_finish(&set->kinds[kind].seen);
	*set = (struct sprof_delay_set){0};
}
