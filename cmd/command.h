/*
 * Commands as data: name, options, how options are read and explained. One option is one row of a
 * table; parser and help need nothing else.
 */
#ifndef SPROF_CMD_COMMAND_H
#define SPROF_CMD_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/attributes.h"
#include "base/error.h"

/* sprof's own exit codes; `run` passes on the program's. */
enum sprof_exit {
	SPROF_EXIT_PARTIAL = 1, /* a part of what was asked for is missing */
	SPROF_EXIT_GROWN = 1,   /* of sprof diff --fail-if */
	SPROF_EXIT_FAILED = 2,
	SPROF_EXIT_MISMATCH = 3, /* of sprof symbols --verify */
	SPROF_EXIT_USAGE = 64,
};

/* The exit code of a program as a shell reports it, from its status as waitpid(2) encodes it. */
int sprof_exit_of_program(int wait_status);

/*
 * Reads the option's value into the field at the row's offset; text is NULL for a flag. An error
 * message says what is wrong with the value; the parser puts the option's name in front of it.
 */
typedef bool (*sprof_option_setter)(void *field, const char *text, struct sprof_error *err);

struct sprof_option {
	const char *name;    /* the long name without its dashes; NULL ends a table */
	const char *letters; /* its short names, the usual one first; NULL: none */
	/* what help calls the value; NULL: a flag; "[=HOW]": it may be left out */
	const char *argument;
	/* lines are separated by '\n'; NULL: an old name, which help does not list */
	const char *help;
	sprof_option_setter set;
	size_t offset; /* offset of the field in the command's options */
	/* Other options, with blanks between them: "exact", or with a value, "impl=call-delay". */
	const char *needs;     /* without one of them this option would do nothing; NULL: none */
	const char *conflicts; /* each of them contradicts it; NULL: none */
};

struct sprof_option_group {
	/* the same as in the group before: that group goes on; NULL ends the list */
	const char *title;
	const struct sprof_option *options;
	/* offset of the struct, in the command's options, that the rows' offsets count from */
	size_t base;
};

/* Options of every command; the first member of each command's options. */
struct sprof_common_options {
	bool help, quiet, verbose;
};

extern const struct sprof_option sprof_common_option_table[];

struct sprof_command {
	const char *name;
	const char *alias;   /* another name, which help does not list; NULL: none */
	const char *summary; /* half a sentence, for `sprof --help` */
	/* says why there is no such option, "-C"; NULL: nothing to say. May itself be NULL */
	const char *(*refusal)(const char *option);
	const char *synopsis; /* behind "sprof NAME" */
	const char *details;  /* paragraphs behind the options; ends with a newline; may be NULL */
	const struct sprof_option_group *groups;
	const void *defaults; /* the defaults of the options */
	size_t options_size;
	/* options may stand behind operands: no operand begins another command line */
	bool options_anywhere;
	/* "--" is an operand, behind which there are operands only: it separates two lists */
	bool two_lists;
	/* operands: NULL-terminated. On success *ret_exit is what sprof exits with. */
	bool (*run)(const void *options, char *const operands[], int *ret_exit,
		struct sprof_error *err);
};

/*
 * Reads argv[1..] (argv[0] is the command's name) into options, which hold the defaults, up to the
 * first operand or "--". If options may stand behind operands, it reads all, and moves the operands
 * behind the options. On success *ret_operands is the index of the first operand, perhaps argc.
 * Refuses options without what they need, and those that contradict, unless help is asked for.
 */
bool sprof_command_parse(const struct sprof_command *command, int argc, char *argv[], void *options,
	int *ret_operands, struct sprof_error *err) SPROF_MUST_USE;

/* Writes the command's help text. The stream's owner checks for errors of writing. */
void sprof_command_help(const struct sprof_command *command, FILE *stream);

#endif
