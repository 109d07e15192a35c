/*
 * Private to output/: the page's data block, and what the build embeds of output/web/.
 *
 * The block is one JSON object. Tables are flat lists of numbers that refer to each other by index,
 * because that is what a browser reads fastest. Those that grow with the profile are PACKED: a string
 * in which a number is its digits of 5 bits, the lowest first, each one of the 64 letters of base64,
 * with 32 added to all but the last.
 *
 *   version    2
 *   command    what was run, or null; start_ms: when, ms since 1970, 0: unknown; weight: the one to
 *              show; base_threads: of a difference, threads below this one are what is compared
 *              with; absolute: their weight is not scaled to that of the others
 *   quality    as --stats writes it
 *   strings    all names, cleaned: valid UTF-8 without control characters
 *   modules    string (path) of each
 *   functions  string, module or -1, string of the file or -1, line or 0: 4 per function
 *   frames     function, 2 * line + (1 if inlined): 2 per frame
 *   nodes      packed: distance to the parent's index, frame: 2 per node. The prefix tree of stacks,
 *              parents first; node 0 is the empty stack and not listed
 *   processes  pid, strings of name, host and rank (or -1): 4 per process
 *   threads    process, tid, string: 3 per thread
 *   contexts   state (of enum sprof_state; 5: not known), what a blocked one waits for (0: other
 *              things, 1: input or output, 2: a lock), strings of the system call, of the object and of
 *              who holds the lock, or -1: 5 per context
 *   rows       packed, one per thread: distance to the row before's node, context, samples, ns of user,
 *              sys, runq, wait, stolen: 8 per row; 9 with a `value`
 *   answer     a sentence for each program that mattered (output/summary.h); idle_ns: time of threads
 *              that waited for work
 *   gaps       module, addresses without a name, samples with one, why and what would help (text or
 *              null): 5 per module
 *
 * Optional; without one its part of the page is hidden:
 *
 *   value      name and unit of what another tool's file counts
 *   timeline   unit: ns, in which its times are; cut: ns of the run after which there was no room for
 *              more, if there wasn't; threads: packed, one per thread: how long a run lasts,
 *              which of the thread's rows it is of plus 1, samples, which lie evenly in it: 3 per run.
 *              The first begins with the run of the program; row 0: the thread was not sampled
 *
 * Numbers are whole. Browsers count in doubles: exact up to 2^53, which is 104 days in ns.
 */
#ifndef SPROF_OUTPUT_HTML_H
#define SPROF_OUTPUT_HTML_H

#include <stdbool.h>

#include "base/error.h"
#include "base/idmap.h"
#include "output/format.h"

/* A row of the profile and where it is on the page. */
struct sprof_html_place {
	uint32_t thread, node, context, row;
};

struct sprof_html {
	const struct sprof_profile *profile;
	struct sprof_out *out;
	const char **strings; /* the profile's own pointers: equal text, equal pointer */
	size_t string_count, string_capacity;
	struct sprof_idmap string_ids; /* (0, pointer) */
	struct sprof_idmap frame_ids;  /* (function, 2 * line + inlined) */
	uint32_t *frames;              /* by line of the profile */
	struct sprof_idmap node_ids;   /* (parent, frame) */
	uint32_t *nodes;               /* by stack: the node of its innermost frame */
	uint32_t node_count;
	struct sprof_html_place *places;
	uint32_t *rows; /* by row of the profile: the number of the page's row of that thread */
};

/* A number in front of a comma or behind it; -1 for an index that isn't there; a packed one. */
void sprof_html_number(const struct sprof_html *html, bool comma, uint64_t number);
void sprof_html_index(const struct sprof_html *html, bool comma, uint32_t index);
void sprof_html_packed(const struct sprof_html *html, uint64_t number);
/* The place of a text in the strings; SPROF_PROFILE_NONE of NULL. */
uint32_t sprof_html_string(const struct sprof_html *html, const char *text);

/* Contexts and rows, and what refers to them. */
void sprof_html_write_rows(struct sprof_html *html);
/* False: no memory. */
bool sprof_html_write_timeline(struct sprof_html *html);

/*
 * Writes the block, safe inside of a <script> element and anywhere else in HTML: it holds no '<',
 * '>' or '&'. False: no memory.
 */
bool sprof_html_write_data(const struct sprof_profile *profile,
	const struct sprof_output_options *options, struct sprof_out *out, struct sprof_error *err);

/* The page before and behind its data; the style and the script of a flame graph that is an SVG. */
extern const char sprof_web_page_head[], sprof_web_page_tail[];
extern const char sprof_web_flame_style[], sprof_web_flame_script[];

/* A string with its quotes, cleaned, that no tag can be in. False: no memory. */
bool sprof_html_put_string(const struct sprof_html *html, const char *text);

/* What the summary says of the programs. False: no memory. */
bool sprof_html_write_answer(const struct sprof_html *html, struct sprof_error *err);

#endif
