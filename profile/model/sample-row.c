/*
 * The row of a sample: its stack with kernel frames, and its context as the sampler's ids. Counts
 * nothing.
 */
#include <stdio.h>

#include "profile/model/index.h"
#include "profile/model/labels.h"

/* The labels that the user has requested. */
static bool label(
	struct sprof_profile *profile, const struct sprof_sample *sample, const char **ret)
{
	struct sprof_labels labels = {0};
	char cpu[16];
	bool ok = true;

	if (!sample->goroutine && !sample->cpu)
		return true;
	if (sample->goroutine)
		ok = sprof_labels_add_number(&labels, "goroutine", (int64_t)sample->goroutine, "");
	/* A text: in a saved profile, a number of 0 is none. */
	snprintf(cpu, sizeof(cpu), "%u", sample->cpu - 1);
	if (ok && sample->cpu)
		ok = sprof_labels_add_text(&labels, "cpu", cpu);
	if (ok)
		*ret = sprof_strtab_intern(profile->index->strings, labels.text);
	sprof_labels_finish(&labels);
	return ok && *ret;
}

bool sprof_profile_find_row(struct sprof_profile *profile, const struct sprof_sample *sample,
	uint32_t thread, uint32_t *ret_row)
{
	const struct sprof_holder *holder = sample->holder;
	struct sprof_raw_context context = {
		.state = sample->state,
		.wait = sample->wait,
		.holding_thread = SPROF_PROFILE_NONE,
		.holding_stack = holder ? holder->stack : SPROF_PROFILE_NONE,
	};
	uint32_t stack;

	if (!label(profile, sample, &context.labels))
		return false;
	if (holder && !sprof_profile_find_thread(profile, holder->thread, &context.holding_thread))
		return false;
	return sprof_profile_enter_kernel(profile, sample->stack, sample->wait, &stack) &&
		sprof_profile_sample_row(profile, thread, stack, &context, ret_row);
}
