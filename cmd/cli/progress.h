/* A message on a terminal about work that takes longer than a second. */
#pragma once

/* NULL: no message. */
struct sprof_progress;

/* Copies the text ("naming 1234 places"). End it with the function below, which accepts NULL. */
struct sprof_progress *sprof_progress_begin(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
void sprof_progress_end(struct sprof_progress *progress);
