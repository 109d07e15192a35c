/*
 * Finds cycles where each thread waits for at most one other. Follows the holders from each thread
 * until the path ends or joins itself or an earlier path: each thread is visited once. Does not
 * handle locks with several holders, nor facts from different moments.
 */
#include "base/deadlock.h"

#include <string.h>

/* Marks while ways are followed: the number of the way, from 1; or of a cycle, with this bit. */
#define CYCLE_BIT 0x80000000u

/* Marks the threads of one way. Returns one of the cycle that it ends in; NO_HOLDER: in none. */
static uint32_t follow(
	const uint32_t *holders, size_t count, uint32_t thread, uint32_t way, uint32_t *marks)
{
	while (thread < count && !marks[thread]) {
		marks[thread] = way;
		thread = holders[thread];
	}
	return thread < count && marks[thread] == way ? thread : SPROF_DEADLOCK_NO_HOLDER;
}

static void mark_cycle(const uint32_t *holders, uint32_t thread, uint32_t *marks)
{
	while (!(marks[thread] & CYCLE_BIT)) {
		marks[thread] |= CYCLE_BIT;
		thread = holders[thread];
	}
}

static void number_cycle(const uint32_t *holders, uint32_t thread, uint32_t number, uint32_t *marks)
{
	while (marks[thread] & CYCLE_BIT) {
		marks[thread] = number;
		thread = holders[thread];
	}
}

uint32_t sprof_deadlocks_find(const uint32_t *holders, size_t count, uint32_t *ret_cycles)
{
	uint32_t cycles = 0;

	memset(ret_cycles, 0, count * sizeof(*ret_cycles));
	for (uint32_t i = 0; i < count; i++) {
		uint32_t end = follow(holders, count, i, i + 1, ret_cycles);

		if (end != SPROF_DEADLOCK_NO_HOLDER)
			mark_cycle(holders, end, ret_cycles);
	}
	for (uint32_t i = 0; i < count; i++) {
		if (!(ret_cycles[i] & CYCLE_BIT))
			ret_cycles[i] = 0;
	}
	/* Numbers have no such bit: a cycle is numbered at its first thread. */
	for (uint32_t i = 0; i < count; i++) {
		if (ret_cycles[i] & CYCLE_BIT)
			number_cycle(holders, i, ++cycles, ret_cycles);
	}
	return cycles;
}
