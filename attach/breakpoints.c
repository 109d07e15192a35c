/*
 * Tables of breakpoints: what they hide, where that runs instead, and how a thread goes past. Does not
 * handle what a breakpoint is for, nor that the tracer may die (breakpoints.h).
 *
 * Where a filter of system calls is in force, nothing is mapped: the instructions run in the padding of
 * the code, where they stay. An instruction that can't run elsewhere runs at its place: the breakpoint is gone for that long, and
 * other threads may miss it.
 */
#include "attach/breakpoints.h"

#include <fcntl.h>
#include <linux/kcmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach/displace.h"
#include "attach/resume.h"
#include "attach/code-slots.h"
#include "base/array.h"
#include "base/idmap.h"
#include "base/proc.h"

enum { INT3 = 0xcc };

struct breakpoint {
	uint64_t address;
	uint32_t tag;
	uint8_t original;
	uint8_t code[SPROF_CODE_MAX]; /* what was there, without other breakpoints */
	size_t code_size;
	bool is_in;       /* the byte is in the memory */
	bool is_prepared; /* the rest is known */
	struct sprof_displaced displaced;
	uint64_t slot; /* of a COPY */
};

struct sprof_breakpoints {
	unsigned users; /* processes */
	int memory;     /* /proc/PID/mem */
	struct breakpoint *items;
	size_t count, capacity;
	struct sprof_idmap by_address;
	struct sprof_code_slots slots;
	bool is_removed;
};

bool sprof_breakpoints_are_possible(void)
{
	return sprof_displace_has_decoder();
}

static void destroy(struct sprof_breakpoints *table)
{
	if (!table)
		return;
	if (table->memory >= 0)
		close(table->memory);
	free(table->items);
	sprof_code_slots_finish(&table->slots);
	sprof_idmap_finish(&table->by_address);
	free(table);
}

static struct sprof_breakpoints *create(pid_t pid)
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

/* NULL: there is none. */
static struct breakpoint *find(const struct sprof_breakpoints *table, uint64_t address)
{
	const uint32_t index =
		table ? sprof_idmap_find(&table->by_address, 0, address) : SPROF_IDMAP_NONE;

	return index == SPROF_IDMAP_NONE ? NULL : &table->items[index];
}

static bool write_bytes(
	const struct sprof_breakpoints *table, uint64_t address, const void *bytes, size_t size)
{
	return pwrite(table->memory, bytes, size, (off_t)address) == (ssize_t)size;
}

static bool write_byte(
	const struct sprof_breakpoints *table, struct breakpoint *breakpoint, bool is_in)
{
	const uint8_t byte = is_in ? INT3 : breakpoint->original;

	if (!write_bytes(table, breakpoint->address, &byte, 1))
		return false;
	breakpoint->is_in = is_in;
	return true;
}

/* The code as it was, without breakpoints. */
static size_t read_code(
	const struct sprof_breakpoints *table, uint64_t address, uint8_t code[SPROF_CODE_MAX])
{
	const ssize_t size = pread(table->memory, code, SPROF_CODE_MAX, (off_t)address);

	for (ssize_t i = 0; i < size; i++) {
		const struct breakpoint *breakpoint = find(table, address + (uint64_t)i);

		if (breakpoint)
			code[i] = breakpoint->original;
	}
	return size < 0 ? 0 : (size_t)size;
}

/* By now there may be other code. The trap is not in. */
static bool is_unchanged(const struct sprof_breakpoints *table, const struct breakpoint *breakpoint)
{
	uint8_t code[SPROF_CODE_MAX], first;

	return pread(table->memory, &first, 1, (off_t)breakpoint->address) == 1 &&
		first == breakpoint->original &&
		read_code(table, breakpoint->address, code) == breakpoint->code_size &&
		!memcmp(code + 1, breakpoint->code + 1, breakpoint->code_size - 1);
}

