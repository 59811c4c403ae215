/* TER: edits with shifts of phrases (Snover et al. 2006), with tercom's limits; kernels/python_edits.py explains.
 *
 * Almost all the time goes into edit distances of texts in which one phrase was moved. If the beam cannot matter
 * (distance + difference of the lengths <= 49), bit-parallel Levenshtein (Myers 1999, Hyyro 2003) computes them, from
 * the first row that the shift changes, and its states show the alignments. Otherwise, its distances, which are never
 * above those of the beam, show which candidates could win at all, and only those get the beam. Time and memory of the
 * bit-parallel computation are quadratic in the length, so long texts get only the beam. */
#include "edits.h"

#include <string.h>

/* tercom: words that a shift may move, how far, and how many shifts are tried in all */
#define MAX_SHIFT_SIZE 10
#define MAX_SHIFT_DISTANCE 50
#define MAX_CANDIDATES 1000
/* Up to this sum of distance and difference of lengths, the beam holds all shortest paths: one that strays from the
 * diagonal by k needs k edits to get there, and at least k minus the difference to get back. */
#define BEAM_IS_FULL 49

/* --- shifts ------------------------------------------------------------------------------------------------------- */

typedef struct {
    size_t start, size, target;
    int64_t gain;
} Shift;

static Order order_of(const Pair *pair, const Shift *shift)
{
    size_t start = shift->start, end = start + shift->size, target = shift->target, size = pair->size;
    if (target < start) {
        return (Order){target, {{start, end}, {target, start}, {end, size}}};
    }
    /* Quirk: for a target within the phrase, tercom moves the phrase target - start words to the right */
    size_t behind = target > end ? target : target + shift->size < size ? target + shift->size : size;
    return (Order){start, {{end, behind}, {start, end}, {behind, size}}};
}

static void write_shifted(const Pair *pair, const Shift *shift, uint32_t *out)
{
    Order order = order_of(pair, shift);
    memcpy(out, pair->words, order.from * sizeof *out);
    out += order.from;
    for (int i = 0; i < 3; i++) {
        size_t from = order.ranges[i][0], count = order.ranges[i][1] - from;
        memcpy(out, pair->words + from, count * sizeof *out);
        out += count;
    }
}

/* Whether a shift is better than the best one so far, which has the same gain: it is longer, or comes from an earlier
 * place, or goes to an earlier one. */
static int wins_tie(const Shift *shift, const Shift *best)
{
    if (shift->size != best->size) {
        return shift->size > best->size;
    }
    return shift->start != best->start ? shift->start < best->start : shift->target < best->target;
}

static int wins(const Shift *shift, const Shift *best)
{
    return shift->gain > 0 && (shift->gain > best->gain || (shift->gain == best->gain && wins_tie(shift, best)));
}

static void try_shift(Pair *pair, Shift shift, Shift *best)
{
    int is_known = 0;
    pair->tried++;
    if (!pair->is_long) {
        Order order = order_of(pair, &shift);
        shift.gain = pair->distance - full_distance_in_order(pair, &order); /* with a beam, an upper bound */
        if (!wins(&shift, best)) {
            return;
        }
        is_known = pair->exact;
    }
    if (!is_known) {
        write_shifted(pair, &shift, pair->trial);
        shift.gain = pair->distance - beam_distance(pair, pair->trial, 0);
    }
    if (is_known || wins(&shift, best)) {
        *best = shift;
    }
}

static int has_error(const unsigned char *errors, size_t from, size_t size)
{
    return memchr(errors + from, 1, size) != NULL;
}

/* Try all targets of the phrase of `size` words that starts at `start` in the hypothesis and at `at` in the reference.
 * tercom moves only phrases with an error, to places with an error, and not into themselves. */
static void try_targets(Pair *pair, size_t start, size_t at, size_t size, Shift *best)
{
    int64_t aligned = pair->aligned[at], previous = -1;
    if (!has_error(pair->word_errors, start, size) || !has_error(pair->reference_errors, at, size) ||
        (aligned >= (int64_t)start && aligned < (int64_t)(start + size))) {
        return;
    }
    for (size_t place = at; place <= at + size; place++) {
        int64_t target = place == 0 ? 0 : pair->aligned[place - 1] + 1;
        if (target != previous) {
            try_shift(pair, (Shift){start, size, (size_t)target, 0}, best);
        }
        previous = target;
    }
}

/* The rough time to look at one place of a word. */
#define PLACE_TIME 16

