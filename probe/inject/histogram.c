#include "probe/inject/histogram.h"

#define FINE (1 << HISTOGRAM_FINE_BITS)

static size_t histogram_bucket_of(int64_t us)
{
    uint64_t value = us < 0 ? 0 : (uint64_t)us;
    if (value >> 40)
        return HISTOGRAM_BUCKETS - 1;
    unsigned doublings = 0;
    while (value >> doublings >= 2 * FINE)
        doublings++;
    return ((size_t)doublings << HISTOGRAM_FINE_BITS) + (size_t)(value >> doublings);
}

void histogram_bucket(size_t i, int64_t *low_us, int64_t *high_us)
{
    unsigned doublings = i < 2 * FINE ? 0 : (unsigned)(i >> HISTOGRAM_FINE_BITS) - 1;
    int64_t step = (int64_t)(i - ((size_t)doublings << HISTOGRAM_FINE_BITS));
    *low_us = step << doublings;
    *high_us = ((step + 1) << doublings) - 1;
}

void histogram_add(struct histogram *h, int64_t us)
{
    us = us < 0 ? 0 : us;
    h->least_us = h->count == 0 || us < h->least_us ? us : h->least_us;
    h->most_us = us > h->most_us ? us : h->most_us;
    h->sum_us += us;
    h->count++;
    h->buckets[histogram_bucket_of(us)]++;
}

void histogram_merge(struct histogram *h, const struct histogram *other)
{
    if (other->count == 0)
        return;
    h->least_us = h->count == 0 || other->least_us < h->least_us ? other->least_us : h->least_us;
    h->most_us = other->most_us > h->most_us ? other->most_us : h->most_us;
    h->sum_us += other->sum_us;
    h->count += other->count;
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
        h->buckets[i] += other->buckets[i];
}

int64_t histogram_percentile(const struct histogram *h, double part)
{
    if (h->count == 0)
        return 0;
    double exact = part * (double)h->count;
    uint64_t rank = (uint64_t)exact, seen = 0;
    rank += (double)rank < exact || rank == 0;
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
        seen += h->buckets[i];
        if (seen >= rank) {
            int64_t low_us, high_us;
            histogram_bucket(i, &low_us, &high_us);
            return high_us < h->most_us ? high_us : h->most_us;
        }
    }
    return h->most_us;
}
