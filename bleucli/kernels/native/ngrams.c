/* Clipped n-gram counts.
 *
 * Tokens and n-grams become small numbers ("ids"), exactly and without string keys: a token's id is found by its
 * bytes, an n-gram's by the pair (id of its first n-1 tokens, id of its last token). Only what the hypothesis holds
 * gets an id, so references are looked up and never stored; and an n-gram can match only where its first n-1 tokens
 * did, so every order looks at fewer places than the one before. */
#include "kernels.h"
#include "table.h"

#include <string.h>

/* --- tokens ------------------------------------------------------------------------------------------------------ */

typedef struct {
    const unsigned char *at;
    size_t size;
    uint64_t key; /* with the size: the bytes themselves up to 8 of them, a hash of them beyond */
} Token;

static uint64_t load(const unsigned char *at, size_t size)
{
    uint64_t bytes = 0;
    memcpy(&bytes, at, size);
    return bytes;
}

static uint64_t token_key(const unsigned char *at, size_t size)
{
    if (size >= 4 && size <= 8) {
        return load(at, 4) | load(at + size - 4, 4) << 32;
    }
    if (size < 4) {
        return at[0] | (uint64_t)at[size / 2] << 8 | (uint64_t)at[size - 1] << 16;
    }
    uint64_t hash = size;
    const unsigned char *last = at + size - 8;
    for (; at < last; at += 8) {
        hash = mixed(hash ^ load(at, 8));
    }
    return hash ^ load(last, 8);
}

