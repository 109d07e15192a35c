/*
 * A gate: whether figures have grown by more than they may, from some runs of a program to others.
 */
#ifndef SPROF_PROFILE_GATE_H
#define SPROF_PROFILE_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "base/error.h"
#include "profile/permutation.h"
#include "profile/profile.h"

enum {
	SPROF_GATE_RUNS_MIN = 5,    /* of each side */
	SPROF_GATE_ROWS_MAX = 1000, /* comparisons */
	SPROF_GATE_NAME_SIZE = 512,
};

/* A figure, and by how much it may grow. */
struct sprof_gate_condition {
	const char *text; /* as the user wrote it */
	/* a name, or a pattern (base/glob.h): each match is a comparison; "": the whole run */
	char function[SPROF_GATE_NAME_SIZE];
	enum sprof_weight weight;
	bool self;     /* else total */
	bool relative; /* the limit is a share of the mean before, else in the weight's unit */
	double limit;  /* from 0 on */
};

enum sprof_gate_result {
	SPROF_GATE_WITHIN,  /* it is shown that the figure has not grown by more */
	SPROF_GATE_UNCLEAR, /* neither is shown */
	SPROF_GATE_BEYOND,  /* it is shown that it has */
};

/* One comparison. */
struct sprof_gate_row {
	size_t condition;        /* its index */
	char *function;          /* NULL: the whole run */
	double *values;          /* by run, those before first */
	bool is_in[SPROF_SIDES]; /* a run of that side has the function */
	struct sprof_change change;
	enum sprof_gate_result result;
};

/* What must be the same of all runs, and what tells that two are the same one. */
struct sprof_gate_run {
	char *path, *command; /* command NULL: not known */
	enum sprof_mode mode;
	double rate_hz;
	bool schedstat_missing;
	uint64_t start_realtime_ns, duration_ns;
	pid_t pid;
};

struct sprof_gate {
	const struct sprof_gate_condition *conditions; /* of the caller */
	size_t condition_count;
	size_t expected[SPROF_SIDES]; /* runs */
	struct sprof_gate_run *runs;  /* in the order in which they were added */
	size_t run_count;
	struct sprof_gate_row *rows; /* by condition, in the order in which they were found */
	size_t row_count, row_capacity;
	double level; /* of all comparisons together */
};

/* `expected` runs of each side will be added. Finish it in any case. False: no memory. */
SPROF_MUST_USE bool sprof_gate_init(struct sprof_gate *ret,
	const struct sprof_gate_condition *conditions, size_t condition_count,
	const size_t expected[SPROF_SIDES], struct sprof_error *err);
void sprof_gate_finish(struct sprof_gate *gate);

/*
 * Adds a run, those before first. Its locations must be named. Refuses what can't be compared with
 * the runs added already: another mode, rate or program, or the same recording.
 */
SPROF_MUST_USE bool sprof_gate_add(struct sprof_gate *gate, const struct sprof_profile *profile,
	const char *path, struct sprof_error *err);

/*
 * Compares. The probability that any of the results is wrong where a figure has grown by no more
 * than its limit is at most `level` (at most 0.5): each comparison gets an equal part of it
 * (Bonferroni). Fails if that can't be told: too few runs, or a condition without a function.
 */
SPROF_MUST_USE bool sprof_gate_judge(
	struct sprof_gate *gate, double level, struct sprof_error *err);

/* The number of rows with a result. */
size_t sprof_gate_count(const struct sprof_gate *gate, enum sprof_gate_result result);
/* The name of the program, without its folder; "" if it is not known. The caller frees it. */
char *sprof_gate_program(const struct sprof_gate_run *run) SPROF_MUST_USE;
/* False: all runs of one side were recorded before those of the other. True: not so, or not known. */
bool sprof_gate_is_in_turns(const struct sprof_gate *gate);
/* A run whose command line differs from that of the first one; NULL: none. */
const struct sprof_gate_run *sprof_gate_other_command(const struct sprof_gate *gate);

/* The part of profile/gate-runs.c in sprof_gate_add(). */
SPROF_MUST_USE bool sprof_gate_add_run(struct sprof_gate *gate, const struct sprof_profile *profile,
	const char *path, struct sprof_error *err);

#endif
