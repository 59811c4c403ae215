/* Statistics as whole numbers. */
#include "whole.h"

#include <math.h>

/* Below this, doubles hold all whole numbers. */
#define MAX_EXACT 9007199254740992.0
/* Sums of numbers up to this are exact, however many rows fit into memory. */
#define MAX_SMALL 32767

void whole_close(Whole *whole)
{
    release(whole->copy);
}

/* Refuses NaN, which is not below MAX_EXACT. -0.0 becomes 0, as in any sum that begins with 0. */
static int copy_whole(const double *reals, size_t count, int64_t *copy)
{
    for (size_t i = 0; i < count; i++) {
        if (!(fabs(reals[i]) < MAX_EXACT) || reals[i] != floor(reals[i])) {
            return 0;
        }
        copy[i] = (int64_t)reals[i];
    }
    return 1;
}

static void find_range(Whole *whole)
{
    size_t count = whole->rows * whole->columns;
    /* Nearly all statistics are small numbers. The bits that they have are found faster than the largest one, which is
     * at most as large as these bits together. */
    uint64_t bits = 0;
    for (size_t i = 0; i < count; i++) {
        bits |= (uint64_t)whole->numbers[i];
    }
    if (bits <= MAX_SMALL) {
        whole->largest = (int64_t)bits;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        int64_t number = whole->numbers[i];
        whole->smallest = number < whole->smallest ? number : whole->smallest;
        whole->largest = number > whole->largest ? number : whole->largest;
    }
}

uint64_t magnitude(const Whole *whole)
{
    uint64_t below = 0 - (uint64_t)whole->smallest; /* not -smallest, which overflows for INT64_MIN */
    uint64_t above = (uint64_t)whole->largest;
    return below > above ? below : above;
}

Outcome whole_open(Stats stats, uint64_t times, Whole *whole)
{
    *whole = (Whole){.numbers = stats.integers, .rows = stats.rows, .columns = stats.columns};
    if (stats.reals != NULL) {
        whole->copy = allocate(stats.rows * stats.columns, sizeof *whole->copy);
        if (whole->copy == NULL) {
            return NO_MEMORY;
        }
        whole->numbers = copy_whole(stats.reals, stats.rows * stats.columns, whole->copy) ? whole->copy : NULL;
    }
    if (whole->numbers == NULL) {
        return DONE;
    }
    find_range(whole);
    /* A division, because the product itself may not fit into 64 bits */
    uint64_t limit = stats.reals != NULL ? (uint64_t)MAX_EXACT - 1 : INT64_MAX;
    if (times == 0 || magnitude(whole) <= limit / times) {
        return DONE;
    }
    if (stats.reals != NULL) {
        whole->numbers = NULL;
        return DONE;
    }
    return TOO_LARGE;
}

void store_as_reals(const int64_t *sums, size_t count, double *reals)
{
    for (size_t i = 0; i < count; i++) {
        reals[i] = (double)sums[i];
    }
}
