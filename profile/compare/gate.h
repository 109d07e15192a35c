/* Gate: checks whether figures have grown beyond a limit, from one set of runs to another. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "base/error.h"
#include "profile/compare/permutation.h"
#include "profile/model/profile.h"

enum {
	SPROF_GATE_RUNS_MIN = 5,    /* per side */
	SPROF_GATE_ROWS_MAX = 1000, /* comparisons */
	SPROF_GATE_NAME_SIZE = 512,
};

/* A figure and the growth allowed. */
struct sprof_gate_condition {
	const char *text; /* the user's text */
	/* a name, or a pattern (base/glob.h) with one comparison per match; "": the whole run */
	char function[SPROF_GATE_NAME_SIZE];
	enum sprof_weight weight;
	bool self; /* true: self, false: total */
	/* the limit is a fraction of the mean before; otherwise in the weight's unit */
	bool relative;
	double limit; /* not negative */
};

enum sprof_gate_result {
	SPROF_GATE_WITHIN,  /* significantly within the limit */
	SPROF_GATE_UNCLEAR, /* neither is significant */
	SPROF_GATE_BEYOND,  /* significantly beyond the limit */
};

struct sprof_gate_row {
	size_t condition;        /* index of the condition */
	char *function;          /* NULL: the whole run */
	double *values;          /* by run, base runs first */
	bool is_in[SPROF_SIDES]; /* some run of that side has the function */
	struct sprof_change change;
	enum sprof_gate_result result;
};

/* What must be equal in all runs, and what identifies a recording. */
struct sprof_gate_run {
	char *path, *command; /* command NULL: unknown */
	enum sprof_mode mode;
	double rate_hz;
	bool schedstat_missing;
	uint64_t start_realtime_ns, duration_ns;
	pid_t pid;
};

struct sprof_gate {
	const struct sprof_gate_condition *conditions; /* owned by the caller */
	size_t condition_count;
	size_t expected[SPROF_SIDES]; /* number of runs */
	struct sprof_gate_run *runs;  /* in order of addition */
	size_t run_count;
	struct sprof_gate_row *rows; /* by condition, in order of discovery */
	size_t row_count, row_capacity;
	double level; /* joint error probability of all comparisons */
};

/*
 * `expected`: number of runs to be added per side. Finish it in any case. Returns false if out of
 * memory.
 */
SPROF_MUST_USE bool sprof_gate_init(struct sprof_gate *ret,
	const struct sprof_gate_condition *conditions, size_t condition_count,
	const size_t expected[SPROF_SIDES], struct sprof_error *err);
void sprof_gate_finish(struct sprof_gate *gate);

/*
 * Adds a run, base runs first. Its locations must be named. Fails if the run is not comparable with
 * those added before: another mode, rate or program, or the same recording.
 */
SPROF_MUST_USE bool sprof_gate_add(struct sprof_gate *gate, const struct sprof_profile *profile,
	const char *path, struct sprof_error *err);

/*
 * Compares. `level` (at most 0.5) is the largest probability that any result is BEYOND although no
 * figure has grown beyond its limit; it is divided equally among the comparisons (Bonferroni).
 * Fails if there are too few runs, or a condition matches no function.
 */
SPROF_MUST_USE bool sprof_gate_judge(
	struct sprof_gate *gate, double level, struct sprof_error *err);

/* The number of rows with this result. */
size_t sprof_gate_count(const struct sprof_gate *gate, enum sprof_gate_result result);
/* The program's name without its folder; "" if unknown. The caller frees it. */
char *sprof_gate_program(const struct sprof_gate_run *run) SPROF_MUST_USE;
/*
 * Returns false if all runs of one side were recorded before those of the other. True if not, or
 * unknown.
 */
bool sprof_gate_is_in_turns(const struct sprof_gate *gate);
/* A run with another command line than the first; NULL: none. */
const struct sprof_gate_run *sprof_gate_other_command(const struct sprof_gate *gate);

/* Private: the part of sprof_gate_add() in profile/compare/gate-runs.c. */
SPROF_MUST_USE bool sprof_gate_add_run(struct sprof_gate *gate, const struct sprof_profile *profile,
	const char *path, struct sprof_error *err);
