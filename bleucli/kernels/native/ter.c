/* TER: edits with shifts of phrases (Snover et al. 2006), with tercom's limits; kernels/reference_ter.py explains.
 *
 * Almost all the time goes into edit distances of texts in which one phrase was moved. Where the beam cannot matter
 * (distance + difference of the lengths <= 49), bit-parallel Levenshtein (Myers 1999, Hyyro 2003) computes them, from the
 * first row that the shift changes on. Elsewhere it tells which candidates could win at all, and only those get the beam. */
#include "tokens.h"

#include <string.h>

/* tercom: words that a shift may move, how far, how many shifts are tried in all, and half the width of the beam */
#define MAX_SHIFT_SIZE 10
#define MAX_SHIFT_DISTANCE 50
#define MAX_CANDIDATES 1000
#define BEAM_WIDTH 25
/* Up to this sum of distance and difference of lengths, the beam holds all shortest paths. */
#define BEAM_IS_FULL 49

#define INFINITE (INT64_MAX / 2)

enum { MATCH, SUBSTITUTION, DELETION, INSERTION };

typedef struct {
    uint64_t plus, minus; /* where the column's costs go up, and down, by one from word to word of the reference */
} Bits;

/* What one pair of texts needs; grown where a longer one comes. */
typedef struct {
    Vocabulary vocabulary;
    size_t hyp_room, ref_room;      /* words of the longest texts */
    uint32_t *original, *words;     /* the hypothesis as it was read, and as shifted so far */
    uint32_t *reference;
    uint32_t *trial;                /* a shifted hypothesis, for the beam */
    size_t size, ref_size;
    uint32_t *first_place, *next_place; /* of each word of the reference: where it stands first; where next */
    uint64_t *masks;                /* of each word of the reference: where it stands, `blocks` words of bits */
    size_t blocks;
    Bits *rows;                     /* the state after each row of the current hypothesis, as far as there is room */
    int64_t *row_costs;             /* its last column's costs */
    size_t kept_rows;
    Bits *state;                    /* of a trial */
    int64_t *above, *costs;         /* two rows of the beam */
    unsigned char *operations;      /* of the beam, its rows one behind the other */
    size_t operations_room;
    size_t *row_starts, *row_columns; /* where each row's operations start, and at which column */
    int64_t *aligned;
    unsigned char *word_errors, *reference_errors;
    int64_t distance;               /* of the current hypothesis, within the beam */
    int exact;                      /* whether the beam does not matter */
    int64_t tried;
} Work;

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

static Beam beam_of(const Work *work)
{
    double ratio = (double)work->ref_size / (double)work->size;
    return (Beam){ratio, ratio / 2 > BEAM_WIDTH ? rounded_up(ratio / 2 + BEAM_WIDTH) : BEAM_WIDTH};
}

/* The columns that a row fills: from *first up to the one returned. */
static int64_t beam_columns(const Work *work, Beam beam, size_t row, int64_t *first)
{
    int64_t middle = (int64_t)((double)row * beam.ratio), width = (int64_t)work->ref_size + 1;
    *first = middle > beam.half ? middle - beam.half : 0;
    return row == work->size || middle + beam.half > width ? width : middle + beam.half;
}

/* Fill one row and, if wanted, its operations from column `first` on. */
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

/* The distance of `words` to the reference within the beam; with `keep`, the operations are kept for the backtrace. */
static int64_t beam_distance(Work *work, const uint32_t *words, int keep)
{
    int64_t filled = (int64_t)work->ref_size + 1, *above = work->above, *costs = work->costs;
    Beam beam = beam_of(work);
    size_t kept = 0;
    for (int64_t column = 0; column < filled; column++) {
        above[column] = column;
    }
    for (size_t row = 1; row <= work->size; row++) {
        int64_t first, end = beam_columns(work, beam, row, &first);
        for (; filled < end; filled++) {
            above[filled] = INFINITE;
        }
        beam_row(above, costs, words[row - 1], work->reference, first, end, keep ? work->operations + kept : NULL);
        if (keep) {
            work->row_starts[row] = kept;
            work->row_columns[row] = (size_t)first;
            kept += (size_t)(end - first);
        }
        if (first > 0) {
            costs[first - 1] = INFINITE;
        }
        filled = end;
        int64_t *swapped = above;
        above = costs;
        costs = swapped;
    }
    return above[work->ref_size];
}

