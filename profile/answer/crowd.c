/*
 * The machine's CPU time minus that of the target and of sprof. Does not know CPU limits of a
 * container: if CPUs were free, no cause is given.
 */
#include "profile/answer/crowd.h"

#include "base/clock.h"
#include "profile/model/weight.h"

/* The machine's figure has steps of some 10 ms for each CPU. */
enum { LEAST_NS = 200 * SPROF_NS_PER_MS };

/* Parts of all CPUs: the least use by others, or by sprof, that counts; the least that is busy. */
static const double least_others = 0.25, least_sprof = 0.1, nearly_all = 0.7;

uint64_t sprof_crowd_cpu_ns(const struct sprof_profile *profile)
{
	const struct sprof_times times = sprof_times_wall(&profile->whole.times)
		? profile->whole.times
		: sprof_profile_sum(profile).times;

	return times.ns[SPROF_TIME_USER] + times.ns[SPROF_TIME_SYS];
}

bool sprof_crowd_find(const struct sprof_profile *profile, struct sprof_crowd *ret)
{
	const struct sprof_quality *quality = &profile->quality;
	const double duration = (double)quality->duration_ns;
	double own, others;

	if (!quality->cpus || quality->duration_ns < LEAST_NS)
		return false;
	own = (double)sprof_crowd_cpu_ns(profile);
	others = (double)quality->machine_cpu_ns - own - (double)quality->profiler_cpu_ns;
	*ret = (struct sprof_crowd){.cpus = (double)quality->cpus,
		.own = own / duration,
		.sprof = (double)quality->profiler_cpu_ns / duration,
		.others = others > 0 ? others / duration : 0};
	ret->is_of_others = ret->others >= least_others * ret->cpus &&
		(double)quality->machine_cpu_ns >= nearly_all * ret->cpus * duration;
	ret->is_of_sprof = !ret->is_of_others && ret->sprof >= least_sprof * ret->cpus &&
		(double)quality->machine_cpu_ns >= nearly_all * ret->cpus * duration;
	ret->is_of_own =
		!ret->is_of_others && !ret->is_of_sprof && ret->own >= nearly_all * ret->cpus;
	return true;
}
