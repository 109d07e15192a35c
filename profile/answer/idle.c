/*
 * Idle threads, by functions on the stack or by what they wait for. Knows Go's scheduler: it looks
 * for goroutines, and waits in a futex or for descriptors until one is ready (runtime/proc.go). In
 * other languages, a pool's worker waits for a condition variable or a semaphore; the kind of lock
 * distinguishes that from waiting for a mutex. If the kind is inconclusive, a thread that does
 * nothing else is idle. Does not recognise pipes or sockets that deliver requests: a thread that
 * reads one counts as waiting for it.
 */
#include "profile/answer/idle.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/idmap.h"
#include "profile/views/stack-lines.h"

/* From this percentage of its wall time on, a thread does nothing but wait. */
static const double nothing_else = 95;

static const struct {
	const char *function, *lacks;
} schedulers[] = {
	{"runtime.findRunnable", "no goroutine to run"},
	{"runtime.findrunnable", "no goroutine to run"}, /* up to Go 1.18 */
	{"runtime.gcstopm", "the end of a stop of the world"},
	{"runtime.stopm", "no goroutine to run"},
	{"runtime.stoplockedm", "its goroutine waits"},
	{"runtime.templateThread", "no thread to make"},
	{"runtime.sysmon", "nothing to watch"},
};

/* Locks of the runtime that a scheduler may wait for. */
static bool is_busy_in(const char *function)
{
	return strcmp(function, "runtime.lock2") == 0 || strcmp(function, "runtime.acquirep") == 0;
}

static const char *idle_in(const char *function)
{
	static const char start[] = "runtime.";

	if (strncmp(function, start, strlen(start)) != 0)
		return NULL;
	for (size_t i = 0; i < sizeof(schedulers) / sizeof(schedulers[0]); i++) {
		if (strcmp(schedulers[i].function, function) == 0)
			return schedulers[i].lacks;
	}
	return NULL;
}

const char *sprof_profile_idle_for(const struct sprof_profile *profile, uint32_t stack)
{
	struct sprof_stack_lines at = {.stack = stack};
	const struct sprof_profile_line *line;
	const char *found = NULL;

	while ((line = sprof_stack_lines_next(profile, &at))) {
		const char *name = profile->functions[line->function].name;

		if (!found && is_busy_in(name))
			return NULL;
		if (!found || strcmp(name, "runtime.gcstopm") == 0)
			found = idle_in(name);
	}
	return found;
}

static bool starts_with(const char *text, const char *start)
{
	return text && strncmp(text, start, strlen(start)) == 0;
}

static bool is_any(const char *text, const char *const starts[])
{
	for (; *starts; starts++) {
		if (starts_with(text, *starts))
			return true;
	}
	return false;
}

/*
 * A thread that waits for one descriptor written by others, like a client library, waits for an
 * answer. If its own process has the other end, it waits for work, as make does for its children.
 */
static bool watches_one(const struct sprof_profile_context *context)
{
	static const char *const watching[] = {"poll", "ppoll", "select", "pselect", NULL};

	return context->object && is_any(context->syscall, watching) &&
		!strstr(context->object, ", ") && !strstr(context->object, " more") &&
		!strstr(context->object, " from itself") &&
		!starts_with(context->object, "eventfd");
}

bool sprof_profile_is_idle(const struct sprof_profile_context *context)
{
	static const char *const queues[] = {
		"condition variable", "shared condition variable", NULL};
	static const char *const people[] = {"/dev/pts/", "/dev/tty", NULL};

	switch (context->kind) {
	case SPROF_WAIT_KIND_IDLE:
	case SPROF_WAIT_KIND_CHILD:
		return true;
	case SPROF_WAIT_KIND_EVENT:
		return !watches_one(context);
	case SPROF_WAIT_KIND_LOCK:
		return sprof_profile_is_join(context) ||
			(!context->holder && is_any(context->object, queues));
	case SPROF_WAIT_KIND_IO:
		return starts_with(context->syscall, "accept") ||
			(starts_with(context->syscall, "read") && is_any(context->object, people));
	case SPROF_WAIT_KIND_NONE:
	case SPROF_WAIT_KIND_TIME:
	case SPROF_WAIT_KIND_OTHER:
	case SPROF_WAIT_KIND_COUNT:
		break;
	}
	return false;
}

