/*
 * The mappings of a core in the format of /proc/PID/maps, so that code for that format reads cores,
 * too. gdb's gcore omits mappings whose content it does not write; they are known only from the
 * list of files, without permissions.
 */
#include "elfsym/core/core.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/strings.h"
#include "base/strtab.h"

struct writing {
	const struct sprof_core *core;
	const struct sprof_core_code *code;
	struct sprof_strtab *paths;
	FILE *stream;
	size_t file; /* the next one to be written, or to be looked at */
};

/* The kernel writes a newline as \012 (fs/proc/task_mmu.c). */
static void write_path(FILE *stream, const char *path)
{
	for (; *path; path++) {
		if (*path == '\n')
			fputs("\\012", stream);
		else
			fputc(*path, stream);
	}
}

/* A path's number: where its one copy is. 0: no memory. */
static uint64_t number_of(const struct writing *writing, const char *path)
{
	return (uintptr_t)sprof_strtab_intern(writing->paths, path);
}

/* [start, end) of a file, or (NULL) of other memory. */
static void write_line(const struct writing *writing, const struct sprof_core_piece *piece,
	const struct sprof_core_file *file)
{
	const bool is_vdso = writing->core->vdso && piece->start == writing->core->vdso;

	fprintf(writing->stream, "%" PRIx64 "-%" PRIx64 " %c%c%cp ", piece->start, piece->end,
		piece->readable ? 'r' : '-', piece->writable ? 'w' : '-',
		piece->executable ? 'x' : '-');
	fprintf(writing->stream, "%" PRIx64 " 00:00 %" PRIu64 " ",
		file ? file->offset + (piece->start - file->start) : 0,
		file ? number_of(writing, file->path) : 0);
	write_path(writing->stream, file ? file->path : is_vdso ? "[vdso]" : "");
	fputc('\n', writing->stream);
}

/* Files, or parts of them, that lie between two pieces. */
static void write_files(struct writing *writing, uint64_t from, uint64_t to)
{
	const struct sprof_core *core = writing->core;

	for (; writing->file < core->file_count; writing->file++) {
		const struct sprof_core_file *file = &core->files[writing->file];
		struct sprof_core_piece piece = {
			.start = file->start > from ? file->start : from,
			.end = file->end < to ? file->end : to,
			.readable = true,
		};

		if (piece.start < piece.end) {
			piece.executable = writing->code->is_code(writing->code->data, file);
			write_line(writing, &piece, file);
		}
		if (file->end > to)
			return;
	}
}

/* A piece, cut where a file begins or ends. */
static void write_piece(struct writing *writing, const struct sprof_core_piece *piece)
{
	const struct sprof_core *core = writing->core;
	struct sprof_core_piece part = *piece;

	while (part.start < piece->end) {
		const struct sprof_core_file *file =
			writing->file < core->file_count ? &core->files[writing->file] : NULL;
		const bool is_inside = file && file->start <= part.start;

		if (file && file->end <= part.start) {
			writing->file++;
			continue;
		}
		part.end = piece->end;
		if (file && !is_inside && file->start < part.end)
			part.end = file->start;
		else if (is_inside && file->end < part.end)
			part.end = file->end;
		write_line(writing, &part, is_inside ? file : NULL);
		part.start = part.end;
	}
}

static bool write_all(struct writing *writing)
{
	uint64_t end = 0;

	for (size_t i = 0; i < writing->core->piece_count; i++) {
		const struct sprof_core_piece *piece = &writing->core->pieces[i];

		write_files(writing, end, piece->start);
		write_piece(writing, piece);
		end = piece->end;
	}
	write_files(writing, end, UINT64_MAX);
	return !ferror(writing->stream);
}

char *sprof_core_maps(const struct sprof_core *core, const struct sprof_core_code *code)
{
	struct writing writing = {.core = core, .code = code, .paths = sprof_strtab_create()};
	char *text = NULL;
	size_t size;
	bool ok = false;

	writing.stream = open_memstream(&text, &size);
	if (writing.stream && writing.paths)
		ok = write_all(&writing);
	sprof_strtab_destroy(writing.paths);
	return sprof_string_close(writing.stream, &text, ok);
}
