/* What the two files of TER share: the texts of one pair, and their edit distances. */
#ifndef BLEU_EDITS_H
#define BLEU_EDITS_H

#include "bits.h"
#include "tokens.h"

enum { MATCH, SUBSTITUTION, DELETION, INSERTION };

/* A hypothesis and a reference, and the memory to compare them, which the next pair reuses. */
typedef struct {
    Call *call;
    Vocabulary vocabulary;
    size_t hyp_room, ref_room;      /* words of the longest texts */
    unsigned char *memory;          /* holds all but `masks` and `operations` */
    uint32_t *words;                /* the hypothesis as shifted so far */
    uint32_t *reference;
    uint32_t *trial;                /* a shifted hypothesis, for the beam */
    size_t size, ref_size;
    uint32_t *first_place, *next_place; /* by word: its first place in the reference; by place: the word's next place */
    int is_long;                    /* only the beam is used, not the members from `masks` to `state` */
    uint64_t *masks;                /* by word: a bit for each place in the reference, 64 to a block */
    size_t masks_room;
    size_t blocks;
    Bits *rows;                     /* the state after each row of the current hypothesis, as far as there is room */
    int64_t *row_costs;             /* the last column's cost after each of these rows */
    size_t kept_rows;
    Bits *state;                    /* of a trial */
    int64_t *above, *costs;         /* two rows of the beam */
    unsigned char *operations;      /* of the beam, its rows one after the other */
    size_t operations_room;
    size_t *row_starts, *row_columns; /* where each row's operations start, and at which column */
    int64_t *aligned;
    unsigned char *word_errors, *reference_errors;
    int64_t distance;               /* of the current hypothesis, within the beam */
    int exact;                      /* whether the beam is known not to matter */
    int has_states;                 /* exact, and all states are kept, so that they show the operations */
    int64_t tried, shifts;          /* shifts: those that were made */
} Pair;

/* Make room for the backtrace, and index the reference; once for each pair. */
Outcome pair_start(Pair *pair);

/* The distance of `words`, as many as the hypothesis has, to the reference within the beam. With `keep`, the operations
 * are kept for `align`. Once the call is stopped, the distances and alignments are meaningless. */
int64_t beam_distance(Pair *pair, const uint32_t *words, int keep);
/* Find the word that each reference word is aligned with, and the words that are edited, from the operations that the
 * beam kept or from the states that full_distance kept. */
void align(Pair *pair);

/* The Levenshtein distance of the current hypothesis, unless the pair is long; the state after each row is kept. */
int64_t full_distance(Pair *pair);
/* The same for a text that begins with `from` words of the hypothesis; the words after them come in three ranges. */
typedef struct {
    size_t from;
    size_t ranges[3][2];
} Order;
int64_t full_distance_in_order(Pair *pair, const Order *order);

/* Beyond this many words the beam, whose width is fixed, is faster than all columns 64 at a time. */
#define LONG_TEXT 4096
/* The number of states that are kept of one pair, in 1 MB: all of them, for texts of ordinary length. */
#define KEPT_STATES 65536

#endif
