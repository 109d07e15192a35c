/*
 * The Firefox Profiler's processed profile, version 66, which every profiler.firefox.com and its
 * command line tool read.
 * https://github.com/firefox-devtools/profiler/blob/main/docs-developer/CHANGELOG-formats.md
 *
 * Samples have their time on the timeline. Several samples of a waiting thread become one, and a
 * marker says what the thread waits for. Rows or profiles without a timeline get one weighted
 * sample per row, one after the other. Waiting time has the category "Idle", which the viewer hides
 * by default. Categories belong to frames, so a waiting innermost frame is a separate frame.
 */
#include "output/formats/firefox.h"
#include "profile/model/addresses.h"

static uint32_t source_of(struct sprof_firefox *writer, const char *file)
{
	const struct sprof_interned sources = SPROF_INTERNED(&writer->source_ids, writer->sources,
		writer->source_count, writer->source_capacity);
	uint32_t id = 0;

	writer->failed |= !sprof_intern(&sources, sprof_key(0, (uintptr_t)file), &file, &id);
	return id;
}

static void write_column(struct sprof_firefox *writer, const char *name, size_t count,
	void (*write)(struct sprof_firefox *, size_t))
{
	bool first = true;

	sprof_json_format(&writer->json, ",\n\"%s\":[", name);
	for (size_t i = 0; i < count; i++) {
		sprof_json_comma(&writer->json, &first);
		write(writer, i);
	}
	sprof_json_text(&writer->json, "]");
}

static void write_null(struct sprof_firefox *writer, size_t index)
{
	sprof_json_text(&writer->json, "null");
}

static void write_zero(struct sprof_firefox *writer, size_t index)
{
	sprof_json_text(&writer->json, "0");
}

static void write_false(struct sprof_firefox *writer, size_t index)
{
	sprof_json_text(&writer->json, "false");
}

static void write_index(struct sprof_firefox *writer, size_t index)
{
	sprof_json_number(&writer->json, index);
}

/* The line of a frame. Waiting frames follow the running ones. */
static const struct sprof_profile_line *line_of(const struct sprof_firefox *writer, size_t frame)
{
	return &writer->profile->lines[frame % writer->profile->line_count];
}

static void write_frame_func(struct sprof_firefox *writer, size_t frame)
{
	sprof_json_number(&writer->json, line_of(writer, frame)->function);
}

/* The format has one file for all lines of a function: a line in another one is left out. */
static void write_frame_line(struct sprof_firefox *writer, size_t frame)
{
	const struct sprof_profile_line *line = line_of(writer, frame);

	if (line->line && !sprof_profile_included_file(writer->profile, line))
		sprof_json_number(&writer->json, line->line);
	else
		sprof_json_text(&writer->json, "null");
}

static void write_frame_category(struct sprof_firefox *writer, size_t frame)
{
	sprof_json_number(&writer->json,
		frame < writer->profile->line_count ? SPROF_FIREFOX_RUNNING : SPROF_FIREFOX_IDLE);
}

static void write_frame_address(struct sprof_firefox *writer, size_t frame)
{
	uint32_t location = writer->locations[frame % writer->profile->line_count];
	uint64_t address;

	if (sprof_profile_link_address(
		    writer->profile, &writer->profile->locations[location], &address))
		sprof_json_number(&writer->json, address);
	else
		sprof_json_text(&writer->json, "-1");
}

/* 0 for the function that owns the code, 1 for the first function inlined into it, and so on. */
static void write_frame_depth(struct sprof_firefox *writer, size_t frame)
{
	size_t line = frame % writer->profile->line_count;
	const struct sprof_profile_location *location =
		&writer->profile->locations[writer->locations[line]];

	sprof_json_number(&writer->json, location->first_line + location->line_count - 1 - line);
}

static void write_frames(struct sprof_firefox *writer)
{
	size_t count = 2 * writer->profile->line_count;

	sprof_json_format(&writer->json, "\"frameTable\":{\"length\":%zu", count);
	write_column(writer, "func", count, write_frame_func);
	write_column(writer, "line", count, write_frame_line);
	write_column(writer, "category", count, write_frame_category);
	write_column(writer, "address", count, write_frame_address);
	write_column(writer, "inlineDepth", count, write_frame_depth);
	write_column(writer, "subcategory", count, write_zero);
	write_column(writer, "nativeSymbol", count, write_null);
	write_column(writer, "innerWindowID", count, write_null);
	write_column(writer, "column", count, write_null);
	write_column(writer, "originalLocation", count, write_null);
	sprof_json_text(&writer->json, "}");
}

static void write_func_resource(struct sprof_firefox *writer, size_t function)
{
	uint32_t module = writer->profile->functions[function].module;

	if (module == SPROF_PROFILE_NONE)
		sprof_json_text(&writer->json, "-1");
	else
		sprof_json_number(&writer->json, module);
}

static void write_func_source(struct sprof_firefox *writer, size_t function)
{
	const char *file = writer->profile->functions[function].file;

	if (file)
		sprof_json_number(&writer->json, source_of(writer, file));
	else
		sprof_json_text(&writer->json, "null");
}

