/*
 * Chooses functions by name. Without a file, a name refers to the program or, if it has no such
 * function, to all files; a pattern refers to the program only, because it would match too much
 * elsewhere.
 */
#include "cmd/functions/choice.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/glob.h"
#include "base/strings.h"
#include "cmd/cli/program-file.h"
#include "elfsym/dwarf/inlined.h"
#include "elfsym/elf/demangle.h"
#include "elfsym/names/symbols.h"
#include "output/short-name.h"

/*
 * Resolves a path to the one that mappings show, if the file exists; a program may make it later.
 */
static bool settle_path(struct sprof_function_wish *wish)
{
	char *real;

	if (!wish->file || !strchr(wish->file, '/') || wish->file[strcspn(wish->file, "*?[")])
		return true;
	real = realpath(wish->file, NULL);
	if (!real)
		return errno != ENOMEM;
	free(wish->file);
	wish->file = real;
	return true;
}

static bool refuse_returning_twice(const struct sprof_function_wish *wish, struct sprof_error *err)
{
	return sprof_error_set(err, SPROF_ERROR_UNSUPPORTED,
		"%s returns more than once, and can't be watched", wish->name);
}

static bool add_wish(struct sprof_function_choice *choice, const char *begin, const char *end,
	struct sprof_error *err)
{
	struct sprof_function_wish *wish;

	if (!sprof_array_reserve(
		    &choice->items, &choice->capacity, choice->count + 1, sizeof(*wish)))
		return sprof_error_no_memory(err);
	wish = &choice->items[choice->count++];
	return sprof_function_wish_read(begin, end, wish, err) &&
		(settle_path(wish) || sprof_error_no_memory(err)) &&
		(!sprof_name_returns_twice(wish->name) || refuse_returning_twice(wish, err));
}

bool sprof_function_choice_add(
	struct sprof_function_choice *choice, const char *text, struct sprof_error *err)
{
	for (;;) {
		const char *end = sprof_function_wish_end(text);

		if (!add_wish(choice, text, end, err))
			return false;
		if (!*end)
			return true;
		text = end + 1;
	}
}

static bool is_like(const char *pattern, const char *name)
{
	return !strcmp(pattern, name) || sprof_glob_matches(pattern, name);
}

/* "Tree<...>::insert" -> "Tree::insert" */
static void leave_out_templates(char *brief)
{
	static const char left_out[] = "<...>";
	char *at = brief;

	while ((at = strstr(at, left_out)) != NULL) {
		const char *rest = at + sizeof(left_out) - 1;

		memmove(at, rest, strlen(rest) + 1);
	}
}

static bool is_name_of(const char *name, const char *linkage)
{
	SPROF_AUTO_FREE char *plain = NULL, *brief = NULL;

	if (is_like(name, linkage))
		return true;
	plain = sprof_is_mangled(linkage) ? sprof_demangle(linkage) : NULL;
	if (!plain || is_like(name, plain))
		return plain;
	brief = sprof_short_name(plain);
	if (!brief || is_like(name, brief))
		return brief;
	leave_out_templates(brief);
	return is_like(name, brief);
}

/*
 * Of "work.constprop.0", a copy for some of the callers, the length of "work"; 0: it is not a copy.
 */
static size_t copied_length(const char *linkage)
{
	const char *suffix = strchr(linkage, '.');
	bool is_copy = suffix && !strstr(suffix, ".part.") &&
		(strncmp(suffix, ".isra.", 6) == 0 || strncmp(suffix, ".constprop.", 11) == 0);

	return is_copy ? (size_t)(suffix - linkage) : 0;
}

bool sprof_function_is_called(const char *name, const char *linkage)
{
	const size_t length = copied_length(linkage);
	SPROF_AUTO_FREE char *copied = length ? strndup(linkage, length) : NULL;

	return is_name_of(name, linkage) || (copied && is_name_of(name, copied));
}

/* The links of a library, libz.so and libz.so.1, also mean its file, libz.so.1.3.1. */
static bool is_link_of(const char *link, const char *file)
{
	const size_t length = strlen(link);

	return strstr(link, ".so") && strncmp(link, file, length) == 0 && file[length] == '.' &&
		isdigit((unsigned char)file[length + 1]);
}

bool sprof_function_wish_has_file(const struct sprof_function_wish *wish, const char *path)
{
	const char *file = sprof_string_file_name(path);

	return !wish->file || is_like(wish->file, strchr(wish->file, '/') ? path : file) ||
		is_link_of(wish->file, file);
}

bool sprof_function_choice_is_program(
	struct sprof_function_choice *choice, const struct sprof_module *module)
{
	struct stat status;

	if (!choice->path)
		return false;
	if (choice->asked == module)
		return choice->is_program;
	choice->asked = module;
	choice->is_program = module->fd >= 0 && !fstat(module->fd, &status) &&
		status.st_dev == choice->device && status.st_ino == choice->inode;
	return choice->is_program;
}

