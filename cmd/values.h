/*
 * Setters for the values of options; see sprof_option_setter. Each comment names the field's type.
 */
#ifndef SPROF_CMD_VALUES_H
#define SPROF_CMD_VALUES_H

#include "base/attributes.h"
#include "cmd/command.h"
#include "events/recorded-events.h"

/* bool: true once the option was given. */
bool sprof_value_flag(void *field, const char *text, struct sprof_error *err) SPROF_MUST_USE;
/* const char *: the text itself, which lives as long as the command line. */
bool sprof_value_text(void *field, const char *text, struct sprof_error *err) SPROF_MUST_USE;
/* pid_t, above 0. */
bool sprof_value_pid(void *field, const char *text, struct sprof_error *err) SPROF_MUST_USE;
/* double, in Hz: above 0, at most 10000. */
bool sprof_value_rate(void *field, const char *text, struct sprof_error *err) SPROF_MUST_USE;
/* double: a share above 0 and at most 1, from a percentage. */
bool sprof_value_percentage(void *field, const char *text, struct sprof_error *err) SPROF_MUST_USE;
/* uint64_t, in ns. */
bool sprof_value_time(void *field, const char *text, struct sprof_error *err) SPROF_MUST_USE;
/* The same, but not 0. */
bool sprof_value_duration(void *field, const char *text, struct sprof_error *err) SPROF_MUST_USE;
/* uint64_t, in ns: a number with one of the units s, ms, us, ns; above 0. */
bool sprof_value_latency(void *field, const char *text, struct sprof_error *err) SPROF_MUST_USE;
/* uint64_t, in ns: a whole number of milliseconds above 0. */
bool sprof_value_milliseconds(
	void *field, const char *text, struct sprof_error *err) SPROF_MUST_USE;
/* size_t, at least 1 and at most a million. */
bool sprof_value_count(void *field, const char *text, struct sprof_error *err) SPROF_MUST_USE;
/* enum sprof_mode. */
/*
 * One of the names of a table that ends with NULL: its index. The error lists them.
 */
bool sprof_value_choice(const char *const names[], const char *text, unsigned *ret,
	struct sprof_error *err) SPROF_MUST_USE;
bool sprof_value_mode(void *field, const char *text, struct sprof_error *err) SPROF_MUST_USE;
/* enum sprof_report_mode. */
bool sprof_value_report_mode(void *field, const char *text, struct sprof_error *err) SPROF_MUST_USE;

/* enum sprof_source_request */
SPROF_MUST_USE bool sprof_value_source(void *field, const char *text, struct sprof_error *err);

#endif
