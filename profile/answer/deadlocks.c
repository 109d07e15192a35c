/*
 * Finds threads whose last samples were in one wait that nothing will end: each waits for the next
 * thread of a cycle, or for a lock whose owner is gone. Threads are not looked at in one instant,
 * so a cycle must be in many successive samples. Does not handle profiles from files, which lack
 * each thread's last samples.
 */
#include "profile/answer/deadlocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/deadlock.h"
#include "profile/classify/boundaries.h"

enum { LEAST_NS = 100 * SPROF_NS_PER_MS };

static bool has_lasted(uint64_t begin_ns, uint64_t end_ns)
{
	return end_ns >= begin_ns + LEAST_NS;
}

/* Whether all threads of a cycle were in it at the same time, and for long enough. */
static bool is_lasting(const struct sprof_profile *profile, const uint32_t *cycles, uint32_t number)
{
	uint64_t begin_ns = 0, end_ns = UINT64_MAX;

	for (size_t i = 0; i < profile->thread_count; i++) {
		const struct sprof_profile_thread *thread = &profile->threads[i];

		if (cycles[i] != number)
			continue;
		if (begin_ns < thread->last_wait.since_ns)
			begin_ns = thread->last_wait.since_ns;
		if (end_ns > thread->last_ns)
			end_ns = thread->last_ns;
	}
	return has_lasted(begin_ns, end_ns);
}

/* Other memory can look like a lock, so functions on the stack must confirm it. */
static bool is_hopeless(
	const struct sprof_profile *profile, const struct sprof_profile_thread *thread)
{
	const struct sprof_last_wait *last = &thread->last_wait;
	const struct sprof_lock_traits *traits;
	enum sprof_lock_kind kind;

	if (last->wait == SPROF_WAIT_NONE || last->holder != SPROF_PROFILE_NONE ||
		!has_lasted(last->since_ns, thread->last_ns))
		return false;
	traits = &profile->waits[last->wait].traits;
	if (!traits->lost_owner && !traits->is_endless)
		return false;
	kind = sprof_profile_lock_of(profile, profile->rows[last->row].stack);
	return kind == SPROF_LOCK_MUTEX || (kind == SPROF_LOCK_RWLOCK && traits->lost_owner);
}

/* A thread that waits for one in a deadlock waits for ever, too. Returns whether one was added. */
static bool spread(const struct sprof_profile *profile, enum sprof_stuck *stuck)
{
	bool is_new = false;

	for (size_t i = 0; i < profile->thread_count; i++) {
		const struct sprof_profile_thread *thread = &profile->threads[i];
		const uint32_t holder = thread->last_wait.holder;

		if (stuck[i] || holder >= profile->thread_count || !stuck[holder] ||
			!has_lasted(thread->last_wait.since_ns, thread->last_ns))
			continue;
		stuck[i] = SPROF_STUCK_BEHIND;
		is_new = true;
	}
	return is_new;
}

bool sprof_profile_find_deadlocks(const struct sprof_profile *profile, enum sprof_stuck *ret_stuck)
{
	const size_t count = profile->thread_count;
	SPROF_AUTO_FREE uint32_t *holders = calloc(count + 1, sizeof(*holders));
	SPROF_AUTO_FREE uint32_t *cycles = calloc(count + 1, sizeof(*cycles));

	if (!holders || !cycles)
		return false;
	for (size_t i = 0; i < count; i++)
		holders[i] = profile->threads[i].last_wait.holder;
	sprof_deadlocks_find(holders, count, cycles);
	for (size_t i = 0; i < count; i++) {
		const bool is_locked = cycles[i] ? is_lasting(profile, cycles, cycles[i])
						 : is_hopeless(profile, &profile->threads[i]);

		ret_stuck[i] = is_locked ? SPROF_STUCK_LOCKED : SPROF_STUCK_NOT;
	}
	while (spread(profile, ret_stuck))
		;
	return true;
}
