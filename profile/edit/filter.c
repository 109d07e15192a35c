/*
 * Filters a profile. Each pattern is matched once per function or thread. A stack's result is
 * derived from its parent's, so the cost does not depend on stack depth.
 */
#include "profile/edit/filter.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "profile/edit/copy.h"
#include "profile/edit/heaviest-names.h"
#include "profile/model/build.h"
#include "profile/model/index.h"
#include "profile/model/labels.h"
#include "profile/model/match.h"
#include "profile/model/objects.h"
#include "profile/model/program.h"
#include "profile/model/spans.h"

bool sprof_filter_is_empty(const struct sprof_filter *filter)
{
	return !filter->focus.function && !filter->ignore.function && !filter->hide.function &&
		!filter->focus.object && !filter->ignore.object && !filter->hide.object &&
		!filter->charge_callers && !filter->thread && !filter->pid && !filter->states &&
		!filter->label && !filter->to_ns;
}

static bool match_objects(const struct sprof_profile *profile, const char *pattern, bool **ret,
	struct sprof_error *err)
{
	SPROF_AUTO_FREE const char **paths = sprof_objects_paths(profile);

	if (!paths)
		return sprof_error_no_memory(err);
	return sprof_match_texts(pattern, paths, profile->function_count, ret, err);
}

/* By function: whether its name or its object matches; *ret stays NULL without a pattern. */
static bool match_functions(const struct sprof_profile *profile, const char *name,
	const char *object, bool **ret, struct sprof_error *err)
{
	SPROF_AUTO_FREE bool *objects = NULL;

	if (name && !sprof_match_functions(profile, name, ret, err))
		return false;
	if (object && !match_objects(profile, object, &objects, err))
		return false;
	if (!objects)
		return true;
	if (!*ret) {
		*ret = objects;
		objects = NULL;
		return true;
	}
	for (size_t i = 0; i < profile->function_count; i++)
		(*ret)[i] |= objects[i];
	return true;
}

/* By stack: whether one of the functions is on it. Returns NULL if out of memory. */
static bool *find_stacks(const struct sprof_profile *profile, const bool *functions)
{
	bool *stacks = calloc(profile->stack_count + 1, sizeof(*stacks));

	for (size_t i = 1; stacks && i < profile->stack_count; i++) {
		const struct sprof_profile_location *location =
			&profile->locations[profile->stacks[i].location];

		stacks[i] = stacks[profile->stacks[i].parent];
		for (uint32_t k = 0; k < location->line_count; k++)
			stacks[i] |= functions[profile->lines[location->first_line + k].function];
	}
	return stacks;
}

static bool match_stacks(const struct sprof_profile *profile, const char *name, const char *object,
	bool **ret, struct sprof_error *err)
{
	SPROF_AUTO_FREE bool *functions = NULL;

	if (!match_functions(profile, name, object, &functions, err))
		return false;
	if (functions) {
		*ret = find_stacks(profile, functions);
		return *ret || sprof_error_no_memory(err);
	}
	return true;
}

/* By location: whether it is code of a program, and not of a library or the kernel. */
static bool match_programs(
	const struct sprof_profile *profile, bool wanted, bool **ret, struct sprof_error *err)
{
	if (!wanted)
		return true;
	*ret = calloc(profile->location_count + 1, sizeof(**ret));
	if (!*ret)
		return sprof_error_no_memory(err);
	for (size_t i = 0; i < profile->location_count; i++)
		(*ret)[i] = sprof_profile_is_of_program(profile, &profile->locations[i]);
	return true;
}

static bool is_id(const char *text, pid_t id)
{
	char digits[16];

	snprintf(digits, sizeof(digits), "%d", id);
	return strcmp(text, digits) == 0;
}