/* How many operations the beam keeps. */
static size_t beam_cells(const Work *work)
{
    Beam beam = beam_of(work);
    size_t cells = 0;
    for (size_t row = 1; row <= work->size; row++) {
        int64_t first, end = beam_columns(work, beam, row, &first);
        cells += end > first ? (size_t)(end - first) : 0;
    }
    return cells;
}

/* Walk back through the kept operations: with which word each reference word is aligned, and what is in error. */
static void align(Work *work)
{
    size_t row = work->size, column = work->ref_size;
    while (row > 0 || column > 0) {
        unsigned char operation = INSERTION;
        if (row > 0) {
            operation = work->operations[work->row_starts[row] + column - work->row_columns[row]];
        }
        if (operation != INSERTION) {
            work->word_errors[--row] = operation != MATCH;
        }
        if (operation != DELETION) {
            work->aligned[--column] = operation == INSERTION ? (int64_t)row - 1 : (int64_t)row;
            work->reference_errors[column] = operation != MATCH;
        }
    }
}

/* --- bit-parallel Levenshtein ------------------------------------------------------------------------------------- */

/* Advance one block of 64 reference words by a word of the hypothesis; `carry` is the change of cost at its first row,
 * -1, 0 or 1, and what is returned that at its last one, the bit `top`. */
static int advance(Bits *bits, uint64_t equal, int carry, uint64_t top)
{
    uint64_t plus = bits->plus, minus = bits->minus;
    uint64_t vertical = equal | minus;
    equal |= (uint64_t)(carry < 0);
    uint64_t horizontal = (((equal & plus) + plus) ^ plus) | equal;
    uint64_t up = minus | ~(horizontal | plus), down = plus & horizontal;
    int change = (up & top) != 0 ? 1 : (down & top) != 0 ? -1 : 0;
    up = up << 1 | (uint64_t)(carry > 0);
    down = down << 1 | (uint64_t)(carry < 0);
    bits->plus = down | ~(vertical | up);
    bits->minus = up & vertical;
    return change;
}

static const uint64_t *mask_of(const Work *work, uint32_t word)
{
    return word == NONE ? NULL : work->masks + word * work->blocks;
}

/* Advance all blocks by a word; returns the change of the last column's cost. */
static int advance_all(const Work *work, Bits *state, uint32_t word)
{
    const uint64_t *mask = mask_of(work, word);
    size_t last = work->blocks - 1;
    int carry = 1;
    for (size_t block = 0; block < last; block++) {
        carry = advance(&state[block], mask != NULL ? mask[block] : 0, carry, UINT64_C(1) << 63);
    }
    return advance(&state[last], mask != NULL ? mask[last] : 0, carry, UINT64_C(1) << (work->ref_size - 1) % 64);
}

static int64_t advance_range(const Work *work, Bits *state, size_t from, size_t to)
{
    int64_t change = 0;
    for (size_t i = from; i < to; i++) {
        change += advance_all(work, state, work->words[i]);
    }
    return change;
}

/* Keep the state before each row of the current hypothesis; returns the full distance. */
static int64_t full_distance(Work *work)
{
    int64_t cost = (int64_t)work->ref_size;
    for (size_t block = 0; block < work->blocks; block++) {
        work->state[block] = (Bits){~UINT64_C(0), 0};
    }
    for (size_t row = 0; row <= work->size; row++) {
        if (row < work->kept_rows) {
            memcpy(work->rows + row * work->blocks, work->state, work->blocks * sizeof(Bits));
            work->row_costs[row] = cost;
        }
        if (row < work->size) {
            cost += advance_all(work, work->state, work->words[row]);
        }
    }
    return cost;
}

/* --- shifts ------------------------------------------------------------------------------------------------------- */

