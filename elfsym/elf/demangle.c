/*
 * Demangles by libiberty, within bounds. A mangled name of 300 bytes can expand to gigabytes,
 * because each substitution may double the text before it. So this uses libiberty's callback
 * interface, and the callback leaves by longjmp when the text gets too long. No heap memory is
 * lost: the C++ form holds none (demangle.h), Rust's holds a buffer only while it prints an
 * identifier that is not ASCII.
 */
#include "elfsym/elf/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/strings.h"

enum {
	MAX_MANGLED = 8 * 1024,
	MAX_PLAIN = 64 * 1024,
	/* libiberty rejects longer names unless deep recursion is explicitly allowed. */
	MAX_CAUTIOUS = 1024,
	/* D has no callback form: with this few back references the text stays within megabytes. */
	MAX_D_REFERENCES = 24,
	OPTIONS = DMGL_PARAMS | DMGL_ANSI,
};

struct writer {
	char *text;
	size_t length, capacity;
	jmp_buf too_long;
};

typedef int (*demangler)(const char *, int, demangle_callbackref, void *);

static void append(const char *text, size_t length, void *data)
{
	struct writer *writer = data;

	if (length > MAX_PLAIN - writer->length ||
		!sprof_array_reserve(
			&writer->text, &writer->capacity, writer->length + length + 1, 1))
		longjmp(writer->too_long, 1);
	memcpy(writer->text + writer->length, text, length);
	writer->length += length;
	writer->text[writer->length] = '\0';
}

static char *run(demangler demangle, const char *linkage, int options)
{
	/* On the heap, so that longjmp does not change its fields. */
	struct writer *writer = calloc(1, sizeof(*writer));
	char *result = NULL;

	if (!writer)
		return NULL;
	if (setjmp(writer->too_long) == 0 && demangle(linkage, options, append, writer) &&
		writer->length) {
		result = writer->text;
		writer->text = NULL;
	}
	free(writer->text);
	free(writer);
	return result;
}

/*
 * Thunks adjust `this`: "_DTi16" before the function's name (GDC), or "_DThn16" with "_" in place
 * of that name's "_D" (LDC). libiberty does not know them.
 */
static char *demangle_d_thunk(const char *linkage)
{
	const char *number = linkage + strcspn(linkage, "0123456789");
	const char *behind = number + strspn(number, "0123456789");
	SPROF_AUTO_FREE char *target = NULL, *name = NULL;

	if (behind == number || *behind != '_')
		return NULL;
	target = behind[1] == 'D' ? strdup(behind) : sprof_string_print("_D%s", behind + 1);
	name = target ? dlang_demangle(target, OPTIONS) : NULL;
	return name ? sprof_string_print("non-virtual thunk to %s", name) : NULL;
}

static char *demangle_d_function(const char *linkage)
{
	int references = 0;

	for (const char *c = linkage; *c; c++)
		references += *c == 'Q';
	if (references > MAX_D_REFERENCES)
		return NULL;
	return sprof_string_starts_with(linkage, "_DT") ? demangle_d_thunk(linkage)
							: dlang_demangle(linkage, OPTIONS);
}

/* libiberty knows a clone's suffix (".constprop.0") behind names of C++ only. */
static char *demangle_d(const char *linkage)
{
	const char *suffix = linkage + strcspn(linkage, ".");
	SPROF_AUTO_FREE char *original = strndup(linkage, (size_t)(suffix - linkage));
	char *name = original ? demangle_d_function(original) : NULL, *clone;

	if (!name || !*suffix)
		return name;
	clone = sprof_string_print("%s [clone %s]", name, suffix);
	free(name);
	return clone;
}

/* The length of the hexadecimal digits in "F666f6f_foo_0"; 0: the name is not such a one. */
static size_t lisp_digits(const char *linkage)
{
	const size_t digits = linkage[0] == 'F' ? strspn(linkage + 1, "0123456789abcdef") : 0;

	return digits >= 2 && digits % 2 == 0 && linkage[1 + digits] == '_' ? digits : 0;
}

/* Letters of a Lisp name that Emacs repeats behind the digits; '-' becomes '_'. */
static bool is_repeated(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '_' || c == '-';
}

/* Capital letters are repeated, or not, by the user's case-fold-search. */
static bool is_capital(char c)
{
	return c >= 'A' && c <= 'Z';
}

/*
 * Emacs names native code "F", the bytes of the Lisp name, "_", its plain letters, "_" and a number
 * (lisp/emacs-lisp/comp.el, comp-c-func-name). The letters confirm the bytes.
 */
static char *demangle_lisp(const char *linkage)
{
	const size_t digits = lisp_digits(linkage);
	const char *letters = linkage + 1 + digits + 1;
	char *name = digits ? calloc(digits / 2 + 1, 1) : NULL;

	for (size_t i = 0; name && i < digits / 2; i++) {
		const char pair[] = {linkage[1 + 2 * i], linkage[2 + 2 * i], '\0'};
		const char c = (char)strtoul(pair, NULL, 16);
		const bool is_next = *letters == (c == '-' ? '_' : c);

		name[i] = c;
		if (c && (is_next || !is_repeated(c))) {
			letters += is_next && (is_repeated(c) || is_capital(c));
			continue;
		}
		free(name);
		return NULL;
	}
	if (name && letters[0] == '_' && letters[1] &&
		!letters[1 + strspn(letters + 1, "0123456789")])
		return name;
	free(name);
	return NULL;
}