static void write_func_line(struct sprof_firefox *writer, size_t function)
{
	uint32_t line = writer->profile->functions[function].line;

	if (line)
		sprof_json_number(&writer->json, line);
	else
		sprof_json_text(&writer->json, "null");
}

static void write_functions(struct sprof_firefox *writer)
{
	size_t count = writer->profile->function_count;

	sprof_json_format(&writer->json, ",\"funcTable\":{\"length\":%zu", count);
	write_column(writer, "name", count, write_index); /* the first strings */
	write_column(writer, "resource", count, write_func_resource);
	write_column(writer, "source", count, write_func_source);
	write_column(writer, "lineNumber", count, write_func_line);
	write_column(writer, "isJS", count, write_false);
	write_column(writer, "relevantForJS", count, write_false);
	write_column(writer, "columnNumber", count, write_null);
	write_column(writer, "originalLocation", count, write_null);
	sprof_json_text(&writer->json, "}");
}

static void write_module_name(struct sprof_firefox *writer, size_t module)
{
	sprof_json_number(&writer->json, writer->profile->function_count + module);
}

static void write_one(struct sprof_firefox *writer, size_t index)
{
	sprof_json_text(&writer->json, "1");
}

static void write_source_name(struct sprof_firefox *writer, size_t source)
{
	sprof_json_number(
		&writer->json, writer->profile->function_count + writer->module_count + source);
}

static void write_others(struct sprof_firefox *writer)
{
	sprof_json_format(
		&writer->json, ",\"resourceTable\":{\"length\":%zu", writer->module_count);
	write_column(writer, "lib", writer->module_count, write_index);
	write_column(writer, "name", writer->module_count, write_module_name);
	write_column(writer, "host", writer->module_count, write_null);
	write_column(writer, "type", writer->module_count, write_one);
	sprof_json_format(&writer->json, "},\"sources\":{\"length\":%zu", writer->source_count);
	write_column(writer, "id", writer->source_count, write_null);
	write_column(writer, "filename", writer->source_count, write_source_name);
	write_column(writer, "startLine", writer->source_count, write_one);
	write_column(writer, "startColumn", writer->source_count, write_one);
	write_column(writer, "sourceMapURL", writer->source_count, write_null);
	write_column(writer, "content", writer->source_count, write_null);
	sprof_json_text(&writer->json,
		"},\"nativeSymbols\":{\"length\":0,\"libIndex\":[],\"address\":[],\"name\":[],"
		"\"functionSize\":[]},"
		"\"sourceLocationTable\":{\"length\":0,\"source\":[],\"line\":[],\"column\":[]}");
}

uint32_t sprof_firefox_wait_name(const struct sprof_firefox *writer, uint32_t context)
{
	return (uint32_t)(writer->profile->function_count + writer->module_count +
		writer->source_count + context);
}

/* Functions, modules, sources, contexts. A string's place says which of these it names. */
static void write_strings(struct sprof_firefox *writer)
{
	const struct sprof_profile *profile = writer->profile;
	bool first = true;

	sprof_json_text(&writer->json, ",\"stringArray\":[");
	for (size_t i = 0; i < profile->function_count; i++) {
		sprof_json_comma(&writer->json, &first);
		sprof_json_name(&writer->json, profile->functions[i].name);
	}
	for (size_t i = 0; i < writer->module_count; i++) {
		sprof_json_comma(&writer->json, &first);
		sprof_json_name(&writer->json,
			sprof_module_name(sprof_modules_get(profile->modules, (uint32_t)i)));
	}
	for (size_t i = 0; i < writer->source_count; i++) {
		sprof_json_comma(&writer->json, &first);
		sprof_json_name(&writer->json, writer->sources[i]);
	}
	for (size_t i = 0; i < profile->context_count; i++) {
		const char *call = profile->contexts[i].syscall;

		sprof_json_comma(&writer->json, &first);
		sprof_json_name(&writer->json, call ? call : "blocked");
	}
	sprof_json_text(&writer->json, "]");
}

static void write_lib(struct sprof_firefox *writer, size_t index)
{
	const struct sprof_profile *profile = writer->profile;
	const struct sprof_module *module = sprof_modules_get(profile->modules, (uint32_t)index);
	const char *build_id = sprof_profile_module_facts(profile, (uint32_t)index)->build_id;

	sprof_json_member_name(
		&writer->json, "{\"arch\":null,\"name\":", sprof_module_name(module));
	sprof_json_member_name(&writer->json, ",\"path\":", module->path);
	sprof_json_member_name(&writer->json, ",\"debugName\":", sprof_module_name(module));
	sprof_json_member_name(&writer->json, ",\"debugPath\":", module->path);
	sprof_json_member_string(&writer->json,
		",\"breakpadId\":\"000000000000000000000000000000000\",\"codeId\":", build_id);
	sprof_json_text(&writer->json, "}");
}

void sprof_firefox_write_tables(struct sprof_firefox *writer)
{
	write_column(writer, "libs", writer->module_count, write_lib);
	sprof_json_text(&writer->json,
		",\"pages\":[],\"counters\":[],\"profilerOverhead\":[],\n\"shared\":{");
	write_frames(writer);
	write_functions(writer);
	write_others(writer);
	sprof_firefox_write_stacks(writer);
	write_strings(writer);
	sprof_json_text(&writer->json, "}");
}
