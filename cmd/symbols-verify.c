/*
 * sprof symbols --verify. An address may have several names: one of the other source's names must
 * match.
 */
#include "cmd/symbols-verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "output/clean.h"

enum outcome {
	OUTCOME_OK,
	OUTCOME_MISMATCH,
	OUTCOME_MISSING,
};

static void print_outcome(enum outcome outcome, const struct sprof_listed *item, const char *other)
{
	static const char *const words[] = {"OK", "MISMATCH", "MISSING"};
	SPROF_AUTO_FREE char *name = sprof_clean_text(item->name, NULL);
	SPROF_AUTO_FREE char *found = other ? sprof_clean_text(other, NULL) : NULL;

	printf("%s\t%016" PRIx64 "\t%s", words[outcome], item->address, name ? name : "?");
	if (outcome == OUTCOME_MISMATCH)
		printf("\t%s", found ? found : "?");
	printf("\n");
}

/* Against the file's own symbols. The last symbol ends with the code. */
static enum outcome compare_listed(const struct sprof_verification *verification,
	const struct sprof_listing *listing, const struct sprof_listed *item,
	const char **ret_other)
{
	const struct sprof_listed *found;

	if (sprof_listing_has(listing, item->address, item->name))
		return OUTCOME_OK;
	found = verification->image && sprof_image_executable(verification->image, item->address)
		? sprof_listing_find(listing, item->address)
		: NULL;
	*ret_other = found ? found->name : NULL;
	return found ? OUTCOME_MISMATCH : OUTCOME_MISSING;
}

/* Against the debug information; aliases of the name count. */
static bool compare_resolved(const struct sprof_verification *verification,
	const struct sprof_listing *listing, const struct sprof_listed *item,
	enum outcome *ret_outcome, const char **ret_other, struct sprof_error *err)
{
	struct sprof_locations locations;
	uint64_t offset;

	*ret_outcome = OUTCOME_MISSING;
	if (!sprof_image_offset(verification->image, item->address, &offset))
		return true;
	if (!sprof_symbols_resolve(
		    verification->symbols, verification->module->id, offset, &locations, err))
		return false;
	*ret_other = locations.items[locations.count - 1].linkage;
	if (locations.items[locations.count - 1].unresolved)
		return true;
	*ret_outcome = strcmp(*ret_other, item->name) == 0 ||
			sprof_listing_has(listing, item->address, *ret_other)
		? OUTCOME_OK
		: OUTCOME_MISMATCH;
	return true;
}

static bool compare_all(const struct sprof_verification *verification,
	const struct sprof_listing *ours, const struct sprof_listing *file, size_t *ret_matching,
	struct sprof_error *err)
{
	*ret_matching = 0;
	for (size_t i = 0; i < ours->count; i++) {
		const struct sprof_listed *item = &ours->items[i];
		const char *other = NULL;
		enum outcome outcome = OUTCOME_OK;

		if (verification->sysmap)
			outcome = compare_listed(verification, file, item, &other);
		else if (!compare_resolved(verification, file, item, &outcome, &other, err))
			return false;
		print_outcome(outcome, item, other);
		*ret_matching += outcome == OUTCOME_OK;
	}
	return true;
}

bool sprof_verification_run(const struct sprof_verification *verification, size_t *ret_matching,
	size_t *ret_all, struct sprof_error *err)
{
	struct sprof_listing file, sysmap = {0};
	bool ok;

	if (!sprof_listing_create(verification->module, &verification->places, NULL,
		    SPROF_LISTING_FILE, &file, err))
		return false;
	ok = !verification->sysmap ||
		sprof_listing_create(verification->module, &verification->places,
			verification->sysmap, SPROF_LISTING_SYSMAP, &sysmap, err);
	if (ok) {
		const struct sprof_listing *ours = verification->sysmap ? &sysmap : &file;

		*ret_all = ours->count;
		ok = compare_all(verification, ours, &file, ret_matching, err);
		if (verification->sysmap)
			sprof_listing_finish(&sysmap);
	}
	sprof_listing_finish(&file);
	return ok;
}
