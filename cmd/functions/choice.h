/* The functions to watch, in the user's syntax: "parse,ns::Tree::*,malloc@libc.so.6". */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "base/error.h"
#include "base/module.h"
#include "cmd/functions/wish.h"
#include "elfsym/names/listing.h"

/*
 * Whether `name` selects a function: it may be the linkage name, the source name with or without
 * parameters and template arguments, or a pattern for one of these (base/glob.h).
 */
bool sprof_function_is_called(const char *name, const char *linkage);

/* Whether the wish allows a function of this file, which is a module or a source file. */
bool sprof_function_wish_has_file(const struct sprof_function_wish *wish, const char *path);

/* Zeroed is empty and valid. */
struct sprof_function_choice {
	struct sprof_function_wish *items;
	size_t count, capacity;
	char *path; /* of the program; NULL: unknown */
	dev_t device;
	ino_t inode;
	const char *central; /* name that one of the chosen functions must have; NULL: none */
	bool has_central;    /* the program has such a function */
	/* cache: the last module examined, and whether it is the program */
	const struct sprof_module *asked;
	bool is_program;
};

/* Adds a list of wishes, separated by commas. Commas inside brackets don't separate. */
SPROF_MUST_USE bool sprof_function_choice_add(
	struct sprof_function_choice *choice, const char *text, struct sprof_error *err);

/*
 * Reads the program to start or, if `program` is NULL, that of the process. Returns false if a
 * pattern without a file matches nothing in the program; if a function has no code there, because
 * all its calls were inlined; if all functions are of the program, and none is the central one; or
 * if out of memory.
 */
SPROF_MUST_USE bool sprof_function_choice_begin(struct sprof_function_choice *choice,
	const char *program, pid_t pid, struct sprof_error *err);

bool sprof_function_choice_has(struct sprof_function_choice *choice,
	const struct sprof_module *module, const struct sprof_listed *function);

/* Call it after the run. Returns false if a wish has matched nothing. */
SPROF_MUST_USE bool sprof_function_choice_check(
	const struct sprof_function_choice *choice, struct sprof_error *err);

/* Sets the error that none of the chosen functions is the central one. Returns false. */
SPROF_MUST_USE bool sprof_function_choice_note_central(
	const struct sprof_function_choice *choice, struct sprof_error *err);

bool sprof_function_choice_is_program(
	struct sprof_function_choice *choice, const struct sprof_module *module);

void sprof_function_choice_finish(struct sprof_function_choice *choice);
