/* SPDX-License-Identifier: BSD-3-Clause */
/* The server process that simulates for this process: the program as `gpunetsim serve` (sim/script/commands/served.h). The first
 * request starts it; it ends with this process, without being its child. Any thread may send requests, which wait for each other. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The version of the library, "0.1.0 (git 1a2b3c4)". */
extern const char gpunetsim_server_version[];

/* A request: a list of texts; the first one is its name. */
struct server_request {
    char *bytes;   /* the texts, each with its terminating NUL */
    size_t length; /* length of all texts */
};

/* A new request with that name. */
struct server_request gpunetsim_request(const char *name);
/* Adds a text. */
void gpunetsim_request_add(struct server_request *request, const char *text);
/* Adds the texts of a NULL-ended array; NULL: none. */
void gpunetsim_request_add_all(struct server_request *request, const char *const *texts);
/* Adds a number as text. */
void gpunetsim_request_add_number(struct server_request *request, long long number);

/* An answer: texts. */
struct server_answer {
    unsigned long server; /* the server that has answered; 0: there is no answer */
    char *bytes;          /* memory of the texts */
    char **texts;         /* pointer to each text */
    size_t count;         /* how many texts there are */
};

/* Sends the request to server number `server`; 0: to the current server, which is started if necessary. Frees the request. False,
 * with a sentence for gpunetsim_free_text unless `error` is NULL, if the answer is an error, or if that server no longer exists. */
bool gpunetsim_ask(unsigned long server, struct server_request *request,
                   struct server_answer *answer, char **error);

/* Frees the contents of an answer. */
void gpunetsim_answer_clear(struct server_answer *answer);

/* Makes `*error` that sentence, formatted as by printf, unless it is NULL. Returns false. */
__attribute__((format(printf, 2, 3))) bool gpunetsim_fail(char **error, const char *format, ...);

/* As realloc, but ends the process if there is no memory. */
void *gpunetsim_memory(void *at, size_t bytes);
