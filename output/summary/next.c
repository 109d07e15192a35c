/*
 * What to run next: the command that answers the question that the verdict leaves open, and the one
 * for the full report. Each can be pasted, so a command that does not fit is left out. Suggests
 * nothing for most waits, which the report shows; a program in a deadlock, or one that only waits
 * for locks, gets a dump.
 */
#include "output/summary/summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "output/fit.h"
#include "profile/answer/doubts.h"

enum {
	FEW_LINES = 12 /* fewer lines have no room for a second command */
};

/* least percentage of the busy time that is worth a question */
static const double least_cause = 5;
/* percentage of its time from which on a program does nothing but wait */
static const double nearly_all = 95;

static const char report[] = "sprof report";

/*
 * The first cause to investigate. Waiting for a CPU is not the program's fault. NULL: nothing else
 * matters.
 */
static const struct sprof_cause *first_cause(const struct sprof_program *program)
{
	const uint64_t busy = sprof_times_wall(&program->busy);

	for (int i = 0; i < SPROF_CAUSES; i++) {
		const struct sprof_cause *cause = &program->causes[i];

		if (cause->weight != SPROF_WEIGHT_RUNQ)
			return sprof_percent(cause->ns, busy) < least_cause ? NULL : cause;
	}
	return NULL;
}

/* Names with these characters mean one thing to a shell and to sprof annotate. */
static bool is_plain(const char *name, bool *ret_quoted)
{
	static const char bare[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:+,=%-";
	static const char in_quotes[] = " <>()[]{}&~!$;|^/#*";
	const size_t length = strlen(name);
	size_t at = strspn(name, bare);

	*ret_quoted = name[at] != '\0';
	while (name[at] && strchr(in_quotes, name[at]))
		at += 1 + strspn(name + at + 1, bare);
	return length && name[0] != '-' && at == length;
}

/* The number of other functions with this name, in its module or elsewhere. */
static size_t count_namesakes(const struct sprof_profile *profile, uint32_t function, bool inside)
{
	const struct sprof_profile_function *own = &profile->functions[function];
	size_t count = 0;

	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct sprof_profile_function *other = &profile->functions[i];

		count += i != function && (other->module == own->module) == inside &&
			strcmp(other->name, own->name) == 0;
	}
	return count;
}

/* "find_word", "'parse(int)'", "parse@libparse.so". NULL: it can't be typed, or no memory. */
static char *typed_name(const struct sprof_profile *profile, uint32_t function)
{
	const struct sprof_profile_function *known = &profile->functions[function];
	const bool is_elsewhere = count_namesakes(profile, function, false);
	bool quoted = false, module_quoted = false;
	const char *module = "";

	if (is_elsewhere && known->module != SPROF_PROFILE_NONE)
		module = sprof_module_name(sprof_modules_get(profile->modules, known->module));
	if (!is_plain(known->name, &quoted) || count_namesakes(profile, function, true) ||
		(is_elsewhere && !is_plain(module, &module_quoted)))
		return NULL;
	quoted |= module_quoted;
	return sprof_string_print("%s%s%s%s%s", quoted ? "'" : "", known->name,
		is_elsewhere ? "@" : "", module, quoted ? "'" : "");
}

static char *ask_lines(const struct sprof_summary *summary, const struct sprof_cause *cause)
{
	const struct sprof_profile *profile = summary->profile;
	const char *command = summary->options.whole_report;
	const uint32_t function = cause->function;
	SPROF_AUTO_FREE char *name = NULL;

	if (function == SPROF_PROFILE_NONE || !command ||
		!sprof_string_starts_with(command, report) || !profile->functions[function].file ||
		profile->functions[function].file[0] != '/')
		return NULL;
	name = typed_name(profile, function);
	return name ? sprof_string_print("sprof annotate %s%s", name, command + strlen(report))
		    : NULL;
}

static char *ask_again(const struct sprof_summary *summary, const char *command)
{
	const char *again = summary->options.again;

	return again ? sprof_string_print("sprof %s %s", command, again) : NULL;
}

