/*
 * The forms in which tools print symbols, one line at a time.
 */
#ifndef SPROF_ELFSYM_SYMLIST_FORMS_H
#define SPROF_ELFSYM_SYMLIST_FORMS_H

#include "elfsym/symlist.h"

enum sprof_symlist_verdict {
	SPROF_SYMLIST_STRANGE, /* not a line of this form */
	SPROF_SYMLIST_EMPTY,   /* a heading, a blank line, a symbol without an address */
	SPROF_SYMLIST_SYMBOL,
};

/* Reads one line, without its newline. The result is written only for a symbol. */
typedef enum sprof_symlist_verdict (*sprof_symlist_parser)(
	const char *line, const char *end, struct sprof_symlist_line *ret);

/* Perf maps. */
enum sprof_symlist_verdict sprof_symlist_parse_perf_map(
	const char *line, const char *end, struct sprof_symlist_line *ret);

/* The form of a list that a user gives: the one that most lines have. */
sprof_symlist_parser sprof_symlist_choose(const char *text, const char *end);

/* Moves the cursor behind the next line. False: there is none. */
bool sprof_symlist_next_line(
	const char **cursor, const char *end, const char **ret_line, const char **ret_end);

#endif
