/*
 * The table-driven option parser, based on getopt_long(3), and the help text from the same tables.
 * A row's setter interprets the value.
 *
 * A long option's getopt_long value is 256 + row, so that an error can be traced to its row.
 */
#include "cmd/cli/command.h"

#include <assert.h>
#include <ctype.h>
#include <getopt.h>
#include <limits.h>
#include <string.h>

#include "base/nearest.h"
#include "base/strings.h"
#include "cmd/cli/other-tools.h"
#include "cmd/cli/program-file.h"

enum {
	MAX_OPTIONS = 96,
	LIST_SIZE = 160,   /* of partners */
	VALUE_SHOWN = 200, /* of a value in an error, whose reason follows */
	LONG_BASE = 256,
	HELP_COLUMN = 30,
	HELP_WIDTH = 79,
};

/* Whether a list of words has the row's name; NULL: an empty list. */
static bool is_listed(const char *list, const struct sprof_option *row)
{
	return list && sprof_string_has_word(list, row->name, strlen(row->name));
}

bool sprof_command_hides(const struct sprof_command *command, const struct sprof_option *row)
{
	return !row->help || is_listed(command->hidden, row);
}

/* The groups of a command, flattened, and their form for getopt_long. */
struct parser {
	const struct sprof_option *rows[MAX_OPTIONS];
	size_t bases[MAX_OPTIONS];
	struct option longs[MAX_OPTIONS + 1];
	char shorts[2 + 4 * MAX_OPTIONS];
	/* the value that each was given; "": a flag, or no value; NULL: it was not given */
	const char *given[MAX_OPTIONS];
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

static int argument_of(const struct sprof_option *row)
{
	if (!row->argument)
		return no_argument;
	return row->argument[0] == '[' && row->argument[1] == '=' ? optional_argument
								  : required_argument;
}

/* "[WHAT]": the next word is the value, unless it is an option. */
static bool may_lack_word(const struct sprof_option *row)
{
	return row->argument && row->argument[0] == '[' && row->argument[1] != '=';
}

static bool is_option(const char *word)
{
	return word[0] == '-' && (word[1] == '-' || isalpha((unsigned char)word[1]));
}

const struct sprof_option *sprof_command_find_option(
	const struct sprof_command *command, const char *word)
{
	if (!is_option(word))
		return NULL;
	for (const struct sprof_option_group *group = command->groups; group->title; group++) {
		for (const struct sprof_option *row = group->options; row->name; row++) {
			if (word[1] == '-'
					? !strcmp(row->name, word + 2)
					: !word[2] && row->letters && strchr(row->letters, word[1]))
				return row;
		}
	}
	return NULL;
}

bool sprof_option_takes_next(const struct sprof_option *row, const char *next)
{
	return next && argument_of(row) == required_argument &&
		!(may_lack_word(row) && is_option(next));
}

static void add_row(struct parser *parser, const struct sprof_option *row, size_t base)
{
	assert(parser->count < MAX_OPTIONS);
	parser->rows[parser->count] = row;
	parser->bases[parser->count] = base;
	parser->longs[parser->count] = (struct option){
		.name = row->name,
		.has_arg = argument_of(row),
		.val = LONG_BASE + parser->count,
	};
	parser->count++;
	add_letters(parser, row);
}

/*
 * "+": stop at the first operand, the rest belongs to the program; ":": report missing values as
 * such.
 */
static void parser_init(struct parser *parser, const struct sprof_command *command)
{
	*parser = (struct parser){.shorts = ":"};
	if (!command->options_anywhere)
		strcpy(parser->shorts, "+:");
	for (const struct sprof_option_group *group = command->groups; group->title; group++) {
		for (const struct sprof_option *row = group->options; row->name; row++)
			add_row(parser, row, group->base);
	}
}

/* The row of a value of getopt_long or of optopt; below 0: none. */
static int find_row(const struct parser *parser, int value)
{
	if (value >= LONG_BASE)
		return value - LONG_BASE;
	for (int i = 0; value && i < parser->count; i++) {
		if (parser->rows[i]->letters && strchr(parser->rows[i]->letters, value))
			return i;
	}
	return -1;
}

/* The long option that an unknown word resembles; NULL: none. */
static const char *find_near(
	const struct sprof_command *command, const struct parser *parser, const char *word)
{
	char name[64];
	struct sprof_nearest nearest = {.word = name};

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + strspn(word, "-"), "="),
		word + strspn(word, "-"));
	for (int i = 0; name[0] && i < parser->count; i++) {
		if (!sprof_command_hides(command, parser->rows[i]))
			sprof_nearest_try(&nearest, parser->rows[i]->name);
	}
	return nearest.found;
}

