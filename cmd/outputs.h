/*
 * The outputs of a run: what -o and -f ask for, and writing them all.
 */
#ifndef SPROF_CMD_OUTPUTS_H
#define SPROF_CMD_OUTPUTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/error.h"
#include "cmd/placeholders.h"
#include "output/format.h"

enum { SPROF_MAX_OUTPUTS = 16 };

struct sprof_output_request {
	const char *pattern;               /* as it was given; NULL: stdout */
	const char *path;                  /* placeholders replaced; set by settling */
	const struct sprof_format *format; /* NULL until it is settled by the suffix */
	/* sprof's own copy of the recording, or the summary beside files: not counted */
	bool unasked;
	bool on_stderr; /* without a path: stdout is the program's */
};

/* Zeroed is valid: no output asked for yet. */
struct sprof_outputs {
	struct sprof_output_request items[SPROF_MAX_OUTPUTS];
	size_t count;
	const struct sprof_format *fallback; /* a -f before any -o; NULL: none */
	/* the command that shows the whole report; NULL: none */
	const char *whole_report;
	/* what was recorded, as commands take it: "-- ./server 80"; NULL: unknown */
	const char *again;
	pid_t pid; /* or it is this process; 0: unknown */
	/* sprof starts a program, whose stdout stays its own unless it is needed (sprof run) */
	bool beside_program;
	bool is_last;      /* it shows the last recording, which the next one replaces */
	bool is_recording; /* what can't go to stdout is kept */
	bool is_only_kept; /* nobody has asked for an output, and there is no terminal */
	bool is_paged;     /* the reader of stdout may leave early */
	/* the profile to keep unasked; NULL: the one that is written */
	const struct sprof_profile *whole;
};

/* The descriptor that a request without a path is written to. */
int sprof_output_descriptor(const struct sprof_output_request *request);

/*
 * Setters (see sprof_option_setter) for a struct sprof_outputs: -o, and -f for the -o before it or
 * for all.
 */
bool sprof_outputs_set_path(void *field, const char *text, struct sprof_error *err) SPROF_MUST_USE;
bool sprof_outputs_set_format(
	void *field, const char *text, struct sprof_error *err) SPROF_MUST_USE;

/* "text, folded, ..." into a buffer, for help and hints. */
void sprof_outputs_list_formats(char *buffer, size_t size);

/* What stdout gets by default. */
enum sprof_stdout {
	SPROF_STDOUT_REPORT, /* the text report */
	/* the summary on a terminal; folded stacks into a pipe, with a message */
	SPROF_STDOUT_SUMMARY,
	SPROF_STDOUT_ANSWER, /* the summary on a terminal, else the text report */
};

/*
 * Fills in the defaults (stdout and its format) and checks before the run that everything can be
 * written. Replaces the placeholders of paths as of now. A file that the shell has opened as stdout
 * gets what its name says. Beside a program only a pipe or a terminal is taken unasked; elsewhere
 * the answer goes to stderr if that is a terminal, and there may be no output at all.
 */
bool sprof_outputs_settle(struct sprof_outputs *outputs, enum sprof_stdout wanted,
	struct sprof_error *err) SPROF_MUST_USE;

/*
 * Adds the summary for a terminal, if nothing else was asked for, and a file that keeps the
 * recording. Sets the command that shows all of it. Says so if there is no output at all, and the
 * recording can't be kept.
 */
void sprof_outputs_keep(struct sprof_outputs *outputs);

/* Checks that the figures of --stats can be written, and not over an output. */
bool sprof_outputs_check_stats(const struct sprof_outputs *outputs, const char *path,
	struct sprof_error *err) SPROF_MUST_USE;

/* Replaces the placeholders again, for another moment; does not check the paths. */
bool sprof_outputs_rename(struct sprof_outputs *outputs,
	const struct sprof_placeholders_moment *moment, struct sprof_error *err) SPROF_MUST_USE;

/* Whether stdout gets what was asked for. */
bool sprof_outputs_use_stdout(const struct sprof_outputs *outputs);

/* Whether a program that sprof starts must leave stdout to sprof. A terminal has room for both. */
bool sprof_outputs_need_stdout(const struct sprof_outputs *outputs);

/* Whether stdout gets the text report. */
bool sprof_outputs_report_to_stdout(const struct sprof_outputs *outputs);

/* How many outputs were to be written, and how many were written. */
struct sprof_written {
	size_t succeeded, failed;
};

/* sprof's exit code for that. */
int sprof_outputs_exit(const struct sprof_written *written);

/*
 * Writes all outputs, or all except stdout. A failure is reported on stderr; the other outputs are
 * still written.
 */
struct sprof_written sprof_outputs_write(const struct sprof_outputs *outputs, bool with_stdout,
	const struct sprof_profile *profile, const struct sprof_output_options *options);

#endif
