/*
 * The table-driven option parser, on getopt_long(3), and the help text from the same tables. Knows
 * how options are spelled; what a value means is known to the row's setter.
 *
 * getopt_long sees long options as 256 + their row, so that an error can always be traced back to it.
 */
#include "cmd/command.h"

#include <assert.h>
#include <getopt.h>
#include <string.h>

enum {
	MAX_OPTIONS = 64,
	LONG_BASE = 256,
	HELP_COLUMN = 30,
};

/* The groups of a command, flattened, and what getopt_long wants to see of them. */
struct parser {
	const struct sprof_option *rows[MAX_OPTIONS];
	struct option longs[MAX_OPTIONS + 1];
	char shorts[2 + 4 * MAX_OPTIONS];
	int count;
};

static void add_letters(struct parser *parser, const struct sprof_option *row)
{
	size_t length = strlen(parser->shorts);

	for (const char *letter = row->letters; letter && *letter; letter++) {
		assert(length + 2 < sizeof(parser->shorts));
		parser->shorts[length++] = *letter;
		if (row->argument)
			parser->shorts[length++] = ':';
	}
	parser->shorts[length] = '\0';
}

static void add_row(struct parser *parser, const struct sprof_option *row)
{
	assert(parser->count < MAX_OPTIONS);
	parser->rows[parser->count] = row;
	parser->longs[parser->count] = (struct option){
		.name = row->name,
		.has_arg = row->argument ? required_argument : no_argument,
		.val = LONG_BASE + parser->count,
	};
	parser->count++;
	add_letters(parser, row);
}

/* "+": stop at the first operand, what follows belongs to the program; ":": tell missing values apart. */
static void parser_init(struct parser *parser, const struct sprof_command *command)
{
	*parser = (struct parser){.shorts = ":"};
	if (!command->options_anywhere)
		strcpy(parser->shorts, "+:");
	for (const struct sprof_option_group *group = command->groups; group->title; group++) {
		for (const struct sprof_option *row = group->options; row->name; row++)
			add_row(parser, row);
	}
}

/* The row that a value of getopt_long (or optopt) stands for; NULL: none. */
static const struct sprof_option *find_row(const struct parser *parser, int value)
{
	if (value >= LONG_BASE)
		return parser->rows[value - LONG_BASE];
	for (int i = 0; value && i < parser->count; i++) {
		if (parser->rows[i]->letters && strchr(parser->rows[i]->letters, value))
			return parser->rows[i];
	}
	return NULL;
}

static bool usage_error(const struct sprof_command *command, int what, const struct parser *parser,
	const char *word, struct sprof_error *err)
{
	const struct sprof_option *row = find_row(parser, optopt);

	if (row && what == ':')
		sprof_error_set(err, SPROF_ERROR_USAGE, "option --%s needs a value: %s", row->name,
			row->argument);
	else if (row)
		sprof_error_set(err, SPROF_ERROR_USAGE, "option --%s takes no value", row->name);
	else if (optopt)
		sprof_error_set(err, SPROF_ERROR_USAGE, "unknown option -%c", optopt);
	else
		sprof_error_set(err, SPROF_ERROR_USAGE, "unknown option %s", word);
	sprof_error_hint(err, "see: sprof %s --help", command->name);
	return false;
}

static bool set_option(const struct sprof_option *row, const char *text, void *options,
	struct sprof_error *err)
{
	struct sprof_error reason = {0};

	if (row->set((char *)options + row->offset, text, &reason))
		return true;
	if (!text)
		sprof_error_set(err, reason.kind, "--%s: %s", row->name, reason.message);
	else
		sprof_error_set(err, reason.kind, "--%s %s: %s", row->name, text[0] ? text : "''",
			reason.message);
	if (reason.hint[0])
		sprof_error_hint(err, "%s", reason.hint);
	return false;
}

bool sprof_command_parse(const struct sprof_command *command, int argc, char *argv[], void *options,
	int *ret_operands, struct sprof_error *err)
{
	struct parser parser;
	int value;

	parser_init(&parser, command);
	opterr = 0;
	optind = 0; /* glibc: start over, and look at the "+" again */
	while ((value = getopt_long(argc, argv, parser.shorts, parser.longs, NULL)) != -1) {
		const struct sprof_option *row = find_row(&parser, value);

		if (value == '?' || value == ':')
			return usage_error(command, value, &parser, argv[optind - 1], err);
		if (!set_option(row, row->argument ? optarg : NULL, options, err))
			return false;
	}
	*ret_operands = optind;
	return true;
}

/* "  -p, --pid PID"; returns its width. */
static int print_option(const struct sprof_option *row, FILE *stream)
{
	int width = fprintf(stream, "  ");

	for (const char *letter = row->letters; letter && *letter; letter++)
		width += fprintf(stream, "-%c, ", *letter);
	if (!row->letters)
		width += fprintf(stream, "    ");
	width += fprintf(stream, "--%s", row->name);
	if (row->argument)
		width += fprintf(stream, " %s", row->argument);
	return width;
}

static void print_row(const struct sprof_option *row, FILE *stream)
{
	int width = print_option(row, stream);
	const char *line = row->help;

	if (width + 2 > HELP_COLUMN) {
		fputc('\n', stream);
		width = 0;
	}
	for (;;) {
		size_t length = strcspn(line, "\n");

		fprintf(stream, "%*s%.*s\n", HELP_COLUMN - width, "", (int)length, line);
		if (!line[length])
			return;
		line += length + 1;
		width = 0;
	}
}

void sprof_command_help(const struct sprof_command *command, FILE *stream)
{
	fprintf(stream, "Usage: sprof %s %s\n%s.\n", command->name, command->synopsis,
		command->summary);
	for (const struct sprof_option_group *group = command->groups; group->title; group++) {
		fprintf(stream, "\n%s:\n", group->title);
		for (const struct sprof_option *row = group->options; row->name; row++)
			print_row(row, stream);
	}
	if (command->details)
		fprintf(stream, "\n%s", command->details);
}
