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
	bool unasked; /* sprof's own copy of the recording, or the summary beside files: it is not counted */
};

/* Zeroed is valid: no output asked for yet. */
struct sprof_outputs {
	struct sprof_output_request items[SPROF_MAX_OUTPUTS];
	size_t count;
	const struct sprof_format *fallback; /* a -f before any -o; NULL: none */
	const char *whole_report; /* the command that shows all; NULL: none is known */
	bool is_recording;        /* what can't go to stdout is kept */
	bool is_paged;            /* who reads stdout may leave early */
	const struct sprof_profile *whole; /* what is kept unasked; NULL: what is written */
};

/* Setters (see sprof_option_setter) for a struct sprof_outputs: -o, and -f for the -o before it or for all. */
bool sprof_outputs_set_path(void *field, const char *text, struct sprof_error *err);
bool sprof_outputs_set_format(void *field, const char *text, struct sprof_error *err);

/* "text, folded, ..." into a buffer, for help and hints. */
void sprof_outputs_list_formats(char *buffer, size_t size);

/* What stdout gets where nothing else was said. */
enum sprof_stdout {
	SPROF_STDOUT_REPORT,  /* the text report */
	SPROF_STDOUT_SUMMARY, /* the summary on a terminal; folded stacks into a pipe, which is said */
};

/*
 * Fills in what was not said (stdout, and what it gets) and finds out, before the run, whether everything
 * can be written. The paths are those of now. A file that the shell has opened as stdout gets what its
 * name says.
 */
bool sprof_outputs_settle(
	struct sprof_outputs *outputs, enum sprof_stdout wanted, struct sprof_error *err);

/*
 * A terminal gets the summary, where nothing else was asked for. Sees to that, and that the recording is kept
 * in a file; names the command that shows all of it.
 */
void sprof_outputs_keep(struct sprof_outputs *outputs);

/* Another moment: other paths, none of which is looked at. */
bool sprof_outputs_rename(struct sprof_outputs *outputs,
	const struct sprof_placeholders_moment *moment, struct sprof_error *err);

bool sprof_outputs_use_stdout(const struct sprof_outputs *outputs);

/* Whether stdout gets the text report. */
bool sprof_outputs_report_to_stdout(const struct sprof_outputs *outputs);

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
