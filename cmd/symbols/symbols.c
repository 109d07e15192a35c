/*
 * sprof symbols: the functions of a file or a process, what is at an address, and whether a list of
 * symbols belongs to a file. Addresses of a file are link-time addresses, as in objdump and nm;
 * addresses of a process are runtime addresses.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "cmd/cli/commands.h"
#include "cmd/cli/environment.h"
#include "cmd/cli/option-values.h"
#include "cmd/symbols/address.h"
#include "cmd/symbols/objects.h"
#include "cmd/symbols/rows.h"
#include "cmd/symbols/subject.h"
#include "cmd/symbols/verify.h"
#include "cmd/ui.h"
#include "output/clean.h"

_Static_assert(offsetof(struct sprof_symbol_options, common) == 0,
	"main.c reads the common options of any command");

#define FIELD(name) offsetof(struct sprof_symbol_options, name)

static const struct sprof_symbol_options defaults = {
	.naming.debuginfod_limit_ns = SPROF_DEBUGINFOD_LIMIT_NS,
};

static bool add_address(void *field, const char *text, struct sprof_error *err)
{
	struct sprof_symbol_addresses *list = field;

	if (list->count == SPROF_MAX_SYMBOL_ADDRESSES)
		return sprof_error_set(err, SPROF_ERROR_USAGE, "more than %d addresses",
			SPROF_MAX_SYMBOL_ADDRESSES);
	list->items[list->count++] = text;
	return true;
}

static bool set_addresses(void *field, const char *text, struct sprof_error *err)
{
	return sprof_value_either("process", "file", text, field, err);
}

static const struct sprof_option option_table[] = {
	{"address", NULL, "ADDRESS",
		"name this address, with or without 0x; may be given several times", add_address,
		FIELD(addresses)},
	{"addresses", NULL, "KIND",
		"with -p: print addresses as in the process or as in the file\n"
		"(process)",
		set_addresses, FIELD(file_addresses), .needs = "pid name tid"},
	{"all", NULL, NULL, "include data, and show type, binding and section of each symbol",
		sprof_value_flag, FIELD(all)},
	{"verify", NULL, NULL,
		"compare --sysmap with the file, symbol by symbol; without\n"
		"--sysmap, the symbol table with the debug information",
		sprof_value_flag, FIELD(verify), .conflicts = "pid tid name"},
	{0},
};

static const struct sprof_option_group groups[] = {
	{"Options", sprof_processes_table, FIELD(processes)},
	{"Options", option_table},
	{"Names", sprof_naming_table, FIELD(naming)},
	{"General", sprof_common_option_table},
	{0},
};

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

static bool list_module(struct sprof_symbol_subject *subject, const struct sprof_module *module,
	struct wanted *wanted, struct sprof_error *err)
{
	bool as_file = subject->options->file_addresses;

	if (!sprof_symbol_subject_list(subject, module, subject->options->all, err))
		return false;
	for (size_t i = 0; i < subject->listing.count; i++) {
		const struct sprof_listed *item = &subject->listing.items[i];

		if (wanted->pattern && !sprof_symbol_row_matches(item, wanted->pattern))
			continue;
		/* Each module has a heading; in a search only those that have something. */
		if (wanted->pattern && !wanted->found++ && subject->options->processes.pid)
			print_heading(module);
		sprof_symbol_row_print(item, as_file ? 0 : subject->bias, subject->options->all);
	}
	return true;
}

/* A module that can't be read gets a message; the others are still listed. */
static size_t list_all(struct sprof_symbol_subject *subject, const char *pattern, int *ret_exit)
{
	size_t found = 0;

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
		found += wanted.found;
	}
	return found;
}

/* pattern NULL: all symbols. */
static bool list(struct sprof_symbol_subject *subject, const char *pattern, int *ret_exit,
	struct sprof_error *err)
{
	struct wanted wanted = {.pattern = pattern};

	if (!subject->file)
		wanted.found = list_all(subject, pattern, ret_exit);
	else if (!list_module(subject, subject->file, &wanted, err))
		return false;
	if (!pattern || wanted.found)
		return true;
	sprof_symbol_row_note_missing(pattern, subject->options->all);
	*ret_exit = SPROF_EXIT_PARTIAL;
	return true;
}

static bool print_address(struct sprof_symbol_subject *subject, const char *text, int *ret_exit,
	struct sprof_error *err)
{
	uint64_t address;

	return sprof_symbol_address_parse(text, &address, err) &&
		sprof_symbol_address_print(subject, address, ret_exit, err);
}

