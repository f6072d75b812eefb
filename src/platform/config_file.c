/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/config_file.h"

#include <dirent.h>
#include <errno.h>
#include <ini.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, MOST_PROFILES = 256, LARGEST_FILE = 1 << 20 };

struct loading {
    const char *name;
    struct options *options;
    struct failure *failure;
    int error;
    size_t line;
    const char *rest; /* of the file's text, for the reader */
    char **keys;
    size_t key_count;
};

static int fail_line(struct loading *loading, const char *text)
{
    return failure_set(loading->failure, "config", 0, "%s:%zu: %s", loading->name, loading->line, text);
}

static bool is_repeatable(const char *key)
{
    const struct option_row *row = options_find(key);
    return row != NULL && row->clear != NULL;
}

/* A key given twice in one file is a mistake that would go unseen. */
static int note_key(struct loading *loading, const char *key)
{
    for (size_t i = 0; i < loading->key_count; i++) {
        if (strcmp(loading->keys[i], key) == 0 && !is_repeatable(key)) {
            return failure_set(loading->failure, "config", 0,
                               "%s:%zu: the key \"%.60s\" stands twice in this file", loading->name,
                               loading->line, key);
        }
    }
    char **keys = reallocarray(loading->keys, loading->key_count + 1, sizeof *keys);
    if (keys == NULL) {
        return -ENOMEM;
    }
    loading->keys = keys;
    keys[loading->key_count] = strdup(key);
    if (keys[loading->key_count] == NULL) {
        return -ENOMEM;
    }
    loading->key_count++;
    return 0;
}

static int take_key(struct loading *loading, const char *section, const char *key, const char *value)
{
    char origin[PATH_BYTES + 32];
    if (section[0] != '\0' && strcmp(section, "numasweep") != 0) {
        return failure_set(
            loading->failure, "config", 0,
            "%s:%zu: unknown section [%.60s]: keys stand without a section, or in [numasweep]",
            loading->name, loading->line, section);
    }
    const int error = note_key(loading, key);
    if (error != 0) {
        return error;
    }
    (void)snprintf(origin, sizeof origin, "%.4000s:%zu", loading->name, loading->line);
    return options_set_from_file(loading->options, key, value, origin, loading->failure);
}

/* inih's convention: 1 goes on, 0 is an error. */
static int handle_key(void *user, const char *section, const char *key, const char *value)
{
    struct loading *loading = user;
    if (loading->error == 0) {
        loading->error = take_key(loading, section, key, value != NULL ? value : "");
    }
    return loading->error == 0;
}

/* Gives inih one line at a time, so that the line is known to the handler, which inih does not tell. A
 * line that inih's buffer would cut silently is refused, and so is an indented one, which it would take
 * as the continuation of the value before it. */
static char *read_line(char *line, int size, void *stream)
{
    struct loading *loading = stream;
    if (*loading->rest == '\0' || loading->error != 0) {
        return NULL;
    }
    const size_t length = strcspn(loading->rest, "\n");
    const bool has_newline = loading->rest[length] == '\n';
    loading->line++;
    if (length + 2 > (size_t)size) {
        loading->error = failure_set(loading->failure, "config", 0,
                                     "%s:%zu: the line has %zu bytes; at most %d are read",
                                     loading->name, loading->line, length, size - 2);
        return NULL;
    }
    const size_t blanks = strspn(loading->rest, " \t");
    memcpy(line, loading->rest + blanks, length - blanks);
    line[length - blanks] = '\n';
    line[length - blanks + 1] = '\0';
    loading->rest += length + has_newline;
    return line;
}

static bool has_inline_comment(const char *line, size_t length)
{
    for (size_t i = 1; i < length; i++) {
        if ((line[i] == ';' || line[i] == '#') && (line[i - 1] == ' ' || line[i - 1] == '\t')) {
            return true;
        }
    }
    return false;
}

/* inih ends values at " ;", but not at " #": the one would cut a text, the other would become part of a
 * file's name. */
