/*
 * A scene of the ptrace tests: one program of tests/targets/, and a thread of its own that traces
 * it.
 *
 * The thread is what attach/ calls the one that created the target; ending it detaches. A test
 * tells it what to do and asserts itself, because a failed assertion leaves the thread that made
 * it.
 */
#pragma once

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/target.h"

enum { SEEN_MAX = 4096, LINE_SIZE = 256 };

/* After this time, whatever has not happened never will: SPROF_TEST_PATIENCE minutes, or one. */
uint64_t scene_limit_ns(void);

/* An event as it was when it came; its thread may be gone since. */
struct seen {
	enum sprof_event_kind kind;
	uint32_t id;
	pid_t tid;
	enum sprof_thread_phase phase;
	size_t mappings; /* EXEC: that the target has read */
};

struct scene {
	/* The program. */
	pid_t pid;         /* 0: none */
	int input, output; /* -1: none; its standard input and output */
	char line[LINE_SIZE];
	size_t line_length;
	/* The tracing thread. */
	struct sprof_target *target; /* NULL: it has ended */
	pthread_t thread;
	pid_t tracer;
	sem_t todo, done;
	bool (*work)(struct scene *scene, void *data);
	void *data;
	bool result;
	bool follows, holds;           /* children; threads for the test (HELD) */
	struct sprof_modules *modules; /* NULL: mappings are not read */
	/* What it has seen. */
	struct sprof_error err;
	struct seen seen[SEEN_MAX];
	size_t seen_count;
	size_t hits; /* HELD_BREAKPOINT, which are not among the others */
};

/* Set-up and tear-down of cmocka. The scene of the second kind follows children, and that of the third kind
 * holds threads, too. That of the last kind reads the mappings of new programs. */
int scene_create(void **state);
int scene_create_following(void **state);
int scene_create_holding(void **state);
int scene_create_reading(void **state);
int scene_destroy(void **state);

/* Runs the work in the tracing thread and waits for it; no work ends the thread. */
bool scene_do(struct scene *scene, bool (*work)(struct scene *scene, void *data), void *data);
void scene_end_tracer(struct scene *scene);

/* Works: a stop is asked for of every thread; all that have stopped for it go on. */
bool scene_interrupt_all(struct scene *scene, void *unused);
bool scene_resume_all(struct scene *scene, void *unused);

/* Ends the tracing thread and starts another; the program is let go of in between. */
void scene_replace_tracer(struct scene *scene);

/* Starts a target that nobody traces yet, or launches one, and reads its ready line. */
void scene_start(struct scene *scene, const char *name, const char *argument);
/* The same with any program, which must say "ready" likewise. */
void scene_start_command(struct scene *scene, char *const arguments[]);
void scene_launch(struct scene *scene, const char *name, const char *argument);
/* The same, but leaves it at its first instruction. False: scene->err says why. */
bool scene_try_launch(struct scene *scene, const char *path, const char *argument);
void scene_attach(struct scene *scene);

/*
 * Serves the target until it says the line, which must then be the one expected (a prefix of it);
 * of a program that is not traced just reads it.
 */
void scene_expect_line(struct scene *scene, const char *expected);
/* A line for the program; NULL closes its standard input. */
void scene_say(struct scene *scene, const char *line);

/* Serves the target until the condition holds. */
void scene_serve(struct scene *scene, bool (*is_over)(struct scene *scene));
bool scene_is_empty(struct scene *scene);
/* Whether every thread lies in a group-stop that has been let be. */
bool scene_all_listen(struct scene *scene);
/* One event, noted and answered; for works that serve in their own way. */
struct sprof_event scene_next_event(struct scene *scene, uint64_t deadline_ns);

size_t scene_count(const struct scene *scene, enum sprof_event_kind kind);
/* The threads that the target knows now. */
size_t scene_thread_count(const struct scene *scene);

/* A field of /proc/PID/task/TID/status; -1: the thread is gone. */
long task_number(pid_t pid, pid_t tid, const char *field);
/* The state letter of stat; 'X': the thread is gone. */
char task_state(pid_t pid, pid_t tid);
/* Calls the function for every thread of the process that /proc shows; returns how many. */
size_t for_each_task(pid_t pid, void (*function)(pid_t pid, pid_t tid, void *data), void *data);

/* Polls for what the kernel sends no word of; fails the test if it never comes. */
void wait_for_state(pid_t pid, pid_t tid, char state);
void wait_for_no_tracer(pid_t pid);
