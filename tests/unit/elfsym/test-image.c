/* Segments and translation on real files; what is no ELF file of this machine is refused. */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elfsym/elf/image.h"
#include "tests/unit/check.h"
#include "tests/unit/elfsym/fixture.h"

static struct sprof_image *open_image(struct sprof_modules *modules, const char *path)
{
	struct sprof_image *image;
	struct sprof_error err;

	assert_true(sprof_image_open(open_module(modules, path), &image, &err));
	return image;
}

/* Every byte of a segment is found from its offset and from its address. */
static void check_segments(const struct sprof_image *image)
{
	bool executable = false;

	assert_true(image->segment_count > 0);
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct sprof_segment *segment = &image->segments[i];
		uint64_t address, offset;

		executable |= segment->executable;
		if (!segment->file_size)
			continue;
		assert_true(sprof_image_address(image, segment->offset, &address));
		assert_int_equal(address, segment->address);
		assert_true(sprof_image_offset(image, segment->address, &offset));
		assert_int_equal(offset, segment->offset);
		assert_int_equal(sprof_image_executable(image, segment->address),
			segment->executable && segment->address);
		assert_ptr_equal(sprof_image_at(image, segment->address, segment->file_size),
			image->bytes + segment->offset);
		assert_null(sprof_image_at(image, segment->address, segment->file_size + 1));
		assert_null(sprof_image_at(image, segment->address + 1, SIZE_MAX));
	}
	assert_true(executable);
	assert_false(sprof_image_address(image, UINT64_MAX, &(uint64_t){0}));
	assert_false(sprof_image_offset(image, UINT64_MAX, &(uint64_t){0}));
	assert_false(sprof_image_executable(image, UINT64_MAX));
}

static void test_files(void **state)
{
	static const char *const names[] = {
		"subject", "subject-no-pie", "subject-static", "subject-stripped"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct sprof_modules *modules = sprof_modules_create();
		struct sprof_image *image = open_image(modules, subject_path(names[i]));

		check_segments(image);
		assert_int_equal(image->executable_file, i == 1 || i == 2);
		/* The linker leaves .eh_frame_hdr out of static programs. */
		if (strcmp(names[i], "subject-static") != 0)
			assert_non_null(sprof_image_at(
				image, image->eh_frame_hdr_address, image->eh_frame_hdr_size));
		sprof_image_close(image);
		sprof_modules_destroy(modules);
	}
}

/* The bytes at the place that the subject calls its main are the file's. */
static void test_same_bytes(void **state)
{
	struct sprof_modules *modules = sprof_modules_create();
	struct subject_place place = subject_place("subject-no-pie", "main");
	struct sprof_image *image = open_image(modules, subject_path("subject-no-pie"));
	uint64_t address;

	assert_true(sprof_image_address(image, place.offset, &address));
	assert_int_not_equal(address, place.offset);
	assert_ptr_equal(sprof_image_at(image, address, 1), image->bytes + place.offset);
	sprof_image_close(image);
	sprof_modules_destroy(modules);
}

static void test_vdso(void **state)
{
	struct sprof_modules *modules = sprof_modules_create();
	struct sprof_module *module = vdso_module(modules);
	struct sprof_image *image;
	struct sprof_error err;

	if (!module)
		skip();
	assert_true(sprof_image_open(module, &image, &err));
	check_segments(image);
	sprof_image_close(image);
	sprof_modules_destroy(modules);
}

static void check_refused(const void *bytes, size_t size)
{
	struct sprof_modules *modules = sprof_modules_create();
	struct sprof_image *image;
	struct sprof_error err = {0};

	assert_false(
		sprof_image_open(memory_module(modules, "refused", bytes, size), &image, &err));
	assert_true(err.kind == SPROF_ERROR_UNSUPPORTED || err.kind == SPROF_ERROR_IO);
	assert_non_null(strstr(err.message, "refused"));
	sprof_modules_destroy(modules);
}

static void test_refused(void **state)
{
	size_t size;
	unsigned char *bytes = read_file(subject_path("subject"), &size);
	Elf64_Ehdr header;

	check_refused("", 0);
	check_refused("\177ELF", 4);
	check_refused("#!/bin/sh\n", 10);
	check_refused(bytes, sizeof(header) - 1);
	check_refused(bytes, sizeof(header));
	memcpy(&header, bytes, sizeof(header));

	bytes[EI_CLASS] = ELFCLASS32;
	check_refused(bytes, size);
	bytes[EI_CLASS] = header.e_ident[EI_CLASS];
	bytes[EI_DATA] ^= ELFDATA2LSB ^ ELFDATA2MSB;
	check_refused(bytes, size);
	bytes[EI_DATA] = header.e_ident[EI_DATA];
	((Elf64_Ehdr *)bytes)->e_machine = EM_SPARC;
	check_refused(bytes, size);
	((Elf64_Ehdr *)bytes)->e_machine = header.e_machine;
	((Elf64_Ehdr *)bytes)->e_type = ET_REL;
	check_refused(bytes, size);
	((Elf64_Ehdr *)bytes)->e_type = header.e_type;
	((Elf64_Ehdr *)bytes)->e_phoff = size;
	check_refused(bytes, size);
	free(bytes);
}

/* A segment that claims more than the file holds translates addresses but gives no bytes. */
static void test_truncated(void **state)
{
	size_t size;
	unsigned char *bytes = read_file(subject_path("subject-static"), &size);
	struct sprof_modules *modules = sprof_modules_create();
	struct sprof_image *image;
	struct sprof_error err;
	uint64_t address;

	assert_true(
		sprof_image_open(memory_module(modules, "truncated", bytes, 4096), &image, &err));
	assert_true(sprof_image_address(image, size / 2, &address));
	assert_null(sprof_image_at(image, address, 1));
	assert_int_equal(image->eh_frame_hdr_address, 0);
	sprof_image_close(image);
	sprof_modules_destroy(modules);
	free(bytes);
}

static void test_not_openable(void **state)
{
	struct sprof_module missing = {.path = "/gone", .fd = -1, .open_errno = EACCES};
	struct sprof_module anonymous = {
		.kind = SPROF_MODULE_ANONYMOUS, .path = "[anon]", .fd = -1};
	struct sprof_modules *modules = sprof_modules_create();
	struct sprof_image *image;
	struct sprof_error err = {0};

	assert_false(sprof_image_open(&missing, &image, &err));
	assert_int_equal(err.os_errno, EACCES);
	assert_false(sprof_image_open(&anonymous, &image, &err));
	assert_int_equal(err.kind, SPROF_ERROR_UNSUPPORTED);
	assert_false(sprof_image_open(open_module(modules, "/dev/zero"), &image, &err));
	assert_int_equal(err.kind, SPROF_ERROR_UNSUPPORTED);
	assert_false(sprof_image_open(open_module(modules, "/"), &image, &err));
	assert_int_equal(err.kind, SPROF_ERROR_UNSUPPORTED);
	assert_false(sprof_image_open_path("/no/such/file", &image, &err));
	assert_int_equal(err.os_errno, ENOENT);
	sprof_image_close(NULL);
	sprof_modules_destroy(modules);
}

TEST_MAIN("image")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_same_bytes),
		cmocka_unit_test(test_vdso),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_not_openable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
