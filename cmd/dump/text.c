/*
 * A dump as text: deadlocks first, then each thread with its stack.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/proc-status.h"
#include "base/proc.h"
#include "base/strings.h"
#include "base/syscall-name.h"
#include "base/system-names.h"
#include "cmd/dump/dump.h"
#include "cmd/dump/locals.h"
#include "output/clean.h"
#include "output/fit.h"

enum { LOCK_TEXT = 256 };

/* "thread 4711 (worker)"; of a core's threads, only those have names that a language has named. */
static void print_thread_name(const struct sprof_thread_stack *thread)
{
	char name[3 * SPROF_COMM_MAX + 4];

	sprof_clean_copy(thread->name, name, sizeof(name));
	printf("thread %d%s%s%s", thread->tid, name[0] ? " (" : "", name, name[0] ? ")" : "");
}

/*
 * "mutex cache_lock", "rwlock table+0x40", "mutex 0x55d0c8a01040"; "a parking_lot lock", because
 * the address is not the lock's.
 */
static void write_lock(const struct sprof_dump_lock *lock, char text[LOCK_TEXT])
{
	const char *kind = sprof_lock_kind_name(lock->kind);
	char variable[LOCK_TEXT / 2];

	sprof_clean_copy(lock->variable ? lock->variable : "", variable, sizeof(variable));
	if (lock->kind == SPROF_LOCK_PARKING)
		snprintf(text, LOCK_TEXT, "a %s", kind);
	else if (!lock->variable)
		snprintf(text, LOCK_TEXT, "%s 0x%" PRIx64, kind, lock->offset);
	else if (lock->offset)
		snprintf(text, LOCK_TEXT, "%s %s+0x%" PRIx64, kind, variable, lock->offset);
	else
		snprintf(text, LOCK_TEXT, "%s %s", kind, variable);
}

static const char refused[] = "a mutex with priority inheritance, which the kernel refused";

/*
 * The process of the live thread with this id; 0: there is none. -1: not known, because `seen_from`
 * is in another pid namespace.
 */
static pid_t process_of(pid_t seen_from, pid_t tid)
{
	char text[SPROF_PROC_STATUS_MAX];
	long process;

	if (sprof_proc_status_read(seen_from, 0, text, sizeof(text)) < 0 ||
		sprof_proc_status_inner_id(text, "NSpid") != seen_from)
		return -1;
	if (sprof_proc_status_read(tid, 0, text, sizeof(text)) < 0 ||
		!sprof_proc_status_number(text, "Tgid", &process))
		return 0;
	return (pid_t)process;
}

/* "mutex first of thread 4711, which has ended" */
static void print_lost(const struct sprof_dump_view *view, const struct sprof_thread_stack *thread,
	const char *lock)
{
	const pid_t owner = thread->lock_traits.lost_owner;
	const pid_t process = view->core ? -1 : process_of(thread->pid, owner);

	if (process > 0)
		printf("%s of thread %d, which is in process %d", lock, owner, process);
	else if (process < 0)
		printf("%s of thread %d, which is not in this process", lock, owner);
	else
		printf("%s of thread %d, which has ended", lock, owner);
}

/* "mutex cache_lock of thread 4712", "the end of thread 4712", "rwlock ...; its readers are not
 * recorded". */
static bool print_lock(const struct sprof_dump_view *view, const struct sprof_thread_stack *thread,
	struct sprof_error *err)
{
	struct sprof_dump_lock lock;
	char text[LOCK_TEXT];

	if (!sprof_dump_lock_find(view, thread, &lock, err))
		return false;
	if (lock.kind == SPROF_LOCK_UNKNOWN)
		return true;
	write_lock(&lock, text);
	if (thread->lock_traits.is_endless) {
		printf(" (%s)", refused);
	} else if (thread->lock_traits.lost_owner) {
		printf(" (");
		print_lost(view, thread, text);
		printf(")");
	} else if (lock.kind == SPROF_LOCK_JOIN && thread->holder)
		printf(" (the end of thread %d)", thread->holder);
	else if (thread->holder)
		printf(" (%s of thread %d)", text, thread->holder);
	else if (lock.kind == SPROF_LOCK_JOIN)
		printf(" (the end of a thread)");
	else if (lock.kind == SPROF_LOCK_RWLOCK)
		printf(" (%s; a reader may hold it: glibc does not record readers)", text);
	else if (lock.kind == SPROF_LOCK_RUST || lock.kind == SPROF_LOCK_PARKING)
		printf(" (%s, which records no owner)", text);
	else
		printf(" (%s)", text);
	return true;
}

/* "read (pipe:[4711] from cat (12))". */
static bool print_call(const struct sprof_dump_view *view, const struct sprof_thread_stack *thread,
	struct sprof_error *err)
{
	SPROF_AUTO_FREE char *object = sprof_clean_text(thread->object ? thread->object : "", NULL);
	char name[64];

