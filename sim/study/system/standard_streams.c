/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/system/standard_streams.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void standard_streams_take(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        bool is_closed = fcntl(fd, F_GETFD) < 0 && errno == EBADF;
        /* open returns the lowest free descriptor, which is `fd`; it is opened for the wrong direction */
        if (is_closed && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            _exit(EXIT_FAILURE);
    }
}

int standard_streams_close(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    fprintf(stderr, "gpunetsim: cannot write standard output: %s\n", g_strerror(errno));
    return code == EXIT_SUCCESS ? EXIT_FAILURE : code;
}
