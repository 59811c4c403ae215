/* Statistics as whole numbers. */
#include "whole.h"

#include <math.h>

/* Below this, doubles hold all whole numbers. */
#define MAX_EXACT 9007199254740992.0
#define MAX_INTEGER 9223372036854775807.0 /* rounded to 2^63 */

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
    int64_t smallest = 0, largest = 0;
    for (size_t i = 0; i < whole->rows * whole->columns; i++) {
        smallest = whole->numbers[i] < smallest ? whole->numbers[i] : smallest;
        largest = whole->numbers[i] > largest ? whole->numbers[i] : largest;
    }
    whole->smallest = (double)smallest;
    whole->largest = (double)largest;
}

double magnitude(const Whole *whole)
{
    return fmax(-whole->smallest, whole->largest);
}

Outcome whole_open(Stats stats, double times, Whole *whole)
{
    *whole = (Whole){stats.integers, NULL, stats.rows, stats.columns, 0.0, 0.0};
    if (stats.reals != NULL) {
        whole->copy = allocate(stats.rows * stats.columns, sizeof *whole->copy);
        if (whole->copy == NULL) {
            return NO_MEMORY;
        }
        whole->numbers = copy_whole(stats.reals, stats.rows * stats.columns, whole->copy) ? whole->copy : NULL;
    }
    if (whole->numbers != NULL) {
        find_range(whole);
    }
    double most = magnitude(whole) * times;
    if (stats.reals != NULL && most >= MAX_EXACT) {
        whole->numbers = NULL;
    }
    return stats.reals == NULL && most >= MAX_INTEGER ? TOO_LARGE : DONE;
}

void store_as_reals(const int64_t *sums, size_t count, double *reals)
{
    for (size_t i = 0; i < count; i++) {
        reals[i] = (double)sums[i];
    }
}
