/*
 * Walks a copied stack. Decides when mappings have to be read again for a walk, and plans the next
 * copy from its result. The frames come from unwind/.
 */
#include "base/numbers.h"
#include "sampler/observation.h"
#include "sampler/sampled.h"
#include "sampler/stack/copy.h"
#include "sampler/stack/mappings.h"

static void grow_copy(const struct observation *observation)
{
	const struct sprof_snapshot *snapshot = observation->snapshot;
	const struct sprof_goroutine *goroutine = &snapshot->goroutine;
	const struct sprof_stack_copy *stack =
		snapshot->stack.limit == goroutine->high ? &snapshot->stack : &snapshot->home;
	struct known_mappings *mappings = &observation->thread->process->sampling->mappings;
	struct copy_plan *copy = &observation->thread->sampling->copy;

	if (!goroutine->is_known)
		sprof_copy_plan_grow(&copy->size);
	/*
	 * A complete goroutine's stack leads to a stack that was not copied: C code called Go. What
	 * one thread needs for that, the others of its process need too.
	 */
	else if (!goroutine->has_system && stack->size &&
		stack->base + stack->size >= goroutine->high)
		mappings->is_go_called = true;
	else
		sprof_copy_plan_grow(&copy->goroutine_size);
}

static struct sprof_stack_view walk(const struct sprof_world *world,
	const struct sprof_snapshot *snapshot, struct sprof_process *process,
	const struct sprof_maps *maps)
{
	struct sprof_stack_view stack = world->walk(world->unwinder, snapshot, maps);
	bool have_changed = false;

	if (maps != &process->maps)
		return stack;
	/* Whether the mappings are others by now. A known change is read in any case. */
	if (!sprof_mappings_hold(world, process, &stack) || stack.end == SPROF_END_BAD_MEMORY)
		have_changed = sprof_mappings_read(world, process);
	else if (stack.end == SPROF_END_NO_MODULE || stack.lost_pc)
		have_changed = sprof_mappings_seek(world, process, stack.lost_pc);
	if (have_changed)
		stack = world->walk(world->unwinder, snapshot, &process->maps);
	if (sprof_mappings_were_replaced(world, process, &stack))
		stack.end = SPROF_END_BAD_MEMORY;
	if (process->denied && stack.end != SPROF_END_ROOT && !snapshot->stack.size)
		stack.end = SPROF_END_DENIED;
	return stack;
}

/*
 * Plans the next copy, and the size of a timer's copy. A stop has room for more, and for a second
 * place.
 */
static void plan(const struct observation *observation, const struct sprof_stack_view *stack)
{
	const struct sprof_snapshot *snapshot = observation->snapshot;
	const uint64_t sp = snapshot->stack.base;
	struct sampled *sampled = observation->thread->sampling;
	struct timed *timed = &sampled->timed;
	const bool sizes_timer = observation->by != OBSERVED_BY_PEEK && !snapshot->home.size;

	if (observation->by == OBSERVED_BY_STOP)
		timed->leads_away = snapshot->home.size || stack->end == SPROF_END_BAD_MEMORY;
	if (sizes_timer && stack->end == SPROF_END_ROOT && stack->outermost_sp > sp)
		timed->needed = sprof_most(timed->needed, stack->outermost_sp - sp);
	if (sizes_timer && stack->end == SPROF_END_STACK_COPY &&
		observation->by == OBSERVED_BY_STOP)
		timed->needed = sprof_most(timed->needed, 2 * snapshot->stack.size);
	if (observation->by == OBSERVED_BY_KERNEL)
		return;
	if (stack->end == SPROF_END_STACK_COPY)
		grow_copy(observation);
	else if (stack->end == SPROF_END_ROOT && !snapshot->goroutine.is_known)
		sprof_copy_settle(&sampled->copy, snapshot, stack->outermost_sp);
}

struct walked sprof_walk(const struct run *run, const struct observation *observation)
{
	const struct sprof_world *world = run->world;
	struct sprof_process *process = observation->thread->process;
	struct sprof_snapshot *snapshot = observation->snapshot;
	struct sprof_goroutine *goroutine = &snapshot->goroutine;
	struct known_mappings *mappings = &process->sampling->mappings;
	const uint64_t begin = now_of(run);
	/* A stack that was not copied by the kernel is of now. */
	const struct sprof_maps *maps = observation->by == OBSERVED_BY_KERNEL
		? sprof_mappings_at(process, observation->time_ns)
		: &process->maps;
	struct walked walked = {.goroutine = 0};

	/* After a late stop it has run since its tick, and may have loaded a library. */
	if (observation->by == OBSERVED_BY_STOP && observation->time_ns != run->tick.ns)
		sprof_mappings_doubt(mappings);
	else if (observation->by == OBSERVED_BY_STOP)
		sprof_mappings_doubt_late(mappings, run->tick.ns, begin);
	if (maps == &process->maps)
		sprof_mappings_refresh(world, process, observation->time_ns);
	if (run->options->goroutines)
		goroutine->creator = world->find_creator(world->unwinder, maps, goroutine);
	walked.stack = walk(world, snapshot, process, maps);
	plan(observation, &walked.stack);
	sprof_interpreted_merge(run, observation, &walked.stack);
	/* The goroutine of this stack, or part of a stack. */
	if (run->options->goroutines && walked.stack.outermost_sp >= goroutine->low &&
		walked.stack.outermost_sp <= goroutine->high)
		walked.goroutine = sprof_goroutine_id(goroutine);
	run->quality->unwind_ns_total += now_of(run) - begin;
	return walked;
}
