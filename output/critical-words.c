/* Sentences without full stop, for the summary. */
#include "output/critical-words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/numbers.h"
#include "base/strings.h"
#include "output/fit.h"
#include "output/units.h"

enum {
	LEAST_NAME = 5,  /* characters, of a shortened name */
	LEAST_PAIR = 24, /* for two names; one of them says more in less room */
};

/* "caller > name", or only the name. */
static char *names_of(const char *caller, const char *name, size_t room)
{
	const size_t wanted = strlen(" > "), both = sprof_most(room, LEAST_PAIR) - wanted;
	SPROF_AUTO_FREE char *whole = sprof_fit_function(name, true, 0);
	SPROF_AUTO_FREE char *above = caller ? sprof_fit_function(caller, true, 0) : NULL;
	SPROF_AUTO_FREE char *inner = NULL, *outer = NULL;
	size_t left, right;

	if (!whole || (caller && !above))
		return NULL;
	left = above ? sprof_fit_length(above) : 0;
	right = sprof_fit_length(whole);
	if (!above || (room < LEAST_PAIR && left + wanted + right > room))
		return sprof_fit(whole, sprof_most(room, LEAST_NAME));
	/* A name that needs less than its half leaves the rest to the other one. */
	if (left + right > both) {
		const size_t half = both / 2;

		if (left < half)
			right = both - left;
		else if (right < half)
			left = both - right;
		else
			left = right = half;
	}
	outer = sprof_fit(above, left);
	inner = sprof_fit(whole, right);
	return outer && inner ? sprof_string_print("%s > %s", outer, inner) : NULL;
}

char *sprof_critical_subject_words(const struct sprof_profile *profile,
	const struct sprof_critical_subject *subject, size_t room)
{
	const struct sprof_profile_function *function, *caller = NULL;
	SPROF_AUTO_FREE char *names = NULL;
	size_t fixed;

	if (!subject->thread)
		return strdup("waiting for a CPU");
	if (subject->is_stop)
		return sprof_string_print("sprof's stops of %s", subject->thread);
	if (subject->function == SPROF_PROFILE_NONE)
		return sprof_string_print("%s in %s", SPROF_PROFILE_UNSAMPLED, subject->thread);
	function = &profile->functions[subject->function];
	if (subject->caller != SPROF_PROFILE_NONE)
		caller = &profile->functions[subject->caller];
	/* A second address would say nothing more. */
	if (caller && (function->unresolved || caller->unresolved))
		caller = NULL;
	fixed = strlen(" in ") + sprof_fit_length(subject->thread);
	names = names_of(caller ? caller->name : NULL, function->name, sprof_minus(room, fixed));
	return names ? sprof_string_print("%s in %s", names, subject->thread) : NULL;
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
	const struct sprof_profile *profile, const struct sprof_critical_row *row, bool is_short)
{
	const enum sprof_waker waker = (enum sprof_waker)row->waker;
	SPROF_AUTO_FREE char *entry = row->kernel == SPROF_PROFILE_NONE
		? strdup("")
		: entry_of(profile->functions[row->kernel].name);

	if (!entry || row->kind != SPROF_CRITICAL_SLEEP || waker == SPROF_WAKER_SPROF)
		return strdup("");
	if (row->is_open)
		return sprof_string_print("%s, still asleep", entry);
	if (waker == SPROF_WAKER_THREAD)
		return strdup(", but its waker did not run then");
	if (is_short || waker == SPROF_WAKER_INTERRUPT)
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
	char network[128] = "", unknown[96] = "", broken[96] = "", time[96] = "";
	char cut[64] = "", records[64] = "";
	SPROF_AUTO_FREE char *text = NULL;

	if (!critical->lost_ns && !critical->unwoken_ns && !critical->network_ns &&
		!critical->broken && !critical->is_cut)
		return strdup("");
	if (critical->network_ns)
		snprintf(network, sizeof(network),
			"; %s of the path were waits that an interrupt ended: what made it is not "
			"known",
			sprof_figure_time(critical->network_ns).text);
	if (critical->lost_ns)
		snprintf(time, sizeof(time), "; for %s of the path records are missing",
			sprof_figure_time(critical->lost_ns).text);
	if (critical->unwoken_ns)
		snprintf(unknown, sizeof(unknown), "; for %s of the path no waker is known",
			sprof_figure_time(critical->unwoken_ns).text);
	if (critical->broken)
		snprintf(broken, sizeof(broken),
			"; in %" PRIu64 " place%s the path is broken: the waker did not run then",
			critical->broken, sprof_string_plural(critical->broken));
	if (critical->is_cut)
		snprintf(cut, sizeof(cut), "; what was earlier was not kept");
	if (lost)
		snprintf(records, sizeof(records), "; %" PRIu64 " records were lost", lost);
	text = sprof_string_print("%s%s%s%s%s%s", network, time, unknown, broken, records, cut);
	return text ? strdup(text + strlen("; ")) : NULL;
}
