/*
 * Parses lines of nm(1) (also -n, -S, -D, and -P), System.map, /proc/kallsyms, objdump -t and -T,
 * readelf -s, `sprof symbols` and perf maps. A list has one format: the one that fits most of its
 * lines, because "add T 10" is valid for nm and for nm -P. Does not handle radixes other than 16,
 * the tables of nm -f sysv, and archive members, whose addresses belong to no file.
 */
#include "elfsym/symlist/forms.h"

#include <string.h>

enum {
	MAX_DIGITS = 16,
	SHORTEST_SIZE = 8, /* digits of nm -S: shorter ones are a type and a name */
	OBJDUMP_FLAGS = 7,
};

/* A piece of the line. */
struct word {
	const char *text;
	size_t length;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static void skip_blanks(const char **cursor, const char *end)
{
	while (*cursor < end && is_blank(**cursor))
		++*cursor;
}

static struct word next_word(const char **cursor, const char *end)
{
	struct word word;

	skip_blanks(cursor, end);
	word.text = *cursor;
	while (*cursor < end && !is_blank(**cursor))
		++*cursor;
	word.length = (size_t)(*cursor - word.text);
	return word;
}

static bool is(const struct word *word, const char *text)
{
	return word->length == strlen(text) && memcmp(word->text, text, word->length) == 0;
}

/* The end, if the character isn't there. */
static const char *find(const char *at, const char *end, char wanted)
{
	while (at < end && *at != wanted)
		at++;
	return at;
}

static bool begins(const char *line, const char *end, const char *text)
{
	return (size_t)(end - line) >= strlen(text) && memcmp(line, text, strlen(text)) == 0;
}

static int digit(char c)
{
	return c >= '0' && c <= '9'    ? c - '0'
		: c >= 'a' && c <= 'f' ? c - 'a' + 10
		: c >= 'A' && c <= 'F' ? c - 'A' + 10
				       : -1;
}

static bool is_hex(const struct word *word, uint64_t *ret)
{
	size_t i =
		word->length > 2 && word->text[0] == '0' && (word->text[1] | 0x20) == 'x' ? 2 : 0;
	uint64_t value = 0;

	if (i == word->length || word->length - i > MAX_DIGITS)
		return false;
	for (; i < word->length; i++) {
		if (digit(word->text[i]) < 0)
			return false;
		value = value << 4 | (unsigned)digit(word->text[i]);
	}
	*ret = value;
	return true;
}

static bool is_decimal(const struct word *word, uint64_t *ret)
{
	uint64_t value = 0;

	for (size_t i = 0; i < word->length; i++) {
		if (word->text[i] < '0' || word->text[i] > '9' ||
			__builtin_mul_overflow(value, 10, &value) ||
			__builtin_add_overflow(value, (uint64_t)(word->text[i] - '0'), &value))
			return false;
	}
	*ret = value;
	return word->length;
}

static bool take_hex(const char **cursor, const char *end, uint64_t *ret)
{
	struct word word = next_word(cursor, end);

	return is_hex(&word, ret) && *cursor < end;
}

/* A letter followed by blanks. */
static bool take_letter(const char **cursor, const char *end, char *ret)
{
	struct word word = next_word(cursor, end);

	if (word.length != 1)
		return false;
	*ret = *word.text;
	return true;
}

/* The types of nm(1), in the order that a person would choose between several names. */
static enum sprof_symlist_rank rank_of_letter(char type)
{
	switch (type) {
	case 'T':
	case 'i':
	case 'u':
		return SPROF_SYMLIST_GLOBAL;
	case 't':
		return SPROF_SYMLIST_LOCAL;
	case 'W':
	case 'w':
		return SPROF_SYMLIST_WEAK;
	default:
		return SPROF_SYMLIST_NO_FUNCTION;
	}
}

static bool is_letter_of_nm(char type)
{
	return strchr("ABCDGINPRSTUVWabcdgiknprstuvw-?", type) != NULL;
}

/*
 * A name without suffixes added by tools: a version ("@@GLIBC_2.14", " (3)"), a kernel module
 * ("\t[ext4]"), a carriage return. "puts@plt" is a name. readelf -s shortens long names with
 * versions to "[...]".
 */
static enum sprof_symlist_verdict finish_name(
	const char *at, const char *end, struct sprof_symlist_line *line)
{
	const char *version;

	skip_blanks(&at, end);
	end = find(at, end, '\t');
	while (end > at && (is_blank(end[-1]) || end[-1] == '\r'))
		end--;
	version = at < end ? find(at + 1, end, '@') : end;
	if (end - version != 4 || !begins(version, end, "@plt"))
		end = version;
	line->name = at;
	line->name_length = (size_t)(end - at);
	return at < end && !memchr(at, '\0', line->name_length) && !begins(at, end, "[...]")
		? SPROF_SYMLIST_SYMBOL
		: SPROF_SYMLIST_STRANGE;
}

static bool take_address_and_size(
	const char **cursor, const char *end, struct sprof_symlist_line *line)
{
	const char *behind;
	struct word size;

	if (!take_hex(cursor, end, &line->address))
		return false;
	behind = *cursor;
	size = next_word(&behind, end);
	if (size.length >= SHORTEST_SIZE && is_hex(&size, &line->size))
		*cursor = behind;
	return true;
}

/* "ADDRESS [SIZE] TYPE NAME"; an undefined symbol has no address. */
static enum sprof_symlist_verdict parse_nm(
	const char *line, const char *end, struct sprof_symlist_line *ret)
{
	const char *at = line;
	char type;

	if (line < end && is_blank(*line))
		return take_letter(&at, end, &type) && strchr("Uwv", type) && at < end
			? SPROF_SYMLIST_EMPTY
			: SPROF_SYMLIST_STRANGE;
	if (!take_address_and_size(&at, end, ret) || !take_letter(&at, end, &type) ||
		!is_letter_of_nm(type) || at == end)
		return SPROF_SYMLIST_STRANGE;
	ret->rank = rank_of_letter(type);
	return finish_name(at, end, ret);
}

/* Cuts the last word off. */
static struct word last_word(const char *line, const char **end)
{
	struct word word;
	const char *stop;

