/* Tokens between white space, and a vocabulary that gives them ids. */
#ifndef BLEU_TOKENS_H
#define BLEU_TOKENS_H

#include "kernels.h"
#include "table.h"

typedef struct {
    const unsigned char *at;
    size_t size;
    uint64_t key; /* with the size: the bytes themselves up to 8 of them, a hash of them beyond */
} Token;

/* Take the next token from *at on; 0 if there is none. */
int next_token(const unsigned char **at, const unsigned char *end, Token *token);
Token token_of(const unsigned char *at, size_t size);
/* At least as many as the text has tokens; and as any of the texts has, one at least. */
size_t token_room(const unsigned char *at, const unsigned char *end);
size_t most_tokens(Segments texts);

typedef struct {
    Table table;
    Token *known; /* by id */
} Vocabulary;

/* A vocabulary for at most `room` tokens; free it in any case. */
Outcome vocabulary_start(Vocabulary *vocabulary, size_t room);
void vocabulary_clear(Vocabulary *vocabulary, size_t room);
void vocabulary_free(Vocabulary *vocabulary);
/* The id of a token, or NONE; with `add`, of a new one too. */
uint32_t token_id(Vocabulary *vocabulary, const Token *token, int add);

#endif
