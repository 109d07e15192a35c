/*
 * The tokens of an expression.
 */
#pragma once

#include "events/expression/expression.h"

/* All other operators are represented by their character. */
enum sprof_token_kind {
	SPROF_TOKEN_END = 256,
	SPROF_TOKEN_NUMBER,
	SPROF_TOKEN_TEXT,
	SPROF_TOKEN_NAME,
	SPROF_TOKEN_SHIFT_LEFT,
	SPROF_TOKEN_SHIFT_RIGHT,
	SPROF_TOKEN_LESS_EQUAL,
	SPROF_TOKEN_GREATER_EQUAL,
	SPROF_TOKEN_EQUAL,
	SPROF_TOKEN_NOT_EQUAL,
	SPROF_TOKEN_AND,
	SPROF_TOKEN_OR,
};

struct sprof_token {
	int kind;
	const char *at; /* start in the source text */
	size_t length;
	size_t column;
	int64_t number;   /* NUMBER */
	const char *text; /* TEXT: unquoted and unescaped */
};

struct sprof_lexer {
	const char *at, *end;
	size_t column;
	char *texts; /* buffer for texts, owned by the caller; as large as the source text */
	struct sprof_token token; /* the current one */
};

/* Reads the next token. On false, the error has the column. */
SPROF_MUST_USE bool sprof_lexer_next(struct sprof_lexer *lexer, struct sprof_error *err);
