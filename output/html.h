/*
 * Private to output/: the page's data block, and what the build embeds of output/web/.
 *
 * The block is one JSON object. Tables are flat arrays of numbers that refer to each other by
 * index, because that is what a browser reads fastest:
 *
 *   version    1
 *   command    what was run, or null; start_ms: when, ms since 1970, 0: unknown; weight: the one to
 *              show; base_threads: of a difference, threads below this one are what is compared
 *              with; absolute: their weight is not scaled to that of the others
 *   quality    as --stats writes it
 *   strings    all names, cleaned: valid UTF-8 without control characters
 *   modules    string (path) of each
 *   functions  string, module or -1, string of the file or -1, line or 0: 4 per function
 *   frames     function, 2 * line + (1 if inlined): 2 per frame
 *   nodes      distance to the parent's index, frame: 2 per node. The prefix tree of stacks,
 *              parents first; node 0 is the empty stack and not listed
 *   processes  pid, strings of name, host and rank (or -1): 4 per process
 *   threads    process, tid, string: 3 per thread
 *   rows       per thread one array: distance to the row before's node, samples, ns of user, sys,
 *              runq, wait: 6 per row; 7 with a `value`
 *   gaps       module, addresses without a name, samples with one, why and what would help (text or
 *              null): 5 per module
 *
 * Optional; without one its part of the page is hidden:
 *
 *   value      name and unit of what another tool's file counts
 *   waits      thread, strings of system call and object or -1, node, samples, ns of wait, string of
 *              who holds the lock or -1: 7 per record
 *   timeline   per thread one array: ns from the end of the run before (the first: from the start),
 *              ns it lasted, state, node, samples: 5 per run. States are those of enum sprof_state,
 *              then 5: ready to run
 *
 * Numbers are whole. Browsers read them as doubles: exact up to 2^53, which is 104 days in ns.
 */
#ifndef SPROF_OUTPUT_HTML_H
#define SPROF_OUTPUT_HTML_H

#include <stdbool.h>

#include "output/format.h"

/*
 * Writes the block, safe inside of a <script> element and anywhere else in HTML: it holds no '<',
 * '>' or '&'. False: no memory.
 */
bool sprof_html_write_data(const struct sprof_profile *profile,
	const struct sprof_output_options *options, struct sprof_out *out, struct sprof_error *err);

/* The page before and behind its data; the style and the script of a flame graph that is an SVG. */
extern const char sprof_web_page_head[], sprof_web_page_tail[];
extern const char sprof_web_flame_style[], sprof_web_flame_script[];

#endif
