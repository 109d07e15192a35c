/*
 * From the thread that samples to the screen of sprof top: profiles of periods, named on the way in
 * a thread of their own. Nobody waits for names: neither the traced threads nor the keys.
 */
#ifndef SPROF_CMD_TOP_FEED_H
#define SPROF_CMD_TOP_FEED_H

#include <pthread.h>
#include <stdbool.h>

#include "base/attributes.h"
#include "base/error.h"
#include "cmd/naming.h"
#include "profile/profile.h"

enum { SPROF_TOP_END = 128 };

struct sprof_top_feed {
	const struct sprof_naming *naming;
	struct sprof_modules *modules;
	pthread_t thread;
	int wake; /* an eventfd that is readable when there is something new for the screen */

	/* Shared, under the mutex. */
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	struct sprof_profile *raw, *named; /* NULL: none */
	bool is_naming;
	bool is_closed;           /* nobody takes any more */
	char end[SPROF_TOP_END];  /* how the run ended; empty: it has not */
	struct sprof_error error; /* no names could be given; kind NONE: all is well */
};

/* The modules are those of all profiles. */
SPROF_MUST_USE bool sprof_top_feed_start(struct sprof_top_feed *feed,
	const struct sprof_naming *naming, struct sprof_modules *modules, struct sprof_error *err);

/*
 * For the thread that samples. A feed that isn't free has a profile that the screen has not taken:
 * the period goes on then.
 */
bool sprof_top_feed_is_free(struct sprof_top_feed *feed);
/* The feed owns the profile from now on. The last one of a run may wait until the feed is free. */
void sprof_top_feed_put(struct sprof_top_feed *feed, struct sprof_profile *profile);
/* Nothing will be put any more: in words, why. */
void sprof_top_feed_end(struct sprof_top_feed *feed, const char *words);

/* For the screen: the next named profile, which the caller owns; NULL: none yet. */
struct sprof_profile *sprof_top_feed_take(struct sprof_top_feed *feed);
/* The words of the end; NULL: it has not come. */
const char *sprof_top_feed_over(struct sprof_top_feed *feed);
/* Why there are no names; false: there is no such error, or it was told before. */
bool sprof_top_feed_failure(struct sprof_top_feed *feed, struct sprof_error *ret);
/* The screen takes nothing any more; whoever closes it, both sides notice. */
void sprof_top_feed_close(struct sprof_top_feed *feed);
bool sprof_top_feed_is_closed(struct sprof_top_feed *feed);

/* After both sides. */
void sprof_top_feed_finish(struct sprof_top_feed *feed);

#endif
