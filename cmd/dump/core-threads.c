/*
 * Threads of a core: their stacks from registers and memory, and their waits from the system call
 * in the registers. A core has no open files, so descriptors stay numbers. It has no thread states:
 * a thread that is not blocked in a call counts as running. Python frames are read like those of a
 * stopped thread; if they do not fit into the buffer, they are read again with a larger one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/idmap.h"
#include "base/proc.h"
#include "blocked/areas.h"
#include "blocked/call.h"
#include "blocked/futex.h"
#include "blocked/object.h"
#include "cmd/dump/core-look.h"
#include "interp/interp.h"
#include "unwind/goroutine-read.h"
#include "unwind/snapshot.h"

struct core_python {
	const struct sprof_core_look *look;
	struct sprof_interp_memory memory;
	struct sprof_interp_process *process; /* NULL: no interpreter in the core */
	struct sprof_interp_copy *copy;       /* reused for all threads */
};

/* Shared by all threads. */
struct giving {
	const struct sprof_core_look *look;
	const struct sprof_sink *sink;
	struct sprof_blocked_access access;
	struct sprof_objects objects;
	struct sprof_areas areas;
	struct sprof_idmap by_tid; /* (0, tid) -> index */
	struct core_python python;
};

/* A thread's sample while it is made. */
struct taking {
	struct sprof_regs regs;
	uint32_t stack, wait;
	char name[SPROF_COMM_MAX]; /* that the program gave; "": none */
	pid_t holder;              /* 0: of no lock, or not known */
};

enum { TRIES = 8 }; /* each has twice the room */

static size_t read_for_interpreter(void *data, uint64_t address, void *buffer, size_t size)
{
	const struct core_python *python = data;

	return sprof_core_read(python->look->core, address, buffer, size);
}

static void read_pieces(void *data, struct sprof_memory_piece *pieces, size_t count)
{
	for (size_t i = 0; i < count; i++)
		pieces[i].got = read_for_interpreter(
			data, pieces[i].address, pieces[i].buffer, pieces[i].size);
}

/*
 * Looks for an interpreter if look->interp is set. `ret` contains a pointer to itself: don't move
 * it.
 */
static void core_python_begin(const struct sprof_core_look *look, struct core_python *ret)
{
	*ret = (struct core_python){
		.look = look,
		.memory = {ret, read_for_interpreter, read_pieces},
	};
	if (look->interp)
		ret->process = sprof_interp_find(look->interp, &look->maps, &ret->memory, NULL);
}

/*
 * The thread's stack with interpreter frames merged in, and the name that the program gave the
 * thread; "": none. Returns false if out of memory.
 */
