/*
 * One tick: for every thread the cheapest way to a sample that is still exact.
 *
 * Reuse: its count of time slices has not moved since it was seen asleep, so it has not executed an
 * instruction. Peek: it sleeps; its stack is copied while it does, and the copy is good if the count
 * stands still over it. Stop: it runs.
 */
#include "sampler/sampler-internal.h"

#include <string.h>

#include "attach/restart.h"
#include "base/clock.h"

enum { CPU_AGE_NS = 50 * SPROF_NS_PER_MS };

static bool same_schedstat(
	const struct sprof_proc_schedstat *one, const struct sprof_proc_schedstat *other)
{
	return one->cpu_ns == other->cpu_ns && one->timeslices == other->timeslices;
}

static enum sprof_state state_of(const struct sprof_thread *thread, char letter)
{
	if (thread->phase == SPROF_THREAD_LISTENING || letter == 'T')
		return SPROF_STATE_STOPPED;
	return letter == 'D' ? SPROF_STATE_DISK : SPROF_STATE_SLEEP;
}

static void repeat(struct sampler *sampler, struct sprof_thread *thread, uint32_t times)
{
	struct sampling *sampling = thread->sampling;

	if (!times || !sprof_mode_takes(sampler->options->mode, sampling->state))
		return;
	if (sprof_owed_more(sampling, times))
		return;
	sprof_waits_emit(sampler, thread, times);
	sampler->quality->samples_reused += times;
	sampler->quality->stacks[sampling->end] += times;
}

void sprof_tick_flush(struct sampler *sampler, struct sprof_thread *thread)
{
	struct sampling *sampling = thread->sampling;

	repeat(sampler, thread, sampling->skipped);
	sampling->slept = sampling->skip = sampling->skipped = 0;
}

/*
 * How many ticks a sleeper need not be looked at. With many threads the look at each is what a tick
 * costs; one that has slept for long goes on sleeping, and if it has, no sample differs. If it has not,
 * up to this many of its samples are a little late: their time comes from the kernel all the same.
 */
static uint32_t patience(const struct sampler *sampler, const struct sampling *sampling)
{
	uint32_t by_sleep = sampling->slept / 2, by_threads = sampler->thread_count / 32;
	uint32_t by_rate = (uint32_t)(sampler->options->rate_hz / 4);
	uint32_t ticks = by_sleep < by_threads ? by_sleep : by_threads;

	return ticks < by_rate ? ticks : by_rate;
}

static void reuse(struct sampler *sampler, struct sprof_thread *thread)
{
	struct sampling *sampling = thread->sampling;

	repeat(sampler, thread, sampling->skipped + 1);
	sampling->slept += sampling->skipped + 1;
	sampling->skipped = 0;
	sampling->skip = patience(sampler, sampling);
	sprof_sampling_charge(sampler, thread);
}

/* The registers that a peek knows, and the frame pointer where a stop in this sleep has found it. */
static void set_regs(const struct sampling *sampling, const struct sprof_proc_syscall *call,
	uint64_t timeslices, struct sprof_regs *ret)
{
	*ret = (struct sprof_regs){.system_call = call->number};
	sprof_regs_set(ret, SPROF_REG_PC, call->pc);
	sprof_regs_set(ret, SPROF_REG_SP, call->sp);
	if (sampling->fp_known && sampling->fp_timeslices == timeslices &&
		sampling->fp_sp == call->sp && sampling->fp_pc == call->pc)
		sprof_regs_set(ret, SPROF_REG_FP, sampling->fp);
}

/* Copies the stack of a sleeper; false when it has moved meanwhile. */
static bool copy_sleeper(struct sampler *sampler, struct sprof_thread *thread,
	const struct sprof_proc_schedstat *before, struct sprof_snapshot *snapshot,
	struct sprof_proc_stat *ret_stat)
{
	const struct sampling *sampling = thread->sampling;
	struct sprof_proc_schedstat after;

	if (!sprof_copy_reserve(&sampler->peek_buffer, sampling)) {
		sampler->out_of_memory = true;
		return false;
	}
	return sprof_copy_stack(thread, &sampler->peek_buffer, NULL, snapshot) &&
		sprof_thread_read_stat(thread, ret_stat) &&
		sprof_thread_read_schedstat(thread, &after) && same_schedstat(before, &after);
}

/*
 * A frame that needs the frame pointer of a sleeper: worth one stop per sleep, where the system call
 * does not notice it.
 */
