/*
 * The members "callers" and "callees" of the JSON object, for the functions that were asked for.
 * profile/neighbours.h defines the figures; they are in the unit of the weight.
 */
#include "output/json-neighbours.h"

#include "profile/neighbours.h"

static void write_number(struct sprof_json *json, const char *name, uint64_t number)
{
	sprof_json_format(json, ",\"%s\":", name);
	sprof_json_number(json, number);
}

static void write_items(struct sprof_json *json, const struct sprof_neighbour *items, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		sprof_json_format(json, "%s{\"function\":%u", i ? "," : "", items[i].function);
		write_number(json, "self", items[i].self);
		write_number(json, "total", items[i].value);
		sprof_json_text(json, "}");
	}
}

static void write_function(struct sprof_json *json, const struct sprof_neighbours *neighbours,
	const struct sprof_neighbourhood *function, bool callees)
{
	const struct sprof_neighbour *items = neighbours->items + function->first;

	sprof_json_format(json, "{\"function\":%u", function->function);
	write_number(json, "depth", function->depth);
	write_number(json, "self", function->self);
	write_number(json, "total", function->total);
	if (!callees)
		write_number(json, "root", function->root);
	sprof_json_format(json, ",\"%s\":[", callees ? "callees" : "callers");
	if (callees)
		write_items(json, items + function->callers, function->callees);
	else
		write_items(json, items, function->callers);
	sprof_json_text(json, "]}");
}

static bool write_side(struct sprof_json *json, const struct sprof_profile *profile,
	const struct sprof_output_options *options, bool callees, struct sprof_error *err)
{
	const struct sprof_view view = {.weight = options->weight, .thread = SPROF_PROFILE_NONE};
	const char *pattern = callees ? options->callees : options->callers;
	struct sprof_neighbours neighbours;

	if (!pattern)
		return true;
	if (!sprof_neighbours_build(profile, &view, pattern, &neighbours, err))
		return false;
	sprof_json_format(json, ",\n\"%s\":[", callees ? "callees" : "callers");
	for (size_t i = 0; i < neighbours.count; i++) {
		sprof_json_text(json, i ? ",\n" : "\n");
		write_function(json, &neighbours, &neighbours.functions[i], callees);
	}
	sprof_json_text(json, "]");
	sprof_neighbours_finish(&neighbours);
	return true;
}

bool sprof_json_neighbours(struct sprof_json *json, const struct sprof_profile *profile,
	const struct sprof_output_options *options, struct sprof_error *err)
{
	return write_side(json, profile, options, false, err) &&
		write_side(json, profile, options, true, err);
}
