/* Self-BLEU: each text of a group against all others, in time linear in the size of the group.
 *
 * The most that the other texts have of an n-gram is its highest count in any text or, for the text with that count,
 * the second highest. An n-gram's id is found as in matching.h: by the pair (id of its first n-1 tokens, id of its
 * last). */
#include <string.h>

#include "tokens.h"

/* The rough time of a step, with the hash table and without. */
#define HASHED_STEP 8
#define STEP 2

/* The highest count of an n-gram in any text, the highest in any other text, and the text with the highest. */
typedef struct {
    uint32_t highest, second, holder;
} Most;

typedef struct {
    Call *call;
    Vocabulary vocabulary; /* its table serves for pairs once all tokens are read */
    size_t room;           /* tokens of the largest group */
    size_t *sizes;         /* tokens of each text */
    uint32_t *tokens;      /* of the group's texts, one text after the other */
    uint32_t *grams;       /* the id of the n-gram that begins at each token */
    uint32_t *counts;      /* by id, in one text; all 0 between two texts */
    Most *most;            /* by id */
    uint32_t *lengths;     /* by length, up to the longest: how many texts of the group have it */
    uint32_t *below, *above; /* by length: the next shorter and the next longer one of a text, or NONE */
} Work;

/* --- lengths ------------------------------------------------------------------------------------------------------ */

static size_t longest_of(const size_t *sizes, size_t texts)
{
    size_t longest = 0;
    for (size_t i = 0; i < texts; i++) {
        longest = sizes[i] > longest ? sizes[i] : longest;
    }
    return longest;
}

static void find_lengths(Work *work, const size_t *sizes, size_t texts)
{
    size_t longest = longest_of(sizes, texts);
    memset(work->lengths, 0, (longest + 1) * sizeof *work->lengths);
    for (size_t i = 0; i < texts; i++) {
        work->lengths[sizes[i]]++;
    }
    uint32_t next = NONE;
    for (size_t length = 0; length <= longest; length++) {
        work->below[length] = next;
        next = work->lengths[length] != 0 ? (uint32_t)length : next;
    }
    next = NONE;
    for (size_t length = longest + 1; length-- > 0;) {
        work->above[length] = next;
        next = work->lengths[length] != 0 ? (uint32_t)length : next;
    }
}

/* The length of another text that is closest to this one's, the shorter of two equally close; 0 if there is none. */
static uint32_t closest_length(const Work *work, size_t size)
{
    uint32_t below = work->below[size], above = work->above[size], length = (uint32_t)size;
    if (work->lengths[size] > 1) {
        return length;
    }
    if (below == NONE || above == NONE) {
        return below != NONE ? below : above != NONE ? above : 0;
    }
    return length - below <= above - length ? below : above;
}

/* --- n-grams ------------------------------------------------------------------------------------------------------ */

/* The number of n-grams of a text of `size` tokens. */
static size_t grams_of(size_t size, size_t order)
{
    return size >= order ? size - order + 1 : 0;
}

/* The same for all texts of a group. */
static size_t all_grams(const size_t *sizes, size_t texts, size_t order)
{
    size_t all = 0;
    for (size_t i = 0; i < texts; i++) {
        all += grams_of(sizes[i], order);
    }
    return all;
}

static void read_tokens(Work *work, Segments texts, size_t first, size_t last)
{
    Token token;
    size_t read = 0;
    vocabulary_clear(&work->vocabulary, all_grams(work->sizes + first, last - first, 1));
    for (size_t i = first; i < last && goes_on(work->call, STEP); i++) {
        Text text = text_at(texts, i);
        Tokens tokens = tokens_of(text.at, text.end);
        while (next_token(&tokens, &token) && goes_on(work->call, HASHED_STEP + token.size / 8)) {
            work->tokens[read++] = token_id(&work->vocabulary, token, 1);
        }
    }
    memcpy(work->grams, work->tokens, read * sizeof *work->grams);
}

/* Lengthen the n-grams of all texts to `order` tokens; returns the number of distinct ones. */
static uint32_t lengthen(Work *work, const size_t *sizes, size_t texts, size_t order)
{
    Table *table = &work->vocabulary.table;
    table_clear(table, all_grams(sizes, texts, order));
    for (size_t i = 0, start = 0; i < texts && goes_on(work->call, STEP); start += sizes[i++]) {
        size_t end = start + grams_of(sizes[i], order);
        for (size_t at = start; at < end && goes_on(work->call, HASHED_STEP); at++) {
            uint64_t pair = (uint64_t)work->grams[at] << 32 | work->tokens[at + order - 1];
            size_t slot = table_slot(table, pair);
            uint32_t id = table_find(table, pair, &slot);
            work->grams[at] = id != NONE ? id : table_insert(table, pair, slot);
        }
    }
    return table->ids;
}

static void count(Work *work, const uint32_t *grams, size_t size)
{
    for (size_t at = 0; at < size && goes_on(work->call, STEP); at++) {
        work->counts[grams[at]]++;
    }
}

/* Note a text's count of each n-gram if it is one of the two highest. */
static void note_most(Work *work, const uint32_t *grams, size_t size, uint32_t text)
{
    count(work, grams, size);
    for (size_t at = 0; at < size && goes_on(work->call, STEP); at++) {
        uint32_t found = work->counts[grams[at]];
        Most *most = &work->most[grams[at]];
        work->counts[grams[at]] = 0; /* met again, the n-gram counts as 0, which changes nothing */
        if (found > most->highest) {
            *most = (Most){found, most->highest, text};
        }
        else if (found > most->second) {
            most->second = found;
        }
    }
}