static bool usage_error(const struct sprof_command *command, int what, const struct parser *parser,
	const char *word, struct sprof_error *err)
{
	int index = find_row(parser, optopt);
	const struct sprof_option *row = index < 0 ? NULL : parser->rows[index];
	/* In a cluster of letters such as "-zq", `word` may be the one before the cluster. */
	const char letter[] = {'-', (char)optopt, '\0'};
	bool is_word = word[0] == '-' && (!optopt || (word[1] != '-' && strchr(word, optopt)));
	const char *near = row || !is_word ? NULL : find_near(command, parser, word);
	const char *refusal =
		row ? NULL : sprof_other_tools_option(command->name, is_word ? word : letter);

	if (row && what == ':')
		sprof_error_set(err, SPROF_ERROR_USAGE, "option --%s needs a value: %s", row->name,
			row->argument);
	else if (row)
		sprof_error_set(err, SPROF_ERROR_USAGE, "option --%s takes no value", row->name);
	else if (optopt && !near)
		sprof_error_set(err, SPROF_ERROR_USAGE, "unknown option -%c", optopt);
	else
		sprof_error_set(err, SPROF_ERROR_USAGE, "unknown option %s", word);
	if (refusal)
		sprof_error_hint(err, "%s", refusal);
	else if (near)
		sprof_error_hint(
			err, "did you mean --%s? see: sprof %s --help", near, command->name);
	else
		sprof_error_hint(err, "%ssee: sprof %s --help", row ? "" : "leave it out, or ",
			command->name);
	return false;
}

/* An option, or a program: the letter was not meant to have a value. */
static bool is_other_word(const char *word)
{
	struct sprof_error ignored;
	char path[PATH_MAX];

	return is_option(word) || sprof_program_find(word, 0, path, &ignored);
}

/*
 * A long option with one dash is read as short ones: "-pid" as "-p id". Or the letter means
 * something else in another tool.
 */
static void hint_at_value(const struct sprof_command *command, const struct parser *parser,
	int letter, const char *word, struct sprof_error *err)
{
	const char option[] = {'-', (char)(letter < LONG_BASE ? letter : '-'), '\0'};
	const char *answer = sprof_other_tools_option(command->name, option);
	const struct sprof_error reason = *err;

	if (answer && is_other_word(word))
		sprof_error_hint(err, "%s", answer);
	else if (answer)
		sprof_error_hint(err, "%s%s%s", reason.hint, reason.hint[0] ? "; " : "", answer);
	if (word[0] != '-' || word[1] == '-')
		return;
	for (int i = 0; i < parser->count; i++) {
		if (strcmp(parser->rows[i]->name, word + 1) == 0)
			sprof_error_hint(err, "did you mean -%s?", word);
	}
}

static bool set_option(const struct parser *parser, int index, const char *text, void *options,
	struct sprof_error *err)
{
	const struct sprof_option *row = parser->rows[index];
	struct sprof_error reason = {0};

	if (row->set((char *)options + parser->bases[index] + row->offset, text, &reason))
		return true;
	if (!text)
		sprof_error_set(err, reason.kind, "--%s: %s", row->name, reason.message);
	else
		sprof_error_set(err, reason.kind, "--%s %.*s%s: %s", row->name, VALUE_SHOWN,
			text[0] ? text : "''", strlen(text) > VALUE_SHOWN ? "..." : "",
			reason.message);
	if (reason.hint[0])
		sprof_error_hint(err, "%s", reason.hint);
	return false;
}

