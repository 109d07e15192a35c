/*
 * The runs of a gate, and whether they are comparable. Differences in mode, rate or program would
 * look like a change of speed, and the same recording twice would look like runs without variation.
 */
#include "profile/compare/gate.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/identity/identity.h"

char *sprof_gate_program(const struct sprof_gate_run *run)
{
	const char *command = run->command ? run->command : "";
	size_t length = strcspn(command, " ");
	const char *slash = memrchr(command, '/', length);
	const char *name = slash ? slash + 1 : command;

	return strndup(name, (size_t)(command + length - name));
}

static bool can_be_used(
	const struct sprof_profile *profile, const char *path, struct sprof_error *err)
{
	if (!sprof_profile_counts_time(profile))
		return sprof_error_set(
			err, SPROF_ERROR_UNSUPPORTED, "%s: does not say where time went", path);
	return true;
}

static bool differ(const struct sprof_gate_run *run, const struct sprof_gate_run *other,
	const char *what, const char *one, const char *two, struct sprof_error *err)
{
	return sprof_error_set(err, SPROF_ERROR_UNSUPPORTED,
		"can't compare %s and %s: %s %s and %s", run->path, other->path, what, one, two);
}

/* The first word, without what versions and builds of a program differ in. */
static void role_of(const struct sprof_gate_run *run, char ret[256])
{
	const char *command = run->command ? run->command : "";
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%.*s", (int)strcspn(command, " "), command);
	sprof_identity_role(path, ret, 256);
}

static bool have_same_program(const struct sprof_gate_run *run, const struct sprof_gate_run *other,
	struct sprof_error *err)
{
	char one[256], two[256];

	role_of(run, one);
	role_of(other, two);
	return !strcmp(one, two) ||
		differ(run, other, "they are of different programs,", one[0] ? one : "(unknown)",
			two[0] ? two : "(unknown)", err);
}

static const char *schedstat_of(const struct sprof_gate_run *run)
{
	return run->schedstat_missing ? "without schedstat" : "with schedstat";
}

static bool can_be_compared(const struct sprof_gate_run *run, const struct sprof_gate_run *other,
	struct sprof_error *err)
{
	char one[32], two[32];

	if (run->mode != other->mode)
		return differ(run, other, "their modes are", sprof_mode_name(run->mode),
			sprof_mode_name(other->mode), err);
	if (run->schedstat_missing != other->schedstat_missing)
		return differ(run, other, "they were recorded on kernels", schedstat_of(run),
			schedstat_of(other), err);
	/* A saved rate may have been rounded through a period in whole ns. */
	if (fabs(run->rate_hz - other->rate_hz) <= 1e-6 * run->rate_hz)
		return true;
	snprintf(one, sizeof(one), "%.6g Hz", run->rate_hz);
	snprintf(two, sizeof(two), "%.6g Hz", other->rate_hz);
	return differ(run, other, "they were sampled at", one, two, err);
}

static bool is_same_recording(const struct sprof_gate_run *run, const struct sprof_gate_run *other)
{
	return run->start_realtime_ns && run->start_realtime_ns == other->start_realtime_ns &&
		run->duration_ns == other->duration_ns && run->pid == other->pid;
}

/*
 * Of the side that the next run is of: its program may be called otherwise than the other side's.
 */
static const struct sprof_gate_run *first_of_side(const struct sprof_gate *gate)
{
	const size_t before = gate->expected[SPROF_SIDE_BASE];

	return &gate->runs[gate->run_count < before ? 0 : before];
}

static bool check(
	const struct sprof_gate *gate, const struct sprof_gate_run *run, struct sprof_error *err)
{
	for (size_t i = 0; i < gate->run_count; i++) {
		if (!is_same_recording(&gate->runs[i], run))
			continue;
		sprof_error_set(err, SPROF_ERROR_UNSUPPORTED, "%s and %s are the same recording",
			gate->runs[i].path, run->path);
		return sprof_error_hint(err, "each file must be a separate run");
	}
	return have_same_program(first_of_side(gate), run, err) &&
		(!gate->run_count || can_be_compared(&gate->runs[0], run, err));
}

bool sprof_gate_add_run(struct sprof_gate *gate, const struct sprof_profile *profile,
	const char *path, struct sprof_error *err)
{
	struct sprof_gate_run *run = &gate->runs[gate->run_count];

	if (!can_be_used(profile, path, err))
		return false;
	*run = (struct sprof_gate_run){
		.path = strdup(path),
		.command = profile->command ? strdup(profile->command) : NULL,
		.mode = profile->quality.mode,
		.rate_hz = profile->quality.rate_hz,
		.schedstat_missing = profile->quality.schedstat_missing,
		.start_realtime_ns = profile->start_realtime_ns,
		.duration_ns = profile->quality.duration_ns,
		.pid = profile->quality.target_pid,
	};
	if (!run->path || (profile->command && !run->command))
		sprof_error_no_memory(err);
	else if (check(gate, run, err)) {
		gate->run_count++;
		return true;
	}
	free(run->path);
	free(run->command);
	return false;
}

/* A side's first and last start. Returns false if one is unknown. */
static bool starts_of(const struct sprof_gate *gate, enum sprof_side side, uint64_t *ret_first,
	uint64_t *ret_last)
{
	size_t first = side == SPROF_SIDE_BASE ? 0 : gate->expected[SPROF_SIDE_BASE];

	*ret_first = UINT64_MAX;
	*ret_last = 0;
	for (size_t i = first; i < first + gate->expected[side]; i++) {
		uint64_t start = gate->runs[i].start_realtime_ns;

		if (!start)
			return false;
		*ret_first = start < *ret_first ? start : *ret_first;
		*ret_last = start > *ret_last ? start : *ret_last;
	}
	return true;
}

bool sprof_gate_is_in_turns(const struct sprof_gate *gate)
{
	uint64_t first[SPROF_SIDES], last[SPROF_SIDES];

	for (int i = 0; i < SPROF_SIDES; i++) {
		if (!starts_of(gate, (enum sprof_side)i, &first[i], &last[i]))
			return true;
	}
	return last[SPROF_SIDE_BASE] >= first[SPROF_SIDE_NEW] &&
		last[SPROF_SIDE_NEW] >= first[SPROF_SIDE_BASE];
}

/*
 * The command line after the program's name: the folder may differ, the arguments define its work.
 */
static const char *arguments_of(const struct sprof_gate_run *run)
{
	return run->command ? run->command + strcspn(run->command, " ") : "";
}

const struct sprof_gate_run *sprof_gate_other_command(const struct sprof_gate *gate)
{
	char first[256], role[256];

	role_of(&gate->runs[0], first);
	for (size_t i = 1; i < gate->run_count; i++) {
		role_of(&gate->runs[i], role);
		if (strcmp(first, role) != 0 ||
			strcmp(arguments_of(&gate->runs[0]), arguments_of(&gate->runs[i])) != 0)
			return &gate->runs[i];
	}
	return NULL;
}
