/*
 * UTF-8 or ASCII, by the name of the user's locale, which need not be installed. For other
 * character sets, a static sprof would load code (iconv) of the installed C library. Nothing else
 * of the locale is used: numbers have one format everywhere.
 */
#include "cmd/cli/locale.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* In the order of setlocale(3). */
static const char *name_of_locale(void)
{
	static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		const char *name = getenv(variables[i]);

		if (name && name[0])
			return name;
	}
	return "C";
}

/* For example en_US.UTF-8, de_DE.utf8@euro. */
static bool is_utf8(const char *name)
{
	const char *charset = strchr(name, '.');

	return charset &&
		(strncasecmp(charset, ".UTF-8", strlen(".UTF-8")) == 0 ||
			strncasecmp(charset, ".utf8", strlen(".utf8")) == 0);
}

bool sprof_locale_is_utf8(void)
{
	return is_utf8(name_of_locale());
}

bool sprof_locale_enter(void)
{
	return sprof_locale_is_utf8() && setlocale(LC_CTYPE, "C.UTF-8");
}

void sprof_locale_leave(void)
{
	setlocale(LC_CTYPE, "C");
}
