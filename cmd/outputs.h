/*
 * The outputs of a run: what -o and -f ask for, and writing them all.
 */
#ifndef SPROF_CMD_OUTPUTS_H
#define SPROF_CMD_OUTPUTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "cmd/placeholders.h"
#include "output/format.h"

enum { SPROF_MAX_OUTPUTS = 16 };

struct sprof_output_request {
	const char *pattern; /* as it was given; NULL: stdout */
	const char *path;    /* with its placeholders replaced, once settled */
	const struct sprof_format *format; /* NULL until settled: by the suffix */
};

/* Zeroed is valid: no output asked for yet. */
struct sprof_outputs {
	struct sprof_output_request items[SPROF_MAX_OUTPUTS];
	size_t count;
	const struct sprof_format *fallback; /* a -f before any -o; NULL: none */
};

/* Setters (see sprof_option_setter) for a struct sprof_outputs: -o, and -f for the -o before it or for all. */
bool sprof_outputs_set_path(void *field, const char *text, struct sprof_error *err);
bool sprof_outputs_set_format(void *field, const char *text, struct sprof_error *err);

/* "text, folded, ..." into a buffer, for help and hints. */
void sprof_outputs_list_formats(char *buffer, size_t size);

/*
 * Fills in what was not said (stdout; the report on a terminal, folded stacks into a pipe) and finds
 * out, before the run, whether everything can be written. The paths are those of now.
 */
bool sprof_outputs_settle(struct sprof_outputs *outputs, struct sprof_error *err);

/* Another moment: other paths, none of which is looked at. */
bool sprof_outputs_rename(struct sprof_outputs *outputs,
	const struct sprof_placeholders_moment *moment, struct sprof_error *err);

bool sprof_outputs_use_stdout(const struct sprof_outputs *outputs);

/* How many outputs were to be written and were. */
struct sprof_written {
	size_t succeeded, failed;
};

/* What sprof exits with when so much was written. */
int sprof_outputs_exit(const struct sprof_written *written);

/*
 * Writes them all, or all but stdout; what fails is said on stderr and doesn't keep the others from
 * being written.
 */
struct sprof_written sprof_outputs_write(const struct sprof_outputs *outputs, bool with_stdout,
	const struct sprof_profile *profile, const struct sprof_output_options *options);

#endif
