/*
 * Turns breakpoint stops into events. A stop reads the registers and the return address, copies the
 * stack if wanted, and sets a breakpoint at a return address that has none yet.
 *
 * The tracer moves to the CPU of the thread that it serves: the stop is then a context switch on
 * one CPU, which takes half the time of waking another CPU. That does not help if several threads
 * stop alternately.
 *
 * Does not choose the functions to watch.
 */
#include "events/functions/breakpoint-events.h"

#include <stdlib.h>
#include <string.h>

#include "attach/breakpoints/breakpoints.h"
#include "attach/breakpoints/displace.h"
#include "attach/proc/maps-query.h"
#include "attach/proc/maps.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/proc.h"
#include "events/functions/follow-cpu.h"
#include "events/functions/jumps.h"
#include "events/functions/return-stack.h"

/* The places of values; the catalogue's (events/event-type.c). */
enum { NUMBER, IP, SP, ARGUMENTS, RESULT = ARGUMENTS };

enum { WAY_BITS = 3 };

/* With `times`: where the thread runs is looked up at every eighth stop. */
enum { LOOK_WHERE = 8 };

struct thread_calls {
	struct sprof_return_stack returns;
	struct sprof_breakpoint_load load;
	bool has_stack;                        /* its own stack was looked for */
	uint64_t passed_ns;                    /* when it last continued */
	struct sprof_proc_schedstat schedstat; /* at its last stop */
};

struct sprof_breakpoint_events {
	struct sprof_breakpoint_options options;
	struct sprof_target *target;
	const struct sprof_event_stacks *stacks; /* NULL: not offered yet */
	struct sprof_follow_cpu cpu;
	uint64_t passed_ns;           /* when the last thread continued */
	uint64_t gone;                /* how often a breakpoint was removed for a moment */
	struct thread_calls *threads; /* by the thread's id */
	size_t thread_count;
	bool is_suspended;
	bool out_of_memory;
};

struct sprof_breakpoint_events *sprof_breakpoint_events_create(
	const struct sprof_breakpoint_options *options)
{
	struct sprof_breakpoint_events *events = calloc(1, sizeof(*events));

	if (!events)
		return NULL;
	events->options = *options;
	return events;
}

void sprof_breakpoint_events_destroy(struct sprof_breakpoint_events *events)
{
	if (!events)
		return;
	for (size_t i = 0; i < events->thread_count; i++)
		sprof_return_stack_finish(&events->threads[i].returns);
	free(events->threads);
	free(events);
}

/* Return addresses, and jumps to a function's own start, have the tag 0. */
static uint32_t tag_of(int64_t number, enum sprof_breakpoint_way way)
{
	return ((uint32_t)number + 1) << WAY_BITS | way;
}

static int64_t number_of(uint32_t tag)
{
	return (int64_t)(tag >> WAY_BITS) - 1;
}

static enum sprof_breakpoint_way way_of(uint32_t tag)
{
	return tag & ((1 << WAY_BITS) - 1);
}

bool sprof_breakpoint_events_add(struct sprof_process *process, uint64_t address, int64_t number,
	enum sprof_breakpoint_way way)
{
	return sprof_breakpoint_insert(process, address, tag_of(number, way));
}

/* Returns NULL if out of memory. */
static struct thread_calls *calls_of(
	struct sprof_breakpoint_events *events, const struct sprof_thread *thread)
{
	size_t capacity = events->thread_count;

	if (thread->id >= capacity) {
		if (!sprof_array_reserve(
			    &events->threads, &capacity, thread->id + 1, sizeof(*events->threads)))
			return NULL;
		events->thread_count = capacity;
	}
	return &events->threads[thread->id];
}

static enum sprof_stack_kind kind_of(const struct thread_calls *calls, uint64_t sp)
{
	if (!calls || !calls->returns.place.high)
		return SPROF_STACK_UNKNOWN;
	return sprof_own_stack_has(&calls->returns.place, sp) ? SPROF_STACK_OWN : SPROF_STACK_OTHER;
}

