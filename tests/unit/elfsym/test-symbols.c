/* The session: every source of names, options, caching, and places that have no name. */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elfsym/names/symbols.h"
#include "tests/unit/check.h"
#include "tests/unit/elfsym/fixture.h"

struct session {
	struct sprof_modules *modules;
	struct sprof_symbols *symbols;
};

static struct session begin(const struct sprof_symbols_options *options)
{
	struct session session = {.modules = sprof_modules_create()};
	struct sprof_error err;

	assert_true(sprof_symbols_create(session.modules, options, &session.symbols, &err));
	return session;
}

static void end(struct session *session)
{
	sprof_symbols_destroy(session->symbols);
	sprof_modules_destroy(session->modules);
}

static struct sprof_locations resolve(
	struct session *session, const struct sprof_module *module, uint64_t offset)
{
	struct sprof_locations locations;
	struct sprof_error err;

	assert_true(sprof_symbols_resolve(session->symbols, module->id, offset, &locations, &err));
	assert_true(locations.count >= 1);
	assert_false(locations.items[locations.count - 1].inlined);
	return locations;
}

static struct sprof_locations resolve_subject(
	struct session *session, const char *file, const char *label)
{
	struct subject_place place = subject_place("subject", label);

	return resolve(session, open_module(session->modules, subject_path(file)), place.offset);
}

static void check_inline_chain(const struct sprof_locations *locations)
{
	assert_int_equal(locations->count, 3);
	assert_string_equal(locations->items[0].function, "inner");
	assert_string_equal(locations->items[1].function, "middle");
	assert_string_equal(locations->items[2].function, "outer");
	assert_true(locations->items[0].inlined && locations->items[1].inlined);
	assert_ptr_equal(locations->items[0].function, locations->items[0].linkage);
	assert_ptr_equal(locations->items[0].file, locations->items[2].file);
	assert_int_equal(locations->items[0].file[0], '/');
	assert_int_equal(access(locations->items[0].file, R_OK), 0);
}

static void test_inlines(void **state)
{
	struct session session = begin(&(struct sprof_symbols_options){0});
	struct sprof_locations locations = resolve_subject(&session, "subject", "inlined");

	check_inline_chain(&locations);
	end(&session);
}

static void test_no_inlines(void **state)
{
	struct session session = begin(&(struct sprof_symbols_options){.no_inlines = true});
	struct sprof_locations locations = resolve_subject(&session, "subject", "inlined");
	struct subject_place place = subject_place("subject", "inlined");

	assert_int_equal(locations.count, 1);
	assert_string_equal(locations.items[0].function, "outer");
	assert_int_equal(locations.items[0].line, place.lines[0]);
	end(&session);
}

/* The same place gives the same answer, from memory. */
static void test_cached(void **state)
{
	struct session session = begin(&(struct sprof_symbols_options){0});
	struct sprof_locations first = resolve_subject(&session, "subject", "main"), again;
	const char *function = first.items[0].function;

	resolve_subject(&session, "subject", "inlined");
	again = resolve_subject(&session, "subject", "main");
	assert_ptr_equal(again.items[0].function, function);
	assert_int_equal(again.count, first.count);
	end(&session);
}

static void check_raw(struct session *session, const struct sprof_module *module, uint64_t offset,
	const char *expected)
{
	struct sprof_locations locations = resolve(session, module, offset);

	assert_int_equal(locations.count, 1);
	assert_true(locations.items[0].unresolved);
	assert_string_equal(locations.items[0].function, expected);
	assert_null(locations.items[0].file);
}

static void test_unresolved(void **state)
{
	struct session session = begin(&(struct sprof_symbols_options){.debug_root = "/nowhere"});
	struct sprof_module_key anonymous = {
		.kind = SPROF_MODULE_ANONYMOUS, .path = "[jit of app]", .inode = 4711};
	struct sprof_module_key gone = {.kind = SPROF_MODULE_FILE, .path = "/opt/app/gone.so"};
	struct subject_place place = subject_place("subject", "outer");
	char expected[64];
	bool is_new;

	snprintf(expected, sizeof(expected), "subject-stripped+0x%lx", (unsigned long)place.offset);
	check_raw(&session, open_module(session.modules, subject_path("subject-stripped")),
		place.offset, expected);
	check_raw(&session, open_module(session.modules, subject_path("subject")), 0xffffffffff,
		"subject+0xffffffffff");
	check_raw(&session, sprof_modules_intern(session.modules, &anonymous, &is_new),
		0x7fff12345678, "[jit of app]");
	check_raw(&session, sprof_modules_intern(session.modules, &gone, &is_new), 0x1234,
		"gone.so+0x1234");
	check_raw(&session, memory_module(session.modules, "[vdso]", "garbage", 7), 0x10,
		"[vdso]+0x10");
	end(&session);
}

