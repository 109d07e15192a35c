/*
 * The thread that resolves the names in each period's profile, and the queues from the sampling
 * thread to it and from it to the screen. The sampling thread may add modules while names are
 * resolved. All periods share one symbol session, so that the symbols of each file are read only
 * once. Does not draw anything.
 */
#include "cmd/top/feed.h"

#include <errno.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "attach/proc/perf-map.h"
#include "profile/classify/own-code.h"
#include "profile/names/resolve.h"

static void wake_screen(const struct sprof_top_feed *feed)
{
	const uint64_t one = 1;

	/* It fails only if the screen has been woken 2^64 - 2 times and has not looked. */
	(void)!write(feed->wake, &one, sizeof(one));
}

static bool name(struct sprof_top_feed *feed, const struct sprof_namer *namer,
	struct sprof_profile *profile, struct sprof_error *err)
{
	const struct sprof_own_choice own = {0};

	sprof_perf_map_open_all(feed->modules);
	return (sprof_profile_settle(profile) || sprof_error_no_memory(err)) &&
		sprof_profile_resolve(profile, namer->symbols, err) &&
		sprof_own_code_mark(profile, &own, err);
}

/* The next raw profile; NULL: there won't be any. */
static struct sprof_profile *take_raw(struct sprof_top_feed *feed)
{
	struct sprof_profile *raw;

	pthread_mutex_lock(&feed->mutex);
	while (!feed->raw && !feed->end[0] && !feed->is_closed)
		pthread_cond_wait(&feed->changed, &feed->mutex);
	raw = feed->raw;
	feed->raw = NULL;
	feed->is_naming = raw;
	pthread_mutex_unlock(&feed->mutex);
	return raw;
}

/*
 * Waits until the screen has taken the one before. `profile` NULL: there are no names, `err` says
 * why.
 */
static void put_named(
	struct sprof_top_feed *feed, struct sprof_profile *profile, const struct sprof_error *err)
{
	pthread_mutex_lock(&feed->mutex);
	while (feed->named && !feed->is_closed)
		pthread_cond_wait(&feed->changed, &feed->mutex);
	if (feed->is_closed)
		sprof_profile_destroy(profile);
	else
		feed->named = profile;
	if (!profile)
		feed->error = *err;
	feed->is_naming = false;
	pthread_cond_broadcast(&feed->changed);
	pthread_mutex_unlock(&feed->mutex);
	wake_screen(feed);
}

static void name_next(
	struct sprof_top_feed *feed, const struct sprof_namer *namer, struct sprof_profile *raw)
{
	struct sprof_error err = {0};

	if (name(feed, namer, raw, &err)) {
		put_named(feed, raw, NULL);
		return;
	}
	sprof_profile_destroy(raw);
	put_named(feed, NULL, &err);
}

static void *name_all(void *data)
{
	struct sprof_top_feed *feed = data;
	struct sprof_namer namer = {0};
	struct sprof_profile *raw;
	struct sprof_error err = {0};

	if (!sprof_namer_create(feed->naming, feed->modules, true, &namer, &err)) {
		put_named(feed, NULL, &err);
		return NULL;
	}
	while ((raw = take_raw(feed)))
		name_next(feed, &namer, raw);
	sprof_namer_finish(&namer);
	wake_screen(feed);
	return NULL;
}

bool sprof_top_feed_start(struct sprof_top_feed *feed, const struct sprof_naming *naming,
	struct sprof_modules *modules, struct sprof_error *err)
{
	int errnum;

	*feed = (struct sprof_top_feed){.naming = naming, .modules = modules};
	feed->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (feed->wake < 0)
		return sprof_error_errno(err, errno, "make an eventfd");
	pthread_mutex_init(&feed->mutex, NULL);
	pthread_cond_init(&feed->changed, NULL);
	errnum = pthread_create(&feed->thread, NULL, name_all, feed);
	if (!errnum)
		return true;
	close(feed->wake);
	return sprof_error_errno(err, errnum, "start a thread");
}

bool sprof_top_feed_is_free(struct sprof_top_feed *feed)
{
	bool is_free;

	pthread_mutex_lock(&feed->mutex);
	is_free = feed->is_closed || (!feed->raw && !feed->named && !feed->is_naming);
	pthread_mutex_unlock(&feed->mutex);
	return is_free;
}

void sprof_top_feed_put(struct sprof_top_feed *feed, struct sprof_profile *profile)
{
	pthread_mutex_lock(&feed->mutex);
	while (feed->raw && !feed->is_closed)
		pthread_cond_wait(&feed->changed, &feed->mutex);
	if (feed->is_closed)
		sprof_profile_destroy(profile);
	else
		feed->raw = profile;
	pthread_cond_broadcast(&feed->changed);
	pthread_mutex_unlock(&feed->mutex);
}

void sprof_top_feed_end(struct sprof_top_feed *feed, const char *words)
{
	pthread_mutex_lock(&feed->mutex);
	snprintf(feed->end, sizeof(feed->end), "%s", words);
	pthread_cond_broadcast(&feed->changed);
	pthread_mutex_unlock(&feed->mutex);
	wake_screen(feed);
}

struct sprof_profile *sprof_top_feed_take(struct sprof_top_feed *feed)
{
	struct sprof_profile *named;

	pthread_mutex_lock(&feed->mutex);
	named = feed->named;
	feed->named = NULL;
	pthread_cond_broadcast(&feed->changed);
	pthread_mutex_unlock(&feed->mutex);
	return named;
}

/* The words never change. */
const char *sprof_top_feed_over(struct sprof_top_feed *feed)
{
	bool is_over;

	pthread_mutex_lock(&feed->mutex);
	is_over = feed->end[0];
	pthread_mutex_unlock(&feed->mutex);
	return is_over ? feed->end : NULL;
}

bool sprof_top_feed_failure(struct sprof_top_feed *feed, struct sprof_error *ret)
{
	pthread_mutex_lock(&feed->mutex);
	*ret = feed->error;
	feed->error = (struct sprof_error){0};
	pthread_mutex_unlock(&feed->mutex);
	return ret->kind != SPROF_ERROR_NONE;
}

bool sprof_top_feed_is_closed(struct sprof_top_feed *feed)
{
	bool is_closed;

	pthread_mutex_lock(&feed->mutex);
	is_closed = feed->is_closed;
	pthread_mutex_unlock(&feed->mutex);
	return is_closed;
}

void sprof_top_feed_close(struct sprof_top_feed *feed)
{
	pthread_mutex_lock(&feed->mutex);
	feed->is_closed = true;
	pthread_cond_broadcast(&feed->changed);
	pthread_mutex_unlock(&feed->mutex);
	wake_screen(feed);
}

void sprof_top_feed_finish(struct sprof_top_feed *feed)
{
	sprof_top_feed_close(feed);
	pthread_join(feed->thread, NULL);
	sprof_profile_destroy(feed->raw);
	sprof_profile_destroy(feed->named);
	close(feed->wake);
	pthread_cond_destroy(&feed->changed);
	pthread_mutex_destroy(&feed->mutex);
}
