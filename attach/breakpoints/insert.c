/*
 * Tables of breakpoints: addresses, original code, and whether they are in memory. breakpoints.c
 * continues threads past one; births.c handles new processes.
 */
#include "attach/breakpoints/insert.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/breakpoints/breakpoints.h"
#include "base/array.h"
#include "base/proc.h"

/* int3, and the first byte of its other form, cd 03 */
enum { INT3 = 0xcc, INT = 0xcd, LONG_INT3 = 3 };

static void destroy(struct sprof_breakpoints *table)
{
	if (!table)
		return;
	if (table->memory >= 0)
		close(table->memory);
	free(table->items);
	free(table->scanned);
	sprof_code_slots_finish(&table->slots);
	sprof_idmap_finish(&table->by_address);
	free(table);
}

struct sprof_breakpoints *sprof_trap_table_create(pid_t pid)
{
	struct sprof_breakpoints *table = calloc(1, sizeof(*table));

	if (!table)
		return NULL;
	table->users = 1;
	table->memory = open(sprof_proc_path(pid, 0, "mem").text, O_RDWR | O_CLOEXEC);
	table->slots.memory = table->memory;
	if (table->memory >= 0)
		return table;
	destroy(table);
	return NULL;
}

struct breakpoint *sprof_trap_find(const struct sprof_breakpoints *table, uint64_t address)
{
	const uint32_t index =
		table ? sprof_idmap_find(&table->by_address, 0, address) : SPROF_IDMAP_NONE;

	return index == SPROF_IDMAP_NONE ? NULL : &table->items[index];
}

bool sprof_trap_table_write(
	const struct sprof_breakpoints *table, uint64_t address, const void *bytes, size_t size)
{
	return pwrite(table->memory, bytes, size, (off_t)address) == (ssize_t)size;
}

bool sprof_trap_table_is_open(const struct sprof_breakpoints *table)
{
	return !table->is_removed && !table->is_lent && !table->is_over;
}

bool sprof_trap_write(
	const struct sprof_breakpoints *table, struct breakpoint *breakpoint, bool is_in)
{
	const uint8_t byte = is_in ? INT3 : breakpoint->original;

	if (!sprof_trap_table_write(table, breakpoint->address, &byte, 1))
		return false;
	breakpoint->is_in = is_in;
	return true;
}

size_t sprof_trap_table_read_code(
	const struct sprof_breakpoints *table, uint64_t address, uint8_t code[SPROF_CODE_MAX])
{
	const ssize_t size = pread(table->memory, code, SPROF_CODE_MAX, (off_t)address);

	for (ssize_t i = 0; i < size; i++) {
		const struct breakpoint *breakpoint = sprof_trap_find(table, address + (uint64_t)i);

		if (breakpoint)
			code[i] = breakpoint->original;
	}
	return size < 0 ? 0 : (size_t)size;
}

bool sprof_trap_is_there(const struct sprof_breakpoints *table, const struct breakpoint *breakpoint)
{
	uint8_t byte;

	return pread(table->memory, &byte, 1, (off_t)breakpoint->address) == 1 && byte == INT3;
}

/* By now there may be other code. The trap is not in. */
static bool is_unchanged(const struct sprof_breakpoints *table, const struct breakpoint *breakpoint)
{
	uint8_t code[SPROF_CODE_MAX], first;

	return pread(table->memory, &first, 1, (off_t)breakpoint->address) == 1 &&
		first == breakpoint->original &&
		sprof_trap_table_read_code(table, breakpoint->address, code) ==
		breakpoint->code_size &&
		!memcmp(code + 1, breakpoint->code + 1, breakpoint->code_size - 1);
}

/*
 * Reads the present code, for a new breakpoint, or one whose code was replaced. Returns false if no
 * breakpoint is possible there.
 */
static bool take_code(const struct sprof_breakpoints *table, struct breakpoint *breakpoint)
{
	uint8_t first;

	if (pread(table->memory, &first, 1, (off_t)breakpoint->address) != 1 || first == INT3)
		return false;
	breakpoint->code_size =
		sprof_trap_table_read_code(table, breakpoint->address, breakpoint->code);
	if (first == INT && breakpoint->code_size > 1 && breakpoint->code[1] == LONG_INT3)
		return false;
	breakpoint->code[0] = breakpoint->original = first;
	breakpoint->is_prepared = false;
	breakpoint->displaced = (struct sprof_displaced){0};
	breakpoint->tag = 0;
	breakpoint->is_followed = false;
	breakpoint->loops_to = 0;
	return breakpoint->code_size;
}

static struct breakpoint *add(struct sprof_breakpoints *table, uint64_t address)
{
	struct breakpoint breakpoint = {.address = address};

