/*
 * Their names are read from /proc some ms after they have woken a thread: those of a program that
 * has ended meanwhile are not known. The kernel reuses tids, so a name is read again after a while.
 */
#include "events/wakeups/strangers.h"

#include <stdlib.h>

#include "attach/proc/procfs.h"
#include "base/array.h"
#include "base/clock.h"

static const uint64_t AGE_NS = SPROF_NS_PER_S;

void wakeup_strangers_finish(struct wakeup_strangers *strangers)
{
	sprof_idmap_finish(&strangers->by_tid);
	free(strangers->items);
	*strangers = (struct wakeup_strangers){0};
}

/* Tid 0 is the idle thread of a CPU. */
static bool read_name(pid_t tid, const struct sprof_wakeups_sink *sink, struct wakeup_stranger *ret)
{
	struct sprof_proc_stat stat = {.comm = "?"};
	char text[1024];

	ret->waker = SPROF_WAKER_PROCESS;
	if (tid > 0 && sprof_proc_read_file(tid, 0, "stat", text, sizeof(text)) > 0 &&
		sprof_proc_parse_stat(text, &stat) && stat.flags & SPROF_PF_KTHREAD)
		ret->waker = SPROF_WAKER_KERNEL;
	if (!tid)
		ret->waker = SPROF_WAKER_KERNEL;
	return sink->name(sink->data, tid ? stat.comm : "idle", &ret->name);
}

bool wakeup_strangers_find(struct wakeup_strangers *strangers, pid_t tid, uint64_t time_ns,
	const struct sprof_wakeups_sink *sink, struct sprof_moment *ret)
{
	uint32_t index = sprof_idmap_find(&strangers->by_tid, 0, (uint64_t)tid);
	struct wakeup_stranger *stranger;

	if (index == SPROF_IDMAP_NONE) {
		index = (uint32_t)strangers->count;
		if (!SPROF_ARRAY_APPEND(strangers->items, strangers->count, strangers->capacity,
			    (struct wakeup_stranger){0}) ||
			!sprof_idmap_put(&strangers->by_tid, 0, (uint64_t)tid, index))
			return false;
	}
	stranger = &strangers->items[index];
	if (time_ns > stranger->found_ns + AGE_NS || !stranger->found_ns) {
		if (!read_name(tid, sink, stranger))
			return false;
		stranger->found_ns = time_ns;
	}
	ret->waker = stranger->waker;
	ret->by = stranger->name;
	return true;
}
