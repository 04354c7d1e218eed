/* SPDX-License-Identifier: BSD-3-Clause */
/* The process that simulates for this one: the program, as `gpunetsim serve` (sim/script/commands/served.h). It is started by the first
 * request, ends with this process, and is nobody's child. Any thread may ask; requests wait for each other. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The version of the library, "0.1.0 (git 1a2b3c4)". */
extern const char gpunetsim_server_version[];

/* A request: texts, of which the first is its name. */
struct server_request {
    char *bytes;   /* the texts, each with its end */
    size_t length; /* of all */
};

/* A request of that name. */
struct server_request gpunetsim_request(const char *name);
/* Adds a text. */
void gpunetsim_request_add(struct server_request *request, const char *text);
/* Adds the texts of a NULL-ended array; NULL: none. */
void gpunetsim_request_add_all(struct server_request *request, const char *const *texts);
/* Adds a number as text. */
void gpunetsim_request_add_number(struct server_request *request, long long number);

/* An answer: texts. */
struct server_answer {
    unsigned long server; /* which one has answered; 0: there is no answer */
    char *bytes;          /* where the texts are */
    char **texts;         /* each of them */
    size_t count;         /* how many there are */
};

/* Asks server number `server`; 0: whichever is there, which is started if need be. Frees the request. False, and a sentence for
 * gpunetsim_free_text unless `error` is NULL, if the answer is one, or if there is no such server any more. */
bool gpunetsim_ask(unsigned long server, struct server_request *request,
                   struct server_answer *answer, char **error);

/* Frees what an answer has. */
void gpunetsim_answer_clear(struct server_answer *answer);

/* Makes `*error` that sentence, with arguments as printf has them, unless it is NULL; false. */
__attribute__((format(printf, 2, 3))) bool gpunetsim_fail(char **error, const char *format, ...);

/* Memory that is there: the process ends if there is none. `at` as realloc takes it. */
void *gpunetsim_memory(void *at, size_t bytes);
