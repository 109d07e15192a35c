/*
 * Waits: when a wait must be looked up, and when it is still known. A thread that waits for a lock
 * does not run when the lock changes hands, so every sample asks for the holder again (locks.c).
 * Does not read the waited-for objects.
 */
#include "sampler/account/waits.h"

#include <string.h>
#include <sys/syscall.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/maps-text.h"
#include "blocked/kernel-stack-read.h"

/* Until a wait for an event is looked up again: the watched descriptors may have changed. */
enum { EVENT_AGE_NS = 100 * SPROF_NS_PER_MS };

static size_t read_memory(void *data, pid_t tid, uint64_t address, void *buffer, size_t size)
{
	const struct waits *waits = data;
	const struct sprof_stack_copy *then = waits->then;

	if (!then || address < then->floor || address >= then->limit)
		return waits->run->world->read_memory(
			waits->thread->process, waits->thread->tid, address, buffer, size);
	/* Only the copy of its stack is from that moment. */
	if (address - then->base + size > then->size)
		return 0;
	memcpy(buffer, then->bytes + (address - then->base), size);
	return size;
}

static pid_t process_at(void *data, size_t index)
{
	const struct waits *waits = data;
	const struct processes processes = processes_of(waits->run);

	return index < processes.count ? processes.items[index]->pid : 0;
}

void sprof_waits_init(struct waits *waits, struct run *run)
{
	*waits = (struct waits){.run = run, .locks = {.run = run}};
	waits->access = (struct sprof_blocked_access){waits, read_memory, process_at};
	waits->objects.access = &waits->access;
}

void sprof_waits_finish(struct waits *waits)
{
	sprof_objects_finish(&waits->objects);
	for (size_t i = 0; i < PROCESS_AREAS; i++)
		sprof_areas_finish(&waits->areas[i].areas);
}

struct looking {
	struct waits *waits;
	struct sprof_thread *thread;
	struct sprof_proc_syscall call;
	struct last_call last;                 /* of the thread */
	const struct sprof_blocked_call *kind; /* of the call */
	struct known_wait found;
	uint64_t now_ns;
};

/* Memory appears and disappears silently: an area not found is looked up again once per tick. */
static const struct sprof_area *find_area(const struct looking *looking, uint64_t address)
{
	const struct sprof_process *process = looking->thread->process;
	struct waits *waits = looking->waits;
	struct process_areas *known = waits->areas, *end = known + PROCESS_AREAS;
	const struct sprof_area *area = NULL;
	SPROF_AUTO_FREE char *text = NULL;
	pid_t live_tid;

	while (known < end && known->pid != process->pid)
		known++;
	if (known == end) {
		known = &waits->areas[waits->next_areas++ % PROCESS_AREAS];
		known->pid = process->pid;
		known->read_ns = 0;
		known->areas.count = 0;
	}
	if (known->generation == process->maps.generation)
		area = sprof_areas_find(&known->areas, address);
	if (area || known->read_ns == looking->now_ns)
		return area;
	known->read_ns = looking->now_ns;
	known->generation = process->maps.generation;
	text = sprof_maps_read_text(process->pid, &live_tid);
	if (!text || !sprof_areas_parse(&known->areas, text))
		known->areas.count = 0;
	return sprof_areas_find(&known->areas, address);
}

