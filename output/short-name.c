/*
 * Shortens names of C++, Rust and D in libiberty's form, and Go's. Recognises text that only looks
 * like brackets: operators, "->" and "(anonymous namespace)". In Rust's "<T as Trait>::method" and
 * "<impl Trait for T>::method" the brackets are essential: their types stay, without paths.
 */
#include "output/short-name.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"

static const char anonymous[] = "(anonymous namespace)";
static const char operator_word[] = "operator";

/* The end of the bracket that opens at text: after its partner, or the text's end. */
static const char *skip_bracket(const char *text, char open, char close)
{
	int depth = 0, round = 0;

	for (; *text; text++) {
		if (sprof_string_starts_with(text, "->")) {
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

/* Longer ones first. */
static size_t symbol_length(const char *at)
{
	static const char *const symbols[] = {"<=>", "<<=", ">>=", "->*", "<<", ">>",
		"<=", ">=", "->", "()", "[]", "==", "!=", "&&", "||", "++", "--",
		"+=", "-=", "*=", "/=", "%=", "^=", "&=", "|="};

	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		if (sprof_string_starts_with(at, symbols[i]))
			return strlen(symbols[i]);
	}
	return *at && strchr("<>=-+*/%^&|~!,", *at) != NULL;
}

/* The length of "operator" and its symbol, including "()", if it is a separate word; else 0. */
static size_t operator_length(const char *name, const char *at)
{
	size_t length = sizeof(operator_word) - 1;

	if (!sprof_string_starts_with(at, operator_word) ||
		(at > name && (isalnum((unsigned char)at[-1]) || at[-1] == '_')) ||
		isalnum((unsigned char)at[length]) || at[length] == '_')
		return 0;
	return length + symbol_length(at + length);
}

/* The length of " const" and the like behind parameters; 0: none. */
static size_t qualifier_length(const char *at)
{
	static const char *const words[] = {" const", " volatile", " &&", " &", " noexcept"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const size_t length = strlen(words[i]);

		if (sprof_string_starts_with(at, words[i]) && !isalnum((unsigned char)at[length]) &&
			at[length] != '_')
			return length;
	}
	return 0;
}

/* Names of compiler-made functions begin with words, and have no return type. */
static bool is_made(const char *name)
{
	static const char *const starts[] = {"non-virtual thunk to ", "virtual thunk to ",
		"covariant return thunk to ", "TLS init function for ", "TLS wrapper function for ",
		NULL};

	return sprof_string_starts_with_any(name, starts);
}

/* The length of a Python scope, such as "<locals>" in "count.<locals>.<genexpr>"; else 0. */
static size_t scope_length(const char *name, const char *at)
{
	const char *end = *at == '<' && at > name && at[-1] == '.' ? strchr(at, '>') : NULL;

	return end ? (size_t)(end - at) + 1 : 0;
}

struct writer {
	char *text;
	size_t length;
	size_t start; /* of the name, behind the return type */
};

static void put(struct writer *to, const char *text, size_t length)
{
	memcpy(to->text + to->length, text, length);
	to->length += length;
}

static bool is_of_word(char byte)
{
	return isalnum((unsigned char)byte) || (unsigned char)byte >= 0x80 ||
		(byte && strchr("_$#{}~", byte));
}

/* Removes the word before "::", which is part of a path, and its arguments. */
static void drop_word(struct writer *to, size_t begin)
{
	int depth = 0;

	while (to->length > begin) {
		const char last = to->text[to->length - 1];

		depth += last == '>' || last == ')';
		if (!depth && !is_of_word(last))
			return;
		depth -= last == '<' || last == '(';
		to->length--;
	}
}

/* The length of an argument that containers have by default: ", std::allocator<int>"; else 0. */
static size_t default_length(const char *at, const char *end)
{
	static const char *const arguments[] = {
		", std::allocator<", ", std::char_traits<", ", alloc::alloc::Global"};
	size_t length = 0;

	for (size_t i = 0; !length && i < sizeof(arguments) / sizeof(arguments[0]); i++) {
		if (sprof_string_starts_with(at, arguments[i]))
			length = strlen(arguments[i]);
	}
	if (length && at[length - 1] == '<')
		length = (size_t)(skip_bracket(at + length - 1, '<', '>') - at);
	length += length && at[length] == ' ' && at[length + 1] == '>';
	return at + length > end ? 0 : length;
}

/*
 * Writes types without paths: "map<vector> const&" for "std::map<std::vector<int> > const&" at
 * depth 1. A closure keeps the function that it is in.
 */
static void put_types(struct writer *to, const char *at, const char *end, unsigned depth)
{
	const size_t begin = to->length;

	while (at < end) {
		const char *behind;

		if (default_length(at, end)) {
			at += default_length(at, end);
		} else if (sprof_string_starts_with(at, anonymous)) {
			at += sizeof(anonymous) - 1;
		} else if (sprof_string_starts_with(at, "->")) {
			put(to, at, 2);
			at += 2;
		} else if (sprof_string_starts_with(at, "::") && at[2] != '{') {
			drop_word(to, begin);
			at += 2;
		} else if (*at == '<') {
			behind = skip_bracket(at, '<', '>');
			if (behind > end)
				behind = end;
			if (depth) {
				put(to, at, 1);
				put_types(to, at + 1, behind - (behind[-1] == '>'), depth - 1);
				put(to, ">", 1);
			}
			at = behind;
		} else {
			put(to, at++, 1);
		}
	}
	while (to->length > begin && to->text[to->length - 1] == ' ')
		to->length--;
}

/* Whether Rust's brackets at the place hold what the function belongs to. */
static bool is_owner(const char *name, const char *at)
{
	return *at == '<' && (at == name || sprof_string_starts_with(at, "<impl "));
}

static const char *put_angle(
	struct writer *to, const char *name, const char *at, struct sprof_short_form form)
{
	const char *end = skip_bracket(at, '<', '>');

	if (!is_owner(name, at) && !form.depth) {
		put(to, "<...>", 5);
		return end;
	}
	put(to, "<", 1);
	put_types(to, at + 1, end - (end[-1] == '>'),
		is_owner(name, at) ? form.depth : form.depth - 1);
	put(to, ">", 1);
	return end;
}

/* Parameters and, in D, template arguments: "!(int)". */
static const char *put_round(
	struct writer *to, const char *name, const char *at, struct sprof_short_form form)
{
	const char *end = skip_bracket(at, '(', ')');
	const bool is_template = at > name && at[-1] == '!';

	if (is_template ? form.depth : form.parameters) {
		put(to, "(", 1);
		put_types(to, at + 1, end - (end[-1] == ')'), form.depth);
		put(to, ")", 1);
	} else if (is_template) {
		put(to, "(...)", 5);
	}
	at = end;
	while (qualifier_length(at))
		at += qualifier_length(at);
	if (form.parameters)
		put(to, end, (size_t)(at - end));
	return at;
}

/* The length of text at the place that only looks like brackets; 0: none. */
static size_t sign_length(const char *name, const char *at)
{
	const size_t sign = operator_length(name, at);

	if (sign)
		return sign;
	return sprof_string_starts_with(at, anonymous) ? sizeof(anonymous) - 1
						       : scope_length(name, at);
}

/* The return type ends at the last blank outside brackets and operators. */
static void put_name(struct writer *to, const char *name, struct sprof_short_form form)
{
	bool has_type = strchr(name, '(') && !is_made(name);
	int braces = 0;

	for (const char *at = name; *at;) {
		const size_t sign = sign_length(name, at);

		if (sign) {
			has_type &= !operator_length(name, at);
			put(to, at, sign);
			at += sign;
		} else if (*at == '<') {
			at = put_angle(to, name, at, form);
		} else if (*at == '(') {
			at = put_round(to, name, at, form);
		} else {
			has_type &= !sprof_string_starts_with(at, "[clone") &&
				!sprof_string_starts_with(at, "[abi:");
			braces += (*at == '{') - (*at == '}');
			put(to, at, 1);
			if (*at++ == ' ' && has_type && !braces && *at != '[')
				to->start = to->length;
		}
	}
	to->text[to->length] = '\0';
}

/*
 * Go: a path, a receiver in round brackets, type arguments in square ones; no parameters. Up to Go
 * 1.20 those of compiler-made instances are whole ("go.shape."), and names of types have blanks.
 */
static bool is_go(const char *name)
{
	return strstr(name, ".(") || strstr(name, "[go.shape.") ||
		sprof_string_starts_with(name, "type.") || sprof_string_starts_with(name, "type:");
}

static void leave_out_shapes(const char *name, char *to)
{
	while (*name) {
		if (sprof_string_starts_with(name, "[go.shape.")) {
			name = skip_bracket(name, '[', ']');
			to = stpcpy(to, "[...]");
		} else {
			*to++ = *name++;
		}
	}
	*to = '\0';
}

/*
 * The length of the suffix at the place by which link-time optimization makes a local name unique:
 * ".llvm.17", or " [clone .llvm.17]"; 0: none. Its number means nothing to a reader.
 */
static size_t private_suffix_length(const char *at)
{
	static const char *const suffixes[] = {".llvm.", ".__uniq.", ".lto_priv."};
	static const char clone[] = " [clone ";
	const bool is_clone = sprof_string_starts_with(at, clone);
	const char *suffix = is_clone ? at + strlen(clone) : at;

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		const char *number = suffix + strlen(suffixes[i]), *end;

		if (!sprof_string_starts_with(suffix, suffixes[i]))
			continue;
		end = number + strspn(number, "0123456789");
		if (end > number && (!is_clone || *end == ']'))
			return (size_t)(end + is_clone - at);
	}
	return 0;
}

static void leave_out_private_suffixes(char *name)
{
	char *to = name;

	for (const char *at = name; *at;) {
		const size_t length = at > name ? private_suffix_length(at) : 0;

		if (length)
			at += length;
		else
			*to++ = *at++;
	}
	*to = '\0';
}

char *sprof_short_name_as(const char *whole, struct sprof_short_form form)
{
	/* "<>" may grow to "<...>", and an open bracket is closed. */
	struct writer to = {.text = malloc(3 * strlen(whole) + 1)};
	SPROF_AUTO_FREE char *name = strdup(whole);

	if (!to.text || !name) {
		free(to.text);
		return NULL;
	}
	leave_out_private_suffixes(name);
	if (is_go(name))
		leave_out_shapes(name, to.text);
	else if (!strpbrk(name, "<("))
		strcpy(to.text, name);
	else
		put_name(&to, name, form);
	memmove(to.text, to.text + to.start, strlen(to.text + to.start) + 1);
	return to.text;
}

char *sprof_short_name(const char *name)
{
	return sprof_short_name_as(name, (struct sprof_short_form){0});
}