/* Try all shifts, up to the limit; returns the best, with gain 0 if none gains. */
static Shift best_shift(Pair *pair)
{
    Shift best = {0, 0, 0, 0};
    for (size_t place = pair->ref_size; place-- > 0;) { /* the loop below cut the chains when it last ran */
        pair->first_place[pair->reference[place]] = (uint32_t)place;
    }
    for (size_t start = 0; start < pair->size; start++) {
        uint32_t at = pair->words[start] == NONE ? NONE : pair->first_place[pair->words[start]];
        for (; at != NONE && goes_on(pair->call, PLACE_TIME); at = pair->next_place[at]) {
            if (at + MAX_SHIFT_DISTANCE < start) { /* too far back, also for all later starts */
                pair->first_place[pair->words[start]] = pair->next_place[at];
                continue;
            }
            if (at > start + MAX_SHIFT_DISTANCE) {
                break;
            }
            for (size_t size = 1; size <= MAX_SHIFT_SIZE; size++) {
                size_t last = start + size - 1, place = at + size - 1;
                if (last >= pair->size || place >= pair->ref_size || pair->words[last] != pair->reference[place]) {
                    break;
                }
                try_targets(pair, start, at, size, &best);
                if (pair->tried >= MAX_CANDIDATES || pair->call->stopped) {
                    return best;
                }
            }
        }
    }
    return best;
}

/* --- one pair of texts -------------------------------------------------------------------------------------------- */

static int64_t with_shifts(Pair *pair)
{
    int64_t difference = (int64_t)pair->ref_size - (int64_t)pair->size;
    difference = difference < 0 ? -difference : difference;
    for (;;) {
        int64_t full = pair->is_long ? BEAM_IS_FULL + 1 : full_distance(pair); /* not exact if long */
        pair->exact = full + difference <= BEAM_IS_FULL;
        pair->has_states = pair->exact && pair->kept_rows > pair->size;
        pair->distance = pair->has_states ? full : beam_distance(pair, pair->words, 1);
        if (pair->distance <= 1 || pair->call->stopped) { /* a shift would cost as much as it can gain */
            return pair->shifts + pair->distance;
        }
        align(pair);
        Shift best = best_shift(pair);
        /* Quirk: at the limit, tercom drops even the best shift of this round */
        if (pair->tried >= MAX_CANDIDATES || best.gain <= 0 || pair->call->stopped) {
            return pair->shifts + pair->distance;
        }
        write_shifted(pair, &best, pair->trial);
        memcpy(pair->words, pair->trial, pair->size * sizeof *pair->words);
        pair->shifts++;
    }
}

static Outcome edits_of_pair(Pair *pair, int64_t *edits)
{
    pair->shifts = 0;
    *edits = (int64_t)(pair->size > pair->ref_size ? pair->size : pair->ref_size);
    if (pair->size == 0 || pair->ref_size == 0) {
        return DONE;
    }
    if (pair->call->stopped) {
        return STOPPED;
    }
    if (pair_start(pair) != DONE) {
        return NO_MEMORY;
    }
    pair->tried = 0;
    *edits = with_shifts(pair);
    return pair->call->stopped ? STOPPED : DONE;
}

static int64_t count_errors(const unsigned char *errors, size_t size)
{
    int64_t count = 0;
    for (size_t i = 0; i < size; i++) {
        count += errors[i];
    }
    return count;
}

/* Count the edits of the pair by kind, after edits_of_pair. */
static void kinds_of_pair(Pair *pair, int64_t *kinds)
{
    int64_t size = (int64_t)pair->size, ref_size = (int64_t)pair->ref_size, words = size, places = ref_size, both = 0;
    if (size != 0 && ref_size != 0) {
        align(pair);
        words = count_errors(pair->word_errors, pair->size);                 /* substitutions and deletions */
        places = count_errors(pair->reference_errors, pair->ref_size);       /* substitutions and insertions */
        both = words + places - pair->distance;
    }
    kinds[0] = size - words;
    kinds[1] = both;
    kinds[2] = words - both;
    kinds[3] = places - both;
    kinds[4] = pair->shifts;
}

/* --- the corpus --------------------------------------------------------------------------------------------------- */

/* The rough time to read a word. */
#define TOKEN_TIME 16

static void read_reference(Pair *pair, const unsigned char *at, const unsigned char *end)
{
    Token token;
    Tokens tokens = tokens_of(at, end);
    vocabulary_clear(&pair->vocabulary, pair->ref_room);
    for (pair->ref_size = 0; next_token(&tokens, &token) && goes_on(pair->call, TOKEN_TIME); pair->ref_size++) {
        pair->reference[pair->ref_size] = token_id(&pair->vocabulary, token, 1);
    }
}

static void read_hypothesis(Pair *pair, const unsigned char *at, const unsigned char *end)
{
    Token token;
    Tokens tokens = tokens_of(at, end);
    for (pair->size = 0; next_token(&tokens, &token) && goes_on(pair->call, TOKEN_TIME); pair->size++) {
        pair->words[pair->size] = token_id(&pair->vocabulary, token, 0);
    }
}

