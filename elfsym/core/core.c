/*
 * Core files, through libelf: segments and notes, as the kernel (fs/binfmt_elf.c) and gdb's gcore
 * write them. Every count, size and address may be wrong. Does not interpret memory, and does not
 * read vector registers.
 */
#include "elfsym/core/core.h"

#include <elf.h>
#include <gelf.h>
#include <libelf.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/procfs.h>
#include <unistd.h>

#include "base/array.h"
#include "base/search.h"

#if defined(__x86_64__)
enum { HOST_MACHINE = EM_X86_64 };
#else
enum { HOST_MACHINE = EM_AARCH64 };
#endif

/* The file while it is read. */
struct reading {
	struct sprof_core *core;
	Elf *elf;
	const char *path;
	const uint8_t *bytes;
	size_t size;
};

/* A note's description. */
struct note {
	const uint8_t *bytes;
	size_t size;
};

static bool broken(const struct reading *reading, const char *what, struct sprof_error *err)
{
	return sprof_error_set(
		err, SPROF_ERROR_UNSUPPORTED, "%s has broken %s", reading->path, what);
}

static bool add_piece(struct reading *reading, const GElf_Phdr *header)
{
	struct sprof_core *core = reading->core;
	struct sprof_core_piece piece = {
		.start = header->p_vaddr,
		.readable = header->p_flags & PF_R,
		.writable = header->p_flags & PF_W,
		.executable = header->p_flags & PF_X,
	};
	uint64_t size = header->p_filesz < header->p_memsz ? header->p_filesz : header->p_memsz;

	/* An empty or impossible mapping is none. */
	if (!header->p_memsz ||
		__builtin_add_overflow(header->p_vaddr, header->p_memsz, &piece.end))
		return true;
	if (header->p_offset < reading->size) {
		const size_t room = reading->size - header->p_offset;

		core->is_cut |= size > room;
		piece.bytes = reading->bytes + header->p_offset;
		piece.size = size < room ? size : room;
	} else {
		core->is_cut |= size > 0;
	}
	return SPROF_ARRAY_APPEND(core->pieces, core->piece_count, core->piece_capacity, piece);
}

/* The status of a thread: the first note of all that belong to it. */
static bool add_thread(struct sprof_core *core, const struct note *note)
{
	struct elf_prstatus status;

	if (note->size < sizeof(status))
		return true;
	memcpy(&status, note->bytes, sizeof(status));
	if (status.pr_pid <= 0)
		return true;
	if (!sprof_array_reserve(&core->threads, &core->thread_capacity, core->thread_count + 1,
		    sizeof(*core->threads)))
		return false;
	if (!core->thread_count)
		core->signal =
			status.pr_cursig > 0 && status.pr_cursig < NSIG ? status.pr_cursig : 0;
	core->threads[core->thread_count++] = (struct sprof_core_thread){
		.tid = status.pr_pid,
		.registers = note->bytes + offsetof(struct elf_prstatus, pr_reg),
		.registers_size = sizeof(status.pr_reg),
		.system_call = -1,
	};
	return true;
}

static void set_call(struct sprof_core *core, const struct note *note)
{
	int32_t number;

	if (!core->thread_count || note->size < sizeof(number))
		return;
	memcpy(&number, note->bytes, sizeof(number));
	core->threads[core->thread_count - 1].system_call = number;
}

static void set_process(struct sprof_core *core, const struct note *note)
{
	struct elf_prpsinfo info;

	if (note->size < sizeof(info))
		return;
	memcpy(&info, note->bytes, sizeof(info));
	core->pid = info.pr_pid;
	memcpy(core->name, info.pr_fname, sizeof(info.pr_fname));
	memcpy(core->command_line, info.pr_psargs, sizeof(info.pr_psargs));
}

static void set_addresses(struct sprof_core *core, const struct note *note)
{
	Elf64_auxv_t entry;

	for (size_t at = 0; note->size - at >= sizeof(entry); at += sizeof(entry)) {
		memcpy(&entry, note->bytes + at, sizeof(entry));
		if (entry.a_type == AT_NULL)
			return;
		if (entry.a_type == AT_ENTRY)
			core->entry = entry.a_un.a_val;
		else if (entry.a_type == AT_SYSINFO_EHDR)
			core->vdso = entry.a_un.a_val;
	}
}

