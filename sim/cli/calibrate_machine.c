/* The study is written into a folder of its own: the machine's file, the rows, and their simulated twins
 * (scenarios/hardware/parts/twins.lua), which the calibration runs as any other study. */
#include "cli/calibrate_machine.h"

#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/error.h"
#include "core/home.h"
#include "core/units.h"
#include "script/script.h"
#include "study/calibration/determine.h"
#include "study/calibration/measured.h"
#include "study/system/leftover.h"
#include "study/table/export.h"

#define TWINS "scenarios.hardware.parts.twins"
#define PREFIX "gpunetsim-calibrate-"

struct fit {
    const char *machine_path;
    struct runner_options options;
    char *folder;
    int lock;
    struct calibration *calibration;
    struct determination *known;
    double *x;
};

/* --- the study ----------------------------------------------------------------------------------- */

static bool write_text(const char *folder, const char *name, const char *text, GError **error)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    GError *fault = NULL;
    if (g_file_set_contents(path, text, -1, &fault))
        return true;
    error_set_code(error, ERROR_RUN, "%s", fault->message);
    g_error_free(fault);
    return false;
}

/* A study of these files' rows in `folder`, under `name`. */
static bool write_study(const char *folder, const char *name, char *const *data, int count,
                        GError **error)
{
    g_autoptr(GString) lua = g_string_new("return require(\"" TWINS "\").study(\"Calibration\", "
                                          "require \"machine\", {\n");
    for (int i = 0; i < count; i++)
        if (!measured_append(lua, data[i], error))
            return false;
    g_string_append(lua, "}, \"calibrate\")\n");
    return write_text(folder, name, lua->str, error);
}

static bool prepare(struct fit *fit, char *const *data, int count, GError **error)
{
    g_autofree char *text = NULL, *study = NULL;
    if (!g_file_get_contents(fit->machine_path, &text, NULL, NULL))
        return error_set(error, "%s: cannot be read", fit->machine_path);
    fit->lock = leftover_new_folder(g_get_tmp_dir(), PREFIX, &fit->folder);
    if (fit->lock < 0)
        return error_set_code(error, ERROR_RUN, "%s: a folder cannot be made there",
                              g_get_tmp_dir());
    study = g_build_filename(fit->folder, "study.lua", NULL);
    if (!write_text(fit->folder, "machine.lua", text, error) ||
        !write_study(fit->folder, "study.lua", data, count, error))
        return false;
    fit->calibration = calibration_new_of_ranges(study, &fit->options, error);
    return fit->calibration != NULL;
}

static void clear(struct fit *fit)
{
    calibration_free(fit->calibration);
    g_free(fit->known);
    g_free(fit->x);
    if (fit->folder != NULL)
        leftover_drop(fit->folder, fit->lock);
    g_free(fit->folder);
}

/* --- what is shown ------------------------------------------------------------------------------- */

