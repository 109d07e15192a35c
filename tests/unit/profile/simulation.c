/* Takes the step of the thread that is furthest behind, until all have ended. */
#include "tests/unit/profile/simulation.h"

#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "tests/unit/check.h"

enum { BEGIN_NS = 1000 };

void simulation_add(struct simulation *simulation, uint32_t thread, enum simulation_act act,
	uint64_t number, unsigned place)
{
	struct simulation_thread *at = &simulation->threads[thread];

	assert_true(at->count < SIMULATION_STEPS);
	at->steps[at->count++] = (struct simulation_step){act, number, place};
	simulation->count = sprof_most(simulation->count, thread + 1);
}

static void say(struct simulation *simulation, uint64_t time_ns, size_t thread,
	enum sprof_moment_kind kind, enum sprof_waker waker, size_t by)
{
	assert_true(simulation->moment_count < SIMULATION_MOMENTS);
	simulation->moments[simulation->moment_count++] = (struct sprof_moment){
		.time_ns = time_ns,
		.thread = (uint32_t)thread,
		.by = (uint32_t)by,
		.kind = (uint8_t)kind,
		.waker = (uint8_t)waker,
	};
}

static void sleep_now(struct simulation *simulation, size_t thread)
{
	struct simulation_thread *at = &simulation->threads[thread];

	at->state = SIM_BLOCKED;
	say(simulation, at->now_ns, thread, SPROF_MOMENT_OFF, SPROF_WAKER_UNKNOWN, 0);
}

static void wake(struct simulation *simulation, size_t thread, size_t by, uint64_t time_ns)
{
	struct simulation_thread *at = &simulation->threads[thread];

	at->state = SIM_READY;
	at->now_ns = sprof_most(at->now_ns, time_ns);
	at->next++;
	say(simulation, at->now_ns, thread, SPROF_MOMENT_WOKEN, SPROF_WAKER_THREAD, by);
	say(simulation, at->now_ns, thread, SPROF_MOMENT_ON, SPROF_WAKER_UNKNOWN, 0);
}

static struct simulation_step *step_of(struct simulation *simulation, size_t thread)
{
	struct simulation_thread *at = &simulation->threads[thread];

	return &at->steps[at->next];
}

/* The one that waits longest for this. */
static size_t waiter_of(struct simulation *simulation, enum simulation_act act, uint64_t number)
{
	size_t found = SIMULATION_THREADS;

	for (size_t i = 0; i < simulation->count; i++) {
		const struct simulation_thread *at = &simulation->threads[i];

		if (at->state == SIM_BLOCKED && step_of(simulation, i)->act == act &&
			step_of(simulation, i)->number == number &&
			(found == SIMULATION_THREADS ||
				at->now_ns < simulation->threads[found].now_ns))
			found = i;
	}
	return found;
}

static size_t parties_of(const struct simulation *simulation, uint64_t barrier)
{
	size_t parties = 0;

	for (size_t i = 0; i < simulation->count; i++) {
		bool has = false;

		for (size_t k = 0; k < simulation->threads[i].count; k++) {
			const struct simulation_step *step = &simulation->threads[i].steps[k];

			has |= step->act == SIM_BARRIER && step->number == barrier;
		}
		parties += has;
	}
	return parties;
}

static void reach_barrier(struct simulation *simulation, size_t thread, uint64_t barrier)
{
	const uint64_t now_ns = simulation->threads[thread].now_ns;

	if (++simulation->semaphores[barrier] < parties_of(simulation, barrier)) {
		sleep_now(simulation, thread);
		return;
	}
	simulation->semaphores[barrier] = 0;
	for (size_t i; (i = waiter_of(simulation, SIM_BARRIER, barrier)) < SIMULATION_THREADS;)
		wake(simulation, i, thread, now_ns);
	simulation->threads[thread].next++;
}

static void post(struct simulation *simulation, size_t thread, uint64_t semaphore)
{
	const size_t waiter = waiter_of(simulation, SIM_WAIT, semaphore);

	if (waiter == SIMULATION_THREADS)
		simulation->semaphores[semaphore]++;
	else
		wake(simulation, waiter, thread, simulation->threads[thread].now_ns);
}

static void spend(struct simulation *simulation, size_t thread, const struct simulation_step *step)
{
	struct simulation_thread *at = &simulation->threads[thread];
	const uint64_t begin_ns = at->now_ns;

	if (step->place && step->place == simulation->left_out)
		return;
	if (step->act == SIM_TIMER)
		say(simulation, begin_ns, thread, SPROF_MOMENT_OFF, SPROF_WAKER_UNKNOWN, 0);
	at->now_ns += step->number;
	if (step->act == SIM_TIMER) {
		say(simulation, at->now_ns, thread, SPROF_MOMENT_WOKEN, SPROF_WAKER_INTERRUPT, 0);
		say(simulation, at->now_ns, thread, SPROF_MOMENT_ON, SPROF_WAKER_UNKNOWN, 0);
	}
	at->spent[at->spent_count++] = (struct simulation_spent){begin_ns, at->now_ns, step->place};
}