static int check_inline_comments(struct loading *loading)
{
    size_t number = 0;
    for (const char *line = loading->rest; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        const size_t blanks = strspn(line, " \t");
        number++;
        if (blanks < length && line[blanks] != ';' && line[blanks] != '#' &&
            has_inline_comment(line + blanks, length - blanks)) {
            loading->line = number;
            return fail_line(loading, "a comment behind a value: comments stand on lines of their own");
        }
        line += length + (line[length] == '\n');
    }
    return 0;
}

static int parse_text(struct loading *loading, const char *text)
{
    loading->rest = text;
    int error = check_inline_comments(loading);
    if (error != 0) {
        return error;
    }
    loading->line = 0;
    loading->rest = text;
    const int bad_line = ini_parse_stream(read_line, loading, handle_key, loading);
    if (loading->error != 0) {
        return loading->error;
    }
    if (bad_line != 0) {
        loading->line = bad_line > 0 ? (size_t)bad_line : loading->line;
        return fail_line(loading, "this is neither \"key = value\" nor a comment");
    }
    return 0;
}

static int read_text(FILE *stream, const char *name, char **text, struct failure *failure)
{
    *text = calloc(1, LARGEST_FILE + 1);
    if (*text == NULL) {
        return -ENOMEM;
    }
    errno = 0;
    const size_t size = fread(*text, 1, LARGEST_FILE, stream);
    if (ferror(stream) != 0) {
        return failure_set(failure, "config", errno, "%s could not be read: %s", name, strerror(errno));
    }
    if (size == LARGEST_FILE || strlen(*text) != size) {
        return failure_set(failure, "config", 0, "%s is no configuration file (%s)", name,
                           size == LARGEST_FILE ? "over a megabyte" : "it holds a zero byte");
    }
    return 0;
}

static int read_file(const char *name, char **text, struct failure *failure)
{
    struct stat status;
    FILE *const stream = fopen(name, "re");
    if (stream == NULL) {
        return failure_set(failure, "config", errno, "%s could not be opened: %s", name,
                           strerror(errno));
    }
    int error = 0;
    if (fstat(fileno(stream), &status) == 0 && S_ISDIR(status.st_mode)) {
        error = failure_set(failure, "config", EISDIR, "%s is a directory, not a configuration file",
                            name);
    } else {
        error = read_text(stream, name, text, failure);
    }
    (void)fclose(stream);
    return error;
}

static int load_file(const char *name, const char *shown_name, struct options *options,
                     struct failure *failure)
{
    struct loading loading = {.name = shown_name, .options = options, .failure = failure};
    char *text = NULL;
    int error = read_file(name, &text, failure);
    if (error == 0 && text != NULL) {
        error = parse_text(&loading, text);
    } else if (error != -ENOMEM) {
        error = -EINVAL;
    }
    for (size_t i = 0; i < loading.key_count; i++) {
        free(loading.keys[i]);
    }
    free(loading.keys);
    free(text);
    return error;
}

static bool is_build_tree(void)
{
    char program[PATH_BYTES];
    const ssize_t size = readlink("/proc/self/exe", program, sizeof program - 1);
    if (size <= 0) {
        return false;
    }
    program[size] = '\0';
    const size_t length = strlen(NUMASWEEP_BUILD_DIR);
    return strncmp(program, NUMASWEEP_BUILD_DIR, length) == 0 && program[length] == '/';
}

/* The folder beside the program's own, so that an installation may be moved: PREFIX/bin -> PREFIX/share.
 */
static bool find_beside_program(char *folder, size_t size)
{
    char program[PATH_BYTES];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0) {
        return false;
    }
    program[length] = '\0';
    for (int level = 0; level < 2; level++) {
        char *slash = strrchr(program, '/');
        if (slash == NULL) {
            return false;
        }
        *slash = '\0';
    }
    return snprintf(folder, size, "%s/share/numasweep/configs", program) < (int)size;
}

enum { MOST_FOLDERS = 4 };