static bool is_worth_a_stop(const struct sprof_thread *thread,
	const struct sprof_proc_syscall *call, enum sprof_state state, enum sprof_end end)
{
	return end == SPROF_END_REGISTER && state == SPROF_STATE_SLEEP &&
		thread->phase == SPROF_THREAD_RUNNING &&
		sprof_restart_is_harmless(thread->process->pid, call);
}

/* A thread in a group-stop waits for nothing but to go on. */
static void find_wait(
	struct sampler *sampler, struct sprof_thread *thread, const struct sprof_proc_syscall *call)
{
	struct sampling *sampling = thread->sampling;

	if (sampling->state != SPROF_STATE_STOPPED) {
		sprof_waits_look_up(sampler, thread, call);
		return;
	}
	sampling->wait = SPROF_WAIT_NONE;
	sampling->watch.active = false;
}

/* Where only running threads are wanted: it is asleep, and that is all. */
static bool pass_over(struct sampler *sampler, struct sprof_thread *thread,
	const struct sprof_proc_schedstat *schedstat)
{
	struct sampling *sampling = thread->sampling;

	if (sampler->options->mode != SPROF_MODE_CPU)
		return false;
	sampling->state = SPROF_STATE_SLEEP;
	sampling->wait = SPROF_WAIT_NONE;
	sampling->timeslices = schedstat->timeslices;
	sampling->asleep = !sampler->quality->schedstat_missing;
	sprof_sampling_charge(sampler, thread);
	return true;
}

/* At a birth or a signal, and not collected yet: that is no place of the thread's own. */
static bool is_in_our_stop(
	const struct sampler *sampler, const struct sprof_thread *thread, char letter)
{
	return letter == 't' && thread->phase != SPROF_THREAD_LISTENING && !sampler->options->once;
}

/* False: the thread moved, it has to be stopped. */
static bool peek(struct sampler *sampler, struct sprof_thread *thread,
	const struct sprof_proc_schedstat *before, const struct sprof_proc_syscall *call)
{
	struct sampling *sampling = thread->sampling;
	struct sprof_snapshot snapshot;
	struct sprof_proc_stat stat;
	enum sprof_end end;
	bool asked;

	if (pass_over(sampler, thread, before))
		return true;
	set_regs(sampling, call, before->timeslices, &snapshot.regs);
	if (!copy_sleeper(sampler, thread, before, &snapshot, &stat))
		return false;
	if (is_in_our_stop(sampler, thread, stat.state))
		return true;
	sampling->state = state_of(thread, stat.state);
	/* Where it will be needed: before the thread is awake. */
	asked = sampler->unwalked_pc == call->pc && sprof_owed_ask(sampler, thread, stat.state, call);
	sampling->stack = sprof_sampler_walk(sampler, thread, &snapshot, &end);
	find_wait(sampler, thread, call);
	if (is_worth_a_stop(thread, call, sampling->state, end)) {
		sprof_stops_add(sampler, thread,
			&(struct slot){.state = sampling->state,
				.timeslices = before->timeslices,
				.sp = call->sp,
				.pc = call->pc,
				.cpu = stat.processor});
		return true;
	}
	sampling->end = end;
	sampling->timeslices = before->timeslices;
	sampling->figures = sprof_figures_make(sampler->tick_ns, before, &stat);
	sampling->asleep = !sampler->quality->schedstat_missing && end != SPROF_END_STACK_COPY;
	if (end == SPROF_END_REGISTER) {
		sampler->unwalked_pc = call->pc;
		asked = asked || sprof_owed_ask(sampler, thread, stat.state, call);
	}
	if (end == SPROF_END_REGISTER && asked) {
		sprof_owed_begin(sampler, thread, call);
	} else {
		sprof_waits_emit(sampler, thread, 1);
		sampler->quality->samples_peeked++;
		sampler->quality->stacks[end]++;
	}
	sprof_sampling_charge(sampler, thread);
	return true;
}

/* A thread that has not had a CPU yet has no stack of its own. */
static bool has_run(const struct sampler *sampler, struct sprof_thread *thread)
{
	struct sampling *sampling = thread->sampling;
	struct sprof_proc_schedstat schedstat;

	if (!sampling->has_run)
		sampling->has_run = sampler->quality->schedstat_missing ||
			(sprof_thread_read_schedstat(thread, &schedstat) && schedstat.timeslices);
	return sampling->has_run;
}

