/*
 * Setters for the kinds of values that options have; see sprof_option_setter. The field's type is
 * named in the comment of each.
 */
#ifndef SPROF_CMD_VALUES_H
#define SPROF_CMD_VALUES_H

#include "cmd/command.h"

/* bool: true once the option was given. */
bool sprof_value_flag(void *field, const char *text, struct sprof_error *err);
/* const char *: the text itself, which lives as long as the command line. */
bool sprof_value_text(void *field, const char *text, struct sprof_error *err);
/* pid_t, above 0. */
bool sprof_value_pid(void *field, const char *text, struct sprof_error *err);
/* double, in Hz: above 0, at most 10000. */
bool sprof_value_rate(void *field, const char *text, struct sprof_error *err);
/* double: a share above 0 and at most 1, of a number of percent. */
bool sprof_value_percentage(void *field, const char *text, struct sprof_error *err);
/* uint64_t, in ns. */
bool sprof_value_time(void *field, const char *text, struct sprof_error *err);
/* The same, but not 0. */
bool sprof_value_duration(void *field, const char *text, struct sprof_error *err);
/* size_t, at least 1 and at most a million. */
bool sprof_value_count(void *field, const char *text, struct sprof_error *err);
/* enum sprof_mode. */
bool sprof_value_mode(void *field, const char *text, struct sprof_error *err);
/* enum sprof_report_mode. */
bool sprof_value_report_mode(void *field, const char *text, struct sprof_error *err);

#endif
