/*
 * The transitions of what is remembered of a thread; sampled.h draws them. Does not read anything.
 */
#include "sampler/sampled.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "interp/interp.h"
#include "sampler/account/figures.h"
#include "sampler/switches/switching.h"

/* For how long a process is assumed to enter the kernel often, after a thread was found there. */
enum { ENTERS_NS = 200 * SPROF_NS_PER_MS };

struct sampled_process *sprof_sampled_process_of(struct sprof_process *process)
{
	if (!process->sampling)
		process->sampling = calloc(1, sizeof(struct sampled_process));
	return process->sampling;
}

void sprof_sampled_process_forget(struct sprof_process *process)
{
	struct sampled_process *sampled = process->sampling;

	if (sampled)
		sprof_interp_process_destroy(sampled->script);
	free(sampled);
	process->sampling = NULL;
}

void sprof_sampled_process_entered(struct sampled_process *process, uint64_t now_ns)
{
	process->enters_until_ns = now_ns + ENTERS_NS;
}

static void begin_account(struct sampled *sampled, const struct sprof_figures *start)
{
	const struct ledger_look look = {
		.time_ns = start->time_ns,
		.figures = {start->cpu_ns, start->runq_ns, start->timeslices},
	};

	sprof_ledger_begin(&sampled->ledger, &look);
	sprof_account_init(&sampled->account, start);
	sampled->window_ns = start->time_ns;
}

struct sampled *sprof_sampled_create(const struct sprof_figures *start)
{
	struct sampled *sampled = calloc(1, sizeof(*sampled));

	if (!sampled)
		return NULL;
	begin_account(sampled, start);
	sprof_copy_plan_init(&sampled->copy);
	return sampled;
}

void sprof_sampled_destroy(struct sampled *sampled)
{
	if (sampled) {
		sprof_interp_thread_destroy(sampled->script);
		sprof_switching_destroy(sampled->switching);
	}
	free(sampled);
}

void sprof_sampled_met_first(
	struct sampled *sampled, const struct sprof_thread_facts *facts, pid_t own_tid)
{
	sampled->first = *facts;
	sampled->own_tid = own_tid;
}

bool sprof_sampled_named(struct sampled *sampled, const char *name)
{
	if (!strcmp(name, sampled->name))
		return false;
	snprintf(sampled->name, sizeof(sampled->name), "%s", name);
	return true;
}

void sprof_sampled_ran(struct sampled *sampled)
{
	if (sampled->life == SAMPLED_NEW)
		sampled->life = SAMPLED_ALIVE;
}

void sprof_sampled_ended(struct sampled *sampled)
{
	sampled->life = SAMPLED_DEAD;
}

static void forget_place(struct sampled *sampled)
{
	sprof_sampled_woke(sampled);
	sprof_sampled_runs(sampled, SPROF_WAIT_NONE);
}

void sprof_sampled_executed(struct sampled *sampled)
{
	forget_place(sampled);
	sprof_copy_plan_forget_program(&sampled->copy);
	sampled->sought_thread = false;
}

void sprof_sampled_restarted(struct sampled *sampled)
{
	forget_place(sampled);
	sprof_sampled_met(sampled);
	sampled->last_sleep.sample.time_ns = 0;
}

void sprof_sampled_seen(struct sampled *sampled, const struct last_seen *seen)
{
	sampled->last = *seen;
}

void sprof_sampled_sleeps(struct sampled *sampled, const struct sprof_sample *sample)
{
	sampled->last_sleep.sample = *sample;
	if (!sample->holder)
		return;
	sampled->last_sleep.holder = *sample->holder;
	sampled->last_sleep.sample.holder = &sampled->last_sleep.holder;
}

void sprof_sampled_recorded(struct sampled *sampled, struct switching *switching)
{
	sampled->switching = switching;
}

void sprof_sampled_placed(struct sampled *sampled, uint32_t place)
{
	sampled->place = place;
}

void sprof_sampled_slept(struct sampled *sampled, const struct sprof_figures *figures,
	uint64_t timeslices, bool is_same)
{
	sampled->sleep = (struct known_sleep){
		.active = is_same,
		.timeslices = timeslices,
		.figures = *figures,
	};
	sampled->has_running = false;
}

void sprof_sampled_ran_meanwhile(
	struct sampled *sampled, const struct last_seen *asleep, const struct known_wait *wait)
{
	sampled->running = (struct known_place){.seen = sampled->last, .wait = sampled->wait.id};
	sampled->has_running = true;
	sprof_sampled_seen(sampled, asleep);
	sprof_sampled_waits(sampled, wait);
}

void sprof_sampled_woke(struct sampled *sampled)
{
	if (sampled->has_running) {
		sampled->last = sampled->running.seen;
		sprof_sampled_runs(sampled, sampled->running.wait);
	}
	sampled->has_running = false;
	sampled->sleep.active = false;
}

void sprof_sampled_waits(struct sampled *sampled, const struct known_wait *wait)
{
	sampled->wait = *wait;
}

void sprof_sampled_runs(struct sampled *sampled, uint32_t id)
{
	sampled->wait = (struct known_wait){.id = id};
}

void sprof_sampled_called(struct sampled *sampled, const struct last_call *call)
{
	sampled->last_call = *call;
}

void sprof_sampled_lock_held(struct sampled *sampled, uint32_t holder_id)
{
	sampled->wait.lock.holder_id = holder_id;
}

void sprof_sampled_missed(struct sampled *sampled, bool is_coming)
{
	sampled->is_late = is_coming;
}

void sprof_sampled_met(struct sampled *sampled)
{
	sampled->is_late = false;
}

struct sprof_charge sprof_sampled_charged(struct sampled *sampled, const struct sprof_figures *now)
{
	sampled->window_ns = now->time_ns;
	return (struct sprof_charge){
		.times = sprof_account_advance(&sampled->account, now),
		.faults = sprof_account_take_faults(&sampled->account, now),
	};
}

/* While sampling is off, `first` has what belongs to the run so far. */
void sprof_sampled_paused(struct sampled *sampled, const struct sprof_thread_facts *facts)
{
	sampled->first = sprof_facts_since(facts, &sampled->first);
}

void sprof_sampled_resumed(struct sampled *sampled, const struct sprof_figures *now,
	const struct sprof_thread_facts *facts)
{
	begin_account(sampled, now);
	sampled->first = sprof_facts_since(facts, &sampled->first);
}

void sprof_sampled_stood(struct sampled *sampled, uint64_t ns)
{
	sampled->stood_ns += ns;
}

void sprof_sampled_on_cpu(struct sampled *sampled, const struct known_cpu *cpu)
{
	sampled->cpu = *cpu;
}

void sprof_sampled_left_cpu(struct sampled *sampled)
{
	sampled->cpu.seen_ns = 0;
}

uint32_t sprof_sampled_cpu(const struct sampled *sampled)
{
	return (uint32_t)(sampled->cpu.number + 1);
}

void sprof_sampled_faulted(struct sampled *sampled, uint64_t faults, uint64_t now_ns)
{
	sampled->faults = faults;
	sampled->faults_ns = now_ns;
}

void sprof_sampled_sought_thread(struct sampled *sampled)
{
	sampled->sought_thread = true;
}

bool sprof_sampled_asked(struct sampled *sampled, uint64_t tick_ns)
{
	const bool is_first = sampled->asked_ns != tick_ns;

	sampled->asked_ns = tick_ns;
	return is_first;
}

void sprof_sampled_had_turn(struct sampled *sampled, uint64_t tick_ns)
{
	sampled->turn_ns = tick_ns;
}
