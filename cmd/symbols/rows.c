/* Rows of `sprof symbols`. Does not choose the symbols. */
#include "cmd/symbols/rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/glob.h"
#include "cmd/ui.h"
#include "elfsym/elf/demangle.h"
#include "elfsym/symlist/symlist.h"
#include "output/clean.h"
#include "output/fit.h"

/* "operator[]" is a name and a glob. */
static bool is_match(const char *name, const char *pattern)
{
	return strcmp(name, pattern) == 0 || sprof_glob_matches(pattern, name);
}

/* A short name marks template arguments: "space::twice<...>". */
static void drop_arguments(char *short_name)
{
	static const char mark[] = "<...>";
	char *at = short_name;

	while ((at = strstr(at, mark)))
		memmove(at, at + strlen(mark), strlen(at + strlen(mark)) + 1);
}

bool sprof_symbol_row_matches(const struct sprof_listed *item, const char *pattern)
{
	SPROF_AUTO_FREE char *plain = NULL, *short_name = NULL;

	if (strcmp(item->source, SPROF_SYMLIST_MADE_UP) == 0)
		return false;
	if (is_match(item->name, pattern))
		return true;
	plain = sprof_is_mangled(item->name) ? sprof_demangle(item->name) : NULL;
	if (!plain)
		return false;
	short_name = sprof_fit_function(plain, true, 0);
	if (short_name)
		drop_arguments(short_name);
	return is_match(plain, pattern) || (short_name && is_match(short_name, pattern));
}

/* Symbols without section and thread-local symbols are not relocated. */
static bool has_address(const struct sprof_listed *item)
{
	return !item->type ||
		(strcmp(item->type, "tls") != 0 && strcmp(item->section, "*ABS*") != 0);
}

void sprof_symbol_row_print(const struct sprof_listed *item, uint64_t bias, bool all)
{
	SPROF_AUTO_FREE char *name = sprof_clean_text(item->name, NULL);
	SPROF_AUTO_FREE char *section =
		item->section ? sprof_clean_text(item->section, NULL) : NULL;

	printf("%016" PRIx64 "\t%" PRIu64 "\t%s\t%s",
		item->address + (has_address(item) ? bias : 0), item->size, name ? name : "?",
		item->source);
	if (all)
		printf("\t%s\t%s\t%s", item->type ? item->type : "function",
			item->binding ? item->binding : "-", section ? section : "-");
	printf("\n");
}

char *sprof_symbol_plain_name(const struct sprof_symbol_options *options, const char *symbol)
{
	SPROF_AUTO_FREE char *plain = !options->naming.no_demangle && sprof_is_mangled(symbol)
		? sprof_demangle(symbol)
		: NULL;

	return sprof_fit_function(plain ? plain : symbol, options->naming.short_names, 0);
}

static bool looks_like_address(const char *text)
{
	return text[strspn(text, "0123456789abcdefABCDEF")] == '\0';
}

void sprof_symbol_row_note_missing(const char *pattern, bool with_data)
{
	struct sprof_error err = {0};

	sprof_error_set(&err, SPROF_ERROR_NOT_FOUND, "no %s is called '%s'",
		with_data ? "symbol" : "function", pattern);
	if (looks_like_address(pattern))
		sprof_error_hint(&err, "an address begins with 0x: 0x%s", pattern);
	else if (!with_data)
		sprof_error_hint(&err, "--all also searches data");
	sprof_ui_error(&err);
}
