/* The lines of the summary: writes labels, breaks texts, and counts the remaining lines. */
#include "output/summary/summary.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "output/fit.h"

enum { ROWS = 5 /* of a table, at most */ };

/* ECMA-48, SGR. */
static const char faint[] = "\033[2m";

void sprof_summary_end_line(struct sprof_summary *summary)
{
	sprof_out_puts(summary->out, "\n");
	summary->is_behind_gap = false;
	if (summary->lines != SIZE_MAX && summary->lines)
		summary->lines--;
}

void sprof_summary_put_label(const struct sprof_summary *summary, const char *label)
{
	sprof_out_printf(summary->out, "%s%-*s%s", sprof_summary_style(summary, faint),
		SPROF_SUMMARY_MARGIN, label, sprof_summary_style(summary, SPROF_SUMMARY_PLAIN));
}

/* Whether the text continues with the unit of the figure before it. */
static bool is_unit(const char *text)
{
	static const char *const units[] = {"%", "ns", "us", "ms", "s", "B", "KiB", "MiB", "GiB"};
	const size_t length = strcspn(text, " ,;:.)");

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (sprof_string_is(text, length, units[i]))
			return true;
	}
	return false;
}

/*
 * The length of the text's first line: it ends at a blank before the width. A figure keeps its
 * unit.
 */
static size_t line_length(const char *text, size_t width)
{
	size_t at = 0, last = 0, characters = 0;

	for (; text[at]; at++) {
		characters += ((unsigned char)text[at] & 0xc0) != 0x80;
		if (characters > width + 1 || (characters == width + 1 && text[at] != ' '))
			return last ? last : at;
		if (text[at] == ' ' && !is_unit(text + at + 1))
			last = at;
	}
	return at;
}

void sprof_summary_put_text(
	struct sprof_summary *summary, const char *label, const char *text, size_t most)
{
	if (!text)
		sprof_out_fail(summary->out, ENOMEM);
	for (size_t i = 0; text && i < most && *text; i++) {
		size_t length = line_length(text, sprof_summary_room(summary));
		bool is_cut = i + 1 == most && text[length];
		SPROF_AUTO_FREE char *last =
			is_cut ? sprof_fit(text, sprof_summary_room(summary)) : NULL;

		if (is_cut && !last)
			sprof_out_fail(summary->out, ENOMEM);
		sprof_summary_put_label(summary, i ? "" : label);
		sprof_out_printf(summary->out, "%.*s",
			is_cut && last ? (int)strlen(last) : (int)length,
			is_cut && last ? last : text);
		sprof_summary_end_line(summary);
		text += length + (text[length] == ' ');
	}
}

size_t sprof_summary_count_lines(const struct sprof_summary *summary, const char *text)
{
	size_t count = 0;

	for (; *text; count++) {
		size_t length = line_length(text, sprof_summary_room(summary));

		text += length + (text[length] == ' ');
	}
	return count;
}

void sprof_summary_put_gap(struct sprof_summary *summary)
{
	if (!summary->is_airy || summary->is_behind_gap)
		return;
	sprof_summary_end_line(summary);
	summary->is_behind_gap = true;
}

size_t sprof_summary_rows_left(const struct sprof_summary *summary, size_t tables, size_t other)
{
	size_t rows = ROWS;

	if (summary->lines != SIZE_MAX)
		rows = summary->lines > other ? (summary->lines - other) / tables : 0;
	return rows > ROWS ? ROWS : rows;
}
