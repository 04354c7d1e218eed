/* SPDX-License-Identifier: BSD-3-Clause */
/* Output files.
 *
 * GLib's g_file_set_contents does nearly this, but it replaces devices by regular files and its messages name the temporary
 * file; a user who redirects to /dev/full or runs out of disk space should read the name that she gave. */
#include "study/table/output.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "study/system/ending.h"
#include "study/system/leftover.h"
#include "study/table/output_list.h"

#define TEMPORARY_PREFIX ".gpunetsim-new-"

static bool fail(GError **error, enum error_code code, const char *what, const char *path,
                 int number)
{
    error_set_code(error, code, "cannot %s %s: %s", what, path, g_strerror(number));
    return false;
}

/* Whether `path` exists and is neither a file nor a folder. */
static bool is_device_at(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

/* --- what may be replaced --------------------------------------------------------------------- */

/* The canonical folder of a path, and its last part. */
static char *canonical(const char *path)
{
    g_autofree char *folder = g_path_get_dirname(path), *name = g_path_get_basename(path);
    char *real = realpath(folder, NULL);
    char *whole = g_build_filename(real ? real : folder, name, NULL);
    free(real);
    return whole;
}

bool output_is_same_file(const char *one, const char *other)
{
    struct stat a, b;
    if (stat(one, &a) == 0 && stat(other, &b) == 0)
        return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
    g_autofree char *first = canonical(one), *second = canonical(other);
    return strcmp(first, second) == 0;
}

/* Whether the path is an input; SQLite keeps a store in up to four files. */
static bool is_input(const char *path, const struct output_rules *rules)
{
    static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};
    for (const char *const *input = rules->inputs; input && *input; input++) {
        for (size_t i = 0; i < G_N_ELEMENTS(suffixes); i++) {
            g_autofree char *file = g_strconcat(*input, suffixes[i], NULL);
            if (output_is_same_file(path, file))
                return true;
        }
    }
    return false;
}

static bool refuse(GError **error, const char *path, const char *why)
{
    error_set(error, "cannot write %s: %s", path, why);
    return false;
}

static bool is_replaceable(const char *path, const struct output_rules *rules, GError **error)
{
    struct stat status;
    bool is_there = stat(path, &status) == 0;
    g_autofree char *name = g_path_get_basename(path);
    if (is_input(path, rules))
        return refuse(error, path, "this command reads it");
    if (strcmp(name, OUTPUT_LIST) == 0)
        return refuse(error, path, "gpunetsim keeps the list of its outputs under this name");
    if (is_there && S_ISDIR(status.st_mode))
        return fail(error, ERROR_USE, "write", path, EISDIR);
    if (!is_there || rules->force || status.st_size == 0)
        return true;
    switch (output_list_origin(path, rules->owner)) {
    case OUTPUT_OURS:
        return true;
    case OUTPUT_OF_ANOTHER:
        return refuse(error, path,
                      "another study's results are there; --out names another folder, --force "
                      "replaces them");
    case OUTPUT_FOREIGN:
        break;
    }
    return refuse(
        error, path,
        "it is there and is not as gpunetsim wrote it; give another name, or replace it with "
        "--force");
}

/* The file to which a path leads: a link stays, and its target is written. NULL and an error for a link without a target. */
static char *follow(const char *path, GError **error)
{
    char *real = realpath(path, NULL);
    bool is_there = real != NULL;
    char *target = g_strdup(is_there ? real : path);
    free(real);
    if (!is_there && g_file_test(path, G_FILE_TEST_IS_SYMLINK)) {
        g_clear_pointer(&target, g_free);
        refuse(error, path, "it is a link that leads nowhere");
    }
    return target;
}

/* --- writing ---------------------------------------------------------------------------------- */

/* Calls the writer with a stream on the descriptor. 0 or errno; also 0 with an error. */
static int stream_to(int fd, output_writer *write, void *context, GError **error)
{
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    FILE *file = copy < 0 ? NULL : fdopen(copy, "w");
    if (!file)
        return errno;
    errno = 0;
    int number = write(context, file, error) ? 0 : errno ? errno : EIO;
    if (fclose(file) != 0 && number == 0)
        number = errno;
    return error && *error ? 0 : number;
}

static int write_in_place(const char *path, output_writer *write, void *context, GError **error)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return errno;
    int number = stream_to(fd, write, context, error);
    close(fd);
    return number;
}

static int write_and_rename(const char *path, output_writer *write, void *context,
                            const struct output_rules *rules, GError **error)
{
    g_autofree char *folder = g_path_get_dirname(path), *temporary = NULL;
    int fd = leftover_new_file(folder, TEMPORARY_PREFIX, &temporary);
    if (fd < 0)
        return errno;
    ending_partial(temporary);
    int number = stream_to(fd, write, context, error);
    bool is_written = number == 0 && !*error;
    if (is_written && fsync(fd) != 0)
        number = errno;
    if (is_written && number == 0)
        number = output_list_add(path, temporary, rules->owner);
    if (is_written && number == 0 && g_rename(temporary, path) != 0)
        number = errno;
    if (!is_written || number != 0)
        g_unlink(temporary);
    ending_partial(NULL);
    close(fd);
    return number;
}