bool sprof_is_mangled(const char *linkage)
{
	return (linkage[0] == '_' && linkage[1] && strchr("ZRD", linkage[1])) ||
		lisp_digits(linkage);
}

/* "17h0123456789abcdefE", behind it the end or a suffix. A dot before it belongs to the name. */
size_t sprof_rust_length(const char *linkage)
{
	static const char start[] = "17h";
	enum { HASH = 16, TAIL = sizeof(start) - 1 + HASH + 1 };

	if (strncmp(linkage, "_R", 2) == 0)
		return strcspn(linkage, ".");
	if (strncmp(linkage, "_ZN", 3) != 0)
		return 0;
	for (const char *at = linkage; (at = strstr(at, start)); at++) {
		if (strspn(at + strlen(start), "0123456789abcdef") == HASH && at[TAIL - 1] == 'E' &&
			(!at[TAIL] || at[TAIL] == '.'))
			return (size_t)(at - linkage) + TAIL;
	}
	return 0;
}

static bool ends_in_bracket(const char *name)
{
	return name[0] && name[strlen(name) - 1] == '>';
}

const char *sprof_rust_arguments(const char *linkage, const char *demangled, const char *dwarf)
{
	if (linkage == demangled || linkage[1] != 'Z' || !sprof_rust_length(linkage) ||
		ends_in_bracket(demangled) || !dwarf || !ends_in_bracket(dwarf))
		return NULL;
	return strchr(dwarf, '<');
}

/* Writes the character; returns its length in UTF-8. Not for ASCII. */
static size_t put_character(unsigned long character, char *to)
{
	const size_t length = character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;

	for (size_t i = length; i-- > 1; character >>= 6)
		to[i] = (char)(0x80 | (character & 0x3f));
	to[0] = (char)((0xf00u >> length & 0xf0) | character);
	return length;
}

/* The character that "$uf6$" at the place means, if libiberty leaves it as it is; else 0. */
static unsigned long escaped(const char *at, size_t *ret_length)
{
	const size_t digits = strncmp(at, "$u", 2) ? 0 : strspn(at + 2, "0123456789abcdef");
	unsigned long character;

	if (digits < 2 || digits > 6 || at[2 + digits] != '$')
		return 0;
	*ret_length = digits + 3;
	character = strtoul(at + 2, NULL, 16);
	return character < 0xa0 || character > 0x10ffff ||
			(character >= 0xd800 && character < 0xe000)
		? 0
		: character;
}

/*
 * Rust's legacy mangling escapes what is not ASCII; libiberty knows ASCII only. In place: it gets
 * shorter.
 */
static void unescape_rust(char *text)
{
	char *to = text;

	for (const char *at = text; *at;) {
		size_t length = 0;
		const unsigned long character = escaped(at, &length);

		if (character)
			to += put_character(character, to);
		else
			*to++ = *at;
		at += character ? length : 1;
	}
	*to = '\0';
}

/* Rust's legacy mangling is also valid C++, so Rust is tried first. */
char *sprof_demangle(const char *linkage)
{
	size_t length = strnlen(linkage, MAX_MANGLED + 1);
	int options = OPTIONS | (length > MAX_CAUTIOUS ? DMGL_NO_RECURSE_LIMIT : 0);
	char *result = NULL;

	if (length > MAX_MANGLED || !sprof_is_mangled(linkage))
		return NULL;
	if (linkage[0] == 'F')
		return demangle_lisp(linkage);
	if (linkage[1] == 'D')
		return demangle_d(linkage);
	result = run(rust_demangle_callback, linkage, OPTIONS);
	if (result && linkage[1] == 'Z')
		unescape_rust(result);
	if (!result && linkage[1] == 'Z')
		result = run(cplus_demangle_v3_callback, linkage, options);
	return result;
}

/*
 * ".cold", ".cold.1", ".__part.2", at the end of a name. Not clones (".constprop.0") or outlined
 * code (".part.0"), which are called like functions.
 */
static bool is_part_suffix(const char *text)
{
	static const char cold[] = ".cold", part[] = ".__part.", digits[] = "0123456789";

	if (sprof_string_starts_with(text, part)) {
		text += strlen(part);
		return *text && !text[strspn(text, digits)];
	}
	if (!sprof_string_starts_with(text, cold))
		return false;
	text += strlen(cold);
	return !*text || (*text == '.' && text[1] && !text[1 + strspn(text + 1, digits)]);
}

size_t sprof_part_owner_length(const char *name)
{
	for (const char *at = name; (at = strchr(at, '.')); at++) {
		if (at != name && is_part_suffix(at))
			return (size_t)(at - name);
	}
	return strlen(name);
}
