/*
 * A recording and its files when memory runs short, at each allocation in turn: what was taken before
 * is whole and right, what is written is what would have been written or an error.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/format.h"
#include "profile/names/identify.h"
#include "profile/names/resolve.h"
#include "tests/unit/check.h"
#include "tests/unit/output/written.h"
#include "tests/unit/profile/no-tail-calls.h"
#include "tests/unit/short-memory.h"

enum { THREADS = 6, STACKS = 18, DEPTH = 6, MODULES = 2, FUTEX = 202 };

bool sprof_symbols_resolve(struct sprof_symbols *symbols, uint32_t module, uint64_t offset,
	struct sprof_locations *ret, struct sprof_error *err)
{
	static struct sprof_location location;
	static char name[32];

	assert_true(module < MODULES);
	snprintf(name, sizeof(name), "f%u_%u", module, (unsigned)offset);
	location = (struct sprof_location){
		.function = name, .linkage = name, .file = "f.c", .line = 3};
	*ret = (struct sprof_locations){.items = &location, .count = 1};
	return true;
}

bool sprof_symbols_find_data(struct sprof_symbols *symbols, uint32_t module, uint64_t distance,
	const char **ret_name, uint64_t *ret_offset, struct sprof_error *err)
{
	*ret_name = "cache_lock";
	*ret_offset = 0;
	return true;
}

bool sprof_symbols_explain(struct sprof_symbols *symbols, uint32_t module,
	struct sprof_symbols_gap *ret, struct sprof_error *err)
{
	*ret = (struct sprof_symbols_gap){0};
	return true;
}

static void name_call(int64_t number, char *buffer, size_t size)
{
	snprintf(buffer, size, "%s", number == FUTEX ? "futex" : "read");
}

static struct sprof_modules *make_modules(void)
{
	struct sprof_modules *modules = sprof_modules_create();
	bool new;

	for (size_t i = 0; i < MODULES; i++) {
		const struct sprof_module_key key = {.kind = SPROF_MODULE_FILE,
			.path = i ? "/bin/app" : "/lib/libc.so.6",
			.inode = i + 1};
		struct sprof_module *module = sprof_modules_intern(modules, &key, &new);

		assert_non_null(module);
		module->fd = -1;
	}
	return modules;
}

static struct sprof_profile *begin(const struct sprof_modules *modules)
{
	const struct sprof_profile_kernel kernel = {.syscall_name = name_call, .frames = true};
	struct sprof_profile *profile = sprof_profile_create(modules);

	if (!profile)
		return NULL;
	sprof_profile_set_kernel(profile, &kernel);
	sprof_profile_set_timeline(profile, 1000, 0);
	if (!sprof_profile_describe(profile, "app", 0) ||
		!sprof_profile_set_place(profile, "host", "1")) {
		sprof_profile_destroy(profile);
		return NULL;
	}
	return profile;
}

static bool add_thread(const struct sprof_sink *sink, uint32_t id)
{
	char name[16];
	const struct sprof_thread_record record = {.id = id,
		.pid = 100 + (pid_t)(id % 3),
		.tid = 1000 + (pid_t)id,
		.name = name,
		.process_name = id % 2 ? NULL : "app"};

	snprintf(name, sizeof(name), "thread%u", id);
	return sink->thread(sink->data, &record);
}

static bool add_wait(const struct sprof_sink *sink, uint32_t number, uint32_t *ret_id)
{
	const char *kernel[] = {"futex_wait", "do_futex"};
	const struct sprof_wait wait = {.system_call = number % 2 ? FUTEX : 0,
		.kind = SPROF_WAIT_KIND_LOCK,
		.address = number % 2 ? 0x4000 + number * 8 : 0,
		.offset = 0x4000 + number * 8,
		.module = 1,
		.object = number % 2 ? NULL : "pipe",
		.kernel = kernel,
		.kernel_count = 2};

	return sink->wait(sink->data, &wait, ret_id);
}

/* A sample of a thread, on a stack of its own in every second round. */
static bool add_sample(const struct sprof_sink *sink, uint32_t number)
{
	struct sprof_frame frames[DEPTH];
	const struct sprof_stack_view view = {.frames = frames, .count = number % 7 ? DEPTH : 0};
	const struct sprof_holder holder = {.thread = 0, .stack = 1};
	struct sprof_sample sample = {.time_ns = 1000 * (number + 1),
		.thread = number % THREADS,
		.state = number % 2 ? SPROF_STATE_SLEEP : SPROF_STATE_USER,
		.holder = number % 3 == 1 ? &holder : NULL};

	for (uint32_t i = 0; i < DEPTH; i++)
		frames[i] =
			(struct sprof_frame){.offset = i + number * (i < 2), .module = i % MODULES};
	return sink->stack(sink->data, &view, &sample.stack) &&
		(number % 2 == 0 || add_wait(sink, number, &sample.wait)) &&
		sink->sample(sink->data, &sample);
}

