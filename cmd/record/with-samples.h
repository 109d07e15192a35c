/*
 * Samples in a run that traces events: the run yields exact events and, from the samples, the
 * summary of `sprof run`.
 */
#pragma once

#include <stdbool.h>

#include "base/attributes.h"
#include "base/error.h"
#include "cmd/cli/command.h"
#include "cmd/saved/report-options.h"

struct sprof_with_samples_options {
	bool sample;
	double rate_hz; /* of the samples; default SPROF_WITH_SAMPLES_RATE_HZ */
};

enum { SPROF_WITH_SAMPLES_RATE_HZ = 99 };

/* A group of a command's table, at the struct's offset. */
extern const struct sprof_option sprof_with_samples_table[];

/* Derives the options for the summary on stdout from `shown`. */
SPROF_MUST_USE bool sprof_with_samples_settle(const struct sprof_report_options *shown,
	struct sprof_report_options *ret_answer, struct sprof_error *err);
