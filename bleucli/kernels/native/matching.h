/* Clipped n-gram matches between sequences of ids, for words and characters alike.
 *
 * Tokens already have ids, those of the hypothesis 0, 1, 2, ...; a token of a reference that the hypothesis lacks is
 * NONE. Most texts have few different tokens and are compared with a single reference. If they repeat few of them, their
 * places are compared (places.h), and else sorted (sorting.h). For others, an n-gram's id is found by the pair (id of
 * its first n-1 tokens, id of its last token). Only the hypothesis's n-grams get ids, so references are looked up and
 * never stored; and an n-gram can match only where its first n-1 tokens did, so every order looks at fewer places than
 * the previous one. */
#ifndef BLEU_MATCHING_H
#define BLEU_MATCHING_H

#include "kernels.h"
#include "places.h"
#include "sorting.h"
#include "table.h"

/* A text: the ids of its tokens. */
typedef struct {
    uint32_t *ids;
    size_t size;
} Sequence;

/* A text, and those of its n-grams of the current order that can still match. */
typedef struct {
    uint32_t *tokens;
    size_t size;
    uint32_t *starts; /* where each n-gram starts, ascending */
    uint32_t *grams;
    size_t gram_count;
} Ids;

typedef struct {
    Call *call;
    uint32_t *memory; /* holds the arrays below */
    void *sorter_memory;
    Sorter sorter;
    Place *places;
    Ids hypothesis;
    Ids *references;
    uint32_t *reference_memory;
    Table hashed;          /* pairs, where a table of all of them would be too large */
    uint32_t *direct;      /* a table of all pairs; an entry is era << 16 | id */
    size_t direct_room, direct_used; /* how many entries it has, and how many of the first hold an era */
    uint32_t direct_era;
    int is_direct;
    uint32_t width;        /* of the table: the number of different tokens */
    uint32_t ids;          /* given out for the current order */
    uint32_t *in_hypothesis; /* how often the hypothesis has each n-gram of the current order */
    uint32_t *in_reference;  /* how often one reference has it */
    uint32_t *most;          /* how often any reference has it at most */
    uint32_t *most_before;   /* the same for the previous order */
} Matcher;

/* Prepare for hypotheses of at most `room` tokens, and for at most `reference_count` references that together have at
 * most `reference_room`. Free the matcher even if this fails. */
Outcome matcher_start(Matcher *matcher, size_t room, size_t reference_room, size_t reference_count, Call *call);
void matcher_free(Matcher *matcher);

/* Fill correct[0 .. max_order): the hypothesis's n-grams that a reference has, each at most as often as any single
 * reference has it. `different` is the number of different tokens of the hypothesis. The numbers are meaningless once
 * the call is stopped. */
void match_orders(Matcher *matcher, Sequence hypothesis, uint32_t different, const Sequence *references,
                  size_t reference_count, size_t max_order, int64_t *correct);

#endif
