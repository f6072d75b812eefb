/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between the coordinator's side of the hogs and their keeper. */
#ifndef NUMASWEEP_PLATFORM_HOGS_KEEPER_H
#define NUMASWEEP_PLATFORM_HOGS_KEEPER_H

#include "numasweep/hogs.h"

enum hog_message_type { HOG_READY, HOG_REFUSED, HOG_GROUPS_READY, HOG_GROUPS_LEFT };

enum { HOG_MESSAGE_TEXT = 512 };

/* At most PIPE_BUF bytes, so that no two messages mix. */
struct hog_message {
    int32_t type;
    int32_t error; /* positive errno */
    uint32_t hog;
    int32_t pid;
    char text[HOG_MESSAGE_TEXT]; /* of a refusal */
};

struct hog_pipes {
    int life_fd;   /* read: end of file ends the keeper */
    int gate_fd;   /* read by the hogs */
    int report_fd; /* written by keeper and hogs */
};

/* The keeper's whole life; never returns. `hogs` is its own copy. */
_Noreturn void hogs_keep(struct hogs *hogs, const struct bandwidth_limit *limit,
                         const struct hog_pipes *pipes);

#endif
