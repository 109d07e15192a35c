/*
 * Chooses the name by which a Rust function is matched: the most exact one that both sides have.
 * The linkage name has a hash, which is equal if the crate, its version and the compiler are equal.
 * The demangled name has the type arguments, but in Rust's older mangling only with debug
 * information. If a side lacks them, or uses the other mangling, the name without them decides. In
 * a comparison, all instances that share only that name are one function on each side. The hash of
 * a closure depends on its number, which changes if a closure is inserted before it; so lines
 * decide.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/idmap.h"
#include "base/strings.h"
#include "elfsym/elf/demangle.h"
#include "profile/identity/match.h"

/* How a name has type arguments; names of two forms have nothing to compare. */
enum form { OLD, OLD_WITH_ARGUMENTS, OLD_PLAIN, NEW, NEW_PLAIN, FORMS };

/*
 * By form: those with which an unequal name is of another instance. Both manglings spell plain
 * types, such as "u8", alike.
 */
static const uint32_t comparable[FORMS] = {
	[OLD_WITH_ARGUMENTS] = 1u << OLD_WITH_ARGUMENTS | 1u << OLD_PLAIN | 1u << NEW_PLAIN,
	[OLD_PLAIN] = 1u << OLD_WITH_ARGUMENTS | 1u << OLD_PLAIN | 1u << NEW_PLAIN | 1u << NEW,
	[NEW] = 1u << NEW | 1u << NEW_PLAIN | 1u << OLD_PLAIN,
	[NEW_PLAIN] = 1u << NEW | 1u << NEW_PLAIN | 1u << OLD_PLAIN | 1u << OLD_WITH_ARGUMENTS,
};

/* A function's names, the most exact one first. Interned. */
enum { LINKAGE, WHOLE, BARE, NAMES };

struct names {
	const char *texts[NAMES];
	enum form form;
};

struct naming {
	struct sprof_strtab *strings;
	struct sprof_idmap seen; /* (module, name) -> a bit for each side and form that has it */
	enum sprof_identity_how how;
};

/* Skips what only one of the manglings has: "work::<u32>" for "work<u32>", "closure_env#0". */
static void copy_whole(const char *name, char *to)
{
	static const char environment[] = "_env#";

	while (*name) {
		if (strncmp(name, "::<", 3) == 0)
			name += 2;
		else if (sprof_string_starts_with(name, environment))
			name += strlen("_env");
		*to++ = *name++;
	}
	*to = '\0';
}

static const char *behind_bracket(const char *at)
{
	size_t depth = 0;

	for (; *at; at++) {
		const bool is_arrow = *at == '-' && at[1] == '>';

		at += is_arrow;
		depth += *at == '<';
		if (*at == '>' && !is_arrow && --depth == 0)
			return at + 1;
	}
	return at;
}

/*
 * Removes type arguments and the numbers of closures, in place. The bracket of "<T as Trait>::run"
 * is no argument.
 */
static void strip_arguments(char *name)
{
	char *to = name;

	for (const char *at = name; *at;) {
		const bool is_behind_name = to > name && !strchr(" <&(,*", to[-1]);

		if (*at == '<' && is_behind_name && !sprof_string_starts_with(at, "<impl "))
			at = behind_bracket(at);
		else if (strncmp(at, "{{", 2) == 0 || strncmp(at, "}}", 2) == 0)
			at++;
		else if (*at == '#')
			at += strcspn(at, "}");
		else
			*to++ = *at++;
	}
	*to = '\0';
}

/* "Vec::push" for "<Vec>::push". */
static void unwrap(char *name)
{
	const char *behind = name[0] == '<' ? behind_bracket(name) : name;
	size_t length = (size_t)(behind - name);

	if (length < 2 || behind[-1] != '>' || memmem(name, length, " as ", strlen(" as ")))
		return;
	memmove(name, name + 1, length - 2);
	memmove(name + length - 2, behind, strlen(behind) + 1);
}

/* Whether all type arguments are like "u8". "3" may also be "3usize". */
static bool has_plain_types(const char *name)
{
	size_t depth = 0;

	for (const char *at = name; *at; at++) {
		depth += *at == '<';
		depth -= depth && *at == '>';
		if (depth && !islower((unsigned char)*at) && !strchr("<>, ", *at) &&
			(!isdigit((unsigned char)*at) || strchr("<, ", at[-1])))
			return false;
	}
	return true;
}

