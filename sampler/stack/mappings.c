/*
 * Decides when the mappings of a process are read again, because the kernel does not report
 * changes. If a library is loaded over another, its functions have the other's names until the next
 * reading. The first use of new memory is a page fault, which the kernel counts for each thread. So
 * while no thread of a process has a fault, the mappings are unchanged. After a fault, sprof asks
 * the kernel about each mapping on a stack, which costs 0.3 us per mapping, and reads all only when
 * one has changed. If the kernel can't be asked about single mappings, all are read, as often as a
 * fiftieth of one CPU allows. The same limit holds for stacks that end outside known code, unless
 * the kernel reports code there.
 */
#include "sampler/stack/mappings.h"

#include "base/clock.h"
#include "base/numbers.h"
#include "sampler/stack/copy.h"

enum {
	/* While a process is active, its mappings are read this often in any case. */
	AGE_NS = SPROF_NS_PER_S,
	COST_SHARE = 50,
	/* On a machine without overload, stopping a running thread takes less. */
	LATE_NS = SPROF_NS_PER_MS,
};

static bool is_affordable(const struct sprof_world *world, const struct known_mappings *known)
{
	return world->now_ns() >= known->read_ns + COST_SHARE * known->cost_ns;
}

static void find_go(const struct sprof_world *world, const struct sprof_process *process)
{
	struct known_mappings *known = &process->sampling->mappings;

	known->go = world->find_go(world->unwinder, &process->maps);
	known->go_count = world->go_count(world->unwinder);
}

/* Returns whether they have changed since our last read: other parts of sprof read them, too. */
static bool read_maps(const struct sprof_world *world, struct sprof_process *process)
{
	struct known_mappings *known = &process->sampling->mappings;
	const uint64_t before = known->generation, begin = world->own_cpu_ns();

	world->read_maps(process, world->modules);
	known->read_ns = world->now_ns();
	known->cost_ns = world->own_cpu_ns() - begin;
	known->read_change = known->change;
	known->generation = process->maps.generation;
	if (process->maps.generation == before)
		return false;
	known->is_unchanged = known->lacks_code = false;
	find_go(world, process);
	sprof_interpreted_find(world, process);
	return true;
}

bool sprof_mappings_read(const struct sprof_world *world, struct sprof_process *process)
{
	struct known_mappings *known = &process->sampling->mappings;

	/* A thread whose stacks lead nowhere would have the mappings read each time. */
	if (known->is_unchanged && !is_affordable(world, known))
		return false;
	known->is_unchanged = !read_maps(world, process);
	return !known->is_unchanged;
}

bool sprof_mappings_seek(
	const struct sprof_world *world, struct sprof_process *process, uint64_t pc)
{
	struct known_mappings *known = &process->sampling->mappings;

	/*
	 * Records from before a change are unwound with the mappings kept for them: what came later
	 * is not theirs.
	 */
	if (!known->is_unchanged || known->lacks_code || known->is_kept || !known->can_ask ||
		!world->has_code(&process->maps_file, process->pid, pc))
		return sprof_mappings_read(world, process);
	known->is_unchanged = known->lacks_code = !read_maps(world, process);
	return !known->is_unchanged;
}

bool sprof_mappings_are_gone(const struct sprof_process *process)
{
	const struct known_mappings *known = &process->sampling->mappings;

	return known->generation &&
		(!process->maps.generation ||
			(process->former_maps.count &&
				process->former_maps.generation == known->generation));
}

void sprof_mappings_begin(const struct sprof_world *world, struct sprof_process *process)
{
	struct known_mappings *known = &process->sampling->mappings;

	if (sprof_mappings_are_gone(process))
		sprof_mappings_forget(known);
	if (!known->read_ns)
		read_maps(world, process);
}

void sprof_mappings_refresh(
	const struct sprof_world *world, struct sprof_process *process, uint64_t now_ns)
{
	const struct known_mappings *known = &process->sampling->mappings;

	if (known->is_kept)
		return;
	if (known->read_ns + AGE_NS < now_ns)
		read_maps(world, process);
	/* A library with Go's runtime is known only after a stack has led through it. */
	if (!known->go && known->go_count != world->go_count(world->unwinder))
		find_go(world, process);
}

void sprof_mappings_forget(struct known_mappings *mappings)
{
	*mappings = (struct known_mappings){
		.change = mappings->change + 1,
		.read_change = mappings->read_change,
		.can_ask = mappings->can_ask,
	};
}

const struct sprof_maps *sprof_mappings_at(const struct sprof_process *process, uint64_t time_ns)
{
	return process->former_maps.count && time_ns < process->former_ns ? &process->former_maps
									  : &process->maps;
}

/* The number of the thread's mappings up to that moment. */
static size_t made_until(const struct sprof_perf_timer_record *record, uint64_t time_ns)
{
	size_t count = 0;

	while (count < record->mapping_count && record->mappings[count].time_ns <= time_ns)
		count++;
	return count;
}

