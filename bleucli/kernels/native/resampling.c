/* Sums of rows under random weights (bootstrap) and random swaps (approximate randomization).
 *
 * Sums of whole numbers are the same in whatever order they are made, so that rows may be taken in tiles and groups;
 * other numbers are added row by row. */
#include <math.h>
#include <string.h>

#include "kernels.h"

/* --- draws -------------------------------------------------------------------------------------------------------- */

static uint32_t half_of(const uint64_t *words, size_t half)
{
    return (uint32_t)(words[half / 2] >> (half % 2 * 32));
}

/* Lemire 2019, algorithm 5: the upper half of a product is the draw unless the lower half is under the threshold. */
static Outcome draw(const Words *words, size_t *half, uint64_t segments, unsigned char *weights)
{
    uint32_t threshold = (uint32_t)(((uint64_t)1 << 32) % segments);
    size_t next = *half;
    for (uint64_t drawn = 0; drawn < segments; next++) {
        if (next / 2 >= words->count) {
            return TOO_FEW;
        }
        uint64_t product = half_of(words->numbers, next) * segments;
        if ((uint32_t)product < threshold) {
            continue;
        }
        if (++weights[product >> 32] == 0) {
            return TOO_LARGE;
        }
        drawn++;
    }
    *half = next;
    return DONE;
}

Outcome draw_weights(Words words, size_t *half, size_t segments, size_t resamples, unsigned char *weights)
{
    if (segments == 1) { /* nothing to choose, nothing is drawn */
        memset(weights, 1, resamples);
        return DONE;
    }
    memset(weights, 0, segments * resamples);
    Outcome outcome = DONE;
    for (size_t i = 0; i < resamples && outcome == DONE; i++) {
        outcome = draw(&words, half, segments, weights + i * segments);
    }
    return outcome;
}

/* --- whole numbers ------------------------------------------------------------------------------------------------ */

/* Up to here doubles hold all whole numbers. */
#define MAX_EXACT 9007199254740992.0
#define MAX_INTEGER 9223372036854775807.0

/* Rows of integers: those of the statistics or, if they are doubles, a copy. */
typedef struct {
    const int64_t *numbers;
    int64_t *copy;
    size_t rows, columns;
    double smallest, largest;
} Whole;

static void whole_close(Whole *whole)
{
    release(whole->copy);
}

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

static double magnitude(const Whole *whole)
{
    return fmax(-whole->smallest, whole->largest);
}

/* Take the rows as whole numbers that may be added `times` times; numbers is NULL if they are none, or doubles that
 * would not stay exact. */
static Outcome whole_open(Stats stats, double times, Whole *whole)
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

/* --- bootstrap ---------------------------------------------------------------------------------------------------- */

/* So many rows are added for all resamples in turn, while they are in the fastest cache; as 16-bit numbers, if they fit,
 * of which processors multiply and add many at once. 256 products of a weight and such a number fit into 32 bits. */
#define TILE_ROWS 256
#define MAX_SHORT 32767.0

static int32_t short_product(const int16_t *numbers, const int16_t *weights)
{
    int32_t sum = 0;
    for (size_t row = 0; row < TILE_ROWS; row++) {
        sum += (int32_t)numbers[row] * (int32_t)weights[row];
    }
    return sum;
}

static void widen(const unsigned char *weights, size_t count, int16_t *wide)
{
    memset(wide, 0, TILE_ROWS * sizeof *wide);
    for (size_t row = 0; row < count; row++) {
        wide[row] = weights[row];
    }
}

