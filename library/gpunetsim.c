/* SPDX-License-Identifier: BSD-3-Clause */
/* Opened objects are in another process (server.h); this process has their texts, which came with the answer. */
#include "gpunetsim.h"

#include <ctype.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server.h"

#define NO_NAME "a name has to be given, not NULL"
#define NO_STUDY "there is no study; gpunetsim_study_open gives one"
#define NO_MACHINE "there is no machine; gpunetsim_machine_open gives one"

/* --- what all have in common ------------------------------------------------------------------ */

/* Sets the error that a required argument is NULL or out of range. Returns false. */
static bool refuse(char **error, const char *function, const char *what)
{
    return gpunetsim_fail(error, "%s: %s.", function, what);
}

const char *gpunetsim_version(void)
{
    return gpunetsim_server_version;
}

void gpunetsim_free_text(char *text)
{
    free(text);
}

/* Relative paths start at the caller's current folder. */
static bool ask_to_open(const char *what, const char *path, const char *const *settings,
                        struct server_answer *answer, char **error)
{
    char folder[PATH_MAX];
    struct server_request request = gpunetsim_request(what);
    gpunetsim_request_add(&request, getcwd(folder, sizeof folder) ? folder : "/");
    gpunetsim_request_add(&request, path);
    gpunetsim_request_add_all(&request, settings);
    return gpunetsim_ask(0, &request, answer, error);
}

/* A request on an opened object, whose number is the answer's first text. */
static struct server_request request_of(const char *name, const struct server_answer *opened)
{
    struct server_request request = gpunetsim_request(name);
    gpunetsim_request_add(&request, opened->texts[0]);
    return request;
}

static void close_answer(struct server_answer *opened)
{
    struct server_request request = request_of("close", opened);
    struct server_answer nothing;
    gpunetsim_ask(opened->server, &request, &nothing, NULL);
    gpunetsim_answer_clear(&nothing);
    gpunetsim_answer_clear(opened);
}

/* --- results ---------------------------------------------------------------------------------- */

struct gpunetsim_result {
    struct server_answer columns; /* the name and the text of each column */
};

static struct gpunetsim_result *ask_to_run(const struct server_answer *opened,
                                           struct server_request *request, char **error)
{
    struct server_answer columns;
    if (!gpunetsim_ask(opened->server, request, &columns, error))
        return NULL;
    struct gpunetsim_result *result = gpunetsim_memory(NULL, sizeof *result);
    result->columns = columns;
    return result;
}

size_t gpunetsim_result_count(const struct gpunetsim_result *result)
{
    return result ? result->columns.count / 2 : 0;
}

const char *gpunetsim_result_name(const struct gpunetsim_result *result, size_t number)
{
    return number < gpunetsim_result_count(result) ? result->columns.texts[2 * number] : NULL;
}

const char *gpunetsim_result_text(const struct gpunetsim_result *result, size_t number)
{
    return number < gpunetsim_result_count(result) ? result->columns.texts[2 * number + 1] : NULL;
}

/* The number in a text, in any locale; NaN if the text is no number by unit_is_number (core/units.h). */
static double number_of(const char *text)
{
    char *end;
    const char *digits = *text == '-' ? text + 1 : text;
    if (!isdigit((unsigned char)*digits) || (*digits == '0' && isalnum((unsigned char)digits[1])))
        return NAN;
    locale_t plain = newlocale(LC_ALL_MASK, "C", NULL);
    double number = strtod_l(text, &end, plain);
    freelocale(plain);
    return *end == '\0' && isfinite(number) ? number : NAN;
}

/* Sets the error for an unknown name; the server knows which name may have been meant. */
static void tell_names(const struct gpunetsim_result *result, const char *name, char **error)
{
    struct server_request request = gpunetsim_request("no_measure");
    struct server_answer nothing;
    gpunetsim_request_add(&request, name);
    for (size_t i = 0; i < gpunetsim_result_count(result); i++)
        gpunetsim_request_add(&request, gpunetsim_result_name(result, i));
    gpunetsim_ask(0, &request, &nothing, error);
    gpunetsim_answer_clear(&nothing);
}

double gpunetsim_result_value(const struct gpunetsim_result *result, const char *name, char **error)
{
    if (!result || !name) {
        refuse(error, __func__,
               !result ? "there is no result; the call before has failed" : NO_NAME);
        return NAN;
    }
    for (size_t i = 0; i < gpunetsim_result_count(result); i++) {
        if (strcmp(gpunetsim_result_name(result, i), name) != 0)
            continue;
        const char *text = gpunetsim_result_text(result, i);
        double number = number_of(text);
        if (isnan(number))
            gpunetsim_fail(error, "measure \"%s\" is the text \"%s\".", name, text);
        return number;
    }
    tell_names(result, name, error);
    return NAN;
}

void gpunetsim_result_free(struct gpunetsim_result *result)
{
    if (result)
        gpunetsim_answer_clear(&result->columns);
    free(result);
}

/* --- studies ---------------------------------------------------------------------------------- */

/* The texts of a study after its number: its title, the numbers of axes and points, the names of its axes, and then for each
 * point its value on each axis. */
