/*
 * sprof's own cost, if it was large compared with the program's work, and whether it slowed the
 * program. Does not know by how much.
 */
#include "output/summary/summary.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/strings.h"
#include "output/units.h"
#include "profile/answer/crowd.h"

/* percent of the program's CPU time from which sprof mentions its cost */
static const double much = 10;

/* Percent of the run, or of the program's CPU time: from here on its stops make it slower. */
static const double slows = 2;

/* Less is the start and the end of any run. */
static const uint64_t least_ns = 50 * SPROF_NS_PER_MS;

bool sprof_summary_has_cost(const struct sprof_profile *profile)
{
	const struct sprof_quality *quality = &profile->quality;
	const uint64_t own = quality->profiler_cpu_ns, cpu = sprof_crowd_cpu_ns(profile);

	return own + quality->stop_ns_total >= least_ns && cpu &&
		sprof_percent(own + quality->stop_ns_total, cpu) >= much;
}

/*
 * Threads were stopped for long, or shared their CPUs with sprof. Peeking at sleeping threads does
 * not slow them.
 */
static bool is_slower(const struct sprof_profile *profile)
{
	const struct sprof_quality *quality = &profile->quality;
	const uint64_t cpu = sprof_crowd_cpu_ns(profile);
	struct sprof_crowd crowd;

	if (sprof_percent(quality->stop_ns_total,
		    cpu > quality->duration_ns ? cpu : quality->duration_ns) >= slows)
		return true;
	return sprof_crowd_find(profile, &crowd) &&
		(crowd.is_of_others || crowd.is_of_sprof || crowd.is_of_own);
}

char *sprof_summary_cost(const struct sprof_profile *profile)
{
	const struct sprof_quality *quality = &profile->quality;

	return sprof_string_print("sprof used %s of CPU time, the program %s; stops took %s%s",
		sprof_figure_time(quality->profiler_cpu_ns).text,
		sprof_figure_time(sprof_crowd_cpu_ns(profile)).text,
		sprof_figure_time(quality->stop_ns_total).text,
		is_slower(profile) ? ": the program runs faster without sprof" : "");
}

void sprof_summary_put_cost(struct sprof_summary *summary)
{
	SPROF_AUTO_FREE char *text = NULL;

	if (!sprof_summary_has_cost(summary->profile))
		return;
	text = sprof_summary_cost(summary->profile);
	sprof_summary_put_text(summary, "cost", text, 2);
}
