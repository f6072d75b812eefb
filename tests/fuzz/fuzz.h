/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the fuzz targets share. Each fuzz_NAME.c defines LLVMFuzzerTestOneInput(); its seeds are the
 * files of seeds/NAME. */
#ifndef NUMASWEEP_TESTS_FUZZ_H
#define NUMASWEEP_TESTS_FUZZ_H

#include "numasweep/failure.h"
#include "numasweep/id_list.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A property that must hold for every input; unlike assert() it stays in release builds. */
#define FUZZ_REQUIRE(condition)                                                                         \
    do {                                                                                                \
        if (!(condition)) {                                                                             \
            fuzz_complain(__FILE__, __LINE__, #condition);                                              \
            abort();                                                                                    \
        }                                                                                               \
    } while (0)

void fuzz_complain(const char *file, int line, const char *condition);

/* The input as a text of exactly its size, so that a read behind its end is seen. The caller frees. */
char *fuzz_text_create(const uint8_t *data, size_t size);

/* A file in memory; `name` can be opened as often as wanted. The caller closes the descriptor. */
enum { FUZZ_NAME_SIZE = 40 };
int fuzz_file_create(const uint8_t *data, size_t size, char name[FUZZ_NAME_SIZE]);

/* What a refusal must look like: an errno below zero, and one readable line. */
void fuzz_require_refusal(int error, const struct failure *failure);

void fuzz_require_ascending(const struct id_list *list);

#endif
