/* The functions of the expression language, and the check of their arguments. */
#pragma once

#include "events/expression/lexer.h"
#include "events/expression/tree.h"

/* Sets the node's operation and kind. `prints`: printf() is allowed. Returns false if there is no
 * such function. */
SPROF_MUST_USE bool sprof_expression_function_find(const struct sprof_token *name, bool prints,
	struct sprof_expression_node *node, struct sprof_error *err);

/*
 * Checks the chain of arguments that begins with node `first`, and sets the operands and the
 * format.
 */
SPROF_MUST_USE bool sprof_expression_function_check(const struct sprof_expression *expression,
	const struct sprof_token *name, uint32_t first, struct sprof_expression_node *node,
	struct sprof_error *err);
