/* SPDX-License-Identifier: BSD-3-Clause */
/* Routes as SimGrid's own zones find them: what ours (fabric/routes.h) are held against. To be used
 * in a child process that has no platform of ours. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct layout;

#ifdef __cplusplus
extern "C" {
#endif

/* Builds the zones of a layout whose nodes have one gateway each; once a process. */
void zones_build(const struct layout *layout);

/* The links from port to port in order, numbered as in the layout. Returns how many there are and
 * writes at most `capacity` of them. */
size_t zones_route(int from_port, int to_port, int32_t *links, size_t capacity);

#ifdef __cplusplus
}
#endif
