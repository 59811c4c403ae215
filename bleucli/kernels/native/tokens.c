/* Tokens between white space; see tokens.h. */
#include "tokens.h"

/* --- tokens ------------------------------------------------------------------------------------------------------ */

/* The bytes of a block that may begin white space. Bytes are enough: none inside a character looks like
 * one of these. */
static inline uint64_t spaces_in(const unsigned char *block)
{
    uint64_t bits = 0;
#ifdef HAS_VECTORS
    for (size_t place = 0; place < BLOCK; place += sizeof(Bytes)) {
        Bytes bytes = load_bytes(block + place);
        Bytes test = bytes_between(bytes, 0, ' ') | bytes_equal(bytes, 0xC2) | bytes_between(bytes, 0xE1, 0xE3);
        bits |= bits_of(test) << place;
    }
#else
    for (size_t place = 0; place < BLOCK; place++) {
        unsigned char byte = block[place];
        bits |= (uint64_t)(byte <= ' ' || byte == 0xC2 || (byte >= 0xE1 && byte <= 0xE3)) << place;
    }
#endif
    return bits;
}

int next_block(Tokens *tokens)
{
    const unsigned char *block = tokens->text + tokens->next;
    unsigned char copy[BLOCK + SLACK];
    size_t left = tokens->size - tokens->next;
    if (left == 0) {
        return 0;
    }
    tokens->spaces = spaces_in(whole_block(block, block + left, copy)) & bits_before(left);
    tokens->block = tokens->next;
    tokens->next += left < BLOCK ? left : BLOCK;
    return 1;
}

int next_word(Tokens *tokens, Token *word)
{
    Token more;
    if (!next_token(tokens, word)) {
        return 0;
    }
    for (;;) {
        const unsigned char *stop = word->at + word->size, *end = tokens->text + tokens->size;
        Tokens ahead = *tokens;
        if (stop == end || *stop == ' ' || !next_token(&ahead, &more) || more.at != tokens->text + tokens->at) {
            return 1; /* white space of two characters, or at the end, is not part of the word either */
        }
        word->size = (size_t)(more.at + more.size - word->at);
        *tokens = ahead;
    }
}

/* Texts up to this size get room for one token every two bytes; in longer ones, tokens are counted first. */
#define SHORT_TEXT 65536

size_t token_room(const unsigned char *at, const unsigned char *end, Call *call)
{
    size_t tokens = 0;
    Token token;
    if (end - at <= SHORT_TEXT) {
        return (size_t)(end - at) / 2 + 1;
    }
    Tokens read = tokens_of(at, end);
    while (next_token(&read, &token) && goes_on(call, token.size)) {
        tokens++;
    }
    return tokens;
}

size_t most_tokens(Segments texts, Call *call)
{
    size_t most = 1;
    for (size_t i = 0; i < texts.count; i++) {
        Text text = text_at(texts, i);
        size_t tokens = token_room(text.at, text.end, call);
        most = tokens > most ? tokens : most;
    }
    return most;
}

/* --- vocabulary -------------------------------------------------------------------------------------------------- */

Outcome vocabulary_start(Vocabulary *vocabulary, size_t room, const Secrets *secrets)
{
    vocabulary->spellings = room < SIZE_MAX ? allocate(room + 1, sizeof *vocabulary->spellings) : NULL;
    if (!table_start(&vocabulary->table, room, secrets) || vocabulary->spellings == NULL) {
        return NO_MEMORY;
    }
    vocabulary->spellings[0] = (Spelling){0, 0, NULL, 0};
    return DONE;
}

void vocabulary_clear(Vocabulary *vocabulary, size_t room)
{
    table_clear(&vocabulary->table, room);
}

void vocabulary_free(Vocabulary *vocabulary)
{
    table_free(&vocabulary->table);
    release(vocabulary->spellings);
}

uint32_t search_token(Vocabulary *vocabulary, Token token, uint64_t key, size_t slot, int add)
{
    Table *table = &vocabulary->table;
    Spelling spelling = spelling_of(token);
    uint32_t id;
    do {
        slot = (slot + 1) & table->mask;
        id = table_find(table, key, &slot);
    } while (id != NONE && !same_spelling(&vocabulary->spellings[id], &spelling));
    if (id == NONE && add) {
        id = table_insert(table, key, slot);
        vocabulary->spellings[id] = spelling;
    }
    return id;
}
