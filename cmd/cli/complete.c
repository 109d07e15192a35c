/*
 * Completion of commands, options and values from the tables of parser and help. Only the values of
 * options with fixed words are listed here. Does not handle quoting, which shells do, nor
 * "--option=value".
 */
#include "cmd/cli/complete.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/proc.h"
#include "base/strings.h"
#include "cmd/cli/outputs.h"
#include "events/event-type.h"

/* For commands with a specific option of that name, or for all (NULL). */
static const struct choice {
	const char *command, *option, *words;
} choices[] = {
	{"syscalls", "event", "%file %desc %network %process %signal %ipc %memory %wait"},
	{"calls", "sort", "function calls total self min avg p50 p95 p99 max rec"},
	{"mem", "at", "start peak end"},
	{"rundelay", "source", "auto kernel proc"},
	{NULL, "source", "auto ptrace kernel"},
	{"run", "waits", "exact ticks"},
	{"attach", "waits", "exact ticks"},
	{NULL, "impl", "delay pair syscalls call call-delay kmemprof"},
	{NULL, "report-mode", "merged per-thread both"},
	{NULL, "mode", "wall cpu wait"},
	{NULL, "kernel", "none syscall stack"},
	{NULL, "python", "calls all only none"},
	{NULL, "state", "user sys sleep disk stopped wait"},
	{NULL, "sort",
		"self% self total% total user% sys% runq% wait% stolen% self-user self-sys "
		"self-runq self-wait samples threads verdict dso function"},
	{NULL, "columns",
		"self% self total% total user% sys% runq% wait% stolen% self-user self-sys "
		"self-runq self-wait samples threads verdict dso function"},
	{NULL, "percentage", "relative absolute"},
	{NULL, "colour", "total self"},
	{"report", "names", "full short"},
	{"calls", "names", "full short"},
	{NULL, "names", "full short mangled no-inlines"},
	{NULL, "addresses", "process file"},
	{NULL, "by",
		"dso file srcline address comm cpu rank host pid tid process thread state syscall "
		"wait_kind "
		"wait_object lock_holder"},
	{"syscalls", "weight", "latency calls errors longest"},
	{"heap", "weight",
		"growth faults mapped calls alloc_space alloc_objects inuse_space inuse_objects "
		"peak_space peak_objects allocated_per_second allocations_per_second"},
	{NULL, "weight", "wall samples user sys runq wait sleep disk stopped stolen"},
};

struct completing {
	const char *word;
	size_t kept; /* how many of its characters are items of a list, before the one in question */
};

static void offer(
	const struct completing *completing, const char *candidate, const char *description)
{
	const char *rest = completing->word + completing->kept;

	if (!sprof_string_starts_with(candidate, rest))
		return;
	printf("%.*s%s\t%.*s\n", (int)completing->kept, completing->word, candidate,
		(int)strcspn(description, "\n"), description);
}

/* The items of a list have commas between them. */
static void begin_item(struct completing *completing)
{
	const char *comma = strrchr(completing->word, ',');

	completing->kept = comma ? (size_t)(comma + 1 - completing->word) : 0;
}

static void offer_words(const struct completing *completing, const char *words)
{
	char word[64];

	while (*words) {
		const size_t length = strcspn(words, " ,");

		snprintf(word, sizeof(word), "%.*s", (int)length, words);
		if (length)
			offer(completing, word, "");
		words += length + strspn(words + length, " ,");
	}
}

static void offer_commands(
	const struct sprof_commands *commands, const struct completing *completing)
{
	for (size_t i = 0; i < commands->count; i++)
		offer(completing, commands->items[i]->name, commands->items[i]->summary);
}

static void offer_first(const struct sprof_commands *commands, const struct completing *completing)
{
	offer_commands(commands, completing);
	offer(completing, "help", "the options of a command");
	offer(completing, "--help", "the commands");
	offer(completing, "--version", "the version, and the built-in libraries");
	offer(completing, "--list-formats", "the formats of -f and -o");
	offer(completing, "--self-check", "what works here, for bug reports");
}

static void offer_options(const struct sprof_command *command, const struct completing *completing)
{
	for (const struct sprof_option_group *group = command->groups; group->title; group++) {
		for (const struct sprof_option *row = group->options; row->name; row++) {
			char name[64];

			snprintf(name, sizeof(name), "--%s", row->name);
			if (!sprof_command_hides(command, row))
				offer(completing, name, row->help);
		}
	}
}

