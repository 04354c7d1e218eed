/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/calibration/measured.h"

#include <string.h>

#include "core/error.h"
#include "study/table/table.h"

#define MOST_COLUMNS 64
#define MIB_PER_MB 1.048576 /* perftest's megabytes are of 2^20 bytes */
#define MB_PER_GBIT 125.0

enum format { FORMAT_TABLE, FORMAT_OSU, FORMAT_PERFTEST };

/* A file that is read line by line. */
struct reader {
    const char *path;
    GString *lua;
    enum format format;
    char *table;     /* its name */
    char **columns;  /* NULL until they are known */
    guint value_at;  /* of perftest: the column of the value */
    double unit;     /* of the value, of that of OSU */
    char *operation; /* of perftest: "write"; NULL: not said */
    size_t line, rows;
};

void measured_platform_clear(struct measured_platform *platform)
{
    g_clear_pointer(&platform->source, g_free);
}

void measured_append_quoted(GString *lua, const char *text)
{
    g_string_append_c(lua, '"');
    for (; *text; text++)
        if (*text == '"' || *text == '\\' || (unsigned char)*text < ' ')
            g_string_append_printf(lua, "\\%03d", (unsigned char)*text);
        else
            g_string_append_c(lua, *text);
    g_string_append_c(lua, '"');
}

static char *name_of(const char *path)
{
    char *file = g_path_get_basename(path);
    char *end = strrchr(file, '.');
    if (end != NULL && end != file)
        *end = '\0';
    return file;
}

static void append_cell(GString *lua, const char *column, const char *text)
{
    g_string_append(lua, "[");
    measured_append_quoted(lua, column);
    g_string_append(lua, "] = ");
    if (table_is_number(text)) {
        char number[G_ASCII_DTOSTR_BUF_SIZE];
        g_string_append(lua, g_ascii_dtostr(number, sizeof number, g_ascii_strtod(text, NULL)));
    } else {
        measured_append_quoted(lua, text);
    }
    g_string_append(lua, ", ");
}

/* --- what a line that names columns says -------------------------------------------------------- */

/* "# OSU MPI-CUDA Bi-Directional Bandwidth Test v7.4" */
static bool begin_osu(struct reader *reader, const char *line, GError **error)
{
    static const struct {
        const char *words, *table;
    } kinds[] = {{" Bi-Directional Bandwidth Test", "osu_bidirectional"},
                 {" Bandwidth Test", "osu_bandwidth"},
                 {" Latency Test", "osu_latency"}};
    const char *behind = line + strlen("# OSU ");
    behind += strcspn(behind, " "); /* MPI, MPI-CUDA */
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
        if (!g_str_has_prefix(behind, kinds[i].words))
            continue;
        reader->format = FORMAT_OSU;
        g_free(reader->table);
        reader->table = g_strdup(kinds[i].table);
        reader->value_at = 1;
        reader->unit = 1;
        reader->columns = g_strsplit("bytes value", " ", -1);
        return true;
    }
    return error_set(error,
                     "%s:%zu: of OSU's benchmarks osu_latency, osu_bw and osu_bibw are taken",
                     reader->path, reader->line);
}

/* Columns of latencies: bytes, iterations, t_min, t_max, t_typical; of bandwidths: bytes, iterations, BW peak, BW average. */
static bool begin_perftest(struct reader *reader, const char *line, GError **error)
{
    bool is_latency = strstr(line, "t_typical[usec]") != NULL;
    const char *average = strstr(line, "BW average[");
    if (!is_latency && average == NULL)
        return error_set(error, "%s:%zu: a header of perftest names t_typical[usec] or BW average",
                         reader->path, reader->line);
    reader->format = FORMAT_PERFTEST;
    g_free(reader->table);
    reader->table = g_strdup(is_latency ? "perftest_latency" : "perftest_bandwidth");
    reader->value_at = is_latency ? 4 : 3;
    reader->unit = is_latency                                        ? 1
                   : g_str_has_prefix(average, "BW average[Gb/sec]") ? MB_PER_GBIT
                                                                     : MIB_PER_MB;
    reader->columns = g_strsplit("bytes value operation", " ", -1);
    return true;
}