static bool is_wanted_in(struct sprof_function_choice *choice,
	const struct sprof_function_wish *wish, const struct sprof_module *module)
{
	if (wish->file)
		return sprof_function_wish_has_file(wish, module->path);
	return (!wish->is_pattern && !wish->is_in_program) ||
		sprof_function_choice_is_program(choice, module);
}

/* Patterns don't mean the stubs through which other files are called, unless they say so. */
static bool is_other_stub(const char *pattern, const char *linkage)
{
	const size_t length = strlen(linkage), tail = strlen(SPROF_PLT_ENDING);

	return length > tail && !strcmp(linkage + length - tail, SPROF_PLT_ENDING) &&
		!strstr(pattern, SPROF_PLT_ENDING);
}

/* A part is entered by jumps of its function: that is not a call. */
static bool is_other_part(const char *name, const char *linkage)
{
	const char *suffix = linkage + sprof_part_owner_length(linkage);

	return *suffix && !strstr(name, suffix);
}

static bool matches(const struct sprof_function_wish *wish, const char *linkage)
{
	return !is_other_part(wish->name, linkage) &&
		!(wish->is_pattern && is_other_stub(wish->name, linkage)) &&
		sprof_function_is_called(wish->name, linkage);
}

bool sprof_function_choice_has(struct sprof_function_choice *choice,
	const struct sprof_module *module, const struct sprof_listed *function)
{
	bool is_chosen = false;

	for (size_t i = 0; i < choice->count; i++) {
		struct sprof_function_wish *wish = &choice->items[i];

		if (!is_wanted_in(choice, wish, module) || !matches(wish, function->name))
			continue;
		if (function->returns_twice) {
			wish->returns_twice = true;
			continue;
		}
		wish->is_found = true;
		is_chosen = true;
	}
	return is_chosen;
}

/* Whether any of the names at the address is the central function's. */
static bool is_central(
	const struct sprof_function_choice *choice, const struct sprof_listing *listing, size_t at)
{
	const uint64_t address = listing->items[at].address;

	while (choice->central && at && listing->items[at - 1].address == address)
		at--;
	for (; choice->central && at < listing->count && listing->items[at].address == address;
		at++) {
		if (sprof_function_is_called(choice->central, listing->items[at].name))
			return true;
	}
	return false;
}

/* Notes which wishes a function of the program fulfils. */
static void look_at(
	struct sprof_function_choice *choice, const struct sprof_listing *listing, size_t at)
{
	const char *linkage = listing->items[at].name;

	for (size_t i = 0; i < choice->count; i++) {
		struct sprof_function_wish *wish = &choice->items[i];

		if (wish->file || (wish->is_in_program && !choice->central) ||
			!matches(wish, linkage))
			continue;
		if (listing->items[at].returns_twice) {
			wish->returns_twice = true;
			continue;
		}
		wish->is_in_program = true;
		choice->has_central |= is_central(choice, listing, at);
	}
}

/* Some wishes mean the program only. What can't be read has no functions. */
static bool look_into(struct sprof_function_choice *choice, const struct sprof_module *module,
	struct sprof_error *err)
{
	const struct sprof_debug_places places = {0};
	struct sprof_listing listing = {0};
	struct sprof_error unreadable;

	if (!sprof_listing_create(
		    module, &places, NULL, SPROF_LISTING_FILE, &listing, &unreadable)) {
		*err = unreadable;
		return unreadable.kind != SPROF_ERROR_NO_MEMORY;
	}
	for (size_t i = 0; i < listing.count; i++)
		look_at(choice, &listing, i);
	sprof_listing_finish(&listing);
	return true;
}

/* Most calls are ruled out without demangling. */
static bool is_meant(const void *data, const char *name, const char *linkage)
{
	const struct sprof_function_wish *wish = data;
	SPROF_AUTO_FREE char *bare = strndup(name, strcspn(name, "<"));

	return bare && strstr(wish->name, bare) && matches(wish, linkage ? linkage : name);
}

/* The program has the function only as a part of others. */
static bool note_inlined(const struct sprof_function_wish *wish,
	const struct sprof_inlined *inlined, struct sprof_error *err)
{
	char place[160] = "";

	if (inlined->file[0] && inlined->line)
		snprintf(place, sizeof(place), " (%s:%" PRIu32 ")", inlined->file, inlined->line);
	sprof_error_set(err, SPROF_ERROR_NOT_FOUND,
		"'%s' has no calls to watch: the compiler has inlined it into %s%s%s", wish->name,
		inlined->into, place, inlined->count > 1 ? " and elsewhere" : "");
	return sprof_error_hint(err,
		"watch %s, or compile with -fno-inline; sprof run and annotate show inlined functions, "
		"too",
		inlined->into);
}

/* Not for patterns: they have no single function to look for. */
static bool look_for_inlined(const struct sprof_function_choice *choice,
	const struct sprof_module *module, struct sprof_error *err)
{
	const struct sprof_debug_places places = {0};

	for (size_t i = 0; i < choice->count; i++) {
		const struct sprof_function_wish *wish = &choice->items[i];
		const struct sprof_inlined_wish meant = {wish, is_meant};
		struct sprof_inlined inlined;

		if (wish->file || wish->is_in_program || wish->is_pattern)
			continue;
		inlined = sprof_inlined_find(module, &places, &meant);
		if (inlined.count && inlined.into[0])
			return note_inlined(wish, &inlined, err);
	}
	return true;
}

