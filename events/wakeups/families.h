/*
 * Whose child a process is. The kernel reports the end of a traced child to its parent when the
 * tracer has taken note of it: then the tracer wakes the parent, but what it had waited for is the
 * child.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attach/target.h"
#include "base/attributes.h"

struct wakeup_member {
	bool is_known;
	uint32_t process;
	uint64_t off_ns; /* when it last left its CPU */
};

struct wakeup_family {
	uint32_t parent; /* a process's id plus 1; 0: not known */
	uint32_t living; /* number of its threads */
	/* the last thread of a child that has ended, and when; plus 1; 0: none */
	uint32_t ended;
	uint64_t ended_ns;
};

/* Zeroed is empty. */
struct wakeup_families {
	struct wakeup_member *members; /* by thread id */
	size_t member_capacity;
	struct wakeup_family *processes; /* by process id */
	size_t process_capacity;
};

void wakeup_families_finish(struct wakeup_families *families);

/* Adds a thread. Returns false if out of memory. */
SPROF_MUST_USE bool wakeup_families_know(
	struct wakeup_families *families, const struct sprof_thread *thread);
/* The thread has created another one. Returns false if out of memory. */
SPROF_MUST_USE bool wakeup_families_born(struct wakeup_families *families,
	const struct sprof_thread *creator, const struct sprof_thread *born);

/* In order of time: a thread leaves its CPU; it has ended. */
void wakeup_families_off(struct wakeup_families *families, uint32_t thread, uint64_t time_ns);
void wakeup_families_end(struct wakeup_families *families, uint32_t thread, uint64_t time_ns);
/*
 * sprof has woken the thread. If a child of its process has ended while it slept, returns the
 * child's last thread, once; else UINT32_MAX.
 */
uint32_t wakeup_families_take_end(struct wakeup_families *families, uint32_t sleeper);
