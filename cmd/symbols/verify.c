/*
 * sprof symbols --verify. One source is a list of symbols or the file's symbol tables; the other is
 * the symbol tables or the debug information: never a source with itself. Names made up by sprof
 * (from unwind tables, and for the PLT if DWARF is the other source) belong to no source and are
 * not compared. If an address has several names, one must match.
 */
#include "cmd/symbols/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "elfsym/elf/symtab.h"
#include "elfsym/elf/demangle.h"
#include "elfsym/names/names.h"
#include "output/clean.h"
#include "output/fit.h"

/* How readelf -s shortens a name. */
#define CUT "[...]"

/* The other source's answer for an address. */
struct answer {
	enum sprof_verdict verdict;
	const char *name; /* that is there instead */
	uint64_t distance;
};

static void print_answer(const struct sprof_listed *item, const struct answer *answer)
{
	static const char *const words[] = {"OK", "MISSING", "MISMATCH"};
	SPROF_AUTO_FREE char *name = sprof_clean_text(item->name, NULL);
	SPROF_AUTO_FREE char *found = answer->name ? sprof_clean_text(answer->name, NULL) : NULL;

	printf("%s\t%016" PRIx64 "\t%s", words[answer->verdict], item->address, name ? name : "?");
	if (answer->verdict == SPROF_VERDICT_MISMATCH)
		printf("\t%s", found ? found : "?");
	if (answer->verdict == SPROF_VERDICT_MISMATCH && answer->distance)
		printf("+0x%" PRIx64, answer->distance);
	printf("\n");
}

static bool is_made_up(const struct sprof_listed *item)
{
	return strcmp(item->source, SPROF_SYMLIST_MADE_UP) == 0;
}

/* Whether the text is the name: as it is, demangled (nm -C), or cut short (readelf -s). */
static bool is_name(const char *text, const char *name)
{
	size_t length = strlen(text), cut = strlen(CUT);
	SPROF_AUTO_FREE char *plain = NULL;

	if (strcmp(text, name) == 0)
		return true;
	if (length > cut && strcmp(text + length - cut, CUT) == 0)
		return strncmp(text, name, length - cut) == 0;
	plain = sprof_is_mangled(name) ? sprof_demangle(name) : NULL;
	return plain && strcmp(text, plain) == 0;
}

/* Against the file's symbols. The last symbol ends with the code. */
static struct answer compare_listed(const struct sprof_verification *verification,
	const struct sprof_listing *file, const struct sprof_listed *item)
{
	const struct sprof_listed *found;

	if (!sprof_image_executable(verification->image, item->address))
		return (struct answer){.verdict = SPROF_VERDICT_MISSING};
	found = sprof_listing_find(file, item->address);
	for (const struct sprof_listed *at = found;
		at && at < file->items + file->count && at->address == item->address; at++) {
		if (!is_made_up(at) && is_name(item->name, at->name))
			return (struct answer){.verdict = SPROF_VERDICT_OK};
	}
	if (!found || is_made_up(found))
		return (struct answer){.verdict = SPROF_VERDICT_MISSING};
	return (struct answer){.verdict = SPROF_VERDICT_MISMATCH,
		.name = found->name,
		.distance = item->address - found->address};
}

/*
 * Whether DWARF's name, without parameters and perhaps without linkage name, is the symbol's.
 * Compilers append suffixes to split or cloned functions: name.cold, name.part.0, name.constprop.0.
 */
static bool is_same_function(const char *symbol, const struct sprof_dwarf_place *place)
{
	SPROF_AUTO_FREE char *whole = strndup(symbol, strcspn(symbol, "."));
	SPROF_AUTO_FREE char *plain =
		whole && sprof_is_mangled(whole) ? sprof_demangle(whole) : NULL;
	SPROF_AUTO_FREE char *short_name = plain ? sprof_fit_function(plain, true, 0) : NULL;
	const char *name = place->linkage ? place->linkage : place->name;
	size_t length = strlen(name);

	if (strncmp(symbol, name, length) == 0 && (!symbol[length] || symbol[length] == '.'))
		return true;
	if (!short_name || place->linkage)
		return false;
	/* DWARF has the bare name, the symbol the namespaces as well. */
	return strlen(short_name) >= length &&
		strcmp(short_name + strlen(short_name) - length, name) == 0;
}

/* The name of any symbol at the item's address counts: aliases are one function. */
static bool has_function(const struct sprof_listing *file, const struct sprof_listed *item,
	const struct sprof_dwarf_place *place)
{
	const struct sprof_listed *at = item;

	while (at > file->items && at[-1].address == item->address)
		at--;
	for (; at < file->items + file->count && at->address == item->address; at++) {
		if (!is_made_up(at) && is_same_function(at->name, place))
			return true;
	}
	return false;
}

