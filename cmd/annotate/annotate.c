/*
 * sprof annotate: the source lines and instructions of one function, with self and total time.
 * Names are looked up as in `sprof calls`. Static functions of the same name and file are treated
 * as one function.
 */
#include "cmd/annotate/annotate.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/nearest.h"
#include "base/strings.h"
#include "cmd/cli/commands.h"
#include "cmd/cli/environment.h"
#include "cmd/cli/last-recording.h"
#include "cmd/cli/option-values.h"
#include "cmd/cli/terminal.h"
#include "cmd/functions/choice.h"
#include "cmd/saved/reading.h"
#include "cmd/ui.h"
#include "profile/names/identify.h"

struct annotate_options {
	struct sprof_reading reading;
	const char *source_folder;
	bool with_code, json;
};

_Static_assert(offsetof(struct annotate_options, reading) == 0,
	"main.c reads the common options of any command");

#define FIELD(name) offsetof(struct annotate_options, name)

static bool set_folder(void *field, const char *text, struct sprof_error *err)
{
	struct stat status;

	if (stat(text, &status) || !S_ISDIR(status.st_mode))
		return sprof_error_set(err, SPROF_ERROR_USAGE, "not a folder");
	*(const char **)field = text;
	return true;
}

static const struct sprof_option annotate_table[] = {
	{"asm", NULL, NULL, "also show each instruction (uses objdump)", sprof_value_flag,
		FIELD(with_code)},
	{"source-dir", NULL, "DIR", "look for source files in DIR first", set_folder,
		FIELD(source_folder)},
	{"weight", NULL, "KIND",
		"wall, user, sys, runq, wait, sleep, disk, stopped, stolen or\n"
		"samples (wall); files of events or of other tools: any of their\n"
		"kinds of values",
		sprof_value_text, FIELD(reading.shown.weight)},
	{"format", "f", "FORMAT", NULL, sprof_value_json, FIELD(json)},
	{"json", NULL, NULL, "JSON instead of tables", sprof_value_flag, FIELD(json),
		.conflicts = "format"},
	{0},
};

static const struct sprof_option_group groups[] = {
	{"Layout", annotate_table},
	{"Filters", sprof_report_options_filter_table, FIELD(reading.shown)},
	{"Time and process", sprof_reading_filter_table},
	{"Names", sprof_naming_late_table, FIELD(reading.naming)},
	{"General", sprof_common_option_table},
	{0},
};

static const struct annotate_options defaults = {
	.reading.shown = SPROF_REPORT_OPTIONS_DEFAULTS,
	.reading.naming.debuginfod_limit_ns = SPROF_DEBUGINFOD_LIMIT_NS,
};

static const char *module_of(
	const struct sprof_profile *profile, const struct sprof_profile_function *function)
{
	return function->module == SPROF_PROFILE_NONE
		? ""
		: sprof_modules_get(profile->modules, function->module)->path;
}

/* The file that the user names may be the module or the source. */
static bool is_in_file(const struct sprof_profile *profile,
	const struct sprof_profile_function *function, const struct sprof_function_wish *wish)
{
	return sprof_function_wish_has_file(wish, module_of(profile, function)) ||
		(function->file && sprof_function_wish_has_file(wish, function->file));
}

static bool is_meant(const struct sprof_profile *profile, uint32_t id,
	const struct sprof_function_wish *wish, bool exact)
{
	const struct sprof_profile_function *function = &profile->functions[id];

	if (!is_in_file(profile, function, wish))
		return false;
	if (strcmp(function->name, wish->name) == 0 || strcmp(function->linkage, wish->name) == 0)
		return true;
	return !exact && sprof_function_is_called(wish->name, function->linkage);
}

static void mark_lines(const struct sprof_profile *profile, uint32_t id, bool *marked)
{
	const struct sprof_profile_location *location = &profile->locations[id];

	if (!location->line_count || profile->lines[location->first_line].kernel)
		return;
	for (uint32_t i = 0; i < sprof_profile_own_lines(profile, location); i++)
		marked[profile->lines[location->first_line + i].function] = true;
}