bool sprof_mappings_begin_record(
	struct sprof_process *process, const struct sprof_perf_timer_record *record)
{
	struct known_mappings *known = &process->sampling->mappings;

	known->record = record;
	known->is_kept = record->mapped_ns <= known->read_ns &&
		made_until(record, sprof_most(record->time_ns, known->read_ns)) <
			record->mapping_count;
	return known->is_kept;
}

void sprof_mappings_end_record(struct sprof_process *process)
{
	struct known_mappings *known = &process->sampling->mappings;

	known->record = NULL;
	known->is_kept = false;
}

void sprof_mappings_doubt(struct known_mappings *mappings)
{
	mappings->change++;
}

/* The thread's page faults were read before; in a long tick it may have had more. */
void sprof_mappings_doubt_late(struct known_mappings *mappings, uint64_t tick_ns, uint64_t now_ns)
{
	if (mappings->late_ns == tick_ns || now_ns <= tick_ns + LATE_NS)
		return;
	mappings->late_ns = tick_ns;
	mappings->change++;
}

static bool leads_through(const struct sprof_stack_view *stack, const struct sprof_mapping *mapping)
{
	for (size_t i = 0; i < stack->count; i++) {
		const struct sprof_frame *frame = &stack->frames[i];

		if (mapping->executable && mapping->module == frame->module &&
			frame->offset - mapping->offset <= mapping->end - mapping->start)
			return true;
	}
	return false;
}

/*
 * Whether the mappings on the stack are unchanged: several of a module if its file is mapped twice.
 * A process may have tens of thousands of others, which one comparison each rules out.
 */
static enum sprof_maps_answer confirm(const struct sprof_world *world,
	struct sprof_process *process, const struct sprof_stack_view *stack)
{
	struct known_mappings *known = &process->sampling->mappings;
	uint64_t files = 0;

	/* A bit for each of the stack's modules that is a file; several modules may share one. */
	for (size_t i = 0; i < stack->count; i++) {
		const uint32_t module = stack->frames[i].module;

		if ((!i || module != stack->frames[i - 1].module) &&
			world->is_file(world->modules, module))
			files |= UINT64_C(1) << module % 64;
	}
	for (size_t i = 0; files && i < process->maps.count; i++) {
		struct sprof_mapping *mapping = &process->maps.items[i];
		enum sprof_maps_answer answer;

		if (!(files >> mapping->module % 64 & 1) || mapping->confirmed == known->change ||
			!leads_through(stack, mapping) ||
			!world->is_file(world->modules, mapping->module))
			continue;
		answer = world->ask_mapping(world->modules, process, mapping);
		known->can_ask = answer != SPROF_MAPS_UNKNOWN;
		if (answer != SPROF_MAPS_SAME)
			return answer;
		mapping->confirmed = known->change;
	}
	return SPROF_MAPS_SAME;
}

/* Whether the record's thread made a file's mapping on the stack in (after, until]. */
static bool leads_through_made(const struct sprof_world *world, const struct sprof_process *process,
	const struct sprof_stack_view *stack, uint64_t after_ns, uint64_t until_ns)
{
	const struct sprof_perf_timer_record *record = process->sampling->mappings.record;
	const size_t last = made_until(record, until_ns);

	for (size_t i = made_until(record, after_ns); i < last; i++) {
		for (size_t k = 0; k < process->maps.count; k++) {
			const struct sprof_mapping *mapping = &process->maps.items[k];

			if (mapping->start < record->mappings[i].end &&
				mapping->end > record->mappings[i].start &&
				leads_through(stack, mapping) &&
				world->is_file(world->modules, mapping->module))
				return true;
		}
	}
	return false;
}

bool sprof_mappings_were_replaced(const struct sprof_world *world,
	const struct sprof_process *process, const struct sprof_stack_view *stack)
{
	const struct known_mappings *known = &process->sampling->mappings;

	return known->record &&
		leads_through_made(world, process, stack, known->record->time_ns,
			known->is_kept ? known->read_ns : UINT64_MAX);
}

bool sprof_mappings_hold(const struct sprof_world *world, struct sprof_process *process,
	const struct sprof_stack_view *stack)
{
	struct known_mappings *known = &process->sampling->mappings;
	enum sprof_maps_answer answer;

	if (known->is_kept || known->change == known->read_change)
		return true;
	if (known->record &&
		leads_through_made(world, process, stack, known->read_ns, known->record->time_ns)) {
		known->is_unchanged = false;
		return false;
	}
	answer = confirm(world, process, stack);
	if (answer == SPROF_MAPS_UNKNOWN)
		return !is_affordable(world, known);
	if (answer == SPROF_MAPS_SAME)
		return true;
	known->is_unchanged = false;
	return false;
}
