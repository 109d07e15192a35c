/*
 * What sprof itself cost, where it is much beside what the program did: then the program ran slower than
 * it does alone. Does not know how much slower.
 */
#include "output/summary.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "output/units.h"

/* Percent of the program's CPU time: from here on sprof says what it took. */
static const double much = 10;

/* Less is the start and the end of any run. */
static const uint64_t least_ns = 50 * SPROF_NS_PER_MS;

/* The CPU time of the program, before a filter. */
static uint64_t cpu_time(const struct sprof_profile *profile)
{
	const struct sprof_times times = sprof_times_wall(&profile->whole.times)
		? profile->whole.times
		: sprof_profile_times(profile);

	return times.ns[SPROF_TIME_USER] + times.ns[SPROF_TIME_SYS];
}

bool sprof_summary_has_cost(const struct sprof_summary *summary)
{
	const struct sprof_quality *quality = &summary->profile->quality;
	const uint64_t own = quality->profiler_cpu_ns, cpu = cpu_time(summary->profile);

	return own + quality->stop_ns_total >= least_ns && cpu &&
		sprof_percent(own + quality->stop_ns_total, cpu) >= much;
}

void sprof_summary_put_cost(struct sprof_summary *summary)
{
	const struct sprof_quality *quality = &summary->profile->quality;
	SPROF_AUTO_FREE char *text = NULL;

	if (!sprof_summary_has_cost(summary))
		return;
	if (asprintf(&text,
		    "sprof used %s of CPU time, the program %s, and stopped it for %s: it runs "
		    "faster without",
		    sprof_figure_time(quality->profiler_cpu_ns).text,
		    sprof_figure_time(cpu_time(summary->profile)).text,
		    sprof_figure_time(quality->stop_ns_total).text) < 0) {
		text = NULL;
		sprof_out_fail(summary->out, ENOMEM);
		return;
	}
	sprof_summary_put_text(summary, "cost", text, 2);
}
