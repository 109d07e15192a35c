/*
 * The sentences of the summary. profile/answer/answer.c and profile/answer/doubts.c compute the
 * facts.
 */
#include "output/summary/summary.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "output/clean.h"
#include "output/fit.h"
#include "output/units.h"
#include "output/wait-words.h"
#include "profile/answer/doubts.h"

/* Samples: with fewer, it is not known whether time is in many functions. */
enum { VERY_FEW = 100 };

/*
 * least percentage of a program's busy time for which a second cause, or waiting for a CPU, is
 * named
 */
static const double least_second = 15;
/* Percent of a cause: the least for naming its heaviest function. */
static const double least_place = 5;
/* Percent of a wait: the least for naming the thread that held it up. */
static const double least_holder = 10;
/* Percent of the run's duration: with less busy time, the sentence says so first. */
static const double mostly_idle = 20;
/* Percent of a cause: from here on a function is most of it. */
static const double most_of_it = 50;
/* Percent of a function: from here on, "mostly" would say nothing. */
static const double nearly_all = 90;

/* A growing text. Remembers lack of memory until the end. */
struct words {
	FILE *stream; /* NULL: there is none */
	char *text;
	size_t size;
	bool failed;
};

static bool words_begin(struct words *words)
{
	*words = (struct words){0};
	words->stream = open_memstream(&words->text, &words->size);
	return words->stream;
}

/* To be freed. Returns NULL if out of memory. */
static char *words_end(struct words *words)
{
	return sprof_string_close(words->stream, &words->text, !words->failed);
}

static void put_text(struct words *words, const char *text)
{
	if (text)
		fputs(text, words->stream);
	else
		words->failed = true;
}

static void put_function_name(struct words *words, const char *function, size_t room)
{
	SPROF_AUTO_FREE char *name = sprof_fit_function(function, true, room);

	put_text(words, name);
}

static void put_function(
	struct words *words, const struct sprof_profile *profile, uint32_t function, size_t room)
{
	put_function_name(words, profile->functions[function].name, room);
}

/* Puts any other name. */
static void put_name(struct words *words, const char *name, size_t room)
{
	SPROF_AUTO_FREE char *clean = sprof_clean_text(name, NULL);
	SPROF_AUTO_FREE char *fitted = clean ? sprof_fit(clean, room) : NULL;

	put_text(words, fitted);
}

static void put_lock(struct words *words, const char *name, size_t room)
{
	SPROF_AUTO_FREE char *bare = sprof_wait_words_lock(name);

	if (bare)
		put_name(words, bare, room);
	else
		words->failed = true;
}

/* "[write]" -> "write": brackets disturb a sentence. */
static void put_kernel(struct words *words, const char *name, size_t room)
{
	size_t length = strlen(name);
	SPROF_AUTO_FREE char *bare = length > 2 && name[0] == '[' && name[length - 1] == ']'
		? strndup(name + 1, length - 2)
		: strdup(name);

	if (bare)
		put_name(words, bare, room);
	else
		words->failed = true;
}

/* ", most" or ", 23 % of that". */
static void put_part(struct words *words, double percent, bool is_most)
{
	if (is_most)
		fputs(", most", words->stream);
	else
		fprintf(words->stream, ", %.0f %% of that", percent);
}

/* Writes " (mostly in deflate)": the called function that has most of the time. */
static void put_inner(struct words *words, const struct sprof_profile *profile,
	const struct sprof_cause *cause, size_t room)
{
	double percent = sprof_percent(cause->inner_ns, cause->function_ns);

	if (cause->weight != SPROF_WEIGHT_USER || percent <= most_of_it)
		return;
	fputs(percent < nearly_all ? " (mostly in " : " (in ", words->stream);
	put_function(words, profile, cause->inner, room);
	fputs(")", words->stream);
}

/* The function would have at least half of its share in another run, too. */
static bool is_sure(const struct sprof_cause *cause)
{
	const double percent = sprof_percent(cause->function_ns, cause->ns);

	return percent >= least_place &&
		100 * sprof_doubts_least(percent / 100, cause->samples) >= percent / 2;
}

bool sprof_summary_wants_samples(const struct sprof_cause *cause)
{
	return (cause->weight == SPROF_WEIGHT_USER || cause->weight == SPROF_WEIGHT_SYS) &&
		cause->ns && cause->samples < VERY_FEW && !is_sure(cause);
}

