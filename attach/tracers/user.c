/*
 * Looks for names among those that a program's dynamic linker must find. Reads only the dynamic
 * section of ELF (elf(5)) and, for a program with a preinit function, its text. A corrupt file
 * counts as "no".
 */
#include "attach/tracers/user.h"

#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"

enum {
	MAX_HEADERS = 64,
	MAX_DYNAMIC = 256,
	MAX_NAMES = 16 * 1024 * 1024,
};

struct program {
	Elf64_Phdr headers[MAX_HEADERS];
	size_t header_count;
	Elf64_Dyn dynamic[MAX_DYNAMIC];
	size_t dynamic_count;
};

static bool read_at(int fd, void *buffer, size_t size, uint64_t offset)
{
	return pread(fd, buffer, size, (off_t)offset) == (ssize_t)size;
}

static bool read_headers(int fd, struct program *program)
{
	Elf64_Ehdr header;

	if (!read_at(fd, &header, sizeof(header), 0) ||
		memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
		header.e_ident[EI_CLASS] != ELFCLASS64 ||
		header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum > MAX_HEADERS)
		return false;
	program->header_count = header.e_phnum;
	return read_at(fd, program->headers, header.e_phnum * sizeof(Elf64_Phdr), header.e_phoff);
}

static bool read_dynamic(int fd, struct program *program)
{
	for (size_t i = 0; i < program->header_count; i++) {
		const Elf64_Phdr *header = &program->headers[i];

		if (header->p_type != PT_DYNAMIC)
			continue;
		program->dynamic_count = header->p_filesz / sizeof(Elf64_Dyn);
		return program->dynamic_count <= MAX_DYNAMIC &&
			read_at(fd, program->dynamic, program->dynamic_count * sizeof(Elf64_Dyn),
				header->p_offset);
	}
	return false;
}

static uint64_t dynamic_value(const struct program *program, Elf64_Sxword tag)
{
	for (size_t i = 0; i < program->dynamic_count; i++) {
		if (program->dynamic[i].d_tag == tag)
			return program->dynamic[i].d_un.d_val;
	}
	return 0;
}

/* The file offset of the data loaded at the address. 0: none. */
static uint64_t offset_of(const struct program *program, uint64_t address)
{
	for (size_t i = 0; i < program->header_count; i++) {
		const Elf64_Phdr *header = &program->headers[i];

		if (header->p_type == PT_LOAD && address >= header->p_vaddr &&
			address - header->p_vaddr < header->p_filesz)
			return address - header->p_vaddr + header->p_offset;
	}
	return 0;
}

/* The names in the dynamic section, separated by zeros. NULL: none. The caller frees them. */
static char *read_names(int fd, struct program *program, size_t *ret_size)
{
	uint64_t offset, size;
	char *names;

	if (!read_headers(fd, program) || !read_dynamic(fd, program))
		return NULL;
	offset = offset_of(program, dynamic_value(program, DT_STRTAB));
	size = dynamic_value(program, DT_STRSZ);
	if (!offset || !size || size > MAX_NAMES)
		return NULL;
	names = malloc(size);
	if (names && !read_at(fd, names, size, offset)) {
		free(names);
		return NULL;
	}
	*ret_size = size;
	return names;
}

bool sprof_ptrace_user_file(int fd)
{
	static const char name[] =
		"\0ptrace"; /* a whole string of the table, which starts with a 0 */
	SPROF_AUTO_FREE struct program *program = malloc(sizeof(*program));
	SPROF_AUTO_FREE char *names = NULL;
	size_t size;

	names = program ? read_names(fd, program, &size) : NULL;
	return names && memmem(names, size, name, sizeof(name));
}

/*
 * A runtime that was linked into the program need not export any name; it says its own in its
 * messages.
 */
static bool has_messages(int fd)
{
	static const char name[] = "LeakSanitizer";
	const off_t size = lseek(fd, 0, SEEK_END);
	void *bytes;
	bool found;

	bytes = size > 0 ? mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
	if (bytes == MAP_FAILED)
		return false;
	found = memmem(bytes, (size_t)size, name, sizeof(name) - 1);
	munmap(bytes, (size_t)size);
	return found;
}

bool sprof_leak_checker_name(const char *text, size_t size)
{
	static const char *const names[] = {
		"libasan.so", "liblsan.so", "libclang_rt.asan", "libclang_rt.lsan"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (memmem(text, size, names[i], strlen(names[i])))
			return true;
	}
	return false;
}

bool sprof_leak_checker_file(int fd)
{
	static const char asan[] = "\0__asan_init", lsan[] = "\0__lsan_init";
	SPROF_AUTO_FREE struct program *program = malloc(sizeof(*program));
	SPROF_AUTO_FREE char *names = NULL;
	size_t size;

	names = program ? read_names(fd, program, &size) : NULL;
	return names &&
		(sprof_leak_checker_name(names, size) || memmem(names, size, asan, sizeof(asan)) ||
			memmem(names, size, lsan, sizeof(lsan)) ||
			(dynamic_value(program, DT_PREINIT_ARRAY) && has_messages(fd)));
}