/* tile: room for TILE_ROWS numbers a column, column by column. */
static void add_short_tile(const Whole *whole, size_t first, const unsigned char *weights, size_t resamples,
                           int16_t *tile, int64_t *sums)
{
    int16_t wide[TILE_ROWS];
    size_t columns = whole->columns, count = whole->rows - first < TILE_ROWS ? whole->rows - first : TILE_ROWS;
    memset(tile, 0, TILE_ROWS * columns * sizeof *tile);
    for (size_t row = 0; row < count; row++) {
        for (size_t column = 0; column < columns; column++) {
            tile[column * TILE_ROWS + row] = (int16_t)whole->numbers[(first + row) * columns + column];
        }
    }
    for (size_t resample = 0; resample < resamples; resample++) {
        widen(weights + resample * whole->rows + first, count, wide);
        for (size_t column = 0; column < columns; column++) {
            sums[resample * columns + column] += short_product(tile + column * TILE_ROWS, wide);
        }
    }
}

static Outcome add_short(const Whole *whole, const unsigned char *weights, size_t resamples, int64_t *sums)
{
    int16_t *tile = allocate(TILE_ROWS * whole->columns, sizeof *tile);
    if (tile == NULL) {
        return NO_MEMORY;
    }
    for (size_t first = 0; first < whole->rows; first += TILE_ROWS) {
        add_short_tile(whole, first, weights, resamples, tile, sums);
    }
    release(tile);
    return DONE;
}

static void add_long(const Whole *whole, const unsigned char *weights, size_t resamples, int64_t *sums)
{
    size_t columns = whole->columns;
    for (size_t resample = 0; resample < resamples; resample++) {
        for (size_t row = 0; row < whole->rows; row++) {
            int64_t weight = weights[resample * whole->rows + row];
            for (size_t column = 0; column < columns; column++) {
                sums[resample * columns + column] += weight * whole->numbers[row * columns + column];
            }
        }
    }
}

static void add_reals(Stats stats, const unsigned char *weights, size_t resamples, double *sums)
{
    size_t columns = stats.columns;
    for (size_t resample = 0; resample < resamples; resample++) {
        for (size_t row = 0; row < stats.rows; row++) {
            double weight = weights[resample * stats.rows + row];
            for (size_t column = 0; column < columns; column++) {
                sums[resample * columns + column] += weight * stats.reals[row * columns + column];
            }
        }
    }
}

static void store_as_reals(const int64_t *sums, size_t count, double *reals)
{
    for (size_t i = 0; i < count; i++) {
        reals[i] = (double)sums[i];
    }
}

static Outcome weigh_whole(const Whole *whole, const unsigned char *weights, size_t resamples, Sums out)
{
    size_t count = resamples * whole->columns;
    int64_t *sums = out.reals == NULL ? out.integers : allocate(count, sizeof *sums);
    if (sums == NULL) {
        return NO_MEMORY;
    }
    memset(sums, 0, count * sizeof *sums);
    Outcome outcome = DONE;
    if (whole->smallest >= 0.0 && whole->largest <= MAX_SHORT) {
        outcome = add_short(whole, weights, resamples, sums);
    }
    else {
        add_long(whole, weights, resamples, sums);
    }
    if (out.reals != NULL) {
        store_as_reals(sums, count, out.reals);
        release(sums);
    }
    return outcome;
}

Outcome weighted_sums(Stats stats, const unsigned char *weights, size_t resamples, Sums out)
{
    Whole whole;
    Outcome outcome = whole_open(stats, 255.0 * (double)stats.rows, &whole);
    if (outcome == DONE && whole.numbers != NULL) {
        outcome = weigh_whole(&whole, weights, resamples, out);
    }
    else if (outcome == DONE) {
        memset(out.reals, 0, resamples * stats.columns * sizeof *out.reals);
        add_reals(stats, weights, resamples, out.reals);
    }
    whole_close(&whole);
    return outcome;
}

/* --- approximate randomization ------------------------------------------------------------------------------------ */

/* A table holds the sums of all combinations of a group of rows, swapped or not; the tables of a few groups fit into the
 * fastest cache, and a trial adds an entry of each. Entries are 32-bit numbers, LANES of which the processor adds at once. */
#define GROUP 6
#define GROUPS 5
#define COMBINATIONS ((size_t)1 << GROUP)
#define LANES 4
#define MAX_ENTRY 2147483647.0

