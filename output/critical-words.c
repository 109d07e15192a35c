/* Sentences without full stop, for the summary. */
#include "output/critical-words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "output/fit.h"
#include "output/units.h"

char *sprof_critical_subject_words(const struct sprof_profile *profile,
	const struct sprof_critical_subject *subject, size_t room)
{
	SPROF_AUTO_FREE char *name = NULL, *caller = NULL;

	if (!subject->thread)
		return strdup("waiting for a CPU");
	if (subject->is_stop)
		return sprof_string_print("sprof's stops of %s", subject->thread);
	if (subject->function == SPROF_PROFILE_NONE)
		return sprof_string_print("%s in %s", SPROF_PROFILE_UNSAMPLED, subject->thread);
	name = sprof_fit_function(profile->functions[subject->function].name, true, room);
	if (subject->caller == SPROF_PROFILE_NONE)
		return name ? sprof_string_print("%s in %s", name, subject->thread) : NULL;
	caller = sprof_fit_function(profile->functions[subject->caller].name, true, room);
	return name && caller ? sprof_string_print("%s > %s in %s", caller, name, subject->thread)
			      : NULL;
}

const char *sprof_critical_waker_words(enum sprof_waker waker, const char *by)
{
	static const char *const words[SPROF_WAKER_COUNT] = {
		[SPROF_WAKER_UNKNOWN] = "an unknown waker",
		[SPROF_WAKER_INTERRUPT] = "timer or device",
		[SPROF_WAKER_SOFT_INTERRUPT] = "network or disk",
		[SPROF_WAKER_SPROF] = "sprof, after a stop",
	};

	return by ? by : words[waker] ? words[waker] : "?";
}

/* Without its brackets: ", read". NULL: out of memory. */
static char *entry_of(const char *name)
{
	const size_t length = strlen(name);
	const bool has_brackets = length > 2 && name[0] == '[' && name[length - 1] == ']';

	return sprof_string_print(", %.*s", (int)(has_brackets ? length - 2 : length),
		has_brackets ? name + 1 : name);
}

char *sprof_critical_details(
	const struct sprof_profile *profile, const struct sprof_critical_row *row)
{
	const enum sprof_waker waker = (enum sprof_waker)row->waker;
	SPROF_AUTO_FREE char *entry = row->kernel == SPROF_PROFILE_NONE
		? strdup("")
		: entry_of(profile->functions[row->kernel].name);

	if (!entry || row->kind != SPROF_CRITICAL_SLEEP || waker == SPROF_WAKER_SPROF)
		return strdup("");
	if (waker == SPROF_WAKER_THREAD)
		return strdup(", but its waker did not run then");
	if (waker == SPROF_WAKER_INTERRUPT)
		return strdup(entry);
	return sprof_string_print(
		"%s, woken by %s", entry, sprof_critical_waker_words(waker, row->by));
}

const char *sprof_critical_waker_name(enum sprof_waker waker)
{
	static const char *const names[SPROF_WAKER_COUNT] = {
		[SPROF_WAKER_UNKNOWN] = "unknown",
		[SPROF_WAKER_THREAD] = "thread",
		[SPROF_WAKER_PROCESS] = "process",
		[SPROF_WAKER_KERNEL] = "kernel",
		[SPROF_WAKER_INTERRUPT] = "interrupt",
		[SPROF_WAKER_SOFT_INTERRUPT] = "soft interrupt",
		[SPROF_WAKER_SPROF] = "sprof",
	};

	return names[waker];
}

const char *sprof_critical_kind_name(enum sprof_critical_kind kind)
{
	static const char *const names[SPROF_CRITICAL_KINDS] = {
		[SPROF_CRITICAL_RUN] = "run",
		[SPROF_CRITICAL_QUEUE] = "queue",
		[SPROF_CRITICAL_SLEEP] = "sleep",
		[SPROF_CRITICAL_LOST] = "lost",
	};

	return names[kind];
}

char *sprof_critical_doubts(const struct sprof_critical *critical, uint64_t lost)
{
	const uint64_t unknown_ns = critical->lost_ns + critical->unwoken_ns;
	char network[128] = "", broken[96] = "", cut[64] = "", records[64] = "";
	SPROF_AUTO_FREE char *text = NULL;

	if (!unknown_ns && !critical->network_ns && !critical->broken && !critical->is_cut)
		return strdup("");
	if (critical->network_ns)
		snprintf(network, sizeof(network),
			"; %s of the path were waits for the network: what happened meanwhile is "
			"not known",
			sprof_figure_time(critical->network_ns).text);
	if (unknown_ns || critical->broken)
		snprintf(broken, sizeof(broken),
			"; the path is broken in %" PRIu64
			" places, and not known for %s of its time",
			critical->broken, sprof_figure_time(unknown_ns).text);
	if (critical->is_cut)
		snprintf(cut, sizeof(cut), "; what was earlier was not kept");
	if (lost)
		snprintf(records, sizeof(records), "; %" PRIu64 " records were lost", lost);
	text = sprof_string_print("%s%s%s%s", network, broken, records, cut);
	return text ? strdup(text + strlen("; ")) : NULL;
}
