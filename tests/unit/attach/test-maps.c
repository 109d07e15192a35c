/*
 * attach/maps: mappings from text, and the look-up at every edge.
 */
#include "attach/proc/maps.h"

#include "tests/unit/check.h"

static void finds_at_every_edge(void **state)
{
	struct sprof_mapping items[] = {
		{.start = 0x1000, .end = 0x2000},
		{.start = 0x2000, .end = 0x3000},
		{.start = 0x5000, .end = 0x5001},
		{.start = UINT64_MAX - 0xfff, .end = UINT64_MAX},
	};
	struct sprof_maps maps = {.items = items, .count = 4}, none = {0};

	assert_null(sprof_maps_find(&none, 0));
	assert_null(sprof_maps_find(&maps, 0));
	assert_null(sprof_maps_find(&maps, 0xfff));
	assert_ptr_equal(sprof_maps_find(&maps, 0x1000), &items[0]);
	assert_ptr_equal(sprof_maps_find(&maps, 0x1fff), &items[0]);
	assert_ptr_equal(sprof_maps_find(&maps, 0x2000), &items[1]);
	assert_ptr_equal(sprof_maps_find(&maps, 0x2fff), &items[1]);
	assert_null(sprof_maps_find(&maps, 0x3000));
	assert_ptr_equal(sprof_maps_find(&maps, 0x5000), &items[2]);
	assert_null(sprof_maps_find(&maps, 0x5001));
	assert_ptr_equal(sprof_maps_find(&maps, UINT64_MAX - 0xfff), &items[3]);
	assert_null(sprof_maps_find(&maps, UINT64_MAX));
}

/* Against a plain search, for every number of mappings that a binary search may trip over. */
static void finds_what_a_plain_search_finds(void **state)
{
	struct sprof_mapping items[17];

	for (size_t i = 0; i < 17; i++)
		items[i] = (struct sprof_mapping){.start = i * 10 + 3, .end = i * 10 + 3 + i % 8};
	for (size_t count = 0; count <= 17; count++) {
		struct sprof_maps maps = {.items = items, .count = count};

		for (uint64_t address = 0; address < 200; address++) {
			const struct sprof_mapping *expected = NULL;

			for (size_t i = 0; i < count; i++) {
				if (address >= items[i].start && address < items[i].end)
					expected = &items[i];
			}
			assert_ptr_equal(sprof_maps_find(&maps, address), expected);
		}
	}
}

static void offsets_by_kind_of_module(void **state)
{
	const struct sprof_mapping mapping = {.start = 0x7000, .end = 0x9000, .offset = 0x3000};
	struct sprof_module module = {.kind = SPROF_MODULE_FILE};

	assert_int_equal(sprof_mapping_offset(&mapping, &module, 0x7010), 0x3010);
	module.kind = SPROF_MODULE_MEMORY;
	assert_int_equal(sprof_mapping_offset(&mapping, &module, 0x7010), 0x10);
	module.kind = SPROF_MODULE_ANONYMOUS;
	assert_int_equal(sprof_mapping_offset(&mapping, &module, 0x7010), 0x7010);
}

/* No process is asked: this one has no such memory, and none of the files is there. */
static void text_makes_mappings(void **state)
{
	static const char text[] = "1000-2000 r-xp 00000000 08:01 77 /nowhere/program\n"
				   "2000-3000 rw-p 00001000 08:01 77 /nowhere/program\n"
				   "5000-6000 r-xp 00000000 00:00 0 \n"
				   "6000-7000 r-xp 00000000 08:01 78 /nowhere/gone (deleted)\n"
				   "7000-8000 r-xp 00003000 08:01 77 /nowhere/program\n"
				   "9000-a000 r-xp 00000000 00:00 0 [vdso]\n";
	struct sprof_modules *modules = sprof_modules_create();
	const struct sprof_module *module;
	struct sprof_maps maps;

	assert_true(sprof_maps_parse(&maps, text, 4711, modules));
	assert_int_equal(maps.count, 6);
	assert_int_equal(maps.pid, 4711);
	assert_int_equal(maps.generation, 0);
	assert_int_equal(sprof_modules_count(modules), 4);
	assert_int_equal(maps.items[0].module, maps.items[4].module);
	assert_int_equal(maps.items[4].offset, 0x3000);
	assert_int_equal(maps.items[1].module, SPROF_MAPPING_NO_MODULE);
	assert_false(maps.items[1].executable);
	module = sprof_modules_get(modules, maps.items[2].module);
	assert_int_equal(module->kind, SPROF_MODULE_ANONYMOUS);
	assert_int_equal(module->inode, 4711);
	assert_string_equal(module->path, "[jit of program]");
	module = sprof_modules_get(modules, maps.items[3].module);
	assert_string_equal(module->path, "/nowhere/gone");
	assert_true(module->deleted);
	assert_int_equal(sprof_modules_get(modules, maps.items[0].module)->mapped_at, 0x1000);
	assert_int_equal(sprof_modules_get(modules, maps.items[2].module)->mapped_at, 0);
	assert_int_equal(sprof_modules_get(modules, maps.items[5].module)->mapped_at, 0x9000);
	assert_int_equal(
		sprof_modules_get(modules, maps.items[5].module)->kind, SPROF_MODULE_MEMORY);
	for (uint32_t id = 0; id < sprof_modules_count(modules); id++) {
		assert_int_equal(sprof_modules_get(modules, id)->fd, -1);
		assert_int_equal(sprof_modules_get(modules, id)->opener, 0);
	}
	sprof_maps_finish(&maps);
	sprof_modules_destroy(modules);
}