	if (!object)
		return sprof_error_no_memory(err);
	sprof_syscall_name(thread->syscall, name, sizeof(name));
	printf(" in %s", name);
	if (thread->object)
		printf(" (%s)", object);
	return !thread->lock_address || print_lock(view, thread, err);
}

static bool print_state(const struct sprof_dump_view *view, const struct sprof_thread_stack *thread,
	struct sprof_error *err)
{
	static const char *const words[SPROF_STATE_COUNT] = {
		[SPROF_STATE_USER] = "running",
		[SPROF_STATE_SYS] = "running in the kernel",
		[SPROF_STATE_SLEEP] = "sleeping",
		[SPROF_STATE_DISK] = "in uninterruptible sleep",
		[SPROF_STATE_STOPPED] = "stopped",
	};

	printf("%s", thread->sampled ? words[thread->state] : "ended");
	if (thread->sampled && thread->in_syscall && !print_call(view, thread, err))
		return false;
	printf("\n");
	return true;
}

static bool print_location(const struct sprof_dump_view *view,
	const struct sprof_location *location, const struct sprof_module *module, size_t *number)
{
	SPROF_AUTO_FREE char *function =
		sprof_fit_function(location->function, view->short_names, 0);
	SPROF_AUTO_FREE char *place =
		sprof_clean_text(location->file ? location->file : sprof_module_name(module), NULL);

	if (!function || !place)
		return false;
	printf("  #%-3zu %s%s", (*number)++, function, location->inlined ? " (inlined)" : "");
	if (location->file && location->line)
		printf(" at %s:%u\n", place, location->line);
	else if (location->unresolved)
		printf("\n");
	else
		printf(" in %s\n", place);
	return true;
}

/* "count = 3" */
static bool print_value(const struct sprof_local *local)
{
	SPROF_AUTO_FREE char *name = sprof_clean_text(local->name, NULL);
	SPROF_AUTO_FREE char *value = sprof_clean_text(local->value, NULL);

	if (!name || !value)
		return false;
	printf("         %s = %s\n", name, value);
	return true;
}

/* "(optimized out: a, b)" */
static bool print_others(
	const struct sprof_locals *locals, enum sprof_local_state state, const char *word)
{
	const char *separator = ": ";

	for (size_t i = 0; i < locals->count; i++) {
		SPROF_AUTO_FREE char *name = NULL;

		if (locals->items[i].state != state)
			continue;
		name = sprof_clean_text(locals->items[i].name, NULL);
		if (!name)
			return false;
		if (separator[0] == ':')
			printf("         (%s", word);
		printf("%s%s", separator, name);
		separator = ", ";
	}
	if (separator[0] == ',')
		printf(")\n");
	return true;
}

static bool print_all(const struct sprof_locals *locals)
{
	for (size_t i = 0; i < locals->count; i++) {
		if (locals->items[i].state == SPROF_LOCAL_KNOWN && !print_value(&locals->items[i]))
			return false;
	}
	return print_others(locals, SPROF_LOCAL_UNKNOWN, "not known") &&
		print_others(locals, SPROF_LOCAL_OPTIMIZED_OUT, "optimized out");
}

static bool print_locals(struct sprof_dump_locals *way, size_t level, struct sprof_error *err)
{
	struct sprof_locals locals;
	bool ok;

	if (!way->view->with_locals)
		return true;
	if (!sprof_dump_locals_find(way, level, &locals, err))
		return false;
	ok = print_all(&locals);
	sprof_locals_finish(&locals);
	return ok || sprof_error_no_memory(err);
}

static bool print_frame(struct sprof_dump_locals *way, size_t *number, struct sprof_error *err)
{
	const struct sprof_dump_view *view = way->view;
	const struct sprof_frame *frame = &way->thread->frames[way->frame];
	const struct sprof_module *module = sprof_modules_get(view->modules, frame->module);
	struct sprof_locations locations;

	if (!sprof_dump_resolve(view, frame, &locations, err))
		return false;
	for (size_t i = 0; i < locations.count; i++) {
		if (!print_location(view, &locations.items[i], module, number))
			return sprof_error_no_memory(err);
		if (!print_locals(way, i, err))
			return false;
	}
	return true;
}

static bool print_thread(const struct sprof_dump_view *view,
	const struct sprof_thread_stack *thread, struct sprof_error *err)
{
	struct sprof_dump_locals way;
	size_t number = 0;
	bool ok = true;

	printf("\n");
	print_thread_name(thread);
	printf(": ");
	if (!print_state(view, thread, err))
		return false;
	if (!sprof_dump_locals_init(&way, view, thread, err))
		return false;
	while (ok && way.frame < thread->frame_count) {
		ok = print_frame(&way, &number, err);
		way.frame++;
	}
	sprof_dump_locals_finish(&way);
	if (!ok)
		return false;
	if (thread->sampled && thread->end != SPROF_END_ROOT)
		printf("  [the stack ends early: %s]\n", sprof_end_name(thread->end));
	return true;
}