typedef struct {
    size_t start, size, target;
    int64_t gain;
} Shift;

/* A shifted text is the words up to `from`, then three ranges of the rest. */
typedef struct {
    size_t from;
    size_t ranges[3][2];
} Order;

static Order order_of(const Work *work, const Shift *shift)
{
    size_t start = shift->start, end = start + shift->size, target = shift->target, size = work->size;
    if (target < start) {
        return (Order){target, {{start, end}, {target, start}, {end, size}}};
    }
    size_t behind = target > end ? target : target + shift->size < size ? target + shift->size : size;
    return (Order){start, {{end, behind}, {start, end}, {behind, size}}};
}

static void write_shifted(const Work *work, const Shift *shift, uint32_t *out)
{
    Order order = order_of(work, shift);
    memcpy(out, work->words, order.from * sizeof *out);
    out += order.from;
    for (int i = 0; i < 3; i++) {
        size_t from = order.ranges[i][0], count = order.ranges[i][1] - from;
        memcpy(out, work->words + from, count * sizeof *out);
        out += count;
    }
}

static int64_t full_distance_shifted(Work *work, const Shift *shift)
{
    Order order = order_of(work, shift);
    size_t row = order.from < work->kept_rows ? order.from : work->kept_rows - 1;
    int64_t cost = work->row_costs[row];
    memcpy(work->state, work->rows + row * work->blocks, work->blocks * sizeof(Bits));
    cost += advance_range(work, work->state, row, order.from);
    for (int i = 0; i < 3; i++) {
        cost += advance_range(work, work->state, order.ranges[i][0], order.ranges[i][1]);
    }
    return cost;
}

/* Whether a shift is better than the best so far at the same gain: longer, from further ahead, to further ahead. */
static int wins_tie(const Shift *shift, const Shift *best)
{
    if (shift->size != best->size) {
        return shift->size > best->size;
    }
    return shift->start != best->start ? shift->start < best->start : shift->target < best->target;
}

static void try_shift(Work *work, Shift shift, Shift *best)
{
    work->tried++;
    shift.gain = work->distance - full_distance_shifted(work, &shift); /* with a beam, at most so much */
    if (shift.gain <= 0 || shift.gain < best->gain || (shift.gain == best->gain && !wins_tie(&shift, best))) {
        return;
    }
    if (!work->exact) {
        write_shifted(work, &shift, work->trial);
        shift.gain = work->distance - beam_distance(work, work->trial, 0);
        if (shift.gain <= 0 || shift.gain < best->gain || (shift.gain == best->gain && !wins_tie(&shift, best))) {
            return;
        }
    }
    *best = shift;
}

static int has_error(const unsigned char *errors, size_t from, size_t size)
{
    return memchr(errors + from, 1, size) != NULL;
}

/* Try all targets of the phrase of that size that starts at `start` here and at `at` in the reference. */
static void try_targets(Work *work, size_t start, size_t at, size_t size, Shift *best)
{
    int64_t aligned = work->aligned[at], previous = -1;
    if (!has_error(work->word_errors, start, size) || !has_error(work->reference_errors, at, size) ||
        (aligned >= (int64_t)start && aligned < (int64_t)(start + size))) {
        return;
    }
    for (size_t place = at; place <= at + size; place++) {
        int64_t target = place == 0 ? 0 : work->aligned[place - 1] + 1;
        if (target != previous) {
            try_shift(work, (Shift){start, size, (size_t)target, 0}, best);
        }
        previous = target;
    }
}

/* Try all shifts, up to the limit; returns the best, with gain 0 if none gains. */
static Shift best_shift(Work *work)
{
    Shift best = {0, 0, 0, 0};
    for (size_t start = 0; start < work->size; start++) {
        uint32_t at = work->words[start] == NONE ? NONE : work->first_place[work->words[start]];
        for (; at != NONE; at = work->next_place[at]) {
            if (at + MAX_SHIFT_DISTANCE < start) {
                continue;
            }
            if (at > start + MAX_SHIFT_DISTANCE) {
                break;
            }
            for (size_t size = 1; size <= MAX_SHIFT_SIZE; size++) {
                size_t last = start + size - 1, place = at + size - 1;
                if (last >= work->size || place >= work->ref_size || work->words[last] != work->reference[place]) {
                    break;
                }
                try_targets(work, start, at, size, &best);
                if (work->tried >= MAX_CANDIDATES) {
                    return best;
                }
            }
        }
    }
    return best;
}

