/* Shared by the tables of sprof annotate: figures and sanitised texts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "output/annotate/annotate.h"
#include "output/clean.h"
#include "output/fit.h"
#include "output/units.h"

enum { LEAST_NAME = 16 };

uint64_t sprof_annotate_value(
	const struct sprof_annotate *annotate, const struct sprof_metrics *metrics)
{
	return sprof_metrics_get(metrics, annotate->weight);
}

const char *sprof_source_line(const struct sprof_source *source, uint32_t line)
{
	return line && line <= source->count ? source->lines[line - 1] : NULL;
}

void sprof_source_finish(struct sprof_source *source)
{
	free(source->path);
	free(source->text);
	free(source->lines);
	*source = (struct sprof_source){0};
}

void sprof_annotate_put_figure(const struct sprof_annotate *annotate, enum sprof_weight weight,
	const char *title, uint64_t value, struct sprof_row *row)
{
	sprof_row_text(row, title, 9,
		value ? sprof_figure_value(annotate->profile, weight, value).text : "");
}

void sprof_annotate_put_values(const struct sprof_annotate *annotate,
	const struct sprof_metrics *total, const struct sprof_metrics *self, struct sprof_row *row)
{
	const uint64_t whole = sprof_annotate_value(annotate, &annotate->annotation.total);
	const uint64_t value = sprof_annotate_value(annotate, total);
	char share[24] = "";

	if (value)
		snprintf(share, sizeof(share), "%.2f %%", sprof_percent(value, whole));
	sprof_row_text(row, "total%", 8, share);
	sprof_annotate_put_figure(annotate, annotate->weight, "total", value, row);
	sprof_annotate_put_figure(
		annotate, annotate->weight, "self", sprof_annotate_value(annotate, self), row);
}

void sprof_annotate_put_function(
	const struct sprof_annotate *annotate, const char *name, size_t parts)
{
	const size_t room = annotate->width / parts;
	SPROF_AUTO_FREE char *fitted = sprof_fit_function(
		name, false, !annotate->width || room > LEAST_NAME ? room : LEAST_NAME);

	sprof_out_puts(annotate->out, fitted ? fitted : "");
}

void sprof_annotate_put_clean(const struct sprof_annotate *annotate, const char *text)
{
	SPROF_AUTO_FREE char *spaces = strdup(text);
	SPROF_AUTO_FREE char *clean = NULL;

	for (char *at = spaces; at && *at; at++)
		*at = *at == '\t' ? ' ' : *at;
	clean = spaces && *spaces ? sprof_clean_text(spaces, NULL) : NULL;
	sprof_out_puts(annotate->out, clean ? clean : "");
}
