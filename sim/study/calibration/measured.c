/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/calibration/measured.h"

#include <string.h>

#include "core/error.h"
#include "core/units.h"
#include "study/calibration/measured_facts.h"

#define MIB_PER_MB 1.048576 /* perftest's megabytes are of 2^20 bytes */
#define MB_PER_GBIT 125.0

enum format { FORMAT_TABLE, FORMAT_OSU, FORMAT_PERFTEST };

/* What a text says of its run: a cell that each row has. */
struct fact {
    const char *column;
    char *text;
};
#define MOST_FACTS 12 /* more than there are columns of them */

/* A file that is read line by line. */
struct reader {
    const char *path;
    GString *lua;
    enum format format;
    char *table;                   /* its name */
    char **columns;                /* NULL until they are known */
    guint value_at;                /* of OSU and perftest: the column of the value */
    double unit;                   /* of the value, of that of OSU */
    bool has_rate;                 /* of perftest: behind it messages by microsecond */
    struct fact facts[MOST_FACTS]; /* of OSU and perftest; the last has no column */
    size_t line, rows;
};

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
    if (unit_is_number(text)) {
        char number[G_ASCII_DTOSTR_BUF_SIZE];
        g_string_append(lua, g_ascii_dtostr(number, sizeof number, g_ascii_strtod(text, NULL)));
    } else {
        measured_append_quoted(lua, text);
    }
    g_string_append(lua, ", ");
}

/* --- what a line that names columns says -------------------------------------------------------- */

/* A cell that all rows have from now on; `column` is static. */
static void set_fact(struct reader *reader, const char *column, const char *text)
{
    struct fact *fact = reader->facts;
    while (fact->column != NULL && strcmp(fact->column, column) != 0)
        fact++;
    g_free(fact->text);
    *fact = (struct fact){column, g_strdup(text)};
}

/* The whole number behind `words` and a colon: "CQ Moderation   : 100". */
static void note_number(struct reader *reader, const char *line, const char *words,
                        const char *column)
{
    const char *at = strstr(line, words);
    if (at == NULL)
        return;
    at += strlen(words);
    at += strspn(at, " ");
    if (*at++ != ':')
        return;
    at += strspn(at, " ");
    g_autofree char *number = g_strndup(at, strspn(at, "0123456789"));
    if (*number != '\0')
        set_fact(reader, column, number);
}

static bool begin_table(struct reader *reader, enum format format, const char *table,
                        GError **error)
{
    if (reader->columns != NULL && strcmp(reader->table, table) != 0)
        return error_set(error,
                         "%s:%zu: a table of \"%s\" behind one of \"%s\": they are of two files",
                         reader->path, reader->line, table, reader->table);
    reader->format = format;
    g_free(reader->table);
    reader->table = g_strdup(table);
    g_strfreev(reader->columns);
    reader->columns = g_strsplit("bytes value", " ", -1);
    return true;
}

/* "# OSU MPI-CUDA Bi-Directional Bandwidth Test v7.4". Buffers are the host's unless an accelerator is named. */
static bool begin_osu(struct reader *reader, const char *line, GError **error)
{
    static const struct {
        const char *words, *table;
    } kinds[] = {{" Bi-Directional Bandwidth Test", "osu_bidirectional"},
                 {" Bandwidth Test", "osu_bandwidth"},
                 {" Latency Test", "osu_latency"},
                 {" Multi Latency Test", "osu_multi_latency"},
                 {" Multiple Bandwidth / Message Rate Test", "osu_multi_pair"}};
    const char *behind = line + strlen("# OSU ");
    size_t library = strcspn(behind, " "); /* MPI, MPI-CUDA */
    bool is_accelerated = memchr(behind, '-', library) != NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
        if (!g_str_has_prefix(behind + library, kinds[i].words))
            continue;
        reader->value_at = 1;
        reader->unit = 1;
        set_fact(reader, "buffers", is_accelerated ? "device" : "host");
        return begin_table(reader, FORMAT_OSU, kinds[i].table, error);
    }
    return error_set(error,
                     "%s:%zu: of OSU's benchmarks osu_latency, osu_bw, osu_bibw, osu_multi_lat and "
                     "osu_mbw_mr are taken",
                     reader->path, reader->line);
}

