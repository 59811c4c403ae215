/* Edit distances of a pair of texts: within tercom's beam, and bit-parallel without it. */
#include "edits.h"

#include <string.h>

/* tercom: half the width of the beam */
#define BEAM_WIDTH 25
#define INFINITE (INT64_MAX / 2) /* costs can be added without overflow */
/* The rough time to fill a cell of the beam. */
#define CELL_TIME 2

/* --- the beam ----------------------------------------------------------------------------------------------------- */

typedef struct {
    double ratio;
    int64_t half;
} Beam;

static int64_t rounded_up(double number)
{
    int64_t floor = (int64_t)number;
    return (double)floor < number ? floor + 1 : floor;
}

static Beam beam_of(const Pair *pair)
{
    double ratio = (double)pair->ref_size / (double)pair->size;
    return (Beam){ratio, ratio / 2 > BEAM_WIDTH ? rounded_up(ratio / 2 + BEAM_WIDTH) : BEAM_WIDTH};
}

/* The columns that a row fills: from *first up to the one returned. */
static int64_t beam_columns(const Pair *pair, Beam beam, size_t row, int64_t *first)
{
    int64_t middle = (int64_t)((double)row * beam.ratio), width = (int64_t)pair->ref_size + 1;
    *first = middle > beam.half ? middle - beam.half : 0;
    return row == pair->size || middle + beam.half > width ? width : middle + beam.half;
}

/* Fill one row and, if wanted, its operations from column `first` on. Of equal costs, the first wins: diagonal, above,
 * left. */
static void beam_row(const int64_t *above, int64_t *costs, uint32_t word, const uint32_t *reference, int64_t first,
                     int64_t end, unsigned char *operations)
{
    int64_t left = INFINITE;
    for (int64_t column = first; column < end; column++) {
        int64_t best;
        unsigned char operation = DELETION;
        if (column == 0) {
            best = above[0] + 1;
        }
        else {
            int differs = word != reference[column - 1];
            best = above[column - 1] + differs;
            operation = differs ? SUBSTITUTION : MATCH;
            if (above[column] + 1 < best) {
                best = above[column] + 1;
                operation = DELETION;
            }
            if (left + 1 < best) {
                best = left + 1;
                operation = INSERTION;
            }
        }
        costs[column] = left = best;
        if (operations != NULL) {
            operations[column - first] = operation;
        }
    }
}

int64_t beam_distance(Pair *pair, const uint32_t *words, int keep)
{
    int64_t filled = (int64_t)pair->ref_size + 1, *above = pair->above, *costs = pair->costs;
    Beam beam = beam_of(pair);
    size_t kept = 0;
    for (int64_t column = 0; column < filled; column++) {
        above[column] = column;
    }
    for (size_t row = 1; row <= pair->size; row++) {
        int64_t first, end = beam_columns(pair, beam, row, &first);
        if (!goes_on(pair->call, (size_t)(end - first) * CELL_TIME)) {
            return 0;
        }
        for (; filled < end; filled++) { /* the row above ended before these columns */
            above[filled] = INFINITE;
        }
        beam_row(above, costs, words[row - 1], pair->reference, first, end, keep ? pair->operations + kept : NULL);
        if (keep) {
            pair->row_starts[row] = kept;
            pair->row_columns[row] = (size_t)first;
            kept += (size_t)(end - first);
        }
        if (first > 0) { /* the next row may look to the left of this row's beam */
            costs[first - 1] = INFINITE;
        }
        filled = end;
        int64_t *swapped = above;
        above = costs;
        costs = swapped;
    }
    return above[pair->ref_size];
}

/* The number of operations that the beam keeps. */
static size_t beam_cells(const Pair *pair)
{
    Beam beam = beam_of(pair);
    size_t cells = 0;
    for (size_t row = 1; row <= pair->size; row++) {
        int64_t first, end = beam_columns(pair, beam, row, &first);
        cells += end > first ? (size_t)(end - first) : 0;
    }
    return cells;
}

/* --- bit-parallel Levenshtein ------------------------------------------------------------------------------------- */

static const uint64_t *mask_of(const Pair *pair, uint32_t word)
{
    return word == NONE ? NULL : pair->masks + word * pair->blocks;
}

/* Advance all blocks by a word; returns the change of the last column's cost. */
static int advance_all(const Pair *pair, Bits *state, uint32_t word)
{
    const uint64_t *mask = mask_of(pair, word);
    size_t last = pair->blocks - 1;
    Change change = {1, 0}; /* above the first row, each word is one more deletion */
    for (size_t block = 0; block < last; block++) {
        change = advance(&state[block], mask != NULL ? mask[block] : 0, change, 63);
    }
    return change_of(advance(&state[last], mask != NULL ? mask[last] : 0, change, (pair->ref_size - 1) % 64));
}

static int64_t advance_range(const Pair *pair, Bits *state, size_t from, size_t to)
{
    int64_t change = 0;
    for (size_t i = from; i < to; i++) {
        change += advance_all(pair, state, pair->words[i]);
    }
    return change;
}

/* Ask before a distance is computed; pairs are too short for one to take long. */
static int goes_on_with(const Pair *pair)
{
    return goes_on(pair->call, pair->size * pair->blocks);
}

int64_t full_distance(Pair *pair)
{
    int64_t cost = (int64_t)pair->ref_size;
    if (!goes_on_with(pair)) {
        return 0;
    }
    for (size_t block = 0; block < pair->blocks; block++) {
        pair->state[block] = (Bits){~UINT64_C(0), 0}; /* before the first word, each reference word costs one more */
    }
    for (size_t row = 0; row <= pair->size; row++) {
        if (row < pair->kept_rows) {
            memcpy(pair->rows + row * pair->blocks, pair->state, pair->blocks * sizeof(Bits));
            pair->row_costs[row] = cost;
        }
        if (row < pair->size) {
            cost += advance_all(pair, pair->state, pair->words[row]);
        }
    }
    return cost;
}

