/*
 * Chooses the names of functions in tables: the function's name, and its module if that is not the
 * program. If several functions have that name, such as static ones, each also gets its source file
 * or, if that does not distinguish them, its address in the module, and the module's path.
 */
#include "cmd/calls/names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "elfsym/elf/demangle.h"
#include "elfsym/names/symbols.h"
#include "output/clean.h"
#include "output/fit.h"

/* Of several functions with one name. NULL: nothing is known, or no memory. */
typedef char *(*distinction)(
	struct sprof_symbols *symbols, const struct sprof_function *function, const char *name);

/* Whether the name already contains the file: "libc.so.6+0x26000", code without a name. */
static bool names_file(const char *name, const char *file)
{
	const size_t length = strlen(file);

	return !strncmp(name, file, length) && name[length] == '+';
}

/* "parse", "malloc@libc.so.6". Returns NULL if out of memory. */
static char *name_of(const struct sprof_calls_naming *naming, const struct sprof_function *function)
{
	const char *file = sprof_module_name(function->module);
	SPROF_AUTO_FREE char *plain =
		sprof_is_mangled(function->name) ? sprof_demangle(function->name) : NULL;
	SPROF_AUTO_FREE char *shown =
		sprof_fit_function(plain ? plain : function->name, plain && naming->short_names, 0);
	SPROF_AUTO_FREE char *whole = NULL;

	if (!shown || names_file(shown, file) ||
		sprof_function_choice_is_program(naming->choice, function->module))
		return shown ? strdup(shown) : NULL;
	if (asprintf(&whole, "%s@%s", shown, file) < 0)
		whole = NULL;
	return whole ? sprof_clean_text(whole, NULL) : NULL;
}

/* "parse (input.c)" */
static char *with_file(
	struct sprof_symbols *symbols, const struct sprof_function *function, const char *name)
{
	struct sprof_locations locations;
	struct sprof_error err;
	const char *file, *slash;
	SPROF_AUTO_FREE char *whole = NULL;

	if (!sprof_symbols_resolve(
		    symbols, function->module->id, function->offset, &locations, &err))
		return NULL;
	file = locations.items[locations.count - 1].function_file;
	if (!file)
		return NULL;
	slash = strrchr(file, '/');
	if (asprintf(&whole, "%s (%s)", name, slash ? slash + 1 : file) < 0)
		whole = NULL;
	return whole ? sprof_clean_text(whole, NULL) : NULL;
}

/* "parse (app+0x1149)" */
static char *with_place(
	struct sprof_symbols *symbols, const struct sprof_function *function, const char *name)
{
	char *whole;

	return asprintf(&whole, "%s (%s+0x%" PRIx64 ")", name, sprof_module_name(function->module),
		       function->offset) < 0
		? NULL
		: whole;
}

/* "parse@libx.so (libx.so+0x1149) [/opt/one/libx.so]" */
static char *with_path(
	struct sprof_symbols *symbols, const struct sprof_function *function, const char *name)
{
	SPROF_AUTO_FREE char *whole = NULL;

	if (asprintf(&whole, "%s [%s]", name, function->module->path) < 0)
		whole = NULL;
	return whole ? sprof_clean_text(whole, NULL) : NULL;
}

struct named {
	const char *name;
	size_t number;
};

static int compare(const void *a, const void *b)
{
	const struct named *one = a, *other = b;
	const int order = strcmp(one->name, other->name);

	return order ? order : (one->number > other->number) - (one->number < other->number);
}

/* Marks the functions whose name another one has, too. False: there are none, or no memory. */
static bool find_equal(const struct sprof_calls_names *names, bool *ret_equal)
{
	SPROF_AUTO_FREE struct named *order = calloc(names->count + 1, sizeof(*order));
	bool is_any = false;

	for (size_t i = 0; order && i < names->count; i++)
		order[i] = (struct named){names->items[i], i};
	if (order)
		qsort(order, names->count, sizeof(*order), compare);
	for (size_t i = 1; order && i < names->count; i++) {
		if (strcmp(order[i - 1].name, order[i].name) != 0)
			continue;
		ret_equal[order[i - 1].number] = ret_equal[order[i].number] = is_any = true;
	}
	return is_any;
}

static void distinguish(const struct sprof_calls_naming *naming, struct sprof_symbols *symbols,
	distinction how, struct sprof_calls_names *names)
{
	SPROF_AUTO_FREE bool *equal = calloc(names->count + 1, sizeof(*equal));

	if (!equal || !find_equal(names, equal))
		return;
	for (size_t i = 0; i < names->count; i++) {
		char *name = equal[i]
			? how(symbols, sprof_functions_at(naming->functions, (int64_t)i),
				  names->items[i])
			: NULL;

		if (!name)
			continue;
		free(names->items[i]);
		names->items[i] = name;
	}
}

bool sprof_calls_names_make(const struct sprof_calls_naming *naming, struct sprof_calls_names *ret,
	struct sprof_error *err)
{
	const size_t count = sprof_functions_count(naming->functions);
	const struct sprof_symbols_options options = {0};
	struct sprof_symbols *symbols;

	*ret = (struct sprof_calls_names){
		.items = calloc(count + 1, sizeof(*ret->items)),
		.refusals = calloc(count + 1, sizeof(*ret->refusals)),
	};
	for (size_t i = 0; ret->items && ret->refusals && i < count; i++) {
		ret->refusals[i] = sprof_functions_at(naming->functions, (int64_t)i)->refusal;
		ret->items[i] = name_of(naming, sprof_functions_at(naming->functions, (int64_t)i));
		if (!ret->items[i])
			return sprof_error_no_memory(err);
		ret->count++;
	}
	if (!ret->items || !ret->refusals ||
		!sprof_symbols_create(naming->modules, &options, &symbols, err))
		return sprof_error_no_memory(err);
	distinguish(naming, symbols, with_file, ret);
	distinguish(naming, symbols, with_place, ret);
	distinguish(naming, symbols, with_path, ret);
	sprof_symbols_destroy(symbols);
	return true;
}

void sprof_calls_names_finish(struct sprof_calls_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->items[i]);
	free(names->items);
	free(names->refusals);
}
