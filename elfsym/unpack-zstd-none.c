/* Without libzstd: files compressed by zstd are left to its command. */
#include "elfsym/unpack.h"

const struct sprof_unpacker sprof_unpack_zstd = {
	.name = "zstd", .magic_size = 4, .magic = {0x28, 0xb5, 0x2f, 0xfd}};
