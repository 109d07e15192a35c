/*
 * Walks object files through libelf, which checks the headers of archives. An archive's index is no
 * member. Does not handle thin or nested archives; accepts objects of any machine.
 */
#include "elfsym/elf/objects.h"

#include <ar.h>
#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/regular-file.h"

struct sprof_objects {
	int fd;
	Elf *elf; /* of the whole file */
	const char *path;
};

struct visit {
	const struct sprof_objects *objects;
	sprof_object_taker take;
	void *data;
};

static bool is_object(Elf *elf)
{
	GElf_Ehdr header;

	return elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &header) && header.e_type == ET_REL;
}

static bool is_thin(int fd)
{
	static const char magic[] = "!<thin>\n";
	char begin[sizeof(magic) - 1];

	return pread(fd, begin, sizeof(begin), 0) == (ssize_t)sizeof(begin) &&
		memcmp(begin, magic, sizeof(begin)) == 0;
}

static bool open_elf(struct sprof_objects *objects, struct sprof_error *err)
{
	if (is_thin(objects->fd)) {
		sprof_error_set(err, SPROF_ERROR_UNSUPPORTED,
			"%s is a thin archive: it has no members, only their paths", objects->path);
		return sprof_error_hint(err, "ar t %s lists them", objects->path);
	}
	elf_version(EV_CURRENT);
	objects->elf = elf_begin(objects->fd, ELF_C_READ_MMAP, NULL);
	return true;
}

bool sprof_objects_open(const char *path, struct sprof_objects **ret, struct sprof_error *err)
{
	SPROF_AUTO_CLOSE int fd = sprof_regular_file_open(path, 0);
	struct sprof_objects *objects;

	*ret = NULL;
	if (fd < 0)
		return true;
	objects = calloc(1, sizeof(*objects));
	if (!objects)
		return sprof_error_no_memory(err);
	*objects = (struct sprof_objects){.fd = fd, .path = path};
	fd = -1;
	if (!open_elf(objects, err)) {
		sprof_objects_close(objects);
		return false;
	}
	if (is_object(objects->elf) || sprof_objects_are_archive(objects))
		*ret = objects;
	else
		sprof_objects_close(objects);
	return true;
}

void sprof_objects_close(struct sprof_objects *objects)
{
	if (!objects)
		return;
	elf_end(objects->elf);
	close(objects->fd);
	free(objects);
}

bool sprof_objects_are_archive(const struct sprof_objects *objects)
{
	return elf_kind(objects->elf) == ELF_K_AR;
}

static bool is_index(const char *name)
{
	return strcmp(name, "/") == 0 || strcmp(name, "//") == 0 || strcmp(name, "/SYM64/") == 0;
}

/* The member's size in its header; libelf limits it to the file's size. */
static uint64_t size_of(const struct sprof_objects *objects, uint64_t base)
{
	char text[sizeof(((struct ar_hdr *)0)->ar_size) + 1] = "";
	uint64_t at = base - sizeof(struct ar_hdr) + offsetof(struct ar_hdr, ar_size);

	if (pread(objects->fd, text, sizeof(text) - 1, (off_t)at) != (ssize_t)sizeof(text) - 1)
		return 0;
	return strtoull(text, NULL, 10);
}

/* Gives a member to `take`. *end is where the member's bytes should end in the file. */
static bool visit_member(
	Elf *elf, const struct visit *visit, uint64_t *end, struct sprof_error *err)
{
	const Elf_Arhdr *header = elf_getarhdr(elf);
	uint64_t base = (uint64_t)elf_getbase(elf);
	struct sprof_object object = {0};

	if (!header || !header->ar_name)
		return true;
	*end = base + size_of(visit->objects, base);
	if (is_index(header->ar_name))
		return true;
	object.member = header->ar_name;
	object.elf = is_object(elf) ? elf : NULL;
	return visit->take(visit->data, &object, err);
}

/* libelf ends in the same way where an archive ends and where it is broken. */
static bool check_end(const struct sprof_objects *objects, uint64_t end, struct sprof_error *err)
{
	struct stat status;

	if (fstat(objects->fd, &status) < 0)
		return sprof_error_errno(err, errno, "stat %s", objects->path);
	/* Members begin at even places. */
	return end == (uint64_t)status.st_size || end + end % 2 == (uint64_t)status.st_size ||
		sprof_error_set(
			err, SPROF_ERROR_UNSUPPORTED, "%s is a broken archive", objects->path);
}

static bool visit_archive(const struct visit *visit, struct sprof_error *err)
{
	const struct sprof_objects *objects = visit->objects;
	Elf_Cmd next = elf_rand(objects->elf, SARMAG) == SARMAG ? ELF_C_READ_MMAP : ELF_C_NULL;
	uint64_t end = SARMAG;

	while (next != ELF_C_NULL) {
		Elf *elf = elf_begin(objects->fd, next, objects->elf);
		bool ok = elf && visit_member(elf, visit, &end, err);

		if (!elf)
			break;
		next = elf_next(elf);
		elf_end(elf);
		if (!ok)
			return false;
	}
	return check_end(objects, end, err);
}

bool sprof_objects_visit(const struct sprof_objects *objects, sprof_object_taker take, void *data,
	struct sprof_error *err)
{
	const struct sprof_object whole = {.elf = objects->elf};
	const struct visit visit = {objects, take, data};

	return sprof_objects_are_archive(objects) ? visit_archive(&visit, err)
						  : take(data, &whole, err);
}
