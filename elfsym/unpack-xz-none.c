/*
 * Without liblzma, files that xz has compressed are left to that command.
 */
#include "elfsym/unpack.h"

const struct sprof_unpacker sprof_unpack_xz = {
	.name = "xz", .magic_size = 6, .magic = {0xfd, '7', 'z', 'X', 'Z', 0}};
