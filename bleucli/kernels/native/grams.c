/* The n-grams of a block of texts; see grams.h. */
#include "grams.h"

#include <string.h>

/* The rough times of a look-up, and of reading a token. */
#define LOOKUP_TIME 8
#define TOKEN_TIME 32

/* --- room -------------------------------------------------------------------------------------------------------- */

void *make_room(Room *room, size_t count, size_t size)
{
    if (count > SIZE_MAX / 2 / size) {
        return NULL;
    }
    if (room->memory == NULL || count * size > room->size) {
        size_t wanted = count * size > 2 * room->size ? count * size : 2 * room->size;
        release(room->memory);
        *room = (Room){allocate(wanted, 1), wanted};
    }
    return room->memory;
}

/* Make room for `more` edges, if necessary in a table at least twice as large. */
static Outcome widen_table(Grams *grams, size_t more)
{
    Table *table = &grams->table, wider;
    size_t wanted = grams->edges + more;
    if (2 * wanted <= table->mask + 1) {
        return DONE;
    }
    if (!table_start(&wider, wanted, &table->secrets)) {
        return NO_MEMORY;
    }
    table_clear(&wider, wanted);
    for (size_t i = 0; i <= table->mask; i++) {
        Entry entry = table->entries[i];
        if (entry.era == table->era) {
            size_t slot = table_slot(&wider, entry.key);
            while (wider.entries[slot].era == wider.era) {
                slot = (slot + 1) & wider.mask;
            }
            wider.entries[slot] = (Entry){entry.key, wider.era, entry.id};
        }
    }
    wider.ids = table->ids;
    table_free(table);
    *table = wider;
    return DONE;
}

/* --- tokens ------------------------------------------------------------------------------------------------------- */

static size_t read_characters(Call *call, Text text, int whitespace, uint32_t *tokens)
{
    const unsigned char *at = text.at, *end = text.end, *piece;
    size_t count = 0;
    while (at < end && (piece = piece_end(call, at, end)) != NULL) {
        while (at < piece) {
            if (*at < 0x80) {
                tokens[count] = *at; /* without a branch: white space is overwritten by the next token */
                count += (size_t)(whitespace || !is_ascii_space(*at));
                at++;
                continue;
            }
            size_t space = whitespace ? 0 : space_length(at, end), size = character_length(at, end);
            if (space == 0) {
                tokens[count++] = code_point(at, size);
            }
            at += space != 0 ? space : size;
        }
    }
    return count;
}

/* Words as ids; NONE stands for words that no hypothesis has. */
static size_t read_words(Grams *grams, Text text, Side side, uint32_t *tokens)
{
    Token word;
    Tokens read = tokens_of(text.at, text.end);
    size_t count = 0;
    while (next_token(&read, &word) && goes_on(grams->call, TOKEN_TIME)) {
        size_t cut = grams->counted.splits_words ? first_part(word) : word.size;
        tokens[count++] = token_id(&grams->vocabulary, part_of(word, 0, cut), side == HYPOTHESIS);
        if (cut < word.size) {
            tokens[count++] = token_id(&grams->vocabulary, part_of(word, cut, word.size), side == HYPOTHESIS);
        }
    }
    return count;
}

/* --- n-grams ------------------------------------------------------------------------------------------------------ */

/* Find the n-gram that is one token longer; NONE if there is none. */
static uint32_t find_longer(const Grams *grams, uint32_t id, uint32_t token)
{
    const Node *node = &grams->nodes[id];
    if (node->longer == NONE || node->token == token) {
        return node->longer;
    }
    uint64_t key = (uint64_t)id << 32 | token;
    size_t slot = table_slot(&grams->table, key);
    return table_find(&grams->table, key, &slot);
}

