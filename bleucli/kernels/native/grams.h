/* The n-grams of a block of hypotheses, and how often each text has each of them. Other n-grams of references cannot
 * match and are not kept.
 *
 * N-grams are the nodes of a trie: a token leads from an n-gram to the one that is longer by this token. The first
 * longer one, for most n-grams the only one, is kept in the node; others are in a hash table. Every n-gram is linked to
 * the one without its first token, which is in the trie, too. So a text is read token by token: the longest n-gram that
 * ends in one token leads to the longest that ends in the next, mostly in one step, and its links lead to all shorter
 * ones that end there (Aho & Corasick 1975). */
#ifndef BLEU_GRAMS_H
#define BLEU_GRAMS_H

#include "kernels.h"
#include "table.h"
#include "tokens.h"

/* Memory that grows. */
typedef struct {
    void *memory;
    size_t size; /* in bytes */
} Room;

/* Room for `count` items; if it has to grow, its content is lost. NULL if there is no memory. */
void *make_room(Room *room, size_t count, size_t size);

typedef enum { HYPOTHESIS = 0, REFERENCE = 1 } Side;

/* The numbers of texts fit into 16 bits. The highest counts are capped to fit; is_frequent says why that is safe. */
typedef struct {
    uint32_t shorter; /* the n-gram without its first token */
    uint32_t token;   /* the first token that followed it, */
    uint32_t longer;  /* and the n-gram with it, or NONE */
    uint32_t column;  /* its order, from 0; words come after characters */
    uint32_t entry;   /* the place in `grams` where the last text that has it counts it */
    uint32_t place;   /* for pairwise.c */
    uint16_t texts[2], most[2]; /* on each side: how many texts have it, and its highest count in one text */
} Node;

/* How often a text has an n-gram. */
typedef struct {
    uint32_t node, count;
} Gram;

/* What is counted: n-grams of characters, and of words up to these orders. */
typedef struct {
    size_t char_order, word_order;
    int whitespace;  /* whether white space takes part in n-grams of characters */
    int splits_words; /* whether punctuation at the edge of a word is a word of its own, as in chrF++ */
} Counted;

/* The length of a text; kept even if none of its n-grams is. */
typedef struct {
    size_t characters, words;
} Length;

typedef struct {
    Call *call;
    Counted counted;
    Table table; /* of n-grams that are not a node's first longer one */
    size_t edges; /* the n-grams in it */
    Node *nodes; /* table.ids of them */
    Gram *grams; /* of all texts, one text after the other */
    size_t gram_count, gram_room;
    Vocabulary vocabulary;
    size_t vocabulary_room;
    Room node_room, list_room, token_room;
} Grams;

/* The first nodes are the n-grams without a token, of characters and of words. */
#define FIRST_NODE 2

Outcome grams_start(Grams *grams, Counted counted, Call *call);
void grams_free(Grams *grams);
/* An upper bound of the number of n-grams in a text of `bytes` bytes; if it is above `limit`, any number above that. */
size_t most_grams(const Counted *counted, size_t bytes, size_t limit);
/* Forget all n-grams; prepare for hypotheses with at most `most` n-grams. bytes: their size, plus one for each text. */
Outcome grams_clear(Grams *grams, size_t bytes, size_t most);
/* Forget the references, and all grams after the first `kept`; prepare for at most `most` more. */
Outcome clear_references(Grams *grams, size_t kept, size_t most);
/* Append the n-grams of a text to `grams`; those of a reference only if a hypothesis has them. */
Outcome read_grams(Grams *grams, Text text, Side side, Length *length);

static inline size_t grams_in(size_t size, size_t order)
{
    return size >= order ? size - order + 1 : 0;
}

#endif
