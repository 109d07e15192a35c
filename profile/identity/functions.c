/*
 * Matches the functions of one profile with another's. Functions with the same plain name in one
 * module are compared by place of definition. If both sides have one definition, they match,
 * wherever it is. If a side has several, files decide and, within a file, equal lines, and after
 * the last equal line the order. Ambiguous functions are not matched.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "elfsym/elf/demangle.h"
#include "profile/identity/match.h"

/* Functions of one side that are one: entries that follow each other. */
struct definition {
	const struct sprof_identity_entry *first;
	size_t count;
	bool matched;
};

struct matching {
	struct sprof_identity *identity;
	const struct sprof_profile *target, *source;
	enum sprof_identity_how how;
	struct sprof_strtab *texts;
	struct sprof_identity_entry *entries;
	size_t count;
	/* of the functions of one name */
	struct definition *definitions;
	size_t sides[2]; /* how many are of the target, which come first, and of the source */
};

/* Rust's linkage name has a hash; a bare name has its namespace only in the demangled one. */
static const char *name_of(const struct sprof_profile_function *function)
{
	const char *linkage = function->linkage;

	return sprof_is_mangled(linkage) && !sprof_rust_length(linkage) ? linkage : function->name;
}

static const char *plain_name(
	struct matching *matching, const char *name, enum sprof_identity_suffixes without)
{
	const size_t size = strlen(name) + 1;
	SPROF_AUTO_FREE char *plain = malloc(size);

	if (!plain)
		return NULL;
	sprof_identity_plain_name(name, without, plain, size);
	sprof_identity_unify_structors(plain);
	return sprof_strtab_intern(matching->texts, plain);
}

static bool add_entry(struct matching *matching, const struct sprof_profile_function *function,
	const struct sprof_identity_entry *start)
{
	struct sprof_identity_entry entry = *start;
	const char *name = name_of(function);

	entry.plain = plain_name(matching, name, SPROF_IDENTITY_ALL);
	entry.local = plain_name(matching, name, SPROF_IDENTITY_CLONES);
	entry.file = function->file;
	entry.line = function->line;
	entry.name = function->linkage;
	matching->entries[matching->count++] = entry;
	return entry.plain && entry.local;
}

static bool list_targets(struct matching *matching)
{
	const struct sprof_profile *target = matching->target;

	for (uint32_t i = 0; i < target->function_count; i++) {
		const struct sprof_profile_function *function = &target->functions[i];
		struct sprof_identity_entry start = {.id = i};

		if (!sprof_identity_exists(target, function))
			continue;
		start.module = sprof_identity_module(target, function->module);
		if (!add_entry(matching, function, &start))
			return false;
	}
	return true;
}

/* A module that the target lacks gets a number after the target's. */
static bool list_sources(struct matching *matching)
{
	const struct sprof_profile *source = matching->source, *target = matching->target;
	const size_t modules = sprof_modules_count(target->modules);

	for (uint32_t i = 0; i < source->function_count; i++) {
		const struct sprof_profile_function *function = &source->functions[i];
		struct sprof_identity_entry start = {.id = i, .of_source = true};

		if (!sprof_identity_exists(source, function))
			continue;
		start.module = matching->identity->modules[function->module];
		if (start.module == SPROF_PROFILE_NONE)
			start.module =
				(uint32_t)modules + sprof_identity_module(source, function->module);
		else
			start.is_exact = sprof_identity_is_same_build(
				target, start.module, source, function->module);
		if (!add_entry(matching, function, &start))
			return false;
	}
	return true;
}

static int compare_texts(const char *one, const char *other)
{
	if (one == other || !one || !other)
		return (one != NULL) - (other != NULL);
	return strcmp(one, other);
}

/* By name, side and definition; entries without a known file come last. */
static int compare_entries(const void *left, const void *right)
{
	const struct sprof_identity_entry *a = left, *b = right;
	int result = (a->module > b->module) - (a->module < b->module);

	if (!result)
		result = strcmp(a->plain, b->plain);
	if (!result)
		result = a->of_source - b->of_source;
	if (!result)
		result = !a->file - !b->file;
	if (!result)
		result = compare_texts(a->file, b->file);
	if (!result)
		result = (a->line > b->line) - (a->line < b->line);
	if (!result && !a->file)
		result = strcmp(a->local, b->local);
	if (!result)
		result = compare_texts(a->instance, b->instance);
	if (!result)
		result = strcmp(a->name, b->name);
	return result ? result : (a->id > b->id) - (a->id < b->id);
}

