/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GPUNETSIM_STUDY_CALIBRATION_MATRIX_H
#define GPUNETSIM_STUDY_CALIBRATION_MATRIX_H

#include <stddef.h>

/* The inverse of a positive definite matrix of n rows, by Gauss and Jordan, its diagonal being the pivots. Frees `matrix`; the caller
 * frees what is returned with g_free. */
double *matrix_invert(double *matrix, size_t n);

#endif
