/*
 * Expressions over the fields of an event: for filters, keys, roles, sizes and printing keys.
 *
 * The operators are those of C, with C's precedence, without assignment and pointers. Integers are
 * signed 64-bit. Texts have ==, != and ~ (glob match; precedence of <). What C leaves undefined is
 * defined here:
 * - sums, differences and products wrap around;
 * - division and remainder by a value that is zero give 0 (a written zero is an error);
 *   INT64_MIN / -1 is INT64_MIN, remainder 0;
 * - a shift by a negative count gives 0. By 64 or more, << gives 0 and >> gives 0 or -1; >> is
 * arithmetic;
 * - && || ?: short-circuit; other operators evaluate their left side first.
 *
 * Names: the event's fields, `args[N]`, `_pid`, `_tid`, `_cpu`, `common_pid` (the thread, as in the
 * kernel's events). Expressions over a key have only `key`. Functions: `comm_get(TID)`,
 * `syscall_name(NUMBER)`, `sym(ADDRESS)`; expressions over a key also have `printf(FORMAT, ...)`.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "events/syscalls/fields.h"

struct sprof_expression;

/*
 * A part of the user's text. `column` is the position of its first character, from 1, for error
 * messages.
 */
struct sprof_expression_text {
	const char *at; /* not NUL-terminated */
	size_t length;
	size_t column;
};

/*
 * Parses the text and checks names and types. `scope` NULL: an expression over a key. On false, the
 * error is SPROF_ERROR_USAGE and begins with "column N: ", or it is SPROF_ERROR_NO_MEMORY.
 */
SPROF_MUST_USE bool sprof_expression_create(const struct sprof_expression_text *text,
	const struct sprof_trace_scope *scope, struct sprof_expression **ret,
	struct sprof_error *err);

/* NULL is accepted. */
void sprof_expression_destroy(struct sprof_expression *expression);

enum sprof_trace_kind sprof_expression_kind(const struct sprof_expression *expression);

/*
 * Whether the expression is just a field that contains a tid or pid, such as "_tid" or "next_pid".
 */
bool sprof_expression_is_tid(const struct sprof_expression *expression);
/* Whether it uses such a field. */
bool sprof_expression_has_tid(const struct sprof_expression *expression);
bool sprof_expression_has_cpu(const struct sprof_expression *expression);

/*
 * Callbacks for the language's functions. Each may be NULL or return NULL for "unknown", which
 * gives an empty text. Returned texts must stay valid until the evaluation ends.
 */
struct sprof_expression_lookup {
	const char *(*comm)(void *context, pid_t tid);
	const char *(*syscall)(void *context, int64_t number);
	const char *(*symbol)(void *context, pid_t pid, uint64_t address);
	void *context;
};

/* The input and output of one evaluation. */
struct sprof_expression_frame {
	const struct sprof_trace_event *event;        /* NULL for an expression over a key */
	const struct sprof_expression_lookup *lookup; /* may be NULL */
	int64_t key;
	char *out;         /* buffer for printf() output, cut to out_size; may be NULL */
	size_t out_size;   /* including the NUL */
	size_t out_length; /* untruncated length, as for snprintf(3) */
};

/* Evaluates an expression of kind integer. No allocation, no side effect except printf(). */
int64_t sprof_expression_integer(
	const struct sprof_expression *expression, struct sprof_expression_frame *frame);

/*
 * Whether an expression over raw_syscalls:* or syscalls:* can be nonzero for a call with this
 * number. False is certain; true may be wrong.
 */
bool sprof_expression_may_hold(const struct sprof_expression *expression, int64_t number,
	const struct sprof_expression_lookup *lookup);

/* Writes the printf() output to frame->out or, if there is none, the value. */
void sprof_expression_print(
	const struct sprof_expression *expression, struct sprof_expression_frame *frame);