/* One of the words that a row names its partners by, "impl=call-delay". */
struct partner {
	const struct sprof_option *row;
	const char *value; /* NULL: any */
	int value_length;
	bool is_given;
};

static struct partner find_partner(const struct parser *parser, const char *word, size_t length)
{
	const char *sign = memchr(word, '=', length);
	const size_t name = sign ? (size_t)(sign - word) : length;
	struct partner partner = {.value = sign ? sign + 1 : NULL,
		.value_length = sign ? (int)(length - name - 1) : 0};
	int i = 0;

	while (i < parser->count &&
		(strncmp(parser->rows[i]->name, word, name) != 0 || parser->rows[i]->name[name]))
		i++;
	assert(i < parser->count);
	partner.row = parser->rows[i];
	partner.is_given = parser->given[i] &&
		(!sign ||
			(!strncmp(parser->given[i], partner.value, (size_t)partner.value_length) &&
				!parser->given[i][partner.value_length]));
	return partner;
}

/* "--impl call-delay"; returns its length. */
static size_t write_partner(const struct partner *partner, char *buffer, size_t size)
{
	return (size_t)snprintf(buffer, size, "--%s%s%.*s", partner->row->name,
		partner->value ? " " : "", partner->value_length,
		partner->value ? partner->value : "");
}

static bool check_needs(const struct sprof_command *command, const struct parser *parser,
	const struct sprof_option *row, struct sprof_error *err)
{
	char list[LIST_SIZE];
	size_t used = 0;

	for (const char *word = row->needs; *word; word += strspn(word, " ")) {
		const size_t length = strcspn(word, " ");
		const struct partner partner = find_partner(parser, word, length);

		if (partner.is_given)
			return true;
		word += length;
		if (!sprof_command_hides(command, row) && sprof_command_hides(command, partner.row))
			continue;
		if (used)
			used += (size_t)snprintf(
				list + used, sizeof(list) - used, "%s", *word ? ", " : " or ");
		used += write_partner(&partner, list + used, sizeof(list) - used);
		assert(used < sizeof(list));
	}
	return sprof_error_set(err, SPROF_ERROR_USAGE, "--%s needs %s", row->name, list);
}

static bool check_conflicts(
	const struct parser *parser, const struct sprof_option *row, struct sprof_error *err)
{
	char other[LIST_SIZE];

	if (row->unless && find_partner(parser, row->unless, strlen(row->unless)).is_given)
		return true;
	for (const char *word = row->conflicts; *word; word += strspn(word, " ")) {
		const size_t length = strcspn(word, " ");
		const struct partner partner = find_partner(parser, word, length);

		if (partner.is_given) {
			write_partner(&partner, other, sizeof(other));
			return sprof_error_set(err, SPROF_ERROR_USAGE,
				"--%s and %s exclude each other", row->name, other);
		}
		word += length;
	}
	return true;
}

/*
 * Rejects options that would be ignored: otherwise the run would measure something else than
 * requested.
 */
static bool check_partners(
	const struct sprof_command *command, const struct parser *parser, struct sprof_error *err)
{
	for (int i = 0; i < parser->count; i++) {
		const struct sprof_option *row = parser->rows[i];

		if (!parser->given[i] ||
			((!row->conflicts || check_conflicts(parser, row, err)) &&
				(!row->needs || check_needs(command, parser, row, err))))
			continue;
		return sprof_error_hint(err, "see: sprof %s --help", command->name);
	}
	return true;
}

/* The index of the first "--", or argc. */
static int find_dashes(int argc, char *const argv[])
{
	int i = 1;

	while (i < argc && strcmp(argv[i], "--") != 0)
		i++;
	return i < argc ? i : argc;
}

