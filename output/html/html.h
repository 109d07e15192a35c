/*
 * Private to output/: the page's data block, and the files of output/web/ embedded by the build.
 *
 * The block is one JSON object. Tables are flat lists of numbers that refer to each other by index,
 * because browsers read that fastest. Tables that grow with the profile are PACKED into a string: a
 * number is a sequence of 5-bit digits, least significant first. Each digit is a base64 letter; all
 * digits except the last have 32 added.
 *
 *   version    3
 *   command    what was run, or null; start_ms: when, ms since 1970, 0: unknown; weight: the one to
 *              show; base_threads: in a difference, threads below this number are the base;
 *              absolute: the base's weight is not scaled to the weight of the others
 *   quality    as --stats writes it
 *   strings    all names, cleaned: valid UTF-8 without control characters
 *   modules    string (path) of each
 *   functions string, module or -1, string of the file or -1, line or 0: 4 per function
 *   frames     function, 4 * line + mark (1 inlined, 2 tail call, 3 tail call?): 2 per frame
 *   nodes      packed: distance to the parent's index, frame: 2 per node. The prefix tree of
 *              stacks, parents first; node 0 is the empty stack and not listed
 *   processes pid, strings of name, host and rank (or -1): 4 per process
 *   threads    process, tid, string: 3 per thread
 *   contexts   state (enum sprof_state; 5: unknown), what a blocked thread waits for (0: other
 *              things, 1: input or output, 2: a lock, 3: work; 4 more: idle all the same, because
 *              another process gives it work), strings of the system call, the object and the
 *              lock's holder, or -1: 5 per context
 *   rows       packed, one per thread: distance to the previous row's node, context, the function
 *              that its time is charged to plus 1 (profile/classify/own-place.h; 0: none),
 *              samples, ns of user, sys, runq, wait, stolen: 9 per row; 10 with a `value`
 *   answer     the sentences of the verdict (output/summary/summary.h); idle_ns: time of threads
 *              that waited for work, 0 if all did; own: function, tenths of a percent of the time
 *              that the answer is of: 2 per function of the answer
 *   gaps       module, addresses without a name, samples with such an address, reason and remedy
 *              (text or null): 5 per module
 *
 * Optional members; without one, the page hides the corresponding part:
 *
 *   value      name and unit of what another tool's file counts
 *   timeline   unit of its times, in ns; cut, optional: ns of the run after which it had no more
 *              room; threads: packed, one per thread: a run's duration, the number of its row in
 *              the thread plus 1, its samples, which are spread evenly: 3 per run. The first run
 *              begins when the program does; row 0: the thread was not sampled
 *
 * Numbers are integers. Browsers use doubles, exact up to 2^53, which is 104 days in ns.
 */
#pragma once

#include <stdbool.h>

#include "base/attributes.h"
#include "base/error.h"
#include "base/interned.h"
#include "output/format.h"

/* A profile row and its page row. */
struct sprof_html_place {
	uint32_t thread, node, context, row;
};

struct sprof_html {
	const struct sprof_profile *profile;
	enum sprof_weight weight;
	struct sprof_out *out;
	const char **strings; /* the profile's pointers: equal texts are equal pointers */
	size_t string_count, string_capacity;
	struct sprof_idmap string_ids; /* (0, pointer) */
	struct sprof_idmap frame_ids;  /* (function, 4 * line + mark) */
	uint32_t *frames;              /* by line of the profile */
	struct sprof_idmap node_ids;   /* (parent, frame) */
	uint32_t *nodes;               /* by stack: index of its innermost frame's node */
	uint32_t node_count;
	struct sprof_html_place *places;
	uint32_t *rows; /* by profile row: index of its page row within the thread */
};

/* Write a number with a comma before or after it; an index, -1 if absent; a packed number. */
void sprof_html_number(const struct sprof_html *html, bool comma, uint64_t number);
void sprof_html_index(const struct sprof_html *html, bool comma, uint32_t index);
void sprof_html_packed(const struct sprof_html *html, uint64_t number);
/* The text's index in `strings`; SPROF_PROFILE_NONE for NULL. */
uint32_t sprof_html_string(const struct sprof_html *html, const char *text);

/* Writes contexts and rows. Returns false if out of memory. */
bool sprof_html_write_rows(struct sprof_html *html);
/* Returns false if out of memory. */
bool sprof_html_write_timeline(struct sprof_html *html);

/*
 * Writes the block. It contains no '<', '>' or '&', so it is safe in a <script> element and
 * elsewhere in HTML. Returns false if out of memory.
 */
SPROF_MUST_USE bool sprof_html_write_data(const struct sprof_profile *profile,
	const struct sprof_output_options *options, struct sprof_out *out, struct sprof_error *err);

/* The page before and after its data; the style and script of an SVG flame graph. */
extern const char sprof_web_page_head[], sprof_web_page_tail[];
extern const char sprof_web_flame_style[], sprof_web_flame_script[];

/* Writes a sanitised, quoted string, which can't contain a tag. Returns false if out of memory. */
bool sprof_html_put_string(const struct sprof_html *html, const char *text);

/* Writes the summary's sentences about the programs. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_html_write_answer(const struct sprof_html *html, struct sprof_error *err);
