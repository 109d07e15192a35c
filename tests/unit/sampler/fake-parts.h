/*
 * Shared by the parts of the fake world.
 */
#pragma once

#include "base/clock.h"
#include "tests/unit/sampler/fake-world.h"

#define US ((uint64_t)SPROF_NS_PER_US)
#define MS ((uint64_t)SPROF_NS_PER_MS)

/* The world of the run: what the sampler asks of it does not say which one. */
extern struct fake_world *fake_current;

/* fake-threads.c. Notes the first thing that is wrong. */
void fake_wrong(struct fake_world *world, const struct fake_thread *thread, const char *what);
enum doing fake_doing(const struct fake_thread *thread);
/* Of one that runs, as of the kernel's last tick, or of when it got its CPU. */
uint64_t fake_known_cpu_ns(const struct fake_world *world, const struct fake_thread *thread);
bool fake_runs(enum doing doing);
bool fake_is_blocked(enum doing doing);
/* The thread stands in a stop of the sampler. */
bool fake_stands_still(const struct fake_thread *thread);
bool fake_stops_now(const struct fake_world *world, const struct fake_thread *thread);
void fake_begin_act(struct fake_world *world, struct fake_thread *thread);
/* Time passes. */
void fake_pass(struct fake_world *world, uint64_t ns);
/* A question takes some time. NULL: it was not about a thread. */
struct fake_thread *fake_ask(struct fake_world *world, const struct sprof_thread *thread);
/* The pc tells the thread, its program and the act. */
uint64_t fake_pc(const struct fake_thread *thread);

/* fake-kernel.c */
void fake_kernel_init(struct fake_world *world);

/* fake-events.c */
void fake_events_init(struct fake_world *world);
/* From now on the target knows the thread. */
void fake_bear(struct fake_world *world, struct fake_thread *thread);

/* fake-timer.c */
void fake_timer_init(struct fake_world *world);
/* The thread has worked for ns, from that time on. */
void fake_timer_pass(
	struct fake_world *world, struct fake_thread *thread, uint64_t from_ns, uint64_t ns);
/* How a walk of this copy ends, if a timer has made it. */
enum sprof_end fake_timer_end(
	const struct fake_world *world, const struct sprof_snapshot *snapshot);
/* The sp of its outermost frame. */
uint64_t fake_timer_outermost(
	const struct fake_world *world, const struct sprof_snapshot *snapshot);

/* fake-sink.c */
void fake_sink_init(struct fake_world *world);
/* Sampling begins for all threads that there are. */
void fake_mark(struct fake_world *world);
/* Compares all that was reported of the thread, at the end. */
void fake_check_end(struct fake_world *world, struct fake_thread *thread);
