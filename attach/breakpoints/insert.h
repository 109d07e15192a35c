/* The table of breakpoints, shared by the files of attach/ that handle them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/breakpoints/displace.h"
#include "attach/breakpoints/slots.h"
#include "base/attributes.h"
#include "base/idmap.h"

struct breakpoint {
	uint64_t address;
	uint32_t tag;
	bool is_followed; /* a system call of the program's; attach/breakpoints/signals.h */
	unsigned followed;
	/* the function's first instruction; the instruction here may jump to it */
	uint64_t loops_to;
	uint8_t original;
	uint8_t code[SPROF_CODE_MAX]; /* original code, without other breakpoints */
	size_t code_size;
	bool is_in;       /* the trap byte is in memory */
	bool is_lent;     /* it was in memory when the table was lent */
	bool is_prepared; /* the fields below are valid */
	struct sprof_displaced displaced;
	uint64_t slot; /* of a COPY */
};

struct sprof_breakpoints {
	unsigned users; /* number of processes */
	int memory;     /* /proc/PID/mem */
	struct breakpoint *items;
	size_t count, capacity;
	struct sprof_idmap by_address;
	struct sprof_code_slots slots;
	uint64_t *scanned; /* starts of the mappings already searched for calls to follow */
	size_t scanned_count, scanned_capacity;
	unsigned restored; /* number of restorations */
	bool is_removed;
	bool is_lent; /* a detached child runs with this memory: insert nothing */
	bool is_over; /* another tracer has a thread: never insert anything again */
};

/* For the memory of this process. Returns NULL if it can't be written, or out of memory. */
SPROF_MUST_USE struct sprof_breakpoints *sprof_trap_table_create(pid_t pid);

/* NULL if there is none, or no table. */
struct breakpoint *sprof_trap_find(const struct sprof_breakpoints *table, uint64_t address);

/* Whether breakpoints may be inserted now. */
bool sprof_trap_table_is_open(const struct sprof_breakpoints *table);

SPROF_MUST_USE bool sprof_trap_table_write(
	const struct sprof_breakpoints *table, uint64_t address, const void *bytes, size_t size);
/* Reads original code, without breakpoints; returns the number of bytes. */
size_t sprof_trap_table_read_code(
	const struct sprof_breakpoints *table, uint64_t address, uint8_t code[SPROF_CODE_MAX]);

/* Writes the trap, or the original byte. */
SPROF_MUST_USE bool sprof_trap_write(
	const struct sprof_breakpoints *table, struct breakpoint *breakpoint, bool is_in);
bool sprof_trap_is_there(
	const struct sprof_breakpoints *table, const struct breakpoint *breakpoint);
/* These two leave code unchanged that has been replaced since. */
void sprof_trap_put_back(const struct sprof_breakpoints *table, struct breakpoint *breakpoint);
void sprof_trap_take_out(const struct sprof_breakpoints *table, struct breakpoint *breakpoint);

/* Whether it is wanted as long as the table is open. */
static inline bool sprof_trap_is_kept(const struct breakpoint *breakpoint)
{
	return breakpoint->tag || breakpoint->is_followed || breakpoint->loops_to;
}

/* Removes all; inserts all that are kept, if the table is open. */
void sprof_trap_table_take_out(struct sprof_breakpoints *table);
void sprof_trap_table_put_back(struct sprof_breakpoints *table);
