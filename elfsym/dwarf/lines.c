/*
 * The line number program (DWARF 5, section 6.2; versions 2 to 5). libdw decodes it too, but sorts
 * the rows of all sequences together. If the linker left a function out (--gc-sections), its rows
 * begin at address 0, and libdw mixes them with those of functions at low addresses. This decoder
 * drops such sequences, and takes half the time and memory (bench/RESULTS.md). Does not handle
 * several operations per instruction: no machine that sprof runs on has them.
 *
 * A failure without an error means out of memory.
 */
#include "elfsym/dwarf/lines.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/search.h"
#include "base/strings.h"

enum {
	MAX_FORMATS = 32,
	ADDRESS_SIZE = 8,
};

/* The header's facts about the program. */
struct program {
	struct sprof_cursor code;
	const struct sprof_line_sections *sections;
	size_t offset_size; /* of references to string sections */
	uint8_t instruction_length, line_range, opcode_base;
	int8_t line_base;
	const uint8_t *operand_counts; /* of the standard opcodes, from opcode 1 on */
};

/* The registers of the state machine that are used. */
struct state {
	uint64_t address, file, line;
	size_t first;    /* first row of the sequence */
	uint64_t lowest; /* lowest address of the sequence */
	bool begun;
};

/*
 * The bytes of a section in a file opened by libdw, which decompresses in place. `at` is NULL if
 * there is none.
 */
static struct sprof_cursor section_data(const struct sprof_image *debug, const char *name)
{
	Elf_Scn *section = NULL;
	size_t strings, length = strlen(name);
	GElf_Shdr header;
	const char *found;
	Elf_Data *data;

	if (elf_getshdrstrndx(debug->elf, &strings) < 0)
		return (struct sprof_cursor){0};
	while ((section = elf_nextscn(debug->elf, section))) {
		if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
			continue;
		found = elf_strptr(debug->elf, strings, header.sh_name);
		/* ".debug_line" or, compressed in the older way, ".zdebug_line". */
		if (!found || found[0] != '.' ||
			strncmp(found + 1 + (found[1] == 'z'), name + 1, length) != 0)
			continue;
		data = elf_getdata(section, NULL);
		if (data && data->d_buf)
			return (struct sprof_cursor){
				.at = data->d_buf, .end = (uint8_t *)data->d_buf + data->d_size};
	}
	return (struct sprof_cursor){0};
}

struct sprof_line_sections sprof_line_sections_find(const struct sprof_image *debug)
{
	return (struct sprof_line_sections){
		.line = section_data(debug, ".debug_line"),
		.line_str = section_data(debug, ".debug_line_str"),
		.str = section_data(debug, ".debug_str"),
	};
}

static bool add_folder(struct sprof_lines *lines, const char *name)
{
	return SPROF_ARRAY_APPEND(
		lines->folders, lines->folder_count, lines->folder_capacity, name);
}

static bool add_file(struct sprof_lines *lines, const char *name, uint64_t folder)
{
	return SPROF_ARRAY_APPEND(lines->files, lines->file_count, lines->file_capacity,
		(struct sprof_line_file){
			.name = name,
			.folder = folder < lines->folder_count ? lines->folders[folder] : "",
		});
}

/* Versions 2 to 4: folders and files are numbered from 1. */
static bool read_old_tables(struct sprof_lines *lines, struct sprof_cursor *header)
{
	const char *name;

	if (!add_folder(lines, "") || !add_file(lines, "", 0))
		return false;
	while (*(name = sprof_cursor_string(header))) {
		if (!add_folder(lines, name))
			return false;
	}
	while (*(name = sprof_cursor_string(header))) {
		uint64_t folder = sprof_cursor_uleb(header);

		sprof_cursor_uleb(header); /* time */
		sprof_cursor_uleb(header); /* size */
		if (!add_file(lines, name, folder))
			return false;
	}
	return true;
}

