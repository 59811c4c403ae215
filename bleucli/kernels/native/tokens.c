/* Tokens between white space; see tokens.h. */
#include "tokens.h"

#include <string.h>

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

enum { INSIDE = 0, ASCII_SPACE, MAYBE_SPACE };

static const unsigned char kinds[256] = {
    [0x09] = ASCII_SPACE, [0x0A] = ASCII_SPACE, [0x0B] = ASCII_SPACE, [0x0C] = ASCII_SPACE, [0x0D] = ASCII_SPACE,
    [0x1C] = ASCII_SPACE, [0x1D] = ASCII_SPACE, [0x1E] = ASCII_SPACE, [0x1F] = ASCII_SPACE, [0x20] = ASCII_SPACE,
    [0xC2] = MAYBE_SPACE, [0xE1] = MAYBE_SPACE, [0xE2] = MAYBE_SPACE, [0xE3] = MAYBE_SPACE,
};

static size_t space_at(const unsigned char *at, const unsigned char *end)
{
    return kinds[*at] == INSIDE ? 0 : kinds[*at] == ASCII_SPACE ? 1 : space_length(at, end);
}

/* Skip ASCII inside a token, eight bytes at a time; stop at the first byte that may be something else. */
static const unsigned char *skip_inside(const unsigned char *at, const unsigned char *end)
{
#if defined(__GNUC__) && defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    const uint64_t ones = UINT64_MAX / 0xFF;
    while (end - at >= 8) {
        uint64_t bytes = load(at, 8);
        /* The high bits of bytes outside ASCII and of those up to the space. A borrow may set that of a byte after one
         * of these, but only the first one counts */
        uint64_t doubtful = (bytes | (bytes - ones * 0x21)) & ones * 0x80;
        if (doubtful != 0) {
            return at + __builtin_ctzll(doubtful) / 8;
        }
        at += 8;
    }
#else
    (void)end;
#endif
    return at;
}

int next_token(const unsigned char **at, const unsigned char *end, Token *token)
{
    const unsigned char *start = *at;
    size_t space;
    while (start < end && (space = space_at(start, end)) != 0) {
        start += space;
    }
    *at = start;
    if (start == end) {
        return 0;
    }
    /* Byte by byte is enough: no byte inside a character looks like the first one of white space */
    const unsigned char *stop = start + 1;
    while (stop < end && space_at(stop, end) == 0) {
        stop = *stop < 0x80 ? skip_inside(stop + 1, end) : stop + 1;
    }
    *at = stop;
    *token = (Token){start, (size_t)(stop - start)};
    return 1;
}

int next_word(const unsigned char **at, const unsigned char *end, Token *word)
{
    const unsigned char *stop = *at;
    size_t space;
    if (!next_token(&stop, end, word)) {
        return 0;
    }
    while (stop < end && *stop != ' ') {
        space = space_at(stop, end);
        /* White space of two characters, or at the end, is not part of the word */
        if (space != 0 && (stop + space == end || space_at(stop + space, end) != 0)) {
            break;
        }
        stop += space != 0 ? space : 1;
    }
    word->size = (size_t)(stop - word->at);
    *at = stop;
    return 1;
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
    while (next_token(&at, end, &token) && goes_on(call, token.size)) {
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
