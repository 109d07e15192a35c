/*
 * sprof symbols: the functions of a file or a process, what is at an address, and whether a list of
 * symbols belongs to a file. Addresses of a file are link-time addresses, as in objdump and nm;
 * addresses of a process are those of its memory.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attach/maps-read.h"
#include "base/cleanup.h"
#include "cmd/commands.h"
#include "cmd/environment.h"
#include "cmd/symbol-rows.h"
#include "cmd/symbols-verify.h"
#include "cmd/ui.h"
#include "cmd/values.h"
#include "elfsym/image.h"
#include "output/clean.h"
#include "output/fit.h"

enum { MAX_ADDRESSES = 256 };

struct symbols_options {
	struct sprof_common_options common;
	struct sprof_naming naming;
	bool short_names;
	pid_t pid;
	bool verify, all, file_addresses;
	struct address_list {
		const char *items[MAX_ADDRESSES + 1]; /* ends with NULL */
		size_t count;
	} addresses;
};

_Static_assert(offsetof(struct symbols_options, common) == 0,
	"main.c reads the common options of any command");

#define FIELD(name) offsetof(struct symbols_options, name)

static const struct symbols_options defaults = {
	.naming.debuginfod_limit_ns = SPROF_DEBUGINFOD_LIMIT_NS,
};

static bool add_address(void *field, const char *text, struct sprof_error *err)
{
	struct address_list *list = field;

	if (list->count == MAX_ADDRESSES)
		return sprof_error_set(
			err, SPROF_ERROR_USAGE, "more than %d addresses", MAX_ADDRESSES);
	list->items[list->count++] = text;
	return true;
}

static bool set_addresses(void *field, const char *text, struct sprof_error *err)
{
	static const char *const names[] = {"process", "file", NULL};
	unsigned choice;

	if (!sprof_value_choice(names, text, &choice, err))
		return false;
	*(bool *)field = choice;
	return true;
}

static const struct sprof_option option_table[] = {
	{"pid", "p", "PID", "a process, instead of a file", sprof_value_pid, FIELD(pid)},
	{"address", NULL, "ADDRESS", "name what is there, with or without 0x; may be repeated",
		add_address, FIELD(addresses)},
	{"addresses", NULL, "KIND",
		"of a process, print them as the process or the file has them\n(process)",
		set_addresses, FIELD(file_addresses)},
	{"all", NULL, NULL, "also data; and type, binding and section of each symbol",
		sprof_value_flag, FIELD(all)},
	{"verify", NULL, NULL,
		"compare --sysmap with the file, symbol by symbol;\n"
		"without it, the symbol table with the debug information",
		sprof_value_flag, FIELD(verify)},
	{0},
};

static const struct sprof_option_group groups[] = {
	{"Options", option_table},
	{"Names", sprof_naming_kind_table, FIELD(short_names)},
	{"Names", sprof_naming_table, FIELD(naming)},
	{"General", sprof_common_option_table},
	{0},
};

/* What the command works on: one file, or all that a process has mapped. */
struct subject {
	const struct symbols_options *options;
	struct sprof_modules *modules;
	struct sprof_maps maps; /* of the process; empty for a file */
	struct sprof_module *file;
	struct sprof_image *image; /* of the file; NULL: only a list of symbols is there */
	struct sprof_namer namer;
	/* The listing of the last module. */
	const struct sprof_module *listed;
	struct sprof_listing listing;
	uint64_t bias;
};

static bool open_file(struct subject *subject, const char *path, struct sprof_error *err)
{
	const struct sprof_module_key key = {.kind = SPROF_MODULE_FILE, .path = path};
	bool is_new;

	subject->file = sprof_modules_intern(subject->modules, &key, &is_new);
	if (!subject->file)
		return sprof_error_no_memory(err);
	subject->file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	subject->file->open_errno = subject->file->fd < 0 ? errno : 0;
	return sprof_image_open(subject->file, &subject->image, err);
}

