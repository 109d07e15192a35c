/*
 * The sentence about waiting for a CPU. It is not part of a program's sentence, because the program
 * does not cause a busy machine.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strings.h"
#include "output/summary/summary.h"
#include "profile/answer/crowd.h"

/* least percentage of the busy time that is worth a sentence */
static const double least = 15;

/* Writes which programs used the CPUs, and what would make the program faster. */
static void put_crowd(FILE *stream, const struct sprof_profile *profile)
{
	struct sprof_crowd crowd;

	if (!sprof_crowd_find(profile, &crowd))
		crowd = (struct sprof_crowd){0};
	if (crowd.is_of_others)
		fprintf(stream, ", other programs used %.1f of %.0f CPUs: on a free machine",
			crowd.others, crowd.cpus);
	else if (crowd.is_of_sprof)
		fprintf(stream, ", sprof itself used %.1f of %.0f CPUs: without it", crowd.sprof,
			crowd.cpus);
	else if (crowd.is_of_own)
		fprintf(stream, ", %s used %.1f of %.0f CPUs: with more CPUs",
			profile->process_count > 1 ? "the profiled processes" : "its own threads",
			crowd.own, crowd.cpus);
	else
		fputs(": with a CPU at once", stream);
}

char *sprof_summary_queue(const struct sprof_profile *profile, const struct sprof_answer *answer)
{
	const uint64_t busy = sprof_times_wall(&answer->busy);
	const uint64_t runq = answer->busy.ns[SPROF_TIME_RUNQ];
	const double percent = sprof_percent(runq, busy);
	char *text = NULL;
	size_t size;
	FILE *stream;

	if (percent < least)
		return strdup("");
	stream = open_memstream(&text, &size);
	if (!stream)
		return NULL;
	fprintf(stream, "%.0f %% ready but without a CPU", percent);
	if (runq < busy) {
		put_crowd(stream, profile);
		fprintf(stream, " it is up to %.1f times as fast",
			(double)busy / (double)(busy - runq));
	}
	return sprof_string_close(stream, &text, true);
}
