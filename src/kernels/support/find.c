/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/kernel.h"

#include <string.h>

const struct measurement_kernel *measurement_kernel_find(const char *name)
{
    for (size_t i = 0; measurement_kernels[i] != NULL; i++) {
        if (strcmp(measurement_kernels[i]->name, name) == 0) {
            return measurement_kernels[i];
        }
    }
    return NULL;
}
