/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fuzz.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void fuzz_complain(const char *file, int line, const char *condition)
{
    (void)fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
}

char *fuzz_text_create(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    FUZZ_REQUIRE(text != NULL);
    if (size > 0) {
        memcpy(text, data, size);
    }
    text[size] = '\0';
    return text;
}

int fuzz_file_create(const uint8_t *data, size_t size, char name[FUZZ_NAME_SIZE])
{
    const int fd = memfd_create("fuzz", MFD_CLOEXEC);
    FUZZ_REQUIRE(fd >= 0);
    for (size_t written = 0; written < size;) {
        const ssize_t part = write(fd, data + written, size - written);
        FUZZ_REQUIRE(part > 0);
        written += (size_t)part;
    }
    (void)snprintf(name, FUZZ_NAME_SIZE, "/proc/self/fd/%d", fd);
    return fd;
}

void fuzz_require_refusal(int error, const struct failure *failure)
{
    FUZZ_REQUIRE(error < 0);
    if (error == -ENOMEM) {
        return;
    }
    FUZZ_REQUIRE(failure->text[0] != '\0');
    FUZZ_REQUIRE(failure->stage[0] != '\0');
    FUZZ_REQUIRE(memchr(failure->text, '\0', sizeof failure->text) != NULL);
    FUZZ_REQUIRE(failure->errno_value >= 0);
}

void fuzz_require_ascending(const struct id_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        FUZZ_REQUIRE(list->ids[i] >= 0 && list->ids[i] <= ID_LIST_MAX_ID);
        FUZZ_REQUIRE(i == 0 || list->ids[i - 1] < list->ids[i]);
    }
}