int64_t full_distance_in_order(Pair *pair, const Order *order)
{
    /* Start from the last kept state before the words that moved */
    size_t row = order->from < pair->kept_rows ? order->from : pair->kept_rows - 1;
    int64_t cost = pair->row_costs[row];
    if (!goes_on_with(pair)) {
        return 0;
    }
    memcpy(pair->state, pair->rows + row * pair->blocks, pair->blocks * sizeof(Bits));
    cost += advance_range(pair, pair->state, row, order->from);
    for (int i = 0; i < 3; i++) {
        cost += advance_range(pair, pair->state, order->ranges[i][0], order->ranges[i][1]);
    }
    return cost;
}

/* --- alignments --------------------------------------------------------------------------------------------------- */

/* How the cost changes in a row from the column before: -1, 0 or 1. */
static int change_at(const Pair *pair, size_t row, size_t column)
{
    const Bits *bits = &pair->rows[row * pair->blocks + (column - 1) / 64];
    size_t place = (column - 1) % 64;
    return (int)(bits->plus >> place & 1) - (int)(bits->minus >> place & 1);
}

static int64_t count_bits(uint64_t bits)
{
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
    return (int64_t)(bits * UINT64_C(0x0101010101010101) >> 56);
}

static int64_t cost_at(const Pair *pair, size_t row, size_t column)
{
    const Bits *bits = &pair->rows[row * pair->blocks];
    int64_t cost = (int64_t)row;
    for (; column > 0; bits++) {
        size_t columns = column < 64 ? column : 64;
        uint64_t mask = ~UINT64_C(0) >> (64 - columns);
        cost += count_bits(bits->plus & mask) - count_bits(bits->minus & mask);
        column -= columns;
    }
    return cost;
}

/* The operation that beam_row chooses, from the states: of equal costs, the first wins: diagonal, above, left. */
static unsigned char operation_at(const Pair *pair, size_t row, size_t column)
{
    if (column == 0) {
        return DELETION;
    }
    if (pair->words[row - 1] == pair->reference[column - 1]) {
        return MATCH;
    }
    int is_above_less = change_at(pair, row - 1, column) < 0;
    if (change_at(pair, row, column) < 1) { /* the cost on the left is not the least of the three */
        return is_above_less ? DELETION : SUBSTITUTION;
    }
    if (cost_at(pair, row - 1, column - 1) == cost_at(pair, row, column - 1)) {
        return SUBSTITUTION;
    }
    return is_above_less ? DELETION : INSERTION;
}

/* Follow the operations backwards. The reference word of an insertion is aligned with the last word before it, or with
 * -1. */
void align(Pair *pair)
{
    size_t row = pair->size, column = pair->ref_size;
    while (row > 0 || column > 0) {
        unsigned char operation = INSERTION;
        if (row > 0) {
            operation = pair->has_states
                            ? operation_at(pair, row, column)
                            : pair->operations[pair->row_starts[row] + column - pair->row_columns[row]];
        }
        if (operation != INSERTION) {
            pair->word_errors[--row] = operation != MATCH;
        }
        if (operation != DELETION) {
            pair->aligned[--column] = operation == INSERTION ? (int64_t)row - 1 : (int64_t)row;
            pair->reference_errors[column] = operation != MATCH;
        }
    }
}

/* --- one pair ----------------------------------------------------------------------------------------------------- */

static Outcome prepare_beam(Pair *pair)
{
    size_t cells = beam_cells(pair);
    if (cells > pair->operations_room) {
        release(pair->operations);
        pair->operations = allocate(cells, 1);
        pair->operations_room = pair->operations != NULL ? cells : 0;
    }
    return pair->operations != NULL || cells == 0 ? DONE : NO_MEMORY;
}

/* Where each word of the reference stands, as a chain. */
static void chain_places(Pair *pair)
{
    for (size_t id = 0; id < pair->vocabulary.table.ids; id++) {
        pair->first_place[id] = NONE;
    }
    for (size_t place = pair->ref_size; place-- > 0;) { /* backwards, so that chains ascend */
        uint32_t word = pair->reference[place];
        pair->next_place[place] = pair->first_place[word];
        pair->first_place[word] = (uint32_t)place;
    }
}

/* The same as bits: masks only for the words that the reference has. */
static Outcome mask_places(Pair *pair)
{
    size_t room = pair->vocabulary.table.ids * pair->blocks;
    if (room > pair->masks_room) {
        release(pair->masks);
        pair->masks = allocate(room, sizeof *pair->masks);
        pair->masks_room = pair->masks != NULL ? room : 0;
    }
    if (pair->masks == NULL) {
        return NO_MEMORY;
    }
    memset(pair->masks, 0, room * sizeof *pair->masks);
    for (size_t place = 0; place < pair->ref_size; place++) {
        pair->masks[pair->reference[place] * pair->blocks + place / 64] |= UINT64_C(1) << place % 64;
    }
    return DONE;
}

Outcome pair_start(Pair *pair)
{
    chain_places(pair);
    pair->is_long = pair->size > LONG_TEXT || pair->ref_size > LONG_TEXT;
    if (!pair->is_long) {
        pair->blocks = (pair->ref_size + 63) / 64;
        pair->kept_rows = KEPT_STATES / pair->blocks + 1;
        pair->kept_rows = pair->kept_rows < pair->size + 1 ? pair->kept_rows : pair->size + 1;
        if (mask_places(pair) != DONE) {
            return NO_MEMORY;
        }
    }
    return prepare_beam(pair);
}