/* Whether the sentence already shows where to look. */
static bool has_place(const struct sprof_cause *cause)
{
	if (cause->weight == SPROF_WEIGHT_WAIT)
		return cause->wait.ns;
	return cause->ns && !sprof_summary_wants_samples(cause);
}

/* " (read)", " (page faults)" */
static void put_entry(struct words *words, const struct sprof_cause *cause, size_t room)
{
	if (cause->in_faults) {
		fputs(" (page faults)", words->stream);
	} else if (cause->kernel) {
		fputs(" (", words->stream);
		put_kernel(words, cause->kernel, room);
		fputs(")", words->stream);
	}
}

static void put_place(struct words *words, const struct sprof_profile *profile,
	const struct sprof_cause *cause, size_t room)
{
	double percent;

	if (cause->function == SPROF_PROFILE_NONE || sprof_summary_wants_samples(cause))
		return;
	if (!is_sure(cause)) {
		fputs(" in many functions", words->stream);
		return;
	}
	percent = sprof_percent(cause->function_ns, cause->ns);
	put_part(words, percent,
		100 * sprof_doubts_least(percent / 100, cause->samples) > most_of_it);
	fputs(" in ", words->stream);
	put_function(words, profile, cause->function, room);
	put_entry(words, cause, room);
	put_inner(words, profile, cause, room);
}

static void put_wait(struct words *words, const struct sprof_profile *profile,
	const struct sprof_cause *cause, size_t room)
{
	const struct sprof_waits_row *wait = &cause->wait;
	const double percent = sprof_percent(wait->ns, cause->ns);
	const bool is_lock = wait->kind == SPROF_WAIT_KIND_LOCK && wait->object;
	const bool is_rare = sprof_percent(wait->holder_ns, wait->ns) < least_holder;

	if (!wait->ns)
		return;
	put_part(words, percent, percent > most_of_it);
	fputs(is_lock ? " on " : " in ", words->stream);
	if (!is_lock && wait->syscall)
		put_name(words, wait->syscall, room);
	if (!is_lock && wait->syscall && wait->object)
		fputs(" ", words->stream);
	if (is_lock)
		put_lock(words, wait->object, room);
	else if (wait->object)
		put_name(words, wait->object, room);
	if (wait->alike > 1)
		fprintf(words->stream, " and %" PRIu32 " more like it", wait->alike - 1);
	if (wait->function != SPROF_PROFILE_NONE) {
		fputs(is_lock ? " in " : ", by ", words->stream);
		put_function(words, profile, wait->function, room);
	}
	if (!wait->holder || (is_rare && !wait->holder_function))
		return;
	fputs(is_rare ? ", held" : ", held by ", words->stream);
	if (!is_rare)
		put_name(words, wait->holder, room);
	if (wait->holder_function) {
		fputs(" in ", words->stream);
		put_function_name(words, wait->holder_function, room);
	}
}

/* "20000 short-lived threads, made by make_some; " */
static void put_short_threads(struct words *words, const struct sprof_profile *profile,
	const struct sprof_short_threads *threads, size_t room)
{
	if (!threads->count)
		return;
	fprintf(words->stream, "%zu short-lived threads", threads->count);
	if (threads->maker != SPROF_PROFILE_NONE) {
		fputs(", made by ", words->stream);
		put_function(words, profile, threads->maker, room);
	}
	fputs("; ", words->stream);
}

/* "deadlock, 2 threads will wait for ever, 1 more for them; " */
static void put_deadlock(struct words *words, const struct sprof_program *program)
{
	if (!program->locked)
		return;
	fprintf(words->stream, "deadlock, %" PRIu32 " thread%s will wait for ever", program->locked,
		sprof_string_plural(program->locked));
	if (program->behind)
		fprintf(words->stream, ", %" PRIu32 " more for %s", program->behind,
			program->locked == 1 ? "it" : "them");
	fputs("; ", words->stream);
}