static enum form form_of(const struct sprof_identity_entry *entry, const char *whole)
{
	const size_t length = strlen(entry->plain);

	if (entry->name[1] == 'R')
		return has_plain_types(whole) ? NEW_PLAIN : NEW;
	if (!length || entry->plain[length - 1] != '>')
		return OLD;
	return has_plain_types(whole) ? OLD_PLAIN : OLD_WITH_ARGUMENTS;
}

static bool describe(
	struct naming *naming, const struct sprof_identity_entry *entry, struct names *ret)
{
	SPROF_AUTO_FREE char *text = malloc(strlen(entry->plain) + 1);

	if (!text)
		return false;
	copy_whole(entry->plain, text);
	unwrap(text);
	ret->form = form_of(entry, text);
	ret->texts[LINKAGE] = sprof_strtab_intern_bytes(
		naming->strings, entry->name, sprof_rust_length(entry->name));
	ret->texts[WHOLE] = sprof_strtab_intern(naming->strings, text);
	/* In another build, a closure's hash may be that of the one before it. */
	if (entry->file && strstr(text, "{{closure}}"))
		ret->texts[LINKAGE] = ret->texts[WHOLE];
	strip_arguments(text);
	unwrap(text);
	ret->texts[BARE] = sprof_strtab_intern(naming->strings, text);
	return ret->texts[LINKAGE] && ret->texts[WHOLE] && ret->texts[BARE];
}

static uint32_t forms_with(
	const struct naming *naming, const struct sprof_identity_entry *entry, const char *name)
{
	const uint32_t seen = sprof_idmap_find(&naming->seen, entry->module, (uintptr_t)name);

	return seen == SPROF_IDMAP_NONE ? 0 : seen;
}

static bool note(
	struct naming *naming, const struct sprof_identity_entry *entry, const struct names *names)
{
	const uint32_t bit = 1u << (names->form + (entry->of_source ? FORMS : 0));

	for (int i = 0; i < NAMES; i++) {
		if (!sprof_idmap_put(&naming->seen, entry->module, (uintptr_t)names->texts[i],
			    forms_with(naming, entry, names->texts[i]) | bit))
			return false;
	}
	return true;
}

/* The most exact name that the other side has; NAMES: none. */
static int choose(const struct naming *naming, const struct sprof_identity_entry *entry,
	const struct names *names)
{
	for (int i = 0; i < NAMES; i++) {
		uint32_t others = forms_with(naming, entry, names->texts[i]);

		others = (entry->of_source ? others : others >> FORMS) & ((1u << FORMS) - 1);
		if (i == BARE)
			others &= ~comparable[names->form];
		if (others)
			return i;
	}
	return NAMES;
}

/* Names an entry; instances that only have the name in common with the other side become one. */
static void settle(
	const struct naming *naming, struct sprof_identity_entry *entry, const struct names *names)
{
	const int chosen = choose(naming, entry, names);

	entry->plain = names->texts[chosen == NAMES ? WHOLE : chosen];
	entry->instance = names->texts[LINKAGE];
	/* In one build, instances have different hashes. */
	if (naming->how == SPROF_IDENTITY_COMPARE && !entry->is_exact &&
		(chosen == BARE || (chosen == WHOLE && names->form == OLD)))
		entry->local = entry->instance = entry->plain;
}

static bool name_all(struct naming *naming, struct sprof_identity_entry *entries, size_t count,
	struct names *names)
{
	for (size_t i = 0; i < count; i++) {
		if (sprof_rust_length(entries[i].name) &&
			(!describe(naming, &entries[i], &names[i]) ||
				!note(naming, &entries[i], &names[i])))
			return false;
	}
	for (size_t i = 0; i < count; i++) {
		if (names[i].texts[WHOLE])
			settle(naming, &entries[i], &names[i]);
	}
	return true;
}

bool sprof_identity_name_rust(struct sprof_identity_entry *entries, size_t count,
	struct sprof_strtab *texts, enum sprof_identity_how how)
{
	SPROF_AUTO_FREE struct names *names = calloc(count + 1, sizeof(*names));
	struct naming naming = {.strings = texts, .how = how};
	const bool ok = names && name_all(&naming, entries, count, names);

	sprof_idmap_finish(&naming.seen);
	return ok;
}
