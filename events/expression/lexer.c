/*
 * Splits an expression into tokens: numbers, characters and texts in C syntax, names, operators.
 * Does not handle suffixes of numbers, wide characters, or numbers with a fraction.
 */
#include "events/expression/lexer.h"

#include <ctype.h>
#include <string.h>

static const struct {
	const char text[3];
	int kind;
} doubles[] = {
	{"<<", SPROF_TOKEN_SHIFT_LEFT},
	{">>", SPROF_TOKEN_SHIFT_RIGHT},
	{"<=", SPROF_TOKEN_LESS_EQUAL},
	{">=", SPROF_TOKEN_GREATER_EQUAL},
	{"==", SPROF_TOKEN_EQUAL},
	{"!=", SPROF_TOKEN_NOT_EQUAL},
	{"&&", SPROF_TOKEN_AND},
	{"||", SPROF_TOKEN_OR},
};

static bool fail(const struct sprof_lexer *lexer, struct sprof_error *err, const char *message)
{
	return sprof_error_set(
		err, SPROF_ERROR_USAGE, "column %zu: %s", lexer->token.column, message);
}

static void advance(struct sprof_lexer *lexer, size_t count)
{
	lexer->at += count;
	lexer->column += count;
}

static char peek(const struct sprof_lexer *lexer)
{
	return lexer->at < lexer->end ? *lexer->at : '\0';
}

static int digit_of(char character)
{
	if (character >= '0' && character <= '9')
		return character - '0';
	character |= 0x20;
	return character >= 'a' && character <= 'f' ? character - 'a' + 10 : 16;
}

/* The base, and past the prefix that says it. */
static unsigned base_of(struct sprof_lexer *lexer)
{
	if (peek(lexer) != '0' || lexer->end - lexer->at < 2)
		return 10;
	if ((lexer->at[1] | 0x20) == 'x') {
		advance(lexer, 2);
		return 16;
	}
	return isdigit((unsigned char)lexer->at[1]) ? 8 : 10;
}

static bool read_number(struct sprof_lexer *lexer, struct sprof_error *err)
{
	unsigned base = base_of(lexer);
	const char *first = lexer->at;
	uint64_t value = 0;

	for (; isalnum((unsigned char)peek(lexer)) || peek(lexer) == '_'; advance(lexer, 1)) {
		unsigned digit = (unsigned)digit_of(peek(lexer));

		if (digit >= base)
			return fail(lexer, err,
				"not a number: decimal, 0x and hexadecimal, or 0 and octal");
		if (__builtin_mul_overflow(value, base, &value) ||
			__builtin_add_overflow(value, digit, &value))
			return fail(lexer, err, "the number is too large");
	}
	if (lexer->at == first)
		return fail(lexer, err, "there is no digit after 0x");
	/* Addresses and masks have all 64 bits; a decimal number that large is a mistake. */
	if (base == 10 && value > INT64_MAX)
		return fail(lexer, err, "the number is too large");
	lexer->token.kind = SPROF_TOKEN_NUMBER;
	lexer->token.number = (int64_t)value;
	return true;
}

/*
 * Reads up to `max` digits of a character code. Returns false if there is no digit, or the code is
 * above 255.
 */
static bool read_code(struct sprof_lexer *lexer, unsigned base, int max, char *ret)
{
	unsigned value = 0;
	int count = 0;

	for (; count < max && (unsigned)digit_of(peek(lexer)) < base; count++) {
		value = value * base + (unsigned)digit_of(peek(lexer));
		advance(lexer, 1);
	}
	*ret = (char)value;
	return count && value <= 255;
}

static bool read_escape(struct sprof_lexer *lexer, char *ret)
{
	static const char letters[] = "abfnrtv\\\"'?", values[] = "\a\b\f\n\r\t\v\\\"'?";
	const char *found;

	if (digit_of(peek(lexer)) < 8)
		return read_code(lexer, 8, 3, ret);
	found = peek(lexer) ? strchr(letters, peek(lexer)) : NULL;
	if (!found && peek(lexer) != 'x')
		return false;
	advance(lexer, 1);
	if (!found)
		return read_code(lexer, 16, 2, ret);
	*ret = values[found - letters];
	return true;
}

/* One character of a text or a character constant. */
static bool read_character(struct sprof_lexer *lexer, char *ret, struct sprof_error *err)
{
	if (lexer->at == lexer->end)
		return fail(lexer, err, "the quote has no end");
	*ret = *lexer->at;
	advance(lexer, 1);
	if (*ret != '\\')
		return true;
	if (!read_escape(lexer, ret))
		return fail(lexer, err, "an escape that C does not have");
	return true;
}

static bool read_constant(struct sprof_lexer *lexer, struct sprof_error *err)
{
	char character;

	advance(lexer, 1);
	if (!read_character(lexer, &character, err))
		return false;
	if (peek(lexer) != '\'')
		return fail(lexer, err, "'x' is one character; a text has double quotes");
	advance(lexer, 1);
	lexer->token.kind = SPROF_TOKEN_NUMBER;
	lexer->token.number = (unsigned char)character;
	return true;
}

static bool read_text(struct sprof_lexer *lexer, struct sprof_error *err)
{
	lexer->token.kind = SPROF_TOKEN_TEXT;
	lexer->token.text = lexer->texts;
	advance(lexer, 1);
	while (peek(lexer) != '"' || lexer->at == lexer->end) {
		if (!read_character(lexer, lexer->texts, err))
			return false;
		if (!*lexer->texts++)
			return fail(lexer, err, "a text can't have the character 0");
	}
	advance(lexer, 1);
	*lexer->texts++ = '\0';
	return true;
}

static bool read_operator(struct sprof_lexer *lexer, struct sprof_error *err)
{
	char character = peek(lexer);

	for (size_t i = 0; i < sizeof(doubles) / sizeof(doubles[0]); i++) {
		if (lexer->end - lexer->at >= 2 && !memcmp(lexer->at, doubles[i].text, 2)) {
			lexer->token.kind = doubles[i].kind;
			advance(lexer, 2);
			return true;
		}
	}
	if (character == '=')
		return fail(lexer, err, "nothing can be assigned; == compares");
	if (!character || !strchr("+-*/%&|^~!<>?:()[],", character))
		return fail(lexer, err, "a character that no expression has");
	lexer->token.kind = character;
	advance(lexer, 1);
	return true;
}

static bool read_token(struct sprof_lexer *lexer, struct sprof_error *err)
{
	char character = peek(lexer);

	if (lexer->at == lexer->end) {
		lexer->token.kind = SPROF_TOKEN_END;
		return true;
	}
	if (isdigit((unsigned char)character))
		return read_number(lexer, err);
	if (character == '\'')
		return read_constant(lexer, err);
	if (character == '"')
		return read_text(lexer, err);
	if (!isalpha((unsigned char)character) && character != '_')
		return read_operator(lexer, err);
	lexer->token.kind = SPROF_TOKEN_NAME;
	while (isalnum((unsigned char)peek(lexer)) || peek(lexer) == '_')
		advance(lexer, 1);
	return true;
}

bool sprof_lexer_next(struct sprof_lexer *lexer, struct sprof_error *err)
{
	while (lexer->at < lexer->end && isspace((unsigned char)*lexer->at))
		advance(lexer, 1);
	lexer->token.at = lexer->at;
	lexer->token.column = lexer->column;
	if (!read_token(lexer, err))
		return false;
	lexer->token.length = (size_t)(lexer->at - lexer->token.at);
	return true;
}
