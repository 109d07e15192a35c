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

static int compare_builds(const struct sprof_profile *one, const struct sprof_profile *other)
{
	int result = compare_numbers(one->module_count, other->module_count);

	for (size_t i = 0; !result && i < one->module_count; i++)
		result = compare_texts(
			one->module_facts[i].build_id, other->module_facts[i].build_id);
	return result;
}

static int compare_rows(const struct sprof_profile *one, const struct sprof_profile *other)
{
	int result = compare_numbers(one->row_count, other->row_count);

	for (size_t i = 0; !result && i < one->row_count; i++)
		result = memcmp(&one->rows[i].metrics, &other->rows[i].metrics,
			sizeof(one->rows[i].metrics));
	return result;
}

int sprof_run_order_keys(const struct sprof_run_key *one, const struct sprof_run_key *other)
{
	int result = compare_numbers(one->start_realtime_ns, other->start_realtime_ns);

	return result ? result : compare_texts(one->command, other->command);
}

int sprof_run_order(const struct sprof_profile *one, const struct sprof_profile *other)
{
	const struct sprof_run_key left = {one->start_realtime_ns, one->command};
	const struct sprof_run_key right = {other->start_realtime_ns, other->command};
	int result = sprof_run_order_keys(&left, &right);

	if (!result)
		result = compare_all_functions(one, other);
	if (!result)
		result = compare_builds(one, other);
	return result ? result : compare_rows(one, other);
}
