/*
 * What pieces are charged to. The time of a running thread between two samples belongs to the later
 * one, as everywhere in a profile.
 */
#include <string.h>

#include "base/array.h"
#include "base/numbers.h"
#include "profile/classify/own-code.h"
#include "profile/classify/own-place.h"
#include "profile/critical/finder.h"
#include "profile/model/stack-lines.h"

const char *critical_name_of(const struct critical_finder *finder, uint32_t id)
{
	const uint32_t thread = sprof_profile_thread_of(finder->profile, id);

	return thread == SPROF_PROFILE_NONE ? "?" : finder->profile->threads[thread].name;
}

/* Helpers have many callers, so a function alone says little. */
static uint32_t caller_of(
	const struct sprof_profile *profile, uint32_t stack, const struct sprof_own_place *place)
{
	struct sprof_stack_lines at = {.stack = stack};
	const struct sprof_profile_line *line;
	bool is_outside = false;

	while ((line = sprof_stack_lines_next(profile, &at))) {
		if (is_outside && line->function != place->function &&
			sprof_code_of(profile, line->function) >=
				sprof_code_of(profile, place->function))
			return line->function;
		is_outside |= line == place->line;
	}
	return SPROF_PROFILE_NONE;
}

const struct critical_charge *critical_charge_of(struct critical_finder *finder, uint32_t stack)
{
	struct critical_charge *charge = &finder->charges[stack];
	struct sprof_own_place place;

	if (charge->is_known)
		return charge;
	place = sprof_own_place_of(finder->profile, stack);
	*charge = (struct critical_charge){
		true, place.function, caller_of(finder->profile, stack, &place), place.kernel};
	return charge;
}

/* Calls that wait for a disk, and never for a socket. */
static bool is_disk_call(const char *entry)
{
	static const char *const entries[] = {"[fsync]", "[fdatasync]", "[sync]", "[syncfs]",
		"[sync_file_range]", "[msync]", "[pread64]", "[preadv]", "[preadv2]", "[pwrite64]",
		"[pwritev]", "[pwritev2]", "[page fault]"};

	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		if (strcmp(entry, entries[i]) == 0)
			return true;
	}
	return false;
}

bool critical_is_network(
	struct critical_finder *finder, const struct sprof_critical_part *part, uint32_t stack)
{
	uint32_t kernel;

	if (part->kind != SPROF_CRITICAL_SLEEP || part->waker != SPROF_WAKER_SOFT_INTERRUPT)
		return false;
	kernel = critical_charge_of(finder, stack)->kernel;
	return kernel == SPROF_PROFILE_NONE ||
		!is_disk_call(finder->profile->functions[kernel].name);
}

/*
 * What nothing in the target has ended, as far as it is known: perf has no record of some wakings
 * by interrupts of an idle CPU (events/sched/rundelay.h).
 */
static bool is_outside_sleep(
	struct critical_finder *finder, const struct sprof_critical_part *part, uint32_t stack)
{
	return part->kind == SPROF_CRITICAL_SLEEP && !part->is_open &&
		part->waker != SPROF_WAKER_THREAD && part->waker != SPROF_WAKER_SPROF &&
		!critical_is_network(finder, part, stack);
}

/* SPROF_CRITICAL_NO_GROUP: it can't be taken away. */
uint32_t critical_group_of(
	struct critical_finder *finder, const struct sprof_critical_part *part, uint32_t stack)
{
	const bool is_queue = part->kind == SPROF_CRITICAL_QUEUE;
	const struct critical_charge *charge = critical_charge_of(finder, stack);
	const struct critical_group group = {
		.thread = is_queue ? NULL : critical_name_of(finder, part->thread),
		.function = is_queue ? SPROF_PROFILE_NONE : charge->function,
		.caller = is_queue ? SPROF_PROFILE_NONE : charge->caller,
	};
	const uint64_t functions = (uint64_t)group.caller << 32 | group.function;
	uint32_t index;

	if (!is_queue && part->kind != SPROF_CRITICAL_RUN && !is_outside_sleep(finder, part, stack))
		return SPROF_CRITICAL_NO_GROUP;
	if (!is_queue && charge->function == SPROF_PROFILE_NONE)
		return SPROF_CRITICAL_NO_GROUP;
	index = sprof_idmap_find(&finder->group_index, (uintptr_t)group.thread, functions);
	if (index != SPROF_IDMAP_NONE)
		return index;
	index = (uint32_t)finder->group_count;
	if (SPROF_ARRAY_APPEND(
		    finder->groups, finder->group_count, finder->group_capacity, group) &&
		sprof_idmap_put(&finder->group_index, (uintptr_t)group.thread, functions, index))
		return index;
	finder->out_of_memory = true;
	return SPROF_CRITICAL_NO_GROUP;
}

/* Passes the stretches of a piece at one stack each, in order of time. */
void critical_for_each_stretch(struct critical_finder *finder,
	const struct sprof_critical_part *part, uint64_t from_ns, uint64_t to_ns,
	critical_take_stretch *take, void *data)
{
	uint64_t until_ns;

	if (part->kind != SPROF_CRITICAL_RUN) {
		const uint32_t stack = part->kind == SPROF_CRITICAL_SLEEP
			? sprof_critical_stack_of_sleep(&finder->places, part)
			: SPROF_PROFILE_ROOT;

		take(finder, part, stack, to_ns - from_ns, data);
		return;
	}
	for (; from_ns < to_ns; from_ns = until_ns) {
		const uint32_t stack =
			sprof_critical_stack_at(&finder->places, part->thread, from_ns, &until_ns);

		until_ns = sprof_least(until_ns, to_ns);
		take(finder, part, stack, until_ns - from_ns, data);
	}
}