/* Ends a line: no thread of the dump is the holder, or it is not known. */
static bool print_hopeless(const struct sprof_dump_view *view,
	const struct sprof_thread_stack *thread, const char *lock)
{
	printf(" waits for ");
	if (thread->lock_traits.lost_owner)
		print_lost(view, thread, lock);
	else if (thread->lock_traits.is_endless)
		printf("%s: its owner waits for this thread, or has ended", refused);
	else
		printf("%s", thread->lock == SPROF_LOCK_JOIN ? "the end of a thread" : lock);
	printf("\n");
	return true;
}

/* "lock of /run/x.pid held by make (4711)" */
static bool print_object(const struct sprof_thread_stack *thread, struct sprof_error *err)
{
	SPROF_AUTO_FREE char *object =
		sprof_clean_text(thread->object ? thread->object : "lock of a file", NULL);

	if (object)
		printf("%s\n", object);
	return object || sprof_error_no_memory(err);
}

/* Prints one line of a deadlock. `holder` is NULL if it is none of the threads. */
static bool print_waiter(const struct sprof_dump_view *view,
	const struct sprof_thread_stack *thread, const struct sprof_thread_stack *holder,
	struct sprof_error *err)
{
	struct sprof_dump_lock lock;
	char text[LOCK_TEXT];

	if (!sprof_dump_lock_find(view, thread, &lock, err))
		return false;
	write_lock(&lock, text);
	printf("  ");
	print_thread_name(thread);
	if (!thread->lock_address) {
		printf(" waits for the ");
		return print_object(thread, err);
	}
	if (!holder)
		return print_hopeless(view, thread, text);
	if (thread->lock_traits.is_endless)
		printf(" waits for %s, of ", refused);
	else if (lock.kind == SPROF_LOCK_JOIN)
		printf(" waits for the end of ");
	else
		printf(" waits for %s of ", text);
	print_thread_name(holder);
	printf("\n");
	return true;
}

static bool print_deadlock(
	const struct sprof_dump_view *view, uint32_t number, struct sprof_error *err)
{
	const struct sprof_stacks *stacks = view->stacks;
	const uint32_t *holders = view->cycles->holders;
	const uint32_t first = sprof_lock_cycles_first(view->cycles, stacks, number);
	uint32_t at = first, last = first, count = 0;

	if (first == stacks->thread_count)
		return true;
	for (; at < stacks->thread_count; at = view->cycles->next[at]) {
		last = at;
		count++;
	}
	if (holders[last] != first && count > 1)
		printf("deadlock: all %u threads of process %d wait, and none is left to free a "
		       "lock\n",
			count, stacks->threads[first].pid);
	else if (holders[first] >= stacks->thread_count)
		printf("deadlock: a thread waits for a lock that nothing will free\n");
	else if (count == 1)
		printf("deadlock: a thread waits for itself\n");
	else
		printf("deadlock: %u threads wait for each other\n", count);
	for (at = first; at < stacks->thread_count; at = view->cycles->next[at]) {
		const struct sprof_thread_stack *holder =
			holders[at] < stacks->thread_count ? &stacks->threads[holders[at]] : NULL;

		if (!print_waiter(view, &stacks->threads[at], holder, err))
			return false;
	}
	printf("\n");
	return true;
}

static void print_core_head(const struct sprof_core *core, size_t threads)
{
	char name[3 * SPROF_CORE_NAME + 4];

	sprof_clean_copy(core->name, name, sizeof(name));
	printf("core of process %d%s%s%s", core->pid, name[0] ? " (" : "", name,
		name[0] ? ")" : "");
	if (core->signal)
		printf(", ended by SIG%s in thread %d",
			sprof_signal_name(core->signal) ? sprof_signal_name(core->signal) : "?",
			core->threads[0].tid);
	printf(": %zu thread%s\n", threads, sprof_string_plural(threads));
}

bool sprof_dump_print_text(const struct sprof_dump_view *view, struct sprof_error *err)
{
	const struct sprof_stacks *stacks = view->stacks;
	size_t end = 0;

	for (uint32_t number = 1; number <= view->cycles->count; number++) {
		if (!print_deadlock(view, number, err))
			return false;
	}
	for (size_t i = 0; i < stacks->thread_count; i++) {
		if (i == end) {
			end = sprof_stacks_process_end(stacks, i);
			printf(i ? "\n" : "");
			if (view->core)
				print_core_head(view->core, end - i);
			else
				printf("process %d: %zu thread%s\n", stacks->threads[i].pid,
					end - i, sprof_string_plural(end - i));
		}
		if (!print_thread(view, &stacks->threads[i], err))
			return false;
	}
	return true;
}
