/*
 * Orders profiles by what they contain. What an earlier profile has decides which functions of a later one are the
 * same, so the result of a merge must not depend on the order of the words on a command line.
 */
#include "profile/edit/run-order.h"

#include <string.h>

static int compare_numbers(uint64_t one, uint64_t other)
{
	return (one > other) - (one < other);
}

static int compare_texts(const char *one, const char *other)
{
	if (!one || !other)
		return (one != NULL) - (other != NULL);
	return strcmp(one, other);
}

static int compare_functions(
	const struct sprof_profile_function *one, const struct sprof_profile_function *other)
{
	int result = compare_texts(one->name, other->name);

	if (!result)
		result = compare_texts(one->linkage, other->linkage);
	if (!result)
		result = compare_texts(one->file, other->file);
	return result ? result : compare_numbers(one->line, other->line);
}

static int compare_all_functions(const struct sprof_profile *one, const struct sprof_profile *other)
{
	int result = compare_numbers(one->function_count, other->function_count);

	for (size_t i = 0; !result && i < one->function_count; i++)
		result = compare_functions(&one->functions[i], &other->functions[i]);
	return result;
}

static size_t count_modules(const struct sprof_profile *profile)
{
	return profile->modules ? sprof_modules_count(profile->modules) : 0;
}

static int compare_modules(const struct sprof_profile *one, const struct sprof_profile *other)
{
	const size_t count = count_modules(one);
	int result = compare_numbers(count, count_modules(other));

	for (size_t i = 0; !result && i < count; i++)
		result = compare_texts(sprof_modules_get(one->modules, i)->path,
			sprof_modules_get(other->modules, i)->path);
	if (!result)
		result = compare_numbers(one->module_count, other->module_count);
	for (size_t i = 0; !result && i < one->module_count; i++)
		result = compare_texts(
			one->module_facts[i].build_id, other->module_facts[i].build_id);
	return result;
}

static int compare_processes(const struct sprof_profile *one, const struct sprof_profile *other)
{
	int result = compare_numbers(one->process_count, other->process_count);

	for (size_t i = 0; !result && i < one->process_count; i++) {
		const struct sprof_profile_process *a = &one->processes[i];
		const struct sprof_profile_process *b = &other->processes[i];

		result = compare_numbers((uint64_t)a->pid, (uint64_t)b->pid);
		if (!result)
			result = compare_texts(a->name, b->name);
		if (!result)
			result = compare_texts(a->host, b->host);
		if (!result)
			result = compare_texts(a->rank, b->rank);
	}
	return result;
}

static int compare_threads(const struct sprof_profile *one, const struct sprof_profile *other)
{
	int result = compare_numbers(one->thread_count, other->thread_count);

	for (size_t i = 0; !result && i < one->thread_count; i++) {
		const struct sprof_profile_thread *a = &one->threads[i], *b = &other->threads[i];

		result = compare_numbers(a->process, b->process);
		if (!result)
			result = compare_numbers((uint64_t)a->tid, (uint64_t)b->tid);
		if (!result)
			result = compare_texts(a->name, b->name);
		if (!result)
			result = compare_texts(a->former_names, b->former_names);
	}
	return result;
}

static int compare_lines(const struct sprof_profile *one, const struct sprof_profile *other)
{
	int result = compare_numbers(one->line_count, other->line_count);

	for (size_t i = 0; !result && i < one->line_count; i++) {
		const struct sprof_profile_line *a = &one->lines[i], *b = &other->lines[i];

		result = compare_numbers(a->function, b->function);
		if (!result)
			result = compare_numbers(a->line, b->line);
		if (!result)
			result = compare_numbers(a->mark, b->mark);
		if (!result)
			result = compare_texts(a->file, b->file);
	}
	return result;
}

static int compare_locations(const struct sprof_profile *one, const struct sprof_profile *other)
{
	int result = compare_numbers(one->location_count, other->location_count);

	for (size_t i = 0; !result && i < one->location_count; i++) {
		const struct sprof_profile_location *a = &one->locations[i];
		const struct sprof_profile_location *b = &other->locations[i];

		result = compare_numbers(a->frame.module, b->frame.module);
		if (!result)
			result = compare_numbers(a->frame.offset, b->frame.offset);
		if (!result)
			result = compare_numbers(a->first_line, b->first_line);
		if (!result)
			result = compare_numbers(a->line_count, b->line_count);
	}
	return result;
}

static int compare_stacks(const struct sprof_profile *one, const struct sprof_profile *other)
{
	int result = compare_numbers(one->stack_count, other->stack_count);

	for (size_t i = 0; !result && i < one->stack_count; i++) {
		result = compare_numbers(one->stacks[i].parent, other->stacks[i].parent);
		if (!result)
			result =
				compare_numbers(one->stacks[i].location, other->stacks[i].location);
	}
	return result;
}

static int compare_contexts(const struct sprof_profile *one, const struct sprof_profile *other)
{
	int result = compare_numbers(one->context_count, other->context_count);

	for (size_t i = 0; !result && i < one->context_count; i++) {
		const struct sprof_profile_context *a = &one->contexts[i], *b = &other->contexts[i];
		const char *const texts[][2] = {{a->syscall, b->syscall}, {a->object, b->object},
			{a->holder, b->holder}, {a->holder_function, b->holder_function},
			{a->labels, b->labels}};

		result = compare_numbers(a->state, b->state);
		if (!result)
			result = compare_numbers(a->kind, b->kind);
		if (!result)
			result = compare_numbers(a->estimate, b->estimate);
		for (size_t j = 0; !result && j < sizeof(texts) / sizeof(texts[0]); j++)
			result = compare_texts(texts[j][0], texts[j][1]);
	}
	return result;
}

static int compare_rows(const struct sprof_profile *one, const struct sprof_profile *other)
{
	int result = compare_numbers(one->row_count, other->row_count);

	for (size_t i = 0; !result && i < one->row_count; i++) {
		const struct sprof_profile_row *a = &one->rows[i], *b = &other->rows[i];

		result = compare_numbers(a->thread, b->thread);
		if (!result)
			result = compare_numbers(a->stack, b->stack);
		if (!result)
			result = compare_numbers(a->context, b->context);
		if (!result)
			result = memcmp(&a->metrics, &b->metrics, sizeof(a->metrics));
	}
	return result;
}

typedef int comparison(const struct sprof_profile *one, const struct sprof_profile *other);

int sprof_run_order_keys(const struct sprof_run_key *one, const struct sprof_run_key *other)
{
	int result = compare_numbers(one->start_realtime_ns, other->start_realtime_ns);

	return result ? result : compare_texts(one->command, other->command);
}

int sprof_run_order(const struct sprof_profile *one, const struct sprof_profile *other)
{
	comparison *const comparisons[] = {compare_all_functions, compare_modules,
		compare_processes, compare_threads, compare_lines, compare_locations,
		compare_stacks, compare_contexts, compare_rows};
	const struct sprof_run_key left = {one->start_realtime_ns, one->command};
	const struct sprof_run_key right = {other->start_realtime_ns, other->command};
	int result = sprof_run_order_keys(&left, &right);

	for (size_t i = 0; !result && i < sizeof(comparisons) / sizeof(comparisons[0]); i++)
		result = comparisons[i](one, other);
	return result;
}
