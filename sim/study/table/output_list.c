/* SPDX-License-Identifier: BSD-3-Clause */
/* A list is only appended to, with one write for each line, so that several commands may share a folder; an existing line is not
 * written again. A line is written before the file gets its name: a command killed in between leaves an extra line, which does no
 * harm. Names and owners are percent-encoded. */
#include "study/table/output_list.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/text_file.h"
#include "study/table/output.h"

/* SHA-256 of a file's content, in hexadecimal digits; NULL and errno if it cannot be read. */
static char *digest_of(const char *path)
{
    guchar part[1 << 16];
    size_t length;
    FILE *file = fopen(path, "rbe");
    if (!file)
        return NULL;
    GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
    while ((length = fread(part, 1, sizeof part, file)) > 0)
        g_checksum_update(sum, part, (gssize)length);
    char *digest = ferror(file) ? NULL : g_strdup(g_checksum_get_string(sum));
    g_checksum_free(sum);
    fclose(file);
    return digest;
}

static char *real_path(const char *path)
{
    char *real = realpath(path, NULL); /* allocated by the C library */
    char *copy = g_strdup(real ? real : path);
    free(real);
    return copy;
}

/* The relative path from a folder to a file, so that both may be moved together. */
static char *way_to(const char *folder, const char *file)
{
    g_autofree char *from = real_path(folder), *to = real_path(file);
    g_auto(GStrv) ups = g_strsplit(from, "/", -1), downs = g_strsplit(to, "/", -1);
    size_t common = 0;
    while (ups[common] && downs[common] && strcmp(ups[common], downs[common]) == 0)
        common++;
    GString *way = g_string_new(NULL);
    for (char **up = ups + common; *up; up++)
        g_string_append(way, "../");
    g_autofree char *rest = g_strjoinv("/", downs + common);
    g_string_append(way, rest);
    return g_string_free(way, FALSE);
}

/* The end of a line: name, TAB, relative path to the owner. */
static char *line_end(const char *path, const char *owner)
{
    g_autofree char *folder = g_path_get_dirname(path), *base = g_path_get_basename(path);
    g_autofree char *way = owner ? way_to(folder, owner) : g_strdup("");
    g_autofree char *name = g_uri_escape_string(base, NULL, FALSE);
    g_autofree char *who = g_uri_escape_string(way, "/", FALSE);
    return g_strdup_printf("%s\t%s", name, who);
}

/* The list of the folder of `path`, "" if there is none; no link and no device is followed. */
static char *read_list(const char *list)
{
    static const struct text_kind kind = {.name = "a list of outputs", .most_bytes = 64 << 20};
    bool is_link = g_file_test(list, G_FILE_TEST_IS_SYMLINK);
    char *text = is_link ? NULL : text_file_read(list, &kind, NULL, NULL);
    return text ? text : g_strdup("");
}

static char *list_of(const char *path)
{
    g_autofree char *folder = g_path_get_dirname(path);
    return g_build_filename(folder, OUTPUT_LIST, NULL);
}

enum output_origin output_list_origin(const char *path, const char *owner)
{
    g_autofree char *digest = digest_of(path), *list = list_of(path), *text = read_list(list);
    g_autofree char *end = line_end(path, owner), *anyones = line_end(path, NULL);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    enum output_origin origin = OUTPUT_FOREIGN;
    for (char **line = lines; digest && *line; line++) {
        if (!g_str_has_prefix(*line, digest) || (*line)[strlen(digest)] != '\t')
            continue;
        const char *rest = *line + strlen(digest) + 1;
        if (!g_str_has_prefix(rest, anyones)) /* another name */
            continue;
        if (!owner || strcmp(rest, anyones) == 0 || strcmp(rest, end) == 0)
            return OUTPUT_OURS;
        origin = OUTPUT_OF_ANOTHER;
    }
    return origin;
}

static bool has_line(const char *list, const char *line)
{
    g_autofree char *text = read_list(list);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    return g_strv_contains((const char *const *)lines, line);
}

int output_list_add(const char *path, const char *source, const char *owner)
{
    g_autofree char *digest = digest_of(source), *list = list_of(path);
    if (!digest)
        return errno;
    g_autofree char *end = line_end(path, owner);
    g_autofree char *line = g_strdup_printf("%s\t%s", digest, end);
    if (has_line(list, line))
        return 0;
    g_autofree char *text = g_strconcat(line, "\n", NULL);
    int fd = open(list, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (fd < 0)
        return errno;
    ssize_t written = write(fd, text, strlen(text));
    int number = written < 0 ? errno : (size_t)written < strlen(text) ? ENOSPC : 0;
    close(fd);
    return number;
}
