/* SPDX-License-Identifier: BSD-3-Clause */
/* Quantities with units: text to integer base units and back.
 *
 * A bare number is refused wherever a unit belongs; only 0 may stand without one. Inside, every
 * quantity is an integer in the base unit of its kind, so nothing is rounded on the way in: text
 * that is not a whole number of base units ("0.3ps") is an error.
 *
 *   kind            base unit        accepted suffixes
 *   UNIT_TIME       picosecond       ps ns us ms s
 *   UNIT_BYTES      byte             B kB MB GB TB KiB MiB GiB TiB
 *   UNIT_RATE       byte per second  B/s kB/s MB/s GB/s TB/s KiB/s MiB/s GiB/s
 *                                     bit/s kbit/s Mbit/s Gbit/s Tbit/s
 *   UNIT_FREQUENCY  hertz            Hz kHz MHz GHz
 *   UNIT_POWER      milliwatt        mW W kW
 *   UNIT_ENERGY     femtojoule       fJ pJ nJ uJ mJ J
 *   UNIT_COUNT      1                none: "64", k/M/G are not accepted
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum unit_kind {
    UNIT_TIME,
    UNIT_BYTES,
    UNIT_RATE,
    UNIT_FREQUENCY,
    UNIT_POWER,
    UNIT_ENERGY,
    UNIT_COUNT,
};

/* Longest text that unit_format writes, with its final NUL. */
#define UNIT_TEXT_SIZE 40

/* Parses "12.5GB/s" or "12.5 GB/s" into base units: at most 22 digits, no exponent. Independent of
 * the locale.
 * Returns true and sets *value; or false and an error
 * that says what is wrong and what is accepted. Negative quantities are parsed ("-5ns" is -5000):
 * bounds are the caller's business. */
bool unit_parse(const char *text, enum unit_kind kind, int64_t *value, GError **error);

/* Writes `value` in the largest unit in which it is exact and >= 1 with at most six decimals
 * ("150ns", "12.5GB/s", "1MiB"); unit_parse reads it back to the same value. Bytes and rates are
 * written with decimal or binary prefixes, whichever is shorter, binary if equal; 0 in the base unit.
 * `text` has UNIT_TEXT_SIZE bytes. Returns `text`. */
char *unit_format(int64_t value, enum unit_kind kind, char *text);

/* A plain number in the shortest text that reads back to the same double, whatever the locale.
 * `text` has UNIT_TEXT_SIZE bytes. Returns `text`. */
char *unit_format_number(double number, char *text);

/* Whether all of a text, which may be NULL, is one finite decimal number. */
bool unit_is_number(const char *text);

/* "time", "bytes", ... and the suffixes accepted ("ps, ns, us, ms, s"), for messages and the manual.
 * Static strings. */
const char *unit_kind_name(enum unit_kind kind);
const char *unit_suffixes(enum unit_kind kind);

/* The base unit as it stands in column names: "ps", "B", "Bps", "Hz", "mW", "fJ", "". */
const char *unit_base_suffix(enum unit_kind kind);

/* The suffix for its name in columns and methods, which has "p" for "/" ("us", "GBps"). NULL if the kind has no suffix of that
 * name. Static string. */
const char *unit_named(const char *name, enum unit_kind kind);

/* How many base units one unit of the suffix is: 1000 for "ns", 0.125 for "bit/s"; NaN if the kind has no such suffix. */
double unit_scale(const char *suffix, enum unit_kind kind);