enum { STUDY_TITLE = 1, STUDY_AXES, STUDY_POINTS, STUDY_NAMES };

struct gpunetsim_study {
    struct server_answer opened;
    size_t axes, points;
};

struct gpunetsim_study *gpunetsim_study_open(const char *path, const char *const *settings,
                                             char **error)
{
    struct server_answer opened;
    if ((!path && !refuse(error, __func__, NO_NAME)) ||
        !ask_to_open("open_study", path, settings, &opened, error))
        return NULL;
    struct gpunetsim_study *study = gpunetsim_memory(NULL, sizeof *study);
    study->opened = opened;
    study->axes = strtoul(opened.texts[STUDY_AXES], NULL, 10);
    study->points = strtoul(opened.texts[STUDY_POINTS], NULL, 10);
    return study;
}

void gpunetsim_study_close(struct gpunetsim_study *study)
{
    if (study)
        close_answer(&study->opened);
    free(study);
}

const char *gpunetsim_study_title(const struct gpunetsim_study *study)
{
    return study ? study->opened.texts[STUDY_TITLE] : NULL;
}

size_t gpunetsim_study_axis_count(const struct gpunetsim_study *study)
{
    return study ? study->axes : 0;
}

const char *gpunetsim_study_axis_name(const struct gpunetsim_study *study, size_t axis)
{
    return study && axis < study->axes ? study->opened.texts[STUDY_NAMES + axis] : NULL;
}

size_t gpunetsim_study_point_count(const struct gpunetsim_study *study)
{
    return study ? study->points : 0;
}

const char *gpunetsim_study_value(const struct gpunetsim_study *study, size_t point, size_t axis)
{
    if (!study || axis >= study->axes || point >= study->points)
        return NULL;
    return study->opened.texts[STUDY_NAMES + (point + 1) * study->axes + axis];
}

bool gpunetsim_study_find(const struct gpunetsim_study *study, const char *values, size_t *point,
                          char **error)
{
    struct server_answer found;
    if (!study || !values || !point)
        return refuse(error, __func__, !study ? NO_STUDY : "values and point have to be given");
    struct server_request request = request_of("find_point", &study->opened);
    gpunetsim_request_add(&request, values);
    if (!gpunetsim_ask(study->opened.server, &request, &found, error))
        return false;
    *point = strtoul(found.texts[0], NULL, 10);
    gpunetsim_answer_clear(&found);
    return true;
}

struct gpunetsim_result *gpunetsim_study_run(struct gpunetsim_study *study, size_t point,
                                             uint64_t seed, char **error)
{
    if (!study && !refuse(error, __func__, NO_STUDY))
        return NULL;
    struct server_request request = request_of("run_point", &study->opened);
    char number[24]; /* it may be more than a long long holds */
    snprintf(number, sizeof number, "%zu", point);
    gpunetsim_request_add(&request, number);
    gpunetsim_request_add_number(&request, (long long)seed);
    return ask_to_run(&study->opened, &request, error);
}

/* --- machines --------------------------------------------------------------------------------- */

struct gpunetsim_machine {
    struct server_answer opened; /* after its number: each parameter and its value */
};

struct gpunetsim_machine *gpunetsim_machine_open(const char *path_or_name,
                                                 const char *const *settings, char **error)
{
    struct server_answer opened;
    if ((!path_or_name && !refuse(error, __func__, NO_NAME)) ||
        !ask_to_open("open_machine", path_or_name, settings, &opened, error))
        return NULL;
    struct gpunetsim_machine *machine = gpunetsim_memory(NULL, sizeof *machine);
    machine->opened = opened;
    return machine;
}

void gpunetsim_machine_close(struct gpunetsim_machine *machine)
{
    if (machine)
        close_answer(&machine->opened);
    free(machine);
}

size_t gpunetsim_machine_parameter_count(const struct gpunetsim_machine *machine)
{
    return machine ? machine->opened.count / 2 : 0;
}

const char *gpunetsim_machine_parameter_name(const struct gpunetsim_machine *machine, size_t number)
{
    bool is_there = number < gpunetsim_machine_parameter_count(machine);
    return is_there ? machine->opened.texts[1 + 2 * number] : NULL;
}

const char *gpunetsim_machine_parameter_text(const struct gpunetsim_machine *machine, size_t number)
{
    bool is_there = number < gpunetsim_machine_parameter_count(machine);
    return is_there ? machine->opened.texts[2 + 2 * number] : NULL;
}

struct gpunetsim_result *gpunetsim_machine_run(const struct gpunetsim_machine *machine,
                                               const char *workload, const char *const *arguments,
                                               uint64_t seed, char **error)
{
    if ((!machine || !workload) && !refuse(error, __func__, machine ? NO_NAME : NO_MACHINE))
        return NULL;
    struct server_request request = request_of("run_workload", &machine->opened);
    gpunetsim_request_add(&request, workload);
    gpunetsim_request_add_number(&request, (long long)seed);
    gpunetsim_request_add_all(&request, arguments);
    return ask_to_run(&machine->opened, &request, error);
}
