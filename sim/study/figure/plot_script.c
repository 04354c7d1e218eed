/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/figure/plot_script.h"

#include <string.h>

#include "study/figure/gnuplot_text.h"
#include "study/figure/text_width.h"

#define KEY_TEXT_MOST 0.75 /* of the page's width, for one entry of the legend */

/* --- arrays ------------------------------------------------------------------------------------- */

static void begin_array(GString *script, const char *name, size_t count)
{
    g_string_append_printf(script, "array %s[%zu]\n", name, MAX(count, 1));
}

static void set_text_at(GString *script, const char *name, size_t number, const char *text)
{
    g_autofree char *place = g_strdup_printf("%s[%zu]", name, number + 1);
    gnuplot_set_text(script, place, text);
}

static void set_number_at(GString *script, const char *name, size_t number, double value)
{
    g_autofree char *place = g_strdup_printf("%s[%zu]", name, number + 1);
    gnuplot_set_number(script, place, value);
}

/* NAME_count and NAME[]. */
static void set_texts(GString *script, const char *name, const GPtrArray *texts)
{
    g_string_append_printf(script, "%s_count = %u\n", name, texts->len);
    begin_array(script, name, texts->len);
    for (guint i = 0; i < texts->len; i++)
        set_text_at(script, name, i, g_ptr_array_index(texts, i));
}

/* AXIS_tick_count and arrays of the labels, places and levels. */
static void set_ticks(GString *script, const char *axis, const GArray *ticks)
{
    g_autofree char *labels = g_strdup_printf("%s_tick_label", axis);
    g_autofree char *places = g_strdup_printf("%s_tick_place", axis);
    g_autofree char *levels = g_strdup_printf("%s_tick_level", axis);
    g_string_append_printf(script, "%s_tick_count = %u\n", axis, ticks->len);
    begin_array(script, labels, ticks->len);
    begin_array(script, places, ticks->len);
    begin_array(script, levels, ticks->len);
    for (guint i = 0; i < ticks->len; i++) {
        const struct tick *tick = &g_array_index(ticks, struct tick, i);
        g_autofree char *label = g_strdup_printf("%s[%u]", labels, i + 1);
        gnuplot_set_label(script, label, tick->label);
        set_number_at(script, places, i, tick->place);
        set_number_at(script, levels, i, *tick->label == '\0');
    }
}

/* --- legend ------------------------------------------------------------------------------------- */

static bool has_marks(const struct figure_sheets *sheets, enum mark_kind kind)
{
    for (size_t i = 0; i < sheets->count; i++) {
        const GArray *marks = sheets->sheets[i].marks;
        for (guint k = 0; k < marks->len; k++)
            if (g_array_index(marks, struct figure_mark, k).kind == kind)
                return true;
    }
    return false;
}

/* How an entry of the legend is drawn; the line styles are plots/page.gp's. */
static const char *const series_samples[] = {
    [SERIES_CURVE] = "linespoints linetype %u",
    [SERIES_MARKS] = "points linetype %u",
    [SERIES_BOX] = "boxes linetype %u dashtype 1",
    [SERIES_FRONT] = "lines linestyle 24",
};
static const struct {
    const char *sample, *text;
} published[] = {
    [MARK_LINE] = {"lines linestyle 21", "published"},
    [MARK_POINT] = {"points linestyle 22", "published value"},
    [MARK_RANGE] = {"yerrorbars linestyle 23", "published range"},
    [MARK_MEASURED] = {"points linestyle 25", "measured"},
};

struct key {
    GPtrArray *texts;
    GString *samples; /* the parts of the plot command, each after a comma */
};

/* `text` is taken over. */
static void add_entry(struct key *key, char *text, const char *sample)
{
    g_ptr_array_add(key->texts, text);
    g_string_append_printf(key->samples, ", keyentry with %s title key_title[%u]", sample,
                           key->texts->len);
}

