/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/system/leftover.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <stdbool.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static void empty_folder(const char *path, int fd)
{
    g_autoptr(GDir) entries = g_dir_open(path, 0, NULL);
    const char *name;
    while (entries && (name = g_dir_read_name(entries)))
        unlinkat(fd, name, 0);
}

void leftover_drop(const char *path, int fd)
{
    empty_folder(path, fd);
    g_rmdir(path);
    close(fd);
}

static void remove_if_nobodys(const char *path)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;
    bool is_ours =
        fstat(fd, &status) == 0 && status.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0;
    if (is_ours && S_ISREG(status.st_mode))
        g_unlink(path);
    if (is_ours && S_ISDIR(status.st_mode))
        leftover_drop(path, fd);
    else
        close(fd);
}

void leftover_remove(const char *folder, const char *prefix)
{
    g_autoptr(GDir) entries = g_dir_open(folder, 0, NULL);
    const char *name;
    while (entries && (name = g_dir_read_name(entries))) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        if (g_str_has_prefix(name, prefix))
            remove_if_nobodys(path);
    }
}

/* Locks a file or folder that was just made; false if another process has taken it for a leftover before. */
static bool lock_new(int fd, const char *path)
{
    struct stat opened, named;
    return flock(fd, LOCK_EX) == 0 && fstat(fd, &opened) == 0 && lstat(path, &named) == 0 &&
           opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

/* These make a file or folder and open it; `made`: it was made, even if it is gone before it is open. */
static int make_file(char *path, bool *made)
{
    int fd = g_mkstemp_full(path, O_WRONLY | O_CLOEXEC, 0666);
    *made = fd >= 0;
    return fd;
}

static int make_folder(char *path, bool *made)
{
    *made = g_mkdtemp(path) != NULL;
    return *made ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
}

static int make_locked(const char *folder, const char *prefix, int (*make)(char *path, bool *made),
                       char **path)
{
    g_autofree char *name = g_strconcat(prefix, "XXXXXX", NULL);
    for (;;) {
        *path = g_build_filename(folder, name, NULL);
        bool made;
        int fd = make(*path, &made);
        if (fd >= 0 && lock_new(fd, *path))
            return fd;
        int number = errno;
        bool was_taken = made && !g_file_test(*path, G_FILE_TEST_EXISTS);
        if (fd >= 0) {
            close(fd);
            g_remove(*path);
        }
        g_clear_pointer(path, g_free);
        errno = number;
        if (!was_taken)
            return -1;
    }
}

int leftover_new_file(const char *folder, const char *prefix, char **path)
{
    return make_locked(folder, prefix, make_file, path);
}

int leftover_new_folder(const char *folder, const char *prefix, char **path)
{
    return make_locked(folder, prefix, make_folder, path);
}
