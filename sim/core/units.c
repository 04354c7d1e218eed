/* SPDX-License-Identifier: BSD-3-Clause */
/* Quantities: decimal text to whole base units and back, in integer arithmetic only.
 *
 * A number is kept as digits and a count of decimals until it has been multiplied by its unit, in 128 bits, so "12.5GB/s" is
 * 12500000000 and never the nearest float; a number that is not whole in base units is refused. The locale has no influence. */
#include "core/units.h"

#include <glib.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "core/simtime.h"

/* Prefixes are of one family: a quantity is printed in decimal or in binary ones, never in bits. */
enum prefix_family { DECIMAL = 1, BINARY = 2, BITS = 4 };

/* One unit = numerator / denominator base units. */
struct unit {
    const char *suffix;
    int64_t numerator;
    int64_t denominator;
    unsigned families;
};

#define UNITS_MOST 24

/* `article_name` and `suffixes` go into sentences, `base` into column names. The first suffix is the base unit, which is a
 * thousand to the power `base_power` of the unit without prefix; then units rise within each family. */
static const struct kind_info {
    const char *name;
    const char *article_name;
    const char *base;
    int base_power;
    const char *suffixes;
} kinds[] = {
    [UNIT_TIME] = {"time", "a time", "ps", -4, "ps, ns, us, ms, s"},
    [UNIT_BYTES] = {"bytes", "a number of bytes", "B", 0, "B, kB, MB, GB, TB, KiB, MiB, GiB, TiB"},
    [UNIT_RATE] = {"rate", "a rate", "Bps", 0,
                   "B/s, kB/s, MB/s, GB/s, TB/s, KiB/s, MiB/s, GiB/s, bit/s, kbit/s, Mbit/s, "
                   "Gbit/s, Tbit/s, b/s, kb/s, Mb/s, Gb/s, Tb/s, bps, kbps, Mbps, Gbps, Tbps"},
    [UNIT_FREQUENCY] = {"frequency", "a frequency", "Hz", 0, "Hz, kHz, MHz, GHz"},
    [UNIT_POWER] = {"power", "a power", "mW", -1, "mW, W, kW"},
    [UNIT_ENERGY] = {"energy", "an energy", "fJ", -5, "fJ, pJ, nJ, uJ, mJ, J"},
    [UNIT_COUNT] = {"count", "a count", "", 0, "none"},
};

/* The units of each kind; a NULL suffix ends the list. */
static struct unit units[G_N_ELEMENTS(kinds)][UNITS_MOST];

static int64_t power_of(int64_t base, int exponent)
{
    return exponent > 0 ? base * power_of(base, exponent - 1) : 1;
}

/* Splits a suffix into prefix and unit: no unit's name begins like a prefix. */
static struct unit unit_of(const char *suffix, int base_power)
{
    static const char prefixes[] = "fpnum kMGT";
    const char *prefix = *suffix ? strchr(prefixes, *suffix == 'K' ? 'k' : *suffix) : NULL;
    int power = prefix ? (int)(prefix - strchr(prefixes, ' ')) : 0;
    bool is_binary = prefix && suffix[1] == 'i', is_bits = strchr(suffix, 'b') != NULL;
    return (struct unit){.suffix = g_intern_string(suffix),
                         .numerator =
                             is_binary ? power_of(1024, power) : power_of(1000, power - base_power),
                         .denominator = is_bits ? 8 : 1,
                         .families = is_bits     ? BITS
                                     : is_binary ? BINARY
                                     : prefix    ? DECIMAL
                                                 : DECIMAL | BINARY};
}

__attribute__((constructor)) static void make_units(void)
{
    for (size_t kind = 0; kind < G_N_ELEMENTS(kinds); kind++) {
        g_auto(GStrv) suffixes = g_strsplit(kinds[kind].suffixes, ", ", -1);
        for (size_t i = 0; suffixes[i] != NULL; i++)
            units[kind][i] = unit_of(kind == UNIT_COUNT ? "" : suffixes[i], kinds[kind].base_power);
    }
}

#define DECIMALS_PRINTED 6
#define SCALE_PRINTED 1000000

/* Digits that a number may have: with the largest unit (10^15) the product stays below 2^127. */
#define DIGITS_MAX 22

