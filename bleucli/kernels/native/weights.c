/* The bootstrap: segments drawn with replacement, and sums of rows multiplied by their weights. */
#include <string.h>

#include "whole.h"

/* --- draws -------------------------------------------------------------------------------------------------------- */

/* The rough time of a draw. */
#define DRAW_TIME 2

static uint32_t half_of(const uint64_t *words, size_t half)
{
    return (uint32_t)(words[half / 2] >> (half % 2 * 32));
}

/* Lemire 2019, algorithm 5: the upper half of a product is the draw unless the lower half is below the threshold. */
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
        if (++weights[product >> 32] == 0) { /* 256 times */
            return TOO_LARGE;
        }
        drawn++;
    }
    *half = next;
    return DONE;
}

Outcome draw_weights(Words words, size_t *half, size_t segments, size_t resamples, unsigned char *weights,
                     Call *call)
{
    if (segments == 1) { /* with nothing to choose, nothing is drawn */
        memset(weights, 1, resamples);
        return DONE;
    }
    memset(weights, 0, segments * resamples);
    Outcome outcome = DONE;
    for (size_t i = 0; i < resamples && outcome == DONE; i++) {
        if (!goes_on(call, segments * DRAW_TIME)) {
            return STOPPED;
        }
        outcome = draw(&words, half, segments, weights + i * segments);
    }
    return outcome;
}

/* --- bootstrap ---------------------------------------------------------------------------------------------------- */

/* This many rows are added for all resamples in turn, while they are in the fastest cache. Numbers that fit become
 * 16-bit numbers, many of which processors multiply and add at once. 256 products of a weight (up to 255) and such a
 * number fit into 32 bits. */
#define TILE_ROWS 256
#define MAX_SHORT 32767

/* Add up a whole tile, so that compilers know the number of rows; in the last tile, the other weights are 0. */
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

/* tile: room for TILE_ROWS numbers per column, column by column. */
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

static Outcome add_short(const Whole *whole, const unsigned char *weights, size_t resamples, int64_t *sums,
                         Call *call)
{
    int16_t *tile = allocate(TILE_ROWS * whole->columns, sizeof *tile);
    if (tile == NULL) {
        return NO_MEMORY;
    }
    size_t tile_time = TILE_ROWS * whole->columns * resamples / 8;
    for (size_t first = 0; first < whole->rows && goes_on(call, tile_time); first += TILE_ROWS) {
        add_short_tile(whole, first, weights, resamples, tile, sums);
    }
    release(tile);
    return DONE;
}

/* whole_open has made sure that no sum overflows. */
static void add_long(const Whole *whole, const unsigned char *weights, size_t resamples, int64_t *sums, Call *call)
{
    size_t columns = whole->columns;
    for (size_t resample = 0; resample < resamples && goes_on(call, whole->rows * columns); resample++) {
        for (size_t row = 0; row < whole->rows; row++) {
            int64_t weight = weights[resample * whole->rows + row];
            for (size_t column = 0; column < columns; column++) {
                sums[resample * columns + column] += weight * whole->numbers[row * columns + column];
            }
        }
    }
}

static void add_reals(Stats stats, const unsigned char *weights, size_t resamples, double *sums, Call *call)
{
    size_t columns = stats.columns;
    for (size_t resample = 0; resample < resamples && goes_on(call, stats.rows * columns); resample++) {
        for (size_t row = 0; row < stats.rows; row++) {
            double weight = weights[resample * stats.rows + row];
            for (size_t column = 0; column < columns; column++) {
                sums[resample * columns + column] += weight * stats.reals[row * columns + column];
            }
        }
    }
}

static Outcome weigh_whole(const Whole *whole, const unsigned char *weights, size_t resamples, Sums out, Call *call)
{
    size_t count = resamples * whole->columns;
    int64_t *sums = out.reals == NULL ? out.integers : allocate(count, sizeof *sums);
    if (sums == NULL) {
        return NO_MEMORY;
    }
    memset(sums, 0, count * sizeof *sums);
    Outcome outcome = DONE;
    if (whole->smallest >= 0 && whole->largest <= MAX_SHORT) {
        outcome = add_short(whole, weights, resamples, sums, call);
    }
    else {
        add_long(whole, weights, resamples, sums, call);
    }
    if (out.reals != NULL) {
        store_as_reals(sums, count, out.reals);
        release(sums);
    }
    return outcome;
}

Outcome weighted_sums(Stats stats, const unsigned char *weights, size_t resamples, Sums out, Call *call)
{
    Whole whole;
    Outcome outcome = whole_open(stats, (uint64_t)255 * stats.rows, &whole);
    if (outcome == DONE && whole.numbers != NULL) {
        outcome = weigh_whole(&whole, weights, resamples, out, call);
    }
    else if (outcome == DONE) {
        memset(out.reals, 0, resamples * stats.columns * sizeof *out.reals);
        add_reals(stats, weights, resamples, out.reals, call);
    }
    whole_close(&whole);
    return outcome;
}
