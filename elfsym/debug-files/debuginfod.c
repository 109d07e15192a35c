/*
 * debuginfod through its own library (debuginfod_find_debuginfo(3)), loaded only on request:
 * linking it would load curl and its dependencies in every run. The library reads its servers from
 * the environment, from which sprof has removed them; sprof restores them only during a query.
 */
#include "elfsym/debug-files/debuginfod.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

#define LIBRARY "libdebuginfod.so.1"
#define VARIABLE "DEBUGINFOD_URLS"

struct sprof_debuginfod {
	struct sprof_debuginfod_options options;
	uint64_t deadline_ns;
	const char *module; /* that is being downloaded */
	uint64_t total;
	void *library;
	void *client;
	int (*find)(void *client, const unsigned char *id, int id_size, char **path);
	void (*end)(void *client);
	void (*set_data)(void *client, void *data);
};

/* The library calls this; a result other than 0 ends the transfer. */
static int watch(void *handle, long done, long total)
{
	struct sprof_debuginfod *client;
	void *(*get_data)(void *) =
		(void *(*)(void *))dlsym(RTLD_DEFAULT, "debuginfod_get_user_data");

	if (!get_data)
		return 0;
	client = get_data(handle);
	client->total = total > 0 ? (uint64_t)total : 0;
	if (client->options.progress)
		client->options.progress(client->options.data, client->module,
			done > 0 ? (uint64_t)done : 0, client->total);
	return sprof_clock_now_ns() > client->deadline_ns;
}

static bool load(struct sprof_debuginfod *client)
{
	void *(*begin)(void);
	void (*set_progress)(void *, int (*)(void *, long, long));

	client->library = dlopen(LIBRARY, RTLD_NOW | RTLD_GLOBAL);
	if (!client->library)
		return false;
	begin = (void *(*)(void))dlsym(client->library, "debuginfod_begin");
	set_progress = (void (*)(void *, int (*)(void *, long, long)))dlsym(
		client->library, "debuginfod_set_progressfn");
	client->find = (int (*)(void *, const unsigned char *, int, char **))dlsym(
		client->library, "debuginfod_find_debuginfo");
	client->end = (void (*)(void *))dlsym(client->library, "debuginfod_end");
	client->set_data =
		(void (*)(void *, void *))dlsym(client->library, "debuginfod_set_user_data");
	if (!begin || !set_progress || !client->find || !client->end || !client->set_data)
		return false;
	client->client = begin();
	if (!client->client)
		return false;
	client->set_data(client->client, client);
	set_progress(client->client, watch);
	return true;
}

bool sprof_debuginfod_create(const struct sprof_debuginfod_options *options,
	struct sprof_debuginfod **ret, struct sprof_error *err)
{
	struct sprof_debuginfod *client;

	if (!options->urls || !options->urls[0]) {
		sprof_error_set(err, SPROF_ERROR_USAGE, "no debuginfod server is named");
		return sprof_error_hint(err, "export " VARIABLE "=https://debuginfod.debian.net");
	}
	client = calloc(1, sizeof(*client));
	if (!client)
		return sprof_error_no_memory(err);
	client->options = *options;
	client->deadline_ns = sprof_clock_now_ns() + options->limit_ns;
	if (load(client)) {
		*ret = client;
		return true;
	}
	sprof_debuginfod_destroy(client);
	sprof_error_set(err, SPROF_ERROR_UNSUPPORTED, "can't load " LIBRARY);
	return sprof_error_hint(err, "install libdebuginfod1, or leave out --debuginfod");
}

void sprof_debuginfod_destroy(struct sprof_debuginfod *client)
{
	if (!client)
		return;
	if (client->client)
		client->end(client->client);
	/* The library stays loaded: curl's threads and handlers don't survive unloading. */
	free(client);
}

/* The library counts in seconds, per file. */
static void set_limits(const struct sprof_debuginfod *client, uint64_t now)
{
	char seconds[24];

	snprintf(seconds, sizeof(seconds), "%llu",
		(unsigned long long)((client->deadline_ns - now) / SPROF_NS_PER_S + 1));
	setenv("DEBUGINFOD_MAXTIME", seconds, 1);
	setenv("DEBUGINFOD_TIMEOUT", seconds, 1);
}

bool sprof_debuginfod_find(struct sprof_debuginfod *client, const char *build_id,
	const char *module, char *path, size_t size)
{
	uint64_t now = sprof_clock_now_ns();
	char *found = NULL;
	int fd;

	if (now >= client->deadline_ns)
		return false;
	client->module = module;
	client->total = 0;
	set_limits(client, now);
	setenv(VARIABLE, client->options.urls, 1);
	/* Size 0: the build id is text. */
	fd = client->find(client->client, (const unsigned char *)build_id, 0, &found);
	unsetenv(VARIABLE);
	if (client->options.progress)
		client->options.progress(
			client->options.data, module, client->total, client->total);
	if (fd >= 0)
		close(fd);
	if (fd < 0 || !found || strlen(found) >= size) {
		free(found);
		return false;
	}
	strcpy(path, found);
	free(found);
	return true;
}
