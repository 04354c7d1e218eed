/* SPDX-License-Identifier: BSD-3-Clause */
/* A figure's axes: where they end, and their ticks, few, round and readable. All panels share them. */
#ifndef GPUNETSIM_STUDY_FIGURE_AXIS_H
#define GPUNETSIM_STUDY_FIGURE_AXIS_H

#include <glib.h>
#include <stdbool.h>

enum axis_scale { AXIS_LINEAR, AXIS_LOG, AXIS_NAMED };

struct figure_axis {
    enum axis_scale scale;
    bool is_bytes;    /* ticks are powers of two, with their unit */
    double low, high; /* its ends */
    double
        unit; /* labels count in so many of the values' unit: 1000 for values in µs shown in ms */
    double last;      /* no tick stands beyond it; infinite: the high end */
    GArray *values;   /* of double; distinct and growing once settled; of an AXIS_NAMED none */
    GPtrArray *names; /* AXIS_NAMED: labels; the first stands at 0, the next one at 1 */
};

struct tick {
    char *label;  /* "": a minor tick */
    double place; /* on the axis */
};

/* An axis without values yet. axis_clear frees what it holds. */
struct figure_axis axis_new(enum axis_scale scale, bool is_bytes);
void axis_clear(struct figure_axis *axis);

/* Takes a value in; what is not finite is passed over. */
void axis_add(struct figure_axis *axis, double value);

/* The number of that label, which is new if no other is the same. Of AXIS_NAMED only. */
double axis_add_name(struct figure_axis *axis, const char *label);

/* Takes a value in that lies below all others by that factor, so that bars from the low end up can be seen. */
void axis_leave_room(struct figure_axis *axis, double factor);

/* Once all values are in, before what follows: a logarithmic axis without values becomes linear. */
void axis_settle(struct figure_axis *axis);

/* False: it is logarithmic, and has a value that is not above 0. */
bool axis_can_be_drawn(const struct figure_axis *axis);

/* Makes a linear axis logarithmic if its values are above zero and the largest is `ratio` times the smallest
 * or more. */
void axis_log_if_wide(struct figure_axis *axis, double ratio);

/* The axis ends at round numbers around its values, and a linear one at zero if they are all on one side
 * (`from_zero`); or just outside of its values, so that no mark is cut. */
void axis_end_round(struct figure_axis *axis, bool from_zero);
void axis_end_near(struct figure_axis *axis);

/* Where on the axis a value stands, from 0 at the low end to 1 at the high one. */
double axis_share(const struct figure_axis *axis, double value);

/* Ticks for an axis of that length in em, as many as have room for their labels: an array of struct tick.
 * Along a vertical axis labels stand above each other. The caller frees it with g_array_unref. */
GArray *axis_ticks(const struct figure_axis *axis, double length_em, bool is_vertical);

/* The width in em of the widest label. */
double ticks_width(const GArray *ticks);

#endif
