/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numasweep/result_file.h"

#include "numasweep/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PEEK_BYTES = 64 };

static int refuse_existing(int fd, const char *name, struct failure *failure)
{
    static const char beginning[] = "{\"record\":\"header\"";
    char start[PEEK_BYTES] = "";
    const ssize_t size = pread(fd, start, sizeof start - 1, 0);
    const bool is_ours = size >= (ssize_t)(sizeof beginning - 1) &&
                         memcmp(start, beginning, sizeof beginning - 1) == 0;
    if (is_ours) {
        return failure_set(
            failure, "save", EEXIST,
            "--save: %s holds the results of an earlier sweep and is left as it is: name a new file "
            "('numasweep report %s' prints it, and several files together)",
            name, name);
    }
    return failure_set(
        failure, "save", EEXIST,
        "--save: %s exists, is not a result file of numasweep, and is left as it is: name a new file",
        name);
}

/* 0, or why it cannot be locked. Some file systems have no locks: that is no reason not to save. */
static int lock_file(int fd)
{
    int result = -1;
    do {
        result = flock(fd, LOCK_EX | LOCK_NB);
    } while (result != 0 && errno == EINTR);
    return result != 0 && errno == EWOULDBLOCK ? EWOULDBLOCK : 0;
}

static int check_opened(int fd, const char *name, struct failure *failure)
{
    struct stat status;
    if (fstat(fd, &status) != 0) {
        return failure_set(failure, "save", errno, "--save: %s: %s", name, strerror(errno));
    }
    if (S_ISREG(status.st_mode) && lock_file(fd) != 0) {
        return failure_set(failure, "save", EEXIST, "--save: %s is being written by another process",
                           name);
    }
    /* Again under the lock: the other may have written meanwhile. */
    if (fstat(fd, &status) == 0 && status.st_size > 0) {
        return refuse_existing(fd, name, failure);
    }
    if (!S_ISREG(status.st_mode) && !S_ISCHR(status.st_mode)) {
        return failure_set(failure, "save", EEXIST,
                           "--save: %s is neither a regular file nor a device: name a file", name);
    }
    return 0;
}

/* Another name would do: the command line is to be mended. */
static bool is_of_the_name(int error)
{
    static const int others[] = {EMFILE, ENFILE, ENOMEM, EIO, ENOSPC, EDQUOT, EINTR};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (error == others[i]) {
            return false;
        }
    }
    return true;
}

