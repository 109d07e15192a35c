/*
 * The standard streams while sprof top uses the terminal.
 *
 * Output of the program and of sprof to the terminal is kept in memory and shown when the screen
 * closes. Streams that are not terminals are unchanged. The program writes to a memory file, so it
 * is unaffected if sprof is killed.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "base/error.h"

struct sprof_top_output {
	int kept;     /* the memory file; -1: none */
	int saved[3]; /* the original streams; -1: unchanged */
	off_t shown;  /* bytes of the file dropped or shown */
	bool follows;
	pthread_t thread; /* follows the file once the terminal is free */
	int quit;         /* an eventfd that ends the thread */
};

/*
 * with_input: the program's stdin would be the terminal, whose keys belong to the screen; replaces
 * it by /dev/null.
 */
SPROF_MUST_USE bool sprof_top_output_begin(
	struct sprof_top_output *output, bool with_input, struct sprof_error *err);

/* To be called now and then: drops the oldest output beyond a limit. */
void sprof_top_output_trim(struct sprof_top_output *output);

/* The screen has closed: shows the kept output, and from now on new output. Call it once. */
void sprof_top_output_show(struct sprof_top_output *output);

/* Shows the rest. */
void sprof_top_output_finish(struct sprof_top_output *output);