/* The functions on stacks, except those of the kernel. */
static bool *find_present(const struct sprof_profile *profile)
{
	bool *present = calloc(profile->function_count + 1, sizeof(*present));
	SPROF_AUTO_FREE bool *seen = calloc(profile->stack_count + 1, sizeof(*seen));

	if (!present || !seen) {
		free(present);
		return NULL;
	}
	for (size_t i = 0; i < profile->row_count; i++) {
		for (uint32_t at = profile->rows[i].stack; at != SPROF_PROFILE_ROOT && !seen[at];
			at = profile->stacks[at].parent) {
			seen[at] = true;
			mark_lines(profile, profile->stacks[at].location, present);
		}
	}
	return present;
}

/* Up to four of the marked functions, as the user may write them. */
struct candidates {
	char text[700];
	size_t count;
};

static bool have_same_name(const struct sprof_profile *profile, uint32_t one, uint32_t other)
{
	const struct sprof_profile_function *functions = profile->functions;

	return functions[one].module == functions[other].module &&
		strcmp(functions[one].name, functions[other].name) == 0;
}

/* Instances of one function at one place in the source: they are added up. */
static bool have_same_place(const struct sprof_profile *profile, uint32_t one, uint32_t other)
{
	const struct sprof_profile_function *functions = profile->functions;

	return have_same_name(profile, one, other) &&
		functions[one].file == functions[other].file &&
		functions[one].line == functions[other].line;
}

/* The first marked function equal to this one by the test; itself if there is none before. */
static uint32_t first_like(const struct sprof_profile *profile, const bool *marked, uint32_t id,
	bool (*is_like)(const struct sprof_profile *, uint32_t, uint32_t))
{
	uint32_t first = 0;

	while (first < id && !(marked[first] && is_like(profile, first, id)))
		first++;
	return first;
}

/* Names that the module doesn't distinguish have their source file. */
static bool needs_source(const struct sprof_profile *profile, const bool *marked, uint32_t id)
{
	for (uint32_t i = 0; i < profile->function_count; i++) {
		if (marked[i] && have_same_name(profile, i, id) && !have_same_place(profile, i, id))
			return profile->functions[id].file;
	}
	return false;
}

static struct candidates list(const struct sprof_profile *profile, const bool *marked)
{
	enum { SHOWN = 4 };
	struct candidates all = {0};
	size_t length = 0;

	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct sprof_profile_function *function = &profile->functions[i];
		const char *file;

		if (!marked[i] || first_like(profile, marked, i, have_same_place) != i ||
			++all.count > SHOWN)
			continue;
		file = sprof_string_file_name(needs_source(profile, marked, i)
				? function->file
				: module_of(profile, function));
		length += (size_t)snprintf(all.text + length, sizeof(all.text) - length,
			"%s'%.80s%s%.30s'", length ? ", " : "", function->name, *file ? "@" : "",
			file);
	}
	if (all.count > SHOWN)
		snprintf(all.text + length, sizeof(all.text) - length, ", ...");
	return all;
}

static bool unknown(const struct sprof_profile *profile, const struct sprof_function_wish *wish,
	bool *marked, struct sprof_error *err)
{
	struct sprof_nearest nearest = {.word = wish->name};
	struct candidates all;

	for (uint32_t i = 0; i < profile->function_count; i++) {
		const char *name = profile->functions[i].name;

		sprof_nearest_try(&nearest, name);
		marked[i] = strstr(name, wish->name);
	}
	all = list(profile, marked);
	sprof_error_set(err, SPROF_ERROR_NOT_FOUND, "no function '%s' in the profile%s%s",
		wish->name, wish->file ? ", in " : "", wish->file ? wish->file : "");
	if (all.count)
		sprof_error_hint(err, "there is %s", all.text);
	else if (nearest.found)
		sprof_error_hint(err, "did you mean %s?", nearest.found);
	else
		sprof_error_hint(err, "sprof report --full lists the functions");
	return false;
}

