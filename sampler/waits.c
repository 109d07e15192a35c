/*
 * Waits. Knows when something must be looked up and when it is known still; how to read it is
 * attach/'s matter. A thread that waits for a lock does not run when the lock changes hands, so who
 * has it is asked again at every sample (locks.h).
 */
#include "sampler/waits.h"

#include <sys/syscall.h>

#include "attach/kernel-stack.h"
#include "base/clock.h"
#include "sampler/sampler-internal.h"

enum {
	EVENT_AGE_NS = 100 * SPROF_NS_PER_MS
}; /* what is watched together changes, but not for long */

void sprof_waits_finish(struct waits *waits)
{
	sprof_objects_finish(&waits->objects);
	for (size_t i = 0; i < PROCESS_AREAS; i++)
		sprof_areas_finish(&waits->areas[i].areas);
}

static struct process_areas *areas_of(struct waits *waits, pid_t pid)
{
	struct process_areas *areas;

	for (size_t i = 0; i < PROCESS_AREAS; i++) {
		if (waits->areas[i].pid == pid)
			return &waits->areas[i];
	}
	areas = &waits->areas[waits->next_areas++ % PROCESS_AREAS];
	areas->pid = pid;
	areas->tick_ns = 0;
	areas->areas.count = 0;
	return areas;
}

/* Memory comes and goes without a word: what is not found is looked for again once per tick. */
static const struct sprof_area *find_area(
	struct sampler *sampler, const struct sprof_process *process, uint64_t address)
{
	struct process_areas *known = areas_of(&sampler->waits, process->pid);
	const struct sprof_area *area = NULL;

	if (known->generation == process->maps.generation)
		area = sprof_areas_find(&known->areas, address);
	if (area || known->tick_ns == sampler->tick.ns)
		return area;
	known->tick_ns = sampler->tick.ns;
	known->generation = process->maps.generation;
	if (!sprof_areas_read(&known->areas, process->pid))
		known->areas.count = 0;
	return sprof_areas_find(&known->areas, address);
}

/* Where the futex lies. */
static void place(struct sampler *sampler, const struct sprof_thread *thread,
	const struct sprof_proc_syscall *call, struct sprof_wait *wait)
{
	const struct sampling *sampling = thread->sampling;
	const struct sprof_process *process = thread->process;
	bool is_private = sprof_futex_is_private(&sampling->wait.lock.futex);
	const struct sprof_area *area = find_area(sampler, process, wait->address);
	const struct sprof_mapping *code = NULL;

	wait->area = "[anon]";
	wait->offset = wait->address;
	if (!area)
		return;
	if (area->kind == SPROF_AREA_DATA && area->code)
		code = sprof_maps_find(&process->maps, area->code);
	if (code && code->module != SPROF_MAPPING_NO_MODULE) {
		wait->area = NULL;
		wait->module = code->module;
		wait->offset = wait->address - area->base;
	} else if (area->kind == SPROF_AREA_STACK ||
		   (call->sp >= area->start && call->sp < area->end)) {
		wait->area = "[stack]";
		wait->offset = area->end - wait->address;
	} else if (area->kind == SPROF_AREA_SHARED) {
		wait->area = area->name;
		wait->offset = wait->address - area->base;
		wait->shared = !is_private;
	} else if (area->kind == SPROF_AREA_HEAP) {
		wait->area = "[heap]";
		wait->offset = wait->address - area->start;
	}
}

static void look_at_futex(struct sampler *sampler, struct sprof_thread *thread,
	const struct sprof_proc_syscall *call, struct sprof_wait *wait)
{
	struct sampling *sampling = thread->sampling;

	if (!sprof_futex_parse(call->arguments, &sampling->wait.lock.futex))
		return;
	sampling->wait.lock.active = true;
	wait->address = sampling->wait.lock.futex.address;
	wait->lock = sprof_locks_look(sampler, thread);
	place(sampler, thread, call, wait);
}

/*
 * A call that the kernel restarts, after a stop of ours too, has the number of restart_syscall(2), and
 * its arguments still. Returns whether that is so; the number is then the one before.
 */
