/* Orders causes by what they say of the program, not only by their time. */
#include "profile/answer/cause-order.h"

#include <stdlib.h>
#include <string.h>

/* Percent of the time on a CPU and of waits: the least for what computes under such a lock. */
static const double least_computing = 5;

/* Naps of a thread in the background say less than what other threads do. */
static uint64_t tells_of_cause(const struct sprof_cause *cause)
{
	const bool naps =
		cause->wait.kind == SPROF_WAIT_KIND_TIME && 2 * cause->wait.ns > cause->ns;

	return naps ? cause->ns / SPROF_NAPS_COUNT : cause->ns;
}

static int compare_causes(const void *left, const void *right)
{
	const struct sprof_cause *a = left, *b = right;
	const uint64_t first = tells_of_cause(a), second = tells_of_cause(b);
	const bool one = a->weight == SPROF_WEIGHT_RUNQ, other = b->weight == SPROF_WEIGHT_RUNQ;

	/*
	 * What the program does comes first. That it got no CPU is not its doing, and comes last.
	 */
	return one != other ? one - other : (first < second) - (first > second);
}

/*
 * Threads that wait for the interpreter's lock wait for what others compute. The function that
 * computes comes first.
 */
static void put_interpreter_lock_last(
	struct sprof_cause causes[SPROF_CAUSES], const struct sprof_times *busy)
{
	size_t wait = 0, user = 0;
	struct sprof_cause computing;

	for (size_t i = 0; i < SPROF_CAUSES; i++) {
		wait = causes[i].weight == SPROF_WEIGHT_WAIT ? i : wait;
		user = causes[i].weight == SPROF_WEIGHT_USER ? i : user;
	}
	computing = causes[user];
	if (user < wait || !sprof_profile_is_interpreter_lock(causes[wait].wait.object) ||
		sprof_percent(computing.ns, sprof_times_own(busy)) < least_computing)
		return;
	memmove(&causes[wait + 1], &causes[wait], (user - wait) * sizeof(*causes));
	causes[wait] = computing;
}

void sprof_causes_sort(struct sprof_cause causes[SPROF_CAUSES], const struct sprof_times *busy)
{
	qsort(causes, SPROF_CAUSES, sizeof(*causes), compare_causes);
	put_interpreter_lock_last(causes, busy);
}
