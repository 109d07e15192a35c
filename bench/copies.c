/*
 * Taking stack copies. Knows ptrace and one thread; the copies are as large as the stack, so that
 * no walk ends for lack of one.
 */
#include "bench/copies.h"

#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

#include "attach/proc/memory.h"
#include "base/clock.h"

enum { LARGEST = 1024 * 1024 };

static void copy_stack(
	struct sprof_snapshot *snapshot, pid_t pid, const struct sprof_maps *maps, uint8_t *bytes)
{
	uint64_t base = snapshot->regs.values[SPROF_REG_SP] - SPROF_RED_ZONE;
	const struct sprof_mapping *stack = sprof_maps_find(maps, base);
	size_t size = LARGEST;

	if (stack && stack->end - base < size)
		size = stack->end - base;
	snapshot->stack.base = base;
	snapshot->stack.bytes = bytes;
	snapshot->stack.size = sprof_memory_read(pid, base, bytes, size);
	snapshot->stack.floor = base;
	snapshot->stack.limit = stack ? stack->end : UINT64_MAX;
}

/* False: the target is gone. */
static bool stop_and_copy(struct sprof_snapshot *snapshot, pid_t pid, const struct sprof_maps *maps,
	uint8_t *bytes, int *ret_signal)
{
	int status;

	if (ptrace(PTRACE_INTERRUPT, pid, 0, 0) || waitpid(pid, &status, __WALL) != pid ||
		!WIFSTOPPED(status) || !sprof_regs_read(pid, &snapshot->regs))
		return false;
	copy_stack(snapshot, pid, maps, bytes);
	*ret_signal = status >> 16 ? 0 : WSTOPSIG(status);
	return true;
}

static bool keep(struct copies *copies, const struct sprof_snapshot *snapshot)
{
	struct sprof_snapshot *kept = &copies->items[copies->count];
	uint8_t *bytes = malloc(snapshot->stack.size + 1);

	if (!bytes)
		return false;
	memcpy(bytes, snapshot->stack.bytes, snapshot->stack.size);
	*kept = *snapshot;
	kept->stack.bytes = bytes;
	if (snapshot->stack.size > copies->largest)
		copies->largest = snapshot->stack.size;
	copies->count++;
	return true;
}

bool copies_take(struct copies *copies, pid_t pid, const struct sprof_maps *maps, size_t wanted,
	uint64_t period_ns)
{
	struct timespec pause = {.tv_nsec = (long)period_ns};
	struct sprof_snapshot snapshot = {.home = {0}};
	int signal;

	*copies = (struct copies){
		.items = calloc(wanted, sizeof(*copies->items)),
		.buffer = malloc(LARGEST),
	};
	if (!copies->items || !copies->buffer || ptrace(PTRACE_SEIZE, pid, 0, 0))
		return false;
	while (stop_and_copy(&snapshot, pid, maps, copies->buffer, &signal)) {
		if (!keep(copies, &snapshot))
			return false;
		if (copies->count == wanted)
			break;
		ptrace(PTRACE_CONT, pid, 0, signal);
		nanosleep(&pause, NULL);
	}
	return true;
}

struct sprof_snapshot copies_load(struct copies *copies, size_t index)
{
	struct sprof_snapshot snapshot = copies->items[index];

	memcpy(copies->buffer, snapshot.stack.bytes, snapshot.stack.size);
	snapshot.stack.bytes = copies->buffer;
	return snapshot;
}

void copies_finish(struct copies *copies)
{
	for (size_t i = 0; i < copies->count; i++)
		free((uint8_t *)copies->items[i].stack.bytes);
	free(copies->items);
	free(copies->buffer);
}