/* A single series needs no name, but beside published values. */
static struct key key_new(const struct figure_sheets *sheets, double most)
{
    struct key key = {g_ptr_array_new_with_free_func(g_free), g_string_new(NULL)};
    bool has_published = false;
    for (size_t kind = 0; kind < G_N_ELEMENTS(published); kind++)
        has_published = has_published || has_marks(sheets, (enum mark_kind)kind);
    if (plot_has_style(sheets->plot, "heatmap") || (sheets->series->len < 2 && !has_published))
        return key;
    for (guint i = 0; i < sheets->series->len; i++) {
        const struct figure_series *series =
            &g_array_index(sheets->series, struct figure_series, i);
        g_auto(GStrv) parts = g_strsplit(series_samples[series->kind], "%u", 2);
        g_autofree char *number = g_strdup_printf("%u", i + 1);
        g_autofree char *sample = g_strjoinv(number, parts);
        bool is_alone = sheets->series->len == 1;
        add_entry(&key, text_fitting(is_alone ? "simulated" : series->label, most), sample);
    }
    for (size_t kind = 0; kind < G_N_ELEMENTS(published); kind++)
        if (has_marks(sheets, (enum mark_kind)kind))
            add_entry(&key, g_strdup(published[kind].text), published[kind].sample);
    return key;
}

static void key_clear(struct key *key)
{
    g_ptr_array_unref(key->texts);
    g_string_free(key->samples, TRUE);
}

static void set_key(GString *script, const struct key *key)
{
    glong longest = 1;
    for (guint i = 0; i < key->texts->len; i++)
        longest = MAX(longest, g_utf8_strlen(g_ptr_array_index(key->texts, i), -1));
    g_string_append_printf(script, "key_longest = %ld\nhas_key = %d\n", longest,
                           key->texts->len > 0);
    set_texts(script, "key_title", key->texts);
}

/* --- the page ----------------------------------------------------------------------------------- */

static void set_page(GString *script, const struct figure_sheets *sheets, const struct page *page)
{
    gnuplot_set_number(script, "page_width", page->width);
    gnuplot_set_number(script, "page_height", page->height);
    set_texts(script, "title_line", page->title_lines);
    set_texts(script, "x_line", page->x_lines);
    set_texts(script, "y_line", page->y_lines);
    set_texts(script, "note_line", page->note_lines);
    gnuplot_set_number(script, "line", PAGE_LINE);
    gnuplot_set_number(script, "title_y", page->title_y);
    gnuplot_set_number(script, "x_label_y", page->x_label_y);
    gnuplot_set_number(script, "y_label_x", page->y_label_x);
    gnuplot_set_number(script, "note_y", page->note_y);
    double bottom = page->top - (double)(page->rows - 1) * page->row_height - page->panel_height;
    double right = page->left + page->panel_width * (double)page->columns +
                   page->column_gap * (double)(page->columns - 1);
    gnuplot_set_number(script, "middle_x", (page->left + right) / 2);
    gnuplot_set_number(script, "middle_y", (page->top + bottom) / 2);
    gnuplot_set_number(script, "key_top", page->key_top);
    gnuplot_set_number(script, "key_columns", (double)page->key_columns);
    gnuplot_set_text(script, "series_label", sheets->series->len > 1 ? sheets->series_label : "");
    gnuplot_set_text(script, "z_label", sheets->z_label);
}

static void set_axis(GString *script, const char *name, const struct figure_axis *axis)
{
    g_string_append_printf(script, "%s_is_log = %d\n", name, axis->scale == AXIS_LOG);
    g_autofree char *low = g_strconcat(name, "_low", NULL),
                    *high = g_strconcat(name, "_high", NULL);
    gnuplot_set_number(script, low, axis->low);
    gnuplot_set_number(script, high, axis->high);
}