/* What is there now, for a new breakpoint, or one whose code has been replaced. False: none can be there. */
static bool take_code(const struct sprof_breakpoints *table, struct breakpoint *breakpoint)
{
	uint8_t first;

	if (pread(table->memory, &first, 1, (off_t)breakpoint->address) != 1 || first == INT3)
		return false;
	breakpoint->code_size = read_code(table, breakpoint->address, breakpoint->code);
	breakpoint->code[0] = breakpoint->original = first;
	breakpoint->is_prepared = false;
	breakpoint->displaced = (struct sprof_displaced){0};
	breakpoint->tag = 0;
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

bool sprof_breakpoint_insert(struct sprof_process *process, uint64_t address, uint32_t tag)
{
	struct breakpoint *breakpoint = find(process->breakpoints, address);

	if (!process->breakpoints)
		process->breakpoints = create(process->pid);
	if (!process->breakpoints)
		return false;
	if (!breakpoint)
		breakpoint = add(process->breakpoints, address);
	if (!breakpoint ||
		(!breakpoint->is_in && !is_unchanged(process->breakpoints, breakpoint) &&
			!take_code(process->breakpoints, breakpoint)))
		return false;
	if (tag)
		breakpoint->tag = tag;
	process->breakpoints->is_removed = false;
	return breakpoint->is_in || write_byte(process->breakpoints, breakpoint, true);
}

uint32_t sprof_breakpoint_tag(const struct sprof_process *process, uint64_t address)
{
	const struct breakpoint *breakpoint = find(process->breakpoints, address);

	return breakpoint ? breakpoint->tag : 0;
}

bool sprof_breakpoint_is_known(const struct sprof_process *process, uint64_t address)
{
	return find(process->breakpoints, address);
}

/* Behind a first byte there is an instruction only if the first one has a single byte. */
bool sprof_breakpoint_is_certain(const struct sprof_process *process, uint64_t address)
{
	const struct breakpoint *breakpoint = find(process->breakpoints, address);

	return breakpoint && breakpoint->is_in && breakpoint->is_prepared &&
		breakpoint->displaced.size > SPROF_TRAP_SIZE;
}

/* Whether a function of a file is there, and not what a runtime has generated. */
static bool has_function_in(
	const struct sprof_breakpoints *table, const struct sprof_mapping *mapping)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct breakpoint *breakpoint = &table->items[i];

		if (breakpoint->tag && breakpoint->address >= mapping->start &&
			breakpoint->address < mapping->end)
			return true;
	}
	return false;
}

static bool make_slot(
	struct sprof_breakpoints *table, struct breakpoint *breakpoint, struct sprof_thread *thread)
{
	const struct sprof_mapping *mapping =
		sprof_maps_find(&thread->process->maps, breakpoint->address);
	const struct sprof_code_slot_request request = {
		.thread = thread,
		.address = breakpoint->address,
		.displaced = &breakpoint->displaced,
		.padded = mapping && has_function_in(table, mapping) ? mapping : NULL,
	};

	breakpoint->slot = sprof_code_slots_write(&table->slots, &request);
	return breakpoint->slot;
}

static void prepare(
	struct sprof_breakpoints *table, struct breakpoint *breakpoint, struct sprof_thread *thread)
{
	struct sprof_displaced *displaced = &breakpoint->displaced;
	uint8_t code[SPROF_CODE_MAX];

	breakpoint->is_prepared = true;
	sprof_displace(
		code, read_code(table, breakpoint->address, code), breakpoint->address, displaced);
	if (displaced->kind == SPROF_DISPLACE_COPY && !make_slot(table, breakpoint, thread))
		displaced->kind = SPROF_DISPLACE_NEVER;
}

/* The breakpoint is gone while the thread makes one step. */
static void step(
	struct sprof_breakpoints *table, struct breakpoint *breakpoint, struct sprof_thread *thread)
{
	sprof_regs_move(thread->tid, breakpoint->address);
	if (!write_byte(table, breakpoint, false))
		return;
	thread->passing = breakpoint->address;
	thread->after_step = thread->resumption;
	thread->resumption = SPROF_RESUME_ONE_STEP;
}

/* Where the stack has no page yet, the thread makes the call itself, and with it the page. */
static void call(struct sprof_breakpoints *table, struct breakpoint *breakpoint,
	struct sprof_thread *thread, const struct sprof_regs *regs)
{
	const struct sprof_displaced *displaced = &breakpoint->displaced;
	const uint64_t sp = regs->values[SPROF_REG_SP] - sizeof(displaced->next);

	if (write_bytes(table, sp, &displaced->next, sizeof(displaced->next)))
		sprof_regs_call(thread->tid, displaced->target, sp);
	else
		step(table, breakpoint, thread);
}

/* Where it goes on; a step and a call have seen to that themselves. */
static uint64_t way_past(const struct breakpoint *breakpoint, pid_t tid)
{
	const struct sprof_displaced *displaced = &breakpoint->displaced;

	switch (displaced->kind) {
	case SPROF_DISPLACE_COPY:
		return breakpoint->slot;
	case SPROF_DISPLACE_BRANCH:
		if (!sprof_displaced_is_taken(displaced, sprof_regs_flags(tid)))
			return displaced->next;
		return displaced->target;
	case SPROF_DISPLACE_JUMP:
		return displaced->target;
	case SPROF_DISPLACE_CALL:
	case SPROF_DISPLACE_NEVER:
		break;
	}
	return breakpoint->address;
}

/* It came to the breakpoint again before its step: another thread has returned there. */
static void forget_step(struct sprof_thread *thread)
{
	if (!thread->passing)
		return;
	thread->passing = 0;
	thread->resumption = thread->after_step;
}

