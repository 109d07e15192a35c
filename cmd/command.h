/*
 * Commands as data: what a command is called, which options it takes, and how its options are read
 * and explained. One option is one row of a table; parser and help need nothing else.
 */
#ifndef SPROF_CMD_COMMAND_H
#define SPROF_CMD_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"

/* What sprof exits with on its own account; `run` passes on the program's exit code. */
enum sprof_exit {
	SPROF_EXIT_PARTIAL = 1, /* something is missing of what was asked for */
	SPROF_EXIT_FAILED = 2,
	SPROF_EXIT_USAGE = 64,
};

/*
 * Reads the option's value into the field at the row's offset; text is NULL for a flag. An error
 * message says what is wrong with the value; the parser puts the option's name in front of it.
 */
typedef bool (*sprof_option_setter)(void *field, const char *text, struct sprof_error *err);

struct sprof_option {
	const char *name;     /* the long name without its dashes; NULL ends a table */
	const char *letters;  /* its short names, the usual one first; NULL: none */
	const char *argument; /* what help calls the value; NULL: a flag */
	const char *help;     /* lines are separated by '\n' */
	sprof_option_setter set;
	size_t offset; /* of the field in the command's options */
};

struct sprof_option_group {
	const char *title; /* NULL ends the list of groups */
	const struct sprof_option *options;
	size_t base; /* of the struct in the command's options that the rows' offsets count from */
};

/* What every command knows; the first member of each command's options. */
struct sprof_common_options {
	bool help, quiet, verbose;
};

extern const struct sprof_option sprof_common_option_table[];

struct sprof_command {
	const char *name;
	const char *summary;  /* half a sentence, for `sprof --help` */
	const char *synopsis; /* behind "sprof NAME" */
	const char *details;  /* paragraphs behind the options; ends with a newline; may be NULL */
	const struct sprof_option_group *groups;
	const void *defaults; /* the options as they are when none is given */
	size_t options_size;
	bool options_anywhere; /* also behind operands: no operand begins another command line */
	/* operands: NULL-terminated. On success *ret_exit is what sprof exits with. */
	bool (*run)(const void *options, char *const operands[], int *ret_exit,
		struct sprof_error *err);
};

/*
 * Reads argv[1..] (argv[0] is the command's name) into options, which hold the defaults, up to the
 * first operand or "--"; or all of it, moving the operands behind the options, if the command says so. On success *ret_operands is the index of the first operand, perhaps argc.
 */
bool sprof_command_parse(const struct sprof_command *command, int argc, char *argv[], void *options,
	int *ret_operands, struct sprof_error *err);

/* Writes the command's help text; whether that worked is for the stream's owner to check. */
void sprof_command_help(const struct sprof_command *command, FILE *stream);

#endif
