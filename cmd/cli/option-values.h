/*
 * Setters for the values of options; see sprof_option_setter. Each comment names the field's type.
 */
#pragma once

#include "base/attributes.h"
#include "cmd/cli/command.h"
#include "events/pairs/details.h"
#include "events/recorded/events.h"

/* bool: set to true. */
bool sprof_value_flag(void *field, const char *text, struct sprof_error *err) SPROF_MUST_USE;
/*
 * Any field, which stays unchanged: an option of another tool for something that sprof always does.
 */
bool sprof_value_ignored(void *field, const char *text, struct sprof_error *err) SPROF_MUST_USE;
/* const char *: the text itself, which is never freed. */
bool sprof_value_text(void *field, const char *text, struct sprof_error *err) SPROF_MUST_USE;
/* pid_t, positive. */
bool sprof_value_pid(void *field, const char *text, struct sprof_error *err) SPROF_MUST_USE;
/* double, in Hz: positive, at most 10000. */
bool sprof_value_rate(void *field, const char *text, struct sprof_error *err) SPROF_MUST_USE;
/* double: a fraction above 0 and at most 1, from a percentage. */
bool sprof_value_percentage(void *field, const char *text, struct sprof_error *err) SPROF_MUST_USE;
/* uint64_t, in ns. */
bool sprof_value_time(void *field, const char *text, struct sprof_error *err) SPROF_MUST_USE;
/* The same, but not 0. */
bool sprof_value_duration(void *field, const char *text, struct sprof_error *err) SPROF_MUST_USE;
/* uint64_t, in ns: a positive number with one of the units s, ms, us, ns; without a unit, in ns. */
bool sprof_value_latency(void *field, const char *text, struct sprof_error *err) SPROF_MUST_USE;
/*
 * uint64_t, in ns: a duration with units. A whole number is in ms, as in perf-prof, and a message
 * says so.
 */
bool sprof_value_interval(void *field, const char *text, struct sprof_error *err) SPROF_MUST_USE;
/* Notes how values were read, once it is known whether sprof is quiet. */
void sprof_value_notes(void);
/* bool: false for "text", true for "json". */
bool sprof_value_json(void *field, const char *text, struct sprof_error *err) SPROF_MUST_USE;
/* size_t, from 1 to one million. */
bool sprof_value_count(void *field, const char *text, struct sprof_error *err) SPROF_MUST_USE;
/* What --detail shows of single pairs of events. */
struct sprof_detail {
	bool is_wanted;
	struct sprof_details_options how;
};
/* struct sprof_detail; NULL: all. */
SPROF_MUST_USE bool sprof_value_detail(void *field, const char *text, struct sprof_error *err);
/* A number of pages, of a ring of records: a size_t of bytes. */
bool sprof_value_ring_size(void *field, const char *text, struct sprof_error *err) SPROF_MUST_USE;
/*
 * The index of the text in a NULL-terminated table: *ret may be an enum that counts from 0. The
 * error lists all names.
 */
bool sprof_value_choice(const char *const names[], const char *text, void *ret,
	struct sprof_error *err) SPROF_MUST_USE;
/* A bool: whether the text is the second of two words. */
bool sprof_value_either(const char *first, const char *second, const char *text, void *field,
	struct sprof_error *err) SPROF_MUST_USE;
/* enum sprof_mode. */
bool sprof_value_mode(void *field, const char *text, struct sprof_error *err) SPROF_MUST_USE;
/* enum sprof_report_mode. */
bool sprof_value_report_mode(void *field, const char *text, struct sprof_error *err) SPROF_MUST_USE;

/* enum sprof_source_request */
SPROF_MUST_USE bool sprof_value_source(void *field, const char *text, struct sprof_error *err);
