/* Without liblz4: files compressed by lz4 are left to its command. */
#include "elfsym/unpack.h"

const struct sprof_unpacker sprof_unpack_lz4 = {
	.name = "lz4", .magic_size = 4, .magic = {0x04, 0x22, 0x4d, 0x18}};
