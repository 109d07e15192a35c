/* Wakers that are not of the target: another program's threads, and the kernel's. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "base/idmap.h"
#include "events/wakeups/wakeups.h"

struct wakeup_stranger {
	uint32_t name;
	uint8_t waker;
	uint64_t found_ns;
};

/* Zeroed is empty. */
struct wakeup_strangers {
	struct sprof_idmap by_tid; /* (0, tid) -> index in `items` */
	struct wakeup_stranger *items;
	size_t count, capacity;
};

void wakeup_strangers_finish(struct wakeup_strangers *strangers);

/* Sets the waker and its name. Returns false if out of memory. */
SPROF_MUST_USE bool wakeup_strangers_find(struct wakeup_strangers *strangers, pid_t tid,
	uint64_t time_ns, const struct sprof_wakeups_sink *sink, struct sprof_moment *ret);
