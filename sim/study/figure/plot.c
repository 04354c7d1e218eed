/* Figures.
 *
 * gnuplot gets a folder of its own with the data and a driver script that sets what differs from
 * figure to figure (labels, ticks, names of the series); how figures look is written in plots/
 * alone. Each figure is drawn twice by one process, as SVG and as PNG, and comes back as bytes. */
#include "study/figure/plot.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "study/system/ending.h"
#include "core/error.h"
#include "study/system/leftover.h"
#include "study/figure/plot_script.h"
#include "core/home.h"

static const char *const format_names[FIGURE_FORMATS] = {"svg", "png", "pdf"};

const char *figure_format_name(enum figure_format format)
{
    return format_names[format];
}

GBytes *figure_bytes(const struct figure *figure, const char *format)
{
    int number = 0;
    while (strcmp(format_names[number], format) != 0)
        number++;
    return figure->formats[number];
}

void figure_free(struct figure *figure)
{
    if (!figure)
        return;
    for (int i = 0; i < FIGURE_FORMATS; i++)
        g_clear_pointer(&figure->formats[i], g_bytes_unref);
    g_free(figure);
}

#define MOST_MEASURES 64
#define FOLDER_PREFIX "gpunetsim-figure-"

/* --- what to draw -------------------------------------------------------------------------------
 */

static bool find_column(const struct table *results, const char *role, const char *name,
                        int *column, GError **error)
{
    *column = table_find(results, name);
    if (*column >= 0)
        return true;
    GString *known = g_string_new(NULL);
    for (size_t i = 0; i < results->column_count; i++)
        g_string_append_printf(known, "%s%s", i ? ", " : "", results->columns[i].name);
    error_set(error, "the plot's %s is \"%s\", which the results do not have; they have %s", role, name,
                known->str);
    g_string_free(known, TRUE);
    return false;
}

/* The columns of a plot's measures; `names` is its y. */
static bool find_measures(const struct table *results, const char *names, int *ys, size_t *count,
                          GError **error)
{
    g_auto(GStrv) parts = g_strsplit(names, ",", MOST_MEASURES);
    *count = 0;
    for (char **part = parts; *part; part++) {
        if (!find_column(results, "y", *part, &ys[(*count)++], error))
            return false;
    }
    return true;
}

static bool find_choice(const struct table *results, const char *role, const char *name,
                        int *column, GError **error)
{
    *column = -1;
    return !name || find_column(results, role, name, column, error);
}

struct table *plot_table(const struct plot_spec *plot, const struct table *results,
                         const char *panel, GError **error)
{
    int ys[MOST_MEASURES];
    struct pivot pivot = {.ys = ys, .panel = panel};
    if (!find_column(results, "x", plot->x, &pivot.x, error) ||
        !find_measures(results, plot->y, ys, &pivot.y_count, error) ||
        !find_choice(results, "by", plot->by, &pivot.by, error) ||
        !find_choice(results, "over", plot->over, &pivot.over, error) ||
        !find_choice(results, "panels", panel ? plot->panels : NULL, &pivot.panels, error))
        return NULL;
    if (plot->style && plot_is_scatter(plot))
        return table_scatter(results, &pivot, strcmp(plot->style, "pareto") == 0);
    if (g_strcmp0(plot->style, "heatmap") == 0 &&
        pivot.by >= 0) { /* a line for each value of `by` */
        int x = pivot.x;
        pivot.x = pivot.by;
        pivot.by = x;
    }
    return table_pivot(results, &pivot);
}

GPtrArray *plot_panels(const struct plot_spec *plot, const struct table *results)
{
    GPtrArray *panels = g_ptr_array_new_with_free_func(g_free);
    int column = plot->panels ? table_find(results, plot->panels) : -1;
    for (size_t r = 0; column >= 0 && r < results->row_count; r++) {
        const char *text = table_cell(results, r, (size_t)column);
        if (!g_ptr_array_find_with_equal_func(panels, text, g_str_equal, NULL))
            g_ptr_array_add(panels, g_strdup(text));
    }
    return panels;
}

/* --- running gnuplot ----------------------------------------------------------------------------
 */

static bool fail(GError **error, const char *why)
{
    error_set_code(error, ERROR_RUN, "the figure is not drawn: %s", why);
    return false;
}

/* The line of gnuplot's complaint that says what was wrong. */
static char *complaint(const char *words)
{
    g_auto(GStrv) lines = g_strsplit(words, "\n", -1);
    const char *last = "no reason given";
    for (size_t i = 0; lines[i]; i++) {
        if (*g_strstrip(lines[i]) && strcmp(lines[i], "^") != 0)
            last = lines[i];
    }
    return g_strdup(last);
}

/* That of the user, without what changes how gnuplot draws. Without the time zone the length of a PDF's
 * date would depend on where it is drawn. */
static char **gnuplot_environment(void)
{
    static const char *const settings[] = {
        "GNUTERM", "GNUPLOT_LIB", "GNUPLOT_FONTPATH", "GNUPLOT_FIT_LOG", "GNUPLOT_PS_DIR",
        "FIT_LOG", "FIT_SCRIPT",  "GDFONTPATH",       "PAGER",           "GNUPLOT_DRIVER_DIR"};
    char **environment = g_environ_setenv(g_get_environ(), "TZ", "UTC", TRUE);
    for (size_t i = 0; i < G_N_ELEMENTS(settings); i++)
        environment = g_environ_unsetenv(environment, settings[i]);
    return environment;
}

