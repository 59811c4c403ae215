/* Bit-parallel Levenshtein (Myers 1999, Hyyro 2003): a column of distances as bits, 64 at a time. */
#ifndef BLEU_BITS_H
#define BLEU_BITS_H

#include <stdint.h>

typedef struct {
    uint64_t plus, minus; /* where the column's costs rise and fall by one from word to word of the reference */
} Bits;

/* How the cost changes from one word of the hypothesis to the next: whether it rises or falls by one, as 0 or 1. */
typedef struct {
    uint64_t rises, falls;
} Change;

static inline int change_of(Change change)
{
    return (int)change.rises - (int)change.falls;
}

/* Advance one block of 64 reference words by a word of the hypothesis. `above` is the change in the row above the
 * block. Returns the change in its row `last`. The bits of later rows are meaningless, and never reach those of earlier
 * ones. */
static inline Change advance(Bits *bits, uint64_t equal, Change above, unsigned int last)
{
    uint64_t plus = bits->plus, minus = bits->minus;
    uint64_t vertical = equal | minus;
    equal |= above.falls; /* a falling cost above the block acts like a match in its first row */
    /* The carry of a match runs through all following rows in which the cost rises */
    uint64_t horizontal = (((equal & plus) + plus) ^ plus) | equal;
    /* Where the cost does not rise from the column before. A column waits for the one before, and it waits less if only
     * what is known early is negated. */
    uint64_t flat = (horizontal | plus) & ~minus, down = plus & horizontal;
    Change change = {(flat >> last & 1) ^ 1, down >> last & 1};
    flat = flat << 1 | (above.rises ^ 1);
    down = down << 1 | above.falls;
    bits->plus = down | (~vertical & flat);
    bits->minus = vertical & ~flat;
    return change;
}

#endif