	while (*end > line && (is_blank((*end)[-1]) || (*end)[-1] == '\r'))
		--*end;
	stop = *end;
	while (*end > line && !is_blank((*end)[-1]))
		--*end;
	word.text = *end;
	word.length = (size_t)(stop - *end);
	return word;
}

/* "NAME TYPE ADDRESS [SIZE]"; a C++ name may contain blanks, so the line is parsed from its end. */
static enum sprof_symlist_verdict parse_posix(
	const char *line, const char *end, struct sprof_symlist_line *ret)
{
	struct word last = last_word(line, &end), before = last_word(line, &end);

	if (last.length == 1 && strchr("Uwv", *last.text))
		return before.length ? SPROF_SYMLIST_EMPTY : SPROF_SYMLIST_STRANGE;
	if (before.length == 1 && is_letter_of_nm(*before.text)) {
		if (!is_hex(&last, &ret->address))
			return SPROF_SYMLIST_STRANGE;
	} else {
		if (!is_hex(&last, &ret->size) || !is_hex(&before, &ret->address))
			return SPROF_SYMLIST_STRANGE;
		before = last_word(line, &end);
	}
	if (before.length != 1 || !is_letter_of_nm(*before.text))
		return SPROF_SYMLIST_STRANGE;
	ret->rank = rank_of_letter(*before.text);
	return finish_name(line, end, ret);
}

static enum sprof_symlist_rank rank_of_flags(const char *flags)
{
	if (!memchr(flags, 'F', OBJDUMP_FLAGS) && !memchr(flags, 'i', OBJDUMP_FLAGS))
		return SPROF_SYMLIST_NO_FUNCTION;
	if (memchr(flags, 'w', OBJDUMP_FLAGS))
		return SPROF_SYMLIST_WEAK;
	return flags[0] == 'l' ? SPROF_SYMLIST_LOCAL : SPROF_SYMLIST_GLOBAL;
}

/*
 * Skips what is between size and name: two blanks and a version, or a version in brackets, and the
 * visibility.
 */
static void skip_version(const char **cursor, const char *end)
{
	const char *at = *cursor;
	struct word word;

	if (begins(at, end, "  ") && end - at > 2 && !is_blank(at[2])) {
		next_word(cursor, end);
		at = *cursor;
	}
	word = next_word(&at, end);
	if (word.length && word.text[0] == '(' && word.text[word.length - 1] == ')') {
		*cursor = at;
		word = next_word(&at, end);
	}
	if (is(&word, ".hidden") || is(&word, ".protected") || is(&word, ".internal"))
		*cursor = at;
}

/* "ADDRESS FLAGS SECTION\tSIZE [VERSION] NAME"; the seven flags are columns. */
static enum sprof_symlist_verdict parse_objdump(
	const char *line, const char *end, struct sprof_symlist_line *ret)
{
	const char *at = line, *flags;
	struct word section;

	if (begins(line, end, "SYMBOL TABLE:") || begins(line, end, "DYNAMIC SYMBOL TABLE:") ||
		memmem(line, (size_t)(end - line), "file format ", 12))
		return SPROF_SYMLIST_EMPTY;
	if (!take_hex(&at, end, &ret->address) || end - at <= OBJDUMP_FLAGS + 1)
		return SPROF_SYMLIST_STRANGE;
	flags = at + 1;
	at = flags + OBJDUMP_FLAGS;
	if (!is_blank(*at))
		return SPROF_SYMLIST_STRANGE;
	section = next_word(&at, end);
	if (at == end || *at != '\t' || !take_hex(&at, end, &ret->size))
		return SPROF_SYMLIST_STRANGE;
	if (is(&section, "*UND*") || is(&section, "*ABS*") || is(&section, ".tbss") ||
		is(&section, ".tdata"))
		return SPROF_SYMLIST_EMPTY;
	skip_version(&at, end);
	ret->rank = rank_of_flags(flags);
	return finish_name(at, end, ret);
}

static enum sprof_symlist_rank rank_of_binding(const struct word *binding)
{
	return is(binding, "LOCAL")     ? SPROF_SYMLIST_LOCAL
		: is(binding, "WEAK")   ? SPROF_SYMLIST_WEAK
		: is(binding, "GLOBAL") ? SPROF_SYMLIST_GLOBAL
		: is(binding, "UNIQUE") ? SPROF_SYMLIST_GLOBAL
					: SPROF_SYMLIST_NO_FUNCTION;
}

/* The column Ndx, after the visibility and a machine's additions to it: "[VARIANT_PCS]". */
static struct word take_section(const char **cursor, const char *end)
{
	struct word word;