/* Finds the memory area of the futex. */
static void place(const struct looking *looking, struct sprof_wait *wait)
{
	const struct sprof_process *process = looking->thread->process;
	bool is_private = sprof_futex_is_private(&looking->found.lock.futex);
	const struct sprof_area *area = find_area(looking, wait->address);
	uint64_t sp = looking->call.sp;
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
	} else if (area->kind == SPROF_AREA_STACK || (sp >= area->start && sp < area->end)) {
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

static void look_at_futex(struct looking *looking, struct sprof_wait *wait)
{
	struct lock_watch *lock = &looking->found.lock;
	const struct seen_lock *seen;

	if (!sprof_futex_parse(looking->call.arguments, &lock->futex)) {
		lock->futex = (struct sprof_futex){0};
		return;
	}
	wait->address = lock->futex.address;
	seen = sprof_locks_look(&looking->waits->locks, looking->thread, lock, looking->now_ns);
	wait->lock = seen->kind;
	wait->traits = seen->traits;
	wait->traits.is_limited = lock->futex.is_limited;
	wait->traits.is_endless = sprof_futex_is_endless(&lock->futex, looking->call.sp);
	place(looking, wait);
}

/*
 * A call that the kernel restarts, also after our stop, has the number of restart_syscall(2), but
 * still its arguments. Returns whether it is one; the number is then set to the last call's.
 */
static bool restore_number(struct sampled *sampled, struct sprof_proc_syscall *call)
{
	const struct last_call *last = &sampled->last_call;
	const bool restarted = call->number == SYS_restart_syscall && last->sp == call->sp;

	if (restarted)
		call->number = last->number;
	sampled->last_call = (struct last_call){
		.number = call->number,
		.sp = call->number == SYS_restart_syscall ? 0 : call->sp,
	};
	return restarted;
}

static uint32_t intern(const struct waits *waits, const struct sprof_wait *wait)
{
	uint32_t id = SPROF_WAIT_NONE;

	if (!waits->run->sink->wait(waits->run->sink->data, wait, &id))
		waits->run->out_of_memory = true;
	return id;
}

static uint32_t find_out(struct looking *looking)
{
	const struct sprof_proc_syscall *call = &looking->call;
	const struct sprof_thread *thread = looking->thread;
	struct waits *waits = looking->waits;
	struct sprof_wait wait = {
		.system_call = call->number,
		.kind = call->number < 0 ? SPROF_WAIT_KIND_IO : looking->kind->kind,
		.module = SPROF_RECORD_NONE,
	};
	struct sprof_kernel_stack kernel = {.count = 0};
	char object[SPROF_OBJECT_TEXT] = "";

	if (looking->kind->argument == SPROF_BLOCKED_ARGUMENT_FUTEX)
		look_at_futex(looking, &wait);
	else
		sprof_objects_describe(&waits->objects, thread->process->pid, looking->kind,
			call->arguments, object, sizeof(object));
	if (waits->run->options->kernel_stacks && !waits->then)
		sprof_kernel_stack_read(thread->process->pid, thread->tid, &kernel);
	wait.object = object[0] ? object : NULL;
	wait.kernel = kernel.frames;
	wait.kernel_count = kernel.count;
	return intern(waits, &wait);
}

/* Whether it is still in the call that it was seen in. An event loop repeats its last call. */
static bool is_known(const struct looking *looking, bool restarted)
{
	const struct known_wait *wait = &looking->thread->sampling->wait;
	const struct sprof_proc_syscall *call = &looking->call;

	if (!wait->id || !wait->fresh_until_ns || call->sp != wait->sp)
		return false;
	return restarted ||
		(looking->kind->kind == SPROF_WAIT_KIND_EVENT &&
			call->number == looking->last.number &&
			call->arguments[0] == wait->argument &&
			looking->now_ns < wait->fresh_until_ns);
}

void sprof_waits_look_up(struct waits *waits, struct sprof_thread *thread,
	const struct sprof_proc_syscall *call, uint64_t now_ns)
{
	struct sampled *sampled = thread->sampling;
	struct looking looking = {.waits = waits,
		.thread = thread,
		.call = *call,
		.last = sampled->last_call,
		.now_ns = now_ns};
	struct sprof_quality *quality = waits->run->quality;
	uint64_t begin = now_of(waits->run);
	bool restarted = restore_number(sampled, &looking.call);

	looking.kind = sprof_blocked_call_find(looking.call.number, looking.call.arguments);
	if (!waits->run->sink->wait || is_known(&looking, restarted))
		return;
	looking.found = (struct known_wait){
		.sp = looking.call.sp,
		.argument = looking.call.arguments[0],
		.fresh_until_ns = now_ns,
	};
	if (looking.kind->kind == SPROF_WAIT_KIND_EVENT)
		looking.found.fresh_until_ns += EVENT_AGE_NS;
	waits->thread = thread;
	looking.found.id = find_out(&looking);
	sampled->wait = looking.found;
	quality->waits_looked_up++;
	quality->wait_ns_total += now_of(waits->run) - begin;
}

uint32_t sprof_waits_past(struct waits *waits, struct sprof_thread *thread,
	const struct sprof_proc_syscall *call, const struct sprof_stack_copy *stack)
{
	struct looking looking = {
		.waits = waits,
		.thread = thread,
		.call = *call,
		.kind = sprof_blocked_call_find(call->number, call->arguments),
		.now_ns = now_of(waits->run),
	};
	uint32_t id;

	if (!waits->run->sink->wait)
		return SPROF_WAIT_NONE;
	waits->thread = thread;
	waits->then = stack;
	id = find_out(&looking);
	waits->then = NULL;
	return id;
}

uint32_t sprof_waits_running(
	struct waits *waits, struct sprof_thread *thread, const struct observation *observation)
{
	struct sprof_proc_syscall call = observation->call;
	struct sprof_wait wait = {.module = SPROF_RECORD_NONE};
	const struct sprof_blocked_call *kind;
	char object[SPROF_OBJECT_TEXT] = "";

	restore_number(thread->sampling, &call);
	if (!waits->run->sink->wait || (call.number < 0 && !observation->kernel_count))
		return SPROF_WAIT_NONE;
	waits->thread = thread;
	kind = sprof_blocked_call_find(call.number, call.arguments);
	if (kind->argument == SPROF_BLOCKED_ARGUMENT_DESCRIPTOR) {
		const struct descriptor_look look = {
			.pid = thread->process->pid,
			.number = (int)call.arguments[kind->index],
			.text = object,
			.now_ns = now_of(waits->run),
		};

		sprof_objects_describe(
			&waits->objects, look.pid, kind, call.arguments, object, sizeof(object));
		if (observation->by == OBSERVED_BY_KERNEL &&
			!sprof_descriptors_were_same(
				&waits->descriptors, &look, observation->time_ns))
			object[0] = '\0';
	}
	wait.system_call = call.number;
	wait.object = object[0] ? object : NULL;
	wait.kernel_addresses = observation->kernel;
	wait.kernel_address_count = observation->kernel_count;
	return intern(waits, &wait);
}
