/*
 * Finds out what the kernel permits for --waits=exact, and explains refusals. Does not handle
 * refusals for single threads: the sampler counts them.
 */
#include "cmd/record/exact-waits.h"

#include "cmd/cli/perf-denied.h"
#include "cmd/ui.h"
#include "events/sched/switch-log.h"

enum { WORDS_SIZE = 256 };

/* Sets the setting to change as hint, if there is one. */
static void set_remedy(const struct sprof_perf_denial *denial, struct sprof_error *err)
{
	if (denial->reason == SPROF_PERF_PARANOID)
		sprof_error_hint(err,
			"sysctl kernel.perf_event_paranoid=2 permits lengths, 1 or CAP_PERFMON "
			"stacks too; without =exact, ticks sample waits");
	else if (denial->reason == SPROF_PERF_SECCOMP)
		sprof_error_hint(err,
			"let the container's seccomp profile allow perf_event_open; without "
			"=exact, ticks sample waits");
	else
		sprof_error_hint(err, "without =exact, ticks sample waits");
}

static void say_without_stacks(const struct sprof_perf_denial *denial)
{
	char words[WORDS_SIZE];

	sprof_perf_denied_words(denial, words, sizeof(words));
	sprof_ui_note(
		"no stacks of exact waits: %s; lengths are recorded, and ticks show where threads "
		"wait (sysctl kernel.perf_event_paranoid=1, or CAP_PERFMON, permits stacks)",
		words);
}

bool sprof_exact_waits_choose(bool wanted, enum sprof_exact_waits *ret, struct sprof_error *err)
{
	const struct sprof_switch_log_plan places = {.places = true}, times = {.places = false};
	struct sprof_perf_denial no_places, no_times;

	*ret = SPROF_EXACT_NOT;
	if (!wanted)
		return true;
	if (sprof_switch_log_is_permitted(&places, &no_places)) {
		*ret = SPROF_EXACT_STACKS;
		return true;
	}
	if (sprof_switch_log_is_permitted(&times, &no_times)) {
		say_without_stacks(&no_places);
		*ret = SPROF_EXACT_TIMES;
		return true;
	}
	if (!sprof_perf_denied(&no_times, "exact waits", err))
		set_remedy(&no_times, err);
	return false;
}