static void start(struct simulation *simulation, size_t thread, size_t started)
{
	struct simulation_thread *at = &simulation->threads[started];

	at->state = SIM_READY;
	at->now_ns = simulation->threads[thread].now_ns;
	say(simulation, at->now_ns, started, SPROF_MOMENT_BORN, SPROF_WAKER_THREAD, thread);
	say(simulation, at->now_ns, started, SPROF_MOMENT_ON, SPROF_WAKER_UNKNOWN, 0);
}

static void end(struct simulation *simulation, size_t thread)
{
	struct simulation_thread *at = &simulation->threads[thread];
	size_t waiter;

	at->state = SIM_OVER;
	while ((waiter = waiter_of(simulation, SIM_JOIN, thread)) < SIMULATION_THREADS)
		wake(simulation, waiter, thread, at->now_ns);
	say(simulation, at->now_ns, thread, SPROF_MOMENT_ENDED, SPROF_WAKER_UNKNOWN, 0);
	simulation->end_ns = sprof_most(simulation->end_ns, at->now_ns);
}

static void take_step(struct simulation *simulation, size_t thread)
{
	struct simulation_thread *at = &simulation->threads[thread];
	const struct simulation_step *step = &at->steps[at->next];

	if (at->next == at->count) {
		end(simulation, thread);
		return;
	}
	switch (step->act) {
	case SIM_RUN:
	case SIM_TIMER:
		spend(simulation, thread, step);
		break;
	case SIM_POST:
		post(simulation, thread, step->number);
		break;
	case SIM_START:
		start(simulation, thread, step->number);
		break;
	case SIM_BARRIER:
		reach_barrier(simulation, thread, step->number);
		return;
	case SIM_WAIT:
		if (!simulation->semaphores[step->number]) {
			sleep_now(simulation, thread);
			return;
		}
		simulation->semaphores[step->number]--;
		break;
	case SIM_JOIN:
		if (simulation->threads[step->number].state != SIM_OVER) {
			sleep_now(simulation, thread);
			return;
		}
		break;
	}
	at->next++;
}

/* SIMULATION_THREADS: none is ready. */
static size_t furthest_behind(const struct simulation *simulation)
{
	size_t found = SIMULATION_THREADS;

	for (size_t i = 0; i < simulation->count; i++) {
		const struct simulation_thread *at = &simulation->threads[i];

		if (at->state == SIM_READY &&
			(found == SIMULATION_THREADS ||
				at->now_ns < simulation->threads[found].now_ns))
			found = i;
	}
	return found;
}

/* Equal times keep their order. */
static void sort(struct simulation *simulation)
{
	struct sprof_moment *moments = simulation->moments;

	for (size_t i = 1; i < simulation->moment_count; i++) {
		const struct sprof_moment moment = moments[i];
		size_t at = i;

		for (; at && moments[at - 1].time_ns > moment.time_ns; at--)
			moments[at] = moments[at - 1];
		moments[at] = moment;
	}
}

void simulation_run(struct simulation *simulation)
{
	size_t thread;

	memcpy(simulation->semaphores, simulation->initial, sizeof(simulation->initial));
	simulation->threads[0].state = SIM_READY;
	simulation->threads[0].now_ns = BEGIN_NS;
	while ((thread = furthest_behind(simulation)) < SIMULATION_THREADS)
		take_step(simulation, thread);
	sort(simulation);
}

uint64_t simulation_length_without(const struct simulation *simulation, unsigned place)
{
	struct simulation *other = calloc(1, sizeof(*other));
	uint64_t length_ns;

	assert_non_null(other);
	for (size_t i = 0; i < simulation->count; i++) {
		for (size_t k = 0; k < simulation->threads[i].count; k++) {
			const struct simulation_step *step = &simulation->threads[i].steps[k];

			simulation_add(other, (uint32_t)i, step->act, step->number, step->place);
		}
	}
	memcpy(other->initial, simulation->initial, sizeof(other->initial));
	other->left_out = place;
	simulation_run(other);
	length_ns = other->end_ns - BEGIN_NS;
	free(other);
	return length_ns;
}

uint64_t simulation_spent_at(const struct simulation *simulation, uint32_t thread, unsigned place,
	uint64_t from_ns, uint64_t to_ns)
{
	const struct simulation_thread *at = &simulation->threads[thread];
	uint64_t sum = 0;

	for (size_t i = 0; i < at->spent_count; i++) {
		const struct simulation_spent *spent = &at->spent[i];

		if (spent->place == place)
			sum += sprof_minus(sprof_least(spent->end_ns, to_ns),
				sprof_most(spent->begin_ns, from_ns));
	}
	return sum;
}
