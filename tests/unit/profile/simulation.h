/*
 * A small simulated machine with a CPU for every thread: programs whose critical path is known,
 * because a piece of them can really be taken away.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/moment.h"

enum {
	SIMULATION_THREADS = 12,
	SIMULATION_STEPS = 400,
	SIMULATION_OBJECTS = 16,
	SIMULATION_MOMENTS = 20000,
};

enum simulation_act {
	SIM_RUN,     /* number: ns */
	SIM_TIMER,   /* number: ns */
	SIM_WAIT,    /* number: a semaphore */
	SIM_POST,    /* the same */
	SIM_BARRIER, /* number: a barrier, on which all threads with this step wait */
	SIM_START,   /* number: a thread */
	SIM_JOIN,    /* the same */
};

struct simulation_step {
	enum simulation_act act;
	uint64_t number;
	unsigned place;
};

struct simulation_spent {
	uint64_t begin_ns, end_ns;
	unsigned place;
};

struct simulation_thread {
	struct simulation_step steps[SIMULATION_STEPS];
	size_t count, next;
	uint64_t now_ns, arrived; /* `arrived`: order of those that wait for one semaphore */
	enum { SIM_UNBORN, SIM_READY, SIM_BLOCKED, SIM_OVER } state;
	struct simulation_spent spent[SIMULATION_STEPS];
	size_t spent_count;
};

/* Zeroed is empty. */
struct simulation {
	struct simulation_thread threads[SIMULATION_THREADS];
	size_t count;
	uint64_t initial[SIMULATION_OBJECTS]; /* of the semaphores */
	uint64_t semaphores[SIMULATION_OBJECTS];
	unsigned left_out; /* the place whose steps take no time; 0: none */
	uint64_t end_ns;
	struct sprof_moment moments[SIMULATION_MOMENTS];
	size_t moment_count;
};

/* Adds a step to a thread. Thread 0 exists from the start, and the others are started. */
void simulation_add(struct simulation *simulation, uint32_t thread, enum simulation_act act,
	uint64_t number, unsigned place);
/* Runs it to the end; the moments are in order of time. */
void simulation_run(struct simulation *simulation);
/* The length of the same program without a place's time. */
uint64_t simulation_length_without(const struct simulation *simulation, unsigned place);
/* The time that a thread spent at a place between two times. */
uint64_t simulation_spent_at(const struct simulation *simulation, uint32_t thread, unsigned place,
	uint64_t from_ns, uint64_t to_ns);