static bool have_one_name(
	const struct sprof_identity_entry *one, const struct sprof_identity_entry *other)
{
	return one->module == other->module && one->plain == other->plain;
}

static bool are_one(
	const struct sprof_identity_entry *one, const struct sprof_identity_entry *other)
{
	if (compare_texts(one->file, other->file) != 0 || one->instance != other->instance)
		return false;
	return one->file ? one->line == other->line : one->local == other->local;
}

/*
 * Splits the entries of one name by definition. Entries without file join the only definition with
 * one.
 */
static void define(
	struct matching *matching, const struct sprof_identity_entry *entries, size_t count)
{
	struct definition *last = NULL;
	size_t total = 0;

	matching->sides[0] = matching->sides[1] = 0;
	for (size_t i = 0; i < count; i++) {
		const struct sprof_identity_entry *entry = &entries[i];
		size_t *side = &matching->sides[entry->of_source];
		bool joins = last && last->first->of_source == entry->of_source &&
			(are_one(last->first, entry) ||
				(*side == 1 && !entry->file && last->first->file));

		if (!joins) {
			last = &matching->definitions[total++];
			*last = (struct definition){.first = entry};
			++*side;
		}
		last->count++;
	}
}

/* The entry of the definition that is called the same, or its first one. */
static const struct sprof_identity_entry *like(
	const struct matching *matching, const struct definition *definition, const char *name)
{
	for (size_t i = 0; matching->how == SPROF_IDENTITY_MERGE && i < definition->count; i++) {
		if (strcmp(definition->first[i].name, name) == 0)
			return &definition->first[i];
	}
	return definition->first;
}

static void pair(
	struct matching *matching, struct definition *of_target, struct definition *of_source)
{
	of_target->matched = of_source->matched = true;
	for (size_t i = 0; matching->how == SPROF_IDENTITY_COMPARE && i < of_target->count; i++)
		matching->identity->target_firsts[of_target->first[i].id] = of_target->first->id;
	for (size_t i = 0; i < of_source->count; i++) {
		const struct sprof_identity_entry *entry = &of_source->first[i];

		matching->identity->functions[entry->id] =
			like(matching, of_target, entry->name)->id;
	}
}

/* Names from a symbol table, such as "util.c (2)" and "0x11b0", may differ in another build. */
static bool is_of_one_build(const struct sprof_identity_entry *entry)
{
	const char *file = entry->file;

	return file && file[0] && !entry->line &&
		(strncmp(file, "0x", 2) == 0 || file[strlen(file) - 1] == ')');
}

/* How well the files of two definitions fit; 0: they don't. */
static size_t fit_of(const struct definition *one, const struct definition *other)
{
	const struct sprof_identity_entry *a = one->first, *b = other->first;

	if (is_of_one_build(a) || is_of_one_build(b))
		return 0;
	if (!a->file || !b->file)
		return a->file == b->file && strcmp(a->local, b->local) == 0;
	return sprof_identity_common_parts(a->file, b->file);
}

static bool are_in_one_file(const struct definition *one, const struct definition *other)
{
	return compare_texts(one->first->file, other->first->file) == 0 &&
		(one->first->file || one->first->local == other->first->local);
}

/* The definition among `count` with the best matching file; NULL: none, or ambiguous. */
static struct definition *find_best(
	struct definition *among, size_t count, const struct definition *wanted)
{
	struct definition *found = NULL;
	size_t best = 0;

	for (size_t i = 0; i < count; i++) {
		size_t fit = fit_of(&among[i], wanted);

		if (fit > best)
			found = &among[i];
		else if (fit && fit == best && found && !are_in_one_file(found, &among[i]))
			found = NULL;
		best = fit > best ? fit : best;
	}
	return found;
}

static size_t count_in_file(
	const struct definition *among, size_t count, const struct definition *first)
{
	size_t found = 0;

	for (size_t i = 0; i < count; i++)
		found += are_in_one_file(&among[i], first);
	return found;
}