int result_file_create(const char *name, struct result_file *file, struct failure *failure)
{
    struct stat status;
    *file = (struct result_file){.fd = -1};
    /* A FIFO would block, a directory cannot be opened. */
    if (stat(name, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISCHR(status.st_mode)) {
        return failure_set(failure, "save", EEXIST, "--save: %s is %s: name a file", name,
                           S_ISDIR(status.st_mode) ? "a directory" : "not a regular file");
    }
    const int fd = open(name, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0666);
    if (fd < 0) {
        const int error = errno;
        (void)failure_set(failure, "save", error, "--save: %s: %s", name, strerror(error));
        return is_of_the_name(error) ? -EINVAL : -error;
    }
    const int error = check_opened(fd, name, failure);
    if (error != 0) {
        (void)close(fd);
        return error;
    }
    file->name = strdup(name);
    if (file->name == NULL) {
        (void)close(fd);
        return failure_set(failure, "save", ENOMEM, "out of memory");
    }
    file->fd = fd;
    return 0;
}

static int refuse_write(const struct result_file *file, int error, struct failure *failure)
{
    return failure_set(failure, "save", error, "--save: %s: %s; %s", file->name, strerror(error),
                       file->whole_bytes > 0 ? "what was written before can be read"
                                             : "nothing was saved");
}

int result_file_append(struct result_file *file, const char *line, struct failure *failure)
{
    const size_t length = strlen(line);
    char *whole = malloc(length + 1);
    int result = 0;
    if (whole == NULL) {
        return failure_set(failure, "save", ENOMEM, "out of memory");
    }
    memcpy(whole, line, length + 1);
    whole[length] = '\n';
    for (size_t written = 0; written < length + 1 && result == 0;) {
        const ssize_t part = write(file->fd, whole + written, length + 1 - written);
        if (part > 0) {
            written += (size_t)part;
        } else if (part < 0 && errno != EINTR) {
            result = refuse_write(file, errno, failure);
            /* A device has no length. */
            (void)ftruncate(file->fd, (off_t)file->whole_bytes);
        }
    }
    if (result == 0) {
        file->whole_bytes += (int64_t)length + 1;
    }
    free(whole);
    return result;
}

int result_file_close(struct result_file *file, struct failure *failure)
{
    int error = 0;
    if (file->fd < 0) {
        return 0;
    }
    if (fsync(file->fd) != 0 && errno != EINVAL && errno != EROFS && errno != ENOTSUP) {
        error = errno;
    }
    if (close(file->fd) != 0 && error == 0) {
        error = errno;
    }
    file->fd = -1;
    const int result = error != 0 ? refuse_write(file, error, failure) : 0;
    free(file->name);
    file->name = NULL;
    return result;
}

struct reading {
    const char *name;
    FILE *stream;
    char *line;
    size_t capacity;
    size_t number;
    int error; /* of reading, or 0 */
    struct sweep *sweep;
};

/* 1: a line, without its newline; 0: the end. `has_newline` tells a line that was cut. */
static int next_line(struct reading *reading, size_t *size, bool *has_newline)
{
    errno = 0;
    const ssize_t length = getline(&reading->line, &reading->capacity, reading->stream);
    if (ferror(reading->stream) != 0) {
        reading->error = errno != 0 ? errno : EIO;
        return 0;
    }
    if (length < 0) {
        return 0;
    }
    reading->number++;
    *size = (size_t)length;
    *has_newline = reading->line[length - 1] == '\n';
    if (*has_newline) {
        (*size)--;
        if (*size > 0 && reading->line[*size - 1] == '\r') {
            (*size)--;
        }
    }
    return 1;
}

static int refuse_line(const struct reading *reading, int error, const struct failure *why,
                       struct failure *failure)
{
    return failure_set(failure, "result file", error == -ENOMEM ? ENOMEM : 0, "%s, line %zu: %s",
                       reading->name, reading->number, error == -ENOMEM ? "out of memory" : why->text);
}

static int refuse_reading(const struct reading *reading, struct failure *failure)
{
    (void)failure_set(failure, "result file", reading->error, "%s could not be read to its end: %s",
                      reading->name, strerror(reading->error));
    return -EIO;
}

static int note_cut(struct reading *reading)
{
    reading->sweep->is_cut = true;
    return sweep_add_warning(reading->sweep, "%s: its last line (%zu) is cut off and was left out",
                             reading->name, reading->number);
}

static int read_records(struct reading *reading, struct failure *failure)
{
    size_t size = 0;
    bool has_newline = false;
    struct failure why = {0};

    if (next_line(reading, &size, &has_newline) == 0 && reading->error == 0) {
        return failure_set(failure, "result file", 0, "%s is empty: no result file of numasweep",
                           reading->name);
    }
    if (reading->error != 0) {
        return refuse_reading(reading, failure);
    }
    int error = record_decode_header(reading->line, size, reading->sweep, &why);
    if (error != 0) {
        return refuse_line(reading, error, &why, failure);
    }
    while (next_line(reading, &size, &has_newline) == 1) {
        if (size == 0) {
            continue;
        }
        why = (struct failure){0};
        error = record_decode_line(reading->line, size, reading->sweep, &why);
        if (error != 0 && error != -ENOMEM && !has_newline) {
            return note_cut(reading);
        }
        if (error != 0) {
            return refuse_line(reading, error, &why, failure);
        }
    }
    return reading->error != 0 ? refuse_reading(reading, failure) : 0;
}

static int compare_visits(const void *first, const void *second)
{
    const struct visit *a = *(const struct visit *const *)first;
    const struct visit *b = *(const struct visit *const *)second;
    if (a->round != b->round) {
        return (a->round > b->round) - (a->round < b->round);
    }
    return (a->cell > b->cell) - (a->cell < b->cell);
}

/* A visit that stands twice would count twice: a file that was put together by hand. */
static int refuse_duplicates(const struct reading *reading, struct failure *failure)
{
    const struct sweep *sweep = reading->sweep;
    const struct visit **visits = calloc(sweep->visit_count + 1, sizeof *visits);
    int error = 0;
    if (visits == NULL) {
        return failure_set(failure, "result file", ENOMEM, "out of memory");
    }
    for (size_t i = 0; i < sweep->visit_count; i++) {
        visits[i] = &sweep->visits[i];
    }
    qsort(visits, sweep->visit_count, sizeof *visits, compare_visits);
    for (size_t i = 1; i < sweep->visit_count && error == 0; i++) {
        if (compare_visits(&visits[i - 1], &visits[i]) == 0) {
            error = failure_set(failure, "result file", 0, "%s holds a visit of round %lld twice",
                                reading->name, (long long)visits[i]->round + 1);
        }
    }
    free(visits);
    return error;
}

static FILE *open_file(const char *name, struct failure *failure)
{
    struct stat status;
    if (strcmp(name, "-") == 0) {
        return stdin;
    }
    FILE *stream = fopen(name, "re");
    if (stream == NULL) {
        (void)failure_set(failure, "result file", errno, "%s: %s", name, strerror(errno));
        return NULL;
    }
    if (fstat(fileno(stream), &status) == 0 && S_ISDIR(status.st_mode)) {
        (void)failure_set(failure, "result file", EISDIR, "%s is a directory, not a result file", name);
        (void)fclose(stream);
        return NULL;
    }
    return stream;
}

int result_file_read(const char *name, struct sweep *sweep, struct failure *failure)
{
    struct reading reading = {
        .name = strcmp(name, "-") == 0 ? "standard input" : name,
        .sweep = sweep,
        .stream = open_file(name, failure),
    };
    if (reading.stream == NULL) {
        return -EINVAL;
    }
    int error = read_records(&reading, failure);
    if (error == 0) {
        error = refuse_duplicates(&reading, failure);
    }
    if (error == 0 && !sweep->has_ended && sweep->stop_signal == 0) {
        error = sweep_add_warning(sweep, "%s has no end record: the sweep was killed, or still runs",
                                  reading.name);
    }
    if (reading.stream != stdin) {
        (void)fclose(reading.stream);
    }
    free(reading.line);
    return error;
}
