/*
 * What a name in an expression means: a variable, or a field of the event.
 */
#ifndef SPROF_EVENTS_EXPRESSION_NAMES_H
#define SPROF_EVENTS_EXPRESSION_NAMES_H

#include "events/expression-lexer.h"
#include "events/expression-tree.h"

/*
 * Fills the node for a name. Of an array this is SPROF_EXPRESSION_ELEMENT, whose operand is the
 * caller's. `scope` NULL: a key's expression. False: there is no such name; the hint lists those
 * that there are.
 */
SPROF_MUST_USE bool sprof_expression_name_find(const struct sprof_token *name,
	const struct sprof_trace_scope *scope, struct sprof_expression_node *node,
	struct sprof_error *err);

#endif
