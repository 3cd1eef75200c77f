"""A program's wall clock, set forward or back while the program runs: a library that is loaded into it."""
import os
import struct
import subprocess

# Adds the seconds that the file holds to the wall clock. The file is mapped, so that a change counts at once.
SOURCE = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static volatile const int64_t *ahead_s;
__attribute__((constructor)) static void map_seconds(void)
{
    int file = open(getenv("WALL_CLOCK_AHEAD"), O_RDONLY | O_CLOEXEC);
    ahead_s = mmap(NULL, sizeof *ahead_s, PROT_READ, MAP_SHARED, file, 0);
    if (file < 0 || ahead_s == MAP_FAILED)
        abort();
    close(file);
}
int clock_gettime(clockid_t id, struct timespec *t)
{
    long rc = syscall(SYS_clock_gettime, id, t);
    if (rc == 0 && ahead_s && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE))
        t->tv_sec += *ahead_s;
    return (int)rc;
}
int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    *t = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
    return 0;
}
time_t time(time_t *at)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return at ? *at = now.tv_sec : now.tv_sec;
}
"""


class WallClock:
    """environment: for the programs whose clock this is."""

    def __init__(self, folder, seconds=0):
        self.file, library = os.path.join(folder, "ahead"), os.path.join(folder, "wall_clock.so")
        self.set(seconds)
        subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-o", library, "-"], input=SOURCE, text=True, check=True)
        # The sanitizers want to be the first library, and do as well as the second.
        options = ":".join(filter(None, (os.environ.get("ASAN_OPTIONS"), "verify_asan_link_order=0")))
        self.environment = {"LD_PRELOAD": library, "WALL_CLOCK_AHEAD": self.file, "ASAN_OPTIONS": options}

    def set(self, seconds):
        """So much ahead of the machine's clock."""
        # In place: who has mapped the file sees it.
        with open(self.file, "r+b" if os.path.exists(self.file) else "wb") as f:
            f.write(struct.pack("q", seconds))
