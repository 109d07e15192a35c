/*
 * Recognises idle threads by functions on the stack, or by what they wait for. Go's scheduler waits
 * in a futex or for descriptors until a goroutine is ready (runtime/proc.go). In other languages, a
 * pool's worker waits for a condition variable or a semaphore, as opposed to a mutex. If the kind
 * of lock is not known, a thread that does nothing else is idle. A wait for events is idle if a
 * known function shows that, or in the thread's main loop; elsewhere it may be a lock, as in
 * PostgreSQL. So is a nap in the main loop of a thread in the background. A server that reads from
 * a client waits for its next request. Does not recognise pipes that deliver requests: a thread
 * that reads one counts as waiting for it.
 */
#include "profile/classify/idle.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/idmap.h"
#include "base/strings.h"
#include "profile/classify/naps.h"
#include "profile/classify/own-place.h"
#include "profile/model/stack-lines.h"

/* From this percentage of its own time on, a thread does nothing but wait. */
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

static const char *idle_in(const char *function)
{
	if (!sprof_string_starts_with(function, "runtime."))
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

		/* Locks of the runtime that a scheduler may wait for. */
		if (!found &&
			(strcmp(name, "runtime.lock2") == 0 ||
				strcmp(name, "runtime.acquirep") == 0))
			return NULL;
		if (!found || strcmp(name, "runtime.gcstopm") == 0)
			found = idle_in(name);
	}
	return found;
}

/* `text` may be NULL. */
static bool is_any(const char *text, const char *const starts[])
{
	return text && sprof_string_starts_with_any(text, starts);
}

/* Several descriptors: "2 descriptors: a, b", "a, b, c and 3 more". */
static bool is_list(const char *object)
{
	return strstr(object, ", ") || strstr(object, " more");
}

/* The process has both ends of the pipe, or of the pair of sockets. */
static bool is_from_itself(const char *object)
{
	return strstr(object, " from itself") || strstr(object, " of itself");
}

/*
 * A thread that waits for one descriptor written by others, like a client library, waits for an
 * answer. If its own process has the other end, it waits for work, as make does for its children.
 */
static bool watches_one(const struct sprof_profile_context *context)
{
	static const char *const watching[] = {"poll", "ppoll", "select", "pselect", NULL};
	/* Descriptors that report, and never answer. */
	static const char *const news[] = {"eventfd", "inotify", "fanotify", "signalfd", NULL};

	return context->object && is_any(context->syscall, watching) && !is_list(context->object) &&
		!is_from_itself(context->object) && !is_any(context->object, news);
}

/*
 * Whether the object is the socket by which a server talks with a client. Clients have abstract
 * names, too.
 */
static bool is_of_client(const char *object)
{
	static const char *const named[] = {"unix /", NULL};

	return object && !is_list(object) && (strstr(object, " <- ") || is_any(object, named));
}

/* Whether it waits for what others send, or for an event of one descriptor. */
static bool reads(const struct sprof_profile_context *context)
{
	static const char *const reading[] = {"read", "recv", NULL};

	return context->object &&
		((context->kind == SPROF_WAIT_KIND_IO && is_any(context->syscall, reading)) ||
			(context->kind == SPROF_WAIT_KIND_EVENT && !is_list(context->object)));
}

/* Waits that are idle wherever they are. */
static bool is_idle_call(const struct sprof_profile_context *context)
{
	static const char *const people[] = {"/dev/pts/", "/dev/tty", NULL};
	static const char *const descriptors[] = {
		"poll", "ppoll", "select", "pselect", "epoll_", "io_", NULL};
	/* Others submit requests: the thread waits until they do. */
	static const char *const no_requests[] = {"io_uring with nothing in flight", NULL};

	if (context->kind == SPROF_WAIT_KIND_IDLE || context->kind == SPROF_WAIT_KIND_CHILD)
		return true;
	/*
	 * Idle: waiting for a signal, for a client, or for what the process itself writes when it
	 * has work, as make's children do.
	 */
	if (context->kind == SPROF_WAIT_KIND_EVENT)
		return context->object
			? strstr(context->object, " listening") || is_of_client(context->object) ||
				(!is_list(context->object) && is_from_itself(context->object))
			: !is_any(context->syscall, descriptors);
	if (context->kind == SPROF_WAIT_KIND_LOCK)
		return sprof_profile_is_join(context);
	return context->kind == SPROF_WAIT_KIND_IO && context->syscall &&
		(sprof_string_starts_with(context->syscall, "accept") ||
			is_any(context->object, no_requests) ||
			(reads(context) &&
				(is_any(context->object, people) ||
					is_of_client(context->object))));
}

