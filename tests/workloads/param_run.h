/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs of workloads whose parameters a test changes one by one: each in a process of its own, with its measures as text and what of
 * the machine it says that it can read. */
#pragma once

#include <glib.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../workload_once.h"

#define REFUSED "refused: "

/* Whether a point is one run, for who asks only what is read: another run of it reads the same. Else it is as many as a user gets,
 * and its measures are their means. */
static bool param_run_once;

static inline void param_run_set(const struct param_table *table, void *spec, const char *name,
                                 const char *text)
{
    g_autoptr(GError) error = NULL;
    const struct param *param = param_find(table, name);
    g_assert_nonnull(param);
    if (!param_set_text(table, param, spec, text, &error))
        g_error("%s", error->message);
}

/* The defaults, and what the words ("name=value ...") say. */
static inline void param_run_set_arguments(const struct param_table *table, void *spec,
                                           const char *arguments)
{
    g_auto(GStrv) words = g_strsplit(arguments, " ", -1);
    param_set_defaults(table, spec);
    for (char **word = words; *word; word++) {
        char *equals = strchr(*word, '=');
        *equals = '\0';
        param_run_set(table, spec, *word, equals + 1);
    }
}

/* The measures as text, or why it is refused. */
static inline char *param_run_here(const struct workload *workload, const char *arguments,
                                   const struct machine_spec *machine, struct param_use *uses)
{
    g_autofree void *spec = g_malloc0(workload->params->spec_size);
    struct workload_result result = {.count = 0};
    g_autoptr(GError) error = NULL;
    param_run_set_arguments(workload->params, spec, arguments);
    const struct param *design = param_find(workload->params, "design");
    bool is_accepted =
        workload->accepts == NULL || design == NULL ||
        workload->accepts((const struct design *)(const void *)((char *)spec + design->offset),
                          &error);
    if (is_accepted)
        is_accepted = param_run_once ? workload->run(machine, spec, 1, &result, &error)
                                     : run_or_once(workload, machine, spec, 1, &result, &error);
    if (!is_accepted)
        return g_strconcat(REFUSED, error->message, NULL);
    *uses = result.uses;
    GString *text = g_string_new(NULL);
    for (size_t i = 0; i < result.count; i++) /* how many events it takes is no result */
        if (strcmp(result.measures[i].name, "events") != 0)
            g_string_append_printf(text, "%s %" G_GINT64_FORMAT " %.17g\n", result.measures[i].name,
                                   result.measures[i].quantity, result.measures[i].ratio);
    return g_string_free(text, FALSE);
}

/* The same in a process of its own, since SimGrid keeps the platform that it has once built; NULL if it takes more than so many
 * seconds of processor time (0: any). */
static inline char *param_run_within(const struct workload *workload, const char *arguments,
                                     const struct machine_spec *machine, struct param_use *uses,
                                     rlim_t seconds)
{
    int ends[2];
    g_assert_cmpint(pipe(ends), ==, 0);
    platform_simgrid_version(NULL); /* loaded once, and not in each child */
    pid_t child = fork();
    g_assert_cmpint(child, >=, 0);
    if (child == 0) {
        struct param_use own = {.count = 0};
        if (seconds > 0)
            setrlimit(RLIMIT_CPU, &(struct rlimit){seconds, seconds});
        g_autofree char *text = param_run_here(workload, arguments, machine, &own);
        bool good = write(ends[1], &own, sizeof own) == sizeof own &&
                    write(ends[1], text, strlen(text)) == (ssize_t)strlen(text);
        _exit(good ? 0 : 1);
    }
    close(ends[1]);
    GString *all = g_string_new(NULL);
    char piece[4096];
    for (ssize_t count; (count = read(ends[0], piece, sizeof piece)) > 0;)
        g_string_append_len(all, piece, count);
    close(ends[0]);
    int status;
    waitpid(child, &status, 0);
    if (seconds > 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
        g_string_free(all, TRUE);
        return NULL;
    }
    if (all->len < sizeof *uses)
        g_error("a run has not ended as it should: %s %s", workload->name, arguments);
    if (uses)
        memcpy(uses, all->str, sizeof *uses);
    char *text = g_strdup(all->str + sizeof *uses);
    g_string_free(all, TRUE);
    return text;
}

static inline char *param_run(const struct workload *workload, const char *arguments,
                              const struct machine_spec *machine, struct param_use *uses)
{
    return param_run_within(workload, arguments, machine, uses, 0);
}

/* Adds the other words that a parameter of words or of yes and no accepts. False if it has a number instead. */
static inline bool param_run_add_words(const struct param *param, const void *field,
                                       GPtrArray *texts)
{
    static const char *const flags[] = {"false", "true", NULL};
    if (param->kind != PARAM_CHOICE && param->kind != PARAM_BOOL)
        return false;
    const char *const *choices = param->kind == PARAM_BOOL ? flags : param->choices;
    int64_t now;
    memcpy(&now, field, sizeof now);
    for (int64_t i = 0; choices[i]; i++)
        if (i != now)
            g_ptr_array_add(texts, g_strdup(choices[i]));
    return true;
}

/* The number times `factor`, as a text. */
static inline char *param_run_scaled(const struct param *param, const void *field, double factor)
{
    char text[UNIT_TEXT_SIZE];
    double ratio;
    int64_t whole;
    memcpy(&ratio, field, sizeof ratio);
    memcpy(&whole, field, sizeof whole);
    if (param->kind == PARAM_RATIO)
        return g_strdup(unit_format_number(ratio * factor, text));
    return g_strdup(unit_format((int64_t)((double)whole * factor), param->unit, text));
}

/* Whether one of the words, between spaces, is a part of the text. */
static inline bool param_run_has_word(const char *text, const char *words)
{
    g_auto(GStrv) all = g_strsplit(words, " ", -1);
    for (char **word = all; *word; word++)
        if (strstr(text, *word))
            return true;
    return false;
}

/* The measures without those of which a word is a part. */
static inline char *param_run_without(const char *result, const char *words)
{
    g_auto(GStrv) lines = g_strsplit(result, "\n", -1);
    GString *text = g_string_new(NULL);
    for (char **line = lines; *line; line++)
        if (!param_run_has_word(*line, words))
            g_string_append_printf(text, "%s\n", *line);
    return g_string_free(text, FALSE);
}
