/* Self-BLEU: each text of a group against all others, in time linear in the size of the group.
 *
 * The places of a group are sorted by the n-grams that begin there, so that equal n-grams stand side by side, text by
 * text. The most that the other texts have of an n-gram is its highest count in any text or, for the text with that
 * count, the second highest. Places sorted by n-grams are then sorted by the token before each, which gives those of
 * the next order. */
#include <string.h>

#include "tokens.h"

/* The rough time of a step that looks anywhere in memory, and of another. */
#define FAR_STEP 8
#define STEP 2

/* The different tokens that a group's vocabulary has room for at first. */
#define FEW_WORDS ((size_t)4096)

/* 64 places: those where a text starts, and how many texts start before them. */
typedef struct {
    uint64_t starts;
    uint32_t before;
} Starts;

/* Set in the first place of each n-gram. */
#define FIRST (UINT32_C(1) << 31)

/* The places with a token: how many there are, where the next one belongs, and the number of the n-gram that follows
 * the token at the last one. */
typedef struct {
    uint32_t count, next, rest;
} Bucket;

typedef struct {
    Call *call;
    Vocabulary vocabulary;
    size_t room;             /* tokens of the largest group */
    size_t *sizes;           /* tokens of each text */
    uint32_t *tokens;        /* of the group's texts, one text after the other */
    uint32_t *places, *longer; /* where n-grams begin, sorted by them, of this order and of the next one */
    size_t count;            /* of places */
    Bucket *buckets;         /* by token */
    Starts *starts;          /* by place / 64 */
    uint32_t *texts;         /* the texts that are not empty */
    uint32_t *matches;       /* of each text, for one order */
    uint32_t *lengths;       /* by length, up to the longest: how many texts of the group have it */
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

/* --- places ------------------------------------------------------------------------------------------------------- */

static int is_start(const Work *work, size_t place)
{
    return (int)(work->starts[place / 64].starts >> place % 64 & 1);
}

/* The text at a place. */
static uint32_t text_of(const Work *work, size_t place)
{
    const Starts *starts = &work->starts[place / 64];
    size_t before = starts->before + (size_t)count_bits(starts->starts & bits_before(place % 64 + 1));
    return work->texts[before - 1];
}

/* Note where texts start; returns the number of tokens. */
static size_t note_starts(Work *work, const size_t *sizes, size_t texts)
{
    size_t place = 0, filled = 0, all = 0;
    uint32_t count = 0;
    for (size_t i = 0; i < texts; i++) {
        all += sizes[i];
    }
    memset(work->starts, 0, (all / 64 + 1) * sizeof *work->starts);
    for (size_t i = 0; i < texts && goes_on(work->call, STEP); place += sizes[i++]) {
        if (sizes[i] != 0) {
            for (; filled <= place / 64; filled++) {
                work->starts[filled].before = count;
            }
            work->starts[place / 64].starts |= UINT64_C(1) << place % 64;
            work->texts[count++] = (uint32_t)i;
        }
    }
    for (; filled <= all / 64; filled++) {
        work->starts[filled].before = count;
    }
    return all;
}

/* Read the tokens of a group, of which there are `all`; returns how many were read, fewer if the call is stopped. The
 * vocabulary grows, since a table for as many different tokens would be far too large. */
static size_t read_tokens(Work *work, Segments texts, size_t first, size_t last, size_t all)
{
    Token token;
    size_t read = 0, room = all < FEW_WORDS ? all : FEW_WORDS;
    vocabulary_clear(&work->vocabulary, room);
    for (size_t i = first; i < last && goes_on(work->call, STEP); i++) {
        Text text = text_at(texts, i);
        Tokens tokens = tokens_of(text.at, text.end);
        while (next_token(&tokens, &token) && goes_on(work->call, FAR_STEP + token.size / 8)) {
            if (work->vocabulary.table.ids == room && room < all) {
                room = room < all / 2 ? 2 * room : all;
                vocabulary_widen(&work->vocabulary, room);
            }
            work->tokens[read++] = token_id(&work->vocabulary, token, 1);
        }
    }
    return read;
}

/* --- sorting ------------------------------------------------------------------------------------------------------ */

/* Let the buckets follow one another, empty. */
static void lay_out(Work *work)
{
    uint32_t start = 0;
    for (size_t token = 0; token < work->vocabulary.table.ids; token++) {
        work->buckets[token].next = start;
        work->buckets[token].rest = NONE;
        start += work->buckets[token].count;
    }
}

/* Put a place into its bucket; rest: the number of the n-gram after its token. Returns whether the whole is new. */
static uint32_t put(Work *work, uint32_t *places, size_t place, uint32_t rest)
{
    Bucket *bucket = &work->buckets[work->tokens[place]];
    uint32_t is_new = bucket->rest != rest;
    bucket->rest = rest;
    places[bucket->next++] = (uint32_t)place | (is_new ? FIRST : 0);
    return is_new;
}

/* Sort all places by their tokens, which are the n-grams of order 1; returns the number of different ones. */
static uint32_t sort_tokens(Work *work, size_t all)
{
    uint32_t ids = work->vocabulary.table.ids;
    memset(work->buckets, 0, ids * sizeof *work->buckets);
    for (size_t place = 0; place < all; place++) {
        work->buckets[work->tokens[place]].count++;
    }
    lay_out(work);
    for (size_t place = 0; place < all && goes_on_at(work->call, place, FAR_STEP); place++) {
        put(work, work->places, place, 0);
    }
    work->count = all;
    return ids;
}

/* Go on to the n-grams of `order` tokens, one more than before; returns the number of different ones. */
static uint32_t lengthen(Work *work, const size_t *sizes, size_t texts, size_t order)
{
    size_t end = 0, count = 0;
    uint32_t rest = NONE, different = 0;
    for (size_t i = 0; i < texts; i++) { /* the last n-gram of each text cannot be lengthened */
        end += sizes[i];
        if (sizes[i] + 1 >= order) {
            work->buckets[work->tokens[end - order + 1]].count--;
        }
    }
    lay_out(work);
    for (size_t i = 0; i < work->count && goes_on_at(work->call, i, FAR_STEP); i++) {
        size_t place = work->places[i] & ~FIRST;
        rest += (work->places[i] & FIRST) != 0;
        if (!is_start(work, place)) {
            different += put(work, work->longer, place - 1, rest);
            count++;
        }
    }
    uint32_t *swapped = work->places;
    work->places = work->longer;
    work->longer = swapped;
    work->count = count;
    return different;
}

/* --- n-grams ------------------------------------------------------------------------------------------------------ */

/* The number of n-grams of a text of `size` tokens. */
static size_t grams_of(size_t size, size_t order)
{
    return size >= order ? size - order + 1 : 0;
}

/* The end of the places from `start` on that are in one text. */
static size_t text_end(const Work *work, size_t start, size_t end, uint32_t *text)
{
    size_t at = start + 1;
    *text = text_of(work, work->places[start] & ~FIRST);
    while (at < end && text_of(work, work->places[at] & ~FIRST) == *text) {
        at++;
    }
    return at;
}

/* Add the matches of the n-gram that begins at places[start .. end). */
static void match_gram(const Work *work, size_t start, size_t end)
{
    size_t highest = 0, second = 0;
    uint32_t holder = NONE, text;
    for (size_t at = start, next; at < end; at = next) {
        next = text_end(work, at, end, &text);
        size_t count = next - at;
        if (count > highest) {
            second = highest;
            highest = count;
            holder = text;
        }
        else if (count > second) {
            second = count;
        }
    }
    for (size_t at = start, next; at < end && second != 0; at = next) {
        next = text_end(work, at, end, &text);
        size_t count = next - at, others = holder == text ? second : highest;
        work->matches[text] += (uint32_t)(count < others ? count : others);
    }
}

/* Count the n-grams of one order into rows[.. + 1 + order] and [.. + 1 + N + order]. */
static void count_order(Work *work, const size_t *sizes, size_t texts, size_t order, size_t max_order, int64_t *rows)
{
    size_t columns = 2 + 2 * max_order;
    memset(work->matches, 0, texts * sizeof *work->matches);
    for (size_t start = 0, end; start < work->count; start = end) {
        for (end = start + 1; end < work->count && (work->places[end] & FIRST) == 0; end++) {
        }
        if (!goes_on(work->call, (end - start) * FAR_STEP)) {
            return;
        }
        if (end > start + 1) {
            match_gram(work, start, end);
        }
    }
    for (size_t i = 0; i < texts && goes_on(work->call, STEP); i++) {
        rows[i * columns + 1 + order] = work->matches[i];
        rows[i * columns + 1 + max_order + order] = (int64_t)grams_of(sizes[i], order);
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
    size_t all = note_starts(work, sizes, count);
    if (read_tokens(work, texts, first, last, all) != all) {
        return;
    }
    for (size_t order = 1; order <= max_order && !work->call->stopped; order++) {
        distinct[order - 1] = order == 1 ? sort_tokens(work, all) : lengthen(work, sizes, count, order);
        if (!work->call->stopped) {
            count_order(work, sizes, count, order, max_order, rows);
        }
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
    work->longer = allocate(room, sizeof *work->longer);
    work->places = allocate(room, sizeof *work->places);
    work->buckets = allocate(room, sizeof *work->buckets);
    work->starts = allocate(room / 64 + 1, sizeof *work->starts);
    work->texts = allocate(texts.count, sizeof *work->texts);
    work->matches = allocate(texts.count, sizeof *work->matches);
    work->lengths = allocate(lengths, sizeof *work->lengths);
    work->below = allocate(lengths, sizeof *work->below);
    work->above = allocate(lengths, sizeof *work->above);
    if (work->tokens == NULL || work->longer == NULL || work->places == NULL || work->buckets == NULL ||
        work->starts == NULL || work->texts == NULL || work->matches == NULL ||
        work->lengths == NULL || work->below == NULL || work->above == NULL) {
        return NO_MEMORY;
    }
    return vocabulary_start(&work->vocabulary, room, &work->call->secrets);
}

static void work_free(Work *work)
{
    vocabulary_free(&work->vocabulary);
    release(work->sizes);
    release(work->tokens);
    release(work->longer);
    release(work->places);
    release(work->buckets);
    release(work->starts);
    release(work->texts);
    release(work->matches);
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
