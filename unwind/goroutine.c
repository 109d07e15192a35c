/*
 * Reads a goroutine's facts from its g. The offsets vary between Go's versions, so fields are
 * identified by their neighbours (runtime/runtime2.go): the status precedes goid; gopc is followed,
 * one word later, by the entry of the goroutine's first function.
 */
#include "unwind/goroutine.h"

#include "unwind/unwind.h"

enum {
	/* In words. */
	FIRST_ID = 19, /* up to Go 1.22, and again from 1.25 on; otherwise one later */
	LAST_ID = 20,
	FIRST_CREATOR = 24,
	MAIN = 1, /* the number of the first goroutine, which the runtime itself starts */
	/* In the word before the id: the status, then an unlocked lock (runtime/runtime2.go,
	 * _Grunnable ...). */
	LAST_STATUS = 9,
	SCANNED = 0x1000, /* the garbage collector scans its stack */
};

static bool is_status(uint64_t word)
{
	uint64_t status = word & ~(uint64_t)SCANNED;

	return status && status <= LAST_STATUS;
}

uint64_t sprof_goroutine_id(const struct sprof_goroutine *goroutine)
{
	if (!goroutine->is_known || !goroutine->g)
		return 0;
	for (size_t i = FIRST_ID; i <= LAST_ID; i++) {
		if (is_status(goroutine->words[i - 1]))
			return goroutine->words[i];
	}
	return 0;
}

uint64_t sprof_unwinder_find_creator(struct sprof_unwinder *unwinder, const struct sprof_maps *maps,
	const struct sprof_goroutine *goroutine)
{
	if (sprof_goroutine_id(goroutine) <= MAIN)
		return 0;
	for (size_t i = FIRST_CREATOR; i + 2 < SPROF_GOROUTINE_WORDS; i++) {
		uint64_t creator = goroutine->words[i];

		if (sprof_unwinder_knows(maps, creator) &&
			sprof_unwinder_is_go_entry(unwinder, maps, goroutine->words[i + 2]))
			return creator;
	}
	return 0;
}