/* `marked` is by function, and zeroed. */
static bool no_match(const struct sprof_profile *profile, const struct sprof_function_wish *wish,
	bool *marked, struct sprof_error *err)
{
	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct sprof_profile_function *function = &profile->functions[i];

		if (!is_meant(profile, i, wish, false))
			continue;
		if (strcmp(function->linkage, SPROF_MODULE_KERNEL) == 0)
			return sprof_error_set(err, SPROF_ERROR_UNSUPPORTED,
				"%s is in the kernel: its time is shown at the function that "
				"called it",
				function->name);
		return sprof_error_set(err, SPROF_ERROR_NOT_FOUND,
			"%s is on no stack of the profile: it made tail calls only, or is filtered "
			"out",
			function->name);
	}
	return unknown(profile, wish, marked, err);
}

static bool is_one(const struct sprof_profile *profile, const bool *chosen,
	const struct sprof_function_wish *wish, struct sprof_error *err)
{
	const struct candidates all = list(profile, chosen);

	if (all.count == 1)
		return true;
	sprof_error_set(err, SPROF_ERROR_USAGE, "'%s' matches %zu functions of the profile",
		wish->name, all.count);
	return sprof_error_hint(err, "name one: %s", all.text);
}

/*
 * One function only: its name, module and place. A whole name goes before parts of names and
 * patterns.
 */
static bool choose(const struct sprof_profile *profile, const struct sprof_function_wish *wish,
	bool *chosen, uint32_t *ret_function, struct sprof_error *err)
{
	SPROF_AUTO_FREE bool *present = find_present(profile);
	size_t count = 0;

	if (!present)
		return sprof_error_no_memory(err);
	for (int exact = 1; exact >= 0 && !count; exact--) {
		for (uint32_t i = 0; i < profile->function_count; i++) {
			if (!present[i] || !is_meant(profile, i, wish, exact))
				continue;
			chosen[i] = true;
			*ret_function = i;
			count++;
		}
	}
	if (!count)
		return no_match(profile, wish, chosen, err);
	return count == 1 || is_one(profile, chosen, wish, err);
}

/* False for the vDSO and JIT code. */
static bool has_file(
	const struct sprof_profile *profile, const struct sprof_profile_function *function)
{
	return function->module != SPROF_PROFILE_NONE &&
		sprof_modules_get(profile->modules, function->module)->path[0] == '/';
}

/* Where the table gets source lines from, and which notes about them were printed. */
struct sources {
	const char *folder; /* NULL: none */
	bool notes, said;
};

static void note_source(const struct sprof_annotate *annotate,
	const struct sprof_annotated_line *line, const struct sprof_source *source)
{
	struct sources *sources = annotate->context;
	const struct sprof_profile_function *function =
		&annotate->profile->functions[line->function];

	if (source->is_newer)
		sprof_ui_note(
			"%s has changed since the recording: lines may have moved", source->path);
	if (source->count || sources->said)
		return;
	sources->said = true;
	/* A symbol table may have the file, but no lines. */
	if (!line->file || (!line->line && !function->line))
		sprof_ui_note("no source lines for %s: its module has no debug information%s",
			function->name,
			annotate->with_code || !has_file(annotate->profile, function)
				? ""
				: "; --asm shows the instructions");
	else
		sprof_ui_note("can't read the source file %s: only line numbers are shown; "
			      "--source-dir DIR says where it is",
			line->file);
}

static bool read_source(const struct sprof_annotate *annotate,
	const struct sprof_annotated_line *line, struct sprof_source *ret, struct sprof_error *err)
{
	const struct sources *sources = annotate->context;

	if (!sprof_source_read(annotate->profile, sources->folder, line->file, ret, err))
		return false;
	if (sources->notes)
		note_source(annotate, line, ret);
	return true;
}

static bool show(const struct annotate_options *options, struct sprof_annotate *annotate,
	struct sprof_error *err)
{
	if (options->with_code && !sprof_code_build(annotate, &options->reading.naming, err))
		return false;
	if (!sprof_out_open_fd(STDOUT_FILENO, "stdout", &annotate->out, err))
		return false;
	return sprof_out_end(annotate->out,
		options->json ? sprof_annotate_write_json(annotate, err)
			      : sprof_annotate_write(annotate, err),
		err);
}

