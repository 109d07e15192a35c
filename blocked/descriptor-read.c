/* Reads and searches the links and texts of a process's descriptors. descriptor.c parses them. */
#include "blocked/descriptor-read.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/proc.h"

bool sprof_descriptor_read(pid_t pid, int fd, struct sprof_descriptor *ret)
{
	char link[4096];

	if (!sprof_proc_read_link(sprof_proc_path(pid, 0, "fd/%d", fd).text, link, sizeof(link)))
		return false;
	sprof_descriptor_parse(link, ret);
	return true;
}

ssize_t sprof_descriptor_read_info(pid_t pid, int fd, char *buffer, size_t size)
{
	return sprof_proc_read_path(sprof_proc_path(pid, 0, "fdinfo/%d", fd).text, buffer, size);
}

/* The link's permissions show how the descriptor was opened (fs/proc/fd.c, tid_fd_update_inode). */
static bool is_open_for(int folder, const char *name, bool writes)
{
	struct stat status;

	return !fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) &&
		status.st_mode & (writes ? S_IWUSR : S_IRUSR);
}

bool sprof_descriptor_find(pid_t pid, const char *link, bool writes, unsigned limit)
{
	DIR *folder = opendir(sprof_proc_path(pid, 0, "fd").text);
	const struct dirent *entry;
	char other[64];
	bool found = false;

	while (folder && !found && limit-- && (entry = readdir(folder))) {
		ssize_t length = readlinkat(dirfd(folder), entry->d_name, other, sizeof(other) - 1);

		if (length <= 0)
			continue;
		other[length] = '\0';
		found = !strcmp(other, link) && is_open_for(dirfd(folder), entry->d_name, writes);
	}
	if (folder)
		closedir(folder);
	return found;
}

bool sprof_descriptor_is_write_end(pid_t pid, int fd)
{
	return !is_open_for(AT_FDCWD, sprof_proc_path(pid, 0, "fd/%d", fd).text, false);
}