/* Against the debug information. */
static bool compare_dwarf(struct sprof_names *names, const struct sprof_listing *file,
	const struct sprof_listed *item, struct answer *ret, struct sprof_error *err)
{
	struct sprof_dwarf_chain chain = {0};
	const struct sprof_dwarf_place *place;

	*ret = (struct answer){.verdict = SPROF_VERDICT_MISSING};
	if (!sprof_dwarf_find(names->dwarf, item->address, &chain, err))
		return false;
	place = chain.count ? &chain.items[chain.count - 1] : NULL;
	if (!place || (!place->name && !place->linkage))
		return true;
	if (has_function(file, item, place))
		ret->verdict = SPROF_VERDICT_OK;
	else
		*ret = (struct answer){
			SPROF_VERDICT_MISMATCH, place->linkage ? place->linkage : place->name, 0};
	return true;
}

static void count(struct sprof_verification_result *result, const struct sprof_listed *item,
	const struct answer *answer)
{
	print_answer(item, answer);
	result->all++;
	result->matching += answer->verdict == SPROF_VERDICT_OK;
	if (answer->verdict > result->worst)
		result->worst = answer->verdict;
}

static const char *file_of(const struct sprof_names *names)
{
	return names->debug && names->debug->own_path ? names->debug->own_path
						      : names->module->path;
}

static void print_sources(const char *first, const char *second)
{
	SPROF_AUTO_FREE char *left = sprof_clean_text(first, NULL);
	SPROF_AUTO_FREE char *right = sprof_clean_text(second, NULL);

	printf("# %s, compared with %s\n", left ? left : "?", right ? right : "?");
}

static bool verify_list(const struct sprof_verification *verification,
	const struct sprof_listing *file, struct sprof_verification_result *result,
	struct sprof_error *err)
{
	struct sprof_listing list;
	SPROF_AUTO_FREE char *second =
		sprof_string_print("the symbols of %s", verification->module->path);

	if (!second)
		return sprof_error_no_memory(err);
	if (!sprof_listing_create(verification->module, &verification->places, verification->sysmap,
		    SPROF_LISTING_SYSMAP, &list, err))
		return false;
	print_sources(verification->sysmap, second);
	for (size_t i = 0; i < list.count; i++) {
		struct answer answer = compare_listed(verification, file, &list.items[i]);

		count(result, &list.items[i], &answer);
	}
	sprof_listing_finish(&list);
	return true;
}

/* From the file itself, not from what sprof has computed. */
static bool takes_part(const struct sprof_listed *item)
{
	return !is_made_up(item) &&
		strcmp(item->source, sprof_symbol_source_name(SPROF_SYMBOL_PLT)) != 0;
}

static bool verify_file(struct sprof_names *names, const struct sprof_listing *file,
	struct sprof_verification_result *result, struct sprof_error *err)
{
	SPROF_AUTO_FREE char *first = NULL, *second = NULL;

	if (!sprof_names_load_dwarf(names, err))
		return false;
	if (!names->dwarf) {
		sprof_error_set(err, SPROF_ERROR_NOT_FOUND,
			"%s has no debug information to compare its symbols with",
			names->module->path);
		return sprof_error_hint(err, "give a list with --sysmap, or --debug-dir");
	}
	first = sprof_string_print("the symbols of %s", names->module->path);
	second = sprof_string_print("the debug information of %s", file_of(names));
	if (!first || !second)
		return sprof_error_no_memory(err);
	print_sources(first, second);
	for (size_t i = 0; i < file->count; i++) {
		struct answer answer;

		if (!takes_part(&file->items[i]))
			continue;
		if (!compare_dwarf(names, file, &file->items[i], &answer, err))
			return false;
		count(result, &file->items[i], &answer);
	}
	return true;
}

bool sprof_verification_run(const struct sprof_verification *verification,
	struct sprof_verification_result *ret, struct sprof_error *err)
{
	struct sprof_verification_result result = {0};
	struct sprof_names names = {0};
	struct sprof_listing file;
	bool ok;

	if (!sprof_listing_create(verification->module, &verification->places, NULL,
		    SPROF_LISTING_FILE, &file, err))
		return false;
	ok = verification->sysmap ? verify_list(verification, &file, &result, err)
				  : sprof_names_init(&names, verification->module,
					    &verification->places, NULL, err) &&
			verify_file(&names, &file, &result, err);
	sprof_names_finish(&names);
	sprof_listing_finish(&file);
	if (ok)
		*ret = result;
	return ok;
}
