/*
 * Passes profiles of periods from the sampling thread to the screen of sprof top. A separate thread
 * resolves names on the way, so neither the traced threads nor the keyboard wait for that.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>

#include "base/attributes.h"
#include "base/error.h"
#include "cmd/saved/naming.h"
#include "profile/model/profile.h"

enum { SPROF_TOP_END = 128 };

struct sprof_top_feed {
	const struct sprof_naming *naming;
	struct sprof_modules *modules;
	pthread_t thread;
	int wake; /* an eventfd, readable when there is news for the screen */

	/* Shared, protected by the mutex. */
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	struct sprof_profile *raw, *named; /* NULL: none */
	bool is_naming;
	bool is_closed;           /* the screen is closed */
	char end[SPROF_TOP_END];  /* how the run ended; empty: not ended */
	struct sprof_error error; /* why names can't be resolved; kind NONE: no error */
};

/* `modules` are common to all profiles. */
SPROF_MUST_USE bool sprof_top_feed_start(struct sprof_top_feed *feed,
	const struct sprof_naming *naming, struct sprof_modules *modules, struct sprof_error *err);

/*
 * For the sampling thread. If the screen has not taken the previous profile, the feed is not free
 * and the period continues.
 */
bool sprof_top_feed_is_free(struct sprof_top_feed *feed);
/*
 * The feed takes ownership of the profile. The last profile of a run may wait until the feed is
 * free.
 */
void sprof_top_feed_put(struct sprof_top_feed *feed, struct sprof_profile *profile);
/* No more profiles will come; `words` give the reason. */
void sprof_top_feed_end(struct sprof_top_feed *feed, const char *words);

/* For the screen: the next named profile, owned by the caller; NULL: none yet. */
struct sprof_profile *sprof_top_feed_take(struct sprof_top_feed *feed);
/* The reason of the end; NULL: not ended. */
const char *sprof_top_feed_over(struct sprof_top_feed *feed);
/* The error of name resolution; returns false if there is none, or it was returned before. */
bool sprof_top_feed_failure(struct sprof_top_feed *feed, struct sprof_error *ret);
/* The screen takes no more profiles. Either side may close the feed; both notice. */
void sprof_top_feed_close(struct sprof_top_feed *feed);
bool sprof_top_feed_is_closed(struct sprof_top_feed *feed);

/* Call it after both sides have ended. */
void sprof_top_feed_finish(struct sprof_top_feed *feed);
