/*
 * elfsym/names-saved: which file a saved profile's module is named by. The build id decides; a file
 * without one only if paths are trusted; a debug file alone stands in for the module.
 */
#include "elfsym/names/saved-modules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/check.h"
#include "tests/unit/elfsym/fixture.h"

/* A module of a saved profile, and what names it here. */
struct scene {
	struct sprof_modules *modules;
	struct sprof_saved_module saved;
	struct sprof_saved_modules all;
	struct sprof_debug_places places;
	struct sprof_names names;
};

static void setup(struct scene *scene, const char *path, const char *build_id)
{
	const struct sprof_module_key key = {.kind = SPROF_MODULE_FILE, .path = path};
	bool is_new;

	*scene = (struct scene){.modules = sprof_modules_create(), .saved.build_id = build_id};
	scene->all = (struct sprof_saved_modules){.items = &scene->saved, .count = 1};
	/* No debug file of this machine comes in between. */
	scene->places = (struct sprof_debug_places){.root = "/nonexistent", .saved = &scene->all};
	assert_non_null(scene->modules);
	scene->names.module = sprof_modules_intern(scene->modules, &key, &is_new);
	assert_non_null(scene->names.module);
}

static void open_names(struct scene *scene)
{
	struct sprof_error err;

	scene->names.places = &scene->places;
	assert_true(sprof_names_open_saved(&scene->names, &err));
}

static void end(struct scene *scene)
{
	sprof_names_finish(&scene->names);
	sprof_modules_destroy(scene->modules);
}

/* The build id of a subject. */
static void identify(const char *name, char ret[SPROF_BUILD_ID_TEXT])
{
	struct sprof_image *image;
	struct sprof_error err;

	assert_true(sprof_image_open_path(subject_path(name), &image, &err));
	assert_true(sprof_build_id_text(image, ret));
	sprof_image_close(image);
}

/* A folder with the debug file of the subject at the place of this build id. */
struct debug_folder {
	char root[64], inner[160], file[300];
};

static void fill(struct debug_folder *folder, const char *build_id)
{
	snprintf(folder->root, sizeof(folder->root), "/tmp/sprof-names-saved-XXXXXX");
	assert_non_null(mkdtemp(folder->root));
	snprintf(folder->inner, sizeof(folder->inner), "%s/.build-id", folder->root);
	assert_int_equal(mkdir(folder->inner, 0700), 0);
	snprintf(folder->inner, sizeof(folder->inner), "%s/.build-id/%.2s", folder->root, build_id);
	assert_int_equal(mkdir(folder->inner, 0700), 0);
	snprintf(folder->file, sizeof(folder->file), "%s/%s.debug", folder->inner, build_id + 2);
	assert_int_equal(symlink(subject_path("subject.debug"), folder->file), 0);
}

static void empty(struct debug_folder *folder)
{
	unlink(folder->file);
	rmdir(folder->inner);
	*strrchr(folder->inner, '/') = '\0';
	rmdir(folder->inner);
	assert_int_equal(rmdir(folder->root), 0);
}

static void the_file_with_its_build_id(void **state)
{
	char build_id[SPROF_BUILD_ID_TEXT];
	struct scene scene;
	uint64_t address, expected;

	identify("subject", build_id);
	setup(&scene, subject_path("subject"), build_id);
	open_names(&scene);
	assert_non_null(scene.names.image);
	assert_null(scene.names.debug);
	assert_null(scene.names.wrong_file);
	assert_true(sprof_image_address(scene.names.image, 0, &expected));
	assert_true(sprof_names_address(&scene.names, 0, &address));
	assert_int_equal(address, expected);
	end(&scene);
}

static void another_file_at_its_path(void **state)
{
	struct scene scene;

	setup(&scene, subject_path("subject"), "0123456789abcdef");
	open_names(&scene);
	assert_null(scene.names.image);
	assert_non_null(scene.names.wrong_file);
	assert_string_equal(scene.names.wrong_file, subject_path("subject"));
	end(&scene);
}

static void a_path_only_if_it_is_trusted(void **state)
{
	struct scene scene;

	for (int trusted = 0; trusted < 2; trusted++) {
		setup(&scene, subject_path("subject"), NULL);
		scene.all.trust_paths = trusted;
		open_names(&scene);
		assert_int_equal(scene.names.image != NULL, trusted);
		assert_null(scene.names.wrong_file);
		end(&scene);
	}
}

