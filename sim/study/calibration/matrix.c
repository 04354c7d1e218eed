/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/calibration/matrix.h"

#include <glib.h>

double *matrix_invert(double *matrix, size_t n)
{
    double *inverse = g_new0(double, n *n);
    for (size_t i = 0; i < n; i++)
        inverse[i * n + i] = 1;
    for (size_t p = 0; p < n; p++) {
        double pivot = matrix[p * n + p];
        for (size_t j = 0; j < n; j++) {
            matrix[p * n + j] /= pivot;
            inverse[p * n + j] /= pivot;
        }
        for (size_t i = 0; i < n; i++) {
            double factor = i == p ? 0 : matrix[i * n + p];
            for (size_t j = 0; j < n; j++) {
                matrix[i * n + j] -= factor * matrix[p * n + j];
                inverse[i * n + j] -= factor * inverse[p * n + j];
            }
        }
    }
    g_free(matrix);
    return inverse;
}