static const char *string_at(struct sprof_cursor section, uint64_t offset)
{
	sprof_cursor_skip(&section, offset);
	return sprof_cursor_string(&section);
}

/* A field of an entry: its string, or its number. */
static const char *read_field(
	const struct program *program, struct sprof_cursor *header, uint64_t form, uint64_t *number)
{
	switch (form) {
	case DW_FORM_string:
		return sprof_cursor_string(header);
	case DW_FORM_line_strp:
		return string_at(program->sections->line_str,
			sprof_cursor_number(header, program->offset_size));
	case DW_FORM_strp:
		return string_at(
			program->sections->str, sprof_cursor_number(header, program->offset_size));
	case DW_FORM_udata:
		*number = sprof_cursor_uleb(header);
		break;
	case DW_FORM_data1:
	case DW_FORM_data2:
	case DW_FORM_data4:
	case DW_FORM_data8:
		*number = sprof_cursor_number(header,
			form == DW_FORM_data1           ? 1
				: form == DW_FORM_data2 ? 2
				: form == DW_FORM_data4 ? 4
							: 8);
		break;
	case DW_FORM_data16:
		sprof_cursor_skip(header, 16);
		break;
	case DW_FORM_block:
		sprof_cursor_skip(header, sprof_cursor_uleb(header));
		break;
	default:
		sprof_cursor_fail(header);
	}
	return "";
}

/* Version 5: a description of the fields, then the entries, numbered from 0. */
static bool read_new_table(struct sprof_lines *lines, const struct program *program,
	struct sprof_cursor *header, bool files)
{
	uint64_t contents[MAX_FORMATS], forms[MAX_FORMATS], count;
	size_t formats = sprof_cursor_number(header, 1);

	if (formats > MAX_FORMATS)
		sprof_cursor_fail(header);
	for (size_t i = 0; i < formats && !header->failed; i++) {
		contents[i] = sprof_cursor_uleb(header);
		forms[i] = sprof_cursor_uleb(header);
	}
	count = sprof_cursor_uleb(header);
	/* Every entry must take space: a count without fields would loop almost endlessly. */
	for (uint64_t k = 0; k < count && formats && !header->failed; k++) {
		const char *name = "";
		uint64_t folder = 0;
		const uint8_t *before = header->at;

		for (size_t i = 0; i < formats; i++) {
			uint64_t number = 0;
			const char *text = read_field(program, header, forms[i], &number);

			if (contents[i] == DW_LNCT_path)
				name = text;
			else if (contents[i] == DW_LNCT_directory_index)
				folder = number;
		}
		if (header->at == before)
			return true;
		if (!(files ? add_file(lines, name, folder) : add_folder(lines, name)))
			return false;
	}
	return true;
}

static bool read_tables(
	struct sprof_lines *lines, const struct program *program, struct sprof_cursor *header)
{
	if (lines->version < 5)
		return read_old_tables(lines, header);
	return read_new_table(lines, program, header, false) &&
		read_new_table(lines, program, header, true);
}

/*
 * Parses the program's header up to the tables and leaves `header` there. Returns false if not
 * understood.
 */
static bool read_header(struct sprof_lines *lines, struct program *program, uint64_t offset,
	struct sprof_cursor *header)
{
	struct sprof_cursor unit = program->sections->line;
	uint64_t length, header_length;