/* "RDMA_Write Latency Test": which program of perftest wrote it. */
static void note_operation(struct reader *reader, const char *line)
{
    static const char *const words[][2] = {
        {"RDMA_Write ", "write"}, {"RDMA_Read ", "read"}, {"Send ", "send"}};
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
        if (strstr(line, words[i][0]) != NULL && strstr(line, " Test") != NULL) {
            g_free(reader->operation);
            reader->operation = g_strdup(words[i][1]);
        }
}

static bool read_comment(struct reader *reader, const char *line, GError **error)
{
    if (reader->format == FORMAT_OSU)
        return true;
    if (g_str_has_prefix(line, "# OSU "))
        return begin_osu(reader, line, error);
    if (strchr(line, '\t') != NULL && reader->rows == 0) {
        g_strfreev(reader->columns);
        reader->columns = g_strsplit(line + strspn(line, "# "), "\t", MOST_COLUMNS);
    }
    return true;
}

/* --- rows ---------------------------------------------------------------------------------------- */

/* The words of a line, without empty ones. */
static char **words_of(const char *line)
{
    g_auto(GStrv) parts = g_strsplit_set(line, " \t", -1);
    g_autoptr(GStrvBuilder) words = g_strv_builder_new();
    for (char **part = parts; *part; part++)
        if (**part)
            g_strv_builder_add(words, *part);
    return g_strv_builder_end(words);
}