/* By thread: whether it is kept. */
static bool match_threads(const struct sprof_profile *profile, const struct sprof_filter *filter,
	bool **ret, struct sprof_error *err)
{
	bool *kept = calloc(profile->thread_count + 1, sizeof(*kept));
	regex_t regex;

	if (!kept)
		return sprof_error_no_memory(err);
	*ret = kept;
	if (filter->thread && !sprof_match_compile(filter->thread, &regex, err))
		return false;
	for (size_t i = 0; i < profile->thread_count; i++) {
		const struct sprof_profile_thread *thread = &profile->threads[i];

		kept[i] = !filter->pid || profile->processes[thread->process].pid == filter->pid;
		if (filter->thread)
			kept[i] &= is_id(filter->thread, thread->tid) ||
				regexec(&regex, thread->name, 0, NULL, 0) == 0;
	}
	if (filter->thread)
		regfree(&regex);
	return true;
}

/* By row: whether it has a label with the name before '=' and a value that matches the rest. */
static bool match_labels(const struct sprof_profile *profile, const char *wanted, bool **ret,
	struct sprof_error *err)
{
	SPROF_AUTO_FREE char *key = wanted ? strndup(wanted, strcspn(wanted, "=")) : NULL;
	char text[1024];
	regex_t regex;

	if (!wanted)
		return true;
	*ret = calloc(profile->row_count + 1, sizeof(**ret));
	if (!key || !*ret)
		return sprof_error_no_memory(err);
	if (!wanted[strlen(key)])
		return sprof_error_set(err, SPROF_ERROR_USAGE, "--label needs NAME=REGEX");
	if (!sprof_match_compile(wanted + strlen(key) + 1, &regex, err))
		return false;
	for (size_t i = 0; i < profile->row_count; i++) {
		for (size_t k = 0; !(*ret)[i] &&
			sprof_labels_find(profile, &profile->rows[i], key, k, text, sizeof(text));
			k++)
			(*ret)[i] = regexec(&regex, text, 0, NULL, 0) == 0;
	}
	regfree(&regex);
	return true;
}

/* By row: its samples in the wanted time. */
static bool match_times(const struct sprof_profile *profile, const struct sprof_filter *filter,
	uint64_t **ret, struct sprof_error *err)
{
	struct sprof_spans spans;

	if (!filter->to_ns)
		return true;
	if (!profile->span_count) {
		sprof_error_set(err, SPROF_ERROR_UNSUPPORTED,
			"--from and --to need a profile that says when its samples were taken");
		return sprof_error_hint(
			err, "sprof run --time-slices 100ms -o profile.pb.gz writes one");
	}
	*ret = calloc(profile->row_count + 1, sizeof(**ret));
	if (!*ret || !sprof_spans_build(profile, &spans))
		return sprof_error_no_memory(err);
	for (size_t i = 0; i < profile->span_count; i++) {
		struct sprof_span span = sprof_spans_get(&spans, i);
		uint32_t first = sprof_span_samples_before(&span, filter->from_ns);
		uint32_t end = sprof_span_samples_before(&span, filter->to_ns);

		(*ret)[span.row] += end > first ? end - first : 0;
	}
	sprof_spans_finish(&spans);
	return true;
}

struct choice {
	bool *focus, *focus_dso, *ignore; /* by stack; NULL: no such condition */
	bool *hide;                       /* by function */
	bool *program; /* by location: code of a program; NULL: charge_callers is off */
	bool *threads;
	bool *labels;     /* by row; NULL: no such condition */
	uint64_t *inside; /* by row; NULL: at any time */
	unsigned states;
};

static void finish(struct choice *choice)
{
	free(choice->focus);
	free(choice->focus_dso);
	free(choice->ignore);
	free(choice->hide);
	free(choice->program);
	free(choice->threads);
	free(choice->labels);
	free(choice->inside);
}

