/* All functions of a file, the FDEs of a stripped one, and the package that has its debug file. */
#include "elfsym/names/listing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elfsym/debug-files/package.h"
#include "elfsym/elf/image.h"
#include "tests/unit/check.h"
#include "tests/unit/elfsym/fixture.h"

static const struct sprof_debug_places nowhere = {.root = "/nowhere"};

static struct sprof_listing list(struct sprof_modules *modules, const char *name)
{
	struct sprof_listing listing;
	struct sprof_error err;

	assert_true(sprof_listing_create(open_module(modules, subject_path(name)), &nowhere, NULL,
		SPROF_LISTING_FILE, &listing, &err));
	return listing;
}

/* The link-time address of a place of a subject. */
static uint64_t address_of(struct sprof_modules *modules, const char *name, const char *label)
{
	struct sprof_image *image;
	struct sprof_error err;
	uint64_t address;

	assert_true(sprof_image_open(open_module(modules, subject_path(name)), &image, &err));
	assert_true(sprof_image_address(image, subject_place(name, label).offset, &address));
	sprof_image_close(image);
	return address;
}

static bool has(const struct sprof_listing *listing, uint64_t address, const char *name)
{
	for (size_t i = 0; i < listing->count; i++) {
		if (listing->items[i].address == address &&
			strcmp(listing->items[i].name, name) == 0)
			return true;
	}
	return false;
}

static void symbols_with_their_source(void **state)
{
	struct sprof_modules *modules = sprof_modules_create();
	struct sprof_listing listing = list(modules, "subject");
	uint64_t outer = address_of(modules, "subject", "outer");
	const struct sprof_listed *found = sprof_listing_find(&listing, outer + 1);

	assert_non_null(found);
	assert_true(found->address <= outer && outer < found->address + found->size);
	assert_true(has(&listing, found->address, "outer"));
	assert_false(has(&listing, found->address, "inner"));
	assert_string_equal(found->source, ".symtab");
	for (size_t i = 1; i < listing.count; i++)
		assert_true(listing.items[i - 1].address <= listing.items[i].address);
	sprof_listing_finish(&listing);
	sprof_modules_destroy(modules);
}

/* What the unwind tables know of a stripped file: where each function begins. */
static void functions_of_a_stripped_file(void **state)
{
	struct sprof_modules *modules = sprof_modules_create();
	struct sprof_listing full = list(modules, "subject");
	struct sprof_listing stripped = list(modules, "subject-stripped");
	const struct sprof_listed *named =
		sprof_listing_find(&full, address_of(modules, "subject", "outer"));
	const struct sprof_listed *found = sprof_listing_find(&stripped, named->address + 1);
	char expected[64];

	assert_non_null(found);
	assert_int_equal(found->address, named->address);
	assert_int_equal(found->size, named->size);
	assert_string_equal(found->source, "FDE only");
	snprintf(expected, sizeof(expected), "subject-stripped+0x%lx",
		(unsigned long)named->address);
	assert_string_equal(found->name, expected);
	sprof_listing_finish(&full);
	sprof_listing_finish(&stripped);
	sprof_modules_destroy(modules);
}

static void no_elf_file(void **state)
{
	struct sprof_modules *modules = sprof_modules_create();
	struct sprof_listing listing;
	struct sprof_error err = {0};

	assert_false(sprof_listing_create(memory_module(modules, "text", "no ELF file", 11),
		&nowhere, NULL, SPROF_LISTING_FILE, &listing, &err));
	assert_int_equal(err.kind, SPROF_ERROR_UNSUPPORTED);
	sprof_modules_destroy(modules);
}

static void write_list(const char *folder, const char *name, const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void the_package_of_a_file(void **state)
{
	char folder[] = "/tmp/sprof-lists-XXXXXX", name[64], command[64];

	assert_non_null(mkdtemp(folder));
	write_list(folder, "coreutils.list", "/.\n/bin\n/bin/cat\n/usr/bin/tac\n");
	write_list(folder, "libc6:amd64.list", "/.\n/lib/x86_64-linux-gnu/libc.so.6\n");
	write_list(folder, "coreutils.md5sums", "/usr/bin/odd\n");
	write_list(folder, "tack.list", "/.\n/usr/bin/tack\n");
	assert_true(sprof_package_of_debug_file(folder, "/usr/bin/tac", name, sizeof(name)));
	assert_string_equal(name, "coreutils-dbgsym");
	assert_true(sprof_package_of_debug_file(folder, "/usr/bin/cat", name, sizeof(name)));
	assert_true(sprof_package_of_debug_file(
		folder, "/usr/lib/x86_64-linux-gnu/libc.so.6", name, sizeof(name)));
	assert_string_equal(name, "libc6-dbg");
	assert_false(sprof_package_of_debug_file(folder, "/usr/bin/odd", name, sizeof(name)));
	assert_false(sprof_package_of_debug_file(folder, "/usr/sbin", name, sizeof(name)));
	assert_false(sprof_package_of_debug_file("/nowhere", "/bin/cat", name, sizeof(name)));
	snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

static void the_archive_of_debug_packages(void **state)
{
	char folder[] = "/tmp/sprof-release-XXXXXX", path[64], line[160], command[64];

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/os-release", folder);
	write_list(folder, "os-release",
		"NAME=\"Debian GNU/Linux\"\nVERSION_CODENAME=bookworm\nID=debian\n");
	assert_true(sprof_package_archive(path, "gcc-12-dbgsym", line, sizeof(line)));
	assert_string_equal(line, "deb http://deb.debian.org/debian-debug bookworm-debug main");
	assert_false(sprof_package_archive(path, "libc6-dbg", line, sizeof(line)));
	write_list(folder, "os-release", "ID=ubuntu\nVERSION_CODENAME=\"noble\"\n");
	assert_true(sprof_package_archive(path, "gcc-13-dbgsym", line, sizeof(line)));
	assert_string_equal(line, "deb http://ddebs.ubuntu.com noble main universe");
	write_list(folder, "os-release", "ID=arch\n");
	assert_false(sprof_package_archive(path, "gcc-dbgsym", line, sizeof(line)));
	assert_false(sprof_package_archive("/nowhere", "gcc-dbgsym", line, sizeof(line)));
	snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

TEST_MAIN("listing")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(symbols_with_their_source),
		cmocka_unit_test(functions_of_a_stripped_file),
		cmocka_unit_test(no_elf_file),
		cmocka_unit_test(the_package_of_a_file),
		cmocka_unit_test(the_archive_of_debug_packages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