/* "# Send Buffer on DEVICE (D) and Receive Buffer on HOST (H)", "# [ pairs: 2 ] [ window size: 64 ]". */
static void note_osu(struct reader *reader, const char *line)
{
    bool has_device = strstr(line, "Buffer on DEVICE") != NULL;
    bool has_host = strstr(line, "Buffer on HOST") != NULL;
    if (has_device || has_host)
        set_fact(reader, "buffers", !has_host ? "device" : !has_device ? "host" : "mixed");
    note_number(reader, line, "pairs", "pairs");
    note_number(reader, line, "window size", "window");
}

/* Columns of latencies: bytes, iterations, t_min, t_max, t_typical, or for a duration bytes, iterations, t_avg; of bandwidths:
 * bytes, iterations, BW peak, BW average. */
static bool begin_perftest(struct reader *reader, const char *line, GError **error)
{
    bool has_typical = strstr(line, "t_typical[usec]") != NULL;
    bool is_latency = has_typical || strstr(line, "t_avg[usec]") != NULL;
    const char *average = strstr(line, "BW average[");
    if (!is_latency && average == NULL)
        return error_set(error,
                         "%s:%zu: a header of perftest names t_typical[usec], t_avg[usec] or BW "
                         "average",
                         reader->path, reader->line);
    reader->value_at = has_typical ? 4 : is_latency ? 2 : 3;
    reader->unit = is_latency                                        ? 1
                   : g_str_has_prefix(average, "BW average[Gb/sec]") ? MB_PER_GBIT
                                                                     : MIB_PER_MB;
    reader->has_rate = !is_latency && strstr(average, "MsgRate[Mpps]") != NULL;
    return begin_table(reader, FORMAT_PERFTEST,
                       is_latency ? "perftest_latency" : "perftest_bandwidth", error);
}

/* "RDMA_Write Bidirectional BW Test": which program wrote it. */
static void note_title(struct reader *reader, const char *line)
{
    static const char *const words[][2] = {
        {"RDMA_Write ", "write"}, {"RDMA_Read ", "read"}, {"Send ", "send"}, {"Atomic ", "atomic"}};
    if (strstr(line, " Test") == NULL)
        return;
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
        if (strstr(line, words[i][0]) != NULL)
            set_fact(reader, "operation", words[i][1]);
    set_fact(reader, "both_ways", strstr(line, "Bidirectional") != NULL ? "yes" : "");
}

/* A line in which perftest tells of its run. */
static void note_perftest(struct reader *reader, const char *line)
{
    static const char *const numbers[][2] = {{"Number of qps", "queues"},
                                             {"TX depth", "tx_depth"},
                                             {"CQ Moderation", "cq_mod"},
                                             {"Max inline data", "inline"},
                                             {"Outstand reads", "outstanding_reads"}};
    for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++)
        note_number(reader, line, numbers[i][0], numbers[i][1]);
    if (strstr(line, "GPU buffer") != NULL)
        set_fact(reader, "memory", "gpu");
    note_title(reader, line);
}

static bool read_comment(struct reader *reader, const char *line, GError **error)
{
    if (g_str_has_prefix(line, "# OSU "))
        return begin_osu(reader, line, error);
    note_osu(reader, line);
    return true;
}

/* --- rows ---------------------------------------------------------------------------------------- */

/* A row of the list, with its line at place 0, which no column has. */
static void begin_row(struct reader *reader)
{
    g_string_append_printf(reader->lua, "{ [0] = %zu, ", reader->line);
    reader->rows++;
}

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

/* What a row has measured, in OSU's unit. perftest writes two decimals of a bandwidth and six of the rate of messages, which tells more
 * of a small one. */
static double value_of(const struct reader *reader, char *const *words)
{
    double value = g_ascii_strtod(words[reader->value_at], NULL);
    const char *rate = reader->has_rate ? words[reader->value_at + 1] : NULL;
    if (rate != NULL && value < 1 && unit_is_number(rate))
        return g_ascii_strtod(rate, NULL) * g_ascii_strtod(words[0], NULL);
    return value * reader->unit;
}

static bool read_numbers(struct reader *reader, const char *line, GError **error)
{
    g_auto(GStrv) words = words_of(line);
    guint count = g_strv_length(words);
    if (count <= reader->value_at || !unit_is_number(words[0]) ||
        !unit_is_number(words[reader->value_at]))
        return error_set(error, "%s:%zu: a size and %u further numbers were expected", reader->path,
                         reader->line, reader->value_at);
    char value[G_ASCII_DTOSTR_BUF_SIZE];
    double number = value_of(reader, words);
    if (!(number > 0))
        return error_set(error, "%s:%zu: %s is no value above 0", reader->path, reader->line,
                         words[reader->value_at]);
    g_ascii_dtostr(value, sizeof value, number);
    begin_row(reader);
    append_cell(reader->lua, "bytes", words[0]);
    append_cell(reader->lua, "value", value);
    for (const struct fact *fact = reader->facts; fact->column != NULL; fact++)
        append_cell(reader->lua, fact->column, fact->text);
    g_string_append(reader->lua, "},\n");
    return true;
}