static void give(struct sprof_breakpoint_events *events, const struct sprof_thread *thread,
	uint64_t time_ns, enum sprof_trace_type type, const struct sprof_trace_value *fields,
	uint32_t stack)
{
	const struct sprof_trace_event event = {
		.time_ns = time_ns,
		.thread = thread->id,
		.pid = thread->process->pid,
		.tid = thread->tid,
		.cpu = -1,
		.type = type,
		.stack_kind = kind_of(calls_of(events, thread), (uint64_t)fields[SP].integer),
		.stack = stack,
		.fields = fields,
	};

	if (!events->options.sink.event(events->options.sink.data, &event))
		events->out_of_memory = true;
}

/*
 * The chosen version may be watched already: another module's relocations call the resolver again.
 */
static void watch_chosen(struct sprof_thread *thread, const struct sprof_regs *regs, int64_t number)
{
	const uint64_t chosen = (uint64_t)sprof_regs_result(regs);

	if (!sprof_breakpoint_is_tagged(thread->process, chosen))
		(void)!sprof_breakpoint_events_add(
			thread->process, chosen, number, SPROF_BREAKPOINT_CALL);
}

static void give_return(struct sprof_breakpoint_events *events, struct sprof_thread *thread,
	const struct sprof_regs *regs, int64_t number)
{
	const struct sprof_trace_value fields[] = {{.integer = number},
		{.integer = (int64_t)regs->values[SPROF_REG_PC]},
		{.integer = (int64_t)regs->values[SPROF_REG_SP]},
		{.integer = (int64_t)sprof_regs_result(regs)}};

	give(events, thread, sprof_clock_now_ns(), SPROF_TRACE_RETURN, fields, 0);
}

static void take_returns(struct sprof_breakpoint_events *events, struct sprof_thread *thread,
	const struct sprof_regs *regs)
{
	const uint64_t pc = regs->values[SPROF_REG_PC], sp = regs->values[SPROF_REG_SP];
	struct thread_calls *calls = calls_of(events, thread);
	struct sprof_return returned;

	while (calls && sprof_return_stack_leave(&calls->returns, pc, sp, &returned)) {
		if (way_of(returned.tag) == SPROF_BREAKPOINT_RESOLVER)
			watch_chosen(thread, regs, number_of(returned.tag));
		else
			give_return(events, thread, regs, number_of(returned.tag));
	}
}

/* If a function was entered by a jump with data on top of the stack, the word at sp is data and
 * must not be treated as code. Signal handlers return to an address that does not follow a call. */
static bool is_return_place(const struct sprof_thread *thread, uint64_t address)
{
	const struct sprof_mapping *mapping;
	uint8_t before[SPROF_CALL_MAX];
	uint64_t word;

	if (sprof_breakpoint_is_known(thread->process, address))
		return true;
	mapping = sprof_maps_find(&thread->process->maps, address);
	if (mapping && mapping->executable)
		return true;
	if (!sprof_regs_read_word(thread->tid, address - sizeof(word), &word))
		return false;
	memcpy(before, &word, sizeof(before));
	return sprof_displace_is_behind_call(before);
}

/* The return address is at sp (System V ABI, AMD64 supplement, 3.2.2). Without a breakpoint there,
 * the return is missed. */
static void expect_return(struct sprof_breakpoint_events *events, struct sprof_thread *thread,
	const struct sprof_regs *regs, uint32_t tag)
{
	const uint64_t sp = regs->values[SPROF_REG_SP];
	struct sprof_return call = {.sp = sp + sizeof(call.address), .tag = tag};
	struct thread_calls *calls = calls_of(events, thread);

	if (!sprof_regs_read_word(thread->tid, sp, &call.address) ||
		!is_return_place(thread, call.address) ||
		!sprof_breakpoint_insert(thread->process, call.address, 0))
		return;
	if (!calls || !sprof_return_stack_enter(&calls->returns, &call))
		events->out_of_memory = true;
}

