/* The outputs of a run, as requested by -o and -f, and how to write them all. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/error.h"
#include "cmd/cli/placeholders.h"
#include "output/format.h"

enum { SPROF_MAX_OUTPUTS = 16 };

struct sprof_output_request {
	const char *pattern; /* the user's path; NULL: stdout */
	/* with placeholders replaced; set by sprof_outputs_settle() */
	const char *path;
	const struct sprof_format *format; /* NULL until chosen by suffix */
	/*
	 * not requested by the user, so not counted: the kept recording, or the summary in addition
	 * to files
	 */
	bool unasked;
	bool on_stderr; /* path NULL: stdout belongs to the program */
};

/* Zeroed is valid: no output requested. */
struct sprof_outputs {
	struct sprof_output_request items[SPROF_MAX_OUTPUTS];
	size_t count;
	const struct sprof_format *fallback; /* from a -f before any -o; NULL: none */
	/* command that shows the full report; NULL: none */
	const char *whole_report;
	/* arguments that record the same again: "-- ./server 80"; NULL: unknown */
	const char *again;
	pid_t pid; /* or this process; 0: unknown */
	/* sprof starts a program that keeps stdout, unless an output needs it (sprof run) */
	bool beside_program;
	bool is_last;      /* the profile is the last recording, which the next one replaces */
	bool is_saved;     /* made from files, which remain */
	bool is_only_kept; /* no output was requested, and there is no terminal */
	bool is_paged;     /* stdout is a pager, which may exit early */
	/* the profile to keep; NULL: the one that is written */
	const struct sprof_profile *whole;
};

/* The descriptor for a request without a path. */
int sprof_output_descriptor(const struct sprof_output_request *request);

/*
 * Option setters (sprof_option_setter) for struct sprof_outputs: -o; and -f, for the -o before it
 * or for all.
 */
bool sprof_outputs_set_path(void *field, const char *text, struct sprof_error *err) SPROF_MUST_USE;
bool sprof_outputs_set_format(
	void *field, const char *text, struct sprof_error *err) SPROF_MUST_USE;
/* A flag: the same as the format json. */
bool sprof_outputs_set_json(void *field, const char *text, struct sprof_error *err) SPROF_MUST_USE;

/* Writes "text, folded, ..." into a buffer, for help and hints. */
void sprof_outputs_list_formats(char *buffer, size_t size);

/* The default output on stdout. */
enum sprof_stdout {
	SPROF_STDOUT_REPORT, /* the text report */
	/* a summary on a terminal; folded stacks into a pipe, with a message */
	SPROF_STDOUT_SUMMARY,
	SPROF_STDOUT_ANSWER, /* a summary on a terminal, else the text report */
};

/*
 * Sets defaults (stdout and its format), replaces placeholders for the present moment, and checks
 * that everything can be written. If the shell has redirected stdout to a file, the file's name
 * selects the format. Beside a program, only a pipe or a terminal is used by default; otherwise the
 * summary goes to stderr if that is a terminal, or there is no output.
 */
bool sprof_outputs_settle(struct sprof_outputs *outputs, enum sprof_stdout wanted,
	struct sprof_error *err) SPROF_MUST_USE;

/*
 * Adds the file that keeps the last recording and, unless `is_quiet`, the summary for a terminal
 * with the command that shows the recording in full. Prints a message if there is no output and the
 * recording can't be kept.
 */
void sprof_outputs_keep(struct sprof_outputs *outputs, bool is_quiet);

/* Checks that the --stats file can be written and is not an output, too. */
bool sprof_outputs_check_stats(const struct sprof_outputs *outputs, const char *path,
	struct sprof_error *err) SPROF_MUST_USE;

/* Replaces the placeholders again for another moment; does not check the paths. */
bool sprof_outputs_rename(struct sprof_outputs *outputs,
	const struct sprof_placeholders_moment *moment, struct sprof_error *err) SPROF_MUST_USE;

/* Whether a requested output goes to stdout. */
bool sprof_outputs_use_stdout(const struct sprof_outputs *outputs);

/* Whether the started program must leave stdout to sprof. A terminal is shared. */
bool sprof_outputs_need_stdout(const struct sprof_outputs *outputs);

/* Whether the text report goes to stdout. */
bool sprof_outputs_report_to_stdout(const struct sprof_outputs *outputs);

/* Numbers of outputs requested and written. */
struct sprof_written {
	size_t succeeded, failed;
};

/* sprof's exit code for these numbers. */
int sprof_outputs_exit(const struct sprof_written *written);

/*
 * Writes all outputs, or all except stdout. Reports failures on stderr and continues with the other
 * outputs.
 */
struct sprof_written sprof_outputs_write(const struct sprof_outputs *outputs, bool with_stdout,
	const struct sprof_profile *profile, const struct sprof_output_options *options);
