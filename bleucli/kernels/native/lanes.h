/* Orders of n-grams side by side, in the lanes of a vector; and how many tokens two places of texts have in common. */
#ifndef BLEU_LANES_H
#define BLEU_LANES_H

#include "blocks.h"

/* What is read at a place at once. Its last token is not compared, so that two places always differ before the end. */
#define WIDTH ((size_t)8)

#ifdef HAS_VECTORS
typedef int16_t Lanes __attribute__((vector_size(16)));

/* All bits of the lanes of the orders up to `length`. */
#define LANE(order, length) ((order) <= (length) ? -1 : 0)
#define LANES(length)                                                                                              \
    {LANE(1, length), LANE(2, length), LANE(3, length), LANE(4, length),                                           \
     LANE(5, length), LANE(6, length), LANE(7, length), LANE(8, length)}
static const Lanes lanes_up_to[] = {LANES(0), LANES(1), LANES(2), LANES(3), LANES(4), LANES(5), LANES(6), LANES(7)};

/* How many tokens two places have in common, of those that are compared: 0 to 7. */
static inline size_t tokens_alike(uint64_t one, uint64_t other)
{
    return first_bit((one ^ other) | UINT64_C(1) << 56) / 8;
}

static inline uint64_t tokens_at(const unsigned char *place)
{
    uint64_t tokens;
    memcpy(&tokens, place, WIDTH);
    return tokens;
}
#endif

#endif
