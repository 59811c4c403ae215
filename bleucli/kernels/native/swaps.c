/* Approximate randomization: sums of rows after random swaps. */
#include <string.h>

#include "blocks.h"
#include "whole.h"

/* A table holds the sums of all combinations of a group of rows, swapped or not. The tables of a few groups fit into
 * the fastest cache, and a trial adds one entry of each. Entries are 16-bit numbers; the processor adds LANES of them
 * at once. So that they fit, large numbers are written in digits, each of DIGIT_BITS bits; the top one has a sign. */
#define GROUP 6
#define GROUPS 10
#define PART (GROUP * GROUPS)
#define COMBINATIONS ((size_t)1 << GROUP)
#define LANES 8
#define DIGIT_BITS 9
#define DIGITS 7 /* at most: 64 bits, of which the top digit has the rest */
#define MAX_DIGIT (INT16_MAX / PART)
/* Sums of digits of this many rows, which make whole parts, fit into 32 bits. */
#define MAX_ROWS ((size_t)(INT32_MAX / MAX_DIGIT / PART * PART))

typedef struct {
    size_t column;
    unsigned shift;
    int is_top;
} Digit;

#ifdef HAS_VECTORS
typedef int16_t Vector __attribute__((vector_size(2 * LANES)));
#endif

typedef union {
    int16_t lanes[LANES];
#ifdef HAS_VECTORS
    Vector vector;
#endif
} Lanes;

static inline Lanes add_lanes(Lanes sum, const int16_t *entry)
{
    Lanes added;
    memcpy(added.lanes, entry, sizeof added.lanes);
#ifdef HAS_VECTORS
    sum.vector += added.vector;
#else
    for (size_t i = 0; i < LANES; i++) {
        sum.lanes[i] = (int16_t)(sum.lanes[i] + added.lanes[i]);
    }
#endif
    return sum;
}

/* What is added up: the digits of each column, none of a column that no swap changes. Columns that are equal to one
 * another share theirs, such as BLEU's length and its number of single tokens. */
typedef struct {
    Digit *digits;
    size_t *firsts, *counts; /* by column */
    size_t count, width;     /* of all digits; the same, rounded up to LANES */
} Plan;

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

/* --- digits ------------------------------------------------------------------------------------------------------- */

static int are_equal(const Whole *one, size_t column, const Whole *other, size_t other_column)
{
    for (size_t at = 0; at < one->rows * one->columns; at += one->columns) {
        if (one->numbers[at + column] != other->numbers[at + other_column]) {
            return 0;
        }
    }
    return 1;
}

/* Set the digits of a column; there is one at least. */
static void plan_column(size_t column, uint64_t largest, Plan *plan)
{
    unsigned shift = 0;
    plan->firsts[column] = plan->count;
    for (; largest >> shift >= MAX_DIGIT; shift += DIGIT_BITS) {
        plan->digits[plan->count++] = (Digit){column, shift, 0};
    }
    plan->digits[plan->count++] = (Digit){column, shift, 1};
    plan->counts[column] = plan->count - plan->firsts[column];
}

static void make_plan(const Whole *left, const Whole *right, Plan *plan)
{
    uint64_t largest = magnitude(left) > magnitude(right) ? magnitude(left) : magnitude(right);
    plan->count = 0;
    for (size_t column = 0; column < left->columns; column++) {
        size_t same = 0;
        plan->firsts[column] = plan->counts[column] = 0;
        if (are_equal(left, column, right, column)) {
            continue;
        }
        while (same < column && !(are_equal(left, column, left, same) && are_equal(right, column, right, same))) {
            same++;
        }
        if (same < column) {
            plan->firsts[column] = plan->firsts[same];
            plan->counts[column] = plan->counts[same];
        }
        else {
            plan_column(column, largest, plan);
        }
    }
    plan->width = (plan->count + LANES - 1) / LANES * LANES;
}

static inline int16_t digit_of(int64_t number, const Digit *digit)
{
    if (digit->is_top) {
        return (int16_t)(number < 0 ? ~(~number >> digit->shift) : number >> digit->shift);
    }
    return (int16_t)((uint64_t)number >> digit->shift & ((1 << DIGIT_BITS) - 1));
}

static void read_digits(const Whole *whole, const Plan *plan, size_t first, size_t rows, int16_t *digits)
{
    memset(digits, 0, rows * plan->width * sizeof *digits);
    for (size_t row = 0; row < rows; row++) {
        const int64_t *numbers = whole->numbers + (first + row) * whole->columns;
        for (size_t i = 0; i < plan->count; i++) {
            digits[row * plan->width + i] = digit_of(numbers[plan->digits[i].column], &plan->digits[i]);
        }
    }
}

/* --- tables ------------------------------------------------------------------------------------------------------- */

/* Fill a table by the combination's bits: if the lowest is set, the first row is that of `left`, else that of `right`.
 * Each row doubles the entries that are filled. */
static void fill_table(const int16_t *left, const int16_t *right, size_t rows, size_t width, int16_t *table)
{
    memset(table, 0, COMBINATIONS * width * sizeof *table);
    for (size_t row = 0; row < rows; row++, left += width, right += width) {
        size_t half = (size_t)1 << row;
        for (size_t entry = 0; entry < half; entry++) {
            int16_t *kept = table + entry * width, *swapped = table + (entry + half) * width;
            for (size_t i = 0; i < width; i++) {
                swapped[i] = (int16_t)(kept[i] + left[i]);
                kept[i] = (int16_t)(kept[i] + right[i]);
            }
        }
    }
}