/* The offset in its file of something in this process. */
static uint64_t own_offset(const void *pointer)
{
	struct link_map *map;
	const ElfW(Ehdr) *header;
	const ElfW(Phdr) *segments;
	Dl_info info;
	uint64_t address;

	assert_true(dladdr1(pointer, &info, (void **)&map, RTLD_DL_LINKMAP));
	address = (uintptr_t)pointer - map->l_addr;
	header = info.dli_fbase;
	segments = (const void *)((const char *)header + header->e_phoff);
	for (size_t i = 0; i < header->e_phnum; i++)
		if (segments[i].p_type == PT_LOAD &&
			address - segments[i].p_vaddr < segments[i].p_filesz)
			return address - segments[i].p_vaddr + segments[i].p_offset;
	fail();
	return 0;
}

/* A stripped library of the system: whatever it exports is known by name, here without debug file.
 */
static void test_libc(void **state)
{
	struct session session = begin(&(struct sprof_symbols_options){.debug_root = "/nowhere"});
	void *library = dlopen("libc.so.6", RTLD_NOW), *function;
	struct sprof_locations locations;
	Dl_info info;

	assert_non_null(library);
	function = dlsym(library, "malloc");
	assert_true(function && dladdr(function, &info));
	function = dlsym(library, "getdelim");
	locations = resolve(
		&session, open_module(session.modules, info.dli_fname), own_offset(function));
	assert_false(locations.items[0].unresolved);
	assert_non_null(strstr(locations.items[0].function, "getdelim"));
	end(&session);
	dlclose(library);
}

static void test_vdso(void **state)
{
	struct session session = begin(&(struct sprof_symbols_options){0});
	struct sprof_module *module = vdso_module(session.modules);
	size_t named = 0;

	if (!module)
		skip();
	for (uint64_t offset = 0; offset < module->image_size; offset += 4) {
		struct sprof_locations locations = resolve(&session, module, offset);

		named += strstr(locations.items[0].function, "clock_gettime") != NULL;
	}
	assert_true(named > 0);
	end(&session);
}

/* The build id of subject-stripped, in hexadecimal, from its note. */
static void read_build_id(char text[41])
{
	size_t size;
	unsigned char *bytes = read_file(subject_path("subject-stripped"), &size);
	const unsigned char *note = memmem(bytes, size, "\24\0\0\0\3\0\0\0GNU", 12);

	assert_non_null(note);
	for (size_t i = 0; i < 20; i++)
		snprintf(text + 2 * i, 3, "%02x", note[12 + i]);
	free(bytes);
}

/* A tree like /usr/lib/debug below the test's folder, with one link to a file as the debug file. */
static void make_debug_root(const char *root, const char *target)
{
	char id[41], path[4200];

	read_build_id(id);
	mkdir(root, 0777);
	snprintf(path, sizeof(path), "%s/.build-id", root);
	mkdir(path, 0777);
	snprintf(path, sizeof(path), "%s/.build-id/%.2s", root, id);
	mkdir(path, 0777);
	snprintf(path, sizeof(path), "%s/.build-id/%.2s/%s.debug", root, id, id + 2);
	unlink(path);
	assert_int_equal(symlink(subject_path(target), path), 0);
}

static void test_separate_debug_file(void **state)
{
	char root[4100];
	struct session session;
	struct sprof_locations locations;

	snprintf(root, sizeof(root), "%s", subject_path("debug-root"));
	make_debug_root(root, "subject.debug");
	session = begin(&(struct sprof_symbols_options){.debug_root = root});
	locations = resolve_subject(&session, "subject-stripped", "inlined");
	check_inline_chain(&locations);
	/* From the debug file's symbol table: */
	locations = resolve_subject(&session, "subject-stripped", "weak");
	assert_string_equal(locations.items[0].function, "asm_local");
	end(&session);
}

/* A debug file of another build would give wrong names. */
static void test_wrong_debug_file(void **state)
{
	char root[4100];
	struct session session;
	struct sprof_locations locations;

	snprintf(root, sizeof(root), "%s", subject_path("wrong-debug-root"));
	make_debug_root(root, "subject-dwarf4");
	session = begin(&(struct sprof_symbols_options){.debug_root = root});
	locations = resolve_subject(&session, "subject-stripped", "outer");
	assert_true(locations.items[0].unresolved);
	end(&session);
}

