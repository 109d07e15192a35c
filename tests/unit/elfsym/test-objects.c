/* Object files and archives: which members there are, and what is told of broken ones. */
#include "elfsym/elf/objects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elfsym/names/listing.h"
#include "tests/unit/check.h"
#include "tests/unit/elfsym/fixture.h"

struct seen {
	char names[256];
	size_t elves, symbols, stop_after;
};

static bool take(void *data, const struct sprof_object *object, struct sprof_error *err)
{
	struct seen *seen = data;
	struct sprof_listing listing;
	size_t length = strlen(seen->names);

	snprintf(seen->names + length, sizeof(seen->names) - length, "%s,",
		object->member ? object->member : "-");
	if (object->elf) {
		seen->elves++;
		assert_true(sprof_listing_create_object(object->elf, true, &listing, err));
		seen->symbols += listing.count;
		sprof_listing_finish(&listing);
	}
	return !seen->stop_after || --seen->stop_after ||
		sprof_error_set(err, SPROF_ERROR_NOT_FOUND, "enough");
}

/* The path of a new file with these bytes. */
static const char *make_file(const char *bytes, size_t size)
{
	static char path[64];
	int fd;

	snprintf(path, sizeof(path), "/tmp/sprof-objects-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	close(fd);
	return path;
}

static bool visit(const char *bytes, size_t size, struct seen *seen, struct sprof_error *err)
{
	const char *path = make_file(bytes, size);
	struct sprof_objects *objects;
	bool ok;

	assert_true(sprof_objects_open(path, &objects, err));
	assert_non_null(objects);
	ok = sprof_objects_visit(objects, take, seen, err);
	sprof_objects_close(objects);
	unlink(path);
	return ok;
}

/* Two members that are no objects, the first one of an odd size. */
#define HEADER(name, size) name "0           0     0     100644  " size "`\n"
static const char archive[] = "!<arch>\n" HEADER("odd/            ", "3         ") "abc\n" HEADER(
	"even/           ", "4         ") "defg";

static void members_of_an_archive(void **state)
{
	struct seen seen = {0};
	struct sprof_error err = {0};

	assert_true(visit(archive, sizeof(archive) - 1, &seen, &err));
	assert_string_equal(seen.names, "odd,even,");
	assert_int_equal(seen.elves, 0);
	assert_true(visit(archive, 8, &(struct seen){0}, &err));
}

static void a_visit_that_is_ended(void **state)
{
	struct seen seen = {.stop_after = 1};
	struct sprof_error err = {0};

	assert_false(visit(archive, sizeof(archive) - 1, &seen, &err));
	assert_string_equal(seen.names, "odd,");
	assert_int_equal(err.kind, SPROF_ERROR_NOT_FOUND);
}

/* Wherever an archive is cut, that is said, except between two members. */
static void an_archive_that_is_cut(void **state)
{
	for (size_t size = 9; size < sizeof(archive) - 1; size++) {
		struct seen seen = {0};
		struct sprof_error err = {0};
		bool between = size == 8 + 60 + 3 || size == 8 + 60 + 4;

		assert_int_equal(visit(archive, size, &seen, &err), between);
		if (!between)
			assert_int_equal(err.kind, SPROF_ERROR_UNSUPPORTED);
	}
}

static void a_thin_archive(void **state)
{
	const char *path = make_file("!<thin>\n", 8);
	struct sprof_objects *objects;
	struct sprof_error err = {0};

	assert_false(sprof_objects_open(path, &objects, &err));
	assert_int_equal(err.kind, SPROF_ERROR_UNSUPPORTED);
	unlink(path);
}

static void files_of_other_kinds(void **state)
{
	const char *const paths[] = {subject_path("subject"), "/dev/null", "/nowhere", "/"};
	struct sprof_objects *objects;
	struct sprof_error err = {0};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		assert_true(sprof_objects_open(paths[i], &objects, &err));
		assert_null(objects);
	}
}

TEST_MAIN("objects")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_of_an_archive),
		cmocka_unit_test(a_visit_that_is_ended),
		cmocka_unit_test(an_archive_that_is_cut),
		cmocka_unit_test(a_thin_archive),
		cmocka_unit_test(files_of_other_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
