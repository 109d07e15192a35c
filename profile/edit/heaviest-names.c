/* Lists names for hints: only the heaviest. */
#include "profile/edit/heaviest-names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "profile/views/group-frames.h"
#include "profile/views/groups.h"
#include "profile/views/view.h"

enum {
	SHOWN = 6,
	LONGEST = 60, /* bytes of a name */
};

struct list {
	const char *names[SHOWN]; /* names in the text */
	char text[400];
	size_t used, count;
	bool has_more;
};

/* The number of bytes to print: limited, but whole characters. */
static int cut(const char *name)
{
	int length = (int)strnlen(name, LONGEST);

	while (length == LONGEST && ((unsigned char)name[length] & 0xc0) == 0x80)
		length--;
	return length;
}

/* Adds a name, unless it is there already. */
static void add(struct list *list, const char *name)
{
	int length;

	for (size_t i = 0; i < list->count; i++) {
		if (strcmp(list->names[i], name) == 0)
			return;
	}
	length = list->count == SHOWN
		? -1
		: snprintf(list->text + list->used, sizeof(list->text) - list->used, "%s%.*s",
			  list->count ? ", " : "", cut(name), name);
	if (length < 0 || list->used + (size_t)length >= sizeof(list->text)) {
		list->text[list->used] = '\0';
		list->has_more = true;
		return;
	}
	list->used += (size_t)length;
	list->names[list->count++] = name;
}

/* The hint of an error: "the threads are: a, b, ...". */
static bool suggest(const struct list *list, const char *what, struct sprof_error *err)
{
	return sprof_error_hint(err, "%s: %s%s", what, list->text, list->has_more ? ", ..." : "");
}

static void suggest_groups(
	const struct sprof_groups *groups, const char *what, struct sprof_error *err)
{
	struct list list = {0};

	for (size_t i = 0; i < groups->count; i++) {
		if (groups->items[i].name)
			add(&list, groups->items[i].name);
	}
	suggest(&list, what, err);
}

static int by_wall(const void *left, const void *right)
{
	const struct sprof_profile_thread *const *a = left, *const *b = right;
	uint64_t one = sprof_times_wall(&(*a)->times), other = sprof_times_wall(&(*b)->times);

	return (one < other) - (one > other);
}

static bool present_processes(
	const struct sprof_profile *profile, pid_t pid, struct sprof_error *err)
{
	struct list list = {0};

	for (size_t i = 0; i < profile->process_count; i++)
		add(&list, profile->processes[i].name);
	sprof_error_set(
		err, SPROF_ERROR_NOT_FOUND, "there is no process %d in the profile", (int)pid);
	return sprof_error_hint(err, "the processes are: %d %s%s",
		profile->process_count ? profile->processes[0].pid : 0, list.text,
		list.has_more ? ", ..." : "");
}

bool sprof_heaviest_threads(const struct sprof_profile *profile, const struct sprof_filter *filter,
	struct sprof_error *err)
{
	SPROF_AUTO_FREE const struct sprof_profile_thread **order =
		calloc(profile->thread_count + 1, sizeof(*order));
	struct list list = {0};

	if (!filter->thread)
		return present_processes(profile, filter->pid, err);
	for (size_t i = 0; order && i < profile->thread_count; i++)
		order[i] = &profile->threads[i];
	if (order)
		qsort(order, profile->thread_count, sizeof(*order), by_wall);
	for (size_t i = 0; order && i < profile->thread_count; i++)
		add(&list, order[i]->name);
	sprof_error_set(err, SPROF_ERROR_NOT_FOUND, "no thread%s matches --thread %s",
		filter->pid ? " of that process" : "", filter->thread);
	return suggest(&list, "the threads are", err);
}

bool sprof_heaviest_functions(const struct sprof_profile *profile,
	const struct sprof_filter *filter, struct sprof_error *err)
{
	const struct sprof_view view = {.weight = SPROF_WEIGHT_WALL, .thread = SPROF_PROFILE_NONE};
	struct list list = {0};
	struct sprof_flat flat;

	if (!sprof_flat_build(profile, &view, &flat, err))
		return false;
	for (size_t i = 0; i < flat.count; i++) {
		const char *name = profile->functions[flat.rows[i].function].name;

		if (strcmp(name, SPROF_PROFILE_UNSAMPLED) != 0)
			add(&list, name);
	}
	sprof_error_set(err, SPROF_ERROR_NOT_FOUND, "no function matches --focus %s",
		filter->focus.function);
	sprof_flat_finish(&flat);
	return suggest(&list, "the heaviest are", err);
}

bool sprof_heaviest_objects(const struct sprof_profile *profile, const struct sprof_filter *filter,
	struct sprof_error *err)
{
	struct sprof_error ignored = {0};
	struct sprof_groups groups;

	sprof_error_set(err, SPROF_ERROR_NOT_FOUND, "no shared object matches --focus @%s",
		filter->focus.object);
	if (!sprof_groups_build_frames(profile, "dso", SPROF_WEIGHT_WALL, &groups, &ignored))
		return false;
	suggest_groups(&groups, "the shared objects are", err);
	sprof_groups_finish(&groups);
	return false;
}

bool sprof_heaviest_labels(const struct sprof_profile *profile, const struct sprof_filter *filter,
	struct sprof_error *err)
{
	SPROF_AUTO_FREE char *key = strndup(filter->label, strcspn(filter->label, "="));
	struct sprof_error ignored = {0};
	struct sprof_groups groups;

	if (!key)
		return sprof_error_no_memory(err);
	sprof_error_set(err, SPROF_ERROR_NOT_FOUND, "no sample has a label that matches --label %s",
		filter->label);
	if (!sprof_groups_build(profile, key, SPROF_WEIGHT_WALL, &groups, &ignored)) {
		return sprof_error_hint(
			err, "%s", ignored.hint[0] ? ignored.hint : ignored.message);
	}
	suggest_groups(&groups, "the labels of that name are", err);
	sprof_groups_finish(&groups);
	return false;
}