/* Fill a row of ter_stats, or, if `kinds` is not NULL, one of ter_kinds. */
static Outcome count_segment(Pair *pair, Segments hypotheses, const Segments *references, size_t reference_count,
                             size_t index, double *row, int64_t *kinds)
{
    int64_t fewest = 0, words = 0, present = 0;
    Text hypothesis = text_at(hypotheses, index);
    if (kinds != NULL) {
        memset(kinds, 0, 5 * sizeof *kinds);
    }
    for (size_t i = 0; i < reference_count; i++) {
        Text reference = text_at(references[i], index);
        int64_t edits;
        if (reference.is_missing) {
            continue;
        }
        read_reference(pair, reference.at, reference.end);
        read_hypothesis(pair, hypothesis.at, hypothesis.end);
        Outcome outcome = edits_of_pair(pair, &edits);
        if (outcome != DONE) {
            return outcome;
        }
        if (present == 0 || edits < fewest) {
            fewest = edits;
            if (kinds != NULL) {
                kinds_of_pair(pair, kinds);
            }
        }
        words += (int64_t)pair->ref_size;
        present++;
    }
    if (row != NULL) {
        row[0] = (double)fewest;
        row[1] = present != 0 ? (double)words / (double)present : 0.0;
    }
    return DONE;
}

static void pair_free(Pair *pair)
{
    release(pair->memory);
    release(pair->masks);
    release(pair->operations);
    vocabulary_free(&pair->vocabulary);
}

/* Take room for `count` items of a size from the rest of a block. */
static void *carve(unsigned char **left, size_t count, size_t size)
{
    void *taken = *left;
    *left += count * size;
    return taken;
}

/* What the parts below need for each word of the longest texts; a row of the beam has one column more than the
 * reference has words, and another one that bounds it. */
#define HYP_WORD_SIZE (sizeof(int64_t) + 2 * sizeof(size_t) + 2 * sizeof(uint32_t) + 1)
#define REF_WORD_SIZE (3 * sizeof(int64_t) + 3 * sizeof(uint32_t) + 1)

static Outcome pair_allocate(Pair *pair, size_t hyp_room, size_t ref_room)
{
    if (hyp_room + ref_room >= NONE / 2 || hyp_room + ref_room > SIZE_MAX / 64) { /* as in ngrams.c */
        return NO_MEMORY;
    }
    size_t blocks = (ref_room + 63) / 64, rows = hyp_room + 1, columns = ref_room + 2;
    /* The most states that pair_start may want to keep */
    size_t kept = rows <= KEPT_STATES / blocks ? rows * blocks : KEPT_STATES + blocks;
    pair->hyp_room = hyp_room;
    pair->ref_room = ref_room;
    pair->memory = allocate((kept + blocks) * sizeof(Bits) + rows * HYP_WORD_SIZE + columns * REF_WORD_SIZE, 1);
    if (pair->memory == NULL) {
        return NO_MEMORY;
    }
    unsigned char *left = pair->memory; /* from the largest numbers to the smallest, so that all are aligned */
    pair->rows = carve(&left, kept, sizeof *pair->rows);
    pair->state = carve(&left, blocks, sizeof *pair->state);
    pair->row_costs = carve(&left, rows, sizeof *pair->row_costs);
    pair->above = carve(&left, columns, sizeof *pair->above);
    pair->costs = carve(&left, columns, sizeof *pair->costs);
    pair->aligned = carve(&left, columns, sizeof *pair->aligned);
    pair->row_starts = carve(&left, rows, sizeof *pair->row_starts);
    pair->row_columns = carve(&left, rows, sizeof *pair->row_columns);
    pair->words = carve(&left, rows, sizeof *pair->words);
    pair->trial = carve(&left, rows, sizeof *pair->trial);
    pair->reference = carve(&left, columns, sizeof *pair->reference);
    pair->first_place = carve(&left, columns, sizeof *pair->first_place);
    pair->next_place = carve(&left, columns, sizeof *pair->next_place);
    pair->word_errors = carve(&left, rows, 1);
    pair->reference_errors = carve(&left, columns, 1);
    return vocabulary_start(&pair->vocabulary, ref_room, &pair->call->secrets);
}

static Outcome count_corpus(Segments hypotheses, const Segments *references, size_t reference_count, double *rows,
                            int64_t *kinds, Call *call)
{
    Pair pair = {.call = call};
    size_t ref_room = 1;
    for (size_t i = 0; i < reference_count; i++) {
        size_t most = most_tokens(references[i], call);
        ref_room = most > ref_room ? most : ref_room;
    }
    size_t hyp_room = most_tokens(hypotheses, call);
    Outcome outcome = call->stopped ? STOPPED : pair_allocate(&pair, hyp_room, ref_room);
    for (size_t i = 0; outcome == DONE && i < hypotheses.count; i++) {
        outcome = count_segment(&pair, hypotheses, references, reference_count, i, rows != NULL ? rows + 2 * i : NULL,
                                kinds != NULL ? kinds + 5 * i : NULL);
    }
    pair_free(&pair);
    return outcome;
}

Outcome ter_stats(Segments hypotheses, const Segments *references, size_t reference_count, double *rows, Call *call)
{
    return count_corpus(hypotheses, references, reference_count, rows, NULL, call);
}

Outcome ter_kinds(Segments hypotheses, const Segments *references, size_t reference_count, int64_t *rows, Call *call)
{
    return count_corpus(hypotheses, references, reference_count, NULL, rows, call);
}
