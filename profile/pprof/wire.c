/*
 * The wire format, without copies: a field points into the caller's bytes. Never reads past the
 * end, whatever the bytes are. Does not interpret messages.
 */
#include "profile/pprof/wire.h"

enum {
	TYPE_VARINT = 0,
	TYPE_FIXED64 = 1,
	TYPE_BYTES = 2,
	TYPE_FIXED32 = 5,
};

static bool fail(struct sprof_wire *wire)
{
	wire->broken = true;
	wire->at = wire->end;
	return false;
}

static bool read_varint(struct sprof_wire *wire, uint64_t *ret)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64 && wire->at < wire->end; shift += 7) {
		uint8_t byte = *wire->at++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			*ret = value;
			return true;
		}
	}
	return fail(wire);
}

static bool read_fixed(struct sprof_wire *wire, size_t size, uint64_t *ret)
{
	uint64_t value = 0;

	if ((size_t)(wire->end - wire->at) < size)
		return fail(wire);
	for (size_t i = 0; i < size; i++)
		value |= (uint64_t)wire->at[i] << (8 * i);
	wire->at += size;
	*ret = value;
	return true;
}

static bool read_bytes(struct sprof_wire *wire, struct sprof_wire_field *field)
{
	uint64_t size;

	if (!read_varint(wire, &size))
		return false;
	if (size > (uint64_t)(wire->end - wire->at))
		return fail(wire);
	field->is_bytes = true;
	field->bytes = (struct sprof_wire){.at = wire->at, .end = wire->at + size};
	wire->at += size;
	return true;
}

bool sprof_wire_next(struct sprof_wire *wire, struct sprof_wire_field *ret)
{
	struct sprof_wire_field field = {0};
	uint64_t tag;

	if (wire->at == wire->end || !read_varint(wire, &tag))
		return false;
	if (!(tag >> 3) || tag >> 3 > UINT32_MAX)
		return fail(wire);
	field.number = (uint32_t)(tag >> 3);
	switch (tag & 7) {
	case TYPE_VARINT:
		if (!read_varint(wire, &field.value))
			return false;
		break;
	case TYPE_FIXED64:
	case TYPE_FIXED32:
		if (!read_fixed(wire, (tag & 7) == TYPE_FIXED64 ? 8 : 4, &field.value))
			return false;
		break;
	case TYPE_BYTES:
		if (!read_bytes(wire, &field))
			return false;
		break;
	default:
		return fail(wire);
	}
	*ret = field;
	return true;
}

bool sprof_wire_number(struct sprof_wire *wire, uint64_t *ret)
{
	return wire->at < wire->end && read_varint(wire, ret);
}