	if (!take_code(table, &breakpoint) ||
		!sprof_array_reserve(
			&table->items, &table->capacity, table->count + 1, sizeof(*table->items)) ||
		!sprof_idmap_put(&table->by_address, 0, address, (uint32_t)table->count))
		return NULL;
	table->items[table->count] = breakpoint;
	return &table->items[table->count++];
}

/* Other code may have replaced it; only the memory shows that. */
static void check_is_in(const struct sprof_breakpoints *table, struct breakpoint *breakpoint)
{
	if (!breakpoint->is_in || sprof_trap_is_there(table, breakpoint))
		return;
	breakpoint->is_in = false;
	/* even if the same code was loaded again, the slots in its padding are lost */
	breakpoint->code_size = 0;
}

bool sprof_breakpoint_insert(struct sprof_process *process, uint64_t address, uint32_t tag)
{
	struct breakpoint *breakpoint = sprof_trap_find(process->breakpoints, address);

	if (!process->breakpoints)
		process->breakpoints = sprof_trap_table_create(process->pid);
	if (!process->breakpoints)
		return false;
	if (breakpoint)
		check_is_in(process->breakpoints, breakpoint);
	else
		breakpoint = add(process->breakpoints, address);
	if (!breakpoint ||
		(!breakpoint->is_in && !is_unchanged(process->breakpoints, breakpoint) &&
			!take_code(process->breakpoints, breakpoint)))
		return false;
	if (tag)
		breakpoint->tag = tag;
	process->breakpoints->is_removed = false;
	return breakpoint->is_in || !sprof_trap_table_is_open(process->breakpoints) ||
		sprof_trap_write(process->breakpoints, breakpoint, true);
}

bool sprof_breakpoint_insert_loop(struct sprof_process *process, uint64_t address, uint64_t entry)
{
	struct sprof_displaced displaced;
	struct breakpoint *breakpoint;

	if (!sprof_breakpoint_insert(process, address, 0))
		return false;
	breakpoint = sprof_trap_find(process->breakpoints, address);
	sprof_displace(breakpoint->code, breakpoint->code_size, address, &displaced);
	if ((displaced.kind == SPROF_DISPLACE_JUMP || displaced.kind == SPROF_DISPLACE_BRANCH) &&
		displaced.target == entry)
		breakpoint->loops_to = entry;
	return breakpoint->loops_to;
}

bool sprof_breakpoint_is_tagged(const struct sprof_process *process, uint64_t address)
{
	const struct breakpoint *breakpoint = sprof_trap_find(process->breakpoints, address);

	return breakpoint && breakpoint->tag && breakpoint->is_in &&
		sprof_trap_is_there(process->breakpoints, breakpoint);
}

uint32_t sprof_breakpoint_tag(const struct sprof_process *process, uint64_t address)
{
	const struct breakpoint *breakpoint = sprof_trap_find(process->breakpoints, address);

	return breakpoint ? breakpoint->tag : 0;
}

bool sprof_breakpoint_is_known(const struct sprof_process *process, uint64_t address)
{
	return sprof_trap_find(process->breakpoints, address);
}

void sprof_trap_put_back(const struct sprof_breakpoints *table, struct breakpoint *breakpoint)
{
	if (is_unchanged(table, breakpoint))
		(void)!sprof_trap_write(table, breakpoint, true);
}

void sprof_trap_take_out(const struct sprof_breakpoints *table, struct breakpoint *breakpoint)
{
	if (sprof_trap_is_there(table, breakpoint))
		(void)!sprof_trap_write(table, breakpoint, false);
	breakpoint->is_in = false;
}

void sprof_trap_table_take_out(struct sprof_breakpoints *table)
{
	for (size_t i = 0; i < table->count; i++) {
		if (table->items[i].is_in)
			sprof_trap_take_out(table, &table->items[i]);
	}
}

void sprof_trap_table_put_back(struct sprof_breakpoints *table)
{
	for (size_t i = 0; sprof_trap_table_is_open(table) && i < table->count; i++) {
		if (!table->items[i].is_in && sprof_trap_is_kept(&table->items[i]))
			sprof_trap_put_back(table, &table->items[i]);
	}
}

void sprof_breakpoints_remove(struct sprof_process *process)
{
	if (!process->breakpoints)
		return;
	process->breakpoints->is_removed = true;
	sprof_trap_table_take_out(process->breakpoints);
}

void sprof_breakpoints_restore(struct sprof_process *process)
{
	if (!process->breakpoints)
		return;
	process->breakpoints->is_removed = false;
	process->breakpoints->restored++;
	sprof_trap_table_put_back(process->breakpoints);
}

void sprof_breakpoints_forget(struct sprof_process *process)
{
	struct sprof_breakpoints *table = process->breakpoints;

	process->breakpoints = NULL;
	if (!table || --table->users)
		return;
	/* Breakpoints inserted between an exec and its report are in the new program. */
	sprof_trap_table_take_out(table);
	destroy(table);
}