static bool open_program(
	struct sprof_function_choice *choice, const char *path, struct sprof_error *err)
{
	struct sprof_modules *modules = sprof_modules_create();
	struct sprof_module *module;
	struct stat status;
	bool done = modules ? sprof_program_open(modules, path, &module, err)
			    : sprof_error_no_memory(err);

	if (done && module->fd >= 0 && !fstat(module->fd, &status)) {
		choice->device = status.st_dev;
		choice->inode = status.st_ino;
		choice->path = strdup(path);
		if (!choice->path)
			done = sprof_error_no_memory(err);
		else
			done = look_into(choice, module, err) &&
				look_for_inlined(choice, module, err);
	}
	sprof_modules_destroy(modules);
	return done;
}

static bool report_missing(
	const struct sprof_function_wish *wish, const char *file, struct sprof_error *err)
{
	if (wish->returns_twice)
		return refuse_returning_twice(wish, err);
	sprof_error_set(err, SPROF_ERROR_NOT_FOUND, "no function %s '%s' in %s",
		wish->is_pattern ? "matches" : "is called", wish->name, file);
	if (wish->is_pattern && !wish->file)
		sprof_error_hint(err, "sprof symbols %s lists them; for another file: '%s@FILE'",
			file, wish->name);
	else
		sprof_error_hint(err, "sprof symbols FILE lists those of a file");
	return false;
}

static bool has_function(struct sprof_function_wish *wish, const struct sprof_listing *listing)
{
	for (size_t i = 0; i < listing->count; i++) {
		if (!matches(wish, listing->items[i].name))
			continue;
		if (!listing->items[i].returns_twice)
			return true;
		wish->returns_twice = true;
	}
	return false;
}

/* If the file exists already, it must have the function. */
static bool check_file(struct sprof_function_wish *wish, struct sprof_error *err)
{
	const struct sprof_debug_places places = {0};
	struct sprof_listing listing = {0};
	struct sprof_error unreadable = {0};
	struct sprof_modules *modules;
	struct sprof_module *module;
	bool is_there = true;

	if (!wish->file || wish->file[0] != '/' || access(wish->file, R_OK))
		return true;
	modules = sprof_modules_create();
	if (!modules)
		return sprof_error_no_memory(err);
	if (sprof_program_open(modules, wish->file, &module, &unreadable) &&
		sprof_listing_create(
			module, &places, NULL, SPROF_LISTING_FILE, &listing, &unreadable)) {
		is_there = has_function(wish, &listing);
		sprof_listing_finish(&listing);
	}
	sprof_modules_destroy(modules);
	return is_there || report_missing(wish, wish->file, err);
}

bool sprof_function_choice_note_central(
	const struct sprof_function_choice *choice, struct sprof_error *err)
{
	sprof_error_set(err, SPROF_ERROR_NOT_FOUND, "none of the watched functions is called '%s'",
		choice->central);
	return sprof_error_hint(err, "name it in --function, too");
}

/* Whether all watched functions are the program's, and the central function is not among them. */
static bool lacks_central(const struct sprof_function_choice *choice)
{
	if (!choice->central || choice->has_central)
		return false;
	for (size_t i = 0; i < choice->count; i++) {
		if (!choice->items[i].is_in_program)
			return false;
	}
	return true;
}

bool sprof_function_choice_begin(struct sprof_function_choice *choice, const char *program,
	pid_t pid, struct sprof_error *err)
{
	char path[PATH_MAX];

	if (!sprof_program_find(program, pid, path, err) || !open_program(choice, path, err))
		return false;
	for (size_t i = 0; i < choice->count; i++) {
		struct sprof_function_wish *wish = &choice->items[i];
		const bool is_elsewhere = !wish->is_pattern && !wish->returns_twice;

		if (!is_elsewhere && !wish->file && !wish->is_in_program && choice->path)
			return report_missing(wish, path, err);
		if (!pid && !check_file(wish, err))
			return false;
	}
	return !lacks_central(choice) || sprof_function_choice_note_central(choice, err);
}

bool sprof_function_choice_check(
	const struct sprof_function_choice *choice, struct sprof_error *err)
{
	for (size_t i = 0; i < choice->count; i++) {
		const struct sprof_function_wish *wish = &choice->items[i];

		if (!wish->is_found)
			return report_missing(
				wish, wish->file ? wish->file : "any file that was mapped", err);
	}
	return true;
}

void sprof_function_choice_finish(struct sprof_function_choice *choice)
{
	for (size_t i = 0; i < choice->count; i++)
		sprof_function_wish_finish(&choice->items[i]);
	free(choice->items);
	free(choice->path);
	*choice = (struct sprof_function_choice){0};
}