/* Add an entry of each table, some lanes at a time. */
static inline void add_entries(int32_t *sums, const int16_t *tables, uint64_t bits, size_t width)
{
    for (size_t lane = 0; lane < width; lane += LANES) {
        Lanes part = {0};
        const int16_t *table = tables + lane;
        uint64_t rest = bits;
        for (size_t group = 0; group < GROUPS; group++, rest >>= GROUP, table += COMBINATIONS * width) {
            part = add_lanes(part, table + rest % COMBINATIONS * width);
        }
        for (size_t i = 0; i < LANES; i++) {
            sums[lane + i] += part.lanes[i];
        }
    }
}

/* Add a part of the rows to the sums of each trial. */
static inline void add_part(const Swaps *swaps, size_t rows, size_t first, size_t count, const int16_t *tables,
                            size_t width, int32_t *sums)
{
    for (size_t trial = 0; trial < swaps->trials; trial++) {
        uint64_t bits = bits_at(swaps->words, swaps->first + trial * rows + first, count);
        add_entries(sums + trial * width, tables, bits, width);
    }
}

/* Add the rows from `first` to `last`; room: for the digits of a part on both sides, and for the tables. */
static void add_parts(const Whole *left, const Whole *right, const Swaps *swaps, const Plan *plan, size_t first,
                      size_t last, int16_t *room, int32_t *sums, Call *call)
{
    size_t width = plan->width;
    int16_t *lefts = room, *rights = lefts + PART * width, *tables = rights + PART * width;
    for (; first < last && goes_on(call, swaps->trials * GROUPS * width / 2); first += PART) {
        size_t count = last - first < PART ? last - first : PART;
        read_digits(left, plan, first, count, lefts);
        read_digits(right, plan, first, count, rights);
        for (size_t row = 0; row < PART; row += GROUP) { /* the last part may be shorter: the rest of its tables is 0 */
            size_t rows = row < count ? count - row : 0;
            fill_table(lefts + row * width, rights + row * width, rows < GROUP ? rows : GROUP, width,
                       tables + row / GROUP * COMBINATIONS * width);
        }
        if (width == LANES) { /* so that compilers know it */
            add_part(swaps, left->rows, first, count, tables, LANES, sums);
        }
        else if (width == 2 * LANES) {
            add_part(swaps, left->rows, first, count, tables, 2 * LANES, sums);
        }
        else {
            add_part(swaps, left->rows, first, count, tables, width, sums);
        }
    }
}

static void join_digits(const Plan *plan, const int32_t *digits, size_t trials, size_t columns, int64_t *sums)
{
    for (size_t trial = 0; trial < trials; trial++, digits += plan->width, sums += columns) {
        for (size_t column = 0; column < columns; column++) {
            size_t first = plan->firsts[column], last = first + plan->counts[column];
            for (size_t i = first; i < last; i++) {
                sums[column] += digits[i] * ((int64_t)1 << plan->digits[i].shift);
            }
        }
    }
}

/* Set the sums of the columns that no swap changes: half the totals of both sides. */
static void keep_columns(const Plan *plan, const int64_t *totals, size_t trials, size_t columns, int64_t *sums)
{
    for (size_t at = 0; at < trials * columns; at++) {
        if (plan->counts[at % columns] == 0) {
            sums[at] = totals[at % columns] / 2;
        }
    }
}

static Outcome swap_groups(const Whole *left, const Whole *right, const Swaps *swaps, const int64_t *totals,
                           int64_t *sums, Call *call)
{
    size_t columns = left->columns;
    Outcome outcome = NO_MEMORY;
    int16_t *room = NULL;
    int32_t *digits = NULL;
    Plan plan = {.digits = allocate(columns, DIGITS * sizeof *plan.digits),
                 .firsts = allocate(columns, sizeof *plan.firsts),
                 .counts = allocate(columns, sizeof *plan.counts)};
    if (plan.digits != NULL && plan.firsts != NULL && plan.counts != NULL) {
        make_plan(left, right, &plan);
        room = allocate(2 * PART + GROUPS * COMBINATIONS, plan.width * sizeof *room);
        digits = allocate(swaps->trials, plan.width * sizeof *digits);
    }
    if (room != NULL && digits != NULL) {
        memset(sums, 0, swaps->trials * columns * sizeof *sums);
        for (size_t first = 0, last; first < left->rows && !call->stopped; first = last) {
            last = left->rows - first < MAX_ROWS ? left->rows : first + MAX_ROWS;
            memset(digits, 0, swaps->trials * plan.width * sizeof *digits);
            add_parts(left, right, swaps, &plan, first, last, room, digits, call);
            join_digits(&plan, digits, swaps->trials, columns, sums);
        }
        keep_columns(&plan, totals, swaps->trials, columns, sums);
        outcome = DONE;
    }
    release(plan.digits);
    release(plan.firsts);
    release(plan.counts);
    release(room);
    release(digits);
    return outcome;
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
    int64_t *totals = allocate(columns, sizeof *totals);
    if (totals == NULL) {
        return NO_MEMORY;
    }
    memset(totals, 0, columns * sizeof *totals);
    add_totals(left, totals);
    add_totals(right, totals);
    Outcome outcome = swap_groups(left, right, swaps, totals, sums, call);
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