/* True: it sleeps on, and its sample is taken, or it was passed over. */
static bool look_at_sleeper(struct sampler *sampler, struct sprof_thread *thread)
{
	struct sampling *sampling = thread->sampling;
	struct sprof_proc_schedstat schedstat;

	if (sampling->skip && !sampler->closing) {
		sampling->skip--;
		sampling->skipped++;
		sprof_waits_stays(sampler, thread);
		return true;
	}
	if (sprof_thread_read_schedstat(thread, &schedstat) &&
		sampling->timeslices == schedstat.timeslices) {
		reuse(sampler, thread);
		return true;
	}
	sprof_tick_flush(sampler, thread);
	sampling->asleep = false;
	return false;
}

/* True: the sample is taken, or there is nothing to take. */
static bool look_at_blocked(struct sampler *sampler, struct sprof_thread *thread)
{
	struct sprof_proc_schedstat schedstat;
	struct sprof_proc_syscall call;

	if (!sprof_thread_read_schedstat(thread, &schedstat) ||
		!sprof_thread_read_syscall(thread, &call))
		return true;
	if (call.kind == SPROF_PROC_SYSCALL_RUNNING)
		return false;
	/* A leader that has ended before its threads sleeps nowhere. */
	return !call.sp || peek(sampler, thread, &schedstat, &call);
}

/*
 * Whether it runs, and where. stat tells both, and costs more than all else that is read in a tick; so
 * the CPU of a thread that goes on running is believed for a while. Where that is wrong, the stop takes
 * longer, and is right all the same.
 */
static bool runs(struct sampler *sampler, struct sprof_thread *thread)
{
	struct sampling *sampling = thread->sampling;
	struct sprof_proc_syscall call;
	struct sprof_proc_stat stat;

	if (thread->process->maps_can_ask && sampling->cpu_ns + CPU_AGE_NS > sampler->tick_ns &&
		sprof_thread_read_syscall(thread, &call)) {
		/* Its page faults are not known either: cheap to doubt where a mapping can be asked for. */
		thread->process->change++;
		return call.kind == SPROF_PROC_SYSCALL_RUNNING;
	}
	sampling->cpu_ns = 0;
	if (!sprof_thread_read_stat(thread, &stat))
		return false;
	sprof_mappings_doubt(thread, &stat);
	sampling->cpu = stat.processor;
	sampling->pinned = sprof_hop_is_pinned(thread->tid);
	if (stat.state == 'R')
		sampling->cpu_ns = sampler->tick_ns;
	return stat.state == 'R';
}

static void look(struct sampler *sampler, struct sprof_thread *thread)
{
	struct sampling *sampling = sprof_sampling_of(sampler, thread);

	if (!sampling || !has_run(sampler, thread))
		return;
	if (sampling->asleep && look_at_sleeper(sampler, thread))
		return;
	if (!runs(sampler, thread) && look_at_blocked(sampler, thread))
		return;
	if (sampler->options->mode == SPROF_MODE_WAIT && !sampler->closing)
		return;
	if (thread->phase == SPROF_THREAD_RUNNING || thread->phase == SPROF_THREAD_INTERRUPTED)
		sprof_stops_add(sampler, thread,
			&(struct slot){.state = SPROF_STATE_USER, .cpu = sampling->cpu});
}

void sprof_tick_late(struct sampler *sampler, struct sprof_thread *thread)
{
	struct sprof_proc_schedstat schedstat;
	struct sprof_proc_syscall call;

	if (sprof_thread_read_schedstat(thread, &schedstat) &&
		sprof_thread_read_syscall(thread, &call) &&
		call.kind != SPROF_PROC_SYSCALL_RUNNING && call.sp &&
		peek(sampler, thread, &schedstat, &call))
		return;
	((struct sampling *)thread->sampling)->lost = true;
	sampler->quality->samples_lost++;
}

void sprof_tick(struct sampler *sampler)
{
	struct sprof_thread **threads;
	size_t count;

	sampler->tick_ns = sprof_clock_now_ns();
	threads = sprof_target_threads(sampler->parts->target, &count);
	sampler->thread_count = (uint32_t)count;
	for (size_t i = 0; i < count; i++) {
		struct sprof_process *process = threads[i]->process;

		if (!process->maps_read_ns)
			sprof_mappings_read(sampler, process);
		if (sampler->closing)
			sprof_owed_forgive(sampler, threads[i]);
		if (threads[i]->phase != SPROF_THREAD_ENDED)
			look(sampler, threads[i]);
	}
	sprof_stops_take(sampler);
	sprof_waits_flush(sampler, NULL);
}