static bool subject_init(struct subject *subject, const char *path, struct sprof_error *err)
{
	pid_t pid = subject->options->pid;

	subject->modules = sprof_modules_create();
	if (!subject->modules)
		return sprof_error_no_memory(err);
	if (path && !open_file(subject, path, err))
		return false;
	if (pid && !sprof_maps_read(&subject->maps, pid, subject->modules)) {
		sprof_error_set(err, SPROF_ERROR_NOT_FOUND, "can't read the mappings of process %d",
			(int)pid);
		sprof_error_hint(
			err, "it has ended, belongs to another user, or is a kernel thread");
		return false;
	}
	return sprof_namer_create(
		&subject->options->naming, subject->modules, true, &subject->namer, err);
}

static void subject_finish(struct subject *subject)
{
	sprof_listing_finish(&subject->listing);
	sprof_namer_finish(&subject->namer);
	sprof_image_close(subject->image);
	sprof_maps_finish(&subject->maps);
	sprof_modules_destroy(subject->modules);
}

/* Where link-time address 0 of the module is in the process; 0 for a plain file. */
static uint64_t bias_of(const struct subject *subject, const struct sprof_module *module)
{
	struct sprof_image *image;
	struct sprof_error ignored;
	uint64_t address, bias = 0;

	if (!subject->maps.count || !sprof_image_open(module, &image, &ignored))
		return 0;
	for (size_t i = 0; i < subject->maps.count; i++) {
		const struct sprof_mapping *mapping = &subject->maps.items[i];

		if (mapping->module != module->id)
			continue;
		if (sprof_image_code_address(
			    image, sprof_mapping_offset(mapping, module, mapping->start), &address))
			bias = mapping->start - address;
		break;
	}
	sprof_image_close(image);
	return bias;
}

static bool create_listing(const struct subject *subject, const struct sprof_module *module,
	struct sprof_listing *ret, struct sprof_error *err)
{
	struct sprof_debug_places places = sprof_naming_places(&subject->options->naming);

	places.debuginfod = subject->namer.debuginfod;
	return sprof_listing_create(module, &places,
		sprof_symbols_sysmap(subject->namer.symbols, module),
		SPROF_LISTING_FILE | SPROF_LISTING_SYSMAP |
			(subject->options->all ? SPROF_LISTING_ALL : 0),
		ret, err);
}

/* Keeps the listing for the next address, which is often in the same module. */
static bool use_listing(
	struct subject *subject, const struct sprof_module *module, struct sprof_error *err)
{
	if (subject->listed == module)
		return true;
	sprof_listing_finish(&subject->listing);
	subject->listed = NULL;
	if (!create_listing(subject, module, &subject->listing, err))
		return false;
	subject->bias = bias_of(subject, module);
	subject->listed = module;
	return true;
}

static void print_heading(const struct sprof_module *module)
{
	SPROF_AUTO_FREE char *path = sprof_clean_text(module->path, NULL);

	printf("# %s\n", path ? path : "?");
}

/* Which symbols to print. */
struct wanted {
	const char *pattern; /* NULL: all */
	size_t found;
};

static bool list_module(struct subject *subject, const struct sprof_module *module,
	struct wanted *wanted, struct sprof_error *err)
{
	bool as_file = subject->options->file_addresses;

	if (!use_listing(subject, module, err))
		return false;
	for (size_t i = 0; i < subject->listing.count; i++) {
		const struct sprof_listed *item = &subject->listing.items[i];

		if (wanted->pattern && !sprof_symbol_row_matches(item, wanted->pattern))
			continue;
		/* Each module has a heading; in a search only those that have something. */
		if (wanted->pattern && !wanted->found++ && subject->options->pid)
			print_heading(module);
		sprof_symbol_row_print(item, as_file ? 0 : subject->bias, subject->options->all);
	}
	return true;
}

/* A module that can't be read gets a message; the others are still listed. */
static bool list_all(struct subject *subject, const char *pattern, size_t *ret_found, int *ret_exit)
{
	*ret_found = 0;
	for (uint32_t id = 0; id < sprof_modules_count(subject->modules); id++) {
		const struct sprof_module *module = sprof_modules_get(subject->modules, id);
		struct wanted wanted = {.pattern = pattern};
		struct sprof_error failure = {0};

		if (!pattern && id)
			printf("\n");
		if (!pattern)
			print_heading(module);
		if (!list_module(subject, module, &wanted, &failure) &&
			module->kind != SPROF_MODULE_ANONYMOUS) {
			sprof_ui_error(&failure);
			*ret_exit = SPROF_EXIT_PARTIAL;
		}
		*ret_found += wanted.found;
	}
	return true;
}