static bool may_be_queue(const struct sprof_profile_context *context)
{
	static const char *const kinds[] = {
		"semaphore", "shared semaphore", "lock", "shared lock", NULL};

	return context->kind == SPROF_WAIT_KIND_LOCK && !context->holder &&
		is_any(context->object, kinds) &&
		!sprof_string_starts_with(context->object, "lock of ");
}

/* Whether the functions above the wait decide what it is for. */
static bool is_open_to_facts(const struct sprof_profile_context *context)
{
	return context->kind == SPROF_WAIT_KIND_EVENT || may_be_queue(context) ||
		(context->kind == SPROF_WAIT_KIND_LOCK && !context->holder && context->object &&
			sprof_string_starts_with(context->object, "Python lock"));
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
 * Whether the wait is idle in a thread's main loop, although elsewhere it is for a lock or an
 * answer.
 */
static bool may_be_loop(const struct sprof_profile_context *context)
{
	static const char *const queues[] = {
		"condition variable", "shared condition variable", NULL};

	if (context->kind == SPROF_WAIT_KIND_EVENT)
		return !watches_one(context);
	return context->kind == SPROF_WAIT_KIND_LOCK && !context->holder &&
		is_any(context->object, queues);
}

/*
 * A socket that is newer than the last table of sockets has no address. If its function otherwise
 * reads only from clients, it is a client's, too. Returns false if out of memory.
 */
static bool add_new_clients(const struct sprof_profile *profile, bool *idle)
{
	enum { CLIENT = 1, OTHER = 2 };
	SPROF_AUTO_FREE uint8_t *known = calloc(profile->function_count + 1, sizeof(*known));
	SPROF_AUTO_FREE uint32_t *unknown = calloc(profile->row_count + 1, sizeof(*unknown));

	for (size_t i = 0; known && unknown && i < profile->row_count; i++) {
		const struct sprof_profile_row *row = &profile->rows[i];
		const struct sprof_profile_context *context = &profile->contexts[row->context];
		uint32_t function;

		if (!reads(context))
			continue;
		function = sprof_own_place_of(profile, row->stack).function;
		if (function == SPROF_PROFILE_NONE)
			continue;
		if (sprof_string_starts_with(context->object, "socket:["))
			unknown[i] = function + 1;
		else
			known[function] |= is_of_client(context->object) ? CLIENT : OTHER;
	}
	for (size_t i = 0; known && unknown && i < profile->row_count; i++)
		idle[i] |= unknown[i] && known[unknown[i] - 1] == CLIENT;
	return known && unknown;
}

/*
 * Finds threads that wait for a single thing only, if that may be a queue. Returns false if out of
 * memory.
 */
static bool find_queues(const struct sprof_profile *profile, bool *idle)
{
	SPROF_AUTO_FREE uint64_t *queues = calloc(profile->thread_count + 1, sizeof(*queues));
	SPROF_AUTO_FREE uint64_t *all = calloc(profile->thread_count + 1, sizeof(*all));

	for (size_t i = 0; queues && all && i < profile->row_count; i++) {
		const struct sprof_profile_row *row = &profile->rows[i];
		uint64_t ns = sprof_times_own(&row->metrics.times);

		queues[row->thread] += may_be_queue(&profile->contexts[row->context]) ? ns : 0;
		all[row->thread] += ns;
	}
	for (size_t i = 0; queues && all && i < profile->row_count; i++) {
		const struct sprof_profile_row *row = &profile->rows[i];

		idle[i] |= may_be_queue(&profile->contexts[row->context]) &&
			sprof_percent(queues[row->thread], all[row->thread]) >= nothing_else;
	}
	return queues && all;
}

/*
 * The most functions of the program above a main loop, not counting main. A condition variable is
 * often wrapped in a queue.
 */
enum { DEEPEST_LOOP = 1, DEEPEST_QUEUE = 2, NOT_A_LOOP = UINT8_MAX };

/* For rows that may be in a main loop, counts the program's functions on the stack. */
static bool count_depths(const struct sprof_profile *profile, const bool *loops, uint8_t *depths)
{
	struct sprof_expansion frames = {0};
	bool ok = true;

	for (size_t i = 0; ok && i < profile->row_count; i++) {
		const uint32_t stack = profile->rows[i].stack;

		depths[i] = NOT_A_LOOP;
		if (!loops[i])
			continue;
		ok = sprof_expansion_fill(&frames, profile, stack);
		if (ok)
			depths[i] = sprof_own_frames_depth(profile, &frames);
		if (profile->contexts[profile->rows[i].context].kind != SPROF_WAIT_KIND_LOCK &&
			depths[i] > DEEPEST_LOOP)
			depths[i] = NOT_A_LOOP;
	}
	sprof_expansion_finish(&frames);
	return ok;
}

/*
 * A thread's main loop is its outermost function that waits for events. `loops`: rows that may be
 * in one; the others become false. Returns false if out of memory.
 */
static bool keep_loops(const struct sprof_profile *profile, bool *loops)
{
	SPROF_AUTO_FREE uint8_t *depths = calloc(profile->row_count + 1, sizeof(*depths));
	SPROF_AUTO_FREE uint8_t *least = calloc(profile->thread_count + 1, sizeof(*least));

	if (!depths || !least || !count_depths(profile, loops, depths))
		return false;
	memset(least, DEEPEST_QUEUE, profile->thread_count);
	for (size_t i = 0; i < profile->row_count; i++) {
		uint8_t *best = &least[profile->rows[i].thread];

		*best = depths[i] < *best ? depths[i] : *best;
	}
	for (size_t i = 0; i < profile->row_count; i++)
		loops[i] = depths[i] <= least[profile->rows[i].thread];
	return true;
}

/* Whether a Go scheduler without work mostly waited for a CPU. */
static bool is_late_scheduler(
	const struct sprof_profile *profile, const struct sprof_profile_row *row)
{
	return row->metrics.times.ns[SPROF_TIME_RUNQ] > sprof_times_own(&row->metrics.times) &&
		sprof_profile_idle_for(profile, row->stack);
}

/*
 * Known functions decide first. `loops` has the naps of threads in the background, and receives all
 * rows that are in a main loop.
 */
static bool decide(const struct sprof_profile *profile, bool *idle, bool *loops)
{
	for (size_t i = 0; i < profile->row_count; i++) {
		const struct sprof_profile_row *row = &profile->rows[i];
		const struct sprof_profile_context *context = &profile->contexts[row->context];
		const bool is_open = idle[i] || loops[i] || may_be_loop(context);
		struct sprof_known_wait known = {0};

		if (is_open || is_open_to_facts(context))
			known = sprof_known_wait_of(profile, row->stack);
		if (known.fact) {
			idle[i] = known.fact->kind == SPROF_WAIT_KIND_IDLE;
			loops[i] = false;
			continue;
		}
		loops[i] = is_open;
		idle[i] = is_idle_call(context) || is_late_scheduler(profile, row);
	}
	if (!keep_loops(profile, loops))
		return false;
	for (size_t i = 0; i < profile->row_count; i++)
		idle[i] |= loops[i];
	return true;
}

bool *sprof_profile_waits_for_work(const struct sprof_profile *profile)
{
	SPROF_AUTO_FREE bool *loops = calloc(profile->row_count + 1, sizeof(*loops));
	bool *idle = calloc(profile->row_count + 1, sizeof(*idle));

	if (loops && idle && find_queues(profile, idle) &&
		sprof_profile_find_naps(profile, loops) && decide(profile, idle, loops) &&
		add_new_clients(profile, idle))
		return idle;
	free(idle);
	return NULL;
}

enum sprof_wait_kind sprof_profile_kind_of_wait(const struct sprof_profile *profile,
	const struct sprof_profile_row *row, struct sprof_known_wait *ret_known)
{
	const struct sprof_profile_context *context = &profile->contexts[row->context];

	*ret_known = (struct sprof_known_wait){.function = SPROF_PROFILE_NONE};
	if (!is_open_to_facts(context))
		return context->kind;
	*ret_known = sprof_known_wait_of(profile, row->stack);
	if (!ret_known->fact || ret_known->fact->kind == SPROF_WAIT_KIND_IDLE)
		return context->kind;
	return ret_known->fact->kind;
}

bool *sprof_profile_idle_rows(const struct sprof_profile *profile)
{
	bool *idle = sprof_profile_waits_for_work(profile);
	struct sprof_idmap pids = {0};
	bool ok = idle && list_pids(profile, &pids);

	for (size_t i = 0; ok && i < profile->row_count; i++)
		idle[i] |= waits_for_profiled(profile, &pids, &profile->rows[i]);
	sprof_idmap_finish(&pids);
	if (ok)
		return idle;
	free(idle);
	return NULL;
}
