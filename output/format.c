/*
 * The table of formats and its lookups. A new format is a file that defines its row, and a line
 * here.
 */
#include "output/format.h"

#include <string.h>

static const struct sprof_format *const formats[] = {
	&sprof_format_text,
	&sprof_format_folded,
};

struct sprof_output_options sprof_output_options_default(void)
{
	return (struct sprof_output_options){
		.weight = SPROF_WEIGHT_WALL,
		.report_mode = SPROF_REPORT_MERGED,
		.top = 30,
		.min_percent = 0.5,
		.width = 100,
	};
}

const struct sprof_format *sprof_format_at(size_t index)
{
	return index < sizeof(formats) / sizeof(formats[0]) ? formats[index] : NULL;
}

const struct sprof_format *sprof_format_by_name(const char *name)
{
	const struct sprof_format *format;

	for (size_t i = 0; (format = sprof_format_at(i)); i++) {
		if (strcmp(format->name, name) == 0)
			return format;
	}
	return NULL;
}

static bool ends_with(const char *text, const char *suffix)
{
	size_t length = strlen(text), tail = strlen(suffix);

	return length >= tail && strcmp(text + length - tail, suffix) == 0;
}

const struct sprof_format *sprof_format_by_path(const char *path)
{
	const struct sprof_format *best = NULL, *format;

	for (size_t i = 0; (format = sprof_format_at(i)); i++) {
		if (ends_with(path, format->suffix) &&
			(!best || strlen(format->suffix) > strlen(best->suffix)))
			best = format;
	}
	return best;
}
