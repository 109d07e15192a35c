/*
 * Reads symbols: _PyRuntime, Py_Version, and functions by name. Compilers move rarely executed code
 * of the evaluation loop elsewhere ("_PyEval_EvalFrameDefault.cold"); in a stripped file that part
 * has no name, and is recognised as code without a symbol that many jumps of the loop lead into.
 * Does not handle memory (interp/), nor files without section headers.
 */
#include "elfsym/python/runtime.h"

#include <assert.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "elfsym/cfi/fde-table.h"

#define LOOP "_PyEval_EvalFrameDefault"

enum {
	JUMP_BYTES = 5, /* an opcode and a distance of four bytes; a condition has one more */
	/* bytes that look like jumps lead anywhere, but not that often into one piece of code */
	ENOUGH_JUMPS = 8,
	MOST_TARGETS = 8, /* pieces of code that are considered */
};

/*
 * The functions between nested evaluation loops, and below the first one. Functions that do
 * something themselves (list.sort, a regular expression) are not listed. The lists are sorted by
 * bytes, because every function of the file is looked up in them.
 */
static const char *const plumbing[] = {
	"PyEval_EvalCode",
	"PyEval_EvalCodeEx",
	"PyEval_EvalFrame",
	"PyEval_EvalFrameEx",
	"PyGen_am_send",
	"PyObject_Call",
	"PyObject_CallFunction",
	"PyObject_CallFunctionObjArgs",
	"PyObject_CallMethod",
	"PyObject_CallMethodObjArgs",
	"PyObject_CallNoArgs",
	"PyObject_CallObject",
	"PyObject_CallOneArg",
	"PyObject_Vectorcall",
	"PyObject_VectorcallMethod",
	"PyRun_AnyFileExFlags",
	"PyRun_FileExFlags",
	"PyRun_SimpleFileExFlags",
	"PyRun_SimpleStringFlags",
	"PyRun_StringFlags",
	"PyVectorcall_Call",
	"Py_BytesMain",
	"Py_Main",
	"Py_RunMain",
	"_PyCFunction_FastCallDict",
	"_PyCallMethodDescriptorFastWithKeywords_StackRef",
	"_PyCallMethodDescriptorFast_StackRef",
	"_PyEval_EvalCode",
	"_PyEval_EvalCodeWithName",
	"_PyEval_EvalFrame",
	"_PyEval_Vector",
	"_PyFunction_FastCallDict",
	"_PyFunction_Vectorcall",
	"_PyMethodDef_RawFastCallKeywords",
	"_PyObject_Call",
	"_PyObject_CallFunctionVa",
	"_PyObject_CallMethodIdObjArgs",
	"_PyObject_CallNoArgsTstate",
	"_PyObject_Call_Prepend",
	"_PyObject_FastCall",
	"_PyObject_FastCallDict",
	"_PyObject_FastCallDictTstate",
	"_PyObject_FunctionVectorcall",
	"_PyObject_MakeTpCall",
	"_PyObject_Vectorcall",
	"_PyObject_VectorcallDictTstate",
	"_PyObject_VectorcallPrepend",
	"_PyObject_VectorcallTstate",
	"_PyRun_AnyFile",
	"_PyRun_AnyFileObject",
	"_PyRun_File",
	"_PyRun_SimpleFile",
	"_PyRun_SimpleFileObject",
	"_PyRun_SimpleString",
	"_PyRun_String",
	"_PyVectorcall_Call",
	"_Py_BuiltinCallFastWithKeywords_StackRef",
	"_Py_BuiltinCallFast_StackRef",
	"_Py_CallBuiltinClass_StackRef",
	"_Py_VectorCallInstrumentation_StackRefSteal",
	"_Py_VectorCall_StackRefSteal",
	"builtin_eval",
	"builtin_exec",
	"call_function",
	"call_method",
	"call_unbound",
	"callmethod",
	"cfunction_call",
	"cfunction_call_varargs",
	"cfunction_vectorcall_FASTCALL",
	"cfunction_vectorcall_FASTCALL_KEYWORDS",
	"cfunction_vectorcall_FASTCALL_KEYWORDS_METHOD",
	"cfunction_vectorcall_NOARGS",
	"cfunction_vectorcall_O",
	"context_run",
	"do_call_core",
	"function_code_fastcall",
	"gen_iternext",
	"gen_send_ex",
	"gen_send_ex2",
	"method_vectorcall",
	"method_vectorcall_FASTCALL",
	"method_vectorcall_FASTCALL_KEYWORDS",
	"method_vectorcall_NOARGS",
	"method_vectorcall_O",
	"method_vectorcall_VARARGS",
	"method_vectorcall_VARARGS_KEYWORDS",
	"object_vacall",
	"partial_vectorcall",
	"pymain_main",
	"pymain_run_command",
	"pymain_run_file",
	"pymain_run_file_obj",
	"pymain_run_module",
	"pymain_run_python",
	"pymain_run_stdin",
	"pyrun_file",
	"pyrun_simple_file",
	"pythread_wrapper",
	"run_eval_code_obj",
	"run_mod",
	"slot_tp_call",
	"slot_tp_init",
	"slot_tp_iternext",
	"slot_tp_new",
	"t_bootstrap",
	"thread_run",
	"type_call",
	"vectorcall_maybe",
	"vectorcall_method",
	"wrap_call",
	"wrapperdescr_call",
};

