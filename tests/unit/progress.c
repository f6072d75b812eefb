/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "numasweep/progress.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { CAPTURE_SIZE = 4096 };

static const int64_t second_ns = 1000000000;

/* Standard error replaced by something that can be read back. */
struct capture {
    int kept_fd;
    int read_fd;
    char text[CAPTURE_SIZE];
};

static void start_capture(struct capture *capture, int write_fd, int read_fd)
{
    capture->kept_fd = dup(STDERR_FILENO);
    assert_true(capture->kept_fd >= 0);
    assert_int_equal(dup2(write_fd, STDERR_FILENO), STDERR_FILENO);
    (void)close(write_fd);
    capture->read_fd = read_fd;
    assert_int_equal(fcntl(read_fd, F_SETFL, O_NONBLOCK), 0);
}

static void start_pipe(struct capture *capture)
{
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    start_capture(capture, fds[1], fds[0]);
}

static bool start_terminal(struct capture *capture, unsigned short columns)
{
    const struct winsize size = {.ws_col = columns, .ws_row = 24};
    const int master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) {
        print_message("no pseudo-terminal here: not tried\n");
        return false;
    }
    const int terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
    assert_true(terminal >= 0);
    assert_int_equal(ioctl(terminal, TIOCSWINSZ, &size), 0);
    start_capture(capture, terminal, master);
    return true;
}

static void read_capture(struct capture *capture)
{
    size_t size = 0;
    ssize_t got = 0;
    do {
        got = read(capture->read_fd, capture->text + size, sizeof capture->text - 1 - size);
        size += got > 0 ? (size_t)got : 0;
    } while (got > 0);
    capture->text[size] = '\0';
}

static void stop_capture(struct capture *capture)
{
    read_capture(capture);
    (void)dup2(capture->kept_fd, STDERR_FILENO);
    (void)close(capture->kept_fd);
    (void)close(capture->read_fd);
}

static size_t count_of(const char *text, char wanted)
{
    size_t count = 0;
    for (; *text != '\0'; text++) {
        count += *text == wanted ? 1U : 0U;
    }
    return count;
}

static int busy_ids[] = {3, 17};
static const struct id_list busy = {.ids = busy_ids, .count = 2, .capacity = 2};

static struct coordinator_progress state_at(int64_t elapsed_ns)
{
    return (struct coordinator_progress){.visits_done = 25,
                                         .visits_total = 200,
                                         .elapsed_ns = elapsed_ns,
                                         .remaining_ns = 70 * second_ns,
                                         .busy = &busy};
}

static void test_pipe_gets_a_line_every_ten_seconds_when_asked(void **state)
{
    (void)state;
    struct capture capture = {0};
    struct progress progress = {0};
    start_pipe(&capture);
    progress_init(&progress, WHEN_ALWAYS);
    for (int64_t tenth = 0; tenth <= 205; tenth++) {
        const struct coordinator_progress now = state_at(tenth * second_ns / 10);
        progress_show(&progress, &now);
    }
    progress_end(&progress);
    stop_capture(&capture);
    assert_int_equal(count_of(capture.text, '\n'), 3);
    assert_int_equal(count_of(capture.text, '\r'), 0);
    assert_non_null(strstr(capture.text, "12 %, 25 of 200 visits"));
    assert_non_null(strstr(capture.text, "left"));
    assert_non_null(strstr(capture.text, "elapsed, CPUs 3,17\n"));
}

static void test_pipe_gets_nothing_unasked(void **state)
{
    (void)state;
    static const enum when_choice choices[] = {WHEN_AUTO, WHEN_NEVER};
    for (size_t i = 0; i < 2; i++) {
        struct capture capture = {0};
        struct progress progress = {0};
        const struct coordinator_progress now = state_at(30 * second_ns);
        start_pipe(&capture);
        progress_init(&progress, choices[i]);
        progress_show(&progress, &now);
        progress_end(&progress);
        stop_capture(&capture);
        assert_string_equal(capture.text, "");
    }
}

static void test_terminal_line_is_rewritten_ten_times_a_second(void **state)
{
    (void)state;
    struct capture capture = {0};
    struct progress progress = {0};
    if (!start_terminal(&capture, 100)) {
        return;
    }
    progress_init(&progress, WHEN_AUTO);
    for (int64_t milliseconds = 0; milliseconds < 1000; milliseconds += 10) {
        const struct coordinator_progress now = state_at(milliseconds * 1000000);
        progress_show(&progress, &now);
    }
    read_capture(&capture);
    const size_t rewritten = count_of(capture.text, '\r');
    char shown[CAPTURE_SIZE];
    memcpy(shown, capture.text, sizeof shown);
    progress_end(&progress);
    stop_capture(&capture);
    assert_int_equal(rewritten, 10);
    assert_int_equal(count_of(shown, '\n'), 0);
    assert_non_null(strstr(shown, "25 of 200 visits"));
    assert_non_null(strstr(shown, "CPUs 3,17"));
    const size_t length = strlen(capture.text);
    assert_true(length > 2);
    assert_int_equal(capture.text[0], '\r');
    assert_int_equal(capture.text[length - 1], '\r');
    assert_int_equal(strspn(capture.text + 1, " "), length - 2);
}