/* Before its header perftest tells of the run, and behind it draws a line. A file may have several such tables. */
static bool read_perftest(struct reader *reader, const char *line, GError **error)
{
    if (g_str_has_prefix(line + strspn(line, " "), "#bytes"))
        return begin_perftest(reader, line, error);
    if (reader->columns != NULL && g_ascii_isdigit(line[strspn(line, " \t")]))
        return read_numbers(reader, line, error);
    note_perftest(reader, line);
    return true;
}

/* Between its rows, and before its title, stands what mpirun and the libraries say. */
static bool read_osu(struct reader *reader, const char *line, GError **error)
{
    if (reader->columns == NULL || !g_ascii_isdigit(line[strspn(line, " \t")]))
        return true;
    return read_numbers(reader, line, error);
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
    return read_osu(reader, line, error);
}

/* --- a file -------------------------------------------------------------------------------------- */

/* Without columns, of the host's GPUs: that this folder has them. */
static void append_part(GString *lua, const struct reader *reader)
{
    g_autofree char *folder = g_path_get_dirname(reader->path);
    if (reader->columns == NULL) {
        g_string_append(lua, "{ gpus_in = ");
        measured_append_quoted(lua, folder);
        g_string_append(lua, " },\n");
        return;
    }
    g_string_append(lua, "{ file = ");
    measured_append_quoted(lua, reader->path);
    g_string_append(lua, ", folder = ");
    measured_append_quoted(lua, folder);
    g_string_append(lua, ", table = ");
    measured_append_quoted(lua, reader->table);
    g_string_append(lua, ", columns = { ");
    for (char **column = reader->columns; *column; column++) {
        measured_append_quoted(lua, *column);
        g_string_append(lua, ", ");
    }
    g_string_append_printf(lua, "}, rows = {\n%s} },\n", reader->lua->str);
}

/* Reads the rows of a text of OSU or perftest into reader->lua. */
static bool read_lines(struct reader *reader, const char *text, GError **error)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++)
        if (!read_line(reader, *line, error))
            return false;
    return true;
}

/* The same of a table, whose columns the reader gets; what it tells by itself goes to `facts`. Of one of the host's GPUs the columns stay
 * NULL. */
static bool read_table(struct reader *reader, const char *text, struct measured_facts *facts,
                       GError **error)
{
    struct delimited table = {.path = g_strdup(reader->path)};
    bool good = delimited_parse(&table, text, error) && measured_facts_read(facts, &table, error);
    for (size_t i = 0; good && i < table.row_count; i++) {
        reader->line = table.rows[i].line;
        begin_row(reader);
        for (guint k = 0; table.columns[k]; k++)
            append_cell(reader->lua, table.columns[k], table.rows[i].fields[k]);
        g_string_append(reader->lua, "},\n");
    }
    if (good && !measured_is_platform(&table))
        reader->columns = g_steal_pointer(&table.columns);
    delimited_clear(&table);
    return good;
}

static enum format format_of(const char *text)
{
    if (strstr(text, "#bytes ") != NULL)
        return FORMAT_PERFTEST;
    return strstr(text, "# OSU ") != NULL ? FORMAT_OSU : FORMAT_TABLE;
}

bool measured_append(GString *lua, const char *path, struct measured_facts *facts, GError **error)
{
    g_autofree char *text = text_file_read(path, &delimited_file, NULL, error);
    if (!text)
        return false;
    g_autoptr(GString) rows = g_string_new(NULL);
    struct reader reader = {
        .path = path, .lua = rows, .table = name_of(path), .format = format_of(text)};
    bool good = reader.format == FORMAT_TABLE ? read_table(&reader, text, facts, error)
                                              : read_lines(&reader, text, error);
    if (good && reader.rows == 0)
        good = error_set(error,
                         "%s: has no row of measurements; accepted are the probe's tables, OSU's "
                         "and perftest's text",
                         path);
    if (good)
        append_part(lua, &reader);
    g_strfreev(reader.columns);
    g_free(reader.table);
    for (struct fact *fact = reader.facts; fact->column != NULL; fact++)
        g_free(fact->text);
    return good;
}