static void leave_calls(struct sprof_breakpoint_events *events, struct sprof_thread *thread,
	const struct sprof_regs *regs, enum sprof_breakpoint_way way)
{
	struct thread_calls *calls = calls_of(events, thread);
	const uint64_t sp = regs->values[SPROF_REG_SP];
	struct sprof_jump jump = {sp, sp + sizeof(uint64_t)};

	if (!calls)
		return;
	if (way == SPROF_BREAKPOINT_CATCH)
		sprof_return_stack_catch(&calls->returns, sp);
	else if (!sprof_jump_read(thread, regs, &jump))
		return;
	else
		sprof_return_stack_jump(&calls->returns, &jump);
	if (events->options.left && kind_of(calls, jump.to) == SPROF_STACK_OWN)
		events->options.left(
			events->options.sink.data, thread->id, jump.to, sprof_clock_now_ns());
}

static bool copy_stack(struct sprof_breakpoint_events *events, struct sprof_thread *thread,
	const struct sprof_regs *regs)
{
	const struct sprof_event_stacks *stacks = events->stacks;

	if (!events->options.stacks || !stacks || !stacks->expect(stacks->data, thread))
		return false;
	/* The walk begins at the instruction itself. */
	sprof_regs_move(thread->tid, regs->values[SPROF_REG_PC]);
	return stacks->copy(stacks->data, thread, false);
}

static void give_begin(struct sprof_breakpoint_events *events, const struct sprof_thread *thread,
	uint64_t time_ns, const struct sprof_regs *regs, int64_t number, uint32_t stack)
{
	struct sprof_trace_value fields[SPROF_TRACE_MAX_VALUES] = {{.integer = number},
		{.integer = (int64_t)regs->values[SPROF_REG_PC]},
		{.integer = (int64_t)regs->values[SPROF_REG_SP]}};
	uint64_t arguments[SPROF_TRACE_ARGUMENTS];

	sprof_regs_parameters(regs, arguments);
	for (int i = 0; i < SPROF_TRACE_ARGUMENTS; i++)
		fields[ARGUMENTS + i].integer = (int64_t)arguments[i];
	give(events, thread, time_ns, SPROF_TRACE_PROBE, fields, stack);
}

static void pass(struct sprof_breakpoint_events *events, struct sprof_thread *thread,
	const struct sprof_regs *regs)
{
	events->gone += sprof_breakpoint_pass(thread, regs);
	events->passed_ns = sprof_clock_now_ns();
}

/*
 * Continues the thread before walking its copy. The call begins no later than that: a tracer that
 * loses its CPU afterwards must not make it shorter.
 */
static void take_begin(struct sprof_breakpoint_events *events, struct sprof_thread *thread,
	const struct sprof_regs *regs, uint32_t tag)
{
	const enum sprof_breakpoint_way way = way_of(tag);
	const bool has_copy = way == SPROF_BREAKPOINT_CALL && copy_stack(events, thread, regs);
	uint32_t stack = 0;
	uint64_t time_ns;

	if (way == SPROF_BREAKPOINT_LOADER && events->options.mapped)
		events->options.mapped(events->options.sink.data, thread->process);
	if (way == SPROF_BREAKPOINT_JUMP || way == SPROF_BREAKPOINT_CATCH)
		leave_calls(events, thread, regs, way);
	if (way == SPROF_BREAKPOINT_RESOLVER ||
		(way == SPROF_BREAKPOINT_CALL && !events->options.begins_only))
		expect_return(events, thread, regs, tag);
	time_ns = sprof_clock_now_ns();
	pass(events, thread, regs);
	if (has_copy && !events->stacks->walk(events->stacks->data, &stack))
		events->out_of_memory = true;
	if (way == SPROF_BREAKPOINT_CALL || way == SPROF_BREAKPOINT_BRIEF)
		give_begin(events, thread, time_ns, regs, number_of(tag), stack);
}

