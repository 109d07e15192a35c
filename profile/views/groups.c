/*
 * Groups rows by a label. profile/model/labels.c reads a row's label value, sprof's or another
 * tool's.
 */
#include "profile/views/groups.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/interned.h"
#include "base/numbers.h"
#include "profile/model/expand.h"
#include "profile/model/labels.h"

enum { NAME_SIZE = 1024 };

struct builder {
	const struct sprof_profile *profile;
	struct sprof_groups *groups;
	struct sprof_idmap by_name;   /* (0, the interned name) -> group */
	struct sprof_idmap by_thread; /* (group, thread) pairs counted already */
	struct sprof_idmap by_row;    /* the same of (group, row) */
};

/* All values of the row's label, separated by ", ". Returns false if it has none. */
static bool read_name(const struct sprof_profile *profile, const struct sprof_profile_row *row,
	const char *label, char *name)
{
	size_t used = 0;

	for (size_t place = 0; used + 4 < NAME_SIZE; place++) {
		size_t start = place ? used + 2 : 0;

		if (!sprof_labels_find(profile, row, label, place, name + start, NAME_SIZE - start))
			return place;
		if (place)
			memcpy(name + used, ", ", 2);
		used = start + strlen(name + start);
	}
	return true;
}

static const char *host_of(const struct sprof_profile *profile, const struct sprof_profile_row *row)
{
	return profile->processes[profile->threads[row->thread].process].host;
}

static bool find_group(struct builder *builder, const char *name,
	const struct sprof_profile_row *row, uint32_t *ret)
{
	struct sprof_groups *groups = builder->groups;
	const struct sprof_interned items =
		SPROF_INTERNED(&builder->by_name, groups->items, groups->count, groups->capacity);
	const struct sprof_group group = {.name = name, .host = host_of(builder->profile, row)};

	return sprof_intern(&items, sprof_key(0, (uintptr_t)name), &group, ret);
}

static bool add_thread(struct builder *builder, uint32_t group, uint32_t thread)
{
	if (sprof_idmap_find(&builder->by_thread, group, thread) != SPROF_IDMAP_NONE)
		return true;
	builder->groups->items[group].threads++;
	return sprof_idmap_put(&builder->by_thread, group, thread, 0);
}

static bool add_row(struct builder *builder, size_t index, const char *name)
{
	const struct sprof_profile_row *row = &builder->profile->rows[index];
	uint32_t group;

	if (!find_group(builder, name, row, &group))
		return false;
	builder->groups->of_row[index] = group;
	if (builder->groups->items[group].host != host_of(builder->profile, row))
		builder->groups->items[group].host = NULL;
	sprof_metrics_add(&builder->groups->items[group].sum, &row->metrics);
	return add_thread(builder, group, row->thread);
}

/* Adds the row once to the total of each group that one of its frames is of. */
static bool add_totals(struct builder *builder, size_t index, const struct sprof_expansion *frames,
	const struct sprof_grouping *grouping)
{
	const struct sprof_profile_row *row = &builder->profile->rows[index];

	for (size_t i = 0; i < frames->count; i++) {
		const char *name = grouping->lines[frames->frames[i] - builder->profile->lines];
		uint32_t group;

		if (i && name == grouping->lines[frames->frames[i - 1] - builder->profile->lines])
			continue;
		if (!find_group(builder, name, row, &group))
			return false;
		if (sprof_idmap_find(&builder->by_row, group, index) != SPROF_IDMAP_NONE)
			continue;
		if (!sprof_idmap_put(&builder->by_row, group, index, 0) ||
			!add_thread(builder, group, row->thread))
			return false;
		sprof_metrics_add(&builder->groups->items[group].total, &row->metrics);
	}
	return true;
}

static bool add_frames(struct builder *builder, const struct sprof_grouping *grouping)
{
	struct sprof_expansion frames = {0};
	bool ok = true;

	for (size_t i = 0; ok && i < builder->profile->row_count; i++) {
		ok = sprof_expansion_fill(
			     &frames, builder->profile, builder->profile->rows[i].stack) &&
			add_totals(builder, i, &frames, grouping);
	}
	sprof_expansion_finish(&frames);
	return ok;
}

/* A unit may follow. */
static bool is_number(const char *name)
{
	return isdigit((unsigned char)name[name[0] == '-']);
}

struct order {
	const struct sprof_groups *groups;
	enum sprof_weight weight;
	bool by_number;
};

