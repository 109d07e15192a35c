/*
 * Commands as data: name, options, and how options are parsed and documented. An option is one row
 * of a table; parser and help need nothing else.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/attributes.h"
#include "base/error.h"

/* sprof's own exit codes; `run` passes on the program's. */
enum sprof_exit {
	SPROF_EXIT_PARTIAL = 1, /* a part of the requested result is missing */
	SPROF_EXIT_GROWN = 1,   /* sprof diff --fail-if */
	SPROF_EXIT_FAILED = 2,
	SPROF_EXIT_MISMATCH = 3, /* sprof symbols --verify */
	SPROF_EXIT_USAGE = 64,
};

/* A program's exit code as a shell reports it, from waitpid(2)'s status. */
int sprof_exit_of_program(int wait_status);

/*
 * Parses an option's value into the field at the row's offset; text is NULL for a flag. The error
 * describes the value; the parser prepends the option's name.
 */
typedef bool (*sprof_option_setter)(void *field, const char *text, struct sprof_error *err);

struct sprof_option {
	const char *name;    /* the long name without dashes; NULL terminates a table */
	const char *letters; /* the short names, of which help shows the first; NULL: none */
	/*
	 * the value's name in help; NULL: a flag; "[=HOW]": the value is optional; "[HOW]": so is
	 * the word, which is the value unless it is an option
	 */
	const char *argument;
	/* lines separated by '\n'; NULL: an old name, hidden in help and completions */
	const char *help;
	sprof_option_setter set;
	size_t offset; /* offset of the field in the command's options */
	/*
	 * Lists of other options, separated by blanks: "exact", or with a value, "impl=call-delay".
	 */
	const char *needs;     /* the option has no effect without one of these; NULL: none */
	const char *conflicts; /* contradicts each of these; NULL: none */
	const char *unless;    /* one option beside which it doesn't; NULL: none */
	/* another row's help describes it: help leaves it out, completions offer it with its own */
	bool is_described;
};

struct sprof_option_group {
	/* equal to the previous group's: continues it; NULL terminates the list */
	const char *title;
	const struct sprof_option *options;
	/* offset in the command's options of the struct that the rows' offsets refer to */
	size_t base;
};

/* Options of every command; the first member of each command's options. */
struct sprof_common_options {
	bool help, quiet, verbose;
};

extern const struct sprof_option sprof_common_option_table[];

struct sprof_command {
	const char *name;
	const char *alias;    /* another name, hidden in help; NULL: none */
	const char *summary;  /* a phrase for `sprof --help` */
	const char *synopsis; /* text after "sprof NAME" */
	const char *details;  /* paragraphs after the options, ending with a newline; may be NULL */
	const struct sprof_option_group *groups;
	/*
	 * Names of rows, separated by blanks, that are accepted as before but not documented: they
	 * moved to another command, or another row means the same. NULL: none.
	 */
	const char *hidden;
	/* Names of rows that help shows first, separated by blanks; NULL: none. */
	const char *first;
	/* Of a command for running processes: offset of its struct sprof_processes; 0: none. */
	size_t processes;
	unsigned processes_use;
	const void *defaults; /* default values of the options */
	size_t options_size;
	/* options may follow operands: no operand begins another command line */
	bool options_anywhere;
	/* "--" is an operand that separates two lists; only operands follow it */
	bool two_lists;
	/* Operands are NULL-terminated. On success *ret_exit is sprof's exit code. */
	bool (*run)(const void *options, char *const operands[], int *ret_exit,
		struct sprof_error *err);
};

/*
 * Parses argv[1..] (argv[0] is the command's name) into options, which hold the defaults, up to the
 * first operand or "--". With options_anywhere, parses everything and moves operands after the
 * options. On success *ret_operands is the index of the first operand, or argc. Rejects options
 * without their prerequisite and contradicting options, unless help is requested.
 */
bool sprof_command_parse(const struct sprof_command *command, int argc, char *argv[], void *options,
	int *ret_operands, struct sprof_error *err) SPROF_MUST_USE;

/* The row of an option's word, "--name" or "-x" without a value in the word. NULL: none. */
const struct sprof_option *sprof_command_find_option(
	const struct sprof_command *command, const char *word);

/* Whether `next` is the value of the row's option in the word before; it may be NULL. */
bool sprof_option_takes_next(const struct sprof_option *row, const char *next);

/* Whether help, completions and messages leave the row out. */
bool sprof_command_hides(const struct sprof_command *command, const struct sprof_option *row);

/* Writes the command's help text. The caller checks the stream for write errors. */
void sprof_command_help(const struct sprof_command *command, FILE *stream);
