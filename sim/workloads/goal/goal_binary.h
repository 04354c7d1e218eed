/* SPDX-License-Identifier: BSD-3-Clause */
/* The binary format of LogGOPSim's and ATLAHS's schedules (txt2bin). Numbers are little-endian, without gaps:
 *
 *   u64 4223; u32 ranks; u8 highest CPU stream; u8 highest NIC stream
 *   for each rank u64 where its part begins and u64 where it ends, counted from behind the first number
 *   a rank's part: u32 operations, u32 number of operations that wait for none, and u32 each of these; then the operations; then
 *   u32 waiters
 *   an operation: u32 number of operations that it waits for; u8 1 send, 2 receive, 3 calculation; u32 peer; u64 size; u32 tag;
 *   u8 CPU; u8 NIC; u32 count and u32 first of its waiters for its end, and the same for its start */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

#include "workloads/goal/goal_schedule.h"

#define GOAL_BINARY_FIRST_BYTE 0x7f /* no GOAL text begins with this byte */

/* Reads the file from its beginning. `name` stands for it in errors. NULL and an error of one sentence if the file is no such
 * schedule. The sends and receives are not paired yet. */
struct goal_schedule *goal_binary_read(FILE *file, const char *name, GError **error);

/* Writes the schedule. False, with an error if streams have numbers above 255, or with errno set if `file` cannot be written. */
bool goal_binary_write(FILE *file, const struct goal_schedule *schedule, GError **error);