/* The same, but add the n-gram, without links, if it is missing; column: of its order. */
static uint32_t find_or_add(Grams *grams, uint32_t id, uint32_t token, uint32_t column, int *is_new)
{
    Node *node = &grams->nodes[id];
    uint32_t longer = node->longer;
    *is_new = longer == NONE;
    if (longer == NONE) {
        longer = node->longer = grams->table.ids++;
        node->token = token;
    }
    else if (node->token != token) {
        uint64_t key = (uint64_t)id << 32 | token;
        size_t slot = table_slot(&grams->table, key);
        longer = table_find(&grams->table, key, &slot);
        if (longer == NONE) {
            *is_new = 1;
            longer = table_insert(&grams->table, key, slot);
            grams->edges++;
        }
    }
    if (*is_new) {
        grams->nodes[longer] = (Node){.longer = NONE, .column = column};
    }
    return longer;
}

/* Return the n-gram that is one token longer; add it if it is missing, and those that it is linked to. One that is
 * there has all its links. Nodes stay where they are, since grams_clear made room for all. */
static uint32_t lengthen(Grams *grams, uint32_t node, uint32_t token, uint32_t root, uint32_t column)
{
    const Node *nodes = grams->nodes;
    int is_new;
    uint32_t length = node == root ? 0 : nodes[node].column - column + 1;
    uint32_t longest = find_or_add(grams, node, token, column + length, &is_new), longer = longest;
    while (is_new && node != root) {
        node = nodes[node].shorter;
        uint32_t shorter = find_or_add(grams, node, token, column + --length, &is_new);
        grams->nodes[longer].shorter = shorter;
        longer = shorter;
    }
    if (is_new) {
        grams->nodes[longer].shorter = root;
    }
    return longest;
}

/* Count an n-gram of the text whose list begins at `first`. Entries of earlier texts have earlier places. */
static inline void count(Grams *grams, uint32_t id, size_t first, Side side)
{
    Node *node = &grams->nodes[id];
    Gram *entry = &grams->grams[node->entry];
    if (node->entry >= first && node->entry < grams->gram_count && entry->node == id) {
        uint32_t found = ++entry->count < UINT16_MAX ? entry->count : UINT16_MAX;
        node->most[side] = (uint16_t)(found > node->most[side] ? found : node->most[side]);
        return;
    }
    node->entry = (uint32_t)grams->gram_count;
    node->texts[side]++;
    node->most[side] = (uint16_t)(node->most[side] != 0 ? node->most[side] : 1);
    grams->grams[grams->gram_count++] = (Gram){id, 1};
}

/* Count all n-grams of some tokens, up to an order; root: the empty n-gram. column: of order 1. */
static void count_grams(Grams *grams, const uint32_t *tokens, size_t size, size_t order, uint32_t root, uint32_t column,
                        Side side)
{
    size_t first = grams->gram_count;
    uint32_t longest = root, full = column + (uint32_t)order - 1;
    for (size_t i = 0, counted = 0; i < size && goes_on(grams->call, LOOKUP_TIME * (1 + counted)); i++) {
        counted = 0;
        if (longest != root && grams->nodes[longest].column == full) { /* no n-gram may be longer */
            longest = grams->nodes[longest].shorter;
        }
        if (side == HYPOTHESIS) {
            longest = lengthen(grams, longest, tokens[i], root, column);
        }
        else {
            uint32_t longer = find_longer(grams, longest, tokens[i]);
            while (longer == NONE && longest != root) {
                longest = grams->nodes[longest].shorter;
                longer = find_longer(grams, longest, tokens[i]);
            }
            longest = longer != NONE ? longer : root;
        }
        for (uint32_t gram = longest; gram != root; gram = grams->nodes[gram].shorter, counted++) {
            count(grams, gram, first, side);
        }
    }
}

size_t most_grams(const Counted *counted, size_t bytes, size_t limit)
{
    if (bytes > limit) {
        return bytes;
    }
    size_t characters = counted->char_order < bytes ? counted->char_order : bytes;
    size_t words = counted->word_order < bytes ? counted->word_order : bytes;
    return bytes != 0 && characters + words > limit / bytes ? limit + 1 : bytes * (characters + words);
}