	sprof_cursor_skip(&unit, offset);
	length = sprof_cursor_number(&unit, 4);
	program->offset_size = length == UINT32_MAX ? 8 : 4;
	if (length == UINT32_MAX)
		length = sprof_cursor_number(&unit, 8);
	if (length > sprof_cursor_room(&unit))
		return false;
	unit.end = unit.at + length;
	lines->version = (unsigned)sprof_cursor_number(&unit, 2);
	if (lines->version < 2 || lines->version > 5)
		return false;
	if (lines->version >= 5 &&
		(sprof_cursor_number(&unit, 1) != ADDRESS_SIZE ||
			sprof_cursor_number(&unit, 1) != 0))
		return false;
	header_length = sprof_cursor_number(&unit, program->offset_size);
	*header = program->code = unit;
	sprof_cursor_skip(&program->code, header_length);
	program->instruction_length = (uint8_t)sprof_cursor_number(header, 1);
	if (lines->version >= 4)
		sprof_cursor_skip(header, 1); /* operations per instruction */
	sprof_cursor_skip(header, 1);         /* default of is_stmt */
	program->line_base = (int8_t)sprof_cursor_number(header, 1);
	program->line_range = (uint8_t)sprof_cursor_number(header, 1);
	program->opcode_base = (uint8_t)sprof_cursor_number(header, 1);
	program->operand_counts = header->at;
	sprof_cursor_skip(header, program->opcode_base ? program->opcode_base - 1u : 0);
	return !header->failed && !program->code.failed && program->line_range &&
		program->opcode_base;
}

static bool append_row(struct sprof_lines *lines, struct state *state)
{
	const struct sprof_line_row row = {
		.address = state->address,
		.file = state->file < UINT32_MAX ? (uint32_t)state->file : UINT32_MAX,
		.line = state->line < UINT32_MAX ? (uint32_t)state->line : 0,
	};
	struct sprof_line_row *last = lines->row_count ? &lines->rows[lines->row_count - 1] : NULL;

	if (!state->begun) {
		state->begun = true;
		state->lowest = row.address;
	} else if (last && lines->row_count > state->first) {
		if (row.address < last->address ||
			(last->file == row.file && last->line == row.line))
			return true;
		/* If several rows have one address, the last one is valid. */
		if (row.address == last->address) {
			*last = row;
			return true;
		}
	}
	if (!sprof_array_reserve(
		    &lines->rows, &lines->row_capacity, lines->row_count + 1, sizeof(row)))
		return false;
	lines->rows[lines->row_count++] = row;
	return true;
}

static bool end_sequence(
	struct sprof_lines *lines, struct state *state, const struct sprof_image *image)
{
	const struct sprof_range range = {
		.low = state->lowest,
		.high = state->address,
		.value = (uint32_t)lines->sequence_count,
	};
	bool wanted = state->begun && lines->row_count > state->first &&
		sprof_image_executable(image, range.low);

	if (!wanted)
		lines->row_count = state->first;
	if (wanted &&
		(!sprof_array_reserve(&lines->sequences, &lines->sequence_capacity,
			 lines->sequence_count + 1, sizeof(*lines->sequences)) ||
			!sprof_ranges_add(&lines->ranges, &range)))
		return false;
	if (wanted)
		lines->sequences[lines->sequence_count++] = (struct sprof_line_sequence){
			.first = state->first, .count = lines->row_count - state->first};
	*state = (struct state){.file = 1, .line = 1, .first = lines->row_count};
	return true;
}

static bool run_extended(struct sprof_lines *lines, struct program *program, struct state *state,
	const struct sprof_image *image)
{
	uint64_t length = sprof_cursor_uleb(&program->code);
	struct sprof_cursor operation = program->code;

	sprof_cursor_skip(&program->code, length);
	if (program->code.failed || !length)
		return true;
	operation.end = operation.at + length;
	switch (sprof_cursor_number(&operation, 1)) {
	case DW_LNE_end_sequence:
		return end_sequence(lines, state, image);
	case DW_LNE_set_address:
		state->address = sprof_cursor_number(&operation, length - 1);
		break;
	case DW_LNE_define_file: {
		const char *name = sprof_cursor_string(&operation);

		return add_file(lines, name, sprof_cursor_uleb(&operation));
	}
	default:
		break;
	}
	return true;
}

static bool run_standard(
	struct sprof_lines *lines, struct program *program, uint8_t opcode, struct state *state)
{
	struct sprof_cursor *code = &program->code;

