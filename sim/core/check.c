/* SPDX-License-Identifier: BSD-3-Clause */
/* The one line that a failed check leaves behind. It has to be enough to find the place in the
 * model, the moment in the run and the run itself again, since the process dies right after. */
#include "core/check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MESSAGE_SIZE 2048

/* One context for each thread, since two threads may each run a simulation of their own. */
static _Thread_local const struct check_context *current_context;

const struct check_context *check_set_context(const struct check_context *context)
{
    const struct check_context *before = current_context;
    current_context = context;
    return before;
}

/* The path from the project's folder on: the full path differs between machines. */
static const char *project_path(const char *file)
{
    const char *path = file;
    for (const char *found = strstr(file, "/sim/"); found; found = strstr(found + 1, "/sim/"))
        path = found + 1;
    if (path == file && strrchr(file, '/'))
        path = strrchr(file, '/') + 1;
    return path;
}

/* A line under construction; text that does not fit is cut off. */
struct check_line {
    char text[MESSAGE_SIZE];
    size_t length;
};

__attribute__((format(printf, 2, 0))) static void line_vadd(struct check_line *line,
                                                            const char *format, va_list arguments)
{
    size_t room = sizeof line->text - line->length;
    int written = vsnprintf(line->text + line->length, room, format, arguments);
    if (written > 0)
        line->length += (size_t)written < room ? (size_t)written : room - 1;
}

__attribute__((format(printf, 2, 3))) static void line_add(struct check_line *line,
                                                           const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    line_vadd(line, format, arguments);
    va_end(arguments);
}

static void line_add_context(struct check_line *line, const struct check_context *context)
{
    if (context->now_ps)
        line_add(line, " at t=%" PRId64 ".%03" PRId64 " ns", *context->now_ps / PS_PER_NS,
                 *context->now_ps % PS_PER_NS);
    if (context->component)
        line_add(line, " in %s", context->component);
    line_add(line, ", seed %" PRIu64, context->seed);
}

void check_failed(const char *file, int line, const char *condition, const char *format, ...)
{
    struct check_line message = {.length = 0};
    line_add(&message, "gpunetsim: check failed: ");
    va_list arguments;
    va_start(arguments, format);
    line_vadd(&message, format, arguments);
    va_end(arguments);
    line_add(&message, " [%s]", condition);
    if (current_context)
        line_add_context(&message, current_context);
    line_add(&message, " (%s:%d)", project_path(file), line);
    fprintf(stderr, "%s\n", message.text);
    fflush(stderr);
    abort();
}
