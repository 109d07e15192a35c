/*
 * Waits. Knows when something must be looked up and when it is known still; how to read it is
 * attach/'s matter. A thread that waits for a lock does not run when the lock changes hands, so who
 * has it is asked again at every sample (locks.h).
 */
#include "sampler/waits.h"

#include <stdlib.h>
#include <sys/syscall.h>

#include "attach/kernel-stack.h"
#include "base/array.h"
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
	sprof_waits_forget_all(waits);
	free(waits->last);
	free(waits->deferred);
}

void sprof_waits_forget(struct waits *waits, const struct sprof_thread *thread)
{
	uint32_t place = sprof_idmap_find(&waits->places, 0, thread->id);

	if (place == SPROF_IDMAP_NONE)
		return;
	sprof_idmap_remove(&waits->places, 0, thread->id);
	waits->last[place] = (struct last_sample){.stack = waits->free_place};
	waits->free_place = place + 1;
}

void sprof_waits_forget_all(struct waits *waits)
{
	sprof_idmap_finish(&waits->places);
	waits->last_count = waits->free_place = 0;
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

/* NULL: it has none yet. */
static struct last_sample *last_of(const struct waits *waits, uint32_t thread)
{
	uint32_t place = sprof_idmap_find(&waits->places, 0, thread);

	return place == SPROF_IDMAP_NONE ? NULL : &waits->last[place];
}

/* A place for the thread's samples. NULL: no memory. */
static struct last_sample *take_place(struct waits *waits, uint32_t thread)
{
	uint32_t place = waits->free_place ? waits->free_place - 1 : (uint32_t)waits->last_count;

	if (!sprof_array_reserve(&waits->last, &waits->last_capacity, (size_t)place + 1,
		    sizeof(*waits->last)) ||
		!sprof_idmap_put(&waits->places, 0, thread, place))
		return NULL;
	if (waits->free_place)
		waits->free_place = waits->last[place].stack;
	else
		waits->last_count++;
	return &waits->last[place];
}

static void note_place(struct sampler *sampler, const struct sprof_thread *thread, uint32_t stack)
{
	struct last_sample *last = last_of(&sampler->waits, thread->id);

	if (!last)
		last = take_place(&sampler->waits, thread->id);
	if (last)
		*last = (struct last_sample){sampler->tick.ns, stack};
	else
		sampler->out_of_memory = true;
}

void sprof_waits_stays(struct sampler *sampler, const struct sprof_thread *thread)
{
	struct last_sample *last = last_of(&sampler->waits, thread->id);

	if (last)
		last->tick_ns = sampler->tick.ns;
}

static void emit(struct sampler *sampler, const struct deferred *deferred)
{
	struct sprof_sample sample = deferred->sample;
	struct sprof_holder holder = {.thread = deferred->holder_id, .stack = SPROF_RECORD_NONE};
	const struct last_sample *last = deferred->holder_id == SPROF_RECORD_NONE
		? NULL
		: last_of(&sampler->waits, deferred->holder_id);

	if (last) {
		sample.holder = &holder;
		/* One that lost its sample, for lack of a CPU, was seen somewhere else. */
		if (last->tick_ns == sample.time_ns)
			holder.stack = last->stack;
	}
	sample.count = deferred->times;
	sprof_sampler_emit(sampler, deferred->thread, &sample);
}

void sprof_waits_emit(struct sampler *sampler, struct sprof_thread *thread, uint32_t times)
{
	struct sampling *sampling = thread->sampling;
	struct waits *waits = &sampler->waits;
	struct deferred deferred = {
		.thread = thread,
		.sample = {.time_ns = sampler->tick.ns,
			.since_ns = sampling->owed.count ? sampling->owed.since_ns : 0,
			.thread = thread->id,
			.stack = sampling->last.stack,
			.state = sampling->last.state,
			.wait = sampling->wait.id},
		.times = times,
		.holder_id = SPROF_RECORD_NONE,
	};

	if (sampling->wait.id && sampling->wait.lock.active)
		sprof_locks_look(sampler, thread);
	note_place(sampler, thread, sampling->last.stack);
	if (!sampling->wait.id || !sprof_locks_is_held(&sampling->wait.lock) ||
		!sprof_array_reserve(&waits->deferred, &waits->deferred_capacity,
			waits->deferred_count + 1, sizeof(*waits->deferred))) {
		emit(sampler, &deferred);
		return;
	}
	deferred.holder_id = sampling->wait.lock.holder_id;
	waits->deferred[waits->deferred_count++] = deferred;
}

void sprof_waits_flush(struct sampler *sampler, const struct sprof_thread *thread)
{
	struct waits *waits = &sampler->waits;
	size_t kept = 0;

	for (size_t i = 0; i < waits->deferred_count; i++) {
		if (!thread || waits->deferred[i].thread == thread)
			emit(sampler, &waits->deferred[i]);
		else
			waits->deferred[kept++] = waits->deferred[i];
	}
	waits->deferred_count = kept;
}
