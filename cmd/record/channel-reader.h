/*
 * Reads the lines of --control in a separate thread and answers them.
 *
 * The reader passes one line at a time to the sampling thread: it raises SIGIO, for which that
 * thread waits, and continues when the line has been executed. So no line is lost.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>

#include "base/attributes.h"
#include "base/error.h"
#include "cmd/record/channel.h"

enum { SPROF_LINE_MAX = 64 }; /* longer lines are unknown words */

struct sprof_channel_reader {
	struct sprof_channel channel;
	pthread_t thread;
	int quit[2]; /* a pipe; writing a byte ends the thread */

	/* Private to the thread. */
	char line[SPROF_LINE_MAX];
	size_t length; /* may exceed the buffer */
	bool has_complained;

	/* Shared, protected by the mutex. */
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	enum sprof_line waiting; /* next line to take; EMPTY: none */
	bool is_taken;           /* a line is being executed */
	bool is_over;            /* lines are no longer executed */
};

/* SIGIO must be blocked in all threads. */
SPROF_MUST_USE bool sprof_channel_reader_start(struct sprof_channel_reader *reader,
	const struct sprof_channel *channel, struct sprof_error *err);

/* Call on SIGIO: returns the line; EMPTY: none. */
enum sprof_line sprof_channel_reader_take(struct sprof_channel_reader *reader);
/* The line taken has been executed: sends the answer. */
void sprof_channel_reader_done(struct sprof_channel_reader *reader);
/* From now on, lines are answered but not executed. */
void sprof_channel_reader_end(struct sprof_channel_reader *reader);

/* Ends the thread. */
void sprof_channel_reader_finish(struct sprof_channel_reader *reader);