static int same_token(const Token *a, const Token *b)
{
    return a->size == b->size && (a->size <= 8 || memcmp(a->at, b->at, a->size) == 0);
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

/* Take the next token from *at on; 0 if there is none. */
static int next_token(const unsigned char **at, const unsigned char *end, Token *token)
{
    const unsigned char *start = *at;
    size_t space;
    while (start < end && (space = space_at(start, end)) != 0) {
        start += space;
    }
    const unsigned char *stop = start;
    while (stop < end && space_at(stop, end) == 0) {
        stop++;
    }
    *at = stop;
    if (start == stop) {
        return 0;
    }
    token->at = start;
    token->size = (size_t)(stop - start);
    token->key = token_key(start, token->size);
    return 1;
}

/* --- one segment ------------------------------------------------------------------------------------------------- */

#define MISSING_TEXT SIZE_MAX

/* A text as ids: of its tokens, and of those of its n-grams of the current order that can still match. */
typedef struct {
    uint32_t *tokens;
    size_t size;
    uint32_t *starts; /* where each n-gram starts, ascending */
    uint32_t *grams;
    size_t gram_count;
} Ids;

typedef struct {
    Table table;
    Token *known; /* by id, those of the hypothesis */
    Ids hypothesis;
    Ids *references; /* of one segment; `size` is MISSING_TEXT for a missing one */
    size_t reference_count;
    uint32_t *memory;        /* what all of Ids and the counts below are parts of */
    uint32_t *in_hypothesis; /* how often the hypothesis has each n-gram of the current order */
    uint32_t *in_reference;  /* how often one reference has it */
    uint32_t *most;          /* how often at most any reference has it */
} Work;

/* The id of a token, or NONE; *slot is then where it belongs. */
static uint32_t find_token(const Work *work, const Token *token, size_t *slot)
{
    *slot = table_slot(&work->table, token->key);
    uint32_t id = table_find(&work->table, token->key, slot);
    while (id != NONE && !same_token(&work->known[id], token)) {
        *slot = (*slot + 1) & work->table.mask;
        id = table_find(&work->table, token->key, slot);
    }
    return id;
}

static void add_token(Ids *text, uint32_t id)
{
    text->tokens[text->size] = id;
    text->starts[text->gram_count] = (uint32_t)text->size++;
    text->grams[text->gram_count] = id;
    text->gram_count += id != NONE;
}

static void read_hypothesis(Work *work, const unsigned char *at, const unsigned char *end)
{
    Token token;
    size_t slot;
    work->hypothesis.size = work->hypothesis.gram_count = 0;
    while (next_token(&at, end, &token)) {
        uint32_t id = find_token(work, &token, &slot);
        if (id == NONE) {
            id = table_insert(&work->table, token.key, slot);
            work->known[id] = token;
        }
        add_token(&work->hypothesis, id);
    }
}

static void read_reference(const Work *work, Ids *text, const unsigned char *at, const unsigned char *end)
{
    Token token;
    size_t slot;
    text->size = text->gram_count = 0;
    while (next_token(&at, end, &token)) {
        add_token(text, find_token(work, &token, &slot));
    }
}

/* Lengthen the n-grams of a text to `order` tokens, with ids from the table, and drop those without. */
static void lengthen(Table *table, Ids *text, size_t order, int insert)
{
    size_t kept = 0;
    for (size_t i = 0; i < text->gram_count && text->starts[i] + order <= text->size; i++) {
        uint32_t last = text->tokens[text->starts[i] + order - 1];
        if (last == NONE) {
            continue;
        }
        uint64_t pair = (uint64_t)text->grams[i] << 32 | last;
        size_t slot = table_slot(table, pair);
        uint32_t id = table_find(table, pair, &slot);
        if (id == NONE && insert) {
            id = table_insert(table, pair, slot);
        }
        text->starts[kept] = text->starts[i];
        text->grams[kept] = id;
        kept += id != NONE;
    }
    text->gram_count = kept;
}

static void count(const Ids *text, uint32_t *counts, size_t ids)
{
    memset(counts, 0, ids * sizeof *counts);
    for (size_t i = 0; i < text->gram_count; i++) {
        counts[text->grams[i]]++;
    }
}

static void count_most(Work *work)
{
    size_t ids = work->table.ids;
    int first = 1;
    memset(work->most, 0, ids * sizeof *work->most);
    for (size_t i = 0; i < work->reference_count; i++) {
        if (work->references[i].size == MISSING_TEXT) {
            continue;
        }
        count(&work->references[i], first ? work->most : work->in_reference, ids);
        for (size_t id = 0; id < ids && !first; id++) {
            work->most[id] = work->in_reference[id] > work->most[id] ? work->in_reference[id] : work->most[id];
        }
        first = 0;
    }
}

/* Count the matches of the current order, and drop the n-grams that no reference has. */
static int64_t clipped_matches(Work *work)
{
    Ids *hypothesis = &work->hypothesis;
    size_t ids = work->table.ids, kept = 0;
    int64_t matches = 0;
    count(hypothesis, work->in_hypothesis, ids);
    count_most(work);
    for (size_t id = 0; id < ids; id++) {
        matches += work->in_hypothesis[id] < work->most[id] ? work->in_hypothesis[id] : work->most[id];
    }
    for (size_t i = 0; i < hypothesis->gram_count; i++) {
        hypothesis->starts[kept] = hypothesis->starts[i];
        hypothesis->grams[kept] = hypothesis->grams[i];
        kept += work->most[hypothesis->grams[i]] != 0;
    }
    hypothesis->gram_count = kept;
    return matches;
}

/* Forget the tokens of the hypothesis that no reference has: no longer n-gram with them can match. */
static void drop_unmatched_tokens(Work *work)
{
    for (size_t i = 0; i < work->hypothesis.size; i++) {
        uint32_t id = work->hypothesis.tokens[i];
        work->hypothesis.tokens[i] = work->most[id] != 0 ? id : NONE;
    }
}

static size_t distance(size_t a, size_t b)
{
    return a > b ? a - b : b - a;
}

static size_t closest_length(const Work *work)
{
    size_t wanted = work->hypothesis.size, closest = MISSING_TEXT;
    for (size_t i = 0; i < work->reference_count; i++) {
        size_t size = work->references[i].size;
        if (size == MISSING_TEXT) {
            continue;
        }
        size_t nearer = distance(size, wanted), near = distance(closest, wanted);
        if (closest == MISSING_TEXT || nearer < near || (nearer == near && size < closest)) {
            closest = size;
        }
    }
    return closest == MISSING_TEXT ? 0 : closest;
}

static void count_row(Work *work, size_t max_order, int64_t *row)
{
    size_t size = work->hypothesis.size;
    int64_t *correct = row + 2, *total = row + 2 + max_order;
    row[0] = (int64_t)size;
    row[1] = (int64_t)closest_length(work);
    for (size_t order = 1; order <= max_order; order++) {
        correct[order - 1] = 0;
        total[order - 1] = size >= order ? (int64_t)(size - order + 1) : 0;
    }
    correct[0] = clipped_matches(work);
    drop_unmatched_tokens(work);
    for (size_t order = 2; order <= max_order && work->hypothesis.gram_count != 0; order++) {
        table_clear(&work->table, work->hypothesis.gram_count);
        lengthen(&work->table, &work->hypothesis, order, 1);
        for (size_t i = 0; i < work->reference_count; i++) {
            if (work->references[i].size != MISSING_TEXT) {
                lengthen(&work->table, &work->references[i], order, 0);
            }
        }
        correct[order - 1] = clipped_matches(work);
    }
}

/* --- the corpus -------------------------------------------------------------------------------------------------- */

/* Texts up to this size get room for a token every two bytes; the tokens of longer ones are counted first. */
#define SHORT_TEXT 65536

static size_t token_room(const unsigned char *at, const unsigned char *end)
{
    size_t tokens = 0;
    Token token;
    if (end - at <= SHORT_TEXT) {
        return (size_t)(end - at) / 2 + 1;
    }
    while (next_token(&at, end, &token)) {
        tokens++;
    }
    return tokens;
}

static size_t most_tokens(Segments texts)
{
    size_t most = 1;
    for (size_t i = 0; i < texts.count; i++) {
        int64_t start = texts.bounds[2 * i], end = texts.bounds[2 * i + 1];
        size_t tokens = start < 0 ? 0 : token_room(texts.data + start, texts.data + end);
        most = tokens > most ? tokens : most;
    }
    return most;
}

static void work_free(Work *work)
{
    release(work->table.entries);
    release(work->known);
    release(work->references);
    release(work->memory);
}

static Ids ids_in(uint32_t *memory, size_t room)
{
    return (Ids){memory, 0, memory + room, memory + 2 * room, 0};
}

/* Room for the longest hypothesis and the longest reference of every stream. */
static Outcome work_allocate(Work *work, Segments hypotheses, const Segments *references, size_t reference_count)
{
    size_t hypothesis_room = most_tokens(hypotheses), room = hypothesis_room, capacity = 64;
    for (size_t i = 0; i < reference_count; i++) {
        room += most_tokens(references[i]);
    }
    if (room >= NONE / 2) { /* ids of 32 bits would not do */
        return NO_MEMORY;
    }
    while (capacity < 2 * hypothesis_room) {
        capacity *= 2;
    }
    work->reference_count = reference_count;
    work->table.capacity = capacity;
    work->table.entries = allocate(capacity, sizeof *work->table.entries);
    work->known = allocate(hypothesis_room, sizeof *work->known);
    work->references = allocate(reference_count, sizeof *work->references);
    work->memory = allocate(3 * room + 3 * hypothesis_room, sizeof *work->memory);
    if (work->table.entries == NULL || work->known == NULL || work->references == NULL || work->memory == NULL) {
        return NO_MEMORY;
    }
    memset(work->table.entries, 0, capacity * sizeof *work->table.entries);
    uint32_t *next = work->memory;
    work->in_hypothesis = next;
    work->in_reference = next + hypothesis_room;
    work->most = next + 2 * hypothesis_room;
    next += 3 * hypothesis_room;
    work->hypothesis = ids_in(next, hypothesis_room);
    next += 3 * hypothesis_room;
    for (size_t i = 0; i < reference_count; i++) {
        size_t reference_room = most_tokens(references[i]);
        work->references[i] = ids_in(next, reference_room);
        next += 3 * reference_room;
    }
    return DONE;
}

static void count_segment(Work *work, Segments hypotheses, const Segments *references, size_t index, size_t max_order,
                          int64_t *row)
{
    int64_t start = hypotheses.bounds[2 * index], end = hypotheses.bounds[2 * index + 1];
    start = start < 0 ? end = 0 : start;
    table_clear(&work->table, token_room(hypotheses.data + start, hypotheses.data + end));
    read_hypothesis(work, hypotheses.data + start, hypotheses.data + end);
    for (size_t i = 0; i < work->reference_count; i++) {
        start = references[i].bounds[2 * index], end = references[i].bounds[2 * index + 1];
        work->references[i].size = MISSING_TEXT;
        if (start >= 0) {
            read_reference(work, &work->references[i], references[i].data + start, references[i].data + end);
        }
    }
    count_row(work, max_order, row);
}

Outcome ngram_stats(Segments hypotheses, const Segments *references, size_t reference_count, size_t max_order,
                    int64_t *rows)
{
    Work work = {0};
    Outcome outcome = work_allocate(&work, hypotheses, references, reference_count);
    for (size_t i = 0; outcome == DONE && i < hypotheses.count; i++) {
        count_segment(&work, hypotheses, references, i, max_order, rows + i * (2 + 2 * max_order));
    }
    work_free(&work);
    return outcome;
}
