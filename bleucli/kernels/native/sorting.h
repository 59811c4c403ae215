/* Clipped n-gram matches of two texts with few different tokens, such as characters: all orders at once.
 *
 * The places of both texts are sorted by the tokens that begin there, from the last order to the first, one token at a
 * time. Then equal n-grams of any order stand side by side, and one pass counts them: `d` is how many more of them the
 * hypothesis has than the reference. As min(a, b) = (a + b - |a - b|) / 2, the sum of all |d| gives the matches. The
 * pass counts all orders at once, each in its own lane of a vector. */
#ifndef BLEU_SORTING_H
#define BLEU_SORTING_H

#include "kernels.h"
#include "lanes.h"

/* Differences of counts, and sums of them, fit into 16 bits. */
#define MOST_TOKENS ((size_t)32000)

typedef struct {
    unsigned char *tokens;    /* those of the hypothesis, then those of the reference, each with what ends a text */
    uint16_t *places, *other; /* the places in `tokens` where n-grams begin, before and after a step of sorting */
} Sorter;

/* How many bytes of memory a sorter needs for texts of at most `room` tokens together. */
size_t sorter_memory(size_t room);
Sorter sorter_in(void *memory, size_t room);

/* Whether a sorter can match texts of `size` tokens together; different: as for match_orders. */
int can_sort(size_t size, uint32_t different, size_t max_order);
/* Copy the texts to `tokens`: `different` ends the hypothesis; one more stands for each token that it lacks. */
void take_texts(Sorter *sorter, const uint32_t *hypothesis, size_t hyp_size, const uint32_t *reference,
                size_t ref_size, uint32_t different);
/* Fill correct[0 .. max_order) as match_orders does, for the texts that were taken. */
void match_sorted(Sorter *sorter, size_t hyp_size, size_t ref_size, uint32_t different, size_t max_order,
                  int64_t *correct);

#endif
