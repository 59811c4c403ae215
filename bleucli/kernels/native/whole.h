/* Statistics as whole numbers: their sums do not depend on the order of adding, so rows may be added in tiles and
 * groups. Other numbers are added row by row. */
#ifndef BLEU_WHOLE_H
#define BLEU_WHOLE_H

#include "kernels.h"

/* Rows of integers: those of the statistics or, if they are doubles, a copy. */
typedef struct {
    const int64_t *numbers;
    int64_t *copy;
    size_t rows, columns;
    int64_t smallest, largest; /* at most 0, at least 0 */
} Whole;

/* Read the rows as whole numbers, of which a sum adds at most `times`. numbers is NULL if doubles are not whole, or if
 * their sums might not be exact; the outcome is TOO_LARGE if sums of integers might overflow. Close it even then. */
Outcome whole_open(Stats stats, uint64_t times, Whole *whole);
void whole_close(Whole *whole);
/* The largest absolute value. */
uint64_t magnitude(const Whole *whole);
void store_as_reals(const int64_t *sums, size_t count, double *reals);

#endif
