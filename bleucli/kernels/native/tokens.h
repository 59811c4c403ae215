/* Tokens between white space, and a vocabulary that gives them ids. */
#ifndef BLEU_TOKENS_H
#define BLEU_TOKENS_H

#include "blocks.h"
#include "kernels.h"
#include "table.h"

typedef struct {
    const unsigned char *at;
    size_t size;
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
                *token = (Token){tokens->text + start, stop - start};
                return 1;
            }
            start = tokens->at;
        }
    }
    *token = (Token){tokens->text + start, tokens->size - start};
    tokens->at = tokens->size;
    return token->size != 0;
}

/* The same for words as jiwer splits them: a single white-space character within a word is part of it, unless it is a
 * space. */
int next_word(Tokens *tokens, Token *word);
/* Cut one punctuation character off the end of a token, or else off its beginning, as chrF++ does; returns the number
 * of parts, 1 or 2. */
int token_parts(Token token, Token parts[2]);
/* Upper bounds of the tokens in a text, and in any of the texts (at least one). Meaningless once the call is
 * stopped. */
size_t token_room(const unsigned char *at, const unsigned char *end, Call *call);
size_t most_tokens(Segments texts, Call *call);

typedef struct {
    Table table;  /* by key: a hash of the token or, up to 8 bytes, what determines it together with its size */
    Token *known; /* by id */
} Vocabulary;

/* A vocabulary for at most `room` tokens; free it even if this fails. */
Outcome vocabulary_start(Vocabulary *vocabulary, size_t room, const Secrets *secrets);
void vocabulary_clear(Vocabulary *vocabulary, size_t room);
void vocabulary_free(Vocabulary *vocabulary);
/* The id of a token, or NONE if it is unknown; with `add`, an unknown one gets the next id. */
uint32_t token_id(Vocabulary *vocabulary, Token token, int add);

#endif