/* A decimal number as written: (-1)^negative * digits / 10^decimals. */
struct decimal {
    bool negative;
    sim_uint128 digits;
    int decimals;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Reads "-12.50" into 1250 / 10^2. Returns what follows; NULL if there is no number or it has more
 * than DIGITS_MAX digits. */
static const char *read_decimal(const char *text, struct decimal *number)
{
    *number = (struct decimal){.negative = *text == '-'};
    text += number->negative;
    bool after_point = false;
    int count = 0;
    for (;; text++) {
        if (*text == '.' && !after_point && count > 0 && is_digit(text[1])) {
            after_point = true;
        } else if (is_digit(*text)) {
            number->digits = number->digits * 10 + (unsigned)(*text - '0');
            number->decimals += after_point;
            count++;
        } else {
            break;
        }
    }
    return count > 0 && count <= DIGITS_MAX ? text : NULL;
}

static const struct unit *find_unit(enum unit_kind kind, const char *suffix)
{
    for (const struct unit *unit = units[kind]; unit->suffix; unit++) {
        if (strcmp(unit->suffix, suffix) == 0)
            return unit;
    }
    return NULL;
}

/* number * unit as a whole number of base units. False and a reason if it is not one. */
static bool scale(const struct decimal *number, const struct unit *unit, int64_t *value,
                  const char **reason)
{
    sim_uint128 product = number->digits * (uint64_t)unit->numerator;
    sim_uint128 divisor = (uint64_t)unit->denominator;
    for (int i = 0; i < number->decimals; i++)
        divisor *= 10;
    if (product % divisor != 0) {
        *reason = "is not a whole number of";
        return false;
    }
    sim_uint128 magnitude = product / divisor;
    if (magnitude > (uint64_t)INT64_MAX + number->negative) {
        *reason = "does not fit 63 bits of";
        return false;
    }
    *value = number->negative ? (int64_t)(0 - (uint64_t)magnitude) : (int64_t)magnitude;
    return true;
}

/* The sentence for text whose number could be read but whose suffix is not of the kind. */
static void explain_suffix(const char *text, const char *suffix, enum unit_kind kind,
                           GError **error)
{
    const struct kind_info *info = &kinds[kind];
    if (kind == UNIT_COUNT)
        error_set(error, "\"%s\" has \"%s\" after the number; a count is a plain number", text,
                  suffix);
    else if (*suffix == '\0')
        error_set(error, "\"%s\" has no unit; %s needs one of %s", text, info->article_name,
                  info->suffixes);
    else
        error_set(error, "\"%s\" has \"%s\" where %s needs one of %s", text, suffix,
                  info->article_name, info->suffixes);
}

bool unit_parse(const char *text, enum unit_kind kind, int64_t *value, GError **error)
{
    const struct kind_info *info = &kinds[kind];
    struct decimal number;
    const char *suffix = read_decimal(text, &number);
    if (!suffix)
        return error_set(error, "\"%s\" is not %s; write a number%s%s", text, info->article_name,
                         kind == UNIT_COUNT ? "" : " with one of ",
                         kind == UNIT_COUNT ? "" : info->suffixes);
    if (*suffix == '\0' && number.digits == 0) {
        *value = 0;
        return true;
    }
    if (*suffix == ' ')
        suffix++;
    const struct unit *unit = find_unit(kind, suffix);
    if (!unit) {
        explain_suffix(text, suffix, kind, error);
        return false;
    }
    const char *reason;
    if (!scale(&number, unit, value, &reason)) {
        return error_set(error, "\"%s\" %s %s", text, reason,
                         kind == UNIT_COUNT ? "units" : info->base);
    }
    return true;
}

/* Writes magnitude in the largest unit of `family` in which it is >= 1 and exact. */
static void format_in(uint64_t magnitude, bool negative, enum unit_kind kind, unsigned family,
                      char *text)
{
    const struct unit *best = units[kind];
    for (const struct unit *unit = best; unit->suffix; unit++) {
        if ((unit->families & family) && magnitude >= (uint64_t)unit->numerator &&
            (sim_uint128)magnitude * SCALE_PRINTED % (uint64_t)unit->numerator == 0)
            best = unit;
    }
    uint64_t one = (uint64_t)best->numerator;
    uint64_t fraction = (uint64_t)((sim_uint128)(magnitude % one) * SCALE_PRINTED / one);
    int decimals = fraction == 0 ? 0 : DECIMALS_PRINTED;
    while (decimals > 0 && fraction % 10 == 0) {
        fraction /= 10;
        decimals--;
    }
    const char *sign = negative ? "-" : "";
    if (decimals == 0)
        g_snprintf(text, UNIT_TEXT_SIZE, "%s%" PRIu64 "%s", sign, magnitude / one, best->suffix);
    else
        g_snprintf(text, UNIT_TEXT_SIZE, "%s%" PRIu64 ".%0*" PRIu64 "%s", sign, magnitude / one,
                   decimals, fraction, best->suffix);
}

char *unit_format(int64_t value, enum unit_kind kind, char *text)
{
    bool negative = value < 0;
    uint64_t magnitude = negative ? 0 - (uint64_t)value : (uint64_t)value;
    format_in(magnitude, negative, kind, DECIMAL, text);
    if (kind == UNIT_BYTES || kind == UNIT_RATE) {
        char binary[UNIT_TEXT_SIZE];
        format_in(magnitude, negative, kind, BINARY, binary);
        if (strlen(binary) <= strlen(text))
            g_strlcpy(text, binary, UNIT_TEXT_SIZE);
    }
    return text;
}

char *unit_format_number(double number, char *text)
{
    static const char *const formats[] = {"%.15g", "%.16g", "%.17g"};
    for (size_t i = 0; i < G_N_ELEMENTS(formats); i++) {
        g_ascii_formatd(text, UNIT_TEXT_SIZE, formats[i], number);
        if (g_ascii_strtod(text, NULL) == number)
            break;
    }
    return text;
}

const char *unit_kind_name(enum unit_kind kind)
{
    return kinds[kind].name;
}

const char *unit_suffixes(enum unit_kind kind)
{
    return kinds[kind].suffixes;
}

const char *unit_base_suffix(enum unit_kind kind)
{
    return kinds[kind].base;
}

const char *unit_named(const char *name, enum unit_kind kind)
{
    for (const struct unit *unit = units[kind]; unit->suffix; unit++) {
        g_autofree char *plain = g_strdelimit(g_strdup(unit->suffix), "/", 'p');
        if (strcmp(plain, name) == 0)
            return unit->suffix;
    }
    return NULL;
}

double unit_scale(const char *suffix, enum unit_kind kind)
{
    const struct unit *unit = find_unit(kind, suffix);
    return unit ? (double)unit->numerator / (double)unit->denominator : NAN;
}

bool unit_is_number(const char *text)
{
    const char *digits = text && *text == '-' ? text + 1 : text;
    char *end;
    if (!text || !g_ascii_isdigit(*digits) || (*digits == '0' && g_ascii_isalnum(digits[1])))
        return false;
    return isfinite(g_ascii_strtod(text, &end)) && *end == '\0';
}
