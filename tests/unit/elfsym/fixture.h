/*
 * What the tests of elfsym/ share: the subjects (see subject.c) as modules, and where their places
 * are.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/module.h"

/* A place that a subject prints. The lines mean what subject.c says. */
struct subject_place {
	uint64_t offset;
	uint32_t lines[3];
};

/* The path of a subject ("subject-stripped") in a buffer that the next call overwrites. */
const char *subject_path(const char *name);

/* Runs the subject and finds the label in what it prints; fails the test if it isn't there. */
struct subject_place subject_place(const char *name, const char *label);

/* The file as a module of the table; it has been opened, or fails the test. */
struct sprof_module *open_module(struct sprof_modules *modules, const char *path);

/* Bytes as a module of the table: a copy of them. Every call needs its own name. */
struct sprof_module *memory_module(
	struct sprof_modules *modules, const char *name, const void *bytes, size_t size);

/* The vDSO of this process as a module. NULL: there is none. */
struct sprof_module *vdso_module(struct sprof_modules *modules);

/* The whole file in memory that the caller frees. */
void *read_file(const char *path, size_t *ret_size);