static uint64_t word_at(const struct note *note, size_t index)
{
	uint64_t word;

	memcpy(&word, note->bytes + index * sizeof(word), sizeof(word));
	return word;
}

/* One file of NT_FILE. Returns false if out of memory. */
static bool add_file(struct sprof_core *core, const struct sprof_core_file *file)
{
	if (file->start >= file->end)
		return true;
	return SPROF_ARRAY_APPEND(core->files, core->file_count, core->file_capacity, *file);
}

/*
 * NT_FILE: the number of mappings, the size of a page, then start, end and offset (in pages) of
 * each, then their paths (fs/binfmt_elf.c, fill_files_note).
 */
static bool add_files(struct sprof_core *core, const struct note *note)
{
	enum { HEAD = 2, WORDS = 3, WORD = sizeof(uint64_t) };
	const char *path, *end = (const char *)note->bytes + note->size;
	uint64_t count;

	if (note->size < HEAD * WORD)
		return true;
	count = word_at(note, 0);
	if (count > (note->size - HEAD * WORD) / (WORDS * WORD))
		return true;
	path = (const char *)note->bytes + (HEAD + count * WORDS) * WORD;
	for (size_t i = 0; i < count; i++) {
		const struct sprof_core_file file = {
			.start = word_at(note, HEAD + i * WORDS),
			.end = word_at(note, HEAD + i * WORDS + 1),
			.offset = word_at(note, HEAD + i * WORDS + 2) * word_at(note, 1),
			.path = path,
		};
		const char *stop = memchr(path, '\0', (size_t)(end - path));

		if (!stop)
			return true;
		if (!add_file(core, &file))
			return false;
		path = stop + 1;
	}
	return true;
}

static bool take_note(struct sprof_core *core, uint32_t type, const struct note *note)
{
	switch (type) {
	case NT_PRSTATUS:
		return add_thread(core, note);
	case NT_FILE:
		return add_files(core, note);
	case NT_PRPSINFO:
		set_process(core, note);
		return true;
	case NT_AUXV:
		set_addresses(core, note);
		return true;
	case NT_ARM_SYSTEM_CALL:
		set_call(core, note);
		return true;
	default:
		return true;
	}
}

/* Notes of other owners, such as LINUX for vector registers, have types of their own. */
static bool is_ours(const char *owner, const GElf_Nhdr *header)
{
	return (header->n_namesz == sizeof("CORE") && !memcmp(owner, "CORE", sizeof("CORE"))) ||
		(header->n_type == NT_ARM_SYSTEM_CALL && header->n_namesz == sizeof("LINUX") &&
			!memcmp(owner, "LINUX", sizeof("LINUX")));
}