/* The path of the module of each executable line, and that lines of one path have one module. */
static void check_modules(const char *text, const char *const *expected)
{
	struct sprof_modules *modules = sprof_modules_create();
	struct sprof_maps maps;

	assert_true(sprof_maps_parse(&maps, text, 4711, modules));
	for (size_t i = 0; i < maps.count; i++)
		assert_string_equal(
			sprof_modules_get(modules, maps.items[i].module)->path, expected[i]);
	for (uint32_t i = 0; i < sprof_modules_count(modules); i++) {
		for (uint32_t k = 0; k < i; k++)
			assert_string_not_equal(sprof_modules_get(modules, i)->path,
				sprof_modules_get(modules, k)->path);
	}
	sprof_maps_finish(&maps);
	sprof_modules_destroy(modules);
}

/* Code made at run time is called after the runtime, in whatever regions it is. */
static void generated_code_is_called_after_its_runtime(void **state)
{
	check_modules("1000-2000 rwxp 00000000 00:00 0 \n"
		      "3000-4000 r-xp 00000000 08:01 77 /usr/bin/node\n"
		      "5000-6000 r-xp 00000000 00:00 0 \n"
		      "7000-8000 r-xp 00000000 00:00 0 [anon:v8]\n"
		      "9000-a000 rwxp 00000000 00:00 0 [heap]\n"
		      "b000-c000 rwxp 00000000 00:00 0 [stack]\n"
		      "d000-e000 r-xp 00000000 00:00 0 [uprobes]\n",
		(const char *const[]){"[jit of node]", "/usr/bin/node", "[jit of node]",
			"[jit of node]", "[jit of node]", "[jit of node]", "[uprobes]"});
	check_modules("3000-4000 r-xp 00000000 08:01 77 /opt/server (deleted)\n"
		      "5000-6000 rwxs 00000000 00:01 5 /dev/zero (deleted)\n"
		      "7000-8000 rwxs 00000000 00:01 6 /memfd:doublemapper (deleted)\n",
		(const char *const[]){"/opt/server", "[jit of server]", "[jit of server]"});
	check_modules("3000-4000 r-xp 00000000 08:01 77 /opt/server\n"
		      "5000-6000 rwxp 00000000 00:00 0 \n"
		      "7000-8000 r-xp 00000000 08:01 78 /opt/jdk/lib/server/libjvm.so\n",
		(const char *const[]){
			"/opt/server", "[jit of java]", "/opt/jdk/lib/server/libjvm.so"});
	check_modules("1000-2000 r-xp 00000000 08:01 7 /lib/ld-linux-x86-64.so.2\n"
		      "3000-4000 r-xp 00000000 08:01 77 /opt/app\n"
		      "5000-6000 rwxp 00000000 00:00 0 \n",
		(const char *const[]){"/lib/ld-linux-x86-64.so.2", "/opt/app", "[jit of app]"});
	check_modules("5000-6000 rwxp 00000000 00:00 0 \n", (const char *const[]){"[jit]"});
}

static void text_without_mappings_is_refused(void **state)
{
	struct sprof_modules *modules = sprof_modules_create();
	struct sprof_maps maps;

	assert_false(sprof_maps_parse(&maps, "", 4711, modules));
	assert_false(sprof_maps_parse(&maps, "no mapping\n", 4711, modules));
	assert_int_equal(maps.count, 0);
	sprof_modules_destroy(modules);
}

TEST_MAIN("maps")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_at_every_edge),
		cmocka_unit_test(finds_what_a_plain_search_finds),
		cmocka_unit_test(offsets_by_kind_of_module),
		cmocka_unit_test(text_makes_mappings),
		cmocka_unit_test(generated_code_is_called_after_its_runtime),
		cmocka_unit_test(text_without_mappings_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
