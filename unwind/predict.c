/*
 * Predicts the distance of the frame pointer from sp: by the rows of the function, by the sum of
 * its instructions or, without any function table, by the last prologue before the pc. Does not
 * look at a stack: the caller checks the resulting walk. On arm64 only rows are used.
 */
#include "unwind/predict.h"

#include "elfsym/cfi/cfi.h"
#include "elfsym/code/frame-distance.h"

enum {
	LONGEST_CODE = 16 * 1024, /* bytes that are looked through */
	LEAST_CODE = 64,
};

/* Follows every way through the function: they give the CFA's distance above sp, and so the frame
 * pointer's. */
static bool predict_by_rows(const struct sprof_place *place, const struct sprof_fde_bounds *bounds,
	const struct sprof_pc *known, uint64_t *ret_distance)
{
	struct sprof_rule rule =
		sprof_rows_compute(place->rows, bounds->start, bounds->next, place->address);

	*ret_distance = (uint64_t)((int64_t)rule.cfa_offset - known->rule.cfa_offset);
	return rule.cfa == SPROF_CFA_SP && known->rule.cfa == SPROF_CFA_FP &&
		rule.cfa_offset >= known->rule.cfa_offset;
}

/* Without a decoder: adds up the instructions before the place, in the order in which they lie. */
static bool predict_by_sum(const struct sprof_place *place, const struct sprof_fde_bounds *bounds,
	const struct sprof_pc *known, uint64_t *ret_distance)
{
#if defined(__x86_64__)
	uint64_t size = place->address + known->is_return - bounds->start;
	const uint8_t *code =
		size <= LONGEST_CODE ? sprof_image_at(place->image, bounds->start, size) : NULL;

	return code && sprof_frame_distance_x86_64(code, size, ret_distance);
#else
	return false;
#endif
}

/* Without any function table (programs without unwind tables): by the last prologue before. */
static bool predict_by_prologue(
	const struct sprof_place *place, const struct sprof_pc *known, uint64_t *ret_distance)
{
#if defined(__x86_64__)
	const uint64_t end = place->address + known->is_return;

	/* Less of it at the beginning of the file's code. */
	for (uint64_t size = LONGEST_CODE; size >= LEAST_CODE; size /= 2) {
		const uint8_t *code =
			end > size ? sprof_image_at(place->image, end - size, size) : NULL;

		if (code)
			return sprof_frame_distance_behind_x86_64(code, size, ret_distance);
	}
#endif
	return false;
}

bool sprof_predict(const struct sprof_recovery *recovery, const struct sprof_pc *known,
	struct sprof_prediction *ret)
{
	struct sprof_images *images = &recovery->pcs->images;
	struct sprof_fde_bounds bounds;
	struct sprof_place place;

	if (!sprof_images_locate(images, recovery->maps, known->pc - known->is_return, &place) ||
		!place.image)
		return false;
	ret->is_sure = sprof_images_find_bounds(images, place.module, place.address, &bounds) &&
		(predict_by_rows(&place, &bounds, known, &ret->distance) ||
			predict_by_sum(&place, &bounds, known, &ret->distance));
	return ret->is_sure ||
		(known->rule.cfa == SPROF_CFA_NONE &&
			predict_by_prologue(&place, known, &ret->distance));
}
