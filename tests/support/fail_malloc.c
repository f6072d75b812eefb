/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Preloaded: the allocation number NUMASWEEP_FAIL_MALLOC (from 1) of the process that was started, and
 * of its children from there on, gives NULL; with a "+" behind the number, all later ones too. hwloc's
 * and libnuma's own are let through: these do not look at what they get.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* glibc's own, under names that nothing else defines. */
extern void *__libc_malloc(size_t size);                /* NOLINT(bugprone-reserved-identifier) */
extern void *__libc_calloc(size_t count, size_t size);  /* NOLINT(bugprone-reserved-identifier) */
extern void *__libc_realloc(void *memory, size_t size); /* NOLINT(bugprone-reserved-identifier) */

/* Under other names here, as the C library's headers name the parameters in their own way. */
void *counted_malloc(size_t size) __asm__("malloc");
void *counted_calloc(size_t count, size_t size) __asm__("calloc");
void *counted_realloc(void *memory, size_t size) __asm__("realloc");
char *counted_strdup(const char *text) __asm__("strdup");

/* What replaces malloc() has no other place to count. */
static unsigned long seen;
static bool has_begun;

/* A preloaded library is set up after those that the program needs: what these allocate is theirs. */
static void __attribute__((constructor)) begin(void)
{
    has_begun = true;
}

static bool is_careless(const void *caller)
{
    Dl_info information;
    return dladdr(caller, &information) != 0 && (strstr(information.dli_fname, "libhwloc") != NULL ||
                                                 strstr(information.dli_fname, "libnuma") != NULL);
}

static bool is_refused(const void *caller)
{
    const char *setting = getenv("NUMASWEEP_FAIL_MALLOC");
    char *end = NULL;
    if (setting == NULL || !has_begun || is_careless(caller)) {
        return false;
    }
    const unsigned long wanted = strtoul(setting, &end, 10);
    seen++;
    if (seen == wanted || (seen > wanted && *end == '+')) {
        errno = ENOMEM;
        return true;
    }
    return false;
}

void *counted_malloc(size_t size)
{
    return is_refused(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *counted_calloc(size_t count, size_t size)
{
    return is_refused(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *counted_realloc(void *memory, size_t size)
{
    return is_refused(__builtin_return_address(0)) ? NULL : __libc_realloc(memory, size);
}

char *counted_strdup(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = is_refused(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
    return copy != NULL ? memcpy(copy, text, size) : NULL;
}
