/*
 * ELF files and in-memory images, through libelf: program headers, and the translation between file
 * offsets, link-time addresses and bytes. Does not handle sections, symbols and DWARF. Headers are
 * untrusted. A segment may claim to be larger than the file: addresses are still translated by that
 * claim, and every access to bytes is checked against the real size.
 */
#include "elfsym/elf/image.h"

#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/regular-file.h"

#if defined(__x86_64__)
enum { HOST_MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { HOST_MACHINE = EM_AARCH64 };
#else
#error "which ELF machine is this?"
#endif

enum {
	HOST_CLASS = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32,
	HOST_DATA = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB,
	/* A corrupt count must not cost memory; real files have about ten segments. */
	MAX_SEGMENTS = 4096,
};

/*
 * Reading a mapped device or FIFO could block or have side effects. A file written since would be
 * taken for the mapped one.
 */
static bool check_file(const struct sprof_module *module, struct sprof_error *err)
{
	struct stat status;

	if (module->fd < 0)
		return sprof_error_errno(err, module->open_errno ? module->open_errno : ENOENT,
			"open %s", module->path);
	if (fstat(module->fd, &status) < 0)
		return sprof_error_errno(err, errno, "stat %s", module->path);
	if (!S_ISREG(status.st_mode))
		return sprof_error_set(
			err, SPROF_ERROR_UNSUPPORTED, "%s is not a regular file", module->path);
	if (sprof_module_is_overwritten(module))
		return sprof_error_set(
			err, SPROF_ERROR_UNSUPPORTED, "%s has been overwritten", module->path);
	return true;
}

static bool begin_elf(
	struct sprof_image *image, const struct sprof_module *module, struct sprof_error *err)
{
	elf_version(EV_CURRENT);
	switch (module->kind) {
	case SPROF_MODULE_FILE:
		if (module->fd < 0 && module->image) { /* gone: only its mappings are left */
			image->elf = elf_memory(module->image, module->image_size);
			image->from_memory = true;
			image->memory_base = module->image_base;
			break;
		}
		if (!check_file(module, err))
			return false;
		image->elf = elf_begin(module->fd, ELF_C_READ_MMAP, NULL);
		break;
	case SPROF_MODULE_MEMORY:
		if (module->image)
			image->elf = elf_memory(module->image, module->image_size);
		break;
	case SPROF_MODULE_ANONYMOUS:
	case SPROF_MODULE_SCRIPT:
		return sprof_error_set(
			err, SPROF_ERROR_UNSUPPORTED, "%s has no ELF file", module->path);
	}
	if (!image->elf)
		return sprof_error_set(err, SPROF_ERROR_IO, "can't read %s as ELF: %s",
			module->path, elf_errmsg(-1));
	return true;
}

static bool check_header(
	struct sprof_image *image, const struct sprof_module *module, struct sprof_error *err)
{
	GElf_Ehdr header;

	image->bytes = (const uint8_t *)elf_rawfile(image->elf, &image->size);
	if (!image->bytes || elf_kind(image->elf) != ELF_K_ELF ||
		!gelf_getehdr(image->elf, &header))
		return sprof_error_set(
			err, SPROF_ERROR_UNSUPPORTED, "%s is not an ELF file", module->path);
	if (header.e_machine != HOST_MACHINE || header.e_ident[EI_CLASS] != HOST_CLASS ||
		header.e_ident[EI_DATA] != HOST_DATA)
		return sprof_error_set(err, SPROF_ERROR_UNSUPPORTED,
			"%s is for another machine than this one", module->path);
	/* dwz marks its file of shared data as relocatable. */
	if (header.e_type != ET_EXEC && header.e_type != ET_DYN &&
		(header.e_type != ET_REL || !image->is_separate))
		return sprof_error_set(err, SPROF_ERROR_UNSUPPORTED,
			"%s is neither a program nor a shared library", module->path);
	image->executable_file = header.e_type == ET_EXEC;
	return true;
}

/* Returns false if the range wraps around, which no real segment does. */
static bool add_segment(struct sprof_image *image, const GElf_Phdr *header)
{
	uint64_t end;

	if (__builtin_add_overflow(header->p_vaddr, header->p_memsz, &end) ||
		__builtin_add_overflow(header->p_offset, header->p_filesz, &end))
		return false;
	image->segments[image->segment_count++] = (struct sprof_segment){
		.address = header->p_vaddr,
		.offset = header->p_offset,
		.file_size =
			header->p_filesz < header->p_memsz ? header->p_filesz : header->p_memsz,
		.memory_size = header->p_memsz,
		.executable = header->p_flags & PF_X,
	};
	return true;
}

static bool read_segments(
	struct sprof_image *image, const struct sprof_module *module, struct sprof_error *err)
{
	GElf_Phdr header;
	size_t count;

