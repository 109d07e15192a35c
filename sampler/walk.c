/*
 * From a copied stack to one that the sink knows. Knows when mappings are read again for it, and what a
 * walk tells about the next copy; the frames themselves are unwind/'s matter.
 */
#include "base/clock.h"
#include "sampler/sampler-internal.h"

static void grow_copy(struct copy_plan *plan, const struct sprof_goroutine *goroutine)
{
	if (goroutine->is_known)
		sprof_copy_plan_grow_goroutine(plan);
	else
		sprof_copy_plan_grow(plan);
}

/* The goroutine whose stack this is, or is a part of it. */
static uint64_t id_of(const struct sprof_goroutine *goroutine, const struct sprof_stack_view *stack)
{
	if (stack->outermost_sp < goroutine->low || stack->outermost_sp > goroutine->high)
		return 0;
	return sprof_goroutine_id(goroutine);
}

static void find_creator(const struct sampler *sampler, const struct sprof_thread *thread,
	struct sprof_goroutine *goroutine)
{
	goroutine->creator = sprof_unwinder_find_creator(
		sampler->parts->unwinder, &thread->process->maps, goroutine);
}

void sprof_walk_count(
	struct sprof_quality *quality, enum sprof_end end, enum sprof_way way, uint32_t times)
{
	quality->stacks[end] += times;
	if (way == SPROF_WAY_CODE)
		quality->stacks_by_code += times;
	else if (way == SPROF_WAY_FRAME_POINTER)
		quality->stacks_by_frame_pointer += times;
}

struct sprof_walked sprof_walk_copy(struct sampler *sampler, struct sprof_thread *thread,
	struct sprof_snapshot *snapshot)
{
	struct sprof_unwinder *unwinder = sampler->parts->unwinder;
	const struct sprof_sink *sink = sampler->parts->sink;
	struct sampling *sampling = thread->sampling;
	struct sprof_process *process = thread->process;
	uint64_t begin = sprof_clock_now_ns();
	struct sprof_stack_view stack;
	uint32_t id = 0;

	sprof_mappings_refresh(sampler, process);
	if (sampler->options->goroutines)
		find_creator(sampler, thread, &snapshot->goroutine);
	stack = sprof_unwinder_walk(unwinder, snapshot, &process->maps);
	if ((stack.end == SPROF_END_NO_MODULE || stack.end == SPROF_END_BAD_MEMORY ||
		    !sprof_mappings_hold(sampler, process, &stack)) &&
		sprof_mappings_read(sampler, process))
		stack = sprof_unwinder_walk(unwinder, snapshot, &process->maps);
	if (process->denied && stack.end != SPROF_END_ROOT && !snapshot->stack.size)
		stack.end = SPROF_END_DENIED;
	if (stack.end == SPROF_END_STACK_COPY)
		grow_copy(&sampling->copy, &snapshot->goroutine);
	else if (stack.end == SPROF_END_BAD_MEMORY)
		sprof_copy_plan_find_home(&sampling->copy, snapshot);
	else if (stack.end == SPROF_END_ROOT && !snapshot->goroutine.is_known)
		sprof_copy_plan_settle(&sampling->copy, snapshot, stack.outermost_sp);
	sampling->last.goroutine =
		sampler->options->goroutines ? id_of(&snapshot->goroutine, &stack) : 0;
	sampler->quality->unwind_ns_total += sprof_clock_now_ns() - begin;
	sampler->quality->frames += stack.count;
	if (!sink->stack(sink->data, &stack, &id))
		sampler->out_of_memory = true;
	return (struct sprof_walked){.stack = id, .end = stack.end, .way = stack.way};
}
