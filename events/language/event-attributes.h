/* The attributes of an event in -e, one table row each. */
#pragma once

#include "events/language/event-list.h"

/* Parses and sets one attribute, "key=fd" or "stack". */
SPROF_MUST_USE bool sprof_event_attribute_apply(struct sprof_event_item *item,
	const struct sprof_expression_text *text, struct sprof_error *err);

/* Parses and sets the filter; for `profile`, the rate. */
SPROF_MUST_USE bool sprof_event_filter_apply(struct sprof_event_item *item,
	const struct sprof_expression_text *text, struct sprof_error *err);

/* Parses an integer expression; `what` names its purpose in the error message. */
SPROF_MUST_USE bool sprof_event_number_expression(const struct sprof_expression_text *text,
	const struct sprof_event_item *item, const char *what, struct sprof_expression **ret,
	struct sprof_error *err);
