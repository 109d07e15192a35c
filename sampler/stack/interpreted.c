/*
 * Gives interp/ the memory of a process, and keeps what it remembers of processes and threads. Does
 * not know any language.
 */
#include "interp/interp.h"
#include "sampler/observation.h"
#include "sampler/sampled.h"
#include "sampler/stack/copy.h"

/*
 * The process whose memory is read, and the thread to read it through: once the leader has ended,
 * its id has no memory.
 */
struct reader {
	const struct sprof_world *world;
	struct sprof_process *process;
	pid_t tid;
	struct sprof_interp_memory memory;
};

static void read_pieces(void *data, struct sprof_memory_piece *pieces, size_t count)
{
	const struct reader *reader = data;

	reader->world->read_pieces(reader->process, reader->tid, pieces, count);
}

static size_t read_memory(void *data, uint64_t address, void *buffer, size_t size)
{
	struct sprof_memory_piece piece = {.address = address, .buffer = buffer, .size = size};

	read_pieces(data, &piece, 1);
	return piece.got;
}

static const struct sprof_interp_memory *begin(struct reader *reader,
	const struct sprof_world *world, struct sprof_process *process, pid_t tid)
{
	*reader = (struct reader){world, process, tid, {reader, read_memory, read_pieces}};
	return &reader->memory;
}

void sprof_interpreted_find(const struct sprof_world *world, struct sprof_process *process)
{
	struct sampled_process *sampled = process->sampling;
	struct reader reader;

	if (world->interp)
		sampled->script = sprof_interp_find(world->interp, &process->maps,
			begin(&reader, world, process, process->maps.pid), sampled->script);
}

bool sprof_interpreted_prepare(
	const struct sprof_world *world, struct sprof_thread *thread, struct copy_buffer *buffer)
{
	const struct sampled_process *process = thread->process->sampling;
	struct sampled *sampled = thread->sampling;
	struct reader reader;
	const struct sprof_interp_subject subject = {
		.own_tid = sampled->own_tid,
		.thread_pointer = thread->thread_pointer,
	};

	if (!process->script)
		return true;
	return sprof_interp_prepare(process->script,
		begin(&reader, world, thread->process, thread->tid), &subject, &sampled->script,
		&buffer->script);
}

struct sprof_memory_piece *sprof_interpreted_pieces(
	const struct copying *copying, size_t *ret_count)
{
	const struct sampled_process *process = copying->thread->process->sampling;
	const struct sampled *sampled = copying->thread->sampling;

	if (!process->script || !sampled->script || !copying->buffer->script)
		return NULL;
	return sprof_interp_pieces(
		process->script, sampled->script, copying->buffer->script, ret_count);
}

void sprof_interpreted_copy(const struct copying *copying, struct sprof_snapshot *snapshot)
{
	const struct sampled_process *process = copying->thread->process->sampling;
	const struct sampled *sampled = copying->thread->sampling;
	const struct sprof_thread *thread = copying->thread;
	struct reader reader;
	const struct sprof_interp_stack stack = {
		snapshot->stack.base, snapshot->stack.size, snapshot->stack.bytes};
	struct copy_buffer *buffer = copying->buffer;

	snapshot->script = NULL;
	if (!process->script || !sampled->script || !buffer->script)
		return;
	sprof_interp_copy(process->script,
		begin(&reader, copying->world, thread->process, thread->tid), &stack,
		sampled->script, buffer->script);
	snapshot->script = buffer->script;
}

void sprof_interpreted_merge(const struct run *run, const struct observation *observation,
	struct sprof_stack_view *stack)
{
	const struct sprof_world *world = run->world;
	struct sprof_thread *thread = observation->thread;
	const struct sampled_process *process = thread->process->sampling;
	struct sampled *sampled = thread->sampling;
	struct reader reader;

	if (process->script)
		stack->merge = sprof_interp_merge(world->interp, process->script,
			begin(&reader, world, thread->process, thread->tid), sampled->script,
			observation->snapshot->script, stack);
}

bool sprof_interpreted_holds(
	const struct sprof_world *world, struct sprof_thread *thread, uint64_t semaphore)
{
	const struct sampled_process *process = thread->process->sampling;
	struct sampled *sampled = thread->sampling;
	const struct sprof_interp_stack no_stack = {0};
	struct sprof_interp_copy *copy = NULL;
	struct reader reader;
	const struct sprof_interp_memory *memory =
		begin(&reader, world, thread->process, thread->tid);
	const struct sprof_interp_subject subject = {
		.own_tid = sampled->own_tid,
		.thread_pointer = thread->thread_pointer,
	};
	bool holds = false;

	if (sprof_interp_prepare(process->script, memory, &subject, &sampled->script, &copy)) {
		sprof_interp_copy(process->script, memory, &no_stack, sampled->script, copy);
		holds = sprof_interp_holds(process->script, memory, copy, semaphore);
	}
	sprof_interp_copy_destroy(copy);
	return holds;
}

const char *sprof_interpreted_name(const struct sprof_thread *thread)
{
	return thread->sampling->script ? sprof_interp_thread_name(thread->sampling->script) : "";
}

bool sprof_interpreted_was_named(const struct sprof_thread *thread)
{
	return thread->sampling->script && sprof_interp_thread_was_named(thread->sampling->script);
}
