/* The rows of `sprof calls` in display order. Does not handle the layout. */
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "output/calls/report.h"

const char *const sprof_calls_column_names[] = {
	[SPROF_CALLS_FUNCTION] = "function",
	[SPROF_CALLS_CALLS] = "calls",
	[SPROF_CALLS_TOTAL] = "total",
	[SPROF_CALLS_SELF] = "self",
	[SPROF_CALLS_MIN] = "min",
	[SPROF_CALLS_AVG] = "avg",
	[SPROF_CALLS_P50] = "p50",
	[SPROF_CALLS_P95] = "p95",
	[SPROF_CALLS_P99] = "p99",
	[SPROF_CALLS_MAX] = "max",
	[SPROF_CALLS_REC] = "rec",
	NULL,
};

const char *sprof_calls_end_name(enum sprof_activation_end end)
{
	static const char *const names[] = {
		[SPROF_ACTIVATION_RETURNED] = "returned",
		[SPROF_ACTIVATION_CUT] = "cut",
		[SPROF_ACTIVATION_OPEN] = "open",
		[SPROF_ACTIVATION_EDGE] = "edge",
		[SPROF_ACTIVATION_LEFT] = "left",
		[SPROF_ACTIVATION_LOST] = "lost",
		[SPROF_ACTIVATION_COUNTED] = "counted",
	};

	return names[end];
}

const char *sprof_calls_name(const struct sprof_calls_report *report, uint32_t function)
{
	if (function == SPROF_ACTIVATION_ROOT)
		return "[unwatched]";
	return function < report->name_count ? report->names[function] : "?";
}

const struct sprof_profile_thread *sprof_calls_thread(
	const struct sprof_calls_report *report, uint32_t thread)
{
	return report->keys ? NULL : sprof_owner(report->profile, thread);
}

const char *sprof_calls_key_thread(const struct sprof_calls_report *report, int64_t key)
{
	return report->key_owners ? sprof_owners_name(report->key_owners, key) : NULL;
}

double sprof_calls_figure(const struct sprof_activation_row *row, enum sprof_calls_column column)
{
	switch (column) {
	case SPROF_CALLS_CALLS:
		return (double)sprof_activation_row_calls(row);
	case SPROF_CALLS_TOTAL:
		return (double)row->total_ns;
	case SPROF_CALLS_SELF:
		return (double)row->self_ns;
	case SPROF_CALLS_MIN:
		return (double)row->whole.min;
	case SPROF_CALLS_AVG:
		return row->whole.count ? (double)row->whole.total / (double)row->whole.count : 0;
	case SPROF_CALLS_P50:
		return (double)sprof_histogram_quantile(&row->whole, 0.5);
	case SPROF_CALLS_P95:
		return (double)sprof_histogram_quantile(&row->whole, 0.95);
	case SPROF_CALLS_P99:
		return (double)sprof_histogram_quantile(&row->whole, 0.99);
	case SPROF_CALLS_MAX:
		return (double)row->whole.max;
	case SPROF_CALLS_REC:
		return row->deepest;
	case SPROF_CALLS_FUNCTION:
	case SPROF_CALLS_COLUMNS:
		break;
	}
	return 0;
}

struct keyed {
	const struct sprof_activation_row *row;
	const struct sprof_calls_report *report;
};

static int compare_numbers(double one, double other)
{
	return (one > other) - (one < other);
}

/* Descending; equal figures are sorted by name. */
static int compare_figures(const struct keyed *one, const struct keyed *other)
{
	const enum sprof_calls_column sort = one->report->sort;
	const int order = compare_numbers(
		sprof_calls_figure(other->row, sort), sprof_calls_figure(one->row, sort));

	if (order)
		return order;
	return strcmp(sprof_calls_name(one->report, one->row->function),
		sprof_calls_name(other->report, other->row->function));
}

/* The rows of a thread stay together. */
static int compare_functions(const void *a, const void *b)
{
	const struct keyed *one = a, *other = b;

	if (one->row->thread != other->row->thread)
		return one->row->thread < other->row->thread ? -1 : 1;
	return compare_figures(one, other);
}

/* Rows of one function of one thread stay together, to be found. */
static int compare_owners(
	const struct sprof_activation_row *one, const struct sprof_activation_row *other)
{
	if (one->thread != other->thread)
		return one->thread < other->thread ? -1 : 1;
	return (one->function > other->function) - (one->function < other->function);
}

static int compare_edges(const void *a, const void *b)
{
	const struct keyed *one = a, *other = b;
	const int owner = compare_owners(one->row, other->row);
	const int calls = compare_numbers((double)sprof_activation_row_calls(other->row),
		(double)sprof_activation_row_calls(one->row));

	if (owner || calls)
		return owner ? owner : calls;
	return strcmp(sprof_calls_name(one->report, one->row->caller),
		sprof_calls_name(other->report, other->row->caller));
}

/* The rows of functions, or those of their callers. */
static size_t collect(const struct sprof_calls_report *report, bool is_edge, struct keyed *ret)
{
	const struct sprof_activation_books *books = report->books;
	size_t count = 0;

	for (size_t i = 0; i < books->row_count; i++) {
		const struct sprof_activation_row *row = &books->rows[i];

		if ((row->caller != SPROF_ACTIVATION_ANY) == is_edge &&
			(sprof_activation_row_calls(row) || row->unpaired))
			ret[count++] = (struct keyed){row, report};
	}
	if (count)
		qsort(ret, count, sizeof(*ret), is_edge ? compare_edges : compare_functions);
	return count;
}

struct edge_search {
	const struct keyed *edges;
	const struct sprof_activation_row *function;
};

static bool is_edge_before(const void *search, size_t index)
{
	const struct edge_search *wanted = search;

	return compare_owners(wanted->edges[index].row, wanted->function) < 0;
}

static void add_function(struct sprof_calls_rows *rows, const struct keyed *function,
	const struct keyed *edges, size_t edge_count)
{
	const struct edge_search search = {edges, function->row};

	rows->items[rows->count++] = function->row;
	for (size_t i = sprof_first_index(edge_count, is_edge_before, &search);
		i < edge_count && !compare_owners(edges[i].row, function->row); i++)
		rows->items[rows->count++] = edges[i].row;
}

bool sprof_calls_rows_init(const struct sprof_calls_report *report, struct sprof_calls_rows *ret)
{
	const size_t all = report->books->row_count + 1;
	struct keyed *functions = calloc(all, sizeof(*functions));
	struct keyed *edges = calloc(all, sizeof(*edges));
	size_t function_count, edge_count;

	*ret = (struct sprof_calls_rows){.items = calloc(all, sizeof(*ret->items))};
	if (functions && edges && ret->items) {
		function_count = collect(report, false, functions);
		edge_count = collect(report, true, edges);
		for (size_t i = 0; i < function_count; i++) {
			if (report->top && i >= report->top)
				ret->hidden++;
			else
				add_function(ret, &functions[i], edges, edge_count);
		}
	}
	free(functions);
	free(edges);
	return functions && edges && ret->items;
}

void sprof_calls_rows_finish(struct sprof_calls_rows *rows)
{
	free(rows->items);
}
