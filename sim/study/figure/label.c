/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/figure/label.h"

#include <string.h>

#include "core/units.h"
#include "protocols/design.h"

/* Words of identifiers that are not written as they are. */
static const struct {
    const char *word, *shown;
} words[] = {
    {"l2", "L2"},           {"cp", "CP"},      {"cpu", "CPU"},       {"gpu", "GPU"},
    {"nic", "NIC"},         {"us", "µs"},      {"uJ", "µJ"},         {"pcie", "PCIe"},
    {"ucx", "UCX"},         {"mpi", "MPI"},    {"cu", "CU"},         {"api", "API"},
    {"work", "work-"},      {"bytes", "size"}, {"odf", "ODF"},       {"id", "ID"},
    {"hbm", "HBM"},         {"rdma", "RDMA"},  {"ipc", "IPC"},       {"dma", "DMA"},
    {"gpus", "GPUs"},       {"nics", "NICs"},  {"cus", "CUs"},       {"cps", "CPs"},
    {"wgs", "work-groups"}, {"ns", "ns"},      {"dir", "direction"}, {"mem", "memory"},
    {"op", "operation"},    {"dev", "device"}, {"sys", "system"},    {"rtt", "round trip"},
};

static const char *shown_word(const char *word)
{
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
        if (strcmp(words[i].word, word) == 0)
            return words[i].shown;
    return word;
}

char *label_words(const char *name)
{
    g_auto(GStrv) parts = g_strsplit(name, "_", -1);
    GString *label = g_string_new(NULL);
    for (char **part = parts; *part; part++) {
        bool goes_on = label->len == 0 || label->str[label->len - 1] == '-';
        g_string_append_printf(label, "%s%s", goes_on ? "" : " ", shown_word(*part));
    }
    if (label->len > 0)
        label->str[0] = g_ascii_toupper(label->str[0]);
    return g_string_free(label, FALSE);
}

/* A measure's own unit, and larger ones for long numbers. */
static const struct {
    enum unit_kind kind;
    double size;
    const char *name;
} units[] = {
    {UNIT_TIME, 1, "µs"},   {UNIT_TIME, 1e3, "ms"},     {UNIT_TIME, 1e6, "s"},
    {UNIT_ENERGY, 1, "µJ"}, {UNIT_ENERGY, 1e3, "mJ"},   {UNIT_ENERGY, 1e6, "J"},
    {UNIT_RATE, 1, "GB/s"}, {UNIT_FREQUENCY, 1, "GHz"}, {UNIT_POWER, 1, "W"},
};

/* Of plain numbers whose name says the unit; not of "gets_per_us". */
static const struct {
    const char *suffix, *unit;
} suffixes[] = {{"_ns", "ns"}, {"_us", "µs"}, {"_ms", "ms"}};

/* NULL: none, or it stands at each value. */
static const char *unit_of(const struct table_column *column, double size)
{
    for (size_t i = 0; column->kind == VALUE_QUANTITY && i < G_N_ELEMENTS(units); i++)
        if (units[i].kind == column->unit && units[i].size == size)
            return units[i].name;
    if (g_str_has_suffix(column->key, "_percent"))
        return "%";
    bool is_plain = column->is_number && column->kind != VALUE_QUANTITY;
    for (size_t i = 0; is_plain && !strstr(column->key, "_per_") && i < G_N_ELEMENTS(suffixes); i++)
        if (g_str_has_suffix(column->key, suffixes[i].suffix))
            return suffixes[i].unit;
    return NULL;
}

double label_unit_size(const struct table_column *column, double number)
{
    double size = 1;
    for (size_t i = 0; column->kind == VALUE_QUANTITY && i < G_N_ELEMENTS(units); i++)
        if (units[i].kind == column->unit && units[i].size <= number)
            size = MAX(size, units[i].size);
    return size;
}

char *label_given(const char *label, const struct table_column *column, double unit_size)
{
    const char *unit = unit_of(column, unit_size);
    if (!unit || g_str_has_suffix(label, ")"))
        return g_strdup(label);
    return g_strdup_printf("%s (%s)", label, unit);
}

/* Its name without the unit that stands behind it. */
static char *column_words(const struct table_column *column)
{
    g_autofree char *key = g_strdup(column->key);
    if (unit_of(column, 1) && column->kind != VALUE_QUANTITY)
        *strrchr(key, '_') = '\0';
    return label_words(key);
}

char *label_measure(const struct table_column *column)
{
    return column_words(column);
}

char *label_column_in(const struct table_column *column, double unit_size)
{
    g_autofree char *name = column_words(column);
    return label_given(name, column, unit_size);
}

char *label_column(const struct table_column *column)
{
    return label_column_in(column, 1);
}

/* Every match of `pattern` replaced. */
static char *with_replaced(const char *text, const char *pattern, const char *replacement)
{
    g_autoptr(GRegex) regex = g_regex_new(pattern, 0, 0, NULL);
    char *replaced = g_regex_replace(regex, text, -1, 0, replacement, 0, NULL);
    return replaced ? replaced : g_strdup(text); /* not UTF-8 */
}

