/* Progress. Standard error is used raw: a bar that is buffered is none. */
#include "study/progress.h"

#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BAR_WIDTH 30

bool progress_parse(const char *name, enum progress_mode *mode)
{
    static const char *const names[] = {"none", "plain", "json"};
    if (strcmp(name, "auto") == 0) {
        *mode = isatty(STDERR_FILENO) ? PROGRESS_BAR : PROGRESS_NONE;
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

static void tell_plain(struct progress *progress, size_t done, size_t failed)
{
    size_t tenths = done * 10 / progress->points;
    if (tenths == progress->tenths)
        return;
    progress->tenths = tenths;
    fprintf(stderr, "%s: %zu of %zu points, %zu failed\n", progress->name, done, progress->points,
            failed);
}

static void tell_json(const struct progress *progress, size_t done, size_t failed)
{
    fprintf(stderr, "{\"scenario\": \"%s\", \"done\": %zu, \"points\": %zu, \"failed\": %zu}\n",
            progress->name, done, progress->points, failed);
}

static void tell_bar(const struct progress *progress, size_t done, size_t failed)
{
    char bar[BAR_WIDTH + 1];
    size_t filled = done * BAR_WIDTH / progress->points;
    memset(bar, '.', BAR_WIDTH);
    memset(bar, '#', filled);
    bar[BAR_WIDTH] = '\0';
    fprintf(stderr, "\r%s [%s] %zu/%zu", progress->name, bar, done, progress->points);
    if (failed)
        fprintf(stderr, ", %zu failed", failed);
}

void progress_tell(void *context, size_t done, size_t failed)
{
    struct progress *progress = context;
    if (progress->mode == PROGRESS_PLAIN)
        tell_plain(progress, done, failed);
    else if (progress->mode == PROGRESS_JSON)
        tell_json(progress, done, failed);
    else if (progress->mode == PROGRESS_BAR)
        tell_bar(progress, done, failed);
}

void progress_end(const struct progress *progress)
{
    double seconds = (double)(g_get_monotonic_time() - progress->start_us) / 1e6;
    if (progress->mode == PROGRESS_BAR)
        fprintf(stderr, "\r\033[K%s: %.1f s\n", progress->name, seconds);
}