static void test_short_sweep_shows_nothing_unless_asked(void **state)
{
    (void)state;
    static const enum when_choice choices[] = {WHEN_AUTO, WHEN_ALWAYS};
    for (size_t i = 0; i < 2; i++) {
        struct capture capture = {0};
        struct progress progress = {0};
        struct coordinator_progress now = state_at(second_ns / 2);
        if (!start_terminal(&capture, 80)) {
            return;
        }
        progress_init(&progress, choices[i]);
        now.remaining_ns = second_ns;
        progress_show(&progress, &now);
        stop_capture(&capture);
        assert_int_equal(capture.text[0] != '\0', choices[i] == WHEN_ALWAYS);
    }
}

static void test_unknown_remainder_waits_for_two_seconds(void **state)
{
    (void)state;
    struct capture capture = {0};
    struct progress progress = {0};
    struct coordinator_progress now = state_at(second_ns);
    if (!start_terminal(&capture, 80)) {
        return;
    }
    progress_init(&progress, WHEN_AUTO);
    now.remaining_ns = -1;
    progress_show(&progress, &now);
    const bool was_early = progress.shown_at_ns >= 0;
    now.elapsed_ns = 2 * second_ns;
    progress_show(&progress, &now);
    stop_capture(&capture);
    assert_false(was_early);
    assert_non_null(strstr(capture.text, "25 of 200"));
    assert_null(strstr(capture.text, "left"));
}

static void test_line_keeps_within_the_terminal(void **state)
{
    (void)state;
    int many_ids[60];
    for (int i = 0; i < 60; i++) {
        many_ids[i] = i * i;
    }
    const struct id_list many = {.ids = many_ids, .count = 60, .capacity = 60};
    for (unsigned short columns = 1; columns <= 120; columns++) {
        struct capture capture = {0};
        struct progress progress = {0};
        struct coordinator_progress now = state_at(5 * second_ns);
        now.busy = &many;
        if (!start_terminal(&capture, columns)) {
            return;
        }
        progress_init(&progress, WHEN_ALWAYS);
        progress_show(&progress, &now);
        stop_capture(&capture);
        assert_true(strlen(capture.text) >= 1);
        assert_true(strlen(capture.text) - 1 < columns);
        if (columns == 120) {
            assert_non_null(strstr(capture.text, "60 CPUs"));
        }
    }
}

static void test_shorter_line_covers_the_longer_one(void **state)
{
    (void)state;
    struct capture capture = {0};
    struct progress progress = {0};
    struct coordinator_progress now = state_at(5 * second_ns);
    if (!start_terminal(&capture, 120)) {
        return;
    }
    progress_init(&progress, WHEN_ALWAYS);
    progress_show(&progress, &now);
    read_capture(&capture);
    const size_t long_length = strlen(capture.text);
    now.elapsed_ns += second_ns;
    now.busy = NULL;
    progress_show(&progress, &now);
    stop_capture(&capture);
    assert_int_equal(strlen(capture.text), long_length);
}

static void test_lost_reader_ends_the_progress(void **state)
{
    (void)state;
    int fds[2];
    struct progress progress = {0};
    const struct coordinator_progress now = state_at(0);
    void (*const kept_handler)(int) = signal(SIGPIPE, SIG_IGN);
    const int kept_fd = dup(STDERR_FILENO);
    assert_int_equal(pipe(fds), 0);
    (void)dup2(fds[1], STDERR_FILENO);
    (void)close(fds[1]);
    (void)close(fds[0]);
    progress_init(&progress, WHEN_ALWAYS);
    const bool was_on = progress.is_on;
    progress_show(&progress, &now);
    const bool is_on = progress.is_on;
    (void)dup2(kept_fd, STDERR_FILENO);
    (void)close(kept_fd);
    (void)signal(SIGPIPE, kept_handler);
    assert_true(was_on);
    assert_false(is_on);
}

static void test_closed_standard_error_shows_nothing(void **state)
{
    (void)state;
    struct progress progress = {0};
    const int kept_fd = dup(STDERR_FILENO);
    (void)close(STDERR_FILENO);
    progress_init(&progress, WHEN_ALWAYS);
    (void)dup2(kept_fd, STDERR_FILENO);
    (void)close(kept_fd);
    assert_false(progress.is_on);
}

static void test_nothing_to_do_shows_nothing(void **state)
{
    (void)state;
    struct capture capture = {0};
    struct progress progress = {0};
    const struct coordinator_progress now = {.elapsed_ns = 60 * second_ns, .remaining_ns = -1};
    start_pipe(&capture);
    progress_init(&progress, WHEN_ALWAYS);
    progress_show(&progress, &now);
    stop_capture(&capture);
    assert_string_equal(capture.text, "");
    progress_end(&(struct progress){0});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pipe_gets_a_line_every_ten_seconds_when_asked),
        cmocka_unit_test(test_pipe_gets_nothing_unasked),
        cmocka_unit_test(test_terminal_line_is_rewritten_ten_times_a_second),
        cmocka_unit_test(test_short_sweep_shows_nothing_unless_asked),
        cmocka_unit_test(test_unknown_remainder_waits_for_two_seconds),
        cmocka_unit_test(test_line_keeps_within_the_terminal),
        cmocka_unit_test(test_shorter_line_covers_the_longer_one),
        cmocka_unit_test(test_lost_reader_ends_the_progress),
        cmocka_unit_test(test_closed_standard_error_shows_nothing),
        cmocka_unit_test(test_nothing_to_do_shows_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