	next_word(cursor, end);
	do
		word = next_word(cursor, end);
	while (word.length && word.text[0] == '[');
	return word;
}

/* "NUMBER: ADDRESS SIZE TYPE BINDING VISIBILITY SECTION NAME"; a size is decimal or has 0x. */
static enum sprof_symlist_verdict parse_readelf(
	const char *line, const char *end, struct sprof_symlist_line *ret)
{
	const char *at = line;
	struct word number, size, type, binding, section;

	number = next_word(&at, end);
	if (is(&number, "Symbol") || is(&number, "Num:") || is(&number, "File:"))
		return SPROF_SYMLIST_EMPTY;
	if (number.length < 2 || number.text[number.length-- - 1] != ':' ||
		!is_decimal(&number, &ret->size) || !take_hex(&at, end, &ret->address))
		return SPROF_SYMLIST_STRANGE;
	size = next_word(&at, end);
	if (!is_decimal(&size, &ret->size) && !is_hex(&size, &ret->size))
		return SPROF_SYMLIST_STRANGE;
	type = next_word(&at, end);
	binding = next_word(&at, end);
	section = take_section(&at, end);
	if (!section.length)
		return SPROF_SYMLIST_STRANGE;
	if (is(&section, "UND") || is(&section, "UNDEF") || is(&section, "ABS") ||
		is(&type, "TLS") || is(&type, "SECTION") || is(&type, "FILE"))
		return SPROF_SYMLIST_EMPTY;
	if (is(&type, "FUNC") || is(&type, "IFUNC") || is(&type, "GNU_IFUNC"))
		ret->rank = rank_of_binding(&binding);
	return finish_name(at, end, ret);
}

/* Returns the text up to the next tab, and moves past it. */
static struct word next_field(const char **cursor, const char *end)
{
	const char *tab = find(*cursor, end, '\t');
	struct word field = {*cursor, (size_t)(tab - *cursor)};

