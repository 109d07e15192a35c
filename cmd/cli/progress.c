/* A thread that waits for one second or the end of the work. Does not handle signals. */
#include "cmd/cli/progress.h"

#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "cmd/ui.h"

struct sprof_progress {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t ended;
	bool is_ended;
	char words[200];
};

static void *watch(void *data)
{
	struct sprof_progress *progress = data;
	struct timespec deadline;
	int failure = 0;

	clock_gettime(CLOCK_REALTIME, &deadline);
	deadline.tv_sec++;
	pthread_mutex_lock(&progress->lock);
	while (!progress->is_ended && !failure)
		failure = pthread_cond_timedwait(&progress->ended, &progress->lock, &deadline);
	if (!progress->is_ended)
		sprof_ui_progress("%s ...", progress->words);
	pthread_mutex_unlock(&progress->lock);
	return NULL;
}

static bool start(struct sprof_progress *progress)
{
	sigset_t all, before;
	int failure;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	failure = pthread_create(&progress->thread, NULL, watch, progress);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return !failure;
}

struct sprof_progress *sprof_progress_begin(const char *format, ...)
{
	struct sprof_progress *progress =
		isatty(STDERR_FILENO) ? calloc(1, sizeof(*progress)) : NULL;
	va_list args;

	if (!progress)
		return NULL;
	va_start(args, format);
	vsnprintf(progress->words, sizeof(progress->words), format, args);
	va_end(args);
	pthread_mutex_init(&progress->lock, NULL);
	pthread_cond_init(&progress->ended, NULL);
	if (start(progress))
		return progress;
	free(progress);
	return NULL;
}

void sprof_progress_end(struct sprof_progress *progress)
{
	if (!progress)
		return;
	pthread_mutex_lock(&progress->lock);
	progress->is_ended = true;
	pthread_cond_signal(&progress->ended);
	pthread_mutex_unlock(&progress->lock);
	pthread_join(progress->thread, NULL);
	pthread_cond_destroy(&progress->ended);
	pthread_mutex_destroy(&progress->lock);
	free(progress);
}
