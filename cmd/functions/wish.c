/*
 * Reads the text of a function that the user wants: where its name ends, and where its file begins.
 */
#include "cmd/functions/wish.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "elfsym/names/symbols.h"

/*
 * Skips a C++ operator's name, such as "operator<" and "operator,", whose signs are not brackets or
 * separators. NULL: there is none.
 */
static const char *skip_operator(const char *begin, const char *at)
{
	static const char word[] = "operator";
	const size_t length = sizeof(word) - 1;

	if (strncmp(at, word, length) != 0 ||
		(at > begin && (isalnum((unsigned char)at[-1]) || at[-1] == '_')))
		return NULL;
	at += length;
	if (at[0] == ',')
		return at + 1;
	at += strspn(at, "<>=-");
	return at + (!strncmp(at, "()", 2) || !strncmp(at, "[]", 2) ? 2 : 0);
}

const char *sprof_function_wish_end(const char *begin)
{
	const char *at = begin;
	bool is_quoted = false;
	int depth = 0;

	for (; *at; at++) {
		const char *behind = is_quoted ? NULL : skip_operator(begin, at);

		if (behind)
			at = behind;
		if (*at == '"')
			is_quoted = !is_quoted;
		if (*at && !is_quoted && strchr("(<[{", *at))
			depth++;
		if (*at && !is_quoted && strchr(")>]}", *at))
			depth--;
		if (!*at || (*at == ',' && !is_quoted && depth <= 0))
			break;
	}
	return at;
}

/* Whether this @ belongs to "@plt", as in "strcmp@plt" and "strcmp@plt@libc.so.6". */
static bool is_stub(const char *at, const char *end)
{
	const size_t length = strlen(SPROF_PLT_ENDING);

	return (size_t)(end - at) >= length && !strncmp(at, SPROF_PLT_ENDING, length) &&
		(at + length == end || at[length] == '@');
}

/* Finds the @ before the file; an @ in quotes belongs to a name. NULL: no file is named. */
static const char *find_at(const char *begin, const char *end)
{
	bool is_quoted = false;

	for (const char *at = begin; at < end; at++) {
		if (*at == '"')
			is_quoted = !is_quoted;
		else if (*at == '@' && !is_quoted && !is_stub(at, end))
			return at;
	}
	return NULL;
}

/* Copies a name without its quotes. Returns NULL if out of memory. */
static char *copy(const char *begin, const char *end)
{
	if (end - begin > 1 && *begin == '"' && end[-1] == '"') {
		begin++;
		end--;
	}
	return strndup(begin, (size_t)(end - begin));
}

bool sprof_function_wish_read(
	const char *text, const char *end, struct sprof_function_wish *ret, struct sprof_error *err)
{
	const char *at = find_at(text, end);

	*ret = (struct sprof_function_wish){
		.name = copy(text, at ? at : end),
		.file = at ? copy(at + 1, end) : NULL,
	};
	if (!ret->name || (at && !ret->file))
		return sprof_error_no_memory(err);
	ret->is_pattern = ret->name[strcspn(ret->name, "*?[")];
	if (!ret->name[0])
		return sprof_error_set(
			err, SPROF_ERROR_USAGE, "the name of a function is missing: '%s'", text);
	return !ret->file || ret->file[0] ||
		sprof_error_set(
			err, SPROF_ERROR_USAGE, "the name of a file is missing: '%s'", text);
}

void sprof_function_wish_finish(struct sprof_function_wish *wish)
{
	free(wish->name);
	free(wish->file);
	*wish = (struct sprof_function_wish){0};
}