/* Kernel threads have no memory, and nothing that could be profiled. */
static void offer_process(const struct completing *completing, pid_t pid)
{
	char memory[64] = "", name[64] = "", number[16];

	if (sprof_proc_read_file(pid, 0, "statm", memory, sizeof(memory)) <= 0 ||
		strncmp(memory, "0 ", 2) == 0 || !sprof_proc_read_comm(pid, name, sizeof(name)))
		return;
	snprintf(number, sizeof(number), "%d", pid);
	name[strcspn(name, "\n\t")] = '\0';
	offer(completing, number, name);
}

static void offer_processes(const struct completing *completing)
{
	DIR *folder = sprof_proc_open_processes();
	pid_t pid;

	while (folder && (pid = sprof_proc_next_id(folder)))
		offer_process(completing, pid);
	if (folder)
		closedir(folder);
}

static void offer_formats(const struct completing *completing)
{
	const struct sprof_format *format;

	for (size_t i = 0; (format = sprof_format_at(i)); i++)
		offer(completing, format->name, format->summary);
}

/* For events with a name per system call: the common prefix. */
static void offer_events(const struct completing *completing)
{
	size_t count;
	const struct sprof_trace_type_row *rows = sprof_trace_types(&count);

	for (size_t i = 0; i < count; i++) {
		char name[64];

		sprof_trace_type_name(&rows[i], NULL, name, sizeof(name));
		name[strcspn(name, "*")] = '\0';
		offer(completing, name, rows[i].summary);
	}
}

/* NULL: its values are none of a few words. */
static const char *choice_of(const struct sprof_command *command, const char *option)
{
	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
		if (strcmp(choices[i].option, option) == 0 &&
			(!choices[i].command || strcmp(choices[i].command, command->name) == 0))
			return choices[i].words;
	}
	return NULL;
}

static void offer_value(const struct sprof_command *command, const struct sprof_option *row,
	struct completing *completing)
{
	const char *words = choice_of(command, row->name);

	begin_item(completing);
	if (words)
		offer_words(completing, words);
	else if (sprof_string_starts_with(row->argument, "PID"))
		offer_processes(completing);
	else if (sprof_string_starts_with(row->argument, "EVENT"))
		offer_events(completing);
	else if (strcmp(row->argument, "FORMAT") == 0)
		offer_formats(completing);
	else if (sprof_string_starts_with(row->argument, "FILE"))
		printf("@file\t\n");
	else if (sprof_string_starts_with(row->argument, "DIR"))
		printf("@folder\t\n");
}

/* The index of the first operand among the words before `end`, or `end`. */
static size_t find_operand(const struct sprof_command *command, char *const words[], size_t end)
{
	for (size_t i = 1; i < end; i++) {
		const struct sprof_option *row = sprof_command_find_option(command, words[i]);

		if (strcmp(words[i], "--") == 0)
			return i + 1;
		if (words[i][0] != '-')
			return i;
		i += row && sprof_option_takes_next(row, words[i + 1]);
	}
	return end;
}

static void offer_operand(
	const struct sprof_command *command, size_t operand, const struct completing *completing)
{
	if (strstr(command->synopsis, "PROGRAM"))
		printf("@program %zu\t\n", operand + 1);
	else if (completing->word[0] == '-')
		return;
	else if (strcmp(command->name, "events") == 0)
		offer_events(completing);
	else if (!strstr(command->synopsis, "-p PID") || strstr(command->synopsis, "FILE|"))
		printf("@file\t\n");
}

void sprof_complete(const struct sprof_commands *commands, char *const words[])
{
	const struct sprof_command *command = NULL;
	const struct sprof_option *before;
	struct completing completing = {0};
	size_t last = 0, operand;

	while (words[last + 1])
		last++;
	completing.word = words[last];
	for (size_t i = 0; i < commands->count && last; i++) {
		if (strcmp(commands->items[i]->name, words[0]) == 0)
			command = commands->items[i];
	}
	if (!last) {
		offer_first(commands, &completing);
		return;
	}
	if (!command) {
		if (strcmp(words[0], "help") == 0 && last == 1)
			offer_commands(commands, &completing);
		return;
	}
	operand = find_operand(command, words, last);
	before = sprof_command_find_option(command, words[last - 1]);
	if (operand < last && strstr(command->synopsis, "PROGRAM"))
		offer_operand(command, operand, &completing);
	else if (operand >= last && before && sprof_option_takes_next(before, completing.word))
		offer_value(command, before, &completing);
	else if (completing.word[0] == '-')
		offer_options(command, &completing);
	else
		offer_operand(command, operand, &completing);
}
