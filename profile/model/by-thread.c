/* Groups rows by thread with a counting sort. */
#include "profile/model/by-thread.h"

#include <stdlib.h>

bool sprof_by_thread_build(const struct sprof_profile *profile, struct sprof_by_thread *ret)
{
	size_t threads = profile->thread_count;
	struct sprof_by_thread order = {
		.rows = calloc(profile->row_count + 1, sizeof(*order.rows)),
		.first = calloc(threads + 2, sizeof(*order.first)),
	};

	if (!order.rows || !order.first) {
		sprof_by_thread_finish(&order);
		return false;
	}
	/* first[i + 1] is where thread i's next row goes; at the end, where thread i + 1 begins. */
	for (size_t i = 0; i < profile->row_count; i++) {
		if (profile->rows[i].thread + 2 <= threads)
			order.first[profile->rows[i].thread + 2]++;
	}
	for (size_t i = 2; i <= threads; i++)
		order.first[i] += order.first[i - 1];
	for (size_t i = 0; i < profile->row_count; i++)
		order.rows[order.first[profile->rows[i].thread + 1]++] = (uint32_t)i;
	*ret = order;
	return true;
}

void sprof_by_thread_finish(struct sprof_by_thread *order)
{
	free(order->rows);
	free(order->first);
	*order = (struct sprof_by_thread){0};
}
