/*
 * The standard streams while the screen of sprof top has the terminal.
 *
 * What the program and sprof itself write to the terminal is kept in memory, and appears when the
 * screen has gone. Streams that are no terminal stay as they are. The program writes to a file in
 * memory: nothing changes for it when sprof is killed.
 */
#ifndef SPROF_CMD_TOP_OUTPUT_H
#define SPROF_CMD_TOP_OUTPUT_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "base/error.h"

struct sprof_top_output {
	int kept;     /* the file in memory; -1: no stream goes there */
	int saved[3]; /* the streams as they were; -1: unchanged */
	off_t shown;  /* what has been dropped or shown of the file */
	bool follows;
	pthread_t thread; /* follows the file once the terminal is free */
	int quit;         /* an eventfd that ends it */
};

/* with_input: the program's stdin would be the terminal, whose keys are the screen's: it gets none. */
SPROF_MUST_USE bool sprof_top_output_begin(
	struct sprof_top_output *output, bool with_input, struct sprof_error *err);

/* Now and then: drops what is more than anybody wants to read. */
void sprof_top_output_trim(struct sprof_top_output *output);

/* The screen has gone: shows what was kept, and from now on what comes. Once only. */
void sprof_top_output_show(struct sprof_top_output *output);

/* Shows the rest. */
void sprof_top_output_finish(struct sprof_top_output *output);

#endif
