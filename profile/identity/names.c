/*
 * Parts of names that compilers change from build to build. Does not demangle: suffixes follow the
 * mangled name.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strings.h"
#include "profile/identity/identity.h"

/* Copies of a function, made for some of its callers, and parts of one. */
static const char *const clones[] = {".cold", ".constprop.", ".isra.", ".part.", ".__part."};
/* Suffixes that make a local name unique among all files. */
static const char *const privates[] = {".llvm.", ".__uniq.", ".lto_priv."};

/* Behind the digits, if that is a part's end: of ".cold.1", not of ".coldest". */
static const char *behind_suffix(const char *text, const char *suffix)
{
	const char *at = text + strlen(suffix);

	if (suffix[strlen(suffix) - 1] != '.' && *at == '.' && isdigit((unsigned char)at[1]))
		at++;
	while (isdigit((unsigned char)*at))
		at++;
	return *at && *at != '.' && *at != '@' ? NULL : at;
}

static const char *find_suffix(const char *text, const char *const *suffixes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *behind = sprof_string_starts_with(text, suffixes[i])
			? behind_suffix(text, suffixes[i])
			: NULL;

		if (behind)
			return behind;
	}
	return NULL;
}

static const char *find_clone(const char *text)
{
	return find_suffix(text, clones, sizeof(clones) / sizeof(clones[0]));
}

/*
 * GCC's nested functions and Clang's link-time optimization have only a number, as in "work.5" and
 * "work.5.cold". Go's "main.f.func1.2" is a name.
 */
static const char *find_private(const char *text, bool has_dots)
{
	const char *behind = text + 1 + strspn(text + 1, "0123456789");

	if (!has_dots && behind > text + 1 && (!*behind || find_clone(behind)))
		return behind;
	return find_suffix(text, privates, sizeof(privates) / sizeof(privates[0]));
}

/* Behind " at 12:7" in "{unnamed at 12:7}", the place of a class without a name. NULL: it is not. */
static const char *behind_place(const char *text, const char *before, size_t length)
{
	static const char name[] = "{unnamed", place[] = " at ";
	const size_t size = strlen(name);

	if (length < size || strncmp(before + length - size, name, size) != 0 ||
		!sprof_string_starts_with(text, place))
		return NULL;
	return strchr(text, '}');
}

void sprof_identity_plain_name(
	const char *name, enum sprof_identity_suffixes without, char *ret, size_t size)
{
	size_t length = 0;

	for (const char *at = name; *at && length + 1 < size;) {
		const char *behind = NULL;

		if (*at == '.' && at != name)
			behind = find_clone(at);
		if (*at == '.' && at != name && !behind && without == SPROF_IDENTITY_ALL)
			behind = find_private(at, memchr(ret, '.', length));
		if (*at == ' ' && without == SPROF_IDENTITY_ALL)
			behind = behind_place(at, ret, length);
		if (behind)
			at = behind;
		else
			ret[length++] = *at++;
	}
	ret[length] = '\0';
}

static char *skip_digits(char *at)
{
	return at + strspn(at, "0123456789");
}

/*
 * Skips a part of a mangled name whose digits are not a constructor's number; NULL: there is none.
 */
static char *behind_number(char *at)
{
	if (isdigit((unsigned char)*at)) {
		char *end = skip_digits(at);
		size_t length = strtoul(at, NULL, 10), left = strlen(end);

		return end + (length < left ? length : left);
	}
	if ((*at == 'S' || *at == 'T') && (at[1] == '_' || isdigit((unsigned char)at[1])))
		return at + strcspn(at, "_");
	if (*at == 'L' && islower((unsigned char)at[1]))
		return skip_digits(at + 2 + (at[2] == 'n'));
	return NULL;
}

/*
 * Compilers make up to three functions of one constructor or destructor, and may share them: for
 * the complete object, for the base object, and a deleting one ("C1", "C2", "D0" in the mangled
 * name).
 */
void sprof_identity_unify_structors(char *mangled)
{
	char *next;

	if (!sprof_string_starts_with(mangled, "_Z"))
		return;
	for (char *at = mangled + 2; *at; at = next) {
		next = behind_number(at);
		if (next)
			continue;
		next = at + 1;
		if ((*at == 'C' || *at == 'D') && *next >= '0' && *next <= '5')
			*next = '_';
	}
}

/*
 * Removes "3.11", "-1.2.3" or "_v2" from the end, unless that is all. A number without a dot
 * belongs to the name: "bzip2", "libx264", and in a library's even behind a dash: "libpcre2-8".
 */
static void strip_version(char *name, bool is_library)
{
	size_t number = strlen(name), length;

	while (number && (isdigit((unsigned char)name[number - 1]) || name[number - 1] == '.'))
		number--;
	length = number;
	if (length > 2 && name[length - 1] == 'v' && strchr("-_.", name[length - 2]))
		length--;
	if (length > 1 && strchr("-_", name[length - 1]))
		length--;
	if (length && name[number] &&
		(strchr(name + number, '.') || (!is_library && length < number)))
		name[length] = '\0';
}

/*
 * "libc.so.6" and "libc-2.31.so" are libc.so, "libpython3.11.so.1.0" libpython.so, "python3.11"
 * python, "prog-v2" prog.
 */
void sprof_identity_role(const char *path, char *ret, size_t size)
{
	char *so;
	bool is_library;

	snprintf(ret, size, "%s", sprof_string_file_name(path));
	so = strstr(ret, ".so");
	is_library = so && so > ret && (so[3] == '.' || !so[3]);
	if (is_library)
		*so = '\0';
	strip_version(ret, is_library);
	if (is_library) /* fits where the longer ending was */
		memcpy(ret + strlen(ret), ".so", sizeof(".so"));
}
