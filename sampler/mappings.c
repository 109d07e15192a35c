/*
 * When the mappings of a process are read again. They change without a word; a library that was
 * loaded where another one had been is called by the other's names until somebody looks. What can't
 * happen in silence is the use of new memory: its first touch is a page fault, which the kernel counts
 * for each thread. So as long as no thread of a process has had a fault, its mappings are what they
 * were; after one those are asked for that a stack leads through, which costs 0.3 us each, and all are
 * read only when one of them has changed. Where the kernel can't be asked about one mapping, all are
 * read, as often as a fiftieth of one CPU allows.
 */
#include "sampler/sampler-internal.h"

#include "attach/maps-query.h"
#include "base/clock.h"

enum {
	/* And all the same they are looked at again this often while a process does something. */
	AGE_NS = SPROF_NS_PER_S,
	COST_SHARE = 50,
};

static bool is_affordable(const struct sprof_process *process)
{
	return sprof_clock_now_ns() >= process->maps_read_ns + COST_SHARE * process->maps_cost_ns;
}

static void find_go(struct sampler *sampler, struct sprof_process *process)
{
	process->go = sprof_unwinder_find_go(sampler->parts->unwinder, &process->maps);
	process->go_count = sprof_unwinder_go_count(sampler->parts->unwinder);
}

/* True: they have changed. */
static bool read_maps(struct sampler *sampler, struct sprof_process *process)
{
	uint64_t before = process->maps.generation, begin = sprof_clock_own_cpu_ns();

	sprof_process_read_maps(process, sampler->parts->modules);
	process->maps_read_ns = sprof_clock_now_ns();
	process->maps_cost_ns = sprof_clock_own_cpu_ns() - begin;
	process->maps_change = process->change;
	if (process->maps.generation == before)
		return false;
	find_go(sampler, process);
	return true;
}

bool sprof_mappings_read(struct sampler *sampler, struct sprof_process *process)
{
	/* A thread whose stacks lead nowhere would have them read each time. */
	if (process->maps_read_in_vain && !is_affordable(process))
		return false;
	process->maps_read_in_vain = !read_maps(sampler, process);
	return !process->maps_read_in_vain;
}

void sprof_mappings_begin(struct sampler *sampler, struct sprof_process *process)
{
	if (!process->maps_read_ns)
		read_maps(sampler, process);
}

void sprof_mappings_refresh(struct sampler *sampler, struct sprof_process *process)
{
	if (process->maps_read_ns + AGE_NS < sampler->tick.ns)
		read_maps(sampler, process);
	/* A library with Go's runtime is known once a stack has led through it. */
	if (!process->go && process->go_count != sprof_unwinder_go_count(sampler->parts->unwinder))
		find_go(sampler, process);
}

void sprof_mappings_doubt(struct sprof_thread *thread, const struct sprof_proc_stat *stat)
{
	struct sampling *sampling = thread->sampling;
	uint64_t faults = stat->minor_faults + stat->major_faults;

	if (faults == sampling->faults)
		return;
	sampling->faults = faults;
	thread->process->change++;
}

static bool is_of(const struct sprof_mapping *mapping, const struct sprof_frame *frame)
{
	return mapping->executable && mapping->module == frame->module &&
		frame->offset - mapping->offset <= mapping->end - mapping->start;
}

/* The mappings that the frame may be in are what they were; one, but where a file is mapped twice. */
static enum sprof_maps_answer confirm(
	struct sampler *sampler, struct sprof_process *process, const struct sprof_frame *frame)
{
	const struct sprof_module *module =
		sprof_modules_get(sampler->parts->modules, frame->module);

	if (module->kind != SPROF_MODULE_FILE)
		return SPROF_MAPS_SAME;
	for (size_t i = 0; i < process->maps.count; i++) {
		struct sprof_mapping *mapping = &process->maps.items[i];
		enum sprof_maps_answer answer;

		if (!is_of(mapping, frame) || mapping->confirmed == process->change)
			continue;
		answer = sprof_maps_query(&process->maps_file, process->pid, mapping, module);
		process->maps_can_ask = answer != SPROF_MAPS_UNKNOWN;
		if (answer != SPROF_MAPS_SAME)
			return answer;
		mapping->confirmed = process->change;
	}
	return SPROF_MAPS_SAME;
}

bool sprof_mappings_hold(struct sampler *sampler, struct sprof_process *process,
	const struct sprof_stack_view *stack)
{
	enum sprof_maps_answer answer = SPROF_MAPS_SAME;

	if (process->change == process->maps_change)
		return true;
	for (size_t i = 0; i < stack->count && answer == SPROF_MAPS_SAME; i++) {
		if (!i || stack->frames[i].module != stack->frames[i - 1].module)
			answer = confirm(sampler, process, &stack->frames[i]);
	}
	if (answer == SPROF_MAPS_UNKNOWN)
		return !is_affordable(process);
	if (answer == SPROF_MAPS_SAME)
		return true;
	process->maps_read_in_vain = false;
	return false;
}