/* Exact, because the thread is on no CPU. */
static void read_times(struct thread_calls *calls, struct sprof_thread *thread)
{
	const struct sprof_proc_schedstat before = calls->schedstat;

	if (!sprof_thread_read_schedstat(thread, &calls->schedstat))
		calls->schedstat = (struct sprof_proc_schedstat){0};
	calls->load.cpu_ns = calls->schedstat.cpu_ns - before.cpu_ns;
	calls->load.runq_ns = calls->schedstat.runq_ns - before.runq_ns;
	calls->load.all_runq_ns = calls->schedstat.runq_ns;
	calls->load.slices = calls->schedstat.timeslices - before.timeslices;
}

/* Records the stop's figures before the thread continues. */
static void begin_load(
	struct sprof_breakpoint_events *events, struct sprof_thread *thread, uint64_t now_ns)
{
	struct thread_calls *calls = calls_of(events, thread);

	if (!calls) {
		events->out_of_memory = true;
		return;
	}
	calls->load.stopped_ns = now_ns;
	calls->load.gap_ns = calls->passed_ns ? now_ns - calls->passed_ns : 0;
	if (!events->options.times)
		return;
	read_times(calls, thread);
	if (calls->load.stops % LOOK_WHERE == 0)
		calls->load.is_elsewhere = sprof_follow_cpu_is_elsewhere(thread);
}

static void end_load(struct sprof_breakpoint_events *events, const struct sprof_thread *thread,
	uint64_t began_ns)
{
	struct thread_calls *calls = calls_of(events, thread);

	if (!calls)
		return;
	calls->passed_ns = events->passed_ns;
	calls->load.stops++;
	calls->load.read_ns += events->passed_ns - began_ns;
}

/* Threads are held meanwhile: only the main thread, once, needs the whole of maps. */
static struct sprof_own_stack own_stack_of(
	const struct sprof_thread *thread, const struct sprof_regs *regs)
{
	const pid_t pid = thread->process->pid;
	const bool is_main = thread->tid == pid;
	struct sprof_own_stack found = {.high = regs->thread_pointer};
	SPROF_AUTO_FREE char *maps = NULL;
	size_t size;

	if (!is_main &&
		sprof_maps_query_start(
			&thread->process->maps_file, pid, regs->thread_pointer, &found.low))
		return found;
	maps = sprof_proc_read_whole(sprof_proc_path(pid, 0, "maps").text, &size);
	if (!maps)
		return (struct sprof_own_stack){0};
	return sprof_own_stack_find(maps, regs, is_main);
}

/* If calls seem to be left, a signal handler may run on an alternate stack at higher addresses. */
static void find_stack(struct sprof_breakpoint_events *events, struct sprof_thread *thread,
	const struct sprof_regs *regs)
{
	struct thread_calls *calls = calls_of(events, thread);

	if (!calls)
		return;
	if (!calls->has_stack)
		calls->returns.place = own_stack_of(thread, regs);
	calls->has_stack = true;
	if (sprof_return_stack_has_left(&calls->returns, regs->values[SPROF_REG_SP]))
		(void)!sprof_alternate_stack_read(thread, regs, &calls->returns.place.alternate);
}

static void take_breakpoint(struct sprof_breakpoint_events *events, const struct sprof_event *event)
{
	const uint64_t now_ns = sprof_clock_now_ns();
	const struct sprof_regs *regs = &event->regs;
	struct sprof_thread *thread = event->thread;
	const uint32_t tag = sprof_breakpoint_tag(thread->process, regs->values[SPROF_REG_PC]);

	begin_load(events, thread, now_ns);
	find_stack(events, thread, regs);
	sprof_follow_cpu_take(&events->cpu, thread);
	if (!events->is_suspended)
		take_returns(events, thread, regs);
	if (tag && !events->is_suspended)
		take_begin(events, thread, regs, tag);
	else
		pass(events, thread, regs);
	end_load(events, thread, now_ns);
}