static const char *const edges[] = {
	"PyErr_Occurred",
	"_PyErr_Occurred",
	"_Py_CheckFunctionResult",
	"_Py_CheckRecursiveCall",
};

struct reader {
	const struct sprof_image *image;
	struct sprof_python_file *file;
	uint64_t loop_begin, loop_end; /* link-time */
	bool only_variables;           /* functions are not wanted */
	bool has_memory;
};

/* A part of a function is named after it: "gen_send_ex.cold", ".part.0", ".lto_priv.0". */
struct stem {
	const char *text;
	size_t length;
};

static int compare_stem(const void *key, const void *item)
{
	const struct stem *stem = key;
	const char *name = *(const char *const *)item;
	const int order = strncmp(stem->text, name, stem->length);

	return order || !name[stem->length] ? order : -1;
}

static inline bool is_sorted(const char *const *names, size_t count)
{
	size_t i = 1;

	while (i < count && strcmp(names[i - 1], names[i]) < 0)
		i++;
	return i >= count;
}

static bool is_one_of(const char *const *names, size_t count, const char *name)
{
	const struct stem stem = {name, strcspn(name, ".")};

	return bsearch(&stem, names, count, sizeof(*names), compare_stem);
}

static enum sprof_python_part part_of(const char *name)
{
	const size_t length = sizeof(LOOP) - 1;

	if (!strncmp(name, LOOP, length) && (!name[length] || name[length] == '.'))
		return SPROF_PYTHON_LOOP;
	if (!strncmp(name, "_TAIL_CALL_", 11))
		return SPROF_PYTHON_INSTRUCTION;
	if (is_one_of(edges, sizeof(edges) / sizeof(*edges), name))
		return SPROF_PYTHON_EDGE;
	return is_one_of(plumbing, sizeof(plumbing) / sizeof(*plumbing), name)
		? SPROF_PYTHON_PLUMBING
		: SPROF_PYTHON_OTHER;
}

static void add_range(
	struct reader *reader, uint64_t address, uint64_t size, enum sprof_python_part part)
{
	struct sprof_python_file *file = reader->file;
	uint64_t begin;

	if (!size || !sprof_image_offset(reader->image, address, &begin))
		return;
	reader->has_memory = reader->has_memory &&
		sprof_array_reserve(&file->ranges, &file->range_capacity, file->range_count + 1,
			sizeof(*file->ranges));
	if (reader->has_memory)
		file->ranges[file->range_count++] =
			(struct sprof_python_range){begin, begin + size, part};
}