/* --- one pair of texts -------------------------------------------------------------------------------------------- */

static Outcome prepare_beam(Work *work)
{
    size_t cells = beam_cells(work);
    if (cells > work->operations_room) {
        release(work->operations);
        work->operations = allocate(cells, 1);
        work->operations_room = work->operations != NULL ? cells : 0;
    }
    return work->operations != NULL || cells == 0 ? DONE : NO_MEMORY;
}

/* Index the reference: where each of its words stands, as a chain and as bits. */
static void index_reference(Work *work)
{
    size_t different = work->vocabulary.table.ids;
    work->blocks = (work->ref_size + 63) / 64;
    memset(work->masks, 0, different * work->blocks * sizeof *work->masks);
    for (size_t id = 0; id < different; id++) {
        work->first_place[id] = NONE;
    }
    for (size_t place = work->ref_size; place-- > 0;) {
        uint32_t word = work->reference[place];
        work->next_place[place] = work->first_place[word];
        work->first_place[word] = (uint32_t)place;
        work->masks[word * work->blocks + place / 64] |= UINT64_C(1) << place % 64;
    }
}

static int64_t with_shifts(Work *work)
{
    int64_t shifts = 0;
    int64_t difference = (int64_t)work->ref_size - (int64_t)work->size;
    difference = difference < 0 ? -difference : difference;
    for (;;) {
        int64_t full = full_distance(work);
        work->exact = full + difference <= BEAM_IS_FULL;
        if (work->exact && full <= 1) { /* a shift costs as much as it can gain */
            return shifts + full;
        }
        work->distance = beam_distance(work, work->words, 1);
        align(work);
        Shift best = best_shift(work);
        if (work->tried >= MAX_CANDIDATES || best.gain <= 0) {
            return shifts + work->distance;
        }
        write_shifted(work, &best, work->trial);
        memcpy(work->words, work->trial, work->size * sizeof *work->words);
        shifts++;
    }
}

/* How many rows of states are kept: all, for texts of a usual length. */
#define KEPT_STATES 65536

static Outcome edits_of_pair(Work *work, int64_t *edits)
{
    *edits = (int64_t)(work->size > work->ref_size ? work->size : work->ref_size);
    if (work->size == 0 || work->ref_size == 0) {
        return DONE;
    }
    if (prepare_beam(work) != DONE) {
        return NO_MEMORY;
    }
    index_reference(work);
    work->kept_rows = KEPT_STATES / work->blocks + 1;
    work->kept_rows = work->kept_rows < work->size + 1 ? work->kept_rows : work->size + 1;
    work->tried = 0;
    *edits = with_shifts(work);
    return DONE;
}

/* --- the corpus --------------------------------------------------------------------------------------------------- */

static void read_reference(Work *work, const unsigned char *at, const unsigned char *end)
{
    Token token;
    vocabulary_clear(&work->vocabulary, work->ref_room);
    for (work->ref_size = 0; next_token(&at, end, &token); work->ref_size++) {
        work->reference[work->ref_size] = token_id(&work->vocabulary, &token, 1);
    }
}

static void read_hypothesis(Work *work, const unsigned char *at, const unsigned char *end)
{
    Token token;
    for (work->size = 0; next_token(&at, end, &token); work->size++) {
        work->words[work->size] = token_id(&work->vocabulary, &token, 0);
    }
}

