/*
 * Compares the time taken with the share once per period. The period is long enough to ignore a
 * burst at the program's start, which costs little in total.
 */
#include "events/functions/overload.h"

#include "base/clock.h"

enum { PERIOD_NS = SPROF_NS_PER_S };

void sprof_overload_init(struct sprof_overload *overload, double share, uint64_t now_ns)
{
	*overload = (struct sprof_overload){
		.share = share,
		.since_ns = now_ns,
		.next_ns = share > 0 ? now_ns + PERIOD_NS : UINT64_MAX,
	};
}

bool sprof_overload_is(struct sprof_overload *overload, uint64_t now_ns, uint64_t taken_ns)
{
	const uint64_t length_ns = now_ns - overload->since_ns;

	if (!(overload->share > 0) || !length_ns)
		return false;
	overload->since_ns = now_ns;
	overload->next_ns = now_ns + PERIOD_NS;
	return (double)taken_ns > overload->share * (double)length_ns;
}
