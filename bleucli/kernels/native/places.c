/* N-gram matches by comparing places; see places.h. */
#include "places.h"

#include "sorting.h"

#include <limits.h>

size_t places_room(size_t room)
{
    return (room < MOST_TOKENS ? room : MOST_TOKENS) + 1; /* one more for tokens that the hypothesis lacks */
}

#ifdef HAS_VECTORS
#define NO_PLACE UINT16_MAX
/* The most comparisons with repeated tokens, per token of both texts: beyond it, sorting takes less time. */
#define MOST_REPEATS ((size_t)4)

/* Return the place with the most tokens in common with those at `at`, the first of several: `last`, or one before it
 * with the same token. shared: how many they are. repeats: how many more comparisons to make. */
static inline size_t likest_place(const Place *places, const unsigned char *tokens, size_t at, size_t last,
                                  size_t *shared, size_t *repeats)
{
    uint64_t wanted = tokens_at(tokens + at);
    size_t likest = last, most = tokens_alike(wanted, tokens_at(tokens + last));
    for (size_t place = places[last].before; place != NO_PLACE && *repeats > 0; place = places[place].before) {
        size_t length = tokens_alike(wanted, tokens_at(tokens + place));
        likest = length >= most ? place : likest;
        most = length >= most ? length : most;
        --*repeats;
    }
    *shared = most;
    return likest;
}

/* The orders that a place counts, of those up to `order`. */
static inline Lanes lanes_of(const Place *place, size_t order)
{
    return lanes_up_to[order] & ~lanes_up_to[place->shared];
}

/* Note all places of the hypothesis, and the last one of each token, as long as there are repeats left. */
static void note_places(Place *places, const unsigned char *tokens, size_t size, uint16_t *last, size_t *repeats)
{
    size_t fresh = 0; /* the next token that did not occur so far: they are numbered in this order */
    for (size_t at = 0; at < size && *repeats > 0; at++) {
        size_t token = tokens[at], shared = 0, likest = 0;
        uint16_t before = NO_PLACE;
        if (token == fresh) {
            fresh++;
        }
        else {
            before = last[token];
            likest = likest_place(places, tokens, at, before, &shared, repeats);
        }
        last[token] = (uint16_t)at;
        places[at] = (Place){lanes_up_to[WIDTH - 1], before, (uint16_t)likest, (uint16_t)shared};
        places[at].left = -lanes_of(&places[at], WIDTH - 1);
        for (size_t order = shared, place = likest; order > 0; place = places[place].likest) {
            places[place].left -= lanes_of(&places[place], order);
            order = places[place].shared < order ? places[place].shared : order;
        }
    }
}

int match_places(Place *places, const unsigned char *tokens, size_t hyp_size, size_t ref_size, uint32_t different,
                 size_t max_order, int64_t *correct)
{
    uint16_t last[UCHAR_MAX + 1];
    size_t repeats = MOST_REPEATS * (hyp_size + ref_size);
    if (hyp_size > 2 * (size_t)different) {
        return 0;
    }
    note_places(places, tokens, hyp_size, last, &repeats);
    /* Tokens that the hypothesis lacks are compared with its end, which no token equals */
    places[hyp_size] = (Place){{0}, NO_PLACE, 0, 0};
    last[different + 1] = (uint16_t)hyp_size;
    Lanes matches = {0};
    for (size_t at = hyp_size + WIDTH, end = at + ref_size; at < end && repeats > 0; at++) {
        size_t order, place = likest_place(places, tokens, at, last[tokens[at]], &order, &repeats);
        for (;;) {
            Lanes found = (places[place].left > 0) & lanes_of(&places[place], order);
            places[place].left += found;
            matches -= found;
            if (places[place].shared == 0) {
                break;
            }
            order = places[place].shared < order ? places[place].shared : order;
            place = places[place].likest;
        }
    }
    for (size_t order = 0; order < max_order && repeats > 0; order++) {
        correct[order] = matches[order];
    }
    return repeats > 0;
}
#else
int match_places(Place *places, const unsigned char *tokens, size_t hyp_size, size_t ref_size, uint32_t different,
                 size_t max_order, int64_t *correct)
{
    (void)places, (void)tokens, (void)hyp_size, (void)ref_size, (void)different, (void)max_order, (void)correct;
    return 0;
}
#endif