/* A number of four bytes that the file has for a variable. */
static uint32_t value_at(const struct sprof_image *image, uint64_t address)
{
	const uint8_t *bytes = sprof_image_at(image, address, sizeof(uint32_t));
	uint32_t value = 0;

	if (bytes)
		memcpy(&value, bytes, sizeof(value));
	return value;
}

static void take_variable(struct reader *reader, const char *name, const GElf_Sym *symbol)
{
	if (!strcmp(name, "_PyRuntime"))
		reader->file->runtime = symbol->st_value;
	else if (!strcmp(name, "Py_Version"))
		reader->file->version = value_at(reader->image, symbol->st_value) >> 16;
	else if (!strcmp(name, "PyCode_Type"))
		reader->file->code_type = symbol->st_value;
}

static void take_function(struct reader *reader, const char *name, const GElf_Sym *symbol)
{
	const enum sprof_python_part part = part_of(name);

	if (part == SPROF_PYTHON_LOOP && !strcmp(name, LOOP)) {
		reader->loop_begin = symbol->st_value;
		reader->loop_end = symbol->st_value + symbol->st_size;
	}
	add_range(reader, symbol->st_value, symbol->st_size, part);
}

static void take(struct reader *reader, const char *name, const GElf_Sym *symbol)
{
	switch (GELF_ST_TYPE(symbol->st_info)) {
	case STT_OBJECT:
		take_variable(reader, name, symbol);
		break;
	case STT_FUNC:
		if (!reader->only_variables)
			take_function(reader, name, symbol);
		break;
	default:
		break;
	}
}

static void read_table(struct reader *reader, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *symbols = elf_getdata(section, NULL);
	GElf_Sym symbol;

	for (int i = 1; symbols && gelf_getsym(symbols, i, &symbol); i++) {
		const char *name = elf_strptr(reader->image->elf, header->sh_link, symbol.st_name);

		if (name && symbol.st_shndx != SHN_UNDEF)
			take(reader, name, &symbol);
	}
}

/* .symtab has all symbols of .dynsym. */
static bool read_tables(struct reader *reader, uint32_t type)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	bool found = false;

	while ((section = elf_nextscn(reader->image->elf, section))) {
		if (!gelf_getshdr(section, &header) || header.sh_type != type)
			continue;
		read_table(reader, section, &header);
		found = true;
	}
	return found;
}

/* A piece of code without a name that jumps lead into, and how many. */
struct target {
	uint64_t begin, end;
	unsigned jumps;
};

static bool is_named(const struct reader *reader, uint64_t address)
{
	uint64_t offset;

	return !sprof_image_offset(reader->image, address, &offset) ||
		sprof_python_file_part(reader->file, offset) != SPROF_PYTHON_NAMELESS;
}

/* A jump to a function's first instruction is a tail call, not a jump into a part. */
static void count_jump(const struct reader *reader, uint64_t address, struct target *targets)
{
	struct sprof_fde_bounds bounds;
	size_t i = 0;

	if (!sprof_image_executable(reader->image, address) || is_named(reader, address) ||
		!sprof_fde_table_find(reader->image, address, &bounds) || bounds.start == address)
		return;
	while (i < MOST_TARGETS && targets[i].jumps && targets[i].begin != bounds.start)
		i++;
	if (i == MOST_TARGETS)
		return;
	targets[i].begin = bounds.start;
	targets[i].end = bounds.next;
	targets[i].jumps++;
}

/* Every distance in the code that follows the opcode of a jump; some only look like one. */
static void count_jumps(const struct reader *reader, struct target *targets)
{
	const uint64_t size = reader->loop_end - reader->loop_begin;
	const uint8_t *code = sprof_image_at(reader->image, reader->loop_begin, size);

	for (size_t i = 1; code && i + JUMP_BYTES <= size; i++) {
		bool is_conditional = (code[i] & 0xf0) == 0x80 && code[i - 1] == 0x0f;
		int32_t distance;
		uint64_t address;

		if (code[i] != 0xe9 && !is_conditional)
			continue;
		memcpy(&distance, code + i + 1, sizeof(distance));
		address = reader->loop_begin + i + JUMP_BYTES + (uint64_t)(int64_t)distance;
		if (address < reader->loop_begin || address >= reader->loop_end)
			count_jump(reader, address, targets);
	}
}

