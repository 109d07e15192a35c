/*
 * events/allocators: which names are entry points, and what they ask for.
 */
#include "events/heap/allocators.h"

#include "tests/unit/check.h"

static void known_names(void **state)
{
	static const struct {
		const char *name;
		enum sprof_allocator_kind kind;
		int pointer, size, count, alignment;
	} rows[] = {
		{"malloc", SPROF_ALLOCATOR_NEW, -1, 0, -1, -1},
		{"__libc_malloc", SPROF_ALLOCATOR_NEW, -1, 0, -1, -1},
		{"mi_malloc", SPROF_ALLOCATOR_NEW, -1, 0, -1, -1},
		{"tc_malloc", SPROF_ALLOCATOR_NEW, -1, 0, -1, -1},
		{"je_malloc", SPROF_ALLOCATOR_NEW, -1, 0, -1, -1},
		{"calloc", SPROF_ALLOCATOR_NEW, -1, 0, 1, -1},
		{"realloc", SPROF_ALLOCATOR_RESIZE, 0, 1, -1, -1},
		{"reallocarray", SPROF_ALLOCATOR_RESIZE, 0, 1, 2, -1},
		{"aligned_alloc", SPROF_ALLOCATOR_NEW, -1, 1, -1, 0},
		{"memalign", SPROF_ALLOCATOR_NEW, -1, 1, -1, 0},
		{"posix_memalign", SPROF_ALLOCATOR_STORES, 0, 2, -1, 1},
		{"__posix_memalign", SPROF_ALLOCATOR_STORES, 0, 2, -1, 1},
		{"valloc", SPROF_ALLOCATOR_NEW, -1, 0, -1, -1},
		{"pvalloc", SPROF_ALLOCATOR_NEW, -1, 0, -1, -1},
		{"free", SPROF_ALLOCATOR_FREE, 0, -1, -1, -1},
		{"cfree", SPROF_ALLOCATOR_FREE, 0, -1, -1, -1},
		{"_Znwm", SPROF_ALLOCATOR_NEW, -1, 0, -1, -1},
		{"_ZnamRKSt9nothrow_t", SPROF_ALLOCATOR_NEW, -1, 0, -1, -1},
		{"_ZnwmSt11align_val_t", SPROF_ALLOCATOR_NEW, -1, 0, -1, 1},
		{"_ZdlPvm", SPROF_ALLOCATOR_FREE, 0, -1, -1, -1},
		{"_ZdaPvmSt11align_val_t", SPROF_ALLOCATOR_FREE, 0, -1, -1, -1},
		{"_ZdaPvSt11align_val_tRKSt9nothrow_t", SPROF_ALLOCATOR_FREE, 0, -1, -1, -1},
		{"mallocx", SPROF_ALLOCATOR_NEW, -1, 0, -1, -1},
		{"rallocx", SPROF_ALLOCATOR_RESIZE, 0, 1, -1, -1},
		{"xallocx", SPROF_ALLOCATOR_EXPAND, 0, 1, -1, -1},
		{"sdallocx", SPROF_ALLOCATOR_FREE, 0, -1, -1, -1},
		{"tc_new", SPROF_ALLOCATOR_NEW, -1, 0, -1, -1},
		{"tc_deletearray_sized_aligned", SPROF_ALLOCATOR_FREE, 0, -1, -1, -1},
		{"mi_heap_malloc", SPROF_ALLOCATOR_NEW, -1, 1, -1, -1},
		{"mi_heap_reallocn", SPROF_ALLOCATOR_RESIZE, 1, 2, 3, -1},
		{"mi_reallocf", SPROF_ALLOCATOR_RESIZE_F, 0, 1, -1, -1},
		{"mi_zalloc_small", SPROF_ALLOCATOR_NEW, -1, 0, -1, -1},
		{"__cxa_allocate_exception", SPROF_ALLOCATOR_THROWS, -1, -1, -1, -1},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct sprof_allocator *found = sprof_allocator_find(rows[i].name);

		if (!found)
			fail_msg("%s is not known", rows[i].name);
		assert_int_equal(found->kind, rows[i].kind);
		assert_int_equal(found->pointer, rows[i].pointer);
		assert_int_equal(found->size, rows[i].size);
		assert_int_equal(found->count, rows[i].count);
		assert_int_equal(found->alignment, rows[i].alignment);
	}
}

static void other_names(void **state)
{
	static const char *const names[] = {"", "_", "mall", "malloc_usable_size", "strdup", "je_",
		"mi_strdup", "xmalloc", "tc__Znwm", "__libc_", "_Znw", "_ZnwmPv", "mi_free_", "zz"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (sprof_allocator_find(names[i]))
			fail_msg("%s is known", names[i]);
	}
}

static uint64_t size_of(const char *name, uint64_t first, uint64_t second, uint64_t third)
{
	const uint64_t arguments[6] = {first, second, third};

	return sprof_allocator_size(sprof_allocator_find(name), arguments);
}

static void sizes(void **state)
{
	assert_int_equal(size_of("malloc", 7, 8, 9), 7);
	assert_int_equal(size_of("calloc", 7, 8, 9), 56);
	assert_int_equal(size_of("reallocarray", 1, 8, 9), 72);
	assert_int_equal(size_of("memalign", 64, 8, 9), 8);
	assert_int_equal(size_of("free", 64, 8, 9), 0);
	assert_int_equal(size_of("calloc", UINT64_C(1) << 33, UINT64_C(1) << 31, 0), UINT64_MAX);
	assert_int_equal(size_of("calloc", 0, UINT64_MAX, 0), 0);
}

TEST_MAIN("allocators")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_names),
		cmocka_unit_test(other_names),
		cmocka_unit_test(sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