/* pattern NULL: all symbols. */
static bool list(
	struct subject *subject, const char *pattern, int *ret_exit, struct sprof_error *err)
{
	struct wanted wanted = {.pattern = pattern};

	if (subject->file ? !list_module(subject, subject->file, &wanted, err)
			  : !list_all(subject, pattern, &wanted.found, ret_exit))
		return false;
	if (!pattern || wanted.found)
		return true;
	sprof_symbol_row_tell_missing(pattern, subject->options->all);
	*ret_exit = SPROF_EXIT_PARTIAL;
	return true;
}

/* Finds the module of an address. False: none. */
static bool locate(
	const struct subject *subject, uint64_t address, uint32_t *ret_module, uint64_t *ret_offset)
{
	const struct sprof_mapping *mapping;

	if (subject->file) {
		*ret_module = subject->file->id;
		return sprof_image_offset(subject->image, address, ret_offset);
	}
	mapping = sprof_maps_find(&subject->maps, address);
	if (!mapping || mapping->module == SPROF_MAPPING_NO_MODULE)
		return false;
	*ret_module = mapping->module;
	*ret_offset = sprof_mapping_offset(
		mapping, sprof_modules_get(subject->modules, mapping->module), address);
	return true;
}

/* The distance from the beginning of the function, "+0x14", if known. */
static bool write_distance(struct subject *subject, uint32_t module, uint64_t address,
	char text[32], struct sprof_error *err)
{
	const struct sprof_listed *found;

	text[0] = '\0';
	if (!use_listing(subject, sprof_modules_get(subject->modules, module), err))
		return err->kind != SPROF_ERROR_NO_MEMORY;
	found = sprof_listing_find(&subject->listing, address - subject->bias);
	if (found)
		snprintf(text, 32, "+0x%" PRIx64, address - subject->bias - found->address);
	return true;
}

static bool print_location(
	const struct sprof_location *location, bool short_name, const char *distance)
{
	SPROF_AUTO_FREE char *function = sprof_fit_function(location->function, short_name, 0);
	SPROF_AUTO_FREE char *file = location->file ? sprof_clean_text(location->file, NULL) : NULL;

	if (!function || (location->file && !file))
		return false;
	printf("  %s%s", function, location->inlined ? " (inlined)" : distance);
	if (file && location->line)
		printf(" at %s:%u", file, location->line);
	printf("\n");
	return true;
}

/* The file's address is of use only with the file. A module without a file has only one. */
static bool print_address(
	struct subject *subject, uint32_t id, uint64_t address, struct sprof_error *err)
{
	const struct sprof_module *module = sprof_modules_get(subject->modules, id);
	SPROF_AUTO_FREE char *path = sprof_clean_text(module->path, NULL);

	if (!subject->options->pid || !subject->options->file_addresses) {
		printf("0x%" PRIx64 "\n", address);
		return true;
	}
	if (!use_listing(subject, module, err) && err->kind == SPROF_ERROR_NO_MEMORY)
		return false;
	printf("0x%" PRIx64 " %s\n", subject->listed == module ? address - subject->bias : address,
		path ? path : "?");
	return true;
}

static bool resolve(
	struct subject *subject, uint64_t address, int *ret_exit, struct sprof_error *err)
{
	struct sprof_locations locations;
	char distance[32];
	uint32_t module;
	uint64_t offset;

	if (!locate(subject, address, &module, &offset)) {
		printf("0x%" PRIx64 "\n  (in no module)\n", address);
		*ret_exit = SPROF_EXIT_PARTIAL;
		return true;
	}
	if (!print_address(subject, module, address, err))
		return false;
	if (!write_distance(subject, module, address, distance, err) ||
		!sprof_symbols_resolve(subject->namer.symbols, module, offset, &locations, err))
		return false;
	for (size_t i = 0; i < locations.count; i++) {
		if (!print_location(&locations.items[i], subject->options->short_names, distance))
			return sprof_error_no_memory(err);
	}
	if (locations.items[locations.count - 1].unresolved)
		*ret_exit = SPROF_EXIT_PARTIAL;
	return true;
}