	if (elf_getphdrnum(image->elf, &count) < 0 || count > MAX_SEGMENTS)
		return sprof_error_set(err, SPROF_ERROR_UNSUPPORTED,
			"%s has a broken program header table", module->path);
	image->segments = calloc(count + 1, sizeof(*image->segments));
	if (!image->segments)
		return sprof_error_no_memory(err);
	for (size_t i = 0; i < count; i++) {
		if (!gelf_getphdr(image->elf, (int)i, &header))
			return sprof_error_set(err, SPROF_ERROR_UNSUPPORTED,
				"%s has a broken program header table", module->path);
		if (header.p_type == PT_LOAD) {
			add_segment(image, &header);
		} else if (header.p_type == PT_GNU_EH_FRAME) {
			image->eh_frame_hdr_address = header.p_vaddr;
			image->eh_frame_hdr_size = header.p_filesz;
		}
	}
	if (!image->eh_frame_hdr_size ||
		!sprof_image_at(image, image->eh_frame_hdr_address, image->eh_frame_hdr_size))
		image->eh_frame_hdr_address = image->eh_frame_hdr_size = 0;
	return true;
}

static bool open_image(const struct sprof_module *module, bool is_separate,
	struct sprof_image **ret, struct sprof_error *err)
{
	struct sprof_image *image = calloc(1, sizeof(*image));

	if (!image)
		return sprof_error_no_memory(err);
	image->own_fd = -1;
	image->is_separate = is_separate;
	if (!begin_elf(image, module, err) || !check_header(image, module, err) ||
		!read_segments(image, module, err)) {
		sprof_image_close(image);
		return false;
	}
	*ret = image;
	return true;
}

bool sprof_image_open(
	const struct sprof_module *module, struct sprof_image **ret, struct sprof_error *err)
{
	return open_image(module, false, ret, err);
}

bool sprof_image_open_path(const char *path, struct sprof_image **ret, struct sprof_error *err)
{
	struct sprof_module module = {.kind = SPROF_MODULE_FILE, .path = path};

	module.fd = sprof_regular_file_open(path, 0);
	if (module.fd < 0)
		module.open_errno = errno;
	if (!open_image(&module, true, ret, err)) {
		if (module.fd >= 0)
			close(module.fd);
		return false;
	}
	(*ret)->own_fd = module.fd;
	(*ret)->own_path = strdup(path);
	if ((*ret)->own_path)
		return true;
	sprof_image_close(*ret);
	return sprof_error_no_memory(err);
}

bool sprof_image_open_bytes(void *bytes, size_t size, const char *name, struct sprof_image **ret,
	struct sprof_error *err)
{
	struct sprof_module module = {
		.kind = SPROF_MODULE_MEMORY,
		.path = name,
		.image = bytes,
		.image_size = size,
		.fd = -1,
	};

	if (!sprof_image_open(&module, ret, err)) {
		free(bytes);
		return false;
	}
	(*ret)->own_bytes = bytes;
	return true;
}

bool sprof_image_place(
	struct sprof_image *image, const struct sprof_segment *segments, size_t count)
{
	struct sprof_segment *copy = calloc(count + 1, sizeof(*copy));

	if (!copy)
		return false;
	memcpy(copy, segments, count * sizeof(*copy));
	free(image->segments);
	image->segments = copy;
	image->segment_count = count;
	image->is_bare = true;
	image->eh_frame_hdr_address = image->eh_frame_hdr_size = 0;
	return true;
}

void sprof_image_close(struct sprof_image *image)
{
	if (!image)
		return;
	elf_end(image->elf);
	if (image->own_fd >= 0)
		close(image->own_fd);
	free(image->own_path);
	free(image->own_bytes);
	free(image->segments);
	free(image);
}

/*
 * Executable segments win: where headers make segments overlap, running code is in an executable
 * one.
 */
uint64_t sprof_image_entry(const struct sprof_image *image)
{
	Elf64_Ehdr header;

	if (image->size < sizeof(header))
		return 0;
	memcpy(&header, image->bytes, sizeof(header));
	return header.e_entry;
}

bool sprof_image_address(const struct sprof_image *image, uint64_t offset, uint64_t *ret_address)
{
	const struct sprof_segment *found = NULL;

	for (size_t i = 0; i < image->segment_count; i++) {
		const struct sprof_segment *segment = &image->segments[i];

		if (offset >= segment->offset && offset - segment->offset < segment->file_size &&
			(!found || (segment->executable && !found->executable)))
			found = segment;
	}
	if (!found)
		return false;
	*ret_address = found->address + (offset - found->offset);
	return true;
}

/*
 * Linkers give address 0 to debug information of dropped functions (--gc-sections, the second copy
 * of an inline function). In a file, address 0 is the ELF header, which may be in an executable
 * segment (-z noseparate-code, the default of older distributions and of other machines).
 */
bool sprof_image_executable(const struct sprof_image *image, uint64_t address)
{
	if (!address)
		return false;
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct sprof_segment *segment = &image->segments[i];

		if (segment->executable && address - segment->address < segment->memory_size)
			return true;
	}
	return false;
}

