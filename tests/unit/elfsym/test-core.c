/*
 * elfsym/core: a core that is made here, whole and broken in each of its parts.
 */
#include "elfsym/core/core.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/procfs.h>
#include <unistd.h>

#include "tests/unit/check.h"

#if defined(__x86_64__)
enum { MACHINE = EM_X86_64 };
#else
enum { MACHINE = EM_AARCH64 };
#endif

enum {
	TEXT = 0x10000,
	DATA = 0x20000,
	STACK = 0x30000,
	PAGE = 0x1000,
	HEADERS = sizeof(Elf64_Ehdr) + 4 * sizeof(Elf64_Phdr),
	NOTES = 0x800,
	SIZE = HEADERS + NOTES + 2 * PAGE,
};

/* The core while it is made. */
struct made {
	uint8_t bytes[SIZE];
	size_t notes; /* their size */
};

static void add_note(struct made *made, uint32_t type, const void *description, size_t size)
{
	const Elf64_Nhdr header = {sizeof("CORE"), (uint32_t)size, type};
	uint8_t *at = made->bytes + HEADERS + made->notes;

	memcpy(at, &header, sizeof(header));
	memcpy(at + sizeof(header), "CORE\0\0\0", 8);
	memcpy(at + sizeof(header) + 8, description, size);
	made->notes += sizeof(header) + 8 + (size + 3) / 4 * 4;
	assert_true(made->notes <= NOTES);
}

static void add_status(struct made *made, pid_t tid, int signal)
{
	struct elf_prstatus status = {.pr_pid = tid, .pr_cursig = (short)signal};

	memset(&status.pr_reg, tid, sizeof(status.pr_reg));
	add_note(made, NT_PRSTATUS, &status, sizeof(status));
}

static void add_files(struct made *made)
{
	struct {
		uint64_t count, page, words[2][3];
		char paths[16];
	} files = {2, PAGE, {{TEXT, TEXT + PAGE, 1}, {DATA - PAGE, DATA + PAGE, 2}}, "/a\nb\0/c d"};

	add_note(made, NT_FILE, &files, sizeof(files));
}

static void add_segment(struct made *made, unsigned index, const Elf64_Phdr *header)
{
	memcpy(made->bytes + sizeof(Elf64_Ehdr) + index * sizeof(*header), header, sizeof(*header));
}

/* Text that only the list of files has, data of a file, and a stack. */
static void make(struct made *made)
{
	struct elf_prpsinfo info = {.pr_pid = 7, .pr_psargs = "a command"};
	const Elf64_auxv_t addresses[] = {{AT_ENTRY, {TEXT + 8}}, {AT_NULL, {0}}};
	const Elf64_Ehdr header = {
		.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_CORE,
		.e_machine = MACHINE,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(header),
		.e_ehsize = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 4,
	};

	/* A name of this length has no NUL. */
	memcpy(info.pr_fname, "sixteen-letters!", sizeof(info.pr_fname));
	memset(made, 0, sizeof(*made));
	memcpy(made->bytes, &header, sizeof(header));
	add_status(made, 7, 6);
	add_note(made, NT_PRPSINFO, &info, sizeof(info));
	add_note(made, NT_AUXV, addresses, sizeof(addresses));
	add_files(made);
	add_status(made, 9, 6);
	add_segment(made, 0,
		&(Elf64_Phdr){.p_type = PT_NOTE, .p_offset = HEADERS, .p_filesz = made->notes});
	add_segment(made, 1,
		&(Elf64_Phdr){.p_type = PT_LOAD,
			.p_flags = PF_R | PF_W,
			.p_vaddr = STACK,
			.p_offset = HEADERS + NOTES + PAGE,
			.p_filesz = PAGE,
			.p_memsz = 2 * PAGE});
	add_segment(made, 2,
		&(Elf64_Phdr){.p_type = PT_LOAD,
			.p_flags = PF_R | PF_X,
			.p_vaddr = DATA,
			.p_offset = HEADERS + NOTES,
			.p_filesz = PAGE,
			.p_memsz = PAGE});
	for (size_t i = 0; i < 2 * PAGE; i++)
		made->bytes[HEADERS + NOTES + i] = (uint8_t)(i / 16);
}

static bool open_part(const struct made *made, size_t size, struct sprof_core **ret)
{
	struct sprof_error err = {0};
	int fd = memfd_create("core", MFD_CLOEXEC);
	bool ok;

	assert_int_equal(write(fd, made->bytes, size), size);
	ok = sprof_core_open_fd(fd, "made", ret, &err);
	assert_true(ok || strstr(err.message, "made"));
	return ok;
}

