/*
 * replay - what it costs to write to a terminal what a program wrote there, and no more.
 *
 *     replay PIECES RESULT
 *
 * PIECES: each a length (size_t) and so many bytes. Writes them to standard output one after the other, and the
 * processor time of that into the file RESULT, in microseconds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/bench/gauge.h"

int main(int argc, char **argv)
{
    FILE *file = argc == 3 ? fopen(argv[1], "r") : NULL;
    struct stat status;
    if (!file || fstat(fileno(file), &status) != 0)
        return 2;
    size_t size = (size_t)status.st_size, length;
    char *bytes = malloc(size + 1);
    if (!bytes || fread(bytes, 1, size, file) != size)
        return 2;
    fclose(file);
    double began_ms = gauge_cpu_ms();
    for (size_t at = 0; at + sizeof length <= size; at += length) {
        memcpy(&length, bytes + at, sizeof length);
        at += sizeof length;
        for (size_t written = 0; written < length;) {
            ssize_t n = write(STDOUT_FILENO, bytes + at + written, length - written);
            if (n <= 0)
                return 1;
            written += (size_t)n;
        }
    }
    double took_us = 1000 * (gauge_cpu_ms() - began_ms);
    file = fopen(argv[2], "w");
    if (!file)
        return 2;
    fprintf(file, "%.1f\n", took_us);
    free(bytes);
    return fclose(file) == 0 ? 0 : 1;
}
