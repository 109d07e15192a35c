/* Shared by the tables of sprof annotate: figures and sanitised texts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cmd/annotate/annotate.h"
#include "cmd/cli/terminal.h"
#include "output/clean.h"
#include "output/fit.h"
#include "output/units.h"

enum { LEAST_NAME = 16 };

uint64_t sprof_annotate_value(
	const struct sprof_annotate *annotate, const struct sprof_metrics *metrics)
{
	return sprof_metrics_get(metrics, annotate->weight);
}

void sprof_annotate_print_figure(
	const struct sprof_annotate *annotate, enum sprof_weight weight, uint64_t value)
{
	printf(" %9s", value ? sprof_figure_value(annotate->profile, weight, value).text : "");
}

void sprof_annotate_print_share(
	const struct sprof_annotate *annotate, const struct sprof_metrics *total)
{
	uint64_t value = sprof_annotate_value(annotate, total);

	if (value)
		printf("%6.2f %%",
			sprof_percent(value,
				sprof_annotate_value(annotate, &annotate->annotation.total)));
	else
		printf("%8s", "");
	sprof_annotate_print_figure(annotate, annotate->weight, value);
}

void sprof_annotate_print_function(const char *name, size_t parts)
{
	const size_t width = sprof_terminal_width(), room = width / parts;
	SPROF_AUTO_FREE char *fitted =
		sprof_fit_function(name, false, !width || room > LEAST_NAME ? room : LEAST_NAME);

	printf("%s", fitted ? fitted : "");
}

void sprof_annotate_print_clean(const char *text)
{
	SPROF_AUTO_FREE char *spaces = strdup(text);
	SPROF_AUTO_FREE char *clean = NULL;

	for (char *at = spaces; at && *at; at++)
		*at = *at == '\t' ? ' ' : *at;
	clean = spaces && *spaces ? sprof_clean_text(spaces, NULL) : NULL;
	printf("%s", clean ? clean : "");
}