/* Operands are addresses with 0x, and names. */
static bool answer(struct sprof_symbol_subject *subject, char *const operands[], int *ret_exit,
	struct sprof_error *err)
{
	const struct sprof_symbol_addresses *addresses = &subject->options->addresses;

	for (size_t i = 0; operands[i]; i++) {
		if (sprof_symbol_address_is_one(operands[i])
				? !print_address(subject, operands[i], ret_exit, err)
				: !list(subject, operands[i], ret_exit, err))
			return false;
	}
	for (size_t i = 0; i < addresses->count; i++) {
		if (!print_address(subject, addresses->items[i], ret_exit, err))
			return false;
	}
	return operands[0] || addresses->count || list(subject, NULL, ret_exit, err);
}

static bool verify(
	const struct sprof_symbol_subject *subject, int *ret_exit, struct sprof_error *err)
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
	const struct sprof_symbol_options *options, char *const operands[], struct sprof_error *err)
{
	if (options->processes.pid || operands[0])
		return true;
	sprof_error_set(err, SPROF_ERROR_USAGE, "symbols needs a file or a process");
	return sprof_error_hint(err, "sprof symbols FILE, or sprof symbols -p PID");
}

static bool answer_linked(const struct sprof_symbol_options *options, char *const operands[],
	int *ret_exit, struct sprof_error *err)
{
	const char *path = options->processes.pid ? NULL : *operands++;
	struct sprof_symbol_subject subject;
	bool ok = sprof_symbol_subject_init(&subject, options, path, err) &&
		(options->verify ? verify(&subject, ret_exit, err)
				 : answer(&subject, operands, ret_exit, err));

	sprof_symbol_subject_finish(&subject);
	return ok;
}

/* One after the other; of several, each has a line with its id. */
static bool answer_processes(const struct sprof_symbol_options *options, char *const operands[],
	int *ret_exit, struct sprof_error *err)
{
	const struct sprof_pids *pids = &options->processes.pids;
	struct sprof_symbol_options one = *options;

	for (size_t i = 0; i < pids->count; i++) {
		if (!sprof_symbol_process_check(pids->items[i], err))
			return false;
	}
	for (size_t i = 0; i < pids->count; i++) {
		if (pids->count > 1)
			printf("%s# process %d\n", i ? "\n" : "", (int)pids->items[i]);
		one.processes.pid = pids->items[i];
		if (!answer_linked(&one, operands, ret_exit, err))
			return false;
	}
	return true;
}

static bool run(const void *data, char *const operands[], int *ret_exit, struct sprof_error *err)
{
	const struct sprof_symbol_options *options = data;
	bool is_object = false;

	if (!check_usage(options, operands, err))
		return false;
	free(sprof_environment_take());
	*ret_exit = 0;
	if (options->processes.pid)
		return answer_processes(options, operands, ret_exit, err);
	if (!sprof_symbol_objects_answer(options, operands, &is_object, ret_exit, err))
		return false;
	return is_object || answer_linked(options, operands, ret_exit, err);
}

const struct sprof_command sprof_command_symbols = {
	.name = "symbols",
	.summary = "List or find functions of a file or process, or name addresses",
	.synopsis = "[options] FILE|-p PID [NAME|0xADDRESS...]",
	.details =
		"Without names or addresses, it lists all functions by address: address, size, "
		"name, and source\n"
		"of the name. With names or patterns such as 'str*', it lists the functions of "
		"these names. With\n"
		"addresses that begin with 0x, it prints the function, inlined functions and "
		"source line, or the\n"
		"data, at each address. FILE may also be an object file, an archive, or "
		"'ARCHIVE(MEMBER)'.\n"
		"Addresses of a file are those of objdump and nm; addresses of a process are those "
		"of its memory.\n"
		"It exits with 1 if something is not found or MISSING, with 3 after a MISMATCH.\n\n"
		"  sprof symbols /usr/bin/git 'cmd_*'\n"
		"  sprof symbols /usr/bin/git 0x2f3a10\n"
		"  sprof symbols ./server --sysmap server.map --verify\n",
	.groups = groups,
	.hidden = "address verbose " SPROF_NAMING_HIDDEN,
	.processes = FIELD(processes),
	.processes_use = SPROF_PROCESSES_MANY,
	.defaults = &defaults,
	.options_size = sizeof(struct sprof_symbol_options),
	.options_anywhere = true,
	.run = run,
};
