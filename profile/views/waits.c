/*
 * Aggregates waits. Rows are grouped by their visible texts, not by how they were found: strings
 * are interned, so equal texts are equal pointers.
 */
#include "profile/views/waits.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/hash.h"
#include "base/interned.h"
#include "base/numbers.h"
#include "base/strings.h"
#include "profile/classify/idle.h"
#include "profile/classify/own-place.h"
#include "profile/model/by-thread.h"
#include "profile/model/measured-waits.h"

struct building {
	const struct sprof_profile *profile;
	struct sprof_waits_table table;
	size_t capacity, edge_capacity;
	uint32_t *last_thread; /* of each row, plus one */
	size_t last_capacity;
	struct sprof_idmap rows, edges;
	struct sprof_idmap objects; /* (row, object) of rows with several objects */
	bool joins_alike;
};

static struct sprof_hash hash_of(const char *text, uint64_t one, uint64_t other)
{
	struct sprof_hash hash = sprof_hash_start(0);

	sprof_hash_add_pointer(&hash, text);
	sprof_hash_add(&hash, one);
	sprof_hash_add(&hash, other);
	return hash;
}

/*
 * The part of an object's name that it shares with others of its kind: a child's program of "cc1
 * (12)", a server's address of "tcp 1.2.3.4:80 <- 5.6.7.8:4711", or what is known of a socket
 * without an address or of a condition variable without a name. Returns its length, or 0: there are
 * no others.
 */
static size_t shared_part(const struct sprof_profile_context *context)
{
	static const char *const unnamed[] = {"socket:[", "condition variable [", NULL};
	static const char client[] = " <- ";
	const char *object = context->object, *found;

	if (!object)
		return 0;
	if (context->kind == SPROF_WAIT_KIND_CHILD)
		return strcspn(object, "(");
	if (sprof_string_starts_with_any(object, unnamed))
		return strcspn(object, "[");
	found = strchr(object, ',') ? NULL : strstr(object, client);
	return found ? (size_t)(found - object) : 0;
}

/*
 * Distinguishes rows by object. If a view joins those of a kind, how long naps last does not count,
 * either.
 */
static uint64_t object_key(
	const struct building *building, const struct sprof_profile_context *context)
{
	const size_t length = building->joins_alike ? shared_part(context) : 0;
	struct sprof_hash hash = sprof_hash_start(length);

	/* No pointer, and not 0, which is an unknown object. */
	if (building->joins_alike && context->kind == SPROF_WAIT_KIND_TIME)
		return SPROF_WAIT_KIND_TIME;
	if (!length)
		return (uint64_t)(uintptr_t)context->object;
	for (size_t i = 0; i < length; i++)
		sprof_hash_add(&hash, (unsigned char)context->object[i]);
	return hash.low;
}

/* Counts the objects of a row that may have several. */
static bool count_object(
	struct building *building, const struct sprof_profile_context *context, uint32_t row)
{
	uint64_t object = (uint64_t)(uintptr_t)context->object;

	if (!building->joins_alike || !shared_part(context)) {
		building->table.rows[row].alike = 1;
		return true;
	}
	if (sprof_idmap_find(&building->objects, row, object) != SPROF_IDMAP_NONE)
		return true;
	building->table.rows[row].alike++;
	return sprof_idmap_put(&building->objects, row, object, row);
}

/*
 * What the row's thread waited for, and where. Known functions are more informative than the call.
 */
static struct sprof_waits_row describe(
	const struct sprof_profile *profile, const struct sprof_profile_row *from)
{
	const struct sprof_profile_context *context = &profile->contexts[from->context];
	struct sprof_known_wait known;
	struct sprof_waits_row row = {
		.syscall = context->syscall,
		.object = context->object,
		.kind = sprof_profile_kind_of_wait(profile, from, &known),
		.function = sprof_own_place_of(profile, from->stack).function,
		.process = sprof_profile_is_own_lock(context)
			? profile->threads[from->thread].process
			: SPROF_PROFILE_NONE,
		.is_join = sprof_profile_is_join(context),
	};

	if (known.fact && known.fact->object && row.kind != context->kind)
		row.object = known.fact->object;
	return row;
}

static bool find_row(struct building *building, const struct sprof_profile_row *from, uint32_t *ret)
{
	const struct sprof_profile_context *context = &building->profile->contexts[from->context];
	const struct sprof_interned rows = SPROF_INTERNED(
		&building->rows, building->table.rows, building->table.count, building->capacity);
	const struct sprof_waits_row row = describe(building->profile, from);
	const bool is_corrected = row.object != context->object;
	struct sprof_hash key =
		hash_of(context->syscall, (uint64_t)row.process << 32 | row.function,
			is_corrected ? (uintptr_t)row.object : object_key(building, context));

	return sprof_array_reserve(&building->last_thread, &building->last_capacity,
		       building->table.count + 1, sizeof(*building->last_thread)) &&
		sprof_intern(&rows, key, &row, ret);
}

