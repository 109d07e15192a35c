/* Private to output/: JSON, plain or compressed. Writers put brackets and commas as text. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "output/gzip.h"
#include "output/out.h"

struct sprof_json {
	struct sprof_out *out;
	struct sprof_gzip *gzip; /* NULL: not compressed */
};

/* Returns false if out of memory. */
bool sprof_json_open(struct sprof_json *json, struct sprof_out *out, bool pack);
void sprof_json_close(struct sprof_json *json);

/* Writes the text verbatim. */
void sprof_json_text(struct sprof_json *json, const char *text);
void sprof_json_format(struct sprof_json *json, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void sprof_json_number(struct sprof_json *json, uint64_t number);
/* A quoted string; invalid UTF-8 becomes U+FFFD. NULL: null. */
void sprof_json_string(struct sprof_json *json, const char *text);
/* A sanitised string: control characters become '?'. */
void sprof_json_name(struct sprof_json *json, const char *text);
/* Write `before` verbatim, such as ",\"name\":", then the string. */
void sprof_json_member_string(struct sprof_json *json, const char *before, const char *text);
void sprof_json_member_name(struct sprof_json *json, const char *before, const char *text);
/* Writes a comma, except before the first item. */
void sprof_json_comma(struct sprof_json *json, bool *first);
