/*
 * Finds the Debian package with a file's debug file.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* dpkg's file lists, and os-release(5). */
#define SPROF_PACKAGE_LISTS "/var/lib/dpkg/info"
#define SPROF_PACKAGE_RELEASE "/etc/os-release"

/*
 * "coreutils-dbgsym" for "/usr/bin/ls", from the lists in a folder. Returns false if no package
 * owns the file, or this is not Debian.
 */
bool sprof_package_of_debug_file(const char *folder, const char *path, char *ret, size_t size);

/*
 * The line for sources.list that makes the package available: "deb
 * http://deb.debian.org/debian-debug bookworm-debug main". `release` is the content of
 * os-release(5). Returns false if the standard archive has the package (libc6-dbg), or if unknown.
 */
bool sprof_package_archive(const char *release, const char *package, char *ret, size_t size);
