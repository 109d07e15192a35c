/*
 * The user's character set, from the C library. Nothing else of the locale is used: numbers have
 * one format everywhere.
 */
#include "cmd/cli/locale.h"

#include <langinfo.h>
#include <locale.h>
#include <string.h>

bool sprof_locale_enter(void)
{
	setlocale(LC_CTYPE, "");
	return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

bool sprof_locale_is_utf8(void)
{
	bool is_utf8 = sprof_locale_enter();

	sprof_locale_leave();
	return is_utf8;
}

void sprof_locale_leave(void)
{
	setlocale(LC_CTYPE, "C");
}