bool sprof_breakpoint_pass(struct sprof_thread *thread, const struct sprof_regs *regs)
{
	struct sprof_breakpoints *table = thread->process->breakpoints;
	struct breakpoint *breakpoint = find(table, regs->values[SPROF_REG_PC]);

	forget_step(thread);
	if (!breakpoint || !breakpoint->is_in) {
		sprof_regs_move(thread->tid, regs->values[SPROF_REG_PC]);
		sprof_thread_resume(thread);
		return false;
	}
	if (!breakpoint->is_prepared)
		prepare(table, breakpoint, thread);
	if (breakpoint->displaced.kind == SPROF_DISPLACE_NEVER)
		step(table, breakpoint, thread);
	else if (breakpoint->displaced.kind == SPROF_DISPLACE_CALL)
		call(table, breakpoint, thread, regs);
	else
		sprof_regs_move(thread->tid, way_past(breakpoint, thread->tid));
	sprof_thread_resume(thread);
	return thread->passing && thread->process->threads > 1;
}

void sprof_breakpoint_stepped(struct sprof_thread *thread)
{
	struct sprof_breakpoints *table = thread->process->breakpoints;
	struct breakpoint *breakpoint = find(table, thread->passing);

	thread->passing = 0;
	thread->resumption = thread->after_step;
	if (breakpoint && !table->is_removed)
		(void)!write_byte(table, breakpoint, true);
}

void sprof_breakpoint_put_off(struct sprof_thread *thread)
{
	struct sprof_regs regs;

	if (sprof_regs_read(thread->tid, &regs)) {
		thread->put_off.address = thread->passing;
		thread->put_off.sp = regs.values[SPROF_REG_SP];
	}
	sprof_breakpoint_stepped(thread);
}

bool sprof_breakpoint_was_put_off(struct sprof_thread *thread, const struct sprof_regs *regs)
{
	if (regs->values[SPROF_REG_PC] != thread->put_off.address ||
		regs->values[SPROF_REG_SP] != thread->put_off.sp)
		return false;
	thread->put_off.address = 0;
	return true;
}

static bool has_trap(const struct sprof_breakpoints *table, const struct breakpoint *breakpoint)
{
	uint8_t byte;

	return pread(table->memory, &byte, 1, (off_t)breakpoint->address) == 1 && byte == INT3;
}

static void put_back(const struct sprof_breakpoints *table, struct breakpoint *breakpoint)
{
	if (is_unchanged(table, breakpoint))
		(void)!write_byte(table, breakpoint, true);
}

/* Other code never had the trap. */
static void take_out(const struct sprof_breakpoints *table, struct breakpoint *breakpoint)
{
	if (has_trap(table, breakpoint))
		(void)!write_byte(table, breakpoint, false);
	breakpoint->is_in = false;
}

void sprof_breakpoints_remove(struct sprof_process *process)
{
	struct sprof_breakpoints *table = process->breakpoints;

	if (!table)
		return;
	table->is_removed = true;
	for (size_t i = 0; i < table->count; i++) {
		if (table->items[i].is_in)
			take_out(table, &table->items[i]);
	}
}

void sprof_breakpoints_restore(struct sprof_process *process)
{
	struct sprof_breakpoints *table = process->breakpoints;

	if (!table)
		return;
	table->is_removed = false;
	for (size_t i = 0; i < table->count; i++) {
		if (!table->items[i].is_in && table->items[i].tag)
			put_back(table, &table->items[i]);
	}
}

/* Whether two processes have one memory (kcmp(2)). A kernel without it is not asked about vfork: the
 * child then changes what its parent does not know of, until it executes a program. */
static bool share_memory(pid_t one, pid_t other)
{
	return !syscall(SYS_kcmp, one, other, KCMP_VM, 0, 0);
}

static bool copy_into(const struct sprof_breakpoints *from, struct sprof_breakpoints *to)
{
	if (!sprof_array_reserve(&to->items, &to->capacity, from->count + 1, sizeof(*to->items)) ||
		!sprof_code_slots_inherit(&from->slots, &to->slots))
		return false;
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

/* Between the fork and now, a breakpoint of the parent may have been taken out, or put in again. */
static void look_what_is_in(struct sprof_breakpoints *table, bool is_removed)
{
	for (size_t i = 0; i < table->count; i++) {
		struct breakpoint *breakpoint = &table->items[i];
		const bool is_wanted = !is_removed && (breakpoint->is_in || breakpoint->tag);

		breakpoint->is_in = has_trap(table, breakpoint);
		if (is_removed)
			take_out(table, breakpoint);
		else if (is_wanted && !breakpoint->is_in)
			put_back(table, breakpoint);
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
	child->breakpoints = create(child->pid);
	if (!child->breakpoints || !copy_into(table, child->breakpoints))
		return false;
	look_what_is_in(child->breakpoints, table->is_removed);
	return true;
}

bool sprof_breakpoints_are_shared(const struct sprof_process *process)
{
	return process->breakpoints && process->breakpoints->users > 1;
}

void sprof_breakpoints_forget(struct sprof_process *process)
{
	struct sprof_breakpoints *table = process->breakpoints;

	process->breakpoints = NULL;
	if (table && !--table->users)
		destroy(table);
}
