/* SPDX-License-Identifier: BSD-3-Clause */
/* Figures by gnuplot. What they must show is asked of the SVG, which keeps texts as texts. */
#include <glib.h>
#include <lauxlib.h>
#include <string.h>

#include "core/error.h"
#include "script/commands/session.h"
#include "script/values/values.h"
#include "script/views/views.h"
#include "study_test.h"

/* Results of which each row has one more measure, a time; none where `name` is NULL. */
static struct table *results_with(const char *name, int64_t time_ps)
{
    struct row *rows[TEST_POINTS];
    for (size_t i = 0; i < TEST_POINTS; i++) {
        rows[i] = test_row(i);
        if (name == NULL)
            continue;
        rows[i]->measures = g_renew(struct measure, rows[i]->measures, 3);
        rows[i]->measures[rows[i]->measure_count++] =
            (struct measure){g_strdup(name), value_quantity(time_ps, UNIT_TIME)};
    }
    return table_of_rows(rows, TEST_POINTS);
}

static struct table *results(void)
{
    return results_with(NULL, 0);
}

static struct plot_spec plot_of(const char *style)
{
    static char x[] = "bytes", y[] = "latency_us", by[] = "design";
    static char title[] = "It's a 'quoted' title_with @signs";
    return (struct plot_spec){
        .x = x, .y = y, .by = by, .style = (char *)(gsize)style, .title = title};
}

/* The files of a drawn figure, which a state of views/gnuplot.lua has on its stack, by format. */
struct figure {
    struct session session;
    lua_State *L;
};

static void figure_free(struct figure *figure)
{
    lua_close(figure->L);
    g_hash_table_unref(figure->session.objects);
    g_free(figure);
}

/* The content of the figure's file in a format, "svg" for example. */
static const char *content(const struct figure *figure, const char *format, size_t *length)
{
    lua_getfield(figure->L, 1, format);
    const char *text = lua_tolstring(figure->L, -1, length);
    lua_pop(figure->L, 1); /* the figure has it */
    return text;
}

/* Draws the scripts as a command does; NULL and an error if gnuplot fails. */
static struct figure *figure_draw(char *const *scripts, GError **error)
{
    static const struct session_function none = {NULL, NULL, NULL};
    struct figure *figure = g_new0(struct figure, 1);
    lua_State *L = figure->L = views_open("gnuplot", error);
    g_assert_nonnull(L);
    figure->session.objects = g_hash_table_new(NULL, NULL);
    session_open(L, &figure->session, &none);
    lua_getfield(L, 1, "draw");
    lua_remove(L, 1);
    for (char *const *script = scripts; *script; script++)
        lua_pushstring(L, *script);
    if (lua_pcall(L, lua_gettop(L) - 1, 1, 0) == LUA_OK)
        return figure;
    error_set_code(error, (enum error_code)lua_integer_field(L, -1, "code"), "%s",
                   lua_text_field(L, -1, "sentence"));
    figure_free(figure);
    return NULL;
}

/* Draws a plot without published values; NULL and an error if it is not drawn. */
static struct figure *plot_draw(GVariant *plot, const struct table *table, GError **error)
{
    GVariant *arguments = g_variant_new("(@a{sv}av)", plot, (GVariantBuilder *)NULL);
    g_auto(GStrv) scripts = table_texts("figure", "texts", table, arguments, error);
    return scripts ? figure_draw(scripts, error) : NULL;
}

static void assert_shows(const char *svg, const char *text)
{
    if (!strstr(svg, text))
        g_error("the SVG does not hold \"%s\"", text);
}

static void test_all_styles(void)
{
    static const char *const styles[] = {"loglog", "semilogx", "lines", "bars"};
    struct table *table = results();
    for (size_t i = 0; i < G_N_ELEMENTS(styles); i++) {
        struct plot_spec plot = plot_of(styles[i]);
        GError *error = NULL;
        struct figure *figure = plot_draw(plot_value(&plot), table, &error);
        g_assert_no_error(error);
        size_t png_size;
        const char *svg = content(figure, "svg", NULL), *png = content(figure, "png", &png_size);
        assert_shows(svg, ">It's a 'quoted' title_with @signs<");
        assert_shows(svg, ">Latency (µs)<");
        assert_shows(svg, ">Size<");
        assert_shows(svg, ">a<");
        assert_shows(svg, ">b, the \"other\"<");
        assert_shows(svg, ">64 B<");
        g_assert_cmpuint(png_size, >, 5000);
        g_assert_cmpint(memcmp(png, "\x89PNG\r\n\x1a\n", 8), ==, 0);
        figure_free(figure);
    }
    table_free(table);
}

