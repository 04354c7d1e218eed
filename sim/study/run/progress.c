/* SPDX-License-Identifier: BSD-3-Clause */
/* Progress. Standard error is unbuffered, since a bar has to show at once. */
#include "study/run/progress.h"

#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/json.h"
#include "core/shown.h"

#define BAR_WIDTH 30
#define REDRAW_US 100000
#define SELDOM_US 30000000
#define NOTICED_S 120         /* the least saving for which a tolerance is mentioned */
#define LINE_AGAIN "\r\033[K" /* makes a terminal clear its line */

/* Whether the terminal cannot return to the start of a line. */
static bool is_dumb(void)
{
    return g_strcmp0(g_getenv("TERM"), "dumb") == 0;
}

bool progress_parse(const char *name, enum progress_mode *mode)
{
    static const char *const names[] = {"none", "plain", "json"};
    if (strcmp(name, "auto") == 0) {
        bool is_silent = g_strcmp0(g_getenv("GPUNETSIM_PROGRESS"), "none") == 0;
        *mode = !isatty(STDERR_FILENO) ? (is_silent ? PROGRESS_NONE : PROGRESS_SELDOM)
                : is_dumb()            ? PROGRESS_PLAIN
                                       : PROGRESS_BAR;
        return true;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        if (strcmp(name, names[i]) == 0) {
            *mode = (enum progress_mode)i;
            return true;
        }
    }
    return false;
}

void progress_begin(struct progress *progress, enum progress_mode mode, const char *name,
                    const char *best)
{
    *progress = (struct progress){
        .mode = mode, .name = name, .best = best, .start_us = g_get_monotonic_time()};
    progress->shown_us = mode == PROGRESS_SELDOM ? progress->start_us : 0;
}

void progress_expect(struct progress *progress, size_t known, size_t points)
{
    progress->known = known;
    progress->points = points;
}

void progress_see(struct progress *progress, const struct row *row)
{
    progress->memory_bytes = MAX(progress->memory_bytes, row->memory_bytes);
    for (size_t i = 0; progress->best && i < row->measure_count; i++) {
        const struct measure *measure = &row->measures[i];
        g_autofree char *column = value_column(measure->name, &measure->value);
        if (measure->value.kind == VALUE_TEXT ||
            (strcmp(column, progress->best) != 0 && strcmp(measure->name, progress->best) != 0))
            continue;
        g_autofree char *text = value_column_text(&measure->value);
        double value = g_ascii_strtod(text, NULL);
        if (!progress->has_least || value < progress->least)
            progress->least = value;
        progress->has_least = true;
    }
}

/* Points a second; 0: not known yet. */
static double rate_of(const struct progress *progress, size_t done, int64_t now_us)
{
    double seconds = (double)(now_us - progress->start_us) / 1e6;
    return seconds > 0 ? (double)(done - progress->known) / seconds : 0;
}

/* A time as text: "12 s", "7 min", "3.4 h". The caller frees it with g_free. */
static char *time_text(double seconds)
{
    return seconds < 100    ? g_strdup_printf("%.0f s", seconds)
           : seconds < 6000 ? g_strdup_printf("%.0f min", seconds / 60)
                            : g_strdup_printf("%.1f h", seconds / 3600);
}

/* ", 512.3 points/s, 12 s to go, up to 45 MiB a point": the text that differs between two runs. */
static void append_speed(GString *line, const struct progress *progress, size_t done,
                         int64_t now_us)
{
    double rate = rate_of(progress, done, now_us);
    g_autofree char *left = rate > 0 ? time_text((double)(progress->points - done) / rate) : NULL;
    if (left)
        g_string_append_printf(
            line, rate < 1 ? ", %.3f points/s, %s to go" : ", %.1f points/s, %s to go", rate, left);
    if (progress->memory_bytes > 0)
        g_string_append_printf(line, ", up to %" G_GUINT64_FORMAT " MiB a point",
                               progress->memory_bytes >> 20);
}

static void append_counts(GString *line, const struct progress *progress, size_t failed)
{
    if (failed)
        g_string_append_printf(line, ", %zu failed", failed);
    if (progress->has_least)
        g_string_append_printf(line, ", best %s %.6g", progress->best, progress->least);
}