static void append(struct table *table, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* A row of texts that the format separates by '|'. */
static void append(struct table *table, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *line = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_auto(GStrv) texts = g_strsplit(line, "|", -1);
    table_append(table, (const char *const *)texts);
}

static void print(struct table *table)
{
    g_autofree char *text = export_text(table);
    fputs(text, stdout);
    putchar('\n');
    table_free(table);
}

/* Value `i` at `deviations` standard deviations from where it is, within its range. */
static char *value_at(const struct fit *fit, size_t i, double deviations)
{
    const struct calibration_value *value = &fit->calibration->values[i];
    double low = value->low > 0 ? value->low : value->high / 10;
    double moved = deviations * fit->known[i].deviation / log(value->high / low);
    return calibration_value_text(fit->calibration, i, CLAMP(fit->x[i] + moved, 0, 1));
}

static void print_determined(const struct fit *fit)
{
    static const char *const names[] = {"value", "fitted",           "range", "known_to_percent",
                                        "rows",  "residual_percent", "row"};
    struct table *table = table_of_texts(names, G_N_ELEMENTS(names));
    for (size_t i = 0; i < fit->calibration->value_count; i++) {
        const struct determination *known = &fit->known[i];
        if (!known->is_determined)
            continue;
        g_autofree char *value = value_at(fit, i, 0), *low = value_at(fit, i, -2),
                        *high = value_at(fit, i, 2);
        append(table, "%s|%s|%s to %s|%.1f|%zu|%.1f|%s", fit->calibration->values[i].path, value,
               low, high, 100 * known->deviation, known->rows, 100 * known->residual,
               fit->calibration->targets[known->row].name);
    }
    print(table);
}

static void print_targets(const struct calibration *calibration)
{
    static const char *const names[] = {"row", "measured", "simulated", "off_percent"};
    struct table *table = table_of_texts(names, G_N_ELEMENTS(names));
    for (size_t i = 0; i < calibration->target_count; i++) {
        const struct calibration_target *target = &calibration->targets[i];
        append(table, "%s|%.4g|%.4g|%+.1f", target->name, target->target, target->simulated,
               100 * (target->simulated / target->target - 1));
    }
    print(table);
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The probes of this project, on which a value that the data leave open is tried. */
static struct calibration *open_catalogue(const struct fit *fit, GError **error)
{
    g_autofree char *folder = home_path("scenarios/hardware/data/h200x2", error);
    g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
    GDir *open = folder != NULL ? g_dir_open(folder, 0, NULL) : NULL;
    if (open == NULL)
        return NULL;
    for (const char *name; (name = g_dir_read_name(open)) != NULL;)
        if (g_str_has_suffix(name, ".tsv"))
            g_ptr_array_add(paths, g_build_filename(folder, name, NULL));
    g_dir_close(open);
    g_ptr_array_sort(paths, compare_paths);
    g_autofree char *study = g_build_filename(fit->folder, "catalogue.lua", NULL);
    if (!write_study(fit->folder, "catalogue.lua", (char *const *)paths->pdata, (int)paths->len,
                     error))
        return NULL;
    return calibration_new_of_ranges(study, &fit->options, error);
}

/* Why value `i` is left as it is, and what would determine it. */
static bool explain_open(const struct fit *fit, struct calibration *catalogue, size_t i,
                         struct table *table, GError **error)
{
    const struct determination *known = &fit->known[i];
    const struct calibration_value *values = fit->calibration->values;
    double slope = 0;
    size_t target = 0;
    g_autofree char *value = calibration_value_text(fit->calibration, i, fit->x[i]), *why = NULL;
    if (catalogue != NULL && !determine_reach(catalogue, fit->x, i, &slope, &target, error))
        return false;
    if (known->together_with != SIZE_MAX)
        why = g_strdup_printf("only together with %s", values[known->together_with].path);
    else
        why = g_strdup(known->row == SIZE_MAX ? "no row depends on it" : "rows say too little");
    append(table, "%s|%s|%s|%s", values[i].path, value, why,
           slope >= 1 ? catalogue->targets[target].name : "no probe here");
    return true;
}

static bool print_open(const struct fit *fit, GError **error)
{
    static const char *const names[] = {"value", "left_at", "why", "would_be_determined_by"};
    GError *fault = NULL;
    struct calibration *catalogue = open_catalogue(fit, &fault);
    struct table *table = table_of_texts(names, G_N_ELEMENTS(names));
    bool good = true;
    g_clear_error(&fault); /* without the project's probes it is told without them */
    for (size_t i = 0; good && i < fit->calibration->value_count; i++)
        if (!fit->known[i].is_determined)
            good = explain_open(fit, catalogue, i, table, error);
    calibration_free(catalogue);
    if (good)
        print(table);
    else
        table_free(table);
    return good;
}

/* --- what is written ----------------------------------------------------------------------------- */

static void append_quoted(GString *lua, const char *text)
{
    g_string_append_c(lua, '"');
    for (; *text; text++)
        if (*text == '"' || *text == '\\' || *text == '\n')
            g_string_append_printf(lua, "\\%03d", *text);
        else
            g_string_append_c(lua, *text);
    g_string_append_c(lua, '"');
}

/* Numbers without a unit and flags stand bare. */
static void append_value(GString *lua, const struct param *param, const char *text)
{
    bool is_bare = param->kind == PARAM_RATIO || param->kind == PARAM_BOOL ||
                   (param->kind == PARAM_QUANTITY && param->unit == UNIT_COUNT);
    if (is_bare)
        g_string_append(lua, text);
    else
        append_quoted(lua, text);
}

/* What was found of value `i`. */
static void append_found(GString *lua, const struct fit *fit, size_t i, const struct param *param)
{
    const struct determination *known = &fit->known[i];
    const char *row = fit->calibration->targets[known->row].name;
    g_autofree char *value = value_at(fit, i, 0), *low = value_at(fit, i, -2),
                    *high = value_at(fit, i, 2);
    g_autofree char *why =
        g_strdup_printf("%zu rows, %.1f %% off in the median; known to %.1f %%", known->rows,
                        100 * known->residual, 100 * known->deviation);
    g_string_append(lua, known->is_alone ? "measured(" : "fitted(");
    append_value(lua, param, value);
    g_string_append(lua, ", ");
    if (known->is_alone) {
        g_autofree char *source = g_strdup_printf("%s; %s", row, why);
        append_quoted(lua, source);
    } else {
        append_value(lua, param, low);
        g_string_append(lua, ", ");
        append_value(lua, param, high);
        g_string_append(lua, ", { ");
        append_quoted(lua, row);
        g_string_append(lua, " }, ");
        append_quoted(lua, why);
    }
    g_string_append(lua, ")");
}

static void append_as_given(GString *lua, const struct provenance *entry, const struct param *param)
{
    static const char *const words[] = {[SOURCE_PUBLISHED] = "published",
                                        [SOURCE_MEASURED] = "measured",
                                        [SOURCE_ESTIMATED] = "estimated",
                                        [SOURCE_FITTED] = "fitted"};
    if (entry->kind == SOURCE_GIVEN) {
        append_value(lua, param, entry->value);
        return;
    }
    g_string_append_printf(lua, "%s(", words[entry->kind]);
    append_value(lua, param, entry->value);
    if (entry->low != NULL) {
        g_string_append(lua, ", ");
        append_value(lua, param, entry->low);
        g_string_append(lua, ", ");
        append_value(lua, param, entry->high);
    }
    if (entry->kind == SOURCE_FITTED) {
        g_string_append(lua, ", { ");
        append_quoted(lua, entry->claims);
        g_string_append(lua, " }");
    }
    if (entry->source != NULL) {
        g_string_append(lua, ", ");
        append_quoted(lua, entry->source);
    }
    g_string_append(lua, ")");
}

/* Its place among the values that were searched for and are determined; SIZE_MAX: it is none of them. */
static size_t found_at(const struct fit *fit, const char *path)
{
    for (size_t i = 0; i < fit->calibration->value_count; i++)
        if (fit->known[i].is_determined && strcmp(fit->calibration->values[i].path, path) == 0)
            return i;
    return SIZE_MAX;
}

static void append_section(GString *lua, const struct fit *fit, const struct machine *machine,
                           struct machine_section section, guint row)
{
    bool is_open = false;
    const char *indent = section.outer != NULL ? "    " : "  ";
    for (size_t j = 0; j < section.table->count; j++) {
        const struct provenance *entry = g_ptr_array_index(machine->provenance, row + j);
        const struct param *param = &section.table->params[j];
        if (entry->kind == SOURCE_DEFAULT)
            continue;
        if (!is_open && section.outer != NULL)
            g_string_append_printf(lua, "  %s = {\n", section.outer);
        is_open = true;
        g_string_append_printf(lua, "%s%s = ", indent, param->name);
        size_t found = found_at(fit, entry->path);
        if (found != SIZE_MAX)
            append_found(lua, fit, found, param);
        else
            append_as_given(lua, entry, param);
        g_string_append(lua, ",\n");
    }
    if (is_open && section.outer != NULL)
        g_string_append(lua, "  },\n");
}

static bool write_machine(const struct fit *fit, char *const *data, int count, const char *output,
                          GError **error)
{
    struct machine *machine = machine_load(fit->machine_path, NULL, error);
    if (machine == NULL)
        return false;
    g_autoptr(GString) lua = g_string_new("-- Written by gpunetsim calibrate from ");
    g_autofree char *base = g_path_get_basename(fit->machine_path);
    g_string_append_printf(lua, "%s and\n--  ", base);
    for (int i = 0; i < count; i++) {
        g_autofree char *name = g_path_get_basename(data[i]);
        g_string_append_printf(lua, " %s", name);
    }
    g_string_append(lua, "\n\nreturn machine {\n  name = ");
    append_quoted(lua, machine->name);
    g_string_append(lua, ",\n");
    guint row = 0;
    for (size_t i = 0; i < machine_section_count(); i++) {
        struct machine_section section = machine_section(i);
        append_section(lua, fit, machine, section, row);
        row += (guint)section.table->count;
    }
    g_string_append(lua, "}\n");
    machine_free(machine);
    g_autofree char *folder = g_path_get_dirname(output), *name = g_path_get_basename(output);
    return write_text(folder, name, lua->str, error);
}

bool calibrate_machine(const char *machine, char *const *data, int count, const char *output,
                       bool keep, const struct runner_options *options, GError **error)
{
    g_autofree char *path = home_machine_path(machine);
    struct fit fit = {.machine_path = path, .options = *options, .lock = -1};
    bool good = prepare(&fit, data, count, error);
    if (good) {
        fit.x = g_new(double, fit.calibration->value_count);
        calibration_start(fit.calibration, fit.x);
        fit.known = determine_values(fit.calibration, fit.x, keep, error);
        good = fit.known != NULL;
    }
    if (good)
        print_targets(fit.calibration);
    if (good)
        print_determined(&fit);
    good = good && print_open(&fit, error) &&
           (output == NULL || write_machine(&fit, data, count, output, error));
    clear(&fit);
    return good;
}