/* Hexadecimal, with or without 0x. */
static bool parse_address(const char *text, uint64_t *ret, struct sprof_error *err)
{
	char *end;

	errno = 0;
	*ret = strtoull(text, &end, 16);
	if (isxdigit((unsigned char)text[0]) && !*end && !errno)
		return true;
	return sprof_error_set(
		err, SPROF_ERROR_USAGE, "'%s' is not an address in hexadecimal", text);
}

static bool resolve_text(
	struct subject *subject, const char *text, int *ret_exit, struct sprof_error *err)
{
	uint64_t address;

	return parse_address(text, &address, err) && resolve(subject, address, ret_exit, err);
}

static bool is_address(const char *text)
{
	return text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

/* Operands are addresses with 0x, and names. */
static bool answer(
	struct subject *subject, char *const operands[], int *ret_exit, struct sprof_error *err)
{
	const struct address_list *addresses = &subject->options->addresses;

	for (size_t i = 0; operands[i]; i++) {
		if (is_address(operands[i]) ? !resolve_text(subject, operands[i], ret_exit, err)
					    : !list(subject, operands[i], ret_exit, err))
			return false;
	}
	for (size_t i = 0; i < addresses->count; i++) {
		if (!resolve_text(subject, addresses->items[i], ret_exit, err))
			return false;
	}
	return operands[0] || addresses->count || list(subject, NULL, ret_exit, err);
}

static bool verify(const struct subject *subject, int *ret_exit, struct sprof_error *err)
{
	const struct sprof_verification verification = {
		.module = subject->file,
		.image = subject->image,
		.places = sprof_naming_places(&subject->options->naming),
		.sysmap = sprof_symbols_sysmap(subject->namer.symbols, subject->file),
	};
	static const int exits[] = {0, SPROF_EXIT_PARTIAL, SPROF_EXIT_MISMATCH};
	struct sprof_verification_result result;

	if (!sprof_verification_run(&verification, &result, err))
		return false;
	printf("%zu of %zu match\n", result.matching, result.all);
	*ret_exit = exits[result.worst];
	return true;
}

static bool check_usage(
	const struct symbols_options *options, char *const operands[], struct sprof_error *err)
{
	if (options->verify && options->pid)
		return sprof_error_set(err, SPROF_ERROR_USAGE, "--verify is for a file");
	if (options->file_addresses && !options->pid)
		return sprof_error_set(err, SPROF_ERROR_USAGE,
			"--addresses is for a process: a file has only its own addresses");
	if (options->pid || operands[0])
		return true;
	sprof_error_set(err, SPROF_ERROR_USAGE, "symbols needs a file or a process");
	sprof_error_hint(err, "sprof symbols FILE, or sprof symbols -p PID");
	return false;
}

static bool run(const void *data, char *const operands[], int *ret_exit, struct sprof_error *err)
{
	const struct symbols_options *options = data;
	struct subject subject = {.options = options};
	char *const *rest = operands;
	const char *path = NULL;
	bool done;

	if (!check_usage(options, operands, err))
		return false;
	if (!options->pid)
		path = *rest++;
	free(sprof_environment_take());
	*ret_exit = 0;
	done = subject_init(&subject, path, err);
	if (done && options->verify)
		done = verify(&subject, ret_exit, err);
	else if (done)
		done = answer(&subject, rest, ret_exit, err);
	subject_finish(&subject);
	return done;
}

const struct sprof_command sprof_command_symbols = {
	.name = "symbols",
	.summary = "List or find the functions of a file or process, or name addresses",
	.synopsis = "[options] FILE|-p PID [NAME|0xADDRESS...]",
	.details =
		"Without more arguments, lists the functions by address: address, size, name and where it is "
		"from. With\na name, or a pattern such as 'str*', lists those that have it. With addresses, "
		"which begin with 0x,\nsays which function, inlined functions and source line are there.\n"
		"Addresses of a FILE are those that objdump and nm show; those of a process are where they "
		"are\nin its memory. Exits with 1 when something is not found or MISSING, with 3 after a "
		"MISMATCH.\n\n"
		"  sprof symbols /usr/bin/git 'cmd_*'\n"
		"  sprof symbols /usr/bin/git 0x2f3a10\n"
		"  sprof symbols ./server --sysmap server.map --verify\n",
	.groups = groups,
	.defaults = &defaults,
	.options_size = sizeof(struct symbols_options),
	.options_anywhere = true,
	.run = run,
};
