/*
 * Reads the lines of --control beside the run, in a thread of its own, and answers them.
 *
 * One line at a time is handed to the thread that samples: the reader raises SIGIO, which that thread
 * waits for, and reads on once the line is done. So no line is lost, however fast they come.
 */
#ifndef SPROF_CMD_CHANNEL_READER_H
#define SPROF_CMD_CHANNEL_READER_H

#include <pthread.h>
#include <stdbool.h>

#include "base/attributes.h"
#include "base/error.h"
#include "cmd/channel.h"

enum { SPROF_LINE_MAX = 64 }; /* longer ones are unknown */

struct sprof_channel_reader {
	struct sprof_channel channel;
	pthread_t thread;
	int quit[2]; /* a pipe; a byte in it ends the thread */

	/* Of the thread alone. */
	char line[SPROF_LINE_MAX];
	size_t length; /* may be longer than what is kept */
	bool has_complained;

	/* Shared, under the mutex. */
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	enum sprof_line waiting; /* not taken yet; EMPTY: none */
	bool is_taken;           /* a line is being carried out */
	bool is_over;            /* nobody takes lines any more */
};

/* SIGIO is blocked in all threads. */
SPROF_MUST_USE bool sprof_channel_reader_start(struct sprof_channel_reader *reader,
	const struct sprof_channel *channel, struct sprof_error *err);

/* On SIGIO: the line; EMPTY: there is none. */
enum sprof_line sprof_channel_reader_take(struct sprof_channel_reader *reader);
/* The line that was taken, if any, is carried out: it is answered. */
void sprof_channel_reader_done(struct sprof_channel_reader *reader);
/* Nobody takes lines any more: from now on they are answered, but do nothing. */
void sprof_channel_reader_end(struct sprof_channel_reader *reader);

/* Ends the thread. */
void sprof_channel_reader_finish(struct sprof_channel_reader *reader);

#endif
