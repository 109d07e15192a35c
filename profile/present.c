/*
 * Lists of names for hints. Some, the heaviest first; not all.
 */
#include "profile/present.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "profile/groups.h"
#include "profile/view.h"

enum {
	SHOWN = 6
};

struct list {
	char text[400];
	size_t used, count;
};

/* Names that are there already are not added again. */
static void add(struct list *list, const char *name)
{
	int length;

	if (list->count == SHOWN || strstr(list->text, name))
		return;
	length = snprintf(list->text + list->used, sizeof(list->text) - list->used, "%s%.60s",
		list->count ? ", " : "", name);
	if (length < 0 || list->used + (size_t)length >= sizeof(list->text)) {
		list->text[list->used] = '\0';
		list->count = SHOWN;
		return;
	}
	list->used += (size_t)length;
	list->count++;
}

static int by_wall(const void *left, const void *right)
{
	const struct sprof_profile_thread *const *a = left, *const *b = right;
	uint64_t one = sprof_times_wall(&(*a)->times), other = sprof_times_wall(&(*b)->times);

	return (one < other) - (one > other);
}

bool sprof_present_threads(const struct sprof_profile *profile, const struct sprof_filter *filter,
	struct sprof_error *err)
{
	SPROF_AUTO_FREE const struct sprof_profile_thread **order =
		calloc(profile->thread_count + 1, sizeof(*order));
	struct list list = {0};

	for (size_t i = 0; order && i < profile->thread_count; i++)
		order[i] = &profile->threads[i];
	if (order)
		qsort(order, profile->thread_count, sizeof(*order), by_wall);
	for (size_t i = 0; order && i < profile->thread_count; i++)
		add(&list, order[i]->name);
	if (filter->thread)
		sprof_error_set(err, SPROF_ERROR_NOT_FOUND, "no thread%s matches --thread %s",
			filter->pid ? " of that process" : "", filter->thread);
	else
		sprof_error_set(err, SPROF_ERROR_NOT_FOUND, "there is no process %d in the profile",
			(int)filter->pid);
	sprof_error_hint(err, "the threads are: %s%s", list.text,
		profile->thread_count > list.count ? ", ..." : "");
	return false;
}

bool sprof_present_functions(const struct sprof_profile *profile, const struct sprof_filter *filter,
	struct sprof_error *err)
{
	const struct sprof_view view = {.weight = SPROF_WEIGHT_WALL, .thread = SPROF_PROFILE_NONE};
	struct list list = {0};
	struct sprof_flat flat;

	if (!sprof_flat_build(profile, &view, &flat, err))
		return false;
	for (size_t i = 0; i < flat.count; i++)
		add(&list, profile->functions[flat.rows[i].function].name);
	sprof_error_set(err, SPROF_ERROR_NOT_FOUND, "no function matches --focus %s", filter->focus);
	sprof_error_hint(err, "the heaviest are: %s%s", list.text, flat.count > list.count ? ", ..." : "");
	sprof_flat_finish(&flat);
	return false;
}

bool sprof_present_labels(const struct sprof_profile *profile, const struct sprof_filter *filter,
	struct sprof_error *err)
{
	SPROF_AUTO_FREE char *key = strndup(filter->label, strcspn(filter->label, "="));
	struct sprof_error ignored = {0};
	struct list list = {0};
	struct sprof_groups groups;

	if (!key)
		return sprof_error_no_memory(err);
	sprof_error_set(err, SPROF_ERROR_NOT_FOUND, "no sample has a label that matches --label %s",
		filter->label);
	if (!sprof_groups_build(profile, key, SPROF_WEIGHT_WALL, &groups, &ignored)) {
		sprof_error_hint(err, "%s", ignored.hint[0] ? ignored.hint : ignored.message);
		return false;
	}
	for (size_t i = 0; i < groups.count; i++) {
		if (groups.items[i].name)
			add(&list, groups.items[i].name);
	}
	sprof_error_hint(err, "the labels of that name are: %s", list.text);
	sprof_groups_finish(&groups);
	return false;
}
