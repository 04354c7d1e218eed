/* Output files.
 *
 * GLib's g_file_set_contents does nearly this, but it replaces devices by regular files and its
 * messages name the temporary file; a user who redirects to /dev/full or runs out of disk is to
 * read the name that she gave. */
#include "study/output.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "study/ending.h"
#include "study/error.h"

static bool fail(GError **error, enum study_error code, const char *what, const char *path,
                 int number)
{
    g_set_error(error, STUDY_ERROR, (gint)code, "cannot %s %s: %s", what, path, g_strerror(number));
    return false;
}

/* 0, or the errno of the write that failed. */
static int write_all(int fd, const char *content, size_t length)
{
    while (length > 0) {
        ssize_t written = write(fd, content, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return errno;
        content += written;
        length -= (size_t)written;
    }
    return 0;
}

static int write_open_file(int fd, const char *content, size_t length, bool sync)
{
    int number = write_all(fd, content, length);
    if (number == 0 && sync && fsync(fd) != 0)
        number = errno;
    if (close(fd) != 0 && number == 0)
        number = errno;
    return number;
}

static int write_in_place(const char *path, const char *content, size_t length)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    return fd < 0 ? errno : write_open_file(fd, content, length, false);
}

static int write_and_rename(const char *path, const char *content, size_t length)
{
    g_autofree char *temporary = g_strconcat(path, ".XXXXXX", NULL);
    int fd = g_mkstemp_full(temporary, O_WRONLY | O_CLOEXEC, 0666);
    if (fd < 0)
        return errno;
    ending_partial(temporary);
    int number = write_open_file(fd, content, length, true);
    if (number == 0 && g_rename(temporary, path) != 0)
        number = errno;
    if (number != 0)
        g_unlink(temporary);
    ending_partial(NULL);
    return number;
}

static bool is_special(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

bool output_write(const char *path, const char *content, size_t length, GError **error)
{
    int number;
    if (strcmp(path, "-") == 0)
        number = write_all(STDOUT_FILENO, content, length);
    else if (is_special(path))
        number = write_in_place(path, content, length);
    else
        number = write_and_rename(path, content, length);
    if (number == 0)
        return true;
    return fail(error, STUDY_ERROR_RUN, "write", strcmp(path, "-") ? path : "standard output",
                number);
}

/* access() says yes to root on a read-only file system and to folders of /proc, so try it. */
static bool try_folder(const char *path, GError **error)
{
    g_autofree char *probe = g_build_filename(path, ".gpunetsim.XXXXXX", NULL);
    int fd = g_mkstemp_full(probe, O_WRONLY | O_CLOEXEC, 0600);
    if (fd < 0)
        return fail(error, STUDY_ERROR_USE, "write into the folder", path, errno);
    close(fd);
    g_unlink(probe);
    return true;
}

bool output_prepare_folder(const char *path, GError **error)
{
    if (g_mkdir_with_parents(path, 0777) != 0)
        return fail(error, STUDY_ERROR_USE, "make the folder", path, errno);
    return try_folder(path, error);
}

bool output_prepare_file(const char *path, GError **error)
{
    if (strcmp(path, "-") == 0 || is_special(path))
        return true;
    if (g_file_test(path, G_FILE_TEST_IS_DIR))
        return fail(error, STUDY_ERROR_USE, "write", path, EISDIR);
    g_autofree char *folder = g_path_get_dirname(path);
    return try_folder(folder, error);
}
