/*
 * What every target program shares: the line that says it is ready, the wait for the test's word,
 * and the marks that keep a measured function a function of its own.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Not inlined, cloned or merged: the profile must show it under its own name. */
#if defined(__has_attribute) && __has_attribute(noipa)
#define MEASURED __attribute__((noipa))
#else
#define MEASURED __attribute__((noinline))
#endif

/* Takes `--ready FD` out of argv, which names where the ready line goes; stdout without it. */
void target_init(int *argc, char *argv[]);

/* Writes one line: "ready" and what the test has to know, such as a pid. */
void target_ready(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* One line of output in one write(2), so that lines of several threads don't mix. */
void target_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Returns when the test closes stdin: the word to finish. */
void target_wait_for_end(void);

/* One line from stdin without its newline; false at the end of it. */
bool target_read_line(char *line, int size);

/* The argument at index as a number, or otherwise when there is none. */
long target_number(int argc, char *argv[], int index, long otherwise);

/* CLOCK_MONOTONIC in ns. */
uint64_t target_now_ns(void);

/* Ends the program with the name of what failed. */
_Noreturn void target_fail(const char *what);