/* Whether there are as many on each side, and each line has moved by the same distance. */
static bool are_moved_alike(const struct definition *of_target, size_t target_count,
	const struct definition *of_source, size_t source_count)
{
	for (size_t i = 1; target_count == source_count && i < source_count; i++) {
		if (of_source[i].first->line - of_source[0].first->line !=
			of_target[i].first->line - of_target[0].first->line)
			return false;
	}
	return target_count == source_count;
}

/* Whether another instance of a generic function is defined in the same line. */
static bool has_twin(const struct definition *definitions, size_t count, size_t i)
{
	const uint32_t line = definitions[i].first->line;

	return (i && definitions[i - 1].first->line == line) ||
		(i + 1 < count && definitions[i + 1].first->line == line);
}

/* Pairs neighbours of lines that both sides have. A profile has only sampled lines. */
static void pair_in_order(struct matching *matching, struct definition *of_target,
	size_t target_count, struct definition *of_source, size_t source_count)
{
	for (size_t i = 0; target_count == source_count && i < source_count; i++) {
		if (!has_twin(of_target, target_count, i) && !has_twin(of_source, source_count, i))
			pair(matching, &of_target[i], &of_source[i]);
	}
}

/* How many definitions are in the first one's line. */
static size_t count_twins(const struct definition *definitions, size_t count)
{
	size_t twins = 1;

	while (twins < count && definitions[twins].first->line == definitions->first->line)
		twins++;
	return twins;
}

/*
 * Pairs several definitions in a file: those of one line, and those behind the last one if all have
 * moved alike. Without such a line, by their order. Lines that are equal although all have moved
 * are chance.
 */
static void pair_in_file(struct matching *matching, struct definition *of_target,
	size_t target_count, struct definition *of_source, size_t source_count)
{
	const bool are_alike = are_moved_alike(of_target, target_count, of_source, source_count);
	size_t target = 0, source = 0, k = 0, i = 0; /* the last two: first ones not compared yet */

	while (k < target_count && i < source_count) {
		const uint32_t old = of_target[k].first->line, new = of_source[i].first->line;

		k += old < new;
		i += new < old;
		if (old != new)
			continue;
		if (are_alike && of_target[0].first->line != of_source[0].first->line)
			return;
		target = k + count_twins(&of_target[k], target_count - k);
		source = i + count_twins(&of_source[i], source_count - i);
		pair_in_order(matching, &of_target[k], target - k, &of_source[i], source - i);
		k = target, i = source;
	}
	of_target += target, target_count -= target;
	of_source += source, source_count -= source;
	if (!source || are_moved_alike(of_target, target_count, of_source, source_count))
		pair_in_order(matching, of_target, target_count, of_source, source_count);
}

static void pair_by_file(struct matching *matching)
{
	struct definition *targets = matching->definitions, *sources = targets + matching->sides[0];

	for (size_t i = 0; i < matching->sides[1];) {
		size_t count = count_in_file(sources, matching->sides[1], &sources[i]);
		struct definition *found = find_best(targets, matching->sides[0], &sources[i]);
		const struct definition *back =
			found ? find_best(sources, matching->sides[1], found) : NULL;

		if (back && are_in_one_file(back, &sources[i]))
			pair_in_file(matching, found,
				count_in_file(targets, matching->sides[0], found), &sources[i],
				count);
		i += count;
	}
}

/* In one build, definitions are where they were. */
static void pair_exactly(struct matching *matching)
{
	struct definition *targets = matching->definitions, *sources = targets + matching->sides[0];

	for (size_t i = 0; i < matching->sides[1]; i++) {
		for (size_t k = 0; k < matching->sides[0] && !sources[i].matched; k++) {
			if (are_one(targets[k].first, sources[i].first))
				pair(matching, &targets[k], &sources[i]);
		}
	}
}

/* Whether one build has different names because only one side had debug information. */
static bool are_named_otherwise(const struct matching *matching)
{
	const struct sprof_identity_entry *a = matching->definitions[0].first,
					  *b = matching->definitions[matching->sides[0]].first;

	return matching->sides[0] && matching->sides[1] &&
		(!a->file != !b->file || !a->line != !b->line);
}