/* The stripped file is here: its debug file is found beside. */
static void a_debug_file_beside(void **state)
{
	char build_id[SPROF_BUILD_ID_TEXT];
	struct debug_folder folder;
	const char *const folders[] = {folder.root};
	struct scene scene;

	identify("subject-stripped", build_id);
	fill(&folder, build_id);
	setup(&scene, subject_path("subject-stripped"), build_id);
	scene.places.folders = folders;
	scene.places.folder_count = 1;
	open_names(&scene);
	assert_non_null(scene.names.image);
	assert_non_null(scene.names.debug);
	end(&scene);
	empty(&folder);
}

/* Only its debug file is here. It has the segments that were saved, not its own program headers'. */
static void a_debug_file_alone(void **state)
{
	char build_id[SPROF_BUILD_ID_TEXT];
	struct sprof_segment segment = {.address = 0x77000,
		.offset = 0x1000,
		.file_size = 0x500,
		.memory_size = 0x500,
		.executable = true};
	struct debug_folder folder;
	const char *const folders[] = {folder.root};
	struct scene scene;
	uint64_t address;

	identify("subject-stripped", build_id);
	fill(&folder, build_id);
	setup(&scene, "/gone/subject", build_id);
	scene.saved.segments = &segment;
	scene.saved.segment_count = 1;
	scene.places.folders = folders;
	scene.places.folder_count = 1;
	open_names(&scene);
	assert_non_null(scene.names.image);
	assert_non_null(scene.names.debug);
	assert_null(scene.names.wrong_file);
	assert_true(sprof_names_address(&scene.names, 0x1010, &address));
	assert_int_equal(address, 0x77010);
	assert_false(sprof_names_address(&scene.names, 0x10, &address));
	end(&scene);
	empty(&folder);
}

/* A debug file under another build id's name is none of the module's. */
static void a_wrong_debug_file(void **state)
{
	static const char other[] = "0123456789abcdef";
	struct debug_folder folder;
	const char *const folders[] = {folder.root};
	struct scene scene;

	fill(&folder, other);
	setup(&scene, "/gone/subject", other);
	scene.places.folders = folders;
	scene.places.folder_count = 1;
	open_names(&scene);
	assert_null(scene.names.image);
	assert_null(scene.names.debug);
	assert_non_null(scene.names.wrong_file);
	assert_string_equal(scene.names.wrong_file, folder.file);
	end(&scene);
	empty(&folder);
}

/* A list of symbols needs no file, only addresses. */
static void addresses_without_a_file(void **state)
{
	struct sprof_segment segments[] = {{.address = 0x401000, .offset = 0x1000, .file_size = 16},
		{.address = 0x500000, .offset = 0x2000, .file_size = 1}};
	struct scene scene;
	uint64_t address;

	setup(&scene, "/gone/subject", "0123456789abcdef");
	scene.saved.segments = segments;
	scene.saved.segment_count = 2;
	open_names(&scene);
	assert_null(scene.names.image);
	assert_true(sprof_names_address(&scene.names, 0x100f, &address));
	assert_int_equal(address, 0x40100f);
	assert_true(sprof_names_address(&scene.names, 0x2000, &address));
	assert_int_equal(address, 0x500000);
	assert_false(sprof_names_address(&scene.names, 0x1010, &address));
	assert_false(sprof_names_address(&scene.names, 0xfff, &address));
	end(&scene);
}

/* A profile may have fewer facts than modules. */
static void nothing_is_known(void **state)
{
	struct scene scene;
	uint64_t address;

	setup(&scene, subject_path("subject"), NULL);
	scene.all.count = 0;
	open_names(&scene);
	assert_null(scene.names.image);
	assert_false(sprof_names_address(&scene.names, 0x1000, &address));
	end(&scene);
}

TEST_MAIN("names-saved")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_file_with_its_build_id),
		cmocka_unit_test(another_file_at_its_path),
		cmocka_unit_test(a_path_only_if_it_is_trusted),
		cmocka_unit_test(a_debug_file_beside),
		cmocka_unit_test(a_debug_file_alone),
		cmocka_unit_test(a_wrong_debug_file),
		cmocka_unit_test(addresses_without_a_file),
		cmocka_unit_test(nothing_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
