#include "study/calibration/measured.h"

#include <string.h>

#include "core/error.h"
#include "study/table/table.h"

#define MOST_COLUMNS 64

/* A file that is read line by line. */
struct reader {
    const char *path;
    GString *lua;
    char **columns; /* of the table; NULL until they are known */
    bool by_spaces; /* what separates them */
    guint value_at; /* of perftest: the column of the value */
    size_t line, rows;
};

static char *table_name(const char *path)
{
    g_autofree char *file = g_path_get_basename(path);
    char *end = strrchr(file, '.');
    if (end != NULL)
        *end = '\0';
    if (g_str_has_suffix(file, "_small"))
        file[strlen(file) - strlen("_small")] = '\0';
    const char *name = file;
    if (*name == 'e' && g_ascii_isdigit(name[1]) && strchr(name, '_') != NULL)
        name = strchr(name, '_') + 1;
    return g_strdup(name);
}

/* A cell as a Lua value: a number, or text in quotes. */
static void append_value(GString *lua, const char *text)
{
    if (table_is_number(text)) {
        g_string_append(lua, text);
        return;
    }
    g_string_append_c(lua, '"');
    for (; *text; text++)
        if (*text == '"' || *text == '\\' || (unsigned char)*text < ' ')
            g_string_append_printf(lua, "\\%03d", *text);
        else
            g_string_append_c(lua, *text);
    g_string_append_c(lua, '"');
}

static void append_cell(GString *lua, const char *column, const char *text)
{
    g_string_append(lua, "[");
    append_value(lua, column);
    g_string_append(lua, "] = ");
    append_value(lua, text);
    g_string_append(lua, ", ");
}

/* --- what a comment says ------------------------------------------------------------------------ */

static void begin_table(struct reader *reader, const char *name)
{
    g_string_append(reader->lua, "{ table = ");
    append_value(reader->lua, name);
    g_string_append(reader->lua, ", rows = {\n");
}

static void begin_osu(struct reader *reader, const char *line)
{
    bool is_latency = strstr(line, "Latency") != NULL;
    reader->by_spaces = true;
    reader->value_at = 1;
    reader->columns = g_strsplit("bytes value", " ", -1);
    begin_table(reader, is_latency ? "osu_latency" : "osu_bandwidth");
}

static bool begin_perftest(struct reader *reader, const char *line, GError **error)
{
    bool is_latency = strstr(line, "t_typical") != NULL;
    if (!is_latency && strstr(line, "BW average") == NULL)
        return error_set(error, "%s:%zu: a perftest header names t_typical or BW average",
                         reader->path, reader->line);
    reader->by_spaces = true;
    /* bytes, iterations, t_min, t_max, t_typical; bytes, iterations, BW peak, BW average */
    reader->value_at = is_latency ? 4 : 3;
    reader->columns = g_strsplit("bytes value", " ", -1);
    begin_table(reader, is_latency ? "perftest_latency" : "perftest_bandwidth");
    return true;
}

static bool read_comment(struct reader *reader, const char *line, GError **error)
{
    if (reader->by_spaces)
        return true;
    if (g_str_has_prefix(line, "# OSU"))
        begin_osu(reader, line);
    else if (g_str_has_prefix(line, "#bytes") && strchr(line, '\t') == NULL)
        return begin_perftest(reader, line, error);
    else if (g_str_has_prefix(line, "#run\t")) {
        g_autofree char *name = table_name(reader->path);
        g_strfreev(reader->columns);
        reader->columns = g_strsplit(line + 1, "\t", MOST_COLUMNS);
        if (reader->rows == 0)
            begin_table(reader, name);
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
    g_string_append(reader->lua, "{ ");
    append_cell(reader->lua, "bytes", words[0]);
    append_cell(reader->lua, "value", words[reader->value_at]);
    g_string_append(reader->lua, "},\n");
    return true;
}

static bool read_cells(struct reader *reader, const char *line, GError **error)
{
    g_auto(GStrv) cells = g_strsplit(line, "\t", -1);
    if (reader->columns == NULL)
        return error_set(
            error,
            "%s:%zu: a row before the line that names the columns; accepted are the probe's tables, "
            "OSU's and perftest's text",
            reader->path, reader->line);
    if (g_strv_length(cells) != g_strv_length(reader->columns))
        return error_set(error, "%s:%zu: %u columns where the header names %u", reader->path,
                         reader->line, g_strv_length(cells), g_strv_length(reader->columns));
    g_string_append(reader->lua, "{ ");
    for (guint i = 0; cells[i]; i++)
        append_cell(reader->lua, reader->columns[i], cells[i]);
    g_string_append(reader->lua, "},\n");
    return true;
}

static bool read_line(struct reader *reader, char *line, GError **error)
{
    g_strchomp(line);
    reader->line++;
    if (*line == '#')
        return read_comment(reader, line, error);
    if (*line == '\0' || (reader->by_spaces && *line == '-'))
        return true;
    reader->rows++;
    return reader->by_spaces ? read_numbers(reader, line, error) : read_cells(reader, line, error);
}

bool measured_append(GString *lua, const char *path, GError **error)
{
    g_autofree char *text = NULL;
    if (!g_file_get_contents(path, &text, NULL, NULL))
        return error_set(error, "%s: cannot be read", path);
    if (!g_utf8_validate(text, -1, NULL))
        return error_set(error, "%s: is not text in UTF-8", path);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    struct reader reader = {.path = path, .lua = lua};
    bool good = true;
    for (char **line = lines; good && *line; line++)
        good = read_line(&reader, *line, error);
    if (good && reader.rows == 0)
        good = error_set(error, "%s: has no row of measurements", path);
    if (good)
        g_string_append(lua, "} },\n");
    g_strfreev(reader.columns);
    return good;
}
