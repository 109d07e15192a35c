/*
 * The page: one file that shows the whole profile in a browser, without network or sprof. Its text,
 * style and script come from output/web/ and are embedded at build time (output/web/embed.py). A
 * content security policy contains the hashes of style and script, so nothing else can run, even if
 * a name escaped its quoting. This file writes the data in between.
 */
#include "output/html/html.h"

static bool write_html(const struct sprof_profile *profile,
	const struct sprof_output_options *options, struct sprof_out *out, struct sprof_error *err)
{
	sprof_out_puts(out, sprof_web_page_head);
	if (!sprof_html_write_data(profile, options, out, err))
		return false;
	sprof_out_puts(out, sprof_web_page_tail);
	return true;
}

const struct sprof_format sprof_format_html = {
	.name = "html",
	.suffix = ".html",
	.summary = "a page for the browser: flame graph, tables, source lines, quality",
	.compares = true,
	.write = write_html,
};