/* The text of the SVG of a plot of a table, which is freed; the caller frees the text. */
static char *svg_of_table(const struct plot_spec *plot, struct table *table)
{
    GError *error = NULL;
    struct figure *figure = plot_draw(plot_value(plot), table, &error);
    g_assert_no_error(error);
    char *svg = g_strdup(content(figure, "svg", NULL));
    g_assert_cmpint(memcmp(content(figure, "pdf", NULL), "%PDF-", 5), ==, 0);
    figure_free(figure);
    table_free(table);
    return svg;
}

/* Around means over phases stands their interval, and the figure says what it is; of one that a line would hide, and of a map of
 * colours, there is none. Over an axis the band is that axis's. */
static void test_spread(void)
{
    static char rate[] = "hit_rate", design[] = "design";
    struct plot_spec points = plot_of("points"), over = plot_of("lines"), lines = plot_of("lines");
    struct plot_spec bars = plot_of("bars"), map = plot_of("heatmap"), log = plot_of("loglog");
    points.x = rate;
    over.by = NULL;
    over.over = design;
    const struct {
        const struct plot_spec *plot;
        int64_t spread_ps; /* of about 1.5 us */
        const char *shows; /* NULL: no note */
    } cases[] = {
        {&lines, 150000, ">Bands: 95 % interval of the mean over phases<"},
        {&log, 2000000, ">Bands: 95 % interval of the mean over phases<"},
        {&bars, 150000, ">Whiskers: 95 % interval of the mean over phases<"},
        {&points, 150000, ">Bars: 95 % interval of the mean over phases<"},
        {&over, 150000, ">Bands: least to most over design<"},
        {&lines, 1500, NULL},
        {&lines, -1, NULL},
        {&map, 150000, NULL},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        int64_t spread_ps = cases[i].spread_ps;
        struct table *table = results_with(spread_ps < 0 ? NULL : "latency_spread", spread_ps);
        g_autofree char *svg = svg_of_table(cases[i].plot, table);
        if (cases[i].shows)
            assert_shows(svg, cases[i].shows);
        else
            g_assert_null(strstr(svg, "interval"));
    }
}

/* Styles that are told more than x, y and by. */
static void test_further_styles(void)
{
    static char two[] = "latency_us,wait_us", rate[] = "hit_rate", design[] = "design";
    struct plot_spec stack = plot_of("stack"), heatmap = plot_of("heatmap");
    struct plot_spec pareto = plot_of("pareto"), band = plot_of("loglog"), panels = plot_of("bars");
    stack.y = two;
    stack.by = NULL;
    pareto.x = rate;
    band.by = NULL;
    band.over = design;
    panels.by = NULL;
    panels.panels = design;
    const struct {
        const struct plot_spec *plot;
        const char *shows[3];
    } cases[] = {{&stack, {">a, Wait<", ">a, Latency<", ">64 B<"}},
                 {&heatmap, {">64 B<", ">Latency (µs)<", ">a<"}},
                 {&pareto, {">Pareto front<", ">Hit rate<", ">a<"}},
                 {&band, {">Size<", ">64 B<", ">Latency (µs), mean over design<"}},
                 {&panels, {">a<", ">b, the \"other\"<", ">64 B<"}}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *svg = svg_of_table(cases[i].plot, results_with("wait", 150000));
        for (size_t k = 0; k < G_N_ELEMENTS(cases[i].shows); k++)
            assert_shows(svg, cases[i].shows[k]);
    }
}

/* Texts with which a study has run commands, or spoilt the figure, each as title, axis and names in all
 * styles: the figure shows them, is good XML, and nothing is run. */
static const char *const hostile[] = {
    "`touch pwned`",
    "'quoted",
    "\"; system('touch pwned') #",
    "100% %d %s %n",
    "@x @y",
    "a_b^{c}~&{d}",
    "back\\slash\\",
    "\\140touch pwned\\140",
    "<b>&amp;&#1;&#xfffe;\"",
    "]]>",
    "| touch pwned",
    "#",
};

