/*
 * Stops a thread and resumes it.
 */
#ifndef SPROF_ATTACH_RESUME_H
#define SPROF_ATTACH_RESUME_H

#include <stdbool.h>

#include "attach/thread.h"

/* Asks a RUNNING or LISTENING thread to stop; the stop comes as an event. False: the thread is
 * gone. */
SPROF_MUST_USE bool sprof_thread_interrupt(struct sprof_thread *thread);

/*
 * Resumes a STOPPED thread, with the signal it was stopped with and as far as its `resumption`
 * says. A thread that is gone is not an error.
 */
void sprof_thread_resume(struct sprof_thread *thread);
/* Resumes a thread for which a signal is pending: its next stop, at that signal, comes as an event as if
 * it was asked for. */
void sprof_thread_resume_to_signal(struct sprof_thread *thread);
/* Resumes a thread that must stop again: before it is back in its program, or in a group-stop. */
void sprof_thread_resume_to_stop(struct sprof_thread *thread);

#endif