static bool add_edge(struct building *building, const struct sprof_profile_context *context,
	uint32_t row, const struct sprof_metrics *metrics)
{
	const struct sprof_interned edges = SPROF_INTERNED(&building->edges, building->table.edges,
		building->table.edge_count, building->edge_capacity);
	const struct sprof_waits_edge edge = {
		.row = row,
		.holder = context->holder,
		.holder_function = context->holder_function,
	};
	uint32_t id;

	if (!sprof_intern(&edges,
		    hash_of(context->holder, (uintptr_t)context->holder_function, row), &edge, &id))
		return false;
	building->table.edges[id].ns += sprof_times_wait(&metrics->times);
	building->table.edges[id].samples += metrics->samples;
	return true;
}

/* A blocked row: in any state, it has blocked time or blocked samples. */
static bool is_blocked(const struct sprof_profile *profile, const struct sprof_profile_row *row)
{
	return sprof_state_is_blocked(profile->contexts[row->context].state) ||
		sprof_times_wait(&row->metrics.times);
}

static void add_exact(struct building *building, const struct sprof_profile_row *from,
	struct sprof_waits_row *row)
{
	const struct sprof_profile *profile = building->profile;
	struct sprof_exact_waits_of exact;

	if (!sprof_profile_exact_waits(profile, (size_t)(from - profile->rows), &exact))
		return;
	building->table.is_exact = true;
	row->waits += exact.waits;
	if (row->longest_ns < exact.longest_ns)
		row->longest_ns = exact.longest_ns;
}

static bool add(struct building *building, const struct sprof_profile_row *from)
{
	const struct sprof_profile *profile = building->profile;
	const struct sprof_profile_context *context = &profile->contexts[from->context];
	struct sprof_waits_row *row;
	uint32_t id;

	if (!find_row(building, from, &id) || !count_object(building, context, id) ||
		(context->holder && !add_edge(building, context, id, &from->metrics)))
		return false;
	row = &building->table.rows[id];
	if (row->kind == SPROF_WAIT_KIND_TIME && row->object != context->object)
		row->object = NULL;
	row->ns += sprof_times_wait(&from->metrics.times);
	row->samples += from->metrics.samples;
	add_exact(building, from, row);
	row->threads += building->last_thread[id] != from->thread + 1;
	building->last_thread[id] = from->thread + 1;
	return true;
}

static bool add_all(struct building *building, const struct sprof_view *view)
{
	const struct sprof_profile *profile = building->profile;
	struct sprof_by_thread order;
	bool ok = true;

	if (!sprof_by_thread_build(profile, &order))
		return false;
	for (size_t i = 0; ok && i < profile->row_count; i++) {
		const struct sprof_profile_row *row = &profile->rows[order.rows[i]];

		if (!sprof_view_takes(view, profile, order.rows[i]))
			continue;
		building->table.wall_ns += sprof_times_wall(&row->metrics.times);
		building->table.blocked_ns += sprof_times_wait(&row->metrics.times);
		if (is_blocked(profile, row))
			ok = add(building, row);
	}
	sprof_by_thread_finish(&order);
	return ok;
}

static int compare_holders(const void *left, const void *right)
{
	const struct sprof_waits_edge *a = left, *b = right;
	uintptr_t one = (uintptr_t)a->holder, other = (uintptr_t)b->holder;

	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	return one == other ? sprof_falling(a->ns, b->ns) : (one > other) - (one < other);
}

/* The only place that most samples can have: any other takes away as many as it has. */
static const char *candidate(const struct sprof_waits_edge *edges, size_t count)
{
	const char *place = NULL;
	uint64_t lead = 0;

	for (size_t i = 0; i < count; i++) {
		const struct sprof_waits_edge *edge = &edges[i];

		if (!edge->holder_function)
			continue;
		if (edge->holder_function == place) {
			lead += edge->samples;
		} else if (edge->samples > lead) {
			place = edge->holder_function;
			lead = edge->samples - lead;
		} else {
			lead -= edge->samples;
		}
	}
	return place;
}

/*
 * The function with most samples of a lock's holders, over all threads; NULL: none. A holder is
 * sampled after the lock was read, so with few samples it may already have released the lock.
 */