static bool annotate(const struct annotate_options *options, struct sprof_profile *profile,
	const struct sprof_function_wish *wish, struct sprof_error *err)
{
	SPROF_AUTO_FREE bool *chosen = calloc(profile->function_count + 1, sizeof(*chosen));
	struct sprof_output_options output;
	struct sources sources = {.folder = options->source_folder, .notes = !options->json};
	struct sprof_annotate annotate = {
		.profile = profile,
		.with_code = options->with_code,
		.width = sprof_terminal_width(),
		.read_source = read_source,
		.context = &sources,
	};
	bool ok;

	if (!chosen)
		return sprof_error_no_memory(err);
	if (!sprof_report_options_output_options(&options->reading.shown, profile, &output, err) ||
		!choose(profile, wish, chosen, &annotate.function, err) ||
		!sprof_profile_identify(profile, err) ||
		!sprof_annotation_build(profile, chosen, &annotate.annotation, err))
		return false;
	annotate.weight = output.weight;
	ok = show(options, &annotate, err);
	sprof_code_finish(&annotate.code);
	sprof_annotation_finish(&annotate.annotation);
	return ok;
}

/* The last recording, if the user names no profile. */
static bool load(const struct annotate_options *options, char *const files[],
	struct sprof_profile **ret, struct sprof_error *err)
{
	char *const last[] = {files[0] ? NULL : (char *)sprof_last_recording_path(), NULL};

	if (files[0])
		return sprof_reading_load_all(&options->reading, files, ret, err);
	if (!last[0] || access(last[0], R_OK)) {
		sprof_error_set(err, SPROF_ERROR_USAGE, "annotate needs a profile");
		return sprof_error_hint(err,
			"for example: sprof annotate parse profile.pb.gz; without a file it reads "
			"the last recording, and there is none");
	}
	if (!sprof_reading_load_all(&options->reading, last, ret, err))
		return false;
	sprof_last_recording_say(*ret);
	return true;
}

static bool annotate_files(const struct annotate_options *options, char *const files[],
	const struct sprof_function_wish *wish, struct sprof_error *err)
{
	struct sprof_profile *profile;
	bool ok;

	if (!load(options, files, &profile, err))
		return false;
	ok = sprof_report_options_filter(&options->reading.shown, &profile, err) &&
		annotate(options, profile, wish, err);
	sprof_profile_destroy(profile);
	return ok;
}

static bool run(const void *data, char *const operands[], int *ret_exit, struct sprof_error *err)
{
	const struct annotate_options *options = data;
	struct sprof_function_wish wish;
	bool ok;

	if (!operands[0] || !operands[0][0]) {
		sprof_error_set(err, SPROF_ERROR_USAGE, "annotate needs a function");
		return sprof_error_hint(err, "for example: sprof annotate parse profile.pb.gz");
	}
	free(sprof_environment_take());
	ok = sprof_function_wish_read(operands[0], operands[0] + strlen(operands[0]), &wish, err) &&
		annotate_files(options, operands + 1, &wish, err);
	sprof_function_wish_finish(&wish);
	*ret_exit = 0;
	return ok;
}

const struct sprof_command sprof_command_annotate = {
	.name = "annotate",
	.summary = "Show the source lines and instructions of a function, with their time",
	.synopsis = "[options] FUNCTION[@FILE] [PROFILE...]",
	.details =
		"A PROFILE is a saved profile or any other pprof file; several are merged. Without "
		"one, annotate\n"
		"reads the last recording, as report does. @FILE selects the program, library or "
		"source file of\n"
		"the function. Each line has its self time, and the total including the functions "
		"that it calls.\n"
		"Lines of inlined functions are listed under the function that they come from.\n\n"
		"  sprof annotate parse profile.pb.gz\n"
		"  sprof annotate --asm memcpy@libc.so.6 profile.pb.gz\n",
	.groups = groups,
	.hidden = SPROF_REPORT_OPTIONS_OLD
	"ignore hide charge-callers label sysmap debuginfod debuginfod-limit trust-paths "
	"verbose",
	.defaults = &defaults,
	.options_size = sizeof(struct annotate_options),
	.options_anywhere = true,
	.run = run,
};
