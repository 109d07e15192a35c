/*
 * Samples in a run that traces events: the run yields exact events and, from the samples, the
 * summary of `sprof run`.
 */
#ifndef SPROF_CMD_BESIDE_H
#define SPROF_CMD_BESIDE_H

#include <stdbool.h>

#include "base/attributes.h"
#include "base/error.h"
#include "cmd/command.h"
#include "cmd/shown.h"

struct sprof_beside_options {
	bool sample;
	double rate_hz; /* of the samples; default SPROF_BESIDE_RATE_HZ */
};

enum { SPROF_BESIDE_RATE_HZ = 99 };

/* A group of a command's table, at the struct's offset. */
extern const struct sprof_option sprof_beside_table[];

/* Derives the options for the summary on stdout from `shown`. */
SPROF_MUST_USE bool sprof_beside_settle(
	const struct sprof_shown *shown, struct sprof_shown *ret_answer, struct sprof_error *err);

#endif
