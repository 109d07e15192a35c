/* Writes the data of heatmaps; heatmap-svg.c draws them at the end. */
#include "output/trace/heatmap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "events/pairs/delay-table.h"
#include "output/out.h"
#include "output/trace/heatmap-svg.h"

enum { PATH_SIZE = 4096, LINE_SIZE = 64, TITLE_SIZE = 512 };

static void fail(struct sprof_heatmap *heatmap, int errnum, const char *path)
{
	if (heatmap->error.kind == SPROF_ERROR_NONE)
		sprof_error_errno(&heatmap->error, errnum, "write %s", path);
}

static void keep_error(struct sprof_heatmap *heatmap, const struct sprof_error *err)
{
	if (heatmap->error.kind == SPROF_ERROR_NONE)
		heatmap->error = *err;
}

/* The picture's path for FILE.lat. Returns NULL if out of memory. */
static char *picture_of(const char *path)
{
	const size_t length = strlen(path) - strlen(".lat");
	char *picture;

	return asprintf(&picture, "%.*s.svg", (int)length, path) < 0 ? NULL : picture;
}

static void open_file(struct sprof_heatmap *heatmap, const struct sprof_trace_instance *instance,
	struct sprof_heatmap_file *file)
{
	struct sprof_error err = {0};
	char path[PATH_SIZE];

	if (sprof_heatmap_path(heatmap->name, instance, path, sizeof(path)) >= PATH_SIZE) {
		fail(heatmap, ENAMETOOLONG, heatmap->name);
		return;
	}
	file->picture = picture_of(path);
	file->grid = calloc(1, sizeof(*file->grid));
	if (!file->picture || !file->grid) {
		fail(heatmap, ENOMEM, path);
		return;
	}
	file->is_drawn = sprof_out_open(path, &file->out, &err);
	if (file->is_drawn)
		sprof_out_keep_old(file->out);
	else
		keep_error(heatmap, &err);
}

/* Returns NULL if out of memory. */
static struct sprof_heatmap_file *file_of(
	struct sprof_heatmap *heatmap, const struct sprof_trace_instance *instance)
{
	struct sprof_heatmap_file file = {instance->event1.item, instance->event2.item};

	for (size_t i = 0; i < heatmap->count; i++) {
		if (heatmap->files[i].item1 == file.item1 && heatmap->files[i].item2 == file.item2)
			return &heatmap->files[i];
	}
	if (!sprof_array_reserve(&heatmap->files, &heatmap->capacity, heatmap->count + 1,
		    sizeof(*heatmap->files))) {
		fail(heatmap, ENOMEM, heatmap->name);
		return NULL;
	}
	open_file(heatmap, instance, &file);
	heatmap->files[heatmap->count++] = file;
	return &heatmap->files[heatmap->count - 1];
}

void sprof_heatmap_write(struct sprof_heatmap *heatmap, const struct sprof_trace_instance *instance)
{
	char line[LINE_SIZE];
	struct sprof_heatmap_file *file = heatmap->name ? file_of(heatmap, instance) : NULL;

	if (!file || !file->out)
		return;
	sprof_heatmap_line(instance, line, sizeof(line));
	sprof_out_puts(file->out, line);
	sprof_heat_grid_add(file->grid, instance->event2.event->time_ns, instance->latency_ns);
}

static void close_file(struct sprof_heatmap *heatmap, struct sprof_heatmap_file *file)
{
	struct sprof_error err = {0};

	if (file->out && !sprof_out_close(file->out, &err))
		keep_error(heatmap, &err);
	file->out = NULL;
}

static void draw(const struct sprof_heatmap_file *file, struct sprof_out *out)
{
	char title[TITLE_SIZE];

	snprintf(title, sizeof(title), "%s => %s", file->item1->name, file->item2->name);
	sprof_heatmap_svg_write(file->grid, title, out);
}

static void write_picture(struct sprof_heatmap *heatmap, const struct sprof_heatmap_file *file)
{
	struct sprof_error err = {0};
	struct sprof_out *out;

	if (!file->is_drawn)
		return;
	if (sprof_out_open(file->picture, &out, &err)) {
		draw(file, out);
		if (sprof_out_close(out, &err))
			return;
	}
	keep_error(heatmap, &err);
}

static bool write_page_to(
	const struct sprof_heatmap *heatmap, const char *path, struct sprof_error *err)
{
	struct sprof_out *out;

	if (!sprof_out_open(path, &out, err))
		return false;
	sprof_out_puts(out,
		"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
		"<title>latencies</title></head><body>\n");
	for (size_t i = 0; i < heatmap->count; i++) {
		if (heatmap->files[i].is_drawn)
			draw(&heatmap->files[i], out);
	}
	sprof_out_puts(out, "</body></html>\n");
	return sprof_out_close(out, err);
}

/* All pictures on one page. */
static void write_page(struct sprof_heatmap *heatmap)
{
	SPROF_AUTO_FREE char *path = NULL;
	struct sprof_error err = {0};

	if (!heatmap->count)
		return;
	if (asprintf(&path, "%s.html", heatmap->name) < 0) {
		path = NULL;
		sprof_error_no_memory(&err);
		keep_error(heatmap, &err);
	} else if (!write_page_to(heatmap, path, &err)) {
		keep_error(heatmap, &err);
	}
}

bool sprof_heatmap_close(struct sprof_heatmap *heatmap, struct sprof_error *err)
{
	for (size_t i = 0; i < heatmap->count; i++) {
		close_file(heatmap, &heatmap->files[i]);
		write_picture(heatmap, &heatmap->files[i]);
	}
	write_page(heatmap);
	for (size_t i = 0; i < heatmap->count; i++) {
		free(heatmap->files[i].picture);
		free(heatmap->files[i].grid);
	}
	free(heatmap->files);
	heatmap->files = NULL;
	heatmap->count = heatmap->capacity = 0;
	if (heatmap->error.kind == SPROF_ERROR_NONE)
		return true;
	*err = heatmap->error;
	return false;
}
