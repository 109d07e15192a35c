/*
 * attach/maps-query: this process's own mappings, changed between the reading and the question.
 */
#include "attach/proc/maps-query.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "attach/module/read-maps.h"
#include "tests/unit/attach/fixture.h"
#include "tests/unit/check.h"

struct scene {
	struct sprof_modules *modules;
	struct sprof_maps maps;
	struct sprof_mapping *mapping; /* of the code at `address` */
	const struct sprof_module *module;
	int file;
};

static void scene_read(struct scene *scene, const void *address)
{
	*scene = (struct scene){.modules = sprof_modules_create(), .file = -1};
	assert_non_null(scene->modules);
	assert_true(sprof_maps_read(&scene->maps, getpid(), scene->modules));
	scene->mapping = (struct sprof_mapping *)sprof_maps_find(&scene->maps, (uintptr_t)address);
	assert_non_null(scene->mapping);
	scene->module = sprof_modules_get(scene->modules, scene->mapping->module);
}

static void scene_finish(struct scene *scene)
{
	if (scene->file >= 0)
		close(scene->file);
	sprof_maps_finish(&scene->maps);
	sprof_modules_destroy(scene->modules);
}

static enum sprof_maps_answer ask(struct scene *scene)
{
	return sprof_maps_query(&scene->file, getpid(), scene->mapping, scene->module);
}

/* Linux has the request since 6.11. */
static void skip_unless_known(void)
{
	struct scene scene;
	bool known;

	scene_read(&scene, (void *)(uintptr_t)skip_unless_known);
	known = ask(&scene) != SPROF_MAPS_UNKNOWN;
	scene_finish(&scene);
	if (!known)
		skip();
}

static void what_stays_is_the_same(void **state)
{
	struct scene scene;

	skip_unless_known();
	scene_read(&scene, (void *)(uintptr_t)what_stays_is_the_same);
	assert_int_equal(ask(&scene), SPROF_MAPS_SAME);
	assert_int_equal(ask(&scene), SPROF_MAPS_SAME);
	scene_finish(&scene);
}

static void what_goes_has_changed(void **state)
{
	char *path = test_folder_file(*state, "one", "content");
	void *address = map_executable(path);
	struct scene scene;

	skip_unless_known();
	scene_read(&scene, address);
	munmap(address, 1);
	assert_int_equal(ask(&scene), SPROF_MAPS_CHANGED);
	scene_finish(&scene);
	free(path);
}

static void another_file_at_the_place_has_changed(void **state)
{
	char *one = test_folder_file(*state, "one", "content");
	char *two = test_folder_file(*state, "two", "content");
	void *address = map_executable(one);
	struct scene scene;
	int fd;

	skip_unless_known();
	scene_read(&scene, address);
	fd = open(two, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_ptr_equal(
		mmap(address, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, 0), address);
	assert_int_equal(ask(&scene), SPROF_MAPS_CHANGED);
	close(fd);
	munmap(address, 1);
	scene_finish(&scene);
	free(one);
	free(two);
}

static void code_that_became_data_has_changed(void **state)
{
	char *path = test_folder_file(*state, "one", "content");
	void *address = map_executable(path);
	struct scene scene;

	skip_unless_known();
	scene_read(&scene, address);
	assert_int_equal(mprotect(address, 1, PROT_READ), 0);
	assert_int_equal(ask(&scene), SPROF_MAPS_CHANGED);
	munmap(address, 1);
	scene_finish(&scene);
	free(path);
}

static bool has_code(struct scene *scene, const void *address)
{
	return sprof_maps_query_code(&scene->file, getpid(), (uintptr_t)address);
}

/* Of files or not, but only what can be executed. */
static void code_is_found_where_it_came(void **state)
{
	char *path = test_folder_file(*state, "one", "content");
	struct scene scene;
	void *address;

	skip_unless_known();
	scene_read(&scene, (void *)(uintptr_t)what_stays_is_the_same);
	address = map_executable(path);
	assert_true(has_code(&scene, address));
	assert_int_equal(mprotect(address, 1, PROT_READ), 0);
	assert_false(has_code(&scene, address));
	munmap(address, 1);
	assert_false(has_code(&scene, address));
	address = mmap(NULL, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(has_code(&scene, address));
	munmap(address, 1);
	scene_finish(&scene);
	free(path);
}

static void a_mapping_starts_before_its_addresses(void **state)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	unsigned char *pages =
		mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t start = 0;
	int file = -1;

	skip_unless_known();
	assert_ptr_not_equal(pages, MAP_FAILED);
	assert_int_equal(mprotect(pages, page, PROT_NONE), 0);
	assert_true(sprof_maps_query_start(&file, getpid(), (uintptr_t)pages + 2 * page, &start));
	assert_int_equal(start, (uintptr_t)pages + page);
	munmap(pages, 3 * page);
	assert_false(sprof_maps_query_start(&file, getpid(), (uintptr_t)pages + 2 * page, &start));
	assert_false(sprof_maps_query_start(&file, getpid(), 0, &start));
	close(file);
}

static void nothing_is_known_of_a_process_that_is_gone(void **state)
{
	struct scene scene;

	scene_read(&scene, (void *)(uintptr_t)what_stays_is_the_same);
	assert_int_equal(sprof_maps_query(&scene.file, INT_MAX, scene.mapping, scene.module),
		SPROF_MAPS_UNKNOWN);
	assert_int_equal(scene.file, -1);
	scene_finish(&scene);
}

/* As on a kernel without the request. */
static void nothing_is_known_where_the_request_is_not(void **state)
{
	struct scene scene;

	scene_read(&scene, (void *)(uintptr_t)what_stays_is_the_same);
	scene.file = open("/dev/null", O_RDONLY | O_CLOEXEC);
	assert_true(scene.file >= 0);
	assert_int_equal(ask(&scene), SPROF_MAPS_UNKNOWN);
	scene_finish(&scene);
}

TEST_MAIN("maps-query")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_stays_is_the_same),
		cmocka_unit_test_setup_teardown(
			what_goes_has_changed, test_folder_create, test_folder_remove),
		cmocka_unit_test_setup_teardown(another_file_at_the_place_has_changed,
			test_folder_create, test_folder_remove),
		cmocka_unit_test_setup_teardown(
			code_that_became_data_has_changed, test_folder_create, test_folder_remove),
		cmocka_unit_test_setup_teardown(
			code_is_found_where_it_came, test_folder_create, test_folder_remove),
		cmocka_unit_test(a_mapping_starts_before_its_addresses),
		cmocka_unit_test(nothing_is_known_of_a_process_that_is_gone),
		cmocka_unit_test(nothing_is_known_where_the_request_is_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
