/*
 * Breakpoints in new processes: a child has a copy of its parent's memory or shares it, and may be
 * detached.
 */
#include <linux/kcmp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach/breakpoints/breakpoints.h"
#include "attach/breakpoints/insert.h"
#include "base/array.h"

/* Whether two processes share memory (kcmp(2)). On kernels without kcmp, a vfork child is treated
 * as not sharing: it then changes memory unknown to its parent's table, until its exec. */
static bool share_memory(pid_t one, pid_t other)
{
	return !syscall(SYS_kcmp, one, other, KCMP_VM, 0, 0);
}

static bool copy_into(const struct sprof_breakpoints *from, struct sprof_breakpoints *to)
{
	if (!sprof_array_reserve(&to->items, &to->capacity, from->count + 1, sizeof(*to->items)) ||
		!sprof_array_reserve(&to->scanned, &to->scanned_capacity, from->scanned_count + 1,
			sizeof(*to->scanned)) ||
		!sprof_code_slots_inherit(&from->slots, &to->slots))
		return false;
	for (; to->scanned_count < from->scanned_count; to->scanned_count++)
		to->scanned[to->scanned_count] = from->scanned[to->scanned_count];
	for (; to->count < from->count; to->count++) {
		struct breakpoint *breakpoint = &to->items[to->count];

		*breakpoint = from->items[to->count];
		if (breakpoint->slot && !sprof_code_slots_have(&to->slots, breakpoint->slot))
			breakpoint->is_prepared = false;
		if (!sprof_idmap_put(&to->by_address, 0, breakpoint->address, (uint32_t)to->count))
			return false;
	}
	return true;
}

/* Between the fork and now, the parent's breakpoints may have been removed or inserted again. */
static void look_what_is_in(struct sprof_breakpoints *table, bool is_removed)
{
	for (size_t i = 0; i < table->count; i++) {
		struct breakpoint *breakpoint = &table->items[i];
		const bool is_wanted =
			!is_removed && (breakpoint->is_in || sprof_trap_is_kept(breakpoint));

		breakpoint->is_in = sprof_trap_is_there(table, breakpoint);
		if (is_removed)
			sprof_trap_take_out(table, breakpoint);
		else if (is_wanted && !breakpoint->is_in)
			sprof_trap_put_back(table, breakpoint);
	}
	table->is_removed = is_removed;
}

bool sprof_breakpoints_inherit(const struct sprof_process *parent, struct sprof_process *child)
{
	struct sprof_breakpoints *table = parent->breakpoints;

	if (!table || child->breakpoints)
		return true;
	if (share_memory(parent->pid, child->pid)) {
		table->users++;
		child->breakpoints = table;
		return true;
	}
	child->breakpoints = sprof_trap_table_create(child->pid);
	if (!child->breakpoints || !copy_into(table, child->breakpoints))
		return false;
	look_what_is_in(child->breakpoints, table->is_removed);
	return true;
}

bool sprof_breakpoints_are_shared(const struct sprof_process *process)
{
	return process->breakpoints && process->breakpoints->users > 1;
}

static void lend(struct sprof_breakpoints *table)
{
	for (size_t i = 0; !table->is_lent && i < table->count; i++)
		table->items[i].is_lent = table->items[i].is_in;
	table->is_lent = true;
}

/* A process of one thread that shares its memory is a child of vfork(2), most likely. */
void sprof_breakpoints_let_go(struct sprof_process *process)
{
	struct sprof_breakpoints *table = process->breakpoints;

	if (!table)
		return;
	if (sprof_breakpoints_are_shared(process) && process->threads == 1)
		lend(table);
	else
		table->is_over = true;
	sprof_trap_table_take_out(table);
}

bool sprof_breakpoints_are_lent(const struct sprof_process *process)
{
	return process->breakpoints && process->breakpoints->is_lent;
}

void sprof_breakpoints_take_back(struct sprof_process *process)
{
	struct sprof_breakpoints *table = process->breakpoints;

	if (!sprof_breakpoints_are_lent(process))
		return;
	table->is_lent = false;
	sprof_trap_table_put_back(table);
	for (size_t i = 0; sprof_trap_table_is_open(table) && i < table->count; i++) {
		if (table->items[i].is_lent && !table->items[i].is_in)
			sprof_trap_put_back(table, &table->items[i]);
		table->items[i].is_lent = false;
	}
}
