/*
 * Chooses how running threads are sampled, and explains why kernel timers are not used. Does not
 * handle refusals for single threads: the sampler counts them.
 */
#include "cmd/record/running-source.h"

#include <string.h>

#include "cmd/cli/option-values.h"
#include "cmd/cli/perf-denied.h"
#include "events/perf/timer.h"

bool sprof_running_source_set(void *field, const char *text, struct sprof_error *err)
{
	static const char *const names[] = {
		[SPROF_RUNNING_AUTO] = "auto",
		[SPROF_RUNNING_STOP] = "ptrace",
		[SPROF_RUNNING_KERNEL] = "kernel",
		NULL,
	};

	/* An old name. */
	return sprof_value_choice(names, strcmp(text, "stop") ? text : "ptrace", field, err);
}

/* Sets the setting to change as hint, if there is one. */
static void set_remedy(const struct sprof_perf_denial *denial, struct sprof_error *err)
{
	switch (denial->reason) {
	case SPROF_PERF_PARANOID:
		sprof_error_hint(err,
			"sysctl kernel.perf_event_paranoid=1, or CAP_PERFMON; --source ptrace needs neither");
		break;
	case SPROF_PERF_NO_LOCKED_MEMORY:
		sprof_error_hint(err,
			"sysctl kernel.perf_event_mlock_kb, or ulimit -l; --source ptrace needs neither");
		break;
	case SPROF_PERF_SECCOMP:
		sprof_error_hint(err,
			"let the container's seccomp profile allow perf_event_open; --source ptrace needs nothing");
		break;
	case SPROF_PERF_TOO_MANY_FILES:
		sprof_error_hint(err, "ulimit -n; --source ptrace does without");
		break;
	case SPROF_PERF_PERMITTED:
	case SPROF_PERF_ADMIN:
	case SPROF_PERF_UNSUPPORTED:
	case SPROF_PERF_NO_TRACEFS:
	case SPROF_PERF_NAMESPACE:
	case SPROF_PERF_GONE:
	case SPROF_PERF_OTHER:
		sprof_error_hint(err, "--source ptrace does without");
		break;
	}
}

/* The reason as stored in the profile's quality. */
static enum sprof_timers_denied kept_reason(const struct sprof_perf_denial *denial)
{
	switch (denial->reason) {
	case SPROF_PERF_PARANOID:
		return SPROF_TIMERS_PARANOID;
	case SPROF_PERF_SECCOMP:
		return SPROF_TIMERS_SECCOMP;
	case SPROF_PERF_NO_LOCKED_MEMORY:
		return SPROF_TIMERS_LOCKED_MEMORY;
	case SPROF_PERF_TOO_MANY_FILES:
		return SPROF_TIMERS_FILES;
	case SPROF_PERF_UNSUPPORTED:
		return SPROF_TIMERS_UNSUPPORTED;
	case SPROF_PERF_PERMITTED:
	case SPROF_PERF_ADMIN:
	case SPROF_PERF_NO_TRACEFS:
	case SPROF_PERF_NAMESPACE:
	case SPROF_PERF_GONE:
	case SPROF_PERF_OTHER:
		break;
	}
	return SPROF_TIMERS_OTHER;
}

/* Why timers can't be used. */
static enum sprof_timers_denied why_not(void)
{
	struct sprof_perf_denial denial;

	return sprof_perf_timer_is_permitted(&denial) ? SPROF_TIMERS_PERMITTED
						      : kept_reason(&denial);
}

bool sprof_running_source_choose(enum sprof_running_source wanted,
	struct sprof_sampler_options *ret, struct sprof_error *err)
{
	struct sprof_perf_denial denial;

	ret->timers_denied = wanted == SPROF_RUNNING_AUTO ? why_not() : SPROF_TIMERS_PERMITTED;
	ret->by_kernel = wanted != SPROF_RUNNING_STOP && !ret->timers_denied;
	if (wanted != SPROF_RUNNING_KERNEL || sprof_perf_timer_is_permitted(&denial))
		return true;
	if (!sprof_perf_denied(&denial, "timers in the kernel", err))
		set_remedy(&denial, err);
	return false;
}