/* A design's label; of one that departs from a named design, that one's label and what departs:
 * "comp-net{queue.memory=host}" is "ComP-Net, queue memory host". NULL if the text names no design. */
static char *design_label(const char *text)
{
    size_t length = strcspn(text, "{");
    for (size_t i = 0; i < designs_count(); i++) {
        const struct named_design *named = designs_at(i);
        if (strncmp(named->name, text, length) != 0 || named->name[length] != '\0')
            continue;
        if (text[length] == '\0')
            return g_strdup(named->label);
        GString *label = g_string_new(named->label);
        g_string_append_printf(label, ", %s", text + length + 1);
        g_string_truncate(label, label->len - 1);
        g_string_replace(label, ",", ", ", 0);
        g_string_replace(label, ",  ", ", ", 0);
        g_string_replace(label, "=", " ", 0);
        g_string_replace(label, "_", " ", 0);
        g_autofree char *dotted = g_string_free(label, FALSE);
        return with_replaced(dotted, "(?<=[a-z])\\.(?=[a-z])", " ");
    }
    return NULL;
}

bool label_is_bytes(const struct table_column *column)
{
    return column->kind == VALUE_QUANTITY ? column->unit == UNIT_BYTES
                                          : column->is_number && strcmp(column->key, "bytes") == 0;
}

static bool is_identifier(const char *text)
{
    static const char *const letters = "abcdefghijklmnopqrstuvwxyz0123456789_";
    return strchr(text, '_') && text[strspn(text, letters)] == '\0';
}

/* A row of a table of measurements: "nodes=2_chain", "D2H_gpu0+D2H_gpu1". */
static bool is_case(const char *text)
{
    size_t name = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_");
    return name > 0 && (text[name] == '=' || strchr(text, '_')) && !strpbrk(text, " ,({");
}

/* "256MiB" as "256 MiB", "20us" as "20 µs". */
static char *with_spaced_units(const char *text)
{
    g_autofree char *spaced =
        with_replaced(text,
                      "(?<![\\w.])(\\d+(?:\\.\\d+)?)"
                      "((?:[pnum]?s|[KMG]i?B|kB|B|[kMG]?Hz|[um]?J|W)(?:/s)?)(?!\\w)",
                      "\\1 \\2");
    return with_replaced(spaced, "(?<=\\d )u(?=[sJ](?!\\w))", "µ");
}

/* "2threads" as "2 threads", "gpu0" as "GPU 0"; "D2H" and "1x32" stay. */
static char *with_spaced_counts(const char *text)
{
    g_autofree char *counted = with_replaced(text, "(?<!\\w)(\\d+)([a-z]{3,})(?!\\w)", "\\1 \\2");
    g_autofree char *numbered = with_replaced(counted, "(?<!\\w)([a-z]{3,})(\\d)", "\\1 \\2");
    g_autofree char *named = with_replaced(numbered, "(?<!\\w)gpu(s?)(?!\\w)", "GPU\\1");
    return with_spaced_units(named);
}

static char *label_case(const char *text)
{
    GString *label = g_string_new(text);
    g_string_replace(label, "=", " = ", 1);
    g_string_replace(label, "_", " ", 0);
    g_autofree char *plain = g_string_free(label, FALSE);
    return with_spaced_counts(plain);
}

static char *label_identifier(const char *text)
{
    g_autofree char *label = label_words(text);
    if (g_ascii_isupper(label[0]) && g_ascii_islower(label[1])) /* inside of a line */
        label[0] = g_ascii_tolower(label[0]);
    return with_spaced_counts(label);
}

char *label_value(const struct table_column *column, const char *text)
{
    const char *unit = unit_of(column, 1);
    if (!text)
        return g_strdup("");
    if (label_is_bytes(column) && unit_is_number(text))
        return value_size_text(g_ascii_strtoll(text, NULL, 10));
    if (unit && unit_is_number(text))
        return g_strdup_printf("%s %s", text, unit);
    char *design = design_label(text);
    if (design)
        return design;
    if (is_identifier(text))
        return label_identifier(text);
    return is_case(text) ? label_case(text) : with_spaced_units(text);
}

/* "no priorities". */
static char *label_switch(const struct table_column *column, bool is_on)
{
    g_autofree char *name = label_words(column->key);
    if (g_ascii_isupper(name[0]) && g_ascii_islower(name[1]))
        name[0] = g_ascii_tolower(name[0]);
    return g_strconcat(is_on ? "" : "no ", name, NULL);
}

char *label_value_of(const struct table_column *column, const char *text)
{
    bool is_on = g_strcmp0(text, "true") == 0;
    if (is_on || g_strcmp0(text, "false") == 0)
        return label_switch(column, is_on);
    g_autofree char *value = label_value(column, text);
    bool is_bare =
        unit_is_number(text) || g_strcmp0(text, "on") == 0 || g_strcmp0(text, "off") == 0;
    if (!is_bare)
        return g_steal_pointer(&value);
    g_autofree char *name = column_words(column);
    return g_strdup_printf("%s %s", name, value);
}