static struct sprof_core *open_core(const struct made *made)
{
	struct sprof_core *core;

	assert_true(open_part(made, SIZE, &core));
	return core;
}

static void notes_are_read(void **state)
{
	struct made made;
	struct sprof_core *core;

	make(&made);
	core = open_core(&made);
	assert_int_equal(core->thread_count, 2);
	assert_int_equal(core->threads[0].tid, 7);
	assert_int_equal(core->threads[1].tid, 9);
	assert_int_equal(*(const uint8_t *)core->threads[1].registers, 9);
	assert_int_equal(core->signal, 6);
	assert_int_equal(core->pid, 7);
	assert_string_equal(core->name, "sixteen-letters!");
	assert_string_equal(core->command_line, "a command");
	assert_int_equal(core->entry, TEXT + 8);
	assert_false(core->is_cut);
	sprof_core_close(core);
}

static void memory_is_read_as_far_as_it_goes(void **state)
{
	struct made made;
	struct sprof_core *core;
	uint8_t bytes[64];

	make(&made);
	core = open_core(&made);
	assert_int_equal(sprof_core_read(core, DATA + 32, bytes, sizeof(bytes)), sizeof(bytes));
	assert_int_equal(bytes[0], 2);
	assert_int_equal(bytes[63], 5);
	assert_int_equal(sprof_core_read(core, DATA + PAGE - 16, bytes, sizeof(bytes)), 16);
	/* The core has the first page of the stack only. */
	assert_int_equal(sprof_core_read(core, STACK + PAGE - 8, bytes, sizeof(bytes)), 8);
	assert_int_equal(sprof_core_read(core, STACK + PAGE, bytes, sizeof(bytes)), 0);
	assert_int_equal(sprof_core_read(core, TEXT, bytes, sizeof(bytes)), 0);
	assert_int_equal(sprof_core_read(core, UINT64_MAX, bytes, sizeof(bytes)), 0);
	assert_null(sprof_core_find(core, DATA + PAGE));
	assert_non_null(sprof_core_find(core, STACK + PAGE));
	sprof_core_close(core);
}

static bool is_text(void *data, const struct sprof_core_file *file)
{
	return file->start == TEXT;
}

/* Without the numbers of the files, which are different each time. */
static void maps_have_pieces_and_files(void **state)
{
	static const char *const expected[] = {
		"10000-11000 r-xp 1000 00:00 /a\\012b",
		"1f000-20000 r--p 2000 00:00 /c d",
		"20000-21000 r-xp 3000 00:00 /c d",
		"30000-32000 rw-p 0 00:00 ",
	};
	const struct sprof_core_code code = {.is_code = is_text};
	struct made made;
	struct sprof_core *core;
	char *text, *line, *rest;

	make(&made);
	core = open_core(&made);
	text = sprof_core_maps(core, &code);
	assert_non_null(text);
	line = strtok_r(text, "\n", &rest);
	for (size_t i = 0; i < 4; i++, line = strtok_r(NULL, "\n", &rest)) {
		size_t head;
		const char *path;

		assert_non_null(line);
		head = (size_t)(strstr(line, "00:00 ") + 6 - line);
		assert_memory_equal(line, expected[i], head);
		path = line + head + strcspn(line + head, " ") + 1;
		assert_string_equal(path, expected[i] + head);
	}
	assert_null(line);
	free(text);
	sprof_core_close(core);
}

static void a_cut_core_says_so(void **state)
{
	struct made made;
	struct sprof_core *core;

	make(&made);
	assert_true(open_part(&made, SIZE - 1, &core));
	assert_true(core->is_cut);
	sprof_core_close(core);
	for (size_t size = 0; size < HEADERS + NOTES; size += 8) {
		if (open_part(&made, size, &core))
			sprof_core_close(core);
	}
}

static void any_byte_may_be_wrong(void **state)
{
	const struct sprof_core_code code = {.is_code = is_text};
	struct made made;
	struct sprof_core *core;

	for (size_t at = 0; at < HEADERS + NOTES; at++) {
		make(&made);
		made.bytes[at] ^= 0xff;
		if (!open_part(&made, SIZE, &core))
			continue;
		free(sprof_core_maps(core, &code));
		sprof_core_close(core);
	}
}

TEST_MAIN("core")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(notes_are_read),
		cmocka_unit_test(memory_is_read_as_far_as_it_goes),
		cmocka_unit_test(maps_have_pieces_and_files),
		cmocka_unit_test(a_cut_core_says_so),
		cmocka_unit_test(any_byte_may_be_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