static void append_panel(GString *script, const struct figure_sheets *sheets,
                         const struct page *page, size_t number)
{
    const struct figure_sheet *sheet = &sheets->sheets[number];
    struct page_panel panel = page_panel(page, sheets->count, number);
    size_t count = (sheet->shown->column_count - 1) / sheets->width;
    g_autofree char *title = text_fitting(sheet->title ? sheet->title : "", page->panel_width);
    gnuplot_set_text(script, "panel_title", title);
    gnuplot_set_number(script, "left", panel.left);
    gnuplot_set_number(script, "right", panel.right);
    gnuplot_set_number(script, "bottom", panel.bottom);
    gnuplot_set_number(script, "top", panel.top);
    g_string_append_printf(script, "shows_x = %d\nshows_y = %d\n", panel.shows_x, panel.shows_y);
    g_string_append_printf(script, "series_count = %zu\n", count);
    begin_array(script, "series_style", count);
    begin_array(script, "series_is_marks", count);
    for (size_t i = 0; i < count; i++) {
        set_number_at(script, "series_style", i, sheet->series[i] + 1);
        set_number_at(script, "series_is_marks", i,
                      g_array_index(sheets->series, struct figure_series, sheet->series[i]).kind ==
                          SERIES_MARKS);
    }
    g_string_append_printf(script,
                           "data = 'data-%zu.tsv'\nmarks = 'marks-%zu.tsv'\nmark_count = %u\n"
                           "load '" PLOT_TEMPLATES "/panel.gp'\nload '" PLOT_TEMPLATES "/%s.gp'\n",
                           number + 1, number + 1, sheet->marks->len,
                           sheets->plot->style ? sheets->plot->style : "lines");
}

static GPtrArray *panel_titles(const struct figure_sheets *sheets)
{
    GPtrArray *titles = g_ptr_array_new();
    for (size_t i = 0; i < sheets->count; i++)
        g_ptr_array_add(titles, sheets->sheets[i].title);
    return titles;
}

static void append_page(GString *script, const struct figure_sheets *sheets,
                        const struct figure_page *format)
{
    double most = KEY_TEXT_MOST * format->width;
    struct key key = key_new(sheets, most);
    g_autoptr(GPtrArray) titles = panel_titles(sheets);
    struct page_content content = {.title = sheets->title,
                                   .x_label = sheets->x_label,
                                   .y_label = sheets->y_label,
                                   .note = sheets->note,
                                   .x = sheets->x,
                                   .y = sheets->y,
                                   .z = sheets->z,
                                   .panels = sheets->count,
                                   .panel_titles = titles,
                                   .key = key.texts,
                                   .key_title = sheets->series_label,
                                   .has_colours = plot_has_style(sheets->plot, "heatmap")};
    struct page page = page_new(&content, format->width);
    gnuplot_set_text(script, "format", format->terminal);
    gnuplot_set_text(script, "output_file", format->name);
    set_page(script, sheets, &page);
    set_key(script, &key);
    set_axis(script, "x", &sheets->x);
    set_axis(script, "y", &sheets->y);
    set_axis(script, "z", &sheets->z);
    set_ticks(script, "x", page.x_ticks);
    set_ticks(script, "y", page.y_ticks);
    if (page.z_ticks)
        set_ticks(script, "z", page.z_ticks);
    g_string_append_printf(script,
                           "x_ticks_are_slanted = %d\nhas_bands = %d\nload '" PLOT_TEMPLATES
                           "/page.gp'\n"
                           "plot NaN notitle%s\nunset label\n",
                           page.x_ticks_are_slanted, sheets->has_bands, key.samples->str);
    for (size_t i = 0; i < sheets->count; i++)
        append_panel(script, sheets, &page, i);
    g_string_append(script, "unset multiplot\nunset output\n");
    page_clear(&page);
    key_clear(&key);
}

char *plot_script(const struct figure_sheets *sheets, const struct figure_page *pages,
                  size_t page_count)
{
    GString *script = g_string_new(NULL);
    g_string_append_printf(script, "all_series = %u\n", sheets->series->len);
    for (size_t i = 0; i < page_count; i++)
        append_page(script, sheets, &pages[i]);
    return g_string_free(script, FALSE);
}
