/* Messages for the reasons of events/perf/event.h. The caller says what happens instead. */
#include "cmd/cli/perf-denied.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/proc.h"

enum { WORDS_SIZE = 256 };

static void describe_paranoid(char *ret, size_t size)
{
	char level[16];

	if (sprof_proc_read_path("/proc/sys/kernel/perf_event_paranoid", level, sizeof(level)) <= 0)
		strcpy(level, "?");
	level[strcspn(level, "\n")] = '\0';
	/* From 3 on, Debian's kernels forbid all perf events. */
	snprintf(ret, size, "not permitted: kernel.perf_event_paranoid is %s%s", level,
		level[0] >= '3' ? "" : ", and the process may be another user's");
}

void sprof_perf_denied_words(const struct sprof_perf_denial *denial, char *ret, size_t size)
{
	static const char *const words[] = {
		[SPROF_PERF_ADMIN] = "they need root or CAP_SYS_ADMIN",
		[SPROF_PERF_SECCOMP] =
			"a seccomp filter forbids perf_event_open, as in a container",
		[SPROF_PERF_UNSUPPORTED] = "this kernel does not have them",
		[SPROF_PERF_NO_TRACEFS] = "tracefs is not mounted at /sys/kernel/tracing",
		[SPROF_PERF_NAMESPACE] = "they don't work in a container's pid namespace",
		[SPROF_PERF_NO_LOCKED_MEMORY] =
			"kernel.perf_event_mlock_kb and the limit of locked memory leave no room",
		[SPROF_PERF_TOO_MANY_FILES] = "they need more open files than the limit allows",
		[SPROF_PERF_GONE] = "the process has ended",
	};

	if (denial->reason == SPROF_PERF_PARANOID)
		describe_paranoid(ret, size);
	else if (denial->reason == SPROF_PERF_NO_TRACEFS && denial->os_errno == EACCES)
		snprintf(ret, size, "only root may read tracefs");
	else if (denial->reason < sizeof(words) / sizeof(words[0]) && words[denial->reason])
		snprintf(ret, size, "%s", words[denial->reason]);
	else
		snprintf(ret, size, "%s", strerror(denial->os_errno));
}

bool sprof_perf_denied(
	const struct sprof_perf_denial *denial, const char *what, struct sprof_error *err)
{
	char words[WORDS_SIZE];

	if (denial->reason == SPROF_PERF_OTHER && !denial->os_errno)
		return sprof_error_no_memory(err);
	sprof_perf_denied_words(denial, words, sizeof(words));
	sprof_error_set(err, SPROF_ERROR_PERMISSION, "%s: %s", what, words);
	if (denial->reason == SPROF_PERF_NO_TRACEFS && denial->os_errno == EACCES)
		sprof_error_hint(err, "they need root, or a mount of tracefs with gid= and mode=");
	else if (denial->reason == SPROF_PERF_NO_TRACEFS)
		sprof_error_hint(err, "as root: mount -t tracefs nodev /sys/kernel/tracing");
	else if (denial->reason == SPROF_PERF_PARANOID)
		sprof_error_hint(err, "they need root or CAP_PERFMON");
	return false;
}
