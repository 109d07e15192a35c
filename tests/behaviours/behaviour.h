/*
 * One behaviour of a program that a tracer might disturb: a name, and a function that shows it.
 *
 * What it prints and returns must be the same at every run, on a busy machine too: counts of a
 * fixed number of rounds, never times. So that sampling meets every step, it computes a little
 * between them.
 */
#pragma once

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "tests/targets/target.h"

struct behaviour {
	const char *name;
	int (*act)(void); /* the exit code of the program */
};

/* One topic per file; a table ends with a NULL. */
extern const struct behaviour signal_behaviours[];
extern const struct behaviour interruption_behaviours[];
extern const struct behaviour stop_behaviours[];
extern const struct behaviour fault_behaviours[];
extern const struct behaviour death_behaviours[];
extern const struct behaviour birth_behaviours[];
extern const struct behaviour exec_behaviours[];
extern const struct behaviour id_behaviours[];
extern const struct behaviour launch_behaviours[];
extern const struct behaviour wait_behaviours[];
extern const struct behaviour socket_behaviours[];
extern const struct behaviour transfer_behaviours[];
extern const struct behaviour incoming_behaviours[];

/* Keeps the CPU busy for so long. */
void burn_us(unsigned us);

/* The same for ever, as the body of a thread. */
void *burn_on(void *unused);

/* A thread that runs body(NULL). */
pthread_t thread_of(void *(*body)(void *unused));

/* Ends the program with this line of source where something must hold and does not. */
#define MUST(condition) must((condition), #condition, __FILE__, __LINE__)
void must(bool holds, const char *what, const char *file, int line);

/* The breakpoint instruction of two bytes; elsewhere a trap by a signal. */
void long_trap(void);

/* A child that runs body() and exits with its result. */
pid_t child_of(int (*body)(void));

/* Waits for a child, whatever breaks in; its wait status. */
int reap(pid_t child);

/* "exit 3", "signal 9": the text of a wait status, in one of a few buffers used in turn. */
const char *status_text(int status);

/* A deadly signal writes no core: it would take longer than the behaviour. */
void leave_no_core(void);

/* Installs a handler with siginfo. */
void handle(int number, void (*handler)(int, siginfo_t *, void *), int flags);
void block(int number);
void unblock(int number);

/* Runs this program again: `behaviours --again NAME`, which does no more than act. */
_Noreturn void exec_again(const char *path, const char *name);

/* One wait; negative and errno if it failed. A time-out that has passed is no failure. */
typedef int wait_function(void);

/* Waits some times and prints how often it was broken off, failed, or took less than least_ns. */
int count_waits(wait_function *wait, int64_t least_ns);

/* A line of /proc/self/status without its newline. */
const char *own_status(const char *field);
