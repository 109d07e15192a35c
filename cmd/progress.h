/*
 * What takes longer than a second is said, on a terminal; what doesn't is not.
 */
#ifndef SPROF_CMD_PROGRESS_H
#define SPROF_CMD_PROGRESS_H

/* NULL: nothing will be said. */
struct sprof_progress;

/* The words, "naming 1234 places", are copied. Ended by the one below, which accepts NULL. */
struct sprof_progress *sprof_progress_begin(const char *format, ...) __attribute__((format(printf, 1, 2)));
void sprof_progress_end(struct sprof_progress *progress);

#endif
