/* Clipped n-gram matches of two texts that repeat few tokens, as the words of sentences: all orders at once.
 *
 * Equal n-grams begin with equal tokens, and most words occur in a sentence only once. So each place of the reference is
 * compared with the places of the hypothesis that have the same token. The number of tokens that both have in common
 * from there on is the highest order that matches. */
#ifndef BLEU_PLACES_H
#define BLEU_PLACES_H

#include "kernels.h"
#include "lanes.h"

#ifdef HAS_VECTORS
/* A place of the hypothesis. Up to the order `shared`, the n-grams that begin here also begin at an earlier place: at
 * `likest`, the first of those with the most tokens in common; `left` counts longer ones, which stand here for the first
 * time, and those that are equal to them: how many the reference has not matched so far. before: the last place before
 * this one that has its token, or NO_PLACE. */
typedef struct {
    Lanes left;
    uint16_t before, likest, shared;
} Place;
#else
typedef char Place; /* all texts are sorted */
#endif

/* How many places to make room for; room: the size of the longest hypothesis. */
size_t places_room(size_t room);
/* Fill correct[0 .. max_order) as match_sorted does, from the same `tokens`. Return 0 if the texts have so many
 * repetitions that sorting takes less time; nothing is filled then. */
int match_places(Place *places, const unsigned char *tokens, size_t hyp_size, size_t ref_size, uint32_t different,
                 size_t max_order, int64_t *correct);

#endif
