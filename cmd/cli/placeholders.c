/*
 * Placeholders in output names, as in core(5), valgrind(1) and MPI launchers. Rejects unknown
 * placeholders: a file under an unexpected name is a lost profile.
 */
#include "cmd/cli/placeholders.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/strtab.h"
#include "cmd/cli/mpi-rank.h"

struct expansion {
	const struct sprof_placeholders_moment *moment;
	char text[PATH_MAX];
	size_t length;
	bool too_long;
	bool is_own; /* its value differs from rank to rank */
};

static void add(struct expansion *expansion, const char *text, size_t length)
{
	if (length >= sizeof(expansion->text) - expansion->length) {
		expansion->too_long = true;
		return;
	}
	memcpy(expansion->text + expansion->length, text, length);
	expansion->length += length;
	expansion->text[expansion->length] = '\0';
}

static void add_text(struct expansion *expansion, const char *text)
{
	add(expansion, text, strlen(text));
}

static void add_number(struct expansion *expansion, long long number)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", number);
	add_text(expansion, text);
}

/* A value is part of one name: a slash in it would lead to another folder. */
static bool add_value(
	struct expansion *expansion, const char *what, const char *value, struct sprof_error *err)
{
	if (!value || !value[0])
		return sprof_error_set(err, SPROF_ERROR_USAGE, "%s is not set", what);
	if (strchr(value, '/'))
		return sprof_error_set(
			err, SPROF_ERROR_USAGE, "%s is %s: no part of a file name", what, value);
	expansion->is_own = true;
	add_text(expansion, value);
	return true;
}

static bool add_rank(struct expansion *expansion, struct sprof_error *err)
{
	struct sprof_error reason = {0};

	if (add_value(expansion, "the rank", sprof_rank_find(), &reason))
		return true;
	sprof_error_set(err, SPROF_ERROR_USAGE, "%%r: %s", reason.message);
	return sprof_error_hint(err,
		"start sprof with the launcher (mpirun -n 4 sprof run ...), or set SPROF_RANK");
}

/* "{VARIABLE}" after %q; returns its length, 0 if invalid. */
static size_t add_variable(struct expansion *expansion, const char *text, struct sprof_error *err)
{
	const char *end = text[0] == '{' ? strchr(text, '}') : NULL;
	char name[128];
	size_t length = end ? (size_t)(end - text) - 1 : 0;

	if (!length || length >= sizeof(name)) {
		sprof_error_set(err, SPROF_ERROR_USAGE, "%%q needs a variable: %%q{NAME}");
		return 0;
	}
	memcpy(name, text + 1, length);
	name[length] = '\0';
	return add_value(expansion, name, getenv(name), err) ? length + 2 : 0;
}

/* Returns the number of characters consumed after '%'; 0: an error. */
static size_t add_placeholder(
	struct expansion *expansion, const char *text, struct sprof_error *err)
{
	size_t length;

	switch (text[0]) {
	case '%':
		add(expansion, "%", 1);
		return 1;
	case 'p':
		add_number(expansion, getpid());
		expansion->is_own = true;
		return 1;
	case 'h':
		add_text(expansion, sprof_host_name());
		return 1;
	case 't':
		add_number(expansion, expansion->moment->time);
		return 1;
	case 'n':
		add_number(expansion, expansion->moment->number);
		return 1;
	case 'r':
		return add_rank(expansion, err);
	case 'q':
		length = add_variable(expansion, text + 1, err);
		return length ? length + 1 : 0;
	default:
		sprof_error_set(err, SPROF_ERROR_USAGE, "unknown placeholder %%%c", text[0]);
		sprof_error_hint(err,
			"%%p is the process id, %%h the host, %%r the rank, %%t the "
			"time, %%n the number, %%q{NAME} a variable, %%%% a percent "
			"sign");
		return 0;
	}
}

/* Whether the path leads to a regular file, by its name. */
static bool is_shared(const char *path)
{
	return strncmp(path, "/dev/", 5) != 0 && strncmp(path, "/proc/", 6) != 0;
}

static bool check(const struct expansion *expansion, const char *path, struct sprof_error *err)
{
	if (expansion->too_long)
		return sprof_error_set(
			err, SPROF_ERROR_USAGE, "the name is too long: %.200s", path);
	if (expansion->is_own || !sprof_rank_has_others() || !is_shared(path))
		return true;
	sprof_error_set(err, SPROF_ERROR_USAGE,
		"every rank of the job would write %.200s, this one is %s", expansion->text,
		sprof_rank_find());
	return sprof_error_hint(err, "put %%r into the name: -o prof-%%r.pb.gz");
}

/* Names are never freed, like the options: there are few. */
static const char *keep(const char *text)
{
	static struct sprof_strtab *names;

	if (!names)
		names = sprof_strtab_create();
	return names ? sprof_strtab_intern(names, text) : NULL;
}

struct sprof_placeholders_moment sprof_placeholders_now(void)
{
	return (struct sprof_placeholders_moment){.time = time(NULL), .number = 1};
}

bool sprof_placeholders_change(const char *path)
{
	for (const char *text = strchr(path, '%'); text && text[1]; text = strchr(text + 2, '%')) {
		if (text[1] == 't' || text[1] == 'n')
			return true;
	}
	return false;
}

static bool expand(const char *path, const struct sprof_placeholders_moment *moment,
	const char **ret, struct sprof_error *err)
{
	struct expansion expansion = {.moment = moment};
	const char *text = path;

	while (*text) {
		size_t plain = strcspn(text, "%"), taken;

		add(&expansion, text, plain);
		text += plain;
		if (!*text)
			break;
		taken = add_placeholder(&expansion, text + 1, err);
		if (!taken)
			return false;
		text += taken + 1;
	}
	if (!check(&expansion, path, err))
		return false;
	*ret = keep(expansion.text);
	return *ret || sprof_error_no_memory(err);
}

bool sprof_placeholders_expand(const char *option, const char *path,
	const struct sprof_placeholders_moment *moment, const char **ret, struct sprof_error *err)
{
	struct sprof_error reason = {0};

	if (expand(path, moment, ret, &reason))
		return true;
	sprof_error_set(err, reason.kind, "%s %s: %s", option, path, reason.message);
	if (reason.hint[0])
		sprof_error_hint(err, "%s", reason.hint);
	return false;
}
