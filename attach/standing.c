/*
 * A stop begins before sprof sees it, and sprof may wait for a CPU meanwhile. So a stop is measured
 * as what is left of the time since the thread continued from the last stop: less its CPU time and
 * its run-queue time, unless it may have slept. Does not handle stops for samples:
 * sampler/stop/standstill.c measures those.
 */
#include "attach/standing.h"

#include "base/numbers.h"

void sprof_standing_add(struct sprof_standing *standing, uint64_t now_ns,
	const struct sprof_proc_schedstat *figures, bool may_have_slept)
{
	const struct sprof_proc_schedstat *last = &standing->figures;
	const uint64_t ran = figures->cpu_ns - last->cpu_ns,
		       queued = figures->runq_ns - last->runq_ns;

	if (standing->resumed_ns && !may_have_slept)
		standing->ns += sprof_minus(now_ns - standing->resumed_ns, ran + queued);
	standing->resumed_ns = now_ns;
	standing->figures = *figures;
}
