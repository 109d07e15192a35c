/*
 * Symbols of object files and archive members, which have no final address: addresses are relative
 * to sections, and each section begins at 0. So every row shows the section, and an address is
 * looked up in every section that contains it. Source lines are not looked up: their tables need
 * relocation. A symbol without size covers only its first byte.
 */
#include "cmd/symbols/objects.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cmd/symbols/address.h"
#include "cmd/symbols/rows.h"
#include "cmd/ui.h"
#include "elfsym/elf/objects.h"
#include "output/clean.h"

/* One operand, looked up in each object file. */
struct question {
	const struct sprof_symbol_options *options;
	const struct sprof_objects *objects;
	const char *path;
	const char *member;  /* only this member of the archive; NULL: all */
	const char *pattern; /* for names; NULL: all symbols, or those at the address */
	bool by_address;
	uint64_t address;
	size_t members, found;
	int *exit;
};

static void print_heading(const struct question *question, const struct sprof_object *object)
{
	SPROF_AUTO_FREE char *path = sprof_clean_text(question->path, NULL);
	SPROF_AUTO_FREE char *member =
		object->member ? sprof_clean_text(object->member, NULL) : NULL;

	if (object->member)
		printf("# %s(%s)\n", path ? path : "?", member ? member : "?");
}

/* Symbols in common blocks and thread-local sections have no address. */
static bool is_at(const struct sprof_listed *item, uint64_t address)
{
	return strcmp(item->type, "tls") != 0 && strcmp(item->section, "*ABS*") != 0 &&
		strcmp(item->section, "COMMON") != 0 && address >= item->address &&
		address - item->address < (item->size ? item->size : 1);
}

/* Of several names at one address, the first is shown. */
static bool is_alias(const struct sprof_listed *item, const struct sprof_listed *last)
{
	return last && last->address == item->address && last->section == item->section;
}

static bool print_at(const struct question *question, const struct sprof_listed *item)
{
	SPROF_AUTO_FREE char *name = sprof_symbol_plain_name(question->options, item->name);
	SPROF_AUTO_FREE char *section = sprof_clean_text(item->section, NULL);

	if (!name || !section)
		return false;
	printf("  %s+0x%" PRIx64 " (%s%s)\n", name, question->address - item->address,
		item->is_code ? "" : "data, ", section);
	return true;
}

static bool answer_address(struct question *question, const struct sprof_listing *listing)
{
	const struct sprof_listed *last = NULL;

	for (size_t i = 0; i < listing->count; i++) {
		const struct sprof_listed *item = &listing->items[i];

		if (!is_at(item, question->address) || is_alias(item, last))
			continue;
		if (!print_at(question, item))
			return false;
		last = item;
		question->found++;
	}
	return true;
}

static void answer_names(struct question *question, const struct sprof_object *object,
	const struct sprof_listing *listing)
{
	size_t found = 0;

	for (size_t i = 0; i < listing->count; i++) {
		const struct sprof_listed *item = &listing->items[i];

		if (question->pattern && !sprof_symbol_row_matches(item, question->pattern))
			continue;
		if (question->pattern && !found++)
			print_heading(question, object);
		sprof_symbol_row_print(item, 0, true);
	}
	question->found += found;
}

static void note_unreadable(const struct question *question, const char *member)
{
	struct sprof_error failure = {0};

	sprof_error_set(&failure, SPROF_ERROR_UNSUPPORTED, "%s(%s) is not an ELF object file",
		question->path, member);
	sprof_ui_error(&failure);
	*question->exit = SPROF_EXIT_PARTIAL;
}

