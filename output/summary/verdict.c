/*
 * The verdict's sentences, which the screen, the page and JSON share. Does not handle the room of a
 * screen.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "output/summary/summary.h"
#include "output/units.h"

enum {
	FEW_SAMPLES = 5,    /* too few for any table */
	LEAST_OF_SOME = 20, /* with fewer samples, time without samples is not mentioned */
	MOSTLY_IDLE = 90,   /* percent */
	PROGRAMS = 5
};

/* A merged profile has no quality. */
static uint64_t count_samples(const struct sprof_profile *profile)
{
	uint64_t samples = sprof_quality_samples(&profile->quality);

	for (size_t i = 0; !profile->quality.duration_ns && i < profile->row_count; i++)
		samples += profile->rows[i].metrics.samples;
	return samples;
}

bool sprof_summary_knows_nothing(const struct sprof_summary *summary)
{
	const uint64_t samples = count_samples(summary->profile);
	const struct sprof_answer *answer = &summary->answer;
	const uint64_t others_ns = sprof_times_wall(&answer->busy) + answer->unsampled_ns;

	/* How long a thread has slept is known exactly; one sample says where. */
	if (samples && sprof_percent(answer->idle_ns, answer->idle_ns + others_ns) > MOSTLY_IDLE)
		return false;
	return samples < FEW_SAMPLES ||
		(samples < LEAST_OF_SOME && answer->unsampled_ns > sprof_times_wall(&answer->busy));
}

/* A rate that would give a run this short enough samples; 0: none does. */
static unsigned better_rate(const struct sprof_quality *quality)
{
	static const unsigned rates[] = {999, 9999};

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		if (quality->rate_hz < rates[i] &&
			(rates[i] + 1) * quality->duration_ns >=
				LEAST_OF_SOME * (uint64_t)SPROF_NS_PER_S)
			return rates[i];
	}
	return 0;
}

char *sprof_summary_too_short(const struct sprof_profile *profile)
{
	const struct sprof_quality *quality = &profile->quality;
	const uint64_t samples = count_samples(profile);
	const unsigned rate = better_rate(quality);
	char duration[48] = "", words[32] = "", *text;

	if (quality->duration_ns)
		snprintf(duration, sizeof(duration), " in %s",
			sprof_figure_time(quality->duration_ns).text);
	if (rate)
		snprintf(words, sizeof(words), "--rate %u, ", rate);
	if (asprintf(&text,
		    "%" PRIu64 " sample%s%s show%s nothing; try %sa larger input, or many runs in "
		    "a loop",
		    samples, samples == 1 ? "" : "s", duration, samples == 1 ? "s" : "", words) < 0)
		return NULL;
	return text;
}

/* Frees the sentence, which is NULL if there was no memory for it. */
static bool put(const struct sprof_summary_sentences *to, char *sentence, struct sprof_error *err)
{
	if (!sentence)
		return sprof_error_no_memory(err);
	if (sentence[0])
		to->put(to->data, sentence);
	free(sentence);
	return true;
}

bool sprof_summary_verdict(const struct sprof_summary *summary, size_t room,
	const struct sprof_summary_sentences *to, struct sprof_error *err)
{
	const struct sprof_answer *answer = &summary->answer;

	if (sprof_summary_knows_nothing(summary))
		return put(to, sprof_summary_too_short(summary->profile), err);
	if (!answer->mattering)
		return put(to, sprof_summary_idle(summary, err), err);
	for (size_t i = 0; i < answer->mattering && i < PROGRAMS; i++) {
		if (!put(to,
			    sprof_summary_sentence(summary->profile, &answer->programs[i], 2, room),
			    err))
			return false;
	}
	return put(to, sprof_summary_queue(summary->profile, answer), err);
}
