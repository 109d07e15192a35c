/*
 * The table of formats and its lookups. A new format is a file that defines its row, and a line
 * here.
 */
#include "output/format.h"

#include <string.h>

#include "base/strings.h"

static const struct sprof_format *const formats[] = {
	&sprof_format_text,
	&sprof_format_summary,
	&sprof_format_pprof,
	&sprof_format_folded,
	&sprof_format_html,
	&sprof_format_svg,
	&sprof_format_speedscope,
	&sprof_format_firefox,
	&sprof_format_perf,
	&sprof_format_callgrind,
	&sprof_format_gmon,
	&sprof_format_dot,
	&sprof_format_png,
	&sprof_format_chrome,
	&sprof_format_json,
};

struct sprof_output_options sprof_output_options_default(void)
{
	return (struct sprof_output_options){
		.weight = SPROF_WEIGHT_WALL,
		.report_mode = SPROF_REPORT_MERGED,
		.top = 30,
		.min_percent = -1,
		.width = 100,
		.nodes = 80,
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

/* The number of characters of the path that a suffix or whole file name matches; 0: no match. */
static size_t fits(const char *path, const char *suffix)
{
	const char *name = sprof_string_file_name(path);
	size_t length = strlen(path), tail = strlen(suffix);

	if (suffix[0] != '.' && suffix[tail - 1] == '*')
		return strncmp(name, suffix, tail - 1) == 0 ? tail - 1 : 0;
	if (suffix[0] != '.')
		return strcmp(name, suffix) == 0 ? tail : 0;
	return length >= tail && strcmp(path + length - tail, suffix) == 0 ? tail : 0;
}

const struct sprof_format *sprof_format_by_path(const char *path)
{
	const struct sprof_format *found = NULL, *format;
	size_t best = 0;

	for (size_t i = 0; (format = sprof_format_at(i)); i++) {
		const char *const suffixes[] = {format->suffix, format->other_suffix};

		for (size_t k = 0; k < 2; k++) {
			size_t length = suffixes[k] ? fits(path, suffixes[k]) : 0;

			if (length > best) {
				best = length;
				found = format;
			}
		}
	}
	return found;
}