/* The `count` bits, less than 64, from the `first` on; the lowest bit of the first word comes first. */
static uint64_t bits_at(const uint64_t *words, size_t first, size_t count)
{
    size_t word = first / 64, shift = first % 64;
    uint64_t bits = words[word] >> shift;
    if (shift + count > 64) {
        bits |= words[word + 1] << (64 - shift);
    }
    return bits & (((uint64_t)1 << count) - 1);
}

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
                       int32_t *sums)
{
    size_t rows = left->rows, columns = left->columns;
    for (size_t first = 0; first < rows; first += GROUP * GROUPS) {
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

static Outcome swap_groups(const Whole *left, const Whole *right, const Swaps *swaps, int64_t *sums)
{
    size_t columns = left->columns, width = (columns + LANES - 1) / LANES * LANES;
    int32_t *tables = allocate(GROUPS * COMBINATIONS * width, sizeof *tables);
    int32_t *narrow = allocate(swaps->trials * width, sizeof *narrow);
    if (tables != NULL && narrow != NULL) {
        memset(narrow, 0, swaps->trials * width * sizeof *narrow);
        add_groups(left, right, swaps, width, tables, narrow);
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

static void swap_rows(const Whole *left, const Whole *right, const Swaps *swaps, int64_t *sums)
{
    size_t columns = left->columns;
    memset(sums, 0, swaps->trials * columns * sizeof *sums);
    for (size_t trial = 0; trial < swaps->trials; trial++) {
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

static Outcome swap_whole(const Whole *left, const Whole *right, const Swaps *swaps, int64_t *sums, int64_t *others)
{
    size_t columns = left->columns;
    Outcome outcome = DONE;
    int64_t *totals = allocate(columns, sizeof *totals);
    if (totals == NULL) {
        return NO_MEMORY;
    }
    if ((magnitude(left) + magnitude(right)) * (double)left->rows < MAX_ENTRY) {
        outcome = swap_groups(left, right, swaps, sums);
    }
    else {
        swap_rows(left, right, swaps, sums);
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
                                double *others)
{
    size_t count = swaps->trials * left->columns;
    int64_t *room = allocate(count, 2 * sizeof *room);
    Outcome outcome = room != NULL ? swap_whole(left, right, swaps, room, room + count) : NO_MEMORY;
    if (outcome == DONE) {
        store_as_reals(room, count, sums);
        store_as_reals(room + count, count, others);
    }
    release(room);
    return outcome;
}

static void swap_reals(Stats left, Stats right, const Swaps *swaps, double *sums)
{
    size_t columns = left.columns;
    memset(sums, 0, swaps->trials * columns * sizeof *sums);
    for (size_t trial = 0; trial < swaps->trials; trial++) {
        for (size_t row = 0; row < left.rows; row++) {
            int swapped = bits_at(swaps->words, swaps->first + trial * left.rows + row, 1) != 0;
            const double *chosen = (swapped ? left : right).reals + row * columns;
            for (size_t column = 0; column < columns; column++) {
                sums[trial * columns + column] += chosen[column];
            }
        }
    }
}

Outcome swapped_sums(Stats left, Stats right, Swaps swaps, Sums sums, Sums others)
{
    Whole lefts, rights = {.copy = NULL};
    Outcome outcome = whole_open(left, 2.0 * (double)left.rows, &lefts);
    if (outcome == DONE) {
        outcome = whole_open(right, 2.0 * (double)left.rows, &rights);
    }
    if (outcome == DONE && left.reals == NULL) {
        outcome = swap_whole(&lefts, &rights, &swaps, sums.integers, others.integers);
    }
    else if (outcome == DONE && lefts.numbers != NULL && rights.numbers != NULL) {
        outcome = swap_whole_reals(&lefts, &rights, &swaps, sums.reals, others.reals);
    }
    else if (outcome == DONE) {
        swap_reals(left, right, &swaps, sums.reals);
        swap_reals(right, left, &swaps, others.reals);
    }
    whole_close(&lefts);
    whole_close(&rights);
    return outcome;
}