static int compare(const void *left, const void *right, void *data)
{
	const struct order *order = data;
	const struct sprof_group *a = &order->groups->items[*(const uint32_t *)left];
	const struct sprof_group *b = &order->groups->items[*(const uint32_t *)right];
	int result = 0;

	if (!a->name || !b->name)
		return !a->name - !b->name;
	if (order->by_number) {
		int64_t x = strtoll(a->name, NULL, 10), y = strtoll(b->name, NULL, 10);

		result = (x > y) - (x < y);
	} else {
		result = sprof_falling(sprof_metrics_get(&a->sum, order->weight),
			sprof_metrics_get(&b->sum, order->weight));
		if (!result)
			result = sprof_falling(sprof_metrics_get(&a->total, order->weight),
				sprof_metrics_get(&b->total, order->weight));
	}
	return result ? result : strcmp(a->name, b->name);
}

static bool sort(struct sprof_groups *groups, size_t rows, enum sprof_weight weight)
{
	struct order order = {.groups = groups, .weight = weight, .by_number = true};
	SPROF_AUTO_FREE uint32_t *from = calloc(groups->count + 1, sizeof(*from));
	SPROF_AUTO_FREE uint32_t *to = calloc(groups->count + 1, sizeof(*to));
	struct sprof_group *items = calloc(groups->count + 1, sizeof(*items));

	if (!from || !to || !items) {
		free(items);
		return false;
	}
	for (uint32_t i = 0; i < groups->count; i++) {
		from[i] = i;
		order.by_number &= !groups->items[i].name || is_number(groups->items[i].name);
	}
	qsort_r(from, groups->count, sizeof(*from), compare, &order);
	for (uint32_t i = 0; i < groups->count; i++) {
		items[i] = groups->items[from[i]];
		to[from[i]] = i;
	}
	for (size_t i = 0; i < rows; i++)
		groups->of_row[i] = to[groups->of_row[i]];
	free(groups->items);
	groups->items = items;
	return true;
}

bool sprof_groups_fill(const struct sprof_profile *profile, const struct sprof_grouping *grouping,
	enum sprof_weight weight, struct sprof_groups *ret)
{
	struct builder builder = {.profile = profile, .groups = ret};
	size_t rows = profile->row_count;
	bool ok;

	ret->of_frames = grouping->lines;
	ret->of_row = calloc(rows + 1, sizeof(*ret->of_row));
	ok = ret->of_row;
	for (size_t i = 0; ok && i < rows; i++)
		ok = add_row(&builder, i, grouping->rows[i]);
	ok = ok && (!grouping->lines || add_frames(&builder, grouping));
	sprof_idmap_finish(&builder.by_name);
	sprof_idmap_finish(&builder.by_thread);
	sprof_idmap_finish(&builder.by_row);
	return ok && sort(ret, rows, weight);
}

/* The names of the rows, by the label. Returns NULL if out of memory. */
static const char **name_rows(
	const struct sprof_profile *profile, const char *label, struct sprof_strtab *names)
{
	const char **rows = calloc(profile->row_count + 1, sizeof(*rows));
	bool ok = rows && names;
	char text[NAME_SIZE];

	for (size_t i = 0; ok && i < profile->row_count; i++) {
		if (!read_name(profile, &profile->rows[i], label, text))
			continue;
		rows[i] = sprof_strtab_intern(names, text);
		ok = rows[i];
	}
	if (ok)
		return rows;
	free(rows);
	return NULL;
}

static bool refuse(const struct sprof_profile *profile, const char *label, struct sprof_error *err)
{
	char known[256];

	sprof_error_set(err, SPROF_ERROR_USAGE, "no sample has the label %s", label);
	if (strcmp(label, "cpu") == 0)
		sprof_error_hint(err,
			"samples of one stack are summed up, and on which CPU each was taken is not "
			"kept");
	else if (sprof_labels_list(profile, known, sizeof(known)))
		sprof_error_hint(err, "the labels of this profile: %s", known);
	return false;
}

bool sprof_groups_build(const struct sprof_profile *profile, const char *label,
	enum sprof_weight weight, struct sprof_groups *ret, struct sprof_error *err)
{
	struct sprof_groups groups = {.label = label, .names = sprof_strtab_create()};
	SPROF_AUTO_FREE const char **rows = name_rows(profile, label, groups.names);
	const struct sprof_grouping grouping = {.rows = rows};
	bool ok = (rows && sprof_groups_fill(profile, &grouping, weight, &groups)) ||
		sprof_error_no_memory(err);

	if (ok && profile->row_count && (!groups.count || !groups.items[0].name))
		ok = refuse(profile, label, err);
	if (ok)
		*ret = groups;
	else
		sprof_groups_finish(&groups);
	return ok;
}

void sprof_groups_finish(struct sprof_groups *groups)
{
	free(groups->items);
	free(groups->of_row);
	sprof_strtab_destroy(groups->names);
	*groups = (struct sprof_groups){0};
}