static void write_text(int fd, const char *text)
{
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

/* An open file without a name. */
static int unnamed_file(void)
{
	char path[] = "/tmp/sprof-symbols-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	unlink(path);
	return fd;
}

static struct sprof_module *anonymous_module(struct sprof_modules *modules, const char *path)
{
	struct sprof_module_key key = {.kind = SPROF_MODULE_ANONYMOUS, .path = path, .inode = 4711};
	bool is_new;

	return sprof_modules_intern(modules, &key, &is_new);
}

static void check_remedy(struct session *session, const char *path, const char *remedy)
{
	struct sprof_module *module = anonymous_module(session->modules, path);
	struct sprof_symbols_gap gap;
	struct sprof_error err;

	check_raw(session, module, 0x7f0000002000, path);
	check_raw(session, module, 0x7f0000003000, path);
	assert_true(sprof_symbols_explain(session->symbols, module->id, &gap, &err));
	if (!strstr(gap.help, remedy))
		fail_msg("%s: %s", path, gap.help);
}

/* Each runtime has its own way to write a perf map. Java refuses the second option without the first. */
static void generated_code_has_the_remedy_of_its_runtime(void **state)
{
	struct session session = begin(&(struct sprof_symbols_options){0});

	check_remedy(&session, "[jit of node]", "node --perf-basic-prof");
	check_remedy(&session, "[jit of java]", "jcmd 4711 Compiler.perfmap");
	check_remedy(&session, "[jit of java]",
		"java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit");
	check_remedy(&session, "[jit of .NET]", "DOTNET_PerfMapEnabled=1");
	check_remedy(&session, "[jit of python3.12]", "python3 -X perf");
	check_remedy(&session, "[jit of ruby3.1]", "ruby --yjit-perf");
	check_remedy(&session, "[jit of node-20]", "node --perf-basic-prof");
	check_remedy(&session, "[jit of node]", "(writes a perf map)");
	check_remedy(&session, "[jit of rubyfish]", "/tmp/perf-PID.map");
	check_remedy(&session, SPROF_MODULE_JIT, "run it unpacked");
	check_remedy(&session, "[jit of python3.11]", "/tmp/perf-PID.map");
	check_remedy(&session, "[jit of app]", "/tmp/perf-PID.map");
	end(&session);
}

/* A perf map is read again when it has grown; what had a name keeps it. */
static void test_perf_map(void **state)
{
	struct session session = begin(&(struct sprof_symbols_options){0});
	struct sprof_module *module = anonymous_module(session.modules, "[jit of app]");
	struct sprof_symbols_gap gap;
	struct sprof_error err;

	module->fd = unnamed_file();
	write_text(module->fd, "7f0000001000 100 jit::first\n");
	assert_string_equal(
		resolve(&session, module, 0x7f0000001080).items[0].function, "jit::first");
	check_raw(&session, module, 0x7f0000002000, "[jit of app]");
	write_text(module->fd, "7f0000002000 100 jit::second\n");
	assert_string_equal(
		resolve(&session, module, 0x7f0000002004).items[0].function, "jit::second");
	assert_true(sprof_symbols_explain(session.symbols, module->id, &gap, &err));
	assert_string_equal(gap.why, "not in the perf map of the process");
	end(&session);
}

/* The kernel's functions, from a System.map instead of /proc/kallsyms. */
static void test_kernel(void **state)
{
	char path[32];
	int fd = unnamed_file();
	const struct sprof_sysmap sysmap = {.path = path, .module = SPROF_MODULE_KERNEL};
	struct session session;
	struct sprof_module *module;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	write_text(fd, "ffffffff81000000 T do_work\nffffffff81000100 D data\n");
	session = begin(&(struct sprof_symbols_options){.sysmaps = &sysmap, .sysmap_count = 1});
	module = anonymous_module(session.modules, SPROF_MODULE_KERNEL);
	assert_string_equal(
		resolve(&session, module, 0xffffffff81000010).items[0].function, "do_work");
	check_raw(&session, module, 0xffffffff81000100, "[kernel]+0xffffffff81000100");
	end(&session);
	close(fd);
}

/* Why there is no name: each kind of module has its own reason. */
static void test_explanations(void **state)
{
	struct session session = begin(&(struct sprof_symbols_options){.debug_root = "/nowhere"});
	struct sprof_module_key gone = {
		.kind = SPROF_MODULE_FILE, .path = "/opt/app/gone.so", .deleted = true};
	struct sprof_symbols_gap gap;
	struct sprof_module *module;
	struct sprof_error err;
	bool is_new;

	module = open_module(session.modules, subject_path("subject-stripped"));
	assert_true(sprof_symbols_explain(session.symbols, module->id, &gap, &err));
	assert_non_null(strstr(gap.why, "stripped, no debug file for build id "));
	assert_non_null(strstr(gap.help, "--debug-dir"));
	module = sprof_modules_intern(session.modules, &gone, &is_new);
	assert_true(sprof_symbols_explain(session.symbols, module->id, &gap, &err));
	assert_string_equal(gap.why, "deleted while in use");
	module->open_errno = ESTALE;
	assert_true(sprof_symbols_explain(session.symbols, module->id, &gap, &err));
	assert_non_null(strstr(gap.why, "replaced"));
	module = anonymous_module(session.modules, "[anon]");
	assert_true(sprof_symbols_explain(session.symbols, module->id, &gap, &err));
	assert_non_null(strstr(gap.why, "no /tmp/perf-PID.map"));
	end(&session);
}

TEST_MAIN("symbols")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_inlines),
		cmocka_unit_test(test_no_inlines),
		cmocka_unit_test(test_cached),
		cmocka_unit_test(test_unresolved),
		cmocka_unit_test(test_libc),
		cmocka_unit_test(test_vdso),
		cmocka_unit_test(test_separate_debug_file),
		cmocka_unit_test(test_wrong_debug_file),
		cmocka_unit_test(generated_code_has_the_remedy_of_its_runtime),
		cmocka_unit_test(test_perf_map),
		cmocka_unit_test(test_kernel),
		cmocka_unit_test(test_explanations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