static bool run_gnuplot(char *folder, GError **error)
{
    char *arguments[] = {"gnuplot", "-d", "figure.gp", NULL}; /* -d: without the user's settings */
    g_autofree char *words = NULL;
    g_autoptr(GError) cause = NULL;
    int status;
    g_auto(GStrv) environment = gnuplot_environment();
    if (!g_spawn_sync(folder, arguments, environment,
                      G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL, &words,
                      &status, &cause)) {
        if (g_error_matches(cause, G_SPAWN_ERROR, G_SPAWN_ERROR_NOENT))
            return fail(error, "gnuplot is not installed (Debian package gnuplot-nox)");
        return fail(error, cause->message);
    }
    if (g_spawn_check_wait_status(status, NULL))
        return true;
    g_autofree char *last = complaint(words);
    g_autofree char *why = g_strdup_printf("gnuplot failed: %s", last);
    return fail(error, why);
}

static bool write_input(const char *folder, const char *name, const char *content, GError **error)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_autoptr(GError) cause = NULL;
    return g_file_set_contents(path, content, -1, &cause) || fail(error, cause->message);
}

/* A PDF holds the time at which it was drawn: it is set to a fixed one of the same length, so that
 * the same results give the same bytes. */
static void set_date(char *content, gsize length)
{
    static const char mark[] = "/CreationDate (D:", date[] = "20000101000000";
    char *found = memmem(content, length, mark, strlen(mark));
    if (found && (gsize)(content + length - found) > strlen(mark) + strlen(date))
        memcpy(found + strlen(mark), date, strlen(date));
}

static GBytes *read_drawn(const char *folder, const char *format, GError **error)
{
    g_autofree char *name = g_strconcat("figure.", format, NULL);
    g_autofree char *path = g_build_filename(folder, name, NULL);
    char *content;
    gsize length;
    if (g_file_get_contents(path, &content, &length, NULL) && length > 0) {
        set_date(content, length);
        return g_bytes_new_take(content, length);
    }
    fail(error, "gnuplot wrote nothing");
    return NULL;
}

static struct figure *read_figure(const char *folder, GError **error)
{
    struct figure *figure = g_new0(struct figure, 1);
    for (int i = 0; i < FIGURE_FORMATS; i++) {
        figure->formats[i] = read_drawn(folder, format_names[i], error);
        if (!figure->formats[i]) {
            figure_free(figure);
            return NULL;
        }
    }
    return figure;
}

static struct figure *draw_in(char *folder, const char *script, const struct plot_sheet *sheets,
                              size_t count, GError **error)
{
    for (size_t i = 0; i < count; i++) {
        g_autofree char *name = g_strdup_printf("data-%zu.tsv", i + 1);
        g_autofree char *data = plot_data(sheets[i].shown);
        if (!write_input(folder, name, data, error))
            return NULL;
    }
    if (!write_input(folder, "figure.gp", script, error) || !run_gnuplot(folder, error))
        return NULL;
    return read_figure(folder, error);
}

/* A link, because gnuplot would not take every path of the project for one folder: not one with a colon. */
static bool link_templates(const char *folder, const char *templates, GError **error)
{
    g_autofree char *target = g_canonicalize_filename(templates, NULL);
    g_autofree char *path = g_build_filename(folder, PLOT_TEMPLATES, NULL);
    return symlink(target, path) == 0 || fail(error, g_strerror(errno));
}

static struct figure *draw_sheets(const struct plot_spec *plot, const struct table *results,
                                  const struct plot_sheet *sheets, size_t count, GError **error)
{
    g_autofree char *templates = home_path("plots", error);
    if (!templates)
        return NULL;
    g_autofree char *folder = NULL;
    leftover_remove(g_get_tmp_dir(), FOLDER_PREFIX);
    int lock = leftover_new_folder(g_get_tmp_dir(), FOLDER_PREFIX, &folder);
    if (lock < 0) {
        fail(error, g_strerror(errno));
        return NULL;
    }
    ending_partial(folder);
    g_autofree char *script = plot_script(plot, results, sheets, count);
    struct figure *figure = link_templates(folder, templates, error)
                                ? draw_in(folder, script, sheets, count, error)
                                : NULL;
    leftover_drop(folder, lock);
    ending_partial(NULL);
    return figure;
}

static bool has_values(const struct table *shown)
{
    for (size_t r = 0; r < shown->row_count; r++) {
        for (size_t c = 1; c < shown->column_count; c++) {
            if (table_cell(shown, r, c))
                return true;
        }
    }
    return false;
}

/* Title of a panel: "design dgpu". */
static char *panel_title(const struct plot_spec *plot, const char *panel)
{
    g_autofree char *axis = g_strdelimit(g_strdup(plot->panels), "_", ' ');
    return g_strdup_printf("%s %s", axis, panel);
}

struct figure *plot_draw(const struct plot_spec *plot, const struct table *results, GError **error)
{
    g_autoptr(GPtrArray) panels = plot_panels(plot, results);
    g_autoptr(GPtrArray) titles = g_ptr_array_new_with_free_func(g_free);
    size_t count = MAX(panels->len, 1);
    g_autofree struct plot_sheet *sheets = g_new0(struct plot_sheet, count);
    bool good = true, has_some = false;
    for (size_t i = 0; good && i < count; i++) {
        const char *panel = panels->len ? g_ptr_array_index(panels, i) : NULL;
        if (panel)
            g_ptr_array_add(titles, panel_title(plot, panel));
        sheets[i].title = panel ? g_ptr_array_index(titles, i) : NULL;
        sheets[i].shown = plot_table(plot, results, panel, error);
        good = sheets[i].shown != NULL;
        has_some = has_some || (good && has_values(sheets[i].shown));
    }
    if (good && !has_some)
        good = fail(error, "no point gave a value for it");
    struct figure *figure = good ? draw_sheets(plot, results, sheets, count, error) : NULL;
    for (size_t i = 0; i < count; i++)
        table_free(sheets[i].shown);
    return figure;
}
