/* Approximate randomization: sums of rows after random swaps. */
#include <string.h>

#include "whole.h"

/* A table holds the sums of all combinations of a group of rows, swapped or not. The tables of a few groups fit into
 * the fastest cache, and a trial adds one entry of each. Entries are 32-bit numbers; the processor adds LANES of them
 * at once. */
#define GROUP 6
#define GROUPS 5
#define COMBINATIONS ((size_t)1 << GROUP)
#define LANES 4
#define MAX_ENTRY 2147483647.0

/* The `count` bits, fewer than 64, from bit `first` on; the lowest bit of the first word comes first. */
static uint64_t bits_at(const uint64_t *words, size_t first, size_t count)
{
    size_t word = first / 64, shift = first % 64;
    uint64_t bits = words[word] >> shift;
    if (shift + count > 64) { /* then `shift` is not 0, so the shift below is defined */
        bits |= words[word + 1] << (64 - shift);
    }
    return bits & (((uint64_t)1 << count) - 1);
}

/* Fill a table by the combination's bits: if the lowest is set, the first row is that of `left`, else that of `right`.
 * Each row doubles the entries that are filled. */
static void fill_table(const int64_t *left, const int64_t *right, size_t rows, size_t columns, size_t width,
                       int32_t *table)
{
    memset(table, 0, COMBINATIONS * width * sizeof *table);
    for (size_t row = 0; row < rows; row++) {
        size_t half = (size_t)1 << row;
        for (size_t entry = 0; entry < half; entry++) {
            int32_t *kept = table + entry * width, *swapped = table + (entry + half) * width;
            for (size_t column = 0; column < columns; column++) {
                swapped[column] = kept[column] + (int32_t)left[row * columns + column];
                kept[column] += (int32_t)right[row * columns + column];
            }
        }
    }
}

static inline void add_entries(int32_t *sums, const int32_t *tables, uint64_t bits, size_t groups, size_t width)
{
    for (size_t group = 0; group < groups; group++) {
        const int32_t *entry = tables + (group * COMBINATIONS + (bits >> group * GROUP) % COMBINATIONS) * width;
        for (size_t lane = 0; lane < width; lane += LANES) {
            for (size_t column = lane; column < lane + LANES; column++) {
                sums[column] += entry[column];
            }
        }
    }
}

static void add_groups(const Whole *left, const Whole *right, const Swaps *swaps, size_t width, int32_t *tables,
                       int32_t *sums, Call *call)
{
    size_t rows = left->rows, columns = left->columns;
    for (size_t first = 0; first < rows && goes_on(call, swaps->trials * GROUPS * width); first += GROUP * GROUPS) {
        size_t count = rows - first < GROUP * GROUPS ? rows - first : GROUP * GROUPS, groups = 0;
        for (size_t row = 0; row < count; row += GROUP, groups++) {
            size_t at = (first + row) * columns;
            fill_table(left->numbers + at, right->numbers + at, count - row < GROUP ? count - row : GROUP, columns,
                       width, tables + groups * COMBINATIONS * width);
        }
        for (size_t trial = 0; trial < swaps->trials; trial++) {
            uint64_t bits = bits_at(swaps->words, swaps->first + trial * rows + first, count);
            add_entries(sums + trial * width, tables, bits, groups, width);
        }
    }
}

static Outcome swap_groups(const Whole *left, const Whole *right, const Swaps *swaps, int64_t *sums, Call *call)
{
    size_t columns = left->columns, width = (columns + LANES - 1) / LANES * LANES;
    int32_t *tables = allocate(GROUPS * COMBINATIONS * width, sizeof *tables);
    int32_t *narrow = allocate(swaps->trials * width, sizeof *narrow);
    if (tables != NULL && narrow != NULL) {
        memset(narrow, 0, swaps->trials * width * sizeof *narrow);
        add_groups(left, right, swaps, width, tables, narrow, call);
        for (size_t trial = 0; trial < swaps->trials; trial++) {
            for (size_t column = 0; column < columns; column++) {
                sums[trial * columns + column] = narrow[trial * width + column];
            }
        }
    }
    Outcome outcome = tables != NULL && narrow != NULL ? DONE : NO_MEMORY;
    release(tables);
    release(narrow);
    return outcome;
}

