/*
 * A core's thread is read like a stopped one. The memory does not change, so if frames exceed the
 * buffer they are read again with a larger one.
 */
#include "cmd/dump/core-python.h"

#include <stdio.h>

enum { TRIES = 8 }; /* each has twice the room */

static size_t read_memory(void *data, uint64_t address, void *buffer, size_t size)
{
	const struct sprof_core_python *python = data;

	return sprof_core_read(python->look->core, address, buffer, size);
}

static void read_pieces(void *data, struct sprof_memory_piece *pieces, size_t count)
{
	for (size_t i = 0; i < count; i++)
		pieces[i].got =
			read_memory(data, pieces[i].address, pieces[i].buffer, pieces[i].size);
}

void sprof_core_python_begin(const struct sprof_core_look *look, struct sprof_core_python *ret)
{
	*ret = (struct sprof_core_python){
		.look = look,
		.memory = {ret, read_memory, read_pieces},
	};
	if (look->interp)
		ret->process = sprof_interp_find(look->interp, &look->maps, &ret->memory, NULL);
}

void sprof_core_python_finish(struct sprof_core_python *python)
{
	sprof_interp_copy_destroy(python->copy);
	sprof_interp_process_destroy(python->process);
}

bool sprof_core_python_merge(struct sprof_core_python *python, pid_t tid,
	const struct sprof_snapshot *snapshot, struct sprof_stack_view *stack,
	char name[SPROF_COMM_MAX])
{
	const struct sprof_interp_subject subject = {
		.own_tid = tid, .thread_pointer = snapshot->regs.thread_pointer};
	const struct sprof_interp_stack copied = {
		snapshot->stack.base, snapshot->stack.size, snapshot->stack.bytes};
	struct sprof_interp_thread *thread = NULL;
	bool has_memory = true;

	name[0] = '\0';
	if (!python->process)
		return true;
	stack->merge = SPROF_MERGE_TORN;
	for (int i = 0; i < TRIES && has_memory && stack->merge == SPROF_MERGE_TORN; i++) {
		has_memory = sprof_interp_prepare(
			python->process, &python->memory, &subject, &thread, &python->copy);
		if (!has_memory)
			break;
		sprof_interp_copy(python->process, &python->memory, &copied, thread, python->copy);
		stack->merge = sprof_interp_merge(python->look->interp, python->process,
			&python->memory, thread, python->copy, stack);
	}
	if (has_memory)
		snprintf(name, SPROF_COMM_MAX, "%s", sprof_interp_thread_name(thread));
	sprof_interp_thread_destroy(thread);
	return has_memory;
}
