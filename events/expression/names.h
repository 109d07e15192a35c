/* Resolves names in expressions: variables, and fields of the event. */
#pragma once

#include "events/expression/lexer.h"
#include "events/expression/tree.h"

/*
 * Sets the node for a name. An array field becomes SPROF_EXPRESSION_ELEMENT; the caller sets its
 * operand. `scope` NULL: an expression over a key. Returns false if the name is unknown; the hint
 * lists the valid names.
 */
SPROF_MUST_USE bool sprof_expression_name_find(const struct sprof_token *name,
	const struct sprof_trace_scope *scope, struct sprof_expression_node *node,
	struct sprof_error *err);