static const char *common_place(const struct sprof_waits_edge *edges, size_t count)
{
	const char *place = candidate(edges, count);
	uint64_t known = 0, samples = 0;

	for (size_t i = 0; i < count; i++) {
		known += edges[i].holder_function ? edges[i].samples : 0;
		samples += edges[i].holder_function == place ? edges[i].samples : 0;
	}
	return place && 2 * samples > known ? place : NULL;
}

/* The edges are sorted: those of a row, then those of a holder, stand together. */
static void choose_places(struct sprof_waits_table *table)
{
	for (size_t i = 0, count; i < table->edge_count; i += count) {
		const struct sprof_waits_edge *edges = &table->edges[i];
		struct sprof_waits_row *row = &table->rows[edges->row];
		const char *place;

		for (count = 1; i + count < table->edge_count && edges[count].row == edges->row;)
			count++;
		place = common_place(edges, count);
		for (size_t k = 0; place && k < count; k++) {
			if (edges[k].holder == row->holder && edges[k].holder_function == place)
				row->holder_function = place;
		}
	}
}

/* The thread that held a row's lock the longest in total. */
static void choose_holders(struct sprof_waits_table *table)
{
	const struct sprof_waits_edge *first = table->edges;
	uint64_t sum = 0;

	if (table->edge_count)
		qsort(table->edges, table->edge_count, sizeof(*table->edges), compare_holders);
	for (size_t i = 0; i < table->edge_count; i++) {
		const struct sprof_waits_edge *edge = &table->edges[i];
		struct sprof_waits_row *row = &table->rows[edge->row];

		if (edge->row != first->row || edge->holder != first->holder) {
			first = edge;
			sum = 0;
		}
		sum += edge->ns;
		if (row->holder && row->holder_ns >= sum)
			continue;
		row->holder = first->holder;
		row->holder_ns = sum;
	}
	choose_places(table);
}

static int compare_order(const void *left, const void *right, void *data)
{
	const uint32_t *a = left, *b = right;
	const struct sprof_waits_row *rows = data;
	int result = sprof_falling(rows[*a].ns, rows[*b].ns);

	if (!result)
		result = sprof_falling(rows[*a].samples, rows[*b].samples);
	return result ? result : (*a > *b) - (*a < *b);
}

static int compare_edges(const void *left, const void *right)
{
	const struct sprof_waits_edge *a = left, *b = right;
	int result = sprof_falling(a->ns, b->ns);

	if (!result)
		result = sprof_falling(a->samples, b->samples);
	if (!result)
		result = (a->row > b->row) - (a->row < b->row);
	return result ? result : strcmp(a->holder, b->holder);
}

/* Sorts the rows, and updates the edges. */
static bool sort(struct sprof_waits_table *table)
{
	SPROF_AUTO_FREE uint32_t *order = calloc(table->count + 1, sizeof(*order));
	SPROF_AUTO_FREE uint32_t *place = calloc(table->count + 1, sizeof(*place));
	struct sprof_waits_row *rows = calloc(table->count + 1, sizeof(*rows));

	if (!order || !place || !rows) {
		free(rows);
		return false;
	}
	for (size_t i = 0; i < table->count; i++)
		order[i] = (uint32_t)i;
	if (table->count)
		qsort_r(order, table->count, sizeof(*order), compare_order, table->rows);
	for (size_t i = 0; i < table->count; i++) {
		rows[i] = table->rows[order[i]];
		place[order[i]] = (uint32_t)i;
	}
	for (size_t i = 0; i < table->edge_count; i++)
		table->edges[i].row = place[table->edges[i].row];
	if (table->edge_count)
		qsort(table->edges, table->edge_count, sizeof(*table->edges), compare_edges);
	free(table->rows);
	table->rows = rows;
	return true;
}

bool sprof_waits_table_build(const struct sprof_profile *profile, const struct sprof_view *view,
	struct sprof_waits_table *ret, struct sprof_error *err)
{
	struct building building = {.profile = profile, .joins_alike = view->joins_alike};
	bool ok = add_all(&building, view);

	if (ok) {
		choose_holders(&building.table);
		ok = sort(&building.table);
	}
	free(building.last_thread);
	sprof_idmap_finish(&building.rows);
	sprof_idmap_finish(&building.edges);
	sprof_idmap_finish(&building.objects);
	*ret = building.table;
	if (ok)
		return true;
	sprof_waits_table_finish(ret);
	return sprof_error_no_memory(err);
}

void sprof_waits_table_finish(struct sprof_waits_table *table)
{
	free(table->rows);
	free(table->edges);
	*table = (struct sprof_waits_table){0};
}
