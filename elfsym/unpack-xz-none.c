/* Without liblzma: files compressed by xz are left to its command. */
#include "elfsym/unpack.h"

const struct sprof_unpacker sprof_unpack_xz = {
	.name = "xz", .magic_size = 6, .magic = {0xfd, '7', 'z', 'X', 'Z', 0}};