	switch (opcode) {
	case DW_LNS_copy:
		return append_row(lines, state);
	case DW_LNS_advance_pc:
		state->address += sprof_cursor_uleb(code) * program->instruction_length;
		break;
	case DW_LNS_advance_line:
		state->line += (uint64_t)sprof_cursor_sleb(code);
		break;
	case DW_LNS_set_file:
		state->file = sprof_cursor_uleb(code);
		break;
	case DW_LNS_const_add_pc:
		state->address += (uint64_t)((255 - program->opcode_base) / program->line_range) *
			program->instruction_length;
		break;
	case DW_LNS_fixed_advance_pc:
		state->address += sprof_cursor_number(code, 2);
		break;
	default:
		for (unsigned i = program->operand_counts[opcode - 1]; i > 0 && !code->failed; i--)
			sprof_cursor_uleb(code);
	}
	return true;
}

static bool run(struct sprof_lines *lines, struct program *program, const struct sprof_image *image)
{
	struct state state = {.file = 1, .line = 1};
	bool ok = true;

	while (ok && program->code.at < program->code.end) {
		uint8_t opcode = *program->code.at++;

		if (opcode >= program->opcode_base) {
			unsigned special = (unsigned)(opcode - program->opcode_base);

			state.address += (uint64_t)(special / program->line_range) *
				program->instruction_length;
			state.line += (uint64_t)(int64_t)(program->line_base +
				(int)(special % program->line_range));
			ok = append_row(lines, &state);
		} else if (opcode) {
			ok = run_standard(lines, program, opcode, &state);
		} else {
			ok = run_extended(lines, program, &state, image);
		}
	}
	lines->row_count = state.first; /* a sequence without an end has no last address */
	return ok && sprof_ranges_settle(&lines->ranges);
}

bool sprof_lines_load(struct sprof_lines *lines, const struct sprof_line_sections *sections,
	uint64_t offset, const struct sprof_image *image)
{
	struct program program = {.sections = sections};
	struct sprof_cursor header;

	if (!sections->line.at || !read_header(lines, &program, offset, &header))
		return true;
	return read_tables(lines, &program, &header) && run(lines, &program, image);
}

void sprof_lines_finish(struct sprof_lines *lines)
{
	free(lines->rows);
	free(lines->files);
	free(lines->folders);
	free(lines->sequences);
	sprof_ranges_finish(&lines->ranges);
	*lines = (struct sprof_lines){0};
}

const struct sprof_line_row *sprof_lines_find(const struct sprof_lines *lines, uint64_t address)
{
	uint32_t index = sprof_ranges_find(&lines->ranges, address);
	const struct sprof_line_row *first;
	size_t next;

	if (index == SPROF_RANGES_NONE)
		return NULL;
	first = &lines->rows[lines->sequences[index].first];
	next = sprof_upper_bound(
		first, lines->sequences[index].count, SPROF_KEY(first, address, address));
	return next ? &first[next - 1] : NULL;
}

static char *join(const char *unit_folder, const char *folder, const char *name)
{
	const char *first = folder[0] == '/' || !unit_folder ? "" : unit_folder;

	if (name[0] == '/')
		return strdup(name);
	return sprof_string_print("%s%s%s%s%s", first, first[0] && folder[0] ? "/" : "", folder,
		first[0] || folder[0] ? "/" : "", name);
}

bool sprof_lines_path(struct sprof_lines *lines, uint64_t file, const char *unit_folder,
	struct sprof_strtab *texts, const char **ret)
{
	struct sprof_line_file *found = file < lines->file_count ? &lines->files[file] : NULL;
	SPROF_AUTO_FREE char *path = NULL;

	*ret = NULL;
	if (!found || !found->name[0])
		return true;
	if (!found->path) {
		path = join(unit_folder, found->folder, found->name);
		found->path = sprof_strtab_intern(texts, path);
	}
	*ret = found->path;
	return found->path;
}