/* What `text` is in the SVG as gnuplot writes it. */
static char *in_svg(const char *text)
{
    GString *svg = g_string_new(text);
    g_string_replace(svg, "&#", "&\u2060#", 0);
    g_string_replace(svg, "]]>", "]]\u2060>", 0);
    g_string_replace(svg, "&", "&amp;", 0);
    g_string_replace(svg, "<", "&lt;", 0);
    return g_string_free(svg, FALSE);
}

static void see_nothing(GMarkupParseContext *context, const char *text, gsize length, gpointer data,
                        GError **error)
{
    (void)context, (void)text, (void)length, (void)data, (void)error;
}

static void assert_good_xml(const char *svg)
{
    static const GMarkupParser parser = {.text = see_nothing};
    GError *error = NULL;
    GMarkupParseContext *context =
        g_markup_parse_context_new(&parser, G_MARKUP_IGNORE_QUALIFIED, NULL, NULL);
    g_markup_parse_context_parse(context, svg, -1, &error);
    g_assert_no_error(error);
    g_markup_parse_context_end_parse(context, &error);
    g_assert_no_error(error);
    g_markup_parse_context_free(context);
    for (const char *c = svg; *c; c++)
        g_assert_true((guchar)*c >= 0x20 || strchr("\t\n\r", *c));
}

static char *hostile_svg(const char *style, const char *text)
{
    static const char *const names[] = {"x", "y", "by"};
    const char *const rows[][3] = {{text, "1", text}, {"b", "2", text}, {text, "3", "c"}};
    char x[] = "x", y[] = "y", by[] = "by";
    struct plot_spec plot = {.x = strcmp(style, "points") == 0 ? y : x,
                             .y = y,
                             .by = by,
                             .style = (char *)(gsize)style,
                             .title = (char *)(gsize)text,
                             .x_label = (char *)(gsize)text,
                             .y_label = (char *)(gsize)text};
    struct table *table = table_of_texts(names, 3);
    table->columns[0].is_axis = table->columns[2].is_axis = table->columns[1].is_number = true;
    table->columns[2].group = 1;
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        table_append(table, rows[i]);
    GError *error = NULL;
    struct figure *figure = plot_draw(plot_value(&plot), table, &error);
    g_assert_no_error(error);
    char *svg = g_strdup(content(figure, "svg", NULL));
    figure_free(figure);
    table_free(table);
    return svg;
}

static void test_hostile_texts(void)
{
    static const char *const styles[] = {"bars", "lines", "heatmap", "points"};
    for (size_t i = 0; i < G_N_ELEMENTS(hostile); i++) {
        g_autofree char *expected = in_svg(hostile[i]);
        for (size_t k = 0; k < G_N_ELEMENTS(styles); k++) {
            if (k != 0 && k != i % G_N_ELEMENTS(styles)) /* bars always, and one more */
                continue;
            g_autofree char *svg = hostile_svg(styles[k], hostile[i]);
            assert_good_xml(svg);
            assert_shows(svg, expected);
        }
    }
}

/* Control characters, bad UTF-8, and labels longer than gnuplot's own room for them. */
static void test_unshowable_texts(void)
{
    g_autofree char *wide = g_strnfill(1 << 20, '%');
    g_autofree char *emoji =
        g_strdup("100% \U0001F600\U0001F600\U0001F600\U0001F600\U0001F600\U0001F600"
                 "\U0001F600\U0001F600\U0001F600\U0001F600\U0001F600\U0001F600");
    const char *const texts[] = {"\x01\x1b[31m\x7f", "\xff\xfe\xc3", "\xef\xbf\xbf",
                                 "a\nset output",    wide,           emoji};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_autofree char *svg = hostile_svg("bars", texts[i]);
        assert_good_xml(svg);
        g_assert_cmpuint(strlen(svg), <, 100000);
    }
}

/* A study's own words for a value stand in the legend, and as a panel's title. */
static void test_labels(void)
{
    static char value[] = "b, the \"other\"", label[] = "the new one";
    struct plot_spec plot = plot_of("lines");
    struct table *table = results();
    for (int is_panel = 0; is_panel < 2; is_panel++) {
        plot.value = value;
        plot.label = label;
        struct figure *figure = plot_draw(plot_value(&plot), table, NULL);
        const char *svg = content(figure, "svg", NULL);
        assert_shows(svg, ">a<");
        assert_shows(svg, ">the new one<");
        g_assert_null(strstr(svg, "other"));
        figure_free(figure);
        plot = (struct plot_spec){
            .x = plot.x, .y = plot.y, .panels = plot.by, .style = plot.style, .title = plot.title};
    }
    table_free(table);
}