static bool read_numbers(struct reader *reader, const char *line, GError **error)
{
    g_auto(GStrv) words = words_of(line);
    guint count = g_strv_length(words);
    if (count <= reader->value_at || !table_is_number(words[0]) ||
        !table_is_number(words[reader->value_at]))
        return error_set(error, "%s:%zu: a size and %u further numbers were expected", reader->path,
                         reader->line, reader->value_at);
    char value[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_dtostr(value, sizeof value,
                   g_ascii_strtod(words[reader->value_at], NULL) * reader->unit);
    g_string_append(reader->lua, "{ ");
    append_cell(reader->lua, "bytes", words[0]);
    append_cell(reader->lua, "value", value);
    append_cell(reader->lua, "operation", reader->operation ? reader->operation : "");
    g_string_append(reader->lua, "},\n");
    reader->rows++;
    return true;
}

static bool read_cells(struct reader *reader, const char *line, GError **error)
{
    g_auto(GStrv) cells = g_strsplit(line, "\t", -1);
    if (reader->columns == NULL)
        return error_set(
            error,
            "%s:%zu: a row before the line that names the columns, which begins with #; accepted are the probe's tables, "
            "OSU's and perftest's text",
            reader->path, reader->line);
    if (g_strv_length(cells) != g_strv_length(reader->columns))
        return error_set(error, "%s:%zu: %u columns where the header names %u", reader->path,
                         reader->line, g_strv_length(cells), g_strv_length(reader->columns));
    g_string_append(reader->lua, "{ ");
    for (guint i = 0; cells[i]; i++)
        append_cell(reader->lua, reader->columns[i], cells[i]);
    g_string_append(reader->lua, "},\n");
    reader->rows++;
    return true;
}

/* Before its header perftest tells of the run, and behind it draws a line. */
static bool read_perftest(struct reader *reader, const char *line, GError **error)
{
    if (g_str_has_prefix(line + strspn(line, " "), "#bytes"))
        return begin_perftest(reader, line, error);
    if (reader->columns == NULL)
        note_operation(reader, line);
    bool is_row = reader->columns != NULL && g_ascii_isdigit(line[strspn(line, " \t")]);
    return !is_row || read_numbers(reader, line, error);
}

static bool read_line(struct reader *reader, char *line, GError **error)
{
    g_strchomp(line);
    reader->line++;
    if (*line == '\0')
        return true;
    if (reader->format == FORMAT_PERFTEST)
        return read_perftest(reader, line, error);
    if (*line == '#')
        return read_comment(reader, line, error);
    return reader->format == FORMAT_OSU ? read_numbers(reader, line, error)
                                        : read_cells(reader, line, error);
}

/* --- the host's GPUs ---------------------------------------------------------------------------- */

static int find(char *const *columns, const char *name)
{
    for (int i = 0; columns[i]; i++)
        if (strcmp(columns[i], name) == 0)
            return i;
    return -1;
}

static bool read_platform(const struct reader *reader, char *const *lines,
                          struct measured_platform *platform, GError **error)
{
    int gpu = find(reader->columns, "gpu"), units = find(reader->columns, "sms");
    int clock = find(reader->columns, "sm_clock_MHz");
    guint width = g_strv_length(reader->columns);
    size_t number = 0;
    for (char *const *line = lines; *line; line++) {
        g_auto(GStrv) cells = g_strsplit(*line, "\t", -1);
        number++;
        if (**line == '#' || **line == '\0')
            continue;
        if (g_strv_length(cells) != width || !table_is_number(cells[gpu]) ||
            !table_is_number(cells[units]) || !table_is_number(cells[clock]))
            return error_set(error, "%s:%zu: gpu, sms and sm_clock_MHz are numbers", reader->path,
                             number);
        platform->gpus =
            MAX(platform->gpus, 1 + (int64_t)CLAMP(g_ascii_strtod(cells[gpu], NULL), 0, 1023));
        platform->compute_units = (int64_t)CLAMP(g_ascii_strtod(cells[units], NULL), 0, 1e6);
        platform->clock_MHz = (int64_t)CLAMP(g_ascii_strtod(cells[clock], NULL), 0, 1e6);
    }
    g_free(platform->source);
    platform->source = g_path_get_basename(reader->path);
    return true;
}

static bool is_platform(const struct reader *reader)
{
    return reader->columns != NULL && reader->format == FORMAT_TABLE &&
           find(reader->columns, "gpu") >= 0 && find(reader->columns, "sms") >= 0 &&
           find(reader->columns, "sm_clock_MHz") >= 0;
}

/* --- a file -------------------------------------------------------------------------------------- */

static void append_part(GString *lua, const struct reader *reader)
{
    g_string_append(lua, "{ file = ");
    measured_append_quoted(lua, reader->path);
    g_string_append(lua, ", table = ");
    measured_append_quoted(lua, reader->table);
    g_string_append(lua, ", columns = { ");
    for (char **column = reader->columns; *column; column++) {
        measured_append_quoted(lua, *column);
        g_string_append(lua, ", ");
    }
    g_string_append_printf(lua, "}, rows = {\n%s} },\n", reader->lua->str);
}

/* Reads the lines' rows into reader->lua. */
static bool read_lines(struct reader *reader, char *const *lines, GError **error)
{
    for (char *const *line = lines; *line; line++)
        if (!read_line(reader, *line, error))
            return false;
    return reader->rows > 0 ||
           error_set(error,
                     "%s: has no row of measurements; accepted are the probe's tables, OSU's and "
                     "perftest's text",
                     reader->path);
}

bool measured_append(GString *lua, const char *path, struct measured_platform *platform,
                     GError **error)
{
    g_autofree char *text = NULL;
    if (!g_file_get_contents(path, &text, NULL, NULL))
        return error_set(error, "%s: cannot be read", path);
    if (!g_utf8_validate(text, -1, NULL))
        return error_set(error, "%s: is not text in UTF-8", path);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    g_autoptr(GString) rows = g_string_new(NULL);
    struct reader reader = {.path = path,
                            .lua = rows,
                            .table = name_of(path),
                            .format = strstr(text, "#bytes ") ? FORMAT_PERFTEST : FORMAT_TABLE};
    bool good = read_lines(&reader, lines, error);
    if (good && is_platform(&reader))
        good = read_platform(&reader, lines, platform, error);
    else if (good)
        append_part(lua, &reader);
    g_strfreev(reader.columns);
    g_free(reader.table);
    g_free(reader.operation);
    return good;
}
