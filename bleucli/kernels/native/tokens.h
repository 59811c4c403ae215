/* Tokens between white space, and a vocabulary that gives them ids. */
#ifndef BLEU_TOKENS_H
#define BLEU_TOKENS_H

#include "blocks.h"
#include "kernels.h"
#include "table.h"

typedef struct {
    const unsigned char *at;
    size_t size;
    size_t left; /* the bytes that can be read from `at` on: up to the end of the text */
} Token;

/* The tokens of a text that remain to be read. Places are numbers of bytes from the start of the text. */
typedef struct {
    const unsigned char *text;
    size_t size;
    size_t at;          /* where the next token begins, or white space before it */
    size_t block, next; /* where the current block of bytes begins, and the next one */
    uint64_t spaces;    /* the bytes of the block, from `at` on, that may begin white space */
} Tokens;

static inline Tokens tokens_of(const unsigned char *at, const unsigned char *end)
{
    return (Tokens){.text = at, .size = (size_t)(end - at)};
}

/* Start the next block of bytes; 0 if there is none. */
int next_block(Tokens *tokens);
/* Take the next token; 0 if there is none. Inline, so that its state stays in registers while tokens are looked up. */
static inline int next_token(Tokens *tokens, Token *token)
{
    size_t start = tokens->at;
    for (;;) {
        if (tokens->spaces == 0) {
            if (!next_block(tokens)) {
                break;
            }
            continue;
        }
        size_t stop = tokens->block + first_bit(tokens->spaces);
        const unsigned char *at = tokens->text + stop;
        size_t space = *at == ' ' ? 1 : space_length(at, tokens->text + tokens->size);
        tokens->spaces &= tokens->spaces - 1;
        if (space != 0) {
            tokens->at = stop + space;
            if (stop > start) {
                *token = (Token){tokens->text + start, stop - start, tokens->size - start};
                return 1;
            }
            start = tokens->at;
        }
    }
    *token = (Token){tokens->text + start, tokens->size - start, tokens->size - start};
    tokens->at = tokens->size;
    return token->size != 0;
}

/* The same for words as jiwer splits them: a single white-space character within a word is part of it, unless it is a
 * space. */
int next_word(Tokens *tokens, Token *word);
/* Upper bounds of the tokens in a text, and in any of the texts (at least one). Meaningless once the call is
 * stopped. */
size_t token_room(const unsigned char *at, const unsigned char *end, Call *call);
size_t most_tokens(Segments texts, Call *call);

static inline int is_punctuation(unsigned char byte)
{
    return (byte >= '!' && byte <= '/') || (byte >= ':' && byte <= '@') || (byte >= '[' && byte <= '`') ||
           (byte >= '{' && byte <= '~');
}

/* Cut one punctuation character off the end of a token, or else off its beginning, as chrF++ does; returns the size of
 * the first part, which is the whole token if there is none to cut off. */
static inline size_t first_part(Token token)
{
    if (token.size > 1 && is_punctuation(token.at[token.size - 1])) {
        return token.size - 1;
    }
    return token.size > 1 && is_punctuation(token.at[0]) ? 1 : token.size;
}

static inline Token part_of(Token token, size_t start, size_t end)
{
    return (Token){token.at + start, end - start, token.left - start};
}

/* A token with its first and its last 8 bytes, as numbers; up to 8 bytes, the last ones count as 0. These and the size
 * determine a token of up to 16 bytes. */
typedef struct {
    uint64_t first, last;
    const unsigned char *at;
    size_t size;
} Spelling;

typedef struct {
    Table table;         /* by key: a hash of the token */
    Spelling *spellings; /* by id, and room for one more */
} Vocabulary;

/* A vocabulary for at most `room` tokens; free it even if this fails. */
Outcome vocabulary_start(Vocabulary *vocabulary, size_t room, const Secrets *secrets);
void vocabulary_clear(Vocabulary *vocabulary, size_t room);
/* Make a vocabulary that was cleared for fewer tokens fit for `room`, and keep its tokens. */
void vocabulary_widen(Vocabulary *vocabulary, size_t room);
void vocabulary_free(Vocabulary *vocabulary);

/* 8 bytes, the first one lowest. */
static inline uint64_t load(const unsigned char *at)
{
    return (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24 |
           (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 | (uint64_t)at[6] << 48 | (uint64_t)at[7] << 56;
}

/* The bits of the lowest bytes. */
static const uint64_t bytes_up_to[9] = {
    0, 0xFF, 0xFFFF, 0xFFFFFF, 0xFFFFFFFF, 0xFFFFFFFFFF, 0xFFFFFFFFFFFF, 0xFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF,
};

/* Sizes are hard to predict, so they decide branches only at the end of a text. */
static inline Spelling spelling_of(Token token)
{
    uint64_t first = 0, last = 0;
    if (token.left >= 8) {
        size_t few = token.size < 8 ? token.size : 8, many = token.size > 8 ? token.size : 8;
        first = load(token.at) & bytes_up_to[few];
        last = load(token.at + many - 8) & (0 - (uint64_t)(token.size > 8));
    }
    else {
        for (size_t i = 0; i < token.size; i++) {
            first |= (uint64_t)token.at[i] << 8 * i;
        }
    }
    return (Spelling){first, last, token.at, token.size};
}

static inline uint64_t key_of(const Secrets *secrets, const Spelling *spelling)
{
    uint64_t hash = folded(spelling->first ^ secrets->masks[0], secrets->factors[0]);
    for (size_t at = 8; at + 8 < spelling->size; at += 8) {
        hash = folded(hash ^ load(spelling->at + at), secrets->factors[0]);
    }
    return hash ^ spelling->last; /* table_slot multiplies these, too */
}

static inline int same_spelling(const Spelling *a, const Spelling *b)
{
    int same = ((a->first ^ b->first) | (a->last ^ b->last) | (a->size ^ b->size)) == 0;
    if (b->size > 16) {
        return same && memcmp(a->at, b->at, a->size) == 0;
    }
    return same;
}

/* The same for a token with this key, from the slot after one that holds another token. */
uint32_t search_token(Vocabulary *vocabulary, Token token, uint64_t key, size_t slot, int add);

/* The id of a token, or NONE if it is unknown; with `add`, an unknown one gets the next id. Which of these it is decides
 * no branch, since it is hard to predict. */
static inline uint32_t token_id(Vocabulary *vocabulary, Token token, int add)
{
    Table *table = &vocabulary->table;
    Spelling spelling = spelling_of(token);
    uint64_t key = key_of(&table->secrets, &spelling);
    size_t slot = table_slot(table, key);
    Entry *entry = &table->entries[slot];
    uint32_t used = entry->era == table->era;
    uint32_t id = entry->id & (0 - used); /* that of any token if the entry is empty */
    uint32_t found = used & (uint32_t)same_spelling(&vocabulary->spellings[id], &spelling);
    if (used & (found ^ 1)) {
        return search_token(vocabulary, token, key, slot, add);
    }
    if (!add) {
        return id | (found - 1); /* NONE has all bits */
    }
    uint32_t next = table->ids;
    id ^= (id ^ next) & (found - 1);
    vocabulary->spellings[next] = spelling; /* if it is known, the next new one takes this place */
    *entry = (Entry){key, table->era, id};
    table->ids = next + (found ^ 1);
    return id;
}

#endif