/* And so they do before a measure's name, where a figure draws several. */
static void test_labels_of_measures(void)
{
    static char value[] = "b, the \"other\"", label[] = "the new one", y[] = "latency_us,extra_us";
    struct plot_spec plot = plot_of("lines");
    struct table *table = results_with("extra", PS_PER_US);
    plot.y = y;
    plot.value = value;
    plot.label = label;
    struct figure *figure = plot_draw(plot_value(&plot), table, NULL);
    const char *svg = content(figure, "svg", NULL);
    assert_shows(svg, ">the new one, Latency<");
    assert_shows(svg, ">the new one, Extra<");
    figure_free(figure);
    table_free(table);
}

static void test_same_bytes_twice(void)
{
    struct table *table = results();
    struct plot_spec plot = plot_of("loglog");
    struct figure *first = plot_draw(plot_value(&plot), table, NULL);
    struct figure *second = plot_draw(plot_value(&plot), table, NULL);
    static const char *const formats[] = {"pdf", "pdf-180mm", "svg", "png", "gp"};
    for (size_t i = 0; i < G_N_ELEMENTS(formats); i++) {
        size_t length, other_length;
        const char *one = content(first, formats[i], &length);
        const char *other = content(second, formats[i], &other_length);
        g_assert_true(length == other_length && memcmp(one, other, length) == 0);
    }
    figure_free(first);
    figure_free(second);
    table_free(table);
}

static void assert_not_drawn(const struct plot_spec *plot, enum error_code code,
                             const char *expected)
{
    struct table *table = results();
    g_autoptr(GError) error = NULL;
    g_assert_null(plot_draw(plot_value(plot), table, &error));
    g_assert_error(error, ERROR_DOMAIN, (gint)code);
    g_assert_cmpstr(error->message, ==, expected);
    table_free(table);
}

static void test_unknown_column(void)
{
    struct plot_spec plot = plot_of("loglog");
    char y[] = "latency_ns";
    plot.y = y;
    assert_not_drawn(
        &plot, ERROR_USE,
        "the plot's y is \"latency_ns\", which the results do not have: did you mean latency_us; they have "
        "bytes, design, latency_us, hit_rate");
}

static void test_gnuplot_fails(void)
{
    struct plot_spec plot = plot_of("loglog");
    struct table *table = results();
    g_autoptr(GError) error = NULL;
    plot.gnuplot = "set xtics nonsense";
    g_assert_null(plot_draw(plot_value(&plot), table, &error));
    g_assert_error(error, ERROR_DOMAIN, ERROR_RUN);
    g_assert_true(g_str_has_prefix(error->message, "the figure is not drawn: gnuplot failed: "));
    g_assert_null(strchr(error->message, '\n'));
    table_free(table);
}

static void test_gnuplot_is_missing(void)
{
    g_autofree char *path = g_strdup(g_getenv("PATH"));
    struct plot_spec plot = plot_of("loglog");
    g_setenv("PATH", "/nonexistent", TRUE);
    assert_not_drawn(&plot, ERROR_RUN,
                     "the figure is not drawn: gnuplot is not installed "
                     "(Debian package gnuplot-nox)");
    g_setenv("PATH", path, TRUE);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/plot/styles", test_all_styles);
    g_test_add_func("/plot/further-styles", test_further_styles);
    g_test_add_func("/plot/spread", test_spread);
    g_test_add_func("/plot/hostile-texts", test_hostile_texts);
    g_test_add_func("/plot/unshowable-texts", test_unshowable_texts);
    g_test_add_func("/plot/labels", test_labels);
    g_test_add_func("/plot/labels_of_measures", test_labels_of_measures);
    g_test_add_func("/plot/same-bytes", test_same_bytes_twice);
    g_test_add_func("/plot/unknown-column", test_unknown_column);
    g_test_add_func("/plot/gnuplot-fails", test_gnuplot_fails);
    g_test_add_func("/plot/gnuplot-missing", test_gnuplot_is_missing);
    return g_test_run();
}
