/*
 * Rows whose context has the sampler's ids: they get names after the run. A row keeps the key of its
 * raw context, so further samples find it even after it was named.
 */
#include "base/array.h"
#include "profile/model/index.h"

/* Distinguishes raw contexts from named ones in the key of a row. */
#define RAW (UINT32_C(1) << 31)

static struct sprof_hash key_of(const struct sprof_raw_context *context)
{
	struct sprof_hash hash = sprof_hash_start(0);

	sprof_hash_add(&hash, (uint64_t)context->state << 32 | context->wait);
	sprof_hash_add_pointer(&hash, context->labels);
	sprof_hash_add_pair(&hash, context->holding_thread, context->holding_stack);
	return hash;
}

/* Contexts with a holder may be many: if there is no room for more, the holder is left out. */
bool sprof_profile_intern_raw(
	struct sprof_profile *profile, const struct sprof_raw_context *context, uint32_t *ret_raw)
{
	struct sprof_profile_index *index = profile->index;
	const struct sprof_interned raws =
		SPROF_INTERNED(&index->raw_ids, index->raws, index->raw_count, index->raw_capacity);
	const struct sprof_profile_context named = {
		.state = context->state, .labels = context->labels};
	const struct sprof_hash key = key_of(context);
	struct sprof_raw_context raw = *context;

	*ret_raw = sprof_idmap_find(&index->raw_ids, key.high, key.low);
	if (*ret_raw != SPROF_IDMAP_NONE)
		return true;
	if (context->holding_thread != SPROF_PROFILE_NONE &&
		sprof_profile_is_full(index->raw_count, index->bounds.contexts)) {
		raw.holding_thread = raw.holding_stack = SPROF_PROFILE_NONE;
		return sprof_profile_intern_raw(profile, &raw, ret_raw);
	}
	return sprof_profile_intern_context(profile, &named, &raw.context) &&
		sprof_intern(&raws, key, &raw, ret_raw);
}

static struct sprof_hash row_key(uint32_t thread, uint32_t stack, uint32_t raw)
{
	return sprof_key((uint64_t)thread << 32 | RAW | raw, stack);
}

uint32_t sprof_profile_find_raw_row(
	const struct sprof_profile *profile, uint32_t thread, uint32_t stack, uint32_t raw)
{
	const struct sprof_hash key = row_key(thread, stack, raw);

	return sprof_idmap_find(&profile->index->rows, key.high, key.low);
}

bool sprof_profile_intern_raw_row(struct sprof_profile *profile, uint32_t thread, uint32_t stack,
	uint32_t raw, uint32_t *ret_row)
{
	struct sprof_profile_index *index = profile->index;
	const struct sprof_interned rows = SPROF_INTERNED(
		&index->rows, profile->rows, profile->row_count, profile->row_capacity);
	const struct sprof_profile_row row = {
		.thread = thread, .stack = stack, .context = index->raws[raw].context};
	const size_t before = profile->row_count;

	if (!sprof_array_reserve(&index->unnamed, &index->unnamed_capacity,
		    index->unnamed_count + 1, sizeof(*index->unnamed)) ||
		!sprof_intern(&rows, row_key(thread, stack, raw), &row, ret_row))
		return false;
	if (*ret_row == before && index->raws[raw].wait)
		index->unnamed[index->unnamed_count++] =
			(struct sprof_unnamed_row){.row = *ret_row, .raw = raw};
	return true;
}