	*cursor = tab < end ? tab + 1 : end;
	return field;
}

/*
 * "ADDRESS\tSIZE\tNAME\tSOURCE", of `sprof symbols`, and with --all "\tTYPE\tBINDING\tSECTION". A
 * name that sprof has made up of an FDE is none.
 */
static enum sprof_symlist_verdict parse_own(
	const char *line, const char *end, struct sprof_symlist_line *ret)
{
	const char *at = line;
	struct word address = next_field(&at, end), size = next_field(&at, end),
		    name = next_field(&at, end), source = next_field(&at, end), type, binding;

	if (line < end && *line == '#')
		return SPROF_SYMLIST_EMPTY;
	if (!is_hex(&address, &ret->address) || !is_decimal(&size, &ret->size) || !source.length)
		return SPROF_SYMLIST_STRANGE;
	if (is(&source, SPROF_SYMLIST_MADE_UP))
		return SPROF_SYMLIST_EMPTY;
	type = next_field(&at, end);
	binding = next_field(&at, end);
	if (is(&type, "tls"))
		return SPROF_SYMLIST_EMPTY;
	ret->rank = is(&binding, "local") ? SPROF_SYMLIST_LOCAL
		: is(&binding, "weak")    ? SPROF_SYMLIST_WEAK
					  : SPROF_SYMLIST_GLOBAL;
	if (type.length && !is(&type, "function") && !is(&type, "ifunc") && !is(&type, "label"))
		ret->rank = SPROF_SYMLIST_NO_FUNCTION;
	return finish_name(name.text, name.text + name.length, ret);
}

enum sprof_symlist_verdict sprof_symlist_parse_perf_map(
	const char *line, const char *end, struct sprof_symlist_line *ret)
{
	ret->rank = SPROF_SYMLIST_GLOBAL;
	if (!take_hex(&line, end, &ret->address) || !take_hex(&line, end, &ret->size) || !ret->size)
		return SPROF_SYMLIST_STRANGE;
	skip_blanks(&line, end);
	while (end > line && (is_blank(end[-1]) || end[-1] == '\r'))
		end--;
	ret->name = line;
	ret->name_length = (size_t)(end - line);
	return line < end && !memchr(line, '\0', ret->name_length) ? SPROF_SYMLIST_SYMBOL
								   : SPROF_SYMLIST_STRANGE;
}

/* If two formats fit equally well, the first is used: nm also accepts the lines of objdump -T. */
static const sprof_symlist_parser forms[] = {
	parse_own,
	parse_objdump,
	parse_readelf,
	parse_nm,
	parse_posix,
};

enum { FORMS = sizeof(forms) / sizeof(forms[0]) };

bool sprof_symlist_next_line(
	const char **cursor, const char *end, const char **ret_line, const char **ret_end)
{
	const char *line = *cursor, *stop;

	if (line == end)
		return false;
	stop = memchr(line, '\n', (size_t)(end - line));
	*ret_line = line;
	*ret_end = stop ? stop : end;
	*cursor = stop ? stop + 1 : end;
	return true;
}

sprof_symlist_parser sprof_symlist_choose(const char *text, const char *end)
{
	size_t fitting[FORMS] = {0}, best = 0;
	const char *line, *stop;

	while (sprof_symlist_next_line(&text, end, &line, &stop)) {
		for (size_t i = 0; i < FORMS; i++) {
			struct sprof_symlist_line ignored = {0};

			fitting[i] += forms[i](line, stop, &ignored) != SPROF_SYMLIST_STRANGE;
		}
	}
	for (size_t i = 1; i < FORMS; i++) {
		if (fitting[i] > fitting[best])
			best = i;
	}
	return forms[best];
}
