/*
 * Stops a thread and resumes it.
 */
#pragma once

#include <stdbool.h>

#include "attach/thread.h"

/* Requests a stop of a RUNNING or LISTENING thread; the stop arrives as an event. Returns false if
 * the thread is gone. */
SPROF_MUST_USE bool sprof_thread_interrupt(struct sprof_thread *thread);

/*
 * Resumes a STOPPED thread, with its pending signal and according to its `resumption`. A thread
 * that is gone is not an error.
 */
void sprof_thread_resume(struct sprof_thread *thread);
/* Resumes a thread with a pending signal: its next stop, at that signal, arrives as a requested
 * one. */
void sprof_thread_resume_to_signal(struct sprof_thread *thread);
/* Resumes a thread that must stop again: before it returns to its program, or in a group-stop. */
void sprof_thread_resume_to_stop(struct sprof_thread *thread);