static void swap_rows(const Whole *left, const Whole *right, const Swaps *swaps, int64_t *sums, Call *call)
{
    size_t columns = left->columns;
    memset(sums, 0, swaps->trials * columns * sizeof *sums);
    for (size_t trial = 0; trial < swaps->trials && goes_on(call, left->rows * columns); trial++) {
        for (size_t row = 0; row < left->rows; row++) {
            int swapped = bits_at(swaps->words, swaps->first + trial * left->rows + row, 1) != 0;
            const int64_t *chosen = (swapped ? left : right)->numbers + row * columns;
            for (size_t column = 0; column < columns; column++) {
                sums[trial * columns + column] += chosen[column];
            }
        }
    }
}

static void add_totals(const Whole *whole, int64_t *totals)
{
    for (size_t row = 0; row < whole->rows; row++) {
        for (size_t column = 0; column < whole->columns; column++) {
            totals[column] += whole->numbers[row * whole->columns + column];
        }
    }
}

static Outcome swap_whole(const Whole *left, const Whole *right, const Swaps *swaps, int64_t *sums, int64_t *others,
                          Call *call)
{
    size_t columns = left->columns;
    Outcome outcome = DONE;
    int64_t *totals = allocate(columns, sizeof *totals);
    if (totals == NULL) {
        return NO_MEMORY;
    }
    /* If not even all rows of both sides together overflow an entry, no sum does */
    if (((double)magnitude(left) + (double)magnitude(right)) * (double)left->rows < MAX_ENTRY) {
        outcome = swap_groups(left, right, swaps, sums, call);
    }
    else {
        swap_rows(left, right, swaps, sums, call);
    }
    memset(totals, 0, columns * sizeof *totals);
    add_totals(left, totals);
    add_totals(right, totals);
    for (size_t trial = 0; trial < swaps->trials && outcome == DONE; trial++) {
        for (size_t column = 0; column < columns; column++) {
            others[trial * columns + column] = totals[column] - sums[trial * columns + column];
        }
    }
    release(totals);
    return outcome;
}

static Outcome swap_whole_reals(const Whole *left, const Whole *right, const Swaps *swaps, double *sums,
                                double *others, Call *call)
{
    size_t count = swaps->trials * left->columns;
    int64_t *room = allocate(count, 2 * sizeof *room);
    Outcome outcome = room != NULL ? swap_whole(left, right, swaps, room, room + count, call) : NO_MEMORY;
    if (outcome == DONE) {
        store_as_reals(room, count, sums);
        store_as_reals(room + count, count, others);
    }
    release(room);
    return outcome;
}

static void swap_reals(Stats left, Stats right, const Swaps *swaps, double *sums, Call *call)
{
    size_t columns = left.columns;
    memset(sums, 0, swaps->trials * columns * sizeof *sums);
    for (size_t trial = 0; trial < swaps->trials && goes_on(call, left.rows * columns); trial++) {
        for (size_t row = 0; row < left.rows; row++) {
            int swapped = bits_at(swaps->words, swaps->first + trial * left.rows + row, 1) != 0;
            const double *chosen = (swapped ? left : right).reals + row * columns;
            for (size_t column = 0; column < columns; column++) {
                sums[trial * columns + column] += chosen[column];
            }
        }
    }
}

Outcome swapped_sums(Stats left, Stats right, Swaps swaps, Sums sums, Sums others, Call *call)
{
    Whole lefts, rights = {.copy = NULL};
    Outcome outcome = whole_open(left, (uint64_t)2 * left.rows, &lefts);
    if (outcome == DONE) {
        outcome = whole_open(right, (uint64_t)2 * left.rows, &rights);
    }
    if (outcome == DONE && left.reals == NULL) {
        outcome = swap_whole(&lefts, &rights, &swaps, sums.integers, others.integers, call);
    }
    else if (outcome == DONE && lefts.numbers != NULL && rights.numbers != NULL) {
        outcome = swap_whole_reals(&lefts, &rights, &swaps, sums.reals, others.reals, call);
    }
    else if (outcome == DONE) {
        /* Both sums are added row by row: the total minus one of them would be rounded differently */
        swap_reals(left, right, &swaps, sums.reals, call);
        swap_reals(right, left, &swaps, others.reals, call);
    }
    whole_close(&lefts);
    whole_close(&rights);
    return outcome;
}