static bool read_notes(struct reading *reading, const GElf_Phdr *segment)
{
	Elf_Data *data;
	size_t at = 0, name, description, next;
	GElf_Nhdr header;

	data = elf_getdata_rawchunk(reading->elf, (int64_t)segment->p_offset, segment->p_filesz,
		segment->p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
	/* Beyond the end of a file that was cut. */
	if (!data) {
		reading->core->is_cut = true;
		return true;
	}
	while (at < data->d_size && (next = gelf_getnote(data, at, &header, &name, &description))) {
		const struct note note = {
			(const uint8_t *)data->d_buf + description, header.n_descsz};

		if (is_ours((const char *)data->d_buf + name, &header) &&
			!take_note(reading->core, header.n_type, &note))
			return false;
		at = next;
	}
	return true;
}

static bool read_headers(struct reading *reading, struct sprof_error *err)
{
	GElf_Phdr header;
	size_t count;

	if (elf_getphdrnum(reading->elf, &count) < 0 || count > reading->size / sizeof(Elf64_Phdr))
		return broken(reading, "program headers", err);
	for (size_t i = 0; i < count; i++) {
		if (!gelf_getphdr(reading->elf, (int)i, &header))
			return broken(reading, "program headers", err);
		if ((header.p_type == PT_LOAD && !add_piece(reading, &header)) ||
			(header.p_type == PT_NOTE && !read_notes(reading, &header)))
			return sprof_error_no_memory(err);
	}
	return true;
}

static int compare_pieces(const void *left, const void *right)
{
	const struct sprof_core_piece *a = left, *b = right;

	return (a->start > b->start) - (a->start < b->start);
}

static int compare_files(const void *left, const void *right)
{
	const struct sprof_core_file *a = left, *b = right;

	return (a->start > b->start) - (a->start < b->start);
}

/* If mappings overlap, which no real process has, later ones are dropped. */
static void sort(struct sprof_core *core)
{
	size_t pieces = 0, files = 0;

	if (core->piece_count)
		qsort(core->pieces, core->piece_count, sizeof(*core->pieces), compare_pieces);
	for (size_t i = 0; i < core->piece_count; i++) {
		if (!pieces || core->pieces[pieces - 1].end <= core->pieces[i].start)
			core->pieces[pieces++] = core->pieces[i];
	}
	core->piece_count = pieces;
	if (core->file_count)
		qsort(core->files, core->file_count, sizeof(*core->files), compare_files);
	for (size_t i = 0; i < core->file_count; i++) {
		if (!files || core->files[files - 1].end <= core->files[i].start)
			core->files[files++] = core->files[i];
	}
	core->file_count = files;
}

static bool check_header(struct reading *reading, struct sprof_error *err)
{
	GElf_Ehdr header;

	reading->bytes = (const uint8_t *)elf_rawfile(reading->elf, &reading->size);
	if (!reading->bytes || elf_kind(reading->elf) != ELF_K_ELF ||
		!gelf_getehdr(reading->elf, &header) || header.e_type != ET_CORE)
		return sprof_error_set(
			err, SPROF_ERROR_UNSUPPORTED, "%s is not a core file", reading->path);
	if (header.e_machine != HOST_MACHINE || header.e_ident[EI_CLASS] != ELFCLASS64 ||
		header.e_ident[EI_DATA] != ELFDATA2LSB)
		return sprof_error_set(err, SPROF_ERROR_UNSUPPORTED,
			"%s is of another machine than this one", reading->path);
	return true;
}

static bool read_core(struct sprof_core *core, const char *path, struct sprof_error *err)
{
	struct reading reading = {.core = core, .path = path};

	elf_version(EV_CURRENT);
	core->elf = reading.elf = elf_begin(core->fd, ELF_C_READ_MMAP, NULL);
	if (!core->elf)
		return sprof_error_set(
			err, SPROF_ERROR_IO, "can't read %s: %s", path, elf_errmsg(-1));
	if (!check_header(&reading, err) || !read_headers(&reading, err))
		return false;
	if (!core->thread_count)
		return sprof_error_set(
			err, SPROF_ERROR_UNSUPPORTED, "%s has no threads in its notes", path);
	sort(core);
	if (!core->pid)
		core->pid = core->threads[0].tid;
	return true;
}

bool sprof_core_open_fd(int fd, const char *path, struct sprof_core **ret, struct sprof_error *err)
{
	struct sprof_core *core = calloc(1, sizeof(*core));

	if (!core) {
		close(fd);
		return sprof_error_no_memory(err);
	}
	core->fd = fd;
	if (!read_core(core, path, err)) {
		sprof_core_close(core);
		return false;
	}
	*ret = core;
	return true;
}

void sprof_core_close(struct sprof_core *core)
{
	if (!core)
		return;
	elf_end(core->elf);
	close(core->fd);
	free(core->pieces);
	free(core->files);
	free(core->threads);
	free(core);
}

const struct sprof_core_piece *sprof_core_find(const struct sprof_core *core, uint64_t address)
{
	const size_t next = sprof_upper_bound(
		core->pieces, core->piece_count, SPROF_KEY(core->pieces, start, address));

	return next && address < core->pieces[next - 1].end ? &core->pieces[next - 1] : NULL;
}

size_t sprof_core_read(const struct sprof_core *core, uint64_t address, void *buffer, size_t size)
{
	size_t done = 0;

	while (done < size) {
		const struct sprof_core_piece *piece = sprof_core_find(core, address + done);
		const uint64_t offset = piece ? address + done - piece->start : 0;
		size_t part = size - done;

		if (!piece || offset >= piece->size)
			break;
		if (part > piece->size - offset)
			part = piece->size - offset;
		memcpy((uint8_t *)buffer + done, piece->bytes + offset, part);
		done += part;
	}
	return done;
}
