/*
 * Finds the Debian package with a file's debug file.
 */
#ifndef SPROF_ELFSYM_PACKAGE_H
#define SPROF_ELFSYM_PACKAGE_H

#include <stdbool.h>
#include <stddef.h>

/* The folder of dpkg's file lists, and os-release(5). */
#define SPROF_PACKAGE_LISTS "/var/lib/dpkg/info"
#define SPROF_PACKAGE_RELEASE "/etc/os-release"

/*
 * "coreutils-dbgsym" for "/usr/bin/ls", by the lists in a folder. False: the file belongs to no
 * package, or this is not Debian.
 */
bool sprof_package_of_debug_file(const char *folder, const char *path, char *ret, size_t size);

/*
 * The line for sources.list that lets apt find the package: "deb http://deb.debian.org/debian-debug
 * bookworm-debug main". `release` is the system's os-release(5). False: the usual archive has the
 * package (libc6-dbg), or unknown.
 */
bool sprof_package_archive(const char *release, const char *package, char *ret, size_t size);

#endif