static bool is_kept(const struct choice *choice, const struct sprof_profile *profile, size_t index)
{
	const struct sprof_profile_row *row = &profile->rows[index];
	unsigned state = 1u << profile->contexts[row->context].state;

	return choice->threads[row->thread] && (!choice->labels || choice->labels[index]) &&
		(!choice->inside || choice->inside[index]) &&
		(!choice->focus || choice->focus[row->stack]) &&
		(!choice->focus_dso || choice->focus_dso[row->stack]) &&
		(!choice->ignore || !choice->ignore[row->stack]) &&
		(!choice->states || choice->states & state);
}

static bool copy_kept(
	struct sprof_copy *copy, const struct sprof_filter *filter, const struct choice *choice)
{
	const struct sprof_profile *profile = copy->source;

	copy->hidden = choice->hide;
	copy->charged = choice->program;
	copy->drops_estimates = filter->thread;
	copy->inside = choice->inside;
	copy->from_ns = filter->from_ns;
	copy->to_ns = filter->to_ns;
	if (!sprof_copy_head(copy) || !sprof_copy_comments(copy))
		return false;
	for (size_t i = 0; i < profile->thread_count; i++) {
		if (choice->threads[i] && !sprof_copy_thread(copy, (uint32_t)i))
			return false;
	}
	for (size_t i = 0; i < profile->row_count; i++) {
		if (is_kept(choice, profile, i) && !sprof_copy_row(copy, i))
			return false;
	}
	return sprof_copy_spans(copy);
}

static bool is_any(const bool *flags, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (flags[i])
			return true;
	}
	return false;
}

/* Names the condition that alone leaves nothing; "the filters" if only all of them together do. */
static bool refuse_nothing(const struct sprof_profile *profile, const struct sprof_filter *filter,
	const struct choice *choice, struct sprof_error *err)
{
	if (!is_any(choice->threads, profile->thread_count))
		return sprof_heaviest_threads(profile, filter, err);
	if (choice->labels && !is_any(choice->labels, profile->row_count))
		return sprof_heaviest_labels(profile, filter, err);
	if (choice->focus && !is_any(choice->focus, profile->stack_count))
		return sprof_heaviest_functions(profile, filter, err);
	if (choice->focus_dso && !is_any(choice->focus_dso, profile->stack_count))
		return sprof_heaviest_objects(profile, filter, err);
	return sprof_error_set(err, SPROF_ERROR_NOT_FOUND, "no sample is left by the filters");
}

bool sprof_profile_filter(const struct sprof_profile *profile, const struct sprof_filter *filter,
	struct sprof_profile **ret, struct sprof_error *err)
{
	struct sprof_profile *part = NULL;
	struct choice choice = {.states = filter->states};
	struct sprof_copy copy = {0};
	bool ok = match_times(profile, filter, &choice.inside, err) &&
		match_labels(profile, filter->label, &choice.labels, err) &&
		match_programs(profile, filter->charge_callers, &choice.program, err) &&
		match_stacks(profile, filter->focus.function, NULL, &choice.focus, err) &&
		match_stacks(profile, NULL, filter->focus.object, &choice.focus_dso, err) &&
		match_stacks(profile, filter->ignore.function, filter->ignore.object,
			&choice.ignore, err) &&
		match_functions(
			profile, filter->hide.function, filter->hide.object, &choice.hide, err) &&
		match_threads(profile, filter, &choice.threads, err);

	if (ok) {
		part = sprof_build_create();
		ok = (part && sprof_copy_init(&copy, part, profile) &&
			     copy_kept(&copy, filter, &choice)) ||
			sprof_error_no_memory(err);
	}
	if (ok && profile->row_count && !part->row_count)
		ok = refuse_nothing(profile, filter, &choice, err);
	sprof_copy_finish(&copy);
	finish(&choice);
	if (!ok) {
		sprof_profile_destroy(part);
		return false;
	}
	part->quality = profile->quality;
	part->whole = sprof_profile_sum(profile);
	part->index->locations_named = part->location_count;
	*ret = part;
	return true;
}