bool sprof_image_loads(const struct sprof_image *image, uint64_t address)
{
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct sprof_segment *segment = &image->segments[i];

		if (address - segment->address < segment->memory_size)
			return true;
	}
	return false;
}

static const struct sprof_segment *segment_at(const struct sprof_image *image, uint64_t address)
{
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct sprof_segment *segment = &image->segments[i];

		if (address >= segment->address && address - segment->address < segment->file_size)
			return segment;
	}
	return NULL;
}

bool sprof_image_code_address(
	const struct sprof_image *image, uint64_t offset, uint64_t *ret_address)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	for (size_t i = 0; i < image->segment_count; i++) {
		const struct sprof_segment *segment = &image->segments[i];

		if (!segment->executable || offset < segment->offset / page * page ||
			offset - segment->offset / page * page >=
				segment->file_size + segment->offset % page)
			continue;
		*ret_address = segment->address - segment->offset + offset;
		return true;
	}
	return sprof_image_address(image, offset, ret_address);
}

bool sprof_image_offset(const struct sprof_image *image, uint64_t address, uint64_t *ret_offset)
{
	const struct sprof_segment *segment = segment_at(image, address);

	if (!segment)
		return false;
	*ret_offset = segment->offset + (address - segment->address);
	return true;
}

const uint8_t *sprof_image_at(const struct sprof_image *image, uint64_t address, size_t size)
{
	const struct sprof_segment *segment = segment_at(image, address);
	uint64_t offset;

	if (!segment || image->is_bare || size > segment->file_size - (address - segment->address))
		return NULL;
	offset = segment->offset + (address - segment->address);
	if (offset > image->size || size > image->size - offset)
		return NULL;
	return image->bytes + offset;
}

size_t sprof_image_room(const struct sprof_image *image, uint64_t address)
{
	const struct sprof_segment *segment = segment_at(image, address);
	uint64_t offset, room;

	if (!segment || image->is_bare)
		return 0;
	offset = segment->offset + (address - segment->address);
	room = segment->file_size - (address - segment->address);
	if (offset >= image->size)
		return 0;
	return room < image->size - offset ? room : image->size - offset;
}

bool sprof_image_section(
	const struct sprof_image *image, const char *name, struct sprof_section *ret)
{
	Elf_Scn *section = NULL;
	const char *found;
	GElf_Shdr header;
	size_t strings;

	if (elf_getshdrstrndx(image->elf, &strings) < 0)
		return false;
	while ((section = elf_nextscn(image->elf, section))) {
		if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
			continue;
		found = elf_strptr(image->elf, strings, header.sh_name);
		if (!found || strcmp(found, name) != 0)
			continue;
		if (header.sh_offset > image->size ||
			header.sh_size > image->size - header.sh_offset)
			continue;
		*ret = (struct sprof_section){
			.bytes = image->bytes + header.sh_offset,
			.size = header.sh_size,
			.address = header.sh_flags & SHF_ALLOC ? header.sh_addr : 0,
			.entry_size = header.sh_entsize,
		};
		return true;
	}
	return false;
}

/* The zeroes of thread-local data have addresses, but no place there. */
static bool is_loaded_at(const GElf_Shdr *header, uint64_t address)
{
	return (header->sh_flags & SHF_ALLOC) &&
		!((header->sh_flags & SHF_TLS) && header->sh_type == SHT_NOBITS) &&
		address - header->sh_addr < header->sh_size;
}

const char *sprof_image_section_name(
	const struct sprof_image *image, uint64_t address, uint64_t *ret_begin)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t strings;

	if (elf_getshdrstrndx(image->elf, &strings) < 0)
		return NULL;
	while ((section = elf_nextscn(image->elf, section))) {
		if (!gelf_getshdr(section, &header) || !is_loaded_at(&header, address))
			continue;
		*ret_begin = header.sh_addr;
		return elf_strptr(image->elf, strings, header.sh_name);
	}
	return NULL;
}