static bool core_python_merge(struct core_python *python, pid_t tid,
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

static size_t read_memory(void *data, pid_t tid, uint64_t address, void *buffer, size_t size)
{
	const struct giving *giving = data;

	return sprof_core_read(giving->look->core, address, buffer, size);
}

static pid_t no_process(void *data, size_t index)
{
	return 0;
}

static bool read_word(const void *data, uint64_t address, uint64_t *ret)
{
	return sprof_core_read(data, address, ret, sizeof(*ret)) == sizeof(*ret);
}

static bool is_thread(void *data, pid_t tid)
{
	const struct giving *giving = data;

	return sprof_idmap_find(&giving->by_tid, 0, (uint64_t)tid) != SPROF_IDMAP_NONE;
}

/* The holder of an interpreter's lock is found by its thread state. */
static void find_holder(
	struct giving *giving, const struct sprof_futex *futex, struct sprof_futex_facts *ret)
{
	const struct sprof_futex_threads threads = {giving, is_thread};
	const pid_t pid = giving->look->core->pid;

	*ret = sprof_futex_look(&giving->access, pid, futex, &threads);
	if (ret->lock == SPROF_LOCK_INTERPRETER)
		ret->holder = sprof_futex_interpreter_holder(
			&giving->access, pid, ret->last_holder, &threads);
	if (ret->lock == SPROF_LOCK_INTERPRETER && !ret->holder)
		ret->lock = SPROF_LOCK_UNKNOWN;
}

/* The module and offset of a lock in a file's data. */
static void place(const struct giving *giving, struct sprof_wait *wait)
{
	const struct sprof_area *area = sprof_areas_find(&giving->areas, wait->address);
	const struct sprof_mapping *code = NULL;

	if (area && area->kind == SPROF_AREA_DATA && area->code)
		code = sprof_maps_find(&giving->look->maps, area->code);
	if (!code || code->module == SPROF_MAPPING_NO_MODULE)
		return;
	wait->module = code->module;
	wait->offset = wait->address - area->base;
}

/* Which arguments mean something without the process: no child, no process at another end. */
static bool tells_something(enum sprof_blocked_argument argument)
{
	return argument != SPROF_BLOCKED_ARGUMENT_CHILD &&
		argument != SPROF_BLOCKED_ARGUMENT_WAITID &&
		argument != SPROF_BLOCKED_ARGUMENT_EPOLL;
}

static bool find_wait(struct giving *giving, struct taking *taking)
{
	const struct sprof_blocked_call *call;
	struct sprof_wait wait = {
		.system_call = taking->regs.system_call,
		.module = SPROF_RECORD_NONE,
	};
	char object[SPROF_OBJECT_TEXT] = "";
	struct sprof_futex_facts facts;
	struct sprof_futex futex;
	uint64_t arguments[6];

	sprof_regs_arguments(&taking->regs, arguments);
	call = sprof_blocked_call_find(wait.system_call, arguments);
	wait.kind = call->kind;
	if (call->argument == SPROF_BLOCKED_ARGUMENT_FUTEX &&
		sprof_futex_parse(arguments, &futex)) {
		find_holder(giving, &futex, &facts);
		wait.address = futex.address;
		wait.lock = facts.lock;
		wait.traits = facts.traits;
		wait.traits.is_limited = futex.is_limited;
		wait.traits.is_endless =
			sprof_futex_is_endless(&futex, taking->regs.values[SPROF_REG_SP]);
		taking->holder = facts.holder;
		place(giving, &wait);
	} else if (tells_something(call->argument)) {
		/* No process has id 0: so no live process is examined. */
		sprof_objects_describe(
			&giving->objects, 0, call, arguments, object, sizeof(object));
	}
	wait.object = object[0] ? object : NULL;
	return giving->sink->wait(giving->sink->data, &wait, &taking->wait);
}

static size_t read_for_go(void *data, uint64_t address, void *buffer, size_t size)
{
	return sprof_core_read(data, address, buffer, size);
}

/* Reads what Go's runtime recorded about the stacks that the thread left. */
static void find_goroutine(
	const struct sprof_core_look *look, pid_t tid, struct sprof_snapshot *snapshot)
{
	const struct sprof_goroutine_reading reading = {
		.data = (void *)look->core,
		.read_memory = read_for_go,
		.thread_pointer = snapshot->regs.thread_pointer,
		.runtime = sprof_unwinder_find_go(look->unwinder, &look->maps),
		.own_tid = tid,
		.wants_system = true,
	};

	if (!sprof_goroutine_read(&reading, &snapshot->regs, &snapshot->goroutine))
		snapshot->goroutine = (struct sprof_goroutine){0};
}

static bool give_stack(struct giving *giving, pid_t tid, struct taking *taking)
{
	const struct sprof_core_look *look = giving->look;
	const struct sprof_snapshot_memory memory = {look->core, read_word};
	const uint64_t sp = taking->regs.values[SPROF_REG_SP];
	const struct sprof_core_piece *piece = sprof_core_find(look->core, sp);
	struct sprof_snapshot snapshot = {.regs = taking->regs, .memory = &memory};
	struct sprof_stack_view stack;

	if (piece && piece->size)
		snapshot.stack = (struct sprof_stack_copy){
			.base = piece->start,
			.size = piece->size,
			.bytes = piece->bytes,
			.floor = piece->start,
			.limit = piece->end,
		};
	find_goroutine(look, tid, &snapshot);
	stack = sprof_unwinder_walk(look->unwinder, &snapshot, &look->maps);
	return core_python_merge(&giving->python, tid, &snapshot, &stack, taking->name) &&
		giving->sink->stack(giving->sink->data, &stack, &taking->stack);
}

static bool give_thread(struct giving *giving, uint32_t id, struct taking *taking)
{
	const struct sprof_core *core = giving->look->core;
	const struct sprof_core_thread *thread = &core->threads[id];
	struct sprof_thread_record record = {
		.id = id,
		.pid = core->pid,
		.tid = thread->tid,
		.name = thread->tid == core->pid ? core->name : "",
	};

	*taking = (struct taking){.wait = SPROF_WAIT_NONE};
	if (!giving->sink->thread(giving->sink->data, &record))
		return false;
	/* Registers of another size are those of 32-bit code: the stack stays empty. */
	if (sprof_regs_from_core(thread->registers, thread->registers_size, &taking->regs) &&
		thread->system_call >= 0)
		taking->regs.system_call = thread->system_call;
	if (!give_stack(giving, thread->tid, taking))
		return false;
	/* The leader has the process's name, also in a process forked by a Python thread. */
	record.name = taking->name;
	if (thread->tid != core->pid && taking->name[0] &&
		!giving->sink->thread(giving->sink->data, &record))
		return false;
	return !sprof_regs_was_waiting(&taking->regs) || find_wait(giving, taking);
}

static bool give_sample(const struct giving *giving, uint32_t id, const struct taking *taking)
{
	const struct sprof_holder holder = {
		.thread = taking->holder
			? sprof_idmap_find(&giving->by_tid, 0, (uint64_t)taking->holder)
			: SPROF_RECORD_NONE,
		.stack = SPROF_RECORD_NONE,
	};
	const struct sprof_sample sample = {
		.thread = id,
		.stack = taking->stack,
		.state = taking->wait == SPROF_WAIT_NONE ? SPROF_STATE_USER : SPROF_STATE_SLEEP,
		.wait = taking->wait,
		.holder = holder.thread == SPROF_RECORD_NONE ? NULL : &holder,
	};

	return giving->sink->sample(giving->sink->data, &sample);
}

static bool give_all(struct giving *giving)
{
	const struct sprof_core *core = giving->look->core;
	SPROF_AUTO_FREE struct taking *taking = calloc(core->thread_count, sizeof(*taking));
	const uint32_t count = (uint32_t)core->thread_count;

	if (!taking || !sprof_areas_parse(&giving->areas, giving->look->maps_text))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		if (!sprof_idmap_put(&giving->by_tid, 0, (uint64_t)core->threads[i].tid, i))
			return false;
	}
	for (uint32_t i = 0; i < count; i++) {
		if (!give_thread(giving, i, &taking[i]))
			return false;
	}
	for (uint32_t i = 0; i < count; i++) {
		if (!give_sample(giving, i, &taking[i]))
			return false;
	}
	return true;
}

bool sprof_core_threads_give(
	const struct sprof_core_look *look, const struct sprof_sink *sink, struct sprof_error *err)
{
	struct giving giving = {.look = look, .sink = sink};
	bool ok;

	giving.access = (struct sprof_blocked_access){&giving, read_memory, no_process};
	giving.objects.access = &giving.access;
	core_python_begin(look, &giving.python);
	ok = give_all(&giving);
	sprof_interp_copy_destroy(giving.python.copy);
	sprof_interp_process_destroy(giving.python.process);
	sprof_objects_finish(&giving.objects);
	sprof_areas_finish(&giving.areas);
	sprof_idmap_finish(&giving.by_tid);
	return ok || sprof_error_no_memory(err);
}
