/* Deadlocks: threads that wait for each other in a cycle. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define SPROF_DEADLOCK_NO_HOLDER UINT32_MAX

/*
 * Thread i of `count` waits for a lock held by thread holders[i]; NO_HOLDER (or any number from
 * `count` on): it waits for none, or the holder is unknown. Sets ret_cycles[i] to the number of the
 * cycle that contains thread i, from 1 in the order of each cycle's first thread; 0: in no cycle,
 * even if it waits for a thread in one. A thread that waits for itself is a cycle. Returns the
 * number of cycles. `count` is below 2^31.
 */
uint32_t sprof_deadlocks_find(const uint32_t *holders, size_t count, uint32_t *ret_cycles);
