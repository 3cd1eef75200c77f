/*
 * gauge.h - what a benchmark reads off itself and the clock, the same in all of them.
 */
#ifndef ELECTOP_TESTS_BENCH_GAUGE_H
#define ELECTOP_TESTS_BENCH_GAUGE_H

#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static inline int64_t gauge_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* On the monotonic clock, so that the times of several processes can be compared. */
static inline int64_t gauge_us(void)
{
    return gauge_ns(CLOCK_MONOTONIC) / 1000;
}

/* That this process has used, all its threads together. */
static inline double gauge_cpu_ms(void)
{
    return (double)gauge_ns(CLOCK_PROCESS_CPUTIME_ID) / 1e6;
}

/* Of this process, in memory now; 0: not to be had. */
static inline long gauge_resident_kb(void)
{
    long pages, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%ld %ld", &pages, &resident) != 2)
        resident = 0;
    if (file)
        fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

#endif