bool output_write_stream(const char *path, output_writer *write, void *context,
                         const struct output_rules *rules, GError **error)
{
    GError *cause = NULL;
    int number = 0;
    bool is_standard = strcmp(path, "-") == 0;
    bool is_file = !is_standard && !is_device_at(path);
    g_autofree char *target = is_file ? follow(path, &cause) : NULL;
    if (is_standard)
        number = stream_to(STDOUT_FILENO, write, context, &cause);
    else if (!is_file)
        number = write_in_place(path, write, context, &cause);
    else if (target && is_replaceable(target, rules, &cause))
        number = write_and_rename(target, write, context, rules, &cause);
    if (cause)
        g_propagate_error(error, cause);
    else if (number != 0)
        fail(error, ERROR_RUN, "write", is_standard ? "standard output" : path, number);
    return !cause && number == 0;
}

struct text {
    const char *content;
    size_t length;
};

static bool write_text(void *context, FILE *file, GError **error)
{
    const struct text *text = context;
    (void)error;
    return fwrite(text->content, 1, text->length, file) == text->length;
}

bool output_write(const char *path, const char *content, size_t length,
                  const struct output_rules *rules, GError **error)
{
    struct text text = {content, length};
    return output_write_stream(path, write_text, &text, rules, error);
}

/* --- before a run ----------------------------------------------------------------------------- */

/* Tries to make a file, since access() allows root on a read-only file system and in folders of /proc. */
static bool try_folder(const char *path, GError **error)
{
    g_autofree char *probe = NULL;
    int fd = leftover_new_file(path, TEMPORARY_PREFIX, &probe);
    if (fd < 0)
        return fail(error, ERROR_USE, "write into the folder", path, errno);
    g_unlink(probe);
    close(fd);
    leftover_remove(path, TEMPORARY_PREFIX);
    return true;
}

bool output_prepare_folder(const char *path, GError **error)
{
    if (g_mkdir_with_parents(path, 0777) != 0)
        return fail(error, ERROR_USE, "make the folder", path, errno);
    return try_folder(path, error);
}

/* Adds the output to the planned ones; false and an error if it was planned already. */
static bool plan(const char *path, GPtrArray *planned, GError **error)
{
    for (guint i = 0; planned && i < planned->len; i++)
        if (output_is_same_file(path, g_ptr_array_index(planned, i)))
            return refuse(error, path, "two outputs cannot both be in one file");
    if (planned)
        g_ptr_array_add(planned, g_strdup(path));
    return true;
}

static bool plan_stdout(GPtrArray *planned, GError **error)
{
    for (guint i = 0; planned && i < planned->len; i++)
        if (strcmp(g_ptr_array_index(planned, i), "-") == 0)
            return error_set(error, "two outputs cannot both go to standard output (-)");
    if (planned)
        g_ptr_array_add(planned, g_strdup("-"));
    return true;
}

static bool is_null_device(const char *path)
{
    struct stat status, null;
    return stat(path, &status) == 0 && stat("/dev/null", &null) == 0 && S_ISCHR(status.st_mode) &&
           status.st_rdev == null.st_rdev;
}

/* Writing begins with a file of another name in the same folder, so it would not notice before the end of the run. */
static bool has_name(const char *path, GError **error)
{
    struct stat status;
    bool is_too_long = lstat(path, &status) != 0 && errno == ENAMETOOLONG;
    return !is_too_long || fail(error, ERROR_USE, "write", path, ENAMETOOLONG);
}

/* Whether the descriptor refers to that file. */
static bool goes_to(int fd, const char *path)
{
    struct stat one, other;
    return fstat(fd, &one) == 0 && stat(path, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

/* Refuses a file that is a standard stream: if a shell's > has opened it, replacing it would lose the printed text. */
static bool spare_standard_streams(const char *path, GError **error)
{
    if (goes_to(STDOUT_FILENO, path))
        return refuse(error, path, "standard output goes there, which is - as an output");
    return !goes_to(STDERR_FILENO, path) || refuse(error, path, "standard error goes there");
}

bool output_prepare_file(const char *path, const struct output_rules *rules, GError **error)
{
    bool is_standard = strcmp(path, "-") == 0, is_device = !is_standard && is_device_at(path);
    if (is_null_device(path))
        return true;
    if (is_standard || (is_device && goes_to(STDOUT_FILENO, path)))
        return plan_stdout(rules->planned, error);
    if (is_device)
        return plan(path, rules->planned, error);
    if (!spare_standard_streams(path, error) || !has_name(path, error))
        return false;
    g_autofree char *target = follow(path, error);
    if (!target || !is_replaceable(target, rules, error) || !plan(target, rules->planned, error))
        return false;
    g_autofree char *folder = g_path_get_dirname(target);
    return try_folder(folder, error);
}

void output_remove(const char *path, const struct output_rules *rules)
{
    if (g_file_test(path, G_FILE_TEST_IS_REGULAR) &&
        output_list_origin(path, rules->owner) == OUTPUT_OURS)
        unlink(path);
}