/* As the sampler does it: a recording ends with the first thing that there is no memory for. */
static bool record(const struct sprof_sink *sink)
{
	for (uint32_t i = 0; i < STACKS; i++) {
		if ((i < THREADS && !add_thread(sink, i)) || !add_sample(sink, i))
			return false;
	}
	return true;
}

static bool end_all(const struct sprof_sink *sink)
{
	const struct sprof_times times = {
		.ns = {[SPROF_TIME_USER] = 4000000, [SPROF_TIME_SLEEP] = 3000000}};

	for (uint32_t i = 0; i < THREADS; i++) {
		if (!sink->charge(
			    sink->data, i, &(struct sprof_charge){.times = times, .last = true}))
			return false;
	}
	return true;
}

static void check_whole(const struct sprof_profile *profile)
{
	for (size_t i = 0; i < profile->row_count; i++) {
		const struct sprof_profile_row *row = &profile->rows[i];

		assert_in_range(row->stack, SPROF_PROFILE_ROOT + 1, profile->stack_count - 1);
		assert_true(row->thread < profile->thread_count);
		assert_true(row->context < profile->context_count);
	}
	for (size_t i = 1; i < profile->stack_count; i++)
		assert_true(profile->stacks[i].location < profile->location_count);
	for (size_t i = 0; i < profile->thread_count; i++)
		assert_non_null(profile->threads[i].name);
	assert_true(sprof_profile_adds_up(profile));
}

static struct sprof_output_options options(void)
{
	struct sprof_output_options result = sprof_output_options_default();

	result.threads = result.wait_frames = true;
	return result;
}

static void check_folded(const struct sprof_profile *profile)
{
	const struct sprof_output_options how = options();
	char *text = written_by(&sprof_format_folded, profile, &how), *rest = text, *line;

	while ((line = strsep(&rest, "\n")) && *line) {
		char *weight = strrchr(line, ' ');

		assert_non_null(weight);
		assert_non_null(memchr(line, ';', (size_t)(weight - line)));
		assert_true(strtoull(weight + 1, NULL, 10) > 0);
	}
	free(text);
}

/* What it wrote; NULL: it said that it could not. */
static char *write_short(const struct sprof_format *format, const struct sprof_profile *profile,
	unsigned long number, bool *ret_reached)
{
	const struct sprof_output_options how = options();
	struct sprof_error err = {0};
	int fd;
	struct sprof_out *out = written_open(&fd);
	bool written;

	short_memory_begin(number);
	written = format->write(profile, &how, out, &err);
	*ret_reached = short_memory_end();
	if (written && !sprof_out_failed(out))
		return written_take(out, fd);
	if (!written && *ret_reached)
		assert_int_equal(err.kind, SPROF_ERROR_NO_MEMORY);
	sprof_out_discard(out);
	close(fd);
	return NULL;
}

/*
 * gmon needs a program whose file can be read. png is drawn by another program, which may be
 * installed while this test runs.
 */
static bool is_writable(const struct sprof_format *format)
{
	return format != &sprof_format_gmon && format != &sprof_format_png;
}

/* Names all and writes all, with enough memory again. */
static void finish(struct sprof_profile *profile)
{
	struct sprof_error err;

	assert_true(sprof_profile_settle(profile));
	assert_true(sprof_profile_resolve(profile, NULL, &err));
	assert_true(sprof_profile_identify(profile, &err));
	check_whole(profile);
	check_folded(profile);
}

