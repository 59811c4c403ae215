/* Bit-parallel Levenshtein (Myers 1999, Hyyro 2003): a column of distances as bits, 64 at a time. */
#ifndef BLEU_BITS_H
#define BLEU_BITS_H

#include <stdint.h>

typedef struct {
    uint64_t plus, minus; /* where the column's costs rise and fall by one from word to word of the reference */
} Bits;

/* Advance one block of 64 reference words by a word of the hypothesis. `carry` is the change of cost in the row above:
 * -1, 0 or 1. Returns the change at its last row, which is the bit `top`. Higher bits are meaningless, and never reach
 * the lower ones. */
static inline int advance(Bits *bits, uint64_t equal, int carry, uint64_t top)
{
    uint64_t plus = bits->plus, minus = bits->minus;
    uint64_t vertical = equal | minus;
    equal |= (uint64_t)(carry < 0); /* a falling cost above the block acts like a match in its first row */
    /* The carry of a match runs through all following rows in which the cost rises */
    uint64_t horizontal = (((equal & plus) + plus) ^ plus) | equal;
    uint64_t up = minus | ~(horizontal | plus), down = plus & horizontal;
    int change = ((up & top) != 0) - ((down & top) != 0);
    up = up << 1 | (uint64_t)(carry > 0);
    down = down << 1 | (uint64_t)(carry < 0);
    bits->plus = down | ~(vertical | up);
    bits->minus = up & vertical;
    return change;
}

#endif