bool sprof_command_parse(const struct sprof_command *command, int argc, char *argv[], void *options,
	int *ret_operands, struct sprof_error *err)
{
	const struct sprof_common_options *common = options;
	struct parser parser;
	int value;

	parser_init(&parser, command);
	if (command->two_lists)
		argc = find_dashes(argc, argv);
	opterr = 0;
	optind = 0; /* glibc: start over, and look at the "+" again */
	while ((value = getopt_long(argc, argv, parser.shorts, parser.longs, NULL)) != -1) {
		int index = find_row(&parser, value == ':' ? optopt : value);
		const bool lacks = value == ':' && may_lack_word(parser.rows[index]);

		if (value == '?' || (value == ':' && !lacks))
			return usage_error(command, value, &parser, argv[optind - 1], err);
		if (lacks)
			optarg = NULL;
		else if (may_lack_word(parser.rows[index]) && optarg == argv[optind - 1] &&
			is_option(optarg)) {
			optarg = NULL;
			optind--;
		}
		if (!set_option(&parser, index, parser.rows[index]->argument ? optarg : NULL,
			    options, err)) {
			hint_at_value(command, &parser, value, argv[optind - 1], err);
			return false;
		}
		parser.given[index] = parser.rows[index]->argument && optarg ? optarg : "";
	}
	if (!common->help && !check_partners(command, &parser, err))
		return false;
	*ret_operands = optind;
	return true;
}

/* "  -p, --pid PID"; returns its width. */
static int print_option(const struct sprof_option *row, FILE *stream)
{
	int width = fprintf(stream, "  ");

	if (row->letters)
		width += fprintf(stream, "-%c, ", row->letters[0]);
	else
		width += fprintf(stream, "    ");
	width += fprintf(stream, "--%s", row->name);
	if (row->argument)
		width += fprintf(stream, "%s%s", argument_of(row) == optional_argument ? "" : " ",
			row->argument);
	return width;
}

/* How much of a text fits into a line, up to a blank or the end of the line. */
static size_t line_length(const char *text)
{
	size_t last = 0, i;

	for (i = 0; text[i] && i <= HELP_WIDTH - HELP_COLUMN; i++) {
		if (text[i] == ' ' || text[i] == '\n')
			last = i;
	}
	return text[i] && last ? last : i;
}

/* Wraps at 80 columns; line breaks in the tables don't matter. */
static void print_row(const struct sprof_option *row, FILE *stream)
{
	int width = print_option(row, stream);
	const char *text = row->help;

	if (width + 2 > HELP_COLUMN) {
		fputc('\n', stream);
		width = 0;
	}
	while (*text) {
		size_t length = line_length(text);

		fprintf(stream, "%*s", HELP_COLUMN - width, "");
		for (size_t i = 0; i < length; i++)
			fputc(text[i] == '\n' ? ' ' : text[i], stream);
		fputc('\n', stream);
		text += length;
		text += *text == ' ' || *text == '\n';
		width = 0;
	}
}

/* Those that are used most, or all others. */
static void print_rows(const struct sprof_command *command, bool first, FILE *stream)
{
	const char *title = NULL; /* of the group that the last row belongs to */

	if (first)
		fprintf(stream, "\nUsed most:\n");
	for (const struct sprof_option_group *group = command->groups; group->title; group++) {
		for (const struct sprof_option *row = group->options; row->name; row++) {
			if (row->is_described || sprof_command_hides(command, row) ||
				is_listed(command->first, row) != first)
				continue;
			if (!first && (!title || strcmp(group->title, title) != 0))
				fprintf(stream, "\n%s:\n", group->title);
			title = group->title;
			print_row(row, stream);
		}
	}
}

void sprof_command_help(const struct sprof_command *command, FILE *stream)
{
	fprintf(stream, "Usage: sprof %s %s\n%s.\n", command->name, command->synopsis,
		command->summary);
	if (command->first)
		print_rows(command, true, stream);
	print_rows(command, false, stream);
	if (command->details)
		fprintf(stream, "\n%s", command->details);
}
