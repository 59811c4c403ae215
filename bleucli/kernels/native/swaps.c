/* Approximate randomization: sums of rows after random swaps. */
#include <string.h>

#include "blocks.h"
#include "whole.h"

/* To take the row of `left` instead of that of `right` adds their difference. A table holds the sums of all
 * combinations of a group of differences. The tables of a few groups fit into the fastest cache, and a trial adds one
 * entry of each. Entries are 16-bit numbers; the processor adds LANES of them at once. So that they fit, large numbers
 * are written in digits, each of DIGIT_BITS bits; the top one has a sign. */
#define GROUP 6
#define GROUPS 10
#define PART (GROUP * GROUPS)
/* The bits of a trial may be far from those of the next one, so they are read for several parts at once: for at most as
 * many as this, if the bits of all trials fit into the second cache. */
#define MOST_PARTS 64
#define MOST_BITS (1 << 16) /* words */
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

/* What is added up: the digits of each column's differences, none if all are 0. Columns with the same differences share
 * theirs, such as BLEU's length and its number of single tokens. */
typedef struct {
    Digit *digits;
    size_t *firsts, *counts; /* by column */
    size_t count, width;     /* of all digits; the same, rounded up to LANES */
} Plan;

/* The rows of two systems. */
typedef struct {
    Whole left, right;
} Pair;

/* The difference between two numbers, which is small enough: `whole_open` has checked the sums of all rows. */
static inline int64_t difference(const Pair *pair, size_t at)
{
    return pair->left.numbers[at] - pair->right.numbers[at];
}

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

static int are_equal(const Pair *pair, size_t column, size_t other)
{
    for (size_t row = 0; row < pair->left.rows * pair->left.columns; row += pair->left.columns) {
        if (difference(pair, row + column) != difference(pair, row + other)) {
            return 0;
        }
    }
    return 1;
}

/* What is known of a column: which bits its differences have, where those below 0 count as their complements; whether
 * there are differences; the sum of the right side, and that of both. */
typedef struct {
    uint64_t bits;
    int differs;
    int64_t right, both;
} Column;