static void tell_line(const struct progress *progress, size_t done, size_t failed)
{
    GString *line = g_string_new(NULL);
    g_string_printf(line, "%s: %zu of %zu points, %zu failed", progress->name, done,
                    progress->points, failed);
    append_counts(line, progress, 0);
    append_speed(line, progress, done, g_get_monotonic_time());
    shown_print(stderr, "%s\n", line->str);
    g_string_free(line, TRUE);
}

static void tell_plain(struct progress *progress, size_t done, size_t failed)
{
    size_t tenths = done * 10 / progress->points;
    if (tenths == progress->tenths)
        return;
    progress->tenths = tenths;
    tell_line(progress, done, failed);
}

static void tell_seldom(struct progress *progress, size_t done, size_t failed)
{
    int64_t now_us = g_get_monotonic_time();
    if (now_us - progress->shown_us < SELDOM_US)
        return;
    progress->shown_us = now_us;
    tell_line(progress, done, failed);
}

static void tell_json(const struct progress *progress, size_t done, size_t failed)
{
    g_autoptr(GString) line = g_string_new(NULL);
    struct json json = {.text = line, .is_spaced = true};
    json_begin_object(&json, NULL);
    json_text(&json, "scenario", progress->name);
    json_number(&json, "done", "%zu", done);
    json_number(&json, "points", "%zu", progress->points);
    json_number(&json, "failed", "%zu", failed);
    json_end_object(&json);
    shown_print(stderr, "%s\n", line->str);
}

static void tell_bar(struct progress *progress, size_t done, size_t failed)
{
    char bar[BAR_WIDTH + 1];
    int64_t now_us = g_get_monotonic_time();
    bool is_end = done == progress->points || done == progress->known + 1;
    if (!is_end && now_us - progress->shown_us < REDRAW_US)
        return;
    progress->shown_us = now_us;
    memset(bar, '.', BAR_WIDTH);
    memset(bar, '#', done * BAR_WIDTH / progress->points);
    bar[BAR_WIDTH] = '\0';
    GString *line = g_string_new(NULL);
    g_string_printf(line, "%s [%s] %zu/%zu", progress->name, bar, done, progress->points);
    append_counts(line, progress, failed);
    append_speed(line, progress, done, now_us);
    fputs(LINE_AGAIN, stderr);
    shown_print(stderr, "%s", line->str);
    g_string_free(line, TRUE);
}

void progress_notice(struct progress *progress, const struct row *row, size_t done,
                     int64_t duration_us)
{
    double rate = rate_of(progress, done, g_get_monotonic_time());
    double left_s = rate > 0 ? (double)(progress->points - done) / rate : 0;
    double saved_s = MAX(left_s, (double)duration_us / 1e6) * row->saving;
    bool is_told = progress->mode == PROGRESS_NONE || progress->mode == PROGRESS_JSON;
    if (is_told || progress->has_noticed || !row->patient || saved_s < NOTICED_S)
        return;
    progress->has_noticed = true;
    g_autofree char *saved = time_text(saved_s);
    shown_print(
        stderr,
        "%s%s: %s simulates every step; tolerance = 0.005 ends a run when its steps agree within 0.5 %%, which may "
        "save about %s (gpunetsim help %s.tolerance)\n",
        progress->mode == PROGRESS_BAR ? LINE_AGAIN : "", progress->name, row->patient, saved,
        row->patient);
}

void progress_tell(struct progress *progress, size_t done, size_t failed)
{
    if (progress->mode == PROGRESS_PLAIN)
        tell_plain(progress, done, failed);
    else if (progress->mode == PROGRESS_SELDOM)
        tell_seldom(progress, done, failed);
    else if (progress->mode == PROGRESS_JSON)
        tell_json(progress, done, failed);
    else if (progress->mode == PROGRESS_BAR)
        tell_bar(progress, done, failed);
}

void progress_answer(struct progress *progress, size_t done, size_t failed)
{
    if (progress->mode == PROGRESS_BAR)
        fputs(LINE_AGAIN, stderr);
    if (progress->mode == PROGRESS_JSON)
        tell_json(progress, done, failed);
    else
        tell_line(progress, done, failed);
}

void progress_end(const struct progress *progress)
{
    double seconds = (double)(g_get_monotonic_time() - progress->start_us) / 1e6;
    if (progress->mode != PROGRESS_BAR || progress->points <= progress->known)
        return;
    fputs(LINE_AGAIN, stderr);
    shown_print(stderr, "%s: %.1f s\n", progress->name, seconds);
}
