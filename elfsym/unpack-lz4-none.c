/*
 * Without liblz4, files that lz4 has compressed are left to that command.
 */
#include "elfsym/unpack.h"

const struct sprof_unpacker sprof_unpack_lz4 = {
	.name = "lz4", .magic_size = 4, .magic = {0x04, 0x22, 0x4d, 0x18}};