static bool only_waits_for_locks(
	const struct sprof_program *program, const struct sprof_cause *cause)
{
	const uint64_t own = sprof_times_wall(&program->busy) - program->busy.ns[SPROF_TIME_RUNQ];

	return cause->weight == SPROF_WEIGHT_WAIT && cause->wait.kind == SPROF_WAIT_KIND_LOCK &&
		sprof_percent(cause->ns, own) >= nearly_all;
}

/* The process may be gone, and hang again in the next run. pgrep(1) compares 15 characters. */
static char *ask_dump(const struct sprof_summary *summary, const struct sprof_program *program)
{
	const char *again = summary->options.again;
	bool quoted;

	if (again && sprof_string_starts_with(again, "-p "))
		return sprof_string_print("sprof dump %s", again);
	if (!is_plain(program->name, &quoted) || quoted)
		return NULL;
	return sprof_string_print("sprof dump -p $(pgrep -n %.15s)", program->name);
}

/* *ret_answers describes what the command shows. NULL: no open question, or out of memory. */
static char *question(const struct sprof_summary *summary, const char **ret_answers)
{
	const struct sprof_program *program = summary->answer.programs;
	const struct sprof_cause *cause = summary->answer.mattering ? first_cause(program) : NULL;

	if (summary->answer.mattering && program->locked) {
		*ret_answers = "while it hangs: which thread waits for which";
		return ask_dump(summary, program);
	}
	if (!cause || program->short_threads.count)
		return NULL;
	if (only_waits_for_locks(program, cause)) {
		*ret_answers = "while it hangs: all stacks and lock holders";
		return ask_dump(summary, program);
	}
	if (cause->weight == SPROF_WEIGHT_USER) {
		*ret_answers = "its lines, and what they call";
		return ask_lines(summary, cause);
	}
	if (cause->weight != SPROF_WEIGHT_SYS)
		return NULL;
	*ret_answers = cause->in_faults ? "which code makes the memory grow"
					: "how many calls there are, and how long they take";
	if (!cause->in_faults && !cause->kernel)
		return NULL;
	return ask_again(summary, cause->in_faults ? "heap" : "syscalls");
}

static void put(struct sprof_summary *summary, const char *label, const char *command,
	const char *answers, const char *more)
{
	SPROF_AUTO_FREE char *text = sprof_string_print("%s    %s%s", command, answers, more);
	const bool is_long = text && sprof_fit_length(text) > sprof_summary_room(summary);

	sprof_summary_put_text(summary, label, is_long ? command : text, 1);
}

/* With too few samples, suggests the same run with more. */
static char *ask_rate(const struct sprof_summary *summary, const char **ret_answers)
{
	const struct sprof_program *program = summary->answer.programs;
	const struct sprof_cause *cause = summary->answer.mattering ? first_cause(program) : NULL;
	const char *again = summary->options.again;
	const unsigned rate =
		sprof_doubts_better_rate(&summary->profile->quality, summary->answer.samples);

	if (!cause || !sprof_summary_wants_samples(cause) || !rate || !again)
		return NULL;
	*ret_answers = "the same with more samples";
	return sprof_string_print("sprof %s -r %u %s",
		sprof_string_starts_with(again, "-p ") ? "attach" : "run", rate, again);
}

void sprof_summary_find_question(struct sprof_summary *summary)
{
	if (summary->lines < FEW_LINES)
		return;
	summary->question = question(summary, &summary->answers);
	if (!summary->question)
		summary->question = ask_rate(summary, &summary->answers);
	if (summary->question && sprof_fit_length(summary->question) <= sprof_summary_room(summary))
		return;
	free(summary->question);
	summary->question = NULL;
}

void sprof_summary_put_next(struct sprof_summary *summary)
{
	const char *command = summary->options.whole_report;

	if (summary->remedy)
		sprof_summary_put_text(summary, "next", summary->remedy, SPROF_SUMMARY_REMEDY);
	if (!command)
		return;
	if (summary->question)
		put(summary, summary->remedy ? "" : "next", summary->question, summary->answers,
			"");
	put(summary, summary->question || summary->remedy ? "" : "next", command,
		"the whole report of this run",
		summary->options.is_last ? ", kept until the next one" : "");
}