static int compare(const void *left, const void *right)
{
	const struct sprof_python_range *one = left, *other = right;

	if (one->begin != other->begin)
		return one->begin < other->begin ? -1 : 1;
	/* the longest of equal begins first */
	return one->end == other->end ? 0 : one->end > other->end ? -1 : 1;
}

/* Two names of one function have one range. */
static void sort(struct sprof_python_file *file)
{
	size_t kept = 0;

	if (!file->range_count)
		return;
	qsort(file->ranges, file->range_count, sizeof(*file->ranges), compare);
	for (size_t i = 0; i < file->range_count; i++) {
		struct sprof_python_range *range = &file->ranges[i];
		struct sprof_python_range *last = kept ? &file->ranges[kept - 1] : NULL;

		if (last && range->begin < last->end) {
			if (last->part == SPROF_PYTHON_OTHER)
				last->part = range->part;
			continue;
		}
		file->ranges[kept++] = *range;
	}
	file->range_count = kept;
}

static void find_nameless_parts(struct reader *reader)
{
	struct target targets[MOST_TARGETS] = {0};

#if defined(__x86_64__)
	count_jumps(reader, targets);
#else
	(void)count_jumps;
#endif
	for (size_t i = 0; i < MOST_TARGETS; i++) {
		if (targets[i].jumps >= ENOUGH_JUMPS)
			add_range(reader, targets[i].begin, targets[i].end - targets[i].begin,
				SPROF_PYTHON_LOOP);
	}
	sort(reader->file);
}

/* Most programs contain no interpreter, and may have many symbols: few of them are exported. */
static bool has_runtime(const struct sprof_image *image)
{
	struct sprof_python_file file = {0};
	struct reader reader = {
		.image = image, .file = &file, .only_variables = true, .has_memory = true};
	struct sprof_section section;
	bool found = sprof_image_section(image, ".PyRuntime", &section) ||
		sprof_image_section(image, "PyRuntime", &section);

	if (!found) {
		read_tables(&reader, SHT_DYNSYM);
		found = file.runtime;
	}
	sprof_python_file_finish(&file);
	return found;
}

bool sprof_python_file_read(const struct sprof_image *image, struct sprof_python_file *ret)
{
	struct reader reader = {.image = image, .file = ret, .has_memory = true};

	assert(is_sorted(edges, sizeof(edges) / sizeof(*edges)));
	assert(is_sorted(plumbing, sizeof(plumbing) / sizeof(*plumbing)));
	*ret = (struct sprof_python_file){0};
	if (!has_runtime(image))
		return false;
	ret->is_stripped = !read_tables(&reader, SHT_SYMTAB);
	if (ret->is_stripped)
		read_tables(&reader, SHT_DYNSYM);
	sort(ret);
	if (ret->is_stripped && reader.loop_begin)
		find_nameless_parts(&reader);
	if (ret->runtime && reader.loop_begin && reader.has_memory)
		return true;
	sprof_python_file_finish(ret);
	return false;
}

void sprof_python_file_finish(struct sprof_python_file *file)
{
	free(file->ranges);
	*file = (struct sprof_python_file){0};
}

enum sprof_python_part sprof_python_file_part(const struct sprof_python_file *file, uint64_t offset)
{
	const size_t low = sprof_upper_bound(
		file->ranges, file->range_count, SPROF_KEY(file->ranges, end, offset));

	return low < file->range_count && file->ranges[low].begin <= offset ? file->ranges[low].part
									    : SPROF_PYTHON_NAMELESS;
}
