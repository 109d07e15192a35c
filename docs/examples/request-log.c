/* Four threads handle requests; each request leaves a line in a log that they share. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 4, REQUESTS = 30000 };

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static char log_lines[256][128];
static unsigned log_count;
static volatile double answer;

static void write_log(unsigned thread, unsigned request)
{
	char line[128];

	pthread_mutex_lock(&log_lock);
	/* The line is made while everybody else waits. */
	snprintf(line, sizeof(line), "thread %u, request %u: took %.6f s, answered %a", thread, request,
		(double)request / 7, answer);
	for (int i = 0; i < 20; i++)
		snprintf(line + 100, 20, "%08.3f", answer + i);
	memcpy(log_lines[log_count++ % 256], line, sizeof(line));
	pthread_mutex_unlock(&log_lock);
}

static void handle_request(unsigned request)
{
	for (int i = 0; i < 300; i++)
		answer = answer * 0.5 + request;
}

static void *serve(void *data)
{
	for (unsigned i = 0; i < REQUESTS; i++) {
		handle_request(i);
		write_log((unsigned)(size_t)data, i);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];

	for (size_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, serve, (void *)i);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%u lines logged\n", log_count);
	return 0;
}