static bool take(void *data, const struct sprof_object *object, struct sprof_error *err)
{
	struct question *question = data;
	bool with_data = question->options->all || question->by_address;
	struct sprof_listing listing;
	bool ok = true;

	if (question->member && strcmp(question->member, object->member) != 0)
		return true;
	if (!question->pattern && !question->by_address) {
		if (question->members)
			printf("\n");
		print_heading(question, object);
	}
	question->members++;
	if (!object->elf) {
		note_unreadable(question, object->member);
		return true;
	}
	if (!sprof_listing_create_object(object->elf, with_data, &listing, err))
		return false;
	if (question->by_address)
		ok = answer_address(question, &listing) || sprof_error_no_memory(err);
	else
		answer_names(question, object, &listing);
	sprof_listing_finish(&listing);
	return ok;
}

static bool ask(struct question *question, struct sprof_error *err)
{
	if (question->by_address)
		printf("0x%" PRIx64 "\n", question->address);
	if (!sprof_objects_visit(question->objects, take, question, err))
		return false;
	if (question->member && !question->members)
		return sprof_error_set(err, SPROF_ERROR_NOT_FOUND, "%s has no member '%s'",
			question->path, question->member);
	if (question->found || (!question->pattern && !question->by_address))
		return true;
	if (question->by_address)
		printf("  (no symbol)\n");
	else
		sprof_symbol_row_note_missing(question->pattern, question->options->all);
	*question->exit = SPROF_EXIT_PARTIAL;
	return true;
}

static bool ask_address(const struct question *which, const char *text, struct sprof_error *err)
{
	struct question question = *which;

	question.by_address = true;
	if (!sprof_symbol_address_parse(text, &question.address, err))
		return false;
	if (question.member || !sprof_objects_are_archive(question.objects))
		return ask(&question, err);
	sprof_error_set(err, SPROF_ERROR_USAGE, "an address needs a member, and %s is an archive",
		question.path);
	return sprof_error_hint(err, "sprof symbols '%s(MEMBER)' %s", question.path, text);
}

static bool ask_all(const struct question *which, char *const operands[], struct sprof_error *err)
{
	const struct sprof_symbol_addresses *addresses = &which->options->addresses;

	for (size_t i = 0; operands[i]; i++) {
		struct question question = *which;

		question.pattern = operands[i];
		if (sprof_symbol_address_is_one(operands[i]) ? !ask_address(which, operands[i], err)
							     : !ask(&question, err))
			return false;
	}
	for (size_t i = 0; i < addresses->count; i++) {
		if (!ask_address(which, addresses->items[i], err))
			return false;
	}
	if (!operands[0] && !addresses->count) {
		struct question question = *which;

		return ask(&question, err);
	}
	return true;
}

static bool check_options(
	const struct sprof_symbol_options *options, const char *path, struct sprof_error *err)
{
	if (options->verify || options->naming.sysmaps.count)
		return sprof_error_set(err, SPROF_ERROR_USAGE,
			"%s: %s is for linked files: here addresses are not final", path,
			options->verify ? "--verify" : "--sysmap");
	return true;
}

/* Cuts "ARCHIVE(MEMBER)", unless a file has this name. NULL: it is a path. */
static char *cut_member(char *path)
{
	size_t length = strlen(path);
	char *open = strrchr(path, '(');

	if (!open || open == path || path[length - 1] != ')' || access(path, F_OK) == 0)
		return NULL;
	path[length - 1] = '\0';
	*open = '\0';
	return open + 1;
}

bool sprof_symbol_objects_answer(const struct sprof_symbol_options *options, char *const operands[],
	bool *ret_is_one, int *ret_exit, struct sprof_error *err)
{
	SPROF_AUTO_FREE char *path = strdup(operands[0]);
	struct question question = {.options = options, .path = path, .exit = ret_exit};
	struct sprof_objects *objects;
	bool ok;

	if (!path)
		return sprof_error_no_memory(err);
	question.member = cut_member(path);
	if (!sprof_objects_open(path, &objects, err))
		return false;
	*ret_is_one = objects && (!question.member || sprof_objects_are_archive(objects));
	question.objects = objects;
	ok = !*ret_is_one ||
		(check_options(options, path, err) && ask_all(&question, operands + 1, err));
	sprof_objects_close(objects);
	return ok;
}