static Outcome count_segment(Work *work, Segments hypotheses, const Segments *references, size_t reference_count,
                             size_t index, double *row)
{
    int64_t fewest = 0, words = 0, present = 0;
    int64_t start = hypotheses.bounds[2 * index], end = hypotheses.bounds[2 * index + 1];
    start = start < 0 ? end = 0 : start;
    for (size_t i = 0; i < reference_count; i++) {
        int64_t from = references[i].bounds[2 * index], to = references[i].bounds[2 * index + 1], edits;
        if (from < 0) {
            continue;
        }
        read_reference(work, references[i].data + from, references[i].data + to);
        read_hypothesis(work, hypotheses.data + start, hypotheses.data + end);
        if (edits_of_pair(work, &edits) != DONE) {
            return NO_MEMORY;
        }
        fewest = present == 0 || edits < fewest ? edits : fewest;
        words += (int64_t)work->ref_size;
        present++;
    }
    row[0] = (double)fewest;
    row[1] = present != 0 ? (double)words / (double)present : 0.0;
    return DONE;
}

static void work_free(Work *work)
{
    void *parts[] = {work->words,      work->reference, work->trial,       work->first_place, work->next_place,
                     work->masks,      work->rows,      work->row_costs,   work->state,       work->above,
                     work->costs,      work->operations, work->row_starts, work->row_columns, work->aligned,
                     work->word_errors, work->reference_errors};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        release(parts[i]);
    }
    vocabulary_free(&work->vocabulary);
}

static Outcome work_start(Work *work, size_t hyp_room, size_t ref_room)
{
    if (hyp_room >= NONE / 2 || ref_room >= NONE / 2) { /* ids of 32 bits would not do */
        return NO_MEMORY;
    }
    size_t blocks = (ref_room + 63) / 64;
    size_t kept = hyp_room * blocks + blocks < KEPT_STATES + blocks ? (hyp_room + 1) * blocks : KEPT_STATES + blocks;
    work->hyp_room = hyp_room;
    work->ref_room = ref_room;
    work->words = allocate(hyp_room, sizeof *work->words);
    work->trial = allocate(hyp_room, sizeof *work->trial);
    work->reference = allocate(ref_room, sizeof *work->reference);
    work->first_place = allocate(ref_room, sizeof *work->first_place);
    work->next_place = allocate(ref_room, sizeof *work->next_place);
    work->masks = allocate(ref_room, blocks * sizeof *work->masks);
    work->rows = allocate(kept, sizeof *work->rows);
    work->row_costs = allocate(hyp_room + 1, sizeof *work->row_costs);
    work->state = allocate(blocks, sizeof *work->state);
    work->above = allocate(ref_room + 2, sizeof *work->above);
    work->costs = allocate(ref_room + 2, sizeof *work->costs);
    work->row_starts = allocate(hyp_room + 1, sizeof *work->row_starts);
    work->row_columns = allocate(hyp_room + 1, sizeof *work->row_columns);
    work->aligned = allocate(ref_room, sizeof *work->aligned);
    work->word_errors = allocate(hyp_room, 1);
    work->reference_errors = allocate(ref_room, 1);
    int complete = work->words != NULL && work->trial != NULL && work->reference != NULL && work->first_place != NULL &&
                   work->next_place != NULL && work->masks != NULL && work->rows != NULL && work->row_costs != NULL &&
                   work->state != NULL && work->above != NULL && work->costs != NULL && work->row_starts != NULL &&
                   work->row_columns != NULL && work->aligned != NULL && work->word_errors != NULL &&
                   work->reference_errors != NULL;
    return complete ? vocabulary_start(&work->vocabulary, ref_room) : NO_MEMORY;
}

Outcome ter_stats(Segments hypotheses, const Segments *references, size_t reference_count, double *rows)
{
    Work work = {0};
    size_t ref_room = 1;
    for (size_t i = 0; i < reference_count; i++) {
        size_t most = most_tokens(references[i]);
        ref_room = most > ref_room ? most : ref_room;
    }
    Outcome outcome = work_start(&work, most_tokens(hypotheses), ref_room);
    for (size_t i = 0; outcome == DONE && i < hypotheses.count; i++) {
        outcome = count_segment(&work, hypotheses, references, reference_count, i, rows + 2 * i);
    }
    work_free(&work);
    return outcome;
}