static bool restore_number(struct thread_wait *wait, struct sprof_proc_syscall *call)
{
	bool restarted = call->number == SYS_restart_syscall && wait->last_sp == call->sp;

	if (restarted)
		call->number = wait->last_call;
	wait->last_call = call->number;
	wait->last_sp = call->number == SYS_restart_syscall ? 0 : call->sp;
	return restarted;
}

/* An event loop's call is the one before. */
static bool is_same_event(const struct thread_wait *wait, const struct sprof_proc_syscall *call,
	const struct sprof_wait_call *known, uint64_t now_ns)
{
	return known->kind == SPROF_WAIT_KIND_EVENT && call->number == wait->call &&
	       call->arguments[0] == wait->argument && wait->found_ns + EVENT_AGE_NS > now_ns;
}

static uint32_t intern(struct sampler *sampler, const struct sprof_wait *wait)
{
	const struct sprof_sink *sink = sampler->parts->sink;
	uint32_t id = SPROF_WAIT_NONE;

	if (!sink->wait(sink->data, wait, &id))
		sampler->out_of_memory = true;
	return id;
}

static uint32_t find_out(struct sampler *sampler, struct sprof_thread *thread,
	const struct sprof_proc_syscall *call, const struct sprof_wait_call *known)
{
	struct sprof_wait wait = {
		.system_call = call->number,
		.kind = call->number < 0 ? SPROF_WAIT_KIND_IO : known->kind,
		.module = SPROF_RECORD_NONE,
	};
	struct sprof_kernel_stack kernel = {.count = 0};
	char object[SPROF_OBJECT_TEXT] = "";

	if (known->argument == SPROF_WAIT_ARGUMENT_FUTEX)
		look_at_futex(sampler, thread, call, &wait);
	else
		sprof_objects_describe(&sampler->waits.objects, thread->process->pid, known,
			call->arguments, object, sizeof(object));
	if (sampler->options->kernel_stacks)
		sprof_kernel_stack_read(thread->process->pid, thread->tid, &kernel);
	wait.object = object[0] ? object : NULL;
	wait.kernel = kernel.frames;
	wait.kernel_count = kernel.count;
	return intern(sampler, &wait);
}

void sprof_waits_look_up(
	struct sampler *sampler, struct sprof_thread *thread, const struct sprof_proc_syscall *said)
{
	struct sampling *sampling = thread->sampling;
	struct sprof_proc_syscall call = *said;
	struct thread_wait *wait = &sampling->wait;
	bool restarted = restore_number(wait, &call);
	const struct sprof_wait_call *known = sprof_wait_call_find(call.number);
	uint64_t begin = sprof_clock_now_ns();

	if (!sampler->parts->sink->wait ||
		(wait->id && call.sp == wait->sp &&
			(restarted || is_same_event(wait, &call, known, sampler->tick.ns))))
		return;
	wait->lock = (struct lock_watch){.active = false};
	wait->id = find_out(sampler, thread, &call, known);
	wait->sp = call.sp;
	wait->call = call.number;
	wait->argument = call.arguments[0];
	wait->found_ns = sampler->tick.ns;
	sampler->quality->waits_looked_up++;
	sampler->quality->wait_ns_total += sprof_clock_now_ns() - begin;
}

uint32_t sprof_waits_running(struct sampler *sampler, struct sprof_thread *thread,
	const struct sprof_proc_syscall *said)
{
	struct sampling *sampling = thread->sampling;
	struct sprof_proc_syscall call = *said;
	const struct sprof_wait_call *known;
	struct sprof_wait wait = {.module = SPROF_RECORD_NONE};
	char object[SPROF_OBJECT_TEXT] = "";

	restore_number(&sampling->wait, &call);
	known = sprof_wait_call_find(call.number);
	wait.system_call = call.number;
	if (!sampler->parts->sink->wait || call.number < 0)
		return SPROF_WAIT_NONE;
	if (known->argument == SPROF_WAIT_ARGUMENT_DESCRIPTOR)
		sprof_objects_describe(&sampler->waits.objects, thread->process->pid, known,
			call.arguments, object, sizeof(object));
	wait.object = object[0] ? object : NULL;
	return intern(sampler, &wait);
}