static bool make(const struct sprof_modules *modules, struct sprof_profile **ret)
{
	struct sprof_profile *profile = *ret = begin(modules);
	struct sprof_sink sink;

	if (!profile)
		return false;
	sink = sprof_profile_sink(profile);
	return record(&sink) && end_all(&sink);
}

static void a_recording_that_memory_ends_is_whole(void **state)
{
	struct sprof_modules *modules = make_modules();
	bool reached = true;

	for (unsigned long number = 1; reached; number++) {
		struct sprof_profile *profile;
		bool recorded;

		short_memory_begin(number);
		recorded = make(modules, &profile);
		reached = short_memory_end();
		assert_int_equal(recorded, !reached);
		if (profile)
			finish(profile);
		sprof_profile_destroy(profile);
	}
	sprof_modules_destroy(modules);
}

/* Other threads go on for a moment after one has met the end of memory. */
static void what_follows_a_failure_is_whole_too(void **state)
{
	struct sprof_modules *modules = make_modules();
	bool reached = true;

	for (unsigned long number = 1; reached; number++) {
		struct sprof_profile *profile = begin(modules);
		struct sprof_sink sink = sprof_profile_sink(profile);

		short_memory_begin(number);
		for (uint32_t i = 0; i < STACKS; i++) {
			if (i < THREADS)
				(void)!add_thread(&sink, i);
			(void)!add_sample(&sink, i);
		}
		(void)!end_all(&sink);
		reached = short_memory_end();
		finish(profile);
		sprof_profile_destroy(profile);
	}
	sprof_modules_destroy(modules);
}

static bool name_all(struct sprof_profile *profile)
{
	struct sprof_error err = {0};

	if (!sprof_profile_settle(profile))
		return false;
	if (sprof_profile_resolve(profile, NULL, &err) && sprof_profile_identify(profile, &err))
		return true;
	assert_int_equal(err.kind, SPROF_ERROR_NO_MEMORY);
	return false;
}

/* NULL: it said that there is no memory for the names. */
static char *name_short(
	const struct sprof_modules *modules, unsigned long number, bool *ret_reached)
{
	const struct sprof_output_options how = options();
	struct sprof_profile *profile;
	char *text = NULL;
	bool named;

	assert_true(make(modules, &profile));
	short_memory_begin(number);
	named = name_all(profile);
	*ret_reached = short_memory_end();
	if (named)
		text = written_by(&sprof_format_folded, profile, &how);
	sprof_profile_destroy(profile);
	return text;
}

static void names_are_what_they_would_be_or_an_error(void **state)
{
	struct sprof_modules *modules = make_modules();
	bool reached = true;
	char *whole = name_short(modules, 0, &reached);

	reached = true;
	for (unsigned long number = 1; reached; number++) {
		char *text = name_short(modules, number, &reached);

		if (text)
			assert_string_equal(text, whole);
		else
			assert_true(reached);
		free(text);
	}
	free(whole);
	sprof_modules_destroy(modules);
}

static void check_format(const struct sprof_format *format, const struct sprof_profile *profile)
{
	const struct sprof_output_options how = options();
	char *whole = written_by(format, profile, &how);
	bool reached = true;

	for (unsigned long number = 1; reached; number++) {
		char *text = write_short(format, profile, number, &reached);

		if (text)
			assert_string_equal(text, whole);
		else
			assert_true(reached);
		free(text);
	}
	free(whole);
}

static void a_file_is_what_it_would_be_or_an_error(void **state)
{
	struct sprof_modules *modules = make_modules();
	struct sprof_profile *profile;
	const struct sprof_format *format;

	assert_true(make(modules, &profile));
	finish(profile);
	for (size_t i = 0; (format = sprof_format_at(i)); i++) {
		if (is_writable(format))
			check_format(format, profile);
	}
	sprof_profile_destroy(profile);
	sprof_modules_destroy(modules);
}

TEST_MAIN("memory")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_recording_that_memory_ends_is_whole),
		cmocka_unit_test(what_follows_a_failure_is_whole_too),
		cmocka_unit_test(names_are_what_they_would_be_or_an_error),
		cmocka_unit_test(a_file_is_what_it_would_be_or_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
