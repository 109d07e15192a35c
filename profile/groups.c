/*
 * Groups rows by a label. Does not handle the meaning of labels: labels.c tells the value of a
 * row's label, sprof's own or another tool's.
 */
#include "profile/groups.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/interned.h"
#include "profile/labels.h"

enum { NAME_SIZE = 1024 };

struct builder {
	const struct sprof_profile *profile;
	struct sprof_groups *groups;
	struct sprof_idmap by_name;   /* (0, the interned name) -> group */
	struct sprof_idmap by_thread; /* (group, thread) pairs counted already */
};

/* All values of the row's label, separated by ", ". False: it has none. */
static bool read_name(
	const struct builder *builder, const struct sprof_profile_row *row, char *name)
{
	size_t used = 0;

	for (size_t place = 0; used + 4 < NAME_SIZE; place++) {
		size_t start = place ? used + 2 : 0;

		if (!sprof_labels_find(builder->profile, row, builder->groups->label, place,
			    name + start, NAME_SIZE - start))
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

static bool add_row(struct builder *builder, size_t index)
{
	const struct sprof_profile_row *row = &builder->profile->rows[index];
	char text[NAME_SIZE];
	const char *name = NULL;
	uint32_t group;

	if (read_name(builder, row, text) &&
		!(name = sprof_strtab_intern(builder->groups->names, text)))
		return false;
	if (!find_group(builder, name, row, &group))
		return false;
	builder->groups->of_row[index] = group;
	if (builder->groups->items[group].host != host_of(builder->profile, row))
		builder->groups->items[group].host = NULL;
	sprof_metrics_add(&builder->groups->items[group].sum, &row->metrics);
	if (sprof_idmap_find(&builder->by_thread, group, row->thread) != SPROF_IDMAP_NONE)
		return true;
	builder->groups->items[group].threads++;
	return sprof_idmap_put(&builder->by_thread, group, row->thread, 0);
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

static int falling(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

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
		result = falling(sprof_metrics_get(&a->sum, order->weight),
			sprof_metrics_get(&b->sum, order->weight));
	}
	return result ? result : strcmp(a->name, b->name);
}

/* Sorts the groups, and renumbers their rows. */
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

static bool fill(struct builder *builder, enum sprof_weight weight)
{
	struct sprof_groups *groups = builder->groups;
	size_t rows = builder->profile->row_count;
	bool ok;

	groups->names = sprof_strtab_create();
	groups->of_row = calloc(rows + 1, sizeof(*groups->of_row));
	ok = groups->names && groups->of_row;
	for (size_t i = 0; ok && i < rows; i++)
		ok = add_row(builder, i);
	sprof_idmap_finish(&builder->by_name);
	sprof_idmap_finish(&builder->by_thread);
	return ok && sort(groups, rows, weight);
}

static bool refuse(const struct sprof_profile *profile, const char *label, struct sprof_error *err)
{
	char known[256];

	sprof_error_set(err, SPROF_ERROR_USAGE, "no sample has the label %s", label);
	if (sprof_labels_list(profile, known, sizeof(known)))
		sprof_error_hint(err, "the labels of this profile: %s", known);
	return false;
}

bool sprof_groups_build(const struct sprof_profile *profile, const char *label,
	enum sprof_weight weight, struct sprof_groups *ret, struct sprof_error *err)
{
	struct sprof_groups groups = {.label = label};
	struct builder builder = {.profile = profile, .groups = &groups};
	bool ok = fill(&builder, weight) || sprof_error_no_memory(err);

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
