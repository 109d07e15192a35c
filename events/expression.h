/*
 * Expressions over the fields of an event: filters, keys, roles, sizes, and how a key is printed.
 *
 * The operators are those of C, with C's precedence, without assignment and pointers. Integers have
 * 64 bits with a sign. Texts have == and !=, and ~ for a glob; ~ binds like <. Whatever C leaves open
 * is defined:
 * - sums, differences and products wrap around;
 * - a division by zero gives 0, and so does its remainder; INT64_MIN / -1 is INT64_MIN, remainder 0;
 * - a shift by a negative count gives 0. By 64 or more, << gives 0 and >> what is left of the sign;
 *   >> keeps the sign;
 * - && || ?: evaluate only what they need; the other operators their left side first.
 *
 * Names: the event's fields, `args[N]`, `_pid`, `_tid`, `_cpu`, `common_pid` (the thread, as in the
 * kernel's events). Of a key's expression: only `key`. Functions: `comm_get(TID)`,
 * `syscall_name(NUMBER)`, `sym(ADDRESS)`; of a key's expression also `printf(FORMAT, ...)`.
 */
#ifndef SPROF_EVENTS_EXPRESSION_H
#define SPROF_EVENTS_EXPRESSION_H

#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "events/call-fields.h"

struct sprof_expression;

/* A part of what the user wrote. `column` is that of its first character, from 1: errors name it. */
struct sprof_expression_text {
	const char *at; /* needs no end */
	size_t length;
	size_t column;
};

/*
 * Parses the text and checks that every name is known and every type fits. `scope` NULL: an
 * expression over a key. False: the error is SPROF_ERROR_USAGE and begins with "column N: ", or it
 * is SPROF_ERROR_NO_MEMORY.
 */
SPROF_MUST_USE bool sprof_expression_create(const struct sprof_expression_text *text,
	const struct sprof_trace_scope *scope, struct sprof_expression **ret,
	struct sprof_error *err);

/* NULL is accepted. */
void sprof_expression_destroy(struct sprof_expression *expression);

enum sprof_trace_kind sprof_expression_kind(const struct sprof_expression *expression);

/* Whether its value is the id of a thread, or of a process, as it is: "_tid", "next_pid". */
bool sprof_expression_is_tid(const struct sprof_expression *expression);

/*
 * What the functions of the language ask. Each may be NULL, or give NULL for "unknown": the text is
 * then empty. A text lives until the evaluation has ended.
 */
struct sprof_expression_lookup {
	const char *(*comm)(void *context, pid_t tid);
	const char *(*syscall)(void *context, int64_t number);
	const char *(*symbol)(void *context, pid_t pid, uint64_t address);
	void *context;
};

/* What one evaluation works on. */
struct sprof_expression_frame {
	const struct sprof_trace_event *event;        /* NULL for an expression over a key */
	const struct sprof_expression_lookup *lookup; /* may be NULL */
	int64_t key;
	char *out;         /* what printf() writes to, cut to the size; NULL: nowhere */
	size_t out_size;   /* with the NUL */
	size_t out_length; /* of what would have been written, as for snprintf(3) */
};

/* Of an expression of kind integer. No allocation, no side effect except printf(). */
int64_t sprof_expression_integer(
	const struct sprof_expression *expression, struct sprof_expression_frame *frame);

/*
 * Whether an expression over raw_syscalls:* or syscalls:* can be other than 0 for a call with this
 * number. False is certain; true is not.
 */
bool sprof_expression_may_hold(const struct sprof_expression *expression, int64_t number,
	const struct sprof_expression_lookup *lookup);

/* Writes what the expression prints to frame->out or, if it prints nothing, its value. */
void sprof_expression_print(
	const struct sprof_expression *expression, struct sprof_expression_frame *frame);

#endif
