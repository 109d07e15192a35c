/*
 * Shortens C++ names in libiberty's form, and Go's. Recognises text that only looks like brackets:
 * operators, "->" and "(anonymous namespace)". In Rust's "<T as Trait>::method" the brackets are
 * essential, so a name that begins with "<" is unchanged.
 */
#include "output/short-name.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char anonymous[] = "(anonymous namespace)";
static const char operator_word[] = "operator";

static bool starts_with(const char *text, const char *word)
{
	return strncmp(text, word, strlen(word)) == 0;
}

/* The end of the bracket that opens at text: after its partner, or the text's end. */
static const char *skip_bracket(const char *text, char open, char close)
{
	int depth = 0, round = 0;

	for (; *text; text++) {
		if (starts_with(text, "->")) {
			text++;
		} else if (open != '(' && (*text == '(' || *text == ')')) {
			round += *text == '(' ? 1 : -1;
		} else if (!round && *text == open) {
			depth++;
		} else if (!round && *text == close && --depth == 0) {
			return text + 1;
		}
	}
	return text;
}

/* The length of "operator" and its symbol, including "()", if it is a separate word; else 0. */
static size_t operator_length(const char *name, const char *at)
{
	size_t length = sizeof(operator_word) - 1;

	if (!starts_with(at, operator_word) ||
		(at > name && (isalnum((unsigned char)at[-1]) || at[-1] == '_')) ||
		isalnum((unsigned char)at[length]) || at[length] == '_')
		return 0;
	if (starts_with(at + length, "()"))
		return length + 2;
	return length + strspn(at + length, "<>=-+*/%^&|~!,[]");
}

static bool is_qualifier(const char *at)
{
	return starts_with(at, " const") || starts_with(at, " volatile") || starts_with(at, " &");
}

/* The length of a Python scope, such as "<locals>" in "count.<locals>.<genexpr>"; else 0. */
static size_t scope_length(const char *name, const char *at)
{
	const char *end = *at == '<' && at > name && at[-1] == '.' ? strchr(at, '>') : NULL;

	return end ? (size_t)(end - at) + 1 : 0;
}

/* Leaves out the content of brackets; returns the length written. */
static size_t leave_out(const char *name, char *to)
{
	const char *at = name;
	size_t length = 0, sign;

	while (*at) {
		sign = operator_length(name, at);
		if (!sign && starts_with(at, anonymous))
			sign = sizeof(anonymous) - 1;
		if (!sign)
			sign = scope_length(name, at);
		if (sign) {
			memcpy(to + length, at, sign);
			length += sign;
			at += sign;
		} else if (*at == '<') {
			at = skip_bracket(at, '<', '>');
			memcpy(to + length, "<...>", 5);
			length += 5;
		} else if (*at == '(') {
			at = skip_bracket(at, '(', ')');
			while (is_qualifier(at))
				at += 1 + strcspn(at + 1, " [");
		} else {
			to[length++] = *at++;
		}
	}
	to[length] = '\0';
	return length;
}

/* Behind the return type: it ends at the last blank outside brackets and operators. */
static char *behind_type(char *name)
{
	char *start = name;

	for (char *at = name; *at; at++) {
		if (starts_with(at, anonymous))
			at += sizeof(anonymous) - 2;
		else if (*at == '[' || operator_length(name, at))
			break;
		else if (*at == ' ' && at[1] != '[')
			start = at + 1;
	}
	return start;
}

/*
 * Go: a path, a receiver in round brackets, type arguments in square ones; no parameters. Up to Go
 * 1.20 those of compiler-made instances are whole ("go.shape."), and names of types have blanks.
 */
static bool is_go(const char *name)
{
	return strstr(name, ".(") || strstr(name, "[go.shape.") || starts_with(name, "type.") ||
		starts_with(name, "type:");
}

static void leave_out_shapes(const char *name, char *to)
{
	while (*name) {
		if (starts_with(name, "[go.shape.")) {
			name = skip_bracket(name, '[', ']');
			to = stpcpy(to, "[...]");
		} else {
			*to++ = *name++;
		}
	}
	*to = '\0';
}

char *sprof_short_name(const char *name)
{
	/* "<>" may grow to "<...>". */
	char *shortened = malloc(3 * strlen(name) + 1), *start;

	if (!shortened)
		return NULL;
	if (is_go(name)) {
		leave_out_shapes(name, shortened);
		return shortened;
	}
	if (name[0] == '<' || !strpbrk(name, "<(")) {
		strcpy(shortened, name);
		return shortened;
	}
	leave_out(name, shortened);
	start = behind_type(shortened);
	memmove(shortened, start, strlen(start) + 1);
	return shortened;
}
