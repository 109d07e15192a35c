/*
 * What the parts of web-profiles share. All of them end the program when memory is short.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "profile/model/profile.h"

enum { MS = 1000000 };

/* The pointer, which is not NULL. */
void *web_check(const void *pointer);
void web_must(bool done);

uint32_t web_thread(struct sprof_profile *profile, pid_t pid, pid_t tid, const char *name);
/* Frames are separated by '|', the outermost is first. */
uint32_t web_stack(struct sprof_profile *profile, const char *text);

/* From 0 up to but without `below`. */
unsigned web_random(unsigned *seed, unsigned below);
void web_random_stack(char *text, size_t size, unsigned *seed, unsigned depth, unsigned functions,
	unsigned modules);

/* Samples of a row from that time on, one per ms. */
void web_span(struct sprof_profile *profile, uint32_t row, uint64_t begin_ns, uint32_t samples);

/* As if it had been sampled: three threads, with all that they did one after the other. */
void web_make_timeline(struct sprof_profile *profile, unsigned seed);
/* All samples of all rows in any order, one per ms of each of at most eight threads. */
void web_scatter(struct sprof_profile *profile, unsigned *seed);

void web_write_truth(const struct sprof_profile *profile, const char *folder);