static void put_cause(struct words *words, const struct sprof_profile *profile,
	const struct sprof_program *program, const struct sprof_cause *cause, size_t room)
{
	bool naps = cause->wait.kind == SPROF_WAIT_KIND_TIME && 2 * cause->wait.ns > cause->ns;

	fprintf(words->stream, "%.0f %% ",
		sprof_percent(cause->ns, sprof_times_wall(&program->busy)));
	if (cause->weight == SPROF_WEIGHT_WAIT) {
		fputs(naps ? "asleep" : "blocked", words->stream);
		put_wait(words, profile, cause, room);
	} else {
		fputs(cause->weight == SPROF_WEIGHT_USER ? "computing" : "in the kernel",
			words->stream);
		put_place(words, profile, cause, room);
	}
}

/* "orchard (4711)", "cc1 (20 processes)". */
static void put_program(struct words *words, const struct sprof_program *program, size_t room)
{
	put_name(words, program->name, room);
	if (program->processes > 1)
		fprintf(words->stream, " (%" PRIu32 " processes): ", program->processes);
	else
		fprintf(words->stream, " (%d): ", (int)program->pid);
}

/* Why the function is unknown, and what to try. */
static void put_lack(struct words *words, const struct sprof_profile *profile,
	const struct sprof_program *program, size_t causes)
{
	const unsigned rate = sprof_doubts_better_rate(&profile->quality, program->samples);

	for (size_t i = 0; i < causes; i++) {
		if (has_place(&program->causes[i]))
			return;
	}
	for (size_t i = 0; i < causes; i++) {
		if (!sprof_summary_wants_samples(&program->causes[i]))
			continue;
		fprintf(words->stream, "; %" PRIu64 " sample%s too few to name a function: try ",
			program->samples, program->samples == 1 ? " is" : "s are");
		if (rate)
			fprintf(words->stream, "-r %u, ", rate);
		fputs("a larger input, or many runs in a loop", words->stream);
		return;
	}
}

char *sprof_summary_sentence(const struct sprof_profile *profile,
	const struct sprof_program *program, size_t causes, size_t room)
{
	uint64_t busy = sprof_times_wall(&program->busy), duration = profile->quality.duration_ns;
	const uint64_t own = busy - program->busy.ns[SPROF_TIME_RUNQ];
	struct words words;

	if (!words_begin(&words))
		return NULL;
	put_program(&words, program, room);
	put_deadlock(&words, program);
	put_short_threads(&words, profile, &program->short_threads, room);
	if (duration && sprof_percent(busy, duration) < mostly_idle)
		fprintf(words.stream, "busy for %s of %s, of that ", sprof_figure_time(busy).text,
			sprof_figure_time(duration).text);
	if (causes > 1 && sprof_percent(program->causes[1].ns, own) < least_second)
		causes = 1;
	for (size_t i = 0; i < causes; i++) {
		fputs(i ? "; " : "", words.stream);
		put_cause(&words, profile, program, &program->causes[i], room);
	}
	put_lack(&words, profile, program, causes);
	return words_end(&words);
}

/* "only 13 samples: a share of 10 % may be off by 17 points; try -r 999" */
static void put_few_samples(
	struct words *words, const struct sprof_quality *quality, uint64_t samples)
{
	const unsigned rate = sprof_doubts_better_rate(quality, samples);

	fprintf(words->stream, "%s%" PRIu64 " sample%s: a share of 10 %% may be off by %.0f points",
		rate ? "only " : "", samples, sprof_string_plural(samples),
		sprof_doubts_uncertainty((double)samples));
	if (rate)
		fprintf(words->stream, "; try -r %u", rate);
}

static void put_doubt(
	struct words *words, const struct sprof_quality *quality, const struct sprof_doubt *doubt)
{
	switch (doubt->kind) {
	case SPROF_DOUBT_SAMPLES:
		put_few_samples(words, quality, (uint64_t)doubt->amount);
		break;
	case SPROF_DOUBT_STACKS:
		fprintf(words->stream, "%.1f %% of the stacks end early", doubt->amount);
		break;
	case SPROF_DOUBT_TICKS:
		fprintf(words->stream, "%.1f %% of the ticks were late or missed", doubt->amount);
		break;
	case SPROF_DOUBT_NAMES:
		fprintf(words->stream, "%.0f address%s no name", doubt->amount,
			doubt->amount == 1 ? " has" : "es have");
		break;
	case SPROF_DOUBT_ESTIMATE:
		fprintf(words->stream, "%.0f %% of the CPU time is an estimate", doubt->amount);
		break;
	case SPROF_DOUBT_FOLDED:
		fprintf(words->stream, "%.1f %% of the samples are [other]; see --max-stacks",
			doubt->amount);
		break;
	case SPROF_DOUBT_RUN_QUEUE:
		fputs("this kernel does not separate runq from wait", words->stream);
		break;
	case SPROF_DOUBT_COUNT:
		break;
	}
}

