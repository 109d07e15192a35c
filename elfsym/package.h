/*
 * Which package of a Debian system holds the debug file of a file.
 */
#ifndef SPROF_ELFSYM_PACKAGE_H
#define SPROF_ELFSYM_PACKAGE_H

#include <stdbool.h>
#include <stddef.h>

/* "coreutils-dbgsym" for "/usr/bin/ls". False: the file belongs to no package, or this is no
 * Debian. */
bool sprof_package_of_debug_file(const char *path, char *ret, size_t size);

/* The same with another place for dpkg's lists. */
bool sprof_package_of_debug_file_in(const char *folder, const char *path, char *ret, size_t size);

/*
 * Where apt finds that package: "deb http://deb.debian.org/debian-debug bookworm-debug main", a line for
 * sources.list. False: where its others come from (libc6-dbg), or not known.
 */
bool sprof_package_archive(const char *package, char *ret, size_t size);

/* The same with another os-release(5). */
bool sprof_package_archive_in(const char *release, const char *package, char *ret, size_t size);

#endif