static bool may_be_queue(const struct sprof_profile_context *context)
{
	static const char *const kinds[] = {
		"semaphore", "shared semaphore", "lock", "shared lock", NULL};

	return context->kind == SPROF_WAIT_KIND_LOCK && !context->holder &&
		is_any(context->object, kinds) && !starts_with(context->object, "lock of ");
}

/* The process at the other end, "pipe:[7] from sort (12)"; 0: none. */
static pid_t peer_of(const struct sprof_profile_context *context)
{
	const char *bracket = context->object ? strrchr(context->object, '(') : NULL;
	char *end;
	long pid = bracket ? strtol(bracket + 1, &end, 10) : 0;

	return bracket && *end == ')' && pid > 0 && pid <= INT32_MAX ? (pid_t)pid : 0;
}

static bool list_pids(const struct sprof_profile *profile, struct sprof_idmap *ret)
{
	for (size_t i = 0; i < profile->process_count; i++) {
		if (!sprof_idmap_put(ret, 0, (uint64_t)profile->processes[i].pid, (uint32_t)i))
			return false;
	}
	return true;
}

/* The work of another process of the profile counts as that process's time. */
static bool waits_for_profiled(const struct sprof_profile *profile, const struct sprof_idmap *pids,
	const struct sprof_profile_row *row)
{
	const struct sprof_profile_context *context = &profile->contexts[row->context];
	pid_t own = profile->processes[profile->threads[row->thread].process].pid, peer;

	if (context->kind != SPROF_WAIT_KIND_IO)
		return false;
	peer = peer_of(context);
	return peer && peer != own && sprof_idmap_find(pids, 0, (uint64_t)peer) != SPROF_IDMAP_NONE;
}

/*
 * Finds threads that wait for a single thing only, if that may be a queue. Returns false if out of
 * memory.
 */
static bool find_queues(const struct sprof_profile *profile, bool *idle)
{
	SPROF_AUTO_FREE uint64_t *queues = calloc(profile->thread_count + 1, sizeof(*queues));
	SPROF_AUTO_FREE uint64_t *walls = calloc(profile->thread_count + 1, sizeof(*walls));

	for (size_t i = 0; queues && walls && i < profile->row_count; i++) {
		const struct sprof_profile_row *row = &profile->rows[i];
		uint64_t ns = sprof_times_wall(&row->metrics.times);

		queues[row->thread] += may_be_queue(&profile->contexts[row->context]) ? ns : 0;
		walls[row->thread] += ns;
	}
	for (size_t i = 0; queues && walls && i < profile->row_count; i++) {
		const struct sprof_profile_row *row = &profile->rows[i];

		idle[i] |= may_be_queue(&profile->contexts[row->context]) &&
			sprof_percent(queues[row->thread], walls[row->thread]) >= nothing_else;
	}
	return queues && walls;
}

bool *sprof_profile_idle_rows(const struct sprof_profile *profile)
{
	bool *idle = calloc(profile->row_count + 1, sizeof(*idle));
	struct sprof_idmap pids = {0};
	bool ok = idle && list_pids(profile, &pids) && find_queues(profile, idle);

	for (size_t i = 0; ok && i < profile->row_count; i++) {
		const struct sprof_profile_row *row = &profile->rows[i];

		idle[i] |= sprof_profile_is_idle(&profile->contexts[row->context]) ||
			waits_for_profiled(profile, &pids, row);
	}
	sprof_idmap_finish(&pids);
	if (ok)
		return idle;
	free(idle);
	return NULL;
}
