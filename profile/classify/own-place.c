/*
 * Charges each stack's time to one function, in the most specific code on the stack: the program's
 * own before a library's. For a blocked thread, a function that is known to wait
 * (profile/classify/wait-facts.h) comes before the functions that it calls.
 */
#include "profile/classify/own-place.h"

#include <string.h>

#include "base/strings.h"
#include "profile/classify/boundaries.h"
#include "profile/classify/own-code.h"
#include "profile/classify/wait-facts.h"
#include "profile/model/stack-lines.h"

/* Threads and interpreters begin with these functions, which call all others. */
static bool is_beginning(const char *name)
{
	static const char *const names[] = {"_start", "__libc_start_", "clone", "__clone",
		"start_thread", "ruby_run_node", "Py_RunMain", "Py_BytesMain", "perl_run",
		"coreclr_execute_assembly", "mono_main", "mono_jit_exec", "node::Start", NULL};

	return sprof_string_starts_with_any(name, names) || strcmp(name, "main") == 0;
}

struct search {
	const struct sprof_profile *profile;
	struct sprof_own_place charge;
	enum sprof_code_class code; /* of the charged function */
	uint32_t last;              /* the last function with a name so far; NONE: none */
	/* the innermost function of a library, beyond libc, that has a name; NULL: none */
	const struct sprof_profile_line *library;
	const struct sprof_profile_line *inside; /* the same, if the charged function called it */
};

/* "[jit of node]" has the time of a script's functions. */
static bool is_generated(const struct sprof_profile *profile, uint32_t function)
{
	const uint32_t module = profile->functions[function].module;

	return module != SPROF_PROFILE_NONE && profile->modules &&
		sprof_module_is_generated(sprof_modules_get(profile->modules, module));
}

/* A library's exported function is more informative than an address in it. */
static bool is_better(const struct search *search, uint32_t function, enum sprof_code_class code)
{
	const struct sprof_profile_function *functions = search->profile->functions;

	if (search->charge.function == SPROF_PROFILE_NONE || code > search->code)
		return true;
	return code == search->code && code <= SPROF_CODE_RUNTIME &&
		functions[search->charge.function].unresolved && !functions[function].unresolved &&
		!is_generated(search->profile, search->charge.function) &&
		!is_beginning(functions[function].name);
}

static void look_at(struct search *search, const struct sprof_profile_line *line)
{
	const struct sprof_profile *profile = search->profile;
	enum sprof_code_class code = sprof_code_of(profile, line->function);

	/* The wrapper of a system call is not informative, even if all code is wanted. */
	if (search->charge.kernel != SPROF_PROFILE_NONE &&
		sprof_profile_is_libc(profile, line->function))
		code = SPROF_CODE_LIBC;
	if (is_better(search, line->function, code)) {
		search->charge.function = line->function;
		search->charge.line = line;
		search->charge.inner = search->last;
		search->inside = search->library;
		search->code = code;
	}
	if (profile->functions[line->function].unresolved)
		return;
	if (code != SPROF_CODE_RUNTIME)
		search->last = line->function;
	if (code == SPROF_CODE_LIBRARY && !search->library)
		search->library = line;
}

/* If the function has no name, a library function that it called is more informative. */
static void prefer_name(struct search *search)
{
	struct sprof_own_place *charge = &search->charge;

	if (!search->inside || charge->function == SPROF_PROFILE_NONE ||
		!search->profile->functions[charge->function].unresolved)
		return;
	charge->function = search->inside->function;
	charge->line = search->inside;
	charge->inner = SPROF_PROFILE_NONE;
}

static void prefer_known_wait(struct search *search, uint32_t stack)
{
	struct sprof_known_wait known = {.function = SPROF_PROFILE_NONE};

	if (search->charge.kernel != SPROF_PROFILE_NONE)
		known = sprof_known_wait_of(search->profile, stack);
	if (known.function == SPROF_PROFILE_NONE ||
		sprof_code_of(search->profile, known.function) != search->code)
		return;
	search->charge.function = known.function;
	search->charge.line = known.line;
}

struct sprof_own_place sprof_own_place_of(const struct sprof_profile *profile, uint32_t stack)
{
	struct search search = {.profile = profile, .last = SPROF_PROFILE_NONE};
	struct sprof_stack_lines at = {.stack = stack};
	const struct sprof_profile_line *line, *innermost = NULL;

	search.charge = (struct sprof_own_place){.function = SPROF_PROFILE_NONE,
		.inner = SPROF_PROFILE_NONE,
		.kernel = SPROF_PROFILE_NONE};
	while ((line = sprof_stack_lines_next(profile, &at))) {
		innermost = innermost ? innermost : line;
		if (!line->kernel)
			look_at(&search, line);
		else if (search.charge.function == SPROF_PROFILE_NONE)
			search.charge.kernel = line->function;
	}
	prefer_known_wait(&search, stack);
	prefer_name(&search);
	/* The system call is more informative than its wrapper. */
	if (search.charge.kernel != SPROF_PROFILE_NONE)
		search.charge.inner = SPROF_PROFILE_NONE;
	if (innermost && search.charge.function == SPROF_PROFILE_NONE) {
		search.charge.function = innermost->function;
		search.charge.line = innermost;
	}
	return search.charge;
}

void sprof_own_frames_keep(
	const struct sprof_profile *profile, uint32_t stack, struct sprof_expansion *frames)
{
	const struct sprof_own_place place = sprof_own_place_of(profile, stack);
	const enum sprof_code_class code =
		place.line ? sprof_code_of(profile, place.line->function) : SPROF_CODE_UNKNOWN;
	bool is_outside = false;
	size_t kept = 0;

	for (size_t i = 0; i < frames->count; i++) {
		const struct sprof_profile_line *line = frames->frames[i];
		const bool is_it = !is_outside && line->function == place.function;

		is_outside |= is_it;
		if (is_it || (is_outside && sprof_code_of(profile, line->function) >= code))
			frames->frames[kept++] = line;
	}
	frames->count = kept;
}

uint8_t sprof_own_frames_depth(
	const struct sprof_profile *profile, const struct sprof_expansion *frames)
{
	bool has_main = false;
	size_t count = 0;

	for (size_t i = 0; i < frames->count; i++) {
		const uint32_t function = frames->frames[i]->function;
		const char *name = profile->functions[function].name;

		/*
		 * libc calls main, which has no name in a stripped program, and _start calls libc.
		 */
		if (sprof_string_starts_with(name, "__libc_start_")) {
			count -= count && !has_main;
			break;
		}
		has_main |= strcmp(name, "main") == 0;
		count += sprof_code_of(profile, function) == SPROF_CODE_OWN && !is_beginning(name);
	}
	return count < UINT8_MAX - 1 ? (uint8_t)count : UINT8_MAX - 1;
}

const struct sprof_profile_line *sprof_profile_own_line(
	const struct sprof_profile *profile, uint32_t stack)
{
	return sprof_own_place_of(profile, stack).line;
}
