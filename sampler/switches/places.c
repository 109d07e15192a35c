/*
 * A place is the kernel's record of where a thread left its CPU. It becomes a stack and a wait of
 * the sink at once, because the kernel overwrites the ring that it is read from. The waited-for
 * object is looked up a little later, from the call's arguments. Does not handle Go and Python,
 * whose stacks take more than one copy.
 */
#include "sampler/switches/exact.h"

#include "attach/calls/number.h"
#include "base/clock.h"
#include "blocked/call.h"
#include "sampler/stack/copy.h"

enum { WAIT_AGE_NS = 100 * SPROF_NS_PER_MS }; /* as that of events, sampler/account/waits.c */

bool sprof_exact_places_fit(const struct sprof_thread *thread)
{
	const struct sampled_process *process = thread->process->sampling;

	return process && !process->mappings.go && !process->script && !thread->process->denied;
}

static uint32_t find_wait(struct exact_places *places, struct book *book,
	struct sprof_thread *thread, const struct sprof_proc_syscall *call,
	const struct sprof_stack_copy *stack, uint64_t time_ns)
{
	const uint64_t key = ((uint64_t)call->number << 32) ^ call->arguments[0] ^
		call->arguments[0] >> 7 ^ thread->process->id;
	struct exact_wait *known = &places->waits[key * 0x9e3779b97f4a7c15u >> 57];
	/* Its arguments point to something that every call may change. */
	const bool is_fickle = sprof_blocked_call_find(call->number, call->arguments)->kind ==
		SPROF_WAIT_KIND_TIME;

	if (known->process == thread->process->id + 1 && known->number == call->number &&
		known->argument == call->arguments[0] && !is_fickle &&
		time_ns < known->found_ns + WAIT_AGE_NS)
		return known->id;
	*known = (struct exact_wait){
		.process = thread->process->id + 1,
		.id = sprof_waits_past(&book->waits, thread, call, stack),
		.number = call->number,
		.argument = call->arguments[0],
		.found_ns = time_ns,
	};
	return known->id;
}

/* Outside of a call it waits for a page. */
void sprof_exact_places_find(struct exact_places *places, struct book *book,
	struct sprof_thread *thread, const struct sprof_switch_record *record,
	struct off_place *ret)
{
	struct run *run = book->run;
	struct sprof_snapshot snapshot = {
		.regs = record->user.regs,
		.stack = sprof_copy_by_kernel(
			&thread->process->maps, &record->user, SPROF_PERF_STACK_SIZE),
	};
	const struct observation observation = {
		.thread = thread,
		.by = OBSERVED_BY_KERNEL,
		.time_ns = record->time_ns,
		.snapshot = &snapshot,
	};
	const struct threads threads = threads_of(run);
	const struct sprof_thread *reader = thread;
	struct sprof_proc_syscall call;
	struct walked walked;

	/* A thread of the process by which its memory can still be read. */
	for (size_t i = 0; sprof_thread_has_figures(reader) && i < threads.count; i++) {
		if (threads.items[i]->process == thread->process)
			reader = threads.items[i];
	}
	call = sprof_call_at(&snapshot.regs,
		sprof_call_places_find(
			&places->calls, run, reader, &snapshot, &thread->process->maps));
	*ret = (struct off_place){
		.time_ns = record->time_ns,
		.state = call.kind == SPROF_PROC_SYSCALL_INSIDE ? SPROF_STATE_SLEEP
								: SPROF_STATE_DISK,
	};
	if (call.number != SPROF_CALL_NUMBER_UNKNOWN)
		ret->wait =
			find_wait(places, book, thread, &call, &snapshot.stack, record->time_ns);
	walked = sprof_walk(run, &observation);
	ret->is_cut = walked.stack.end == SPROF_END_STACK_COPY ||
		walked.stack.end == SPROF_END_BAD_MEMORY;
	if (!run->sink->stack(run->sink->data, &walked.stack, &ret->stack))
		run->out_of_memory = true;
}