static int64_t match_others(Work *work, const uint32_t *grams, size_t size, uint32_t text)
{
    int64_t matches = 0;
    count(work, grams, size);
    for (size_t at = 0; at < size && goes_on(work->call, STEP); at++) {
        uint32_t found = work->counts[grams[at]];
        const Most *most = &work->most[grams[at]];
        uint32_t others = most->holder == text ? most->second : most->highest;
        work->counts[grams[at]] = 0;
        matches += found < others ? found : others;
    }
    return matches;
}

/* Count the n-grams of one order, whose ids are in work->grams, into rows[.. + 1 + order] and [.. + 1 + N + order]. */
static void count_order(Work *work, const size_t *sizes, size_t texts, uint32_t ids, size_t order, size_t max_order,
                        int64_t *rows)
{
    size_t start = 0, columns = 2 + 2 * max_order;
    memset(work->most, 0, ids * sizeof *work->most);
    for (size_t i = 0; i < texts && goes_on(work->call, STEP); start += sizes[i++]) {
        note_most(work, work->grams + start, grams_of(sizes[i], order), (uint32_t)i);
    }
    start = 0;
    for (size_t i = 0; i < texts && goes_on(work->call, STEP); start += sizes[i++]) {
        int64_t *row = rows + i * columns;
        row[1 + order] = match_others(work, work->grams + start, grams_of(sizes[i], order), (uint32_t)i);
        row[1 + max_order + order] = (int64_t)grams_of(sizes[i], order);
    }
}

static void count_group(Work *work, Segments texts, size_t first, size_t last, size_t max_order, int64_t *rows,
                        int64_t *distinct)
{
    const size_t *sizes = work->sizes + first;
    size_t count = last - first, columns = 2 + 2 * max_order;
    find_lengths(work, sizes, count);
    for (size_t i = 0; i < count; i++) {
        rows[i * columns] = (int64_t)sizes[i];
        rows[i * columns + 1] = closest_length(work, sizes[i]);
    }
    read_tokens(work, texts, first, last);
    uint32_t ids = work->vocabulary.table.ids;
    for (size_t order = 1; order <= max_order && !work->call->stopped; order++) {
        if (order > 1) {
            ids = lengthen(work, sizes, count, order);
        }
        distinct[order - 1] = ids;
        count_order(work, sizes, count, ids, order, max_order, rows);
    }
}

/* --- all groups --------------------------------------------------------------------------------------------------- */

/* Count the tokens of each text, and those of the largest group. */
static void measure(Work *work, Segments texts, const int64_t *groups, size_t group_count)
{
    size_t text = 0;
    for (size_t group = 0; group < group_count; group++) {
        size_t all = 0;
        for (int64_t i = 0; i < groups[group]; i++, text++) {
            Text read = text_at(texts, text);
            Tokens tokens = tokens_of(read.at, read.end);
            Token token;
            if (!goes_on(work->call, STEP)) {
                return;
            }
            while (next_token(&tokens, &token) && goes_on(work->call, token.size)) {
                work->sizes[text]++;
            }
            all += work->sizes[text];
        }
        work->room = all > work->room ? all : work->room;
    }
}

static Outcome work_start(Work *work, Segments texts, const int64_t *groups, size_t group_count)
{
    work->sizes = allocate(texts.count, sizeof *work->sizes);
    if (work->sizes == NULL) {
        return NO_MEMORY;
    }
    memset(work->sizes, 0, texts.count * sizeof *work->sizes);
    measure(work, texts, groups, group_count);
    if (work->call->stopped) {
        return STOPPED;
    }
    if (work->room >= NONE / 2 || work->room > SIZE_MAX / 64 || texts.count >= NONE) {
        return NO_MEMORY; /* ids would not fit into 32 bits */
    }
    size_t room = work->room + 1, lengths = longest_of(work->sizes, texts.count) + 1;
    work->tokens = allocate(room, sizeof *work->tokens);
    work->grams = allocate(room, sizeof *work->grams);
    work->counts = allocate(room, sizeof *work->counts);
    work->most = allocate(room, sizeof *work->most);
    work->lengths = allocate(lengths, sizeof *work->lengths);
    work->below = allocate(lengths, sizeof *work->below);
    work->above = allocate(lengths, sizeof *work->above);
    if (work->tokens == NULL || work->grams == NULL || work->counts == NULL || work->most == NULL ||
        work->lengths == NULL || work->below == NULL || work->above == NULL) {
        return NO_MEMORY;
    }
    memset(work->counts, 0, room * sizeof *work->counts);
    return vocabulary_start(&work->vocabulary, room, &work->call->secrets);
}

static void work_free(Work *work)
{
    vocabulary_free(&work->vocabulary);
    release(work->sizes);
    release(work->tokens);
    release(work->grams);
    release(work->counts);
    release(work->most);
    release(work->lengths);
    release(work->below);
    release(work->above);
}

Outcome group_stats(Segments texts, const int64_t *groups, size_t group_count, size_t max_order, int64_t *rows,
                    int64_t *distinct, Call *call)
{
    Work work = {.call = call};
    Outcome outcome = work_start(&work, texts, groups, group_count);
    size_t first = 0;
    memset(rows, 0, texts.count * (2 + 2 * max_order) * sizeof *rows);
    memset(distinct, 0, group_count * max_order * sizeof *distinct);
    for (size_t i = 0; outcome == DONE && i < group_count; i++) {
        size_t last = first + (size_t)groups[i];
        count_group(&work, texts, first, last, max_order, rows + first * (2 + 2 * max_order), distinct + i * max_order);
        first = last;
        outcome = call->stopped ? STOPPED : DONE;
    }
    work_free(&work);
    return outcome;
}
