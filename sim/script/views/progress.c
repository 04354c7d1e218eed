/* SPDX-License-Identifier: BSD-3-Clause */
/* Progress, in the words of views/progress.lua. */
#include "script/views/progress.h"

#include <glib.h>
#include <lua.h>
#include <string.h>

#include "script/values/values.h"
#include "script/views/views.h"

void progress_begin(struct progress *progress, const char *mode, const char *name, const char *best)
{
    *progress = (struct progress){
        .mode = mode, .name = name, .best = best, .start_us = g_get_monotonic_time()};
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

/* Pushes a function of views/progress.lua and the run; false if the file cannot be read. */
static bool push(struct progress *progress, const char *function, size_t done, size_t failed)
{
    if (!progress->L)
        progress->L = views_open("progress", NULL);
    lua_State *L = progress->L;
    if (!L)
        return false;
    lua_settop(L, 1);
    lua_getfield(L, 1, function);
    lua_createtable(L, 0, 12);
    lua_set_text(L, "mode", progress->mode);
    lua_set_text(L, "name", progress->name);
    lua_set_integer(L, "points", (lua_Integer)progress->points);
    lua_set_integer(L, "known", (lua_Integer)progress->known);
    lua_set_integer(L, "done", (lua_Integer)done);
    lua_set_integer(L, "failed", (lua_Integer)failed);
    lua_set_integer(L, "memory_bytes", (lua_Integer)progress->memory_bytes);
    lua_set_number(L, "seconds", (double)(g_get_monotonic_time() - progress->start_us) / 1e6);
    if (progress->has_least) {
        lua_set_text(L, "best", progress->best);
        lua_set_number(L, "least", progress->least);
    }
    return true;
}

static void show(struct progress *progress, const char *function, size_t done, size_t failed)
{
    if (push(progress, function, done, failed))
        lua_pcall(progress->L, 1, 0, 0);
}

void progress_notice(struct progress *progress, const struct row *row, size_t done,
                     int64_t duration_us)
{
    bool is_for_readers = progress->mode && strcmp(progress->mode, "json") != 0;
    if (!is_for_readers || !row->patient || !push(progress, "notice", done, 0))
        return;
    lua_set_text(progress->L, "patient", row->patient);
    lua_set_number(progress->L, "saving", row->saving);
    lua_set_number(progress->L, "took_s", (double)duration_us / 1e6);
    lua_pcall(progress->L, 1, 0, 0);
}

void progress_tell(struct progress *progress, size_t done, size_t failed)
{
    if (progress->mode)
        show(progress, "tell", done, failed);
}

void progress_answer(struct progress *progress, size_t done, size_t failed)
{
    show(progress, "answer", done, failed);
}

void progress_end(struct progress *progress)
{
    if (g_strcmp0(progress->mode, "bar") == 0 && progress->points > progress->known)
        show(progress, "done", 0, 0);
    if (progress->L)
        lua_close(progress->L);
}
