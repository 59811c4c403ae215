/* Tokens between white space; see tokens.h. */
#include "tokens.h"

/* --- tokens ------------------------------------------------------------------------------------------------------ */

static uint64_t load(const unsigned char *at, size_t size)
{
    uint64_t bytes = 0;
    memcpy(&bytes, at, size);
    return bytes;
}

/* Up to 8 bytes, the parts that are read cover the token, so the key and the size determine it. */
static uint64_t token_key(const Secrets *secrets, const unsigned char *at, size_t size)
{
    if (size >= 4 && size <= 8) {
        uint32_t first, last;
        memcpy(&first, at, 4);
        memcpy(&last, at + size - 4, 4);
        return first | (uint64_t)last << 32;
    }
    if (size < 4) {
        return at[0] | (uint64_t)at[size / 2] << 8 | (uint64_t)at[size - 1] << 16;
    }
    uint64_t hash = secrets->masks[0];
    const unsigned char *last = at + size - 8;
    for (; at < last; at += 8) {
        hash = folded(hash ^ load(at, 8), secrets->factors[0]);
    }
    return hash ^ load(last, 8); /* table_slot multiplies these, too */
}

/* Whether two tokens with one key are equal. */
static int same_token(Token a, Token b)
{
    return a.size == b.size && (a.size <= 8 || memcmp(a.at, b.at, a.size) == 0);
}

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

static int is_punctuation(unsigned char byte)
{
    return (byte >= '!' && byte <= '/') || (byte >= ':' && byte <= '@') || (byte >= '[' && byte <= '`') ||
           (byte >= '{' && byte <= '~');
}

int token_parts(Token token, Token parts[2])
{
    size_t first = token.size;
    if (token.size > 1 && is_punctuation(token.at[token.size - 1])) {
        first = token.size - 1;
    }
    else if (token.size > 1 && is_punctuation(token.at[0])) {
        first = 1;
    }
    parts[0] = (Token){token.at, first};
    parts[1] = (Token){token.at + first, token.size - first};
    return first < token.size ? 2 : 1;
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
    vocabulary->known = allocate(room, sizeof *vocabulary->known);
    return table_start(&vocabulary->table, room, secrets) && vocabulary->known != NULL ? DONE : NO_MEMORY;
}

void vocabulary_clear(Vocabulary *vocabulary, size_t room)
{
    table_clear(&vocabulary->table, room);
}

void vocabulary_free(Vocabulary *vocabulary)
{
    table_free(&vocabulary->table);
    release(vocabulary->known);
}

uint32_t token_id(Vocabulary *vocabulary, Token token, int add)
{
    Table *table = &vocabulary->table;
    uint64_t key = token_key(&table->secrets, token.at, token.size);
    size_t slot = table_slot(table, key);
    uint32_t id = table_find(table, key, &slot);
    while (id != NONE && !same_token(vocabulary->known[id], token)) {
        slot = (slot + 1) & table->mask;
        id = table_find(table, key, &slot);
    }
    if (id == NONE && add) {
        id = table_insert(table, key, slot);
        vocabulary->known[id] = token;
    }
    return id;
}