static void read_columns(const Pair *pair, Column *facts)
{
    size_t columns = pair->left.columns;
    memset(facts, 0, columns * sizeof *facts);
    for (size_t row = 0; row < pair->left.rows; row++) {
        for (size_t column = 0; column < columns; column++) {
            size_t at = row * columns + column;
            int64_t number = difference(pair, at), right = pair->right.numbers[at];
            facts[column].bits |= (uint64_t)(number < 0 ? ~number : number);
            facts[column].differs |= number != 0;
            facts[column].right += right;
            facts[column].both += number + right + right;
        }
    }
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

static void make_plan(const Pair *pair, const Column *columns, Plan *plan)
{
    plan->count = 0;
    for (size_t column = 0; column < pair->left.columns; column++) {
        size_t same = 0;
        plan->firsts[column] = plan->counts[column] = 0;
        if (!columns[column].differs) {
            continue;
        }
        while (same < column && !(columns[same].bits == columns[column].bits && are_equal(pair, column, same))) {
            same++;
        }
        if (same < column) {
            plan->firsts[column] = plan->firsts[same];
            plan->counts[column] = plan->counts[same];
        }
        else {
            plan_column(column, columns[column].bits, plan);
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

static void read_digits(const Pair *pair, const Plan *plan, size_t first, size_t rows, int16_t *digits)
{
    memset(digits, 0, rows * plan->width * sizeof *digits);
    for (size_t row = 0; row < rows; row++) {
        size_t start = (first + row) * pair->left.columns;
        for (size_t i = 0; i < plan->count; i++) {
            const Digit *digit = &plan->digits[i];
            digits[row * plan->width + i] = digit_of(difference(pair, start + digit->column), digit);
        }
    }
}

/* --- tables ------------------------------------------------------------------------------------------------------- */

/* Fill a table by the combination's bits: the lowest is that of the first row. Each row doubles the entries that are
 * filled. */
static void fill_table(const int16_t *digits, size_t rows, size_t width, int16_t *table)
{
    memset(table, 0, width * sizeof *table);
    for (size_t row = 0; row < rows; row++) {
        size_t filled = width << row;
        for (size_t at = 0; at < filled; at += width) {
            for (size_t i = 0; i < width; i++) {
                table[filled + at + i] = (int16_t)(table[at + i] + digits[row * width + i]);
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

/* Read the bits of some rows: for each part, those of each trial. */
static void read_bits(const Swaps *swaps, size_t rows, size_t first, size_t last, uint64_t *bits)
{
    for (size_t trial = 0; trial < swaps->trials; trial++) {
        size_t start = swaps->first + trial * rows;
        for (size_t row = first, at = trial; row < last; row += PART, at += swaps->trials) {
            bits[at] = bits_at(swaps->words, start + row, last - row < PART ? last - row : PART);
        }
    }
}

/* Add a part of the rows to the sums of each trial. */
static inline void add_part(const uint64_t *bits, size_t trials, const int16_t *tables, size_t width, int32_t *sums)
{
    for (size_t trial = 0; trial < trials; trial++) {
        add_entries(sums + trial * width, tables, bits[trial], width);
    }
}

static size_t parts_at_once(size_t trials)
{
    size_t parts = trials == 0 ? 1 : MOST_BITS / trials;
    return parts < 1 ? 1 : parts < MOST_PARTS ? parts : MOST_PARTS;
}

/* Add the rows from `first` to `last`; room: for the digits of a part, and for the tables; bits: for those of some
 * parts. */
static void add_parts(const Pair *pair, const Swaps *swaps, const Plan *plan, size_t first, size_t last, int16_t *room,
                      uint64_t *bits, int32_t *sums, Call *call)
{
    size_t width = plan->width, trials = swaps->trials, parts = parts_at_once(trials);
    int16_t *digits = room, *tables = digits + PART * width;
    for (size_t part = 0; first < last && goes_on(call, trials * GROUPS * width / 2); part++, first += PART) {
        size_t count = last - first < PART ? last - first : PART;
        if (part % parts == 0) {
            read_bits(swaps, pair->left.rows, first, last - first < parts * PART ? last : first + parts * PART, bits);
        }
        const uint64_t *of_part = bits + part % parts * trials;
        read_digits(pair, plan, first, count, digits);
        for (size_t row = 0; row < PART; row += GROUP) { /* the last part may be shorter: other rows have no bits */
            size_t rows = row < count ? count - row : 0;
            fill_table(digits + row * width, rows < GROUP ? rows : GROUP, width,
                       tables + row / GROUP * COMBINATIONS * width);
        }
        if (width == LANES) { /* so that compilers know it */
            add_part(of_part, trials, tables, LANES, sums);
        }
        else if (width == 2 * LANES) {
            add_part(of_part, trials, tables, 2 * LANES, sums);
        }
        else {
            add_part(of_part, trials, tables, width, sums);
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

/* Add to the sums of each trial the differences of the rows that are swapped. */
static Outcome swap_groups(const Pair *pair, const Column *facts, const Swaps *swaps, int64_t *sums, Call *call)
{
    size_t columns = pair->left.columns, rows = pair->left.rows;
    int16_t *room = NULL;
    int32_t *digits = NULL;
    uint64_t *bits = NULL;
    Plan plan = {.digits = allocate(columns, DIGITS * sizeof *plan.digits),
                 .firsts = allocate(columns, sizeof *plan.firsts),
                 .counts = allocate(columns, sizeof *plan.counts)};
    Outcome outcome = NO_MEMORY;
    if (plan.digits != NULL && plan.firsts != NULL && plan.counts != NULL) {
        make_plan(pair, facts, &plan);
        room = allocate(PART + GROUPS * COMBINATIONS, plan.width * sizeof *room);
        digits = allocate(swaps->trials, plan.width * sizeof *digits);
        bits = allocate(swaps->trials, parts_at_once(swaps->trials) * sizeof *bits);
        outcome = room != NULL && digits != NULL && bits != NULL ? DONE : NO_MEMORY;
    }
    for (size_t first = 0, last; first < rows && outcome == DONE && !call->stopped; first = last) {
        last = rows - first < MAX_ROWS ? rows : first + MAX_ROWS;
        memset(digits, 0, swaps->trials * plan.width * sizeof *digits);
        add_parts(pair, swaps, &plan, first, last, room, bits, digits, call);
        join_digits(&plan, digits, swaps->trials, columns, sums);
    }
    release(plan.digits);
    release(plan.firsts);
    release(plan.counts);
    release(room);
    release(digits);
    release(bits);
    return outcome;
}

static Outcome swap_whole(const Pair *pair, const Swaps *swaps, int64_t *sums, int64_t *others, Call *call)
{
    size_t columns = pair->left.columns;
    Column *facts = allocate(columns, sizeof *facts);
    if (facts == NULL) {
        return NO_MEMORY;
    }
    read_columns(pair, facts);
    for (size_t trial = 0; trial < swaps->trials; trial++) { /* no row is swapped yet */
        for (size_t column = 0; column < columns; column++) {
            sums[trial * columns + column] = facts[column].right;
        }
    }
    Outcome outcome = swap_groups(pair, facts, swaps, sums, call);
    for (size_t trial = 0; trial < swaps->trials && outcome == DONE; trial++) {
        for (size_t column = 0; column < columns; column++) {
            others[trial * columns + column] = facts[column].both - sums[trial * columns + column];
        }
    }
    release(facts);
    return outcome;
}

static Outcome swap_whole_reals(const Pair *pair, const Swaps *swaps, double *sums, double *others, Call *call)
{
    size_t count = swaps->trials * pair->left.columns;
    int64_t *room = allocate(count, 2 * sizeof *room);
    Outcome outcome = room != NULL ? swap_whole(pair, swaps, room, room + count, call) : NO_MEMORY;
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
    Pair pair = {.right = {.copy = NULL}};
    Outcome outcome = whole_open(left, (uint64_t)2 * left.rows, &pair.left);
    if (outcome == DONE) {
        outcome = whole_open(right, (uint64_t)2 * left.rows, &pair.right);
    }
    if (outcome == DONE && left.reals == NULL) {
        outcome = swap_whole(&pair, &swaps, sums.integers, others.integers, call);
    }
    else if (outcome == DONE && pair.left.numbers != NULL && pair.right.numbers != NULL) {
        outcome = swap_whole_reals(&pair, &swaps, sums.reals, others.reals, call);
    }
    else if (outcome == DONE) {
        /* Both sums are added row by row: the total minus one of them would be rounded differently */
        swap_reals(left, right, &swaps, sums.reals, call);
        swap_reals(right, left, &swaps, others.reals, call);
    }
    whole_close(&pair.left);
    whole_close(&pair.right);
    return outcome;
}
