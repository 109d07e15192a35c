/*
 * The lines of the summary: writes their labels and counts the lines left on the screen.
 */
#include "output/summary.h"

/* ECMA-48, SGR. */
static const char faint[] = "\033[2m";

void sprof_summary_end_line(struct sprof_summary *summary)
{
	sprof_out_puts(summary->out, "\n");
	if (summary->lines != SIZE_MAX && summary->lines)
		summary->lines--;
}

void sprof_summary_put_label(const struct sprof_summary *summary, const char *label)
{
	sprof_out_printf(summary->out, "%s%-*s%s", sprof_summary_style(summary, faint),
		SPROF_SUMMARY_MARGIN, label, sprof_summary_style(summary, SPROF_SUMMARY_PLAIN));
}