static size_t list_folders(char folders[MOST_FOLDERS][PATH_BYTES])
{
    size_t count = 0;
    const char *chosen = getenv("NUMASWEEP_CONFIG_DIR");
    if (chosen != NULL && chosen[0] != '\0') {
        (void)snprintf(folders[count++], PATH_BYTES, "%s", chosen);
    }
    if (is_build_tree()) {
        (void)snprintf(folders[count++], PATH_BYTES, "%s", NUMASWEEP_SOURCE_PROFILE_DIR);
    } else if (find_beside_program(folders[count], PATH_BYTES)) {
        count++;
    }
    (void)snprintf(folders[count++], PATH_BYTES, "%s", NUMASWEEP_PROFILE_DIR);
    return count;
}

static int compare_names(const void *first, const void *second)
{
    return strcmp(*(char *const *)first, *(char *const *)second);
}

static size_t list_profiles(const char *folder, char **names, size_t count)
{
    DIR *directory = opendir(folder);
    const struct dirent *entry = NULL;
    while (directory != NULL && count < MOST_PROFILES && (entry = readdir(directory)) != NULL) {
        const char *suffix = strrchr(entry->d_name, '.');
        if (suffix == NULL || strcmp(suffix, ".conf") != 0 || suffix == entry->d_name) {
            continue;
        }
        names[count] = strndup(entry->d_name, (size_t)(suffix - entry->d_name));
        count += names[count] != NULL;
    }
    if (directory != NULL) {
        (void)closedir(directory);
    }
    return count;
}

static int refuse_profile(const char *name, char folders[MOST_FOLDERS][PATH_BYTES], size_t folder_count,
                          struct failure *failure)
{
    char *names[MOST_PROFILES] = {NULL};
    char list[FAILURE_TEXT_SIZE / 2] = "";
    size_t count = 0;
    for (size_t i = 0; i < folder_count; i++) {
        count = list_profiles(folders[i], names, count);
    }
    qsort(names, count, sizeof names[0], compare_names);
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(list);
        if (i == 0 || strcmp(names[i], names[i - 1]) != 0) {
            (void)snprintf(list + length, sizeof list - length, "%s%s", length > 0 ? ", " : "",
                           names[i]);
        }
    }
    const char *nearest = options_nearest(name, (const char *const *)names, count);
    const int result = failure_set(
        failure, "profile", 0, "--profile: there is no profile \"%.60s\"%s%s%s; there are: %s", name,
        nearest != NULL ? ", did you mean \"" : "", nearest != NULL ? nearest : "",
        nearest != NULL ? "\"?" : "", count > 0 ? list : "none");
    for (size_t i = 0; i < count; i++) {
        free(names[i]);
    }
    return result;
}

/* A profile is a file of one of the folders, never a way to another place. */
static bool is_profile_name(const char *name)
{
    return name[0] != '\0' && name[0] != '.' && strchr(name, '/') == NULL && strlen(name) <= NAME_MAX;
}

/* -ENOENT: this folder does not have it. */
static int load_from_folder(const char *folder, const char *name, struct options *options,
                            struct failure *failure)
{
    char *path = NULL;
    char *shown_name = NULL;
    int error = -ENOMEM;
    if (asprintf(&path, "%s/%s.conf", folder, name) < 0) {
        return -ENOMEM;
    }
    if (asprintf(&shown_name, "%s.conf", name) >= 0) {
        error = access(path, F_OK) == 0 ? load_file(path, shown_name, options, failure) : -ENOENT;
        free(shown_name);
    }
    free(path);
    return error;
}

static int load_profile(const char *name, struct options *options, struct failure *failure)
{
    char folders[MOST_FOLDERS][PATH_BYTES];
    const size_t folder_count = list_folders(folders);
    for (size_t i = 0; i < folder_count && is_profile_name(name); i++) {
        const int error = load_from_folder(folders[i], name, options, failure);
        if (error != -ENOENT) {
            return error;
        }
    }
    return refuse_profile(name, folders, folder_count, failure);
}

int config_file_load(const char *kind, const char *name, struct options *options, void *context,
                     struct failure *failure)
{
    (void)context;
    return strcmp(kind, "profile") == 0 ? load_profile(name, options, failure)
                                        : load_file(name, name, options, failure);
}
