/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stands in for libFuzzer's main(): runs a target on the files that are named, and on those of the
 * folders that are. A folder without files is a failure: nothing was tried. */
#include "fuzz.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LARGEST_SEED = 1 << 20 };

static int run_file(const char *name)
{
    uint8_t *data = malloc(LARGEST_SEED);
    FILE *stream = fopen(name, "rbe");
    int error = data == NULL || stream == NULL ? -EIO : 0;
    if (error == 0) {
        const size_t size = fread(data, 1, LARGEST_SEED, stream);
        error = ferror(stream) != 0 || size == LARGEST_SEED ? -EIO : 0;
        /* Before the target runs: it may end the process. */
        (void)printf("%s: %zu bytes\n", name, size);
        (void)fflush(stdout);
        if (error == 0) {
            (void)LLVMFuzzerTestOneInput(data, size);
        }
    }
    if (error != 0) {
        (void)fprintf(stderr, "%s: cannot be read, or is larger than a seed should be\n", name);
    }
    if (stream != NULL) {
        (void)fclose(stream);
    }
    free(data);
    return error;
}

static int compare_names(const void *first, const void *second)
{
    return strcmp(*(char *const *)first, *(char *const *)second);
}

static int add_name(char ***names, size_t *count, const char *folder, const char *file)
{
    char **grown = reallocarray(*names, *count + 1, sizeof *grown);
    if (grown == NULL) {
        return -ENOMEM;
    }
    *names = grown;
    if (asprintf(&grown[*count], "%s/%s", folder, file) < 0) {
        return -ENOMEM;
    }
    (*count)++;
    return 0;
}

/* In the order of their names, so that two runs say the same. */
static int run_folder(const char *folder)
{
    char **names = NULL;
    size_t count = 0;
    int error = 0;
    DIR *directory = opendir(folder);
    const struct dirent *entry = NULL;
    while (error == 0 && directory != NULL && (entry = readdir(directory)) != NULL) {
        if (entry->d_name[0] != '.') {
            error = add_name(&names, &count, folder, entry->d_name);
        }
    }
    if (directory != NULL) {
        (void)closedir(directory);
    }
    if (count == 0) {
        (void)fprintf(stderr, "%s: no seeds\n", folder);
        error = -ENOENT;
    } else {
        qsort(names, count, sizeof *names, compare_names);
    }
    for (size_t i = 0; i < count; i++) {
        if (error == 0) {
            error = run_file(names[i]);
        }
        free(names[i]);
    }
    free(names);
    return error;
}

int main(int argc, char **argv)
{
    struct stat status;
    int error = argc > 1 ? 0 : -EINVAL;
    for (int i = 1; i < argc && error == 0; i++) {
        const bool is_folder = stat(argv[i], &status) == 0 && S_ISDIR(status.st_mode);
        error = is_folder ? run_folder(argv[i]) : run_file(argv[i]);
    }
    return error == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