static char *list_doubts(
	const struct sprof_quality *quality, const struct sprof_doubt *doubts, size_t count)
{
	struct words words;

	if (!words_begin(&words))
		return NULL;
	for (size_t i = 0; i < count; i++) {
		fputs(i ? "; " : "", words.stream);
		put_doubt(&words, quality, &doubts[i]);
	}
	return words_end(&words);
}

char *sprof_summary_doubts(const struct sprof_profile *profile, uint64_t samples, size_t room)
{
	struct sprof_doubt doubts[SPROF_DOUBT_COUNT];
	size_t count = sprof_doubts_find(&profile->quality, samples, doubts);
	char *text = list_doubts(&profile->quality, doubts, count);

	while (text && count > 1 && sprof_fit_length(text) > room) {
		free(text);
		text = list_doubts(&profile->quality, doubts, --count);
	}
	return text;
}

/* Threads and programs begin with the same functions everywhere. */
static bool is_beginning(const char *name)
{
	static const char *const names[] = {"_start", "__libc_start_main", "__libc_start_call_main",
		"__libc_start_main_impl", "__libc_start_main@@GLIBC_2.34", "clone", "clone3",
		"__clone3", "__clone", "start_thread", NULL};

	return sprof_string_is_one_of(name, names);
}

/* Outermost first: "main > walk > visit"; NONE as a function is a gap. */
static char *path_text(
	const struct sprof_profile *profile, const uint32_t *functions, size_t count, size_t room)
{
	struct words words;

	if (!words_begin(&words))
		return NULL;
	for (size_t i = 0; i < count; i++) {
		fputs(i ? " > " : "", words.stream);
		if (functions[i] == SPROF_PROFILE_NONE)
			fputs("..", words.stream);
		else
			put_function(&words, profile, functions[i], room);
	}
	return words_end(&words);
}

/* The functions on the way to a node, innermost first. Leaves out where threads begin. */
static size_t collect(const struct sprof_profile *profile, const struct sprof_graph *graph,
	size_t node, uint32_t *functions)
{
	size_t count = 0;

	for (; node; node = graph->nodes[node].parent) {
		uint32_t function = graph->nodes[node].function;

		functions[count++] = function;
	}
	while (count > 1 && is_beginning(profile->functions[functions[count - 1]].name))
		count--;
	return count;
}

/* Leaves out `gone` functions after the outermost. Returns the number of others, plus the gap. */
static size_t choose(const uint32_t *functions, size_t count, size_t gone, uint32_t *ret)
{
	size_t chosen = 0;

	ret[chosen++] = functions[count - 1];
	if (gone)
		ret[chosen++] = SPROF_PROFILE_NONE;
	for (size_t i = count - 1 - gone; i-- > 0;)
		ret[chosen++] = functions[i];
	return chosen;
}

char *sprof_summary_path(const struct sprof_profile *profile, const struct sprof_graph *graph,
	size_t node, size_t room)
{
	enum {
		LEAST = 4 /* characters of a function: " > f" */
	};
	size_t depth = graph->nodes[node].depth;
	SPROF_AUTO_FREE uint32_t *functions = calloc(depth + 1, sizeof(*functions));
	SPROF_AUTO_FREE uint32_t *chosen = calloc(depth + 2, sizeof(*chosen));
	size_t count = functions && chosen ? collect(profile, graph, node, functions) : 0, gone;
	SPROF_AUTO_FREE char *text = NULL;

	if (!count)
		return NULL;
	gone = count > room / LEAST ? count - room / LEAST : 0;
	for (;; gone++) {
		free(text);
		text = path_text(profile, chosen, choose(functions, count, gone, chosen), room / 2);
		if (!text || sprof_fit_length(text) <= room || gone + 2 >= count)
			break;
	}
	return text ? sprof_fit(text, room) : NULL;
}