Outcome read_grams(Grams *grams, Text text, Side side, Length *length)
{
    const Counted *counted = &grams->counted;
    size_t bytes = (size_t)(text.end - text.at);
    uint32_t *tokens = make_room(&grams->token_room, bytes + 1, sizeof *tokens);
    *length = (Length){0, 0};
    if (tokens == NULL ||
        (side == HYPOTHESIS && widen_table(grams, most_grams(counted, bytes, SIZE_MAX / 64)) != DONE)) {
        return NO_MEMORY;
    }
    if (counted->char_order != 0) {
        length->characters = read_characters(grams->call, text, counted->whitespace, tokens);
        count_grams(grams, tokens, length->characters, counted->char_order, 0, 0, side);
    }
    if (counted->word_order != 0) {
        length->words = read_words(grams, text, side, tokens);
        count_grams(grams, tokens, length->words, counted->word_order, 1, (uint32_t)counted->char_order, side);
    }
    return grams->call->stopped ? STOPPED : DONE;
}

/* --- a block ------------------------------------------------------------------------------------------------------ */

Outcome grams_start(Grams *grams, Counted counted, Call *call)
{
    *grams = (Grams){.call = call, .counted = counted};
    return table_start(&grams->table, 16, &call->secrets) ? DONE : NO_MEMORY;
}

void grams_free(Grams *grams)
{
    table_free(&grams->table);
    vocabulary_free(&grams->vocabulary);
    release(grams->node_room.memory);
    release(grams->list_room.memory);
    release(grams->token_room.memory);
}

static Outcome clear_vocabulary(Grams *grams, size_t bytes)
{
    size_t words = grams->counted.splits_words ? bytes + 1 : bytes / 2 + 1;
    if (words > grams->vocabulary_room) {
        vocabulary_free(&grams->vocabulary);
        grams->vocabulary = (Vocabulary){.spellings = NULL};
        grams->vocabulary_room = 0;
        Outcome outcome = vocabulary_start(&grams->vocabulary, words, &grams->call->secrets);
        if (outcome != DONE) {
            return outcome;
        }
        grams->vocabulary_room = words;
    }
    vocabulary_clear(&grams->vocabulary, words);
    return DONE;
}

Outcome grams_clear(Grams *grams, size_t bytes, size_t most)
{
    /* Room for the nodes and, after them, for the grams of all texts; references mostly have as many as hypotheses, and
     * four grams take the room of a node. It is one piece because C libraries keep a large one for the next call; fresh
     * pages would take a third of the whole time. Unused pages cost nothing. */
    size_t room = 2 * most;
    grams->nodes = make_room(&grams->node_room, FIRST_NODE + most + room / 4 + 1, sizeof *grams->nodes);
    if (grams->nodes == NULL) {
        return NO_MEMORY;
    }
    grams->grams = (Gram *)(void *)(grams->nodes + FIRST_NODE + most);
    grams->gram_room = room;
    table_clear(&grams->table, grams->edges < 16 ? 16 : grams->edges); /* as many as the block before had */
    grams->table.ids = FIRST_NODE;
    grams->edges = 0;
    for (uint32_t root = 0; root < FIRST_NODE; root++) {
        grams->nodes[root] = (Node){.shorter = root, .longer = NONE};
    }
    grams->gram_count = 0;
    return grams->counted.word_order != 0 ? clear_vocabulary(grams, bytes) : DONE;
}

Outcome clear_references(Grams *grams, size_t kept, size_t most)
{
    if (kept + most > grams->gram_room) {
        Room wider = {NULL, 0};
        Gram *list = make_room(&wider, kept + most, sizeof *list);
        if (list == NULL) {
            return NO_MEMORY;
        }
        memcpy(list, grams->grams, kept * sizeof *list);
        release(grams->list_room.memory);
        grams->list_room = wider;
        grams->grams = list;
        grams->gram_room = kept + most;
    }
    grams->gram_count = kept;
    for (uint32_t id = FIRST_NODE; id < grams->table.ids; id++) {
        grams->nodes[id].texts[REFERENCE] = grams->nodes[id].most[REFERENCE] = 0;
    }
    return DONE;
}
