/* Errors of studies; the command line turns their codes into exit codes. */
#ifndef GPUNETSIM_STUDY_SYSTEM_ERROR_H
#define GPUNETSIM_STUDY_SYSTEM_ERROR_H

#include <glib.h>

#define STUDY_ERROR study_error_quark()
GQuark study_error_quark(void);
enum study_error {
    STUDY_ERROR_USE,         /* what was asked for cannot be: an output folder that is a file */
    STUDY_ERROR_RUN,         /* it went wrong while it ran: disk full, no gnuplot */
    STUDY_ERROR_INTERRUPTED, /* the user stopped it */
};

#endif
