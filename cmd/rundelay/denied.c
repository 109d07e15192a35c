/* Messages about refused perf sources. The caller says what happens instead. */
#include "cmd/rundelay/denied.h"

#include <string.h>

#include "cmd/cli/perf-denied.h"
#include "cmd/ui.h"

enum { WORDS_SIZE = 256 };

bool sprof_rundelay_explain(const struct sprof_rundelay *rundelay, struct sprof_error *err)
{
	char words[WORDS_SIZE];

	sprof_perf_denied_words(&rundelay->no_switches, words, sizeof(words));
	sprof_error_set(
		err, SPROF_ERROR_PERMISSION, "switch records of %d: %s", (int)rundelay->pid, words);
	if (rundelay->no_switches.reason == SPROF_PERF_PARANOID)
		sprof_error_hint(err,
			"as root it works, and for your own processes with "
			"sysctl kernel.perf_event_paranoid=2; --source proc needs neither");
	else
		sprof_error_hint(err, "--source proc works without");
	return false;
}

void sprof_rundelay_tell_denied(const struct sprof_rundelay *rundelay)
{
	char words[WORDS_SIZE];

	switch (rundelay->source) {
	case SPROF_RUNDELAY_TRACEPOINTS:
		if (rundelay->has_both)
			return;
		sprof_perf_denied_words(&rundelay->no_switches, words, sizeof(words));
		sprof_ui_note(
			"no switch records beside the tracepoints: %s; a few delays may be missed",
			words);
		return;
	case SPROF_RUNDELAY_SWITCHES:
		if (rundelay->no_tracepoints.reason == SPROF_PERF_PARANOID)
			strcpy(words, "they take root or CAP_PERFMON");
		else
			sprof_perf_denied_words(&rundelay->no_tracepoints, words, sizeof(words));
		sprof_ui_progress(
			"no tracepoints: %s; single delays after a wake-up are not seen", words);
		return;
	case SPROF_RUNDELAY_SCHEDSTAT:
		break;
	}
	if (rundelay->no_switches.reason == SPROF_PERF_PERMITTED)
		return;
	sprof_perf_denied_words(&rundelay->no_switches, words, sizeof(words));
	sprof_ui_note(
		"no switch records: %s; schedstat gives only the number and the sum of delays",
		words);
}