static void match_name(
	struct matching *matching, const struct sprof_identity_entry *entries, size_t count)
{
	struct definition *targets = matching->definitions;
	const struct definition *definition;
	const struct sprof_identity_entry *first;

	define(matching, entries, count);
	if (entries[count - 1].is_exact && !are_named_otherwise(matching))
		pair_exactly(matching);
	else if (matching->sides[0] == 1 && matching->sides[1] == 1)
		pair(matching, &targets[0], &targets[1]);
	else
		pair_by_file(matching);
	for (size_t i = 0; matching->how == SPROF_IDENTITY_COMPARE && i < matching->sides[1]; i++) {
		definition = &targets[matching->sides[0] + i];
		first = definition->first;
		/* Instances with only a name in common are one only if the other side has them. */
		if (!definition->matched && first->instance && first->instance == first->plain)
			continue;
		for (size_t k = 0; k < definition->count; k++)
			matching->identity->firsts[first[k].id] = first->id;
	}
}

static void match_names(struct matching *matching)
{
	qsort(matching->entries, matching->count, sizeof(*matching->entries), compare_entries);
	for (size_t first = 0; first < matching->count;) {
		size_t end = first + 1;

		while (end < matching->count &&
			have_one_name(&matching->entries[first], &matching->entries[end]))
			end++;
		match_name(matching, &matching->entries[first], end - first);
		first = end;
	}
}

static bool match_modules(struct sprof_identity *identity, const struct matching *matching)
{
	struct sprof_module_match match = {
		.target = matching->target,
		.source = matching->source,
		.target_count = sprof_modules_count(matching->target->modules),
		.source_count = sprof_modules_count(matching->source->modules),
	};
	bool ok;

	match.target_taken = calloc(match.target_count + 1, sizeof(bool));
	match.source_taken = calloc(match.source_count + 1, sizeof(bool));
	identity->modules = malloc((match.source_count + 1) * sizeof(*identity->modules));
	ok = match.target_taken && match.source_taken && identity->modules;
	if (ok) {
		memset(identity->modules, 0xff,
			(match.source_count + 1) * sizeof(*identity->modules));
		match.modules = identity->modules;
		sprof_identity_match_modules(&match, matching->how);
	}
	free(match.target_taken);
	free(match.source_taken);
	return ok;
}

bool sprof_identity_match(struct sprof_identity *identity, const struct sprof_profile *target,
	const struct sprof_profile *source, enum sprof_identity_how how)
{
	const size_t functions = target->function_count + source->function_count + 1;
	struct matching matching = {.identity = identity,
		.target = target,
		.source = source,
		.how = how,
		.texts = sprof_strtab_create(),
		.entries = calloc(functions, sizeof(*matching.entries)),
		.definitions = calloc(functions, sizeof(*matching.definitions))};
	bool ok = matching.texts && matching.entries && matching.definitions;

	*identity = (struct sprof_identity){
		.functions = malloc((source->function_count + 1) * sizeof(uint32_t)),
		.firsts = malloc((source->function_count + 1) * sizeof(uint32_t)),
		.target_firsts = malloc((target->function_count + 1) * sizeof(uint32_t)),
	};
	ok = ok && identity->functions && identity->firsts && identity->target_firsts &&
		match_modules(identity, &matching);
	for (uint32_t i = 0; ok && i < target->function_count; i++)
		identity->target_firsts[i] = i;
	for (uint32_t i = 0; ok && i < source->function_count; i++) {
		identity->functions[i] = SPROF_PROFILE_NONE;
		identity->firsts[i] = i;
	}
	ok = ok && list_targets(&matching) && list_sources(&matching) &&
		sprof_identity_name_rust(matching.entries, matching.count, matching.texts, how);
	if (ok)
		match_names(&matching);
	ok = ok &&
		(how != SPROF_IDENTITY_COMPARE ||
			sprof_identity_match_lambdas(identity, target, source));
	sprof_strtab_destroy(matching.texts);
	free(matching.entries);
	free(matching.definitions);
	return ok;
}

void sprof_identity_finish(struct sprof_identity *identity)
{
	free(identity->modules);
	free(identity->functions);
	free(identity->firsts);
	free(identity->target_firsts);
	*identity = (struct sprof_identity){0};
}