uint64_t sprof_breakpoint_events_gone(const struct sprof_breakpoint_events *events)
{
	return events->gone;
}

struct sprof_breakpoint_load sprof_breakpoint_events_load(
	const struct sprof_breakpoint_events *events, uint32_t thread)
{
	return thread < events->thread_count ? events->threads[thread].load
					     : (struct sprof_breakpoint_load){0};
}

static void for_each_process(
	struct sprof_breakpoint_events *events, void (*act)(struct sprof_process *process))
{
	struct sprof_process **processes;
	size_t count;

	processes = sprof_target_processes(events->target, &count);
	for (size_t i = 0; i < count; i++)
		act(processes[i]);
}

/* Open calls will get no return. */
void sprof_breakpoint_events_suspend(struct sprof_breakpoint_events *events)
{
	events->is_suspended = true;
	for (size_t i = 0; i < events->thread_count; i++)
		sprof_return_stack_clear(&events->threads[i].returns);
	for_each_process(events, sprof_breakpoints_remove);
}

/* Meanwhile the thread was not stopped: what it did then is not part of the gap before a stop. */
static void begin_gap(struct sprof_breakpoint_events *events, struct sprof_thread *thread)
{
	struct thread_calls *calls = calls_of(events, thread);

	if (!calls) {
		events->out_of_memory = true;
		return;
	}
	calls->passed_ns = sprof_clock_now_ns();
	read_times(calls, thread);
}

void sprof_breakpoint_events_resume(struct sprof_breakpoint_events *events)
{
	struct sprof_thread **threads;
	size_t count;

	events->is_suspended = false;
	if (!events->options.times)
		return;
	threads = sprof_target_threads(events->target, &count);
	for (size_t i = 0; i < count; i++)
		begin_gap(events, threads[i]);
}

static void forget_program(
	struct sprof_breakpoint_events *events, const struct sprof_thread *thread)
{
	struct thread_calls *calls = calls_of(events, thread);

	if (!calls)
		return;
	calls->has_stack = false;
	calls->returns.place = (struct sprof_own_stack){0};
	sprof_return_stack_clear(&calls->returns);
}

static void take(void *data, const struct sprof_event *event)
{
	struct sprof_breakpoint_events *events = data;

	if (event->kind == SPROF_EVENT_EXEC)
		forget_program(events, event->thread);
	if (event->kind == SPROF_EVENT_HELD && event->held == SPROF_HELD_BREAKPOINT)
		take_breakpoint(events, event);
}

static void begin(void *data, struct sprof_target *target)
{
	struct sprof_breakpoint_events *events = data;

	events->target = target;
	sprof_follow_cpu_init(&events->cpu);
}

static bool offer(void *data, const struct sprof_event_stacks *stacks)
{
	struct sprof_breakpoint_events *events = data;

	events->stacks = stacks;
	return true;
}

static uint64_t due_ns(const void *data)
{
	return UINT64_MAX;
}

static bool poll_nothing(void *data, uint64_t now_ns)
{
	const struct sprof_breakpoint_events *events = data;

	return !events->out_of_memory;
}

static void end(void *data, uint64_t now_ns)
{
	struct sprof_breakpoint_events *events = data;

	sprof_follow_cpu_end(&events->cpu);
	for_each_process(events, sprof_breakpoints_remove);
}

struct sprof_event_source sprof_breakpoint_events_source(struct sprof_breakpoint_events *events)
{
	return (struct sprof_event_source){
		.data = events,
		.begin = begin,
		.offer = offer,
		.take = take,
		.due_ns = due_ns,
		.poll = poll_nothing,
		.end = end,
	};
}
