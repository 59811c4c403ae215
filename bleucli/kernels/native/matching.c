/* Clipped n-gram matches; see matching.h. */
#include "matching.h"

#include <string.h>

/* The entries of the largest table of all pairs: 32 KB, which fit into the first cache. Its ids fit into 16 bits. */
#define DIRECT_ROOM 8192

static size_t direct_room(size_t room)
{
    return room < 90 ? room * room : DIRECT_ROOM;
}

Outcome matcher_start(Matcher *matcher, size_t room, size_t reference_room, size_t reference_count, Call *call)
{
    matcher->call = call;
    matcher->direct_room = direct_room(room);
    matcher->memory = allocate(7 * room + 2 * reference_room + matcher->direct_room, sizeof *matcher->memory);
    matcher->references = allocate(reference_count, sizeof *matcher->references);
    matcher->sorter_memory = allocate(sorter_memory(room + reference_room), 1);
    matcher->places = allocate(places_room(room), sizeof *matcher->places);
    if (!table_start(&matcher->hashed, room, &call->secrets) || matcher->memory == NULL ||
        matcher->references == NULL || matcher->sorter_memory == NULL || matcher->places == NULL) {
        return NO_MEMORY;
    }
    uint32_t *next = matcher->memory;
    matcher->in_hypothesis = next;
    matcher->in_reference = next + room;
    matcher->most = next + 2 * room;
    matcher->most_before = next + 3 * room;
    matcher->hypothesis = (Ids){next + 4 * room, 0, next + 5 * room, next + 6 * room, 0};
    matcher->reference_memory = next + 7 * room;
    matcher->direct = matcher->reference_memory + 2 * reference_room;
    matcher->direct_era = 0;
    matcher->direct_used = 0;
    matcher->sorter = sorter_in(matcher->sorter_memory, room + reference_room);
    return DONE;
}

void matcher_free(Matcher *matcher)
{
    table_free(&matcher->hashed);
    release(matcher->memory);
    release(matcher->references);
    release(matcher->sorter_memory);
    release(matcher->places);
}

/* --- ids of pairs ------------------------------------------------------------------------------------------------ */

/* Begin a new era of the first `size` entries; entries never used before are emptied. */
static void clear_direct(Matcher *matcher, size_t size)
{
    if (++matcher->direct_era > UINT16_MAX) {
        matcher->direct_era = 1;
        matcher->direct_used = 0;
    }
    if (size > matcher->direct_used) {
        memset(matcher->direct + matcher->direct_used, 0, (size - matcher->direct_used) * sizeof *matcher->direct);
        matcher->direct_used = size;
    }
}

/* Forget all pairs, and prepare for those of `before` different n-grams, which the hypothesis has at `grams` places. */
static void clear_pairs(Matcher *matcher, uint32_t before, size_t grams)
{
    uint64_t pairs = (uint64_t)before * matcher->width;
    matcher->is_direct = pairs <= matcher->direct_room;
    matcher->ids = 0;
    if (!matcher->is_direct) {
        table_clear(&matcher->hashed, pairs < grams ? (size_t)pairs : grams);
    }
    else {
        clear_direct(matcher, (size_t)pairs);
    }
}

static uint32_t hashed_id(Table *table, uint32_t first, uint32_t last, int insert)
{
    uint64_t pair = (uint64_t)first << 32 | last;
    size_t slot = table_slot(table, pair);
    uint32_t id = table_find(table, pair, &slot);
    return id == NONE && insert ? table_insert(table, pair, slot) : id;
}

/* --- from one order to the next ---------------------------------------------------------------------------------- */

/* The rough time of a step, with the hash table and with the direct one. */
#define HASHED_STEP 8
#define DIRECT_STEP 2

/* Lengthen to `order` tokens those n-grams of the hypothesis that a reference has; give them ids and count them. most:
 * by id in the previous order, how often a reference has the n-gram. */
static void lengthen_hypothesis(Matcher *matcher, Ids *text, size_t order, const uint32_t *most)
{
    size_t kept = 0, end = text->size >= order ? text->size - order + 1 : 0, grams = text->gram_count;
    const uint32_t *lasts = text->tokens + order - 1;
    for (size_t i = 0; i < grams && text->starts[i] < end && goes_on_at(matcher->call, i, HASHED_STEP); i++) {
        uint32_t start = text->starts[i], first = text->grams[i], last = lasts[start];
        if (last != NONE && most[first] != 0) {
            uint32_t id = hashed_id(&matcher->hashed, first, last, 1);
            matcher->in_hypothesis[id] = id == matcher->ids ? 1 : matcher->in_hypothesis[id] + 1;
            matcher->ids += id == matcher->ids;
            text->starts[kept] = start;
            text->grams[kept++] = id;
        }
    }
    text->gram_count = kept;
}

/* Lengthen to `order` tokens those n-grams of a reference that the hypothesis has; count those that it still has. */
static void lengthen_reference(const Matcher *matcher, Ids *text, size_t order, uint32_t *counts)
{
    size_t kept = 0, end = text->size >= order ? text->size - order + 1 : 0, grams = text->gram_count;
    const uint32_t *lasts = text->tokens + order - 1;
    for (size_t i = 0; i < grams && text->starts[i] < end && goes_on_at(matcher->call, i, HASHED_STEP); i++) {
        uint32_t start = text->starts[i], last = lasts[start];
        uint32_t id = last != NONE ? hashed_id((Table *)&matcher->hashed, text->grams[i], last, 0) : NONE;
        if (id != NONE) {
            counts[id]++;
            text->starts[kept] = start;
            text->grams[kept++] = id;
        }
    }
    text->gram_count = kept;
}

/* The same two with the direct table, where most of the time goes: without branches, since it is hard to predict which
 * n-grams are kept. A dropped one adds 0 to a count, or clears the count that the next id will have. */

static void lengthen_hypothesis_directly(Matcher *matcher, Ids *text, size_t order, const uint32_t *most)
{
    size_t kept = 0, end = text->size >= order ? text->size - order + 1 : 0, grams = text->gram_count;
    const uint32_t *lasts = text->tokens + order - 1;
    uint32_t *counts = matcher->in_hypothesis, *direct = matcher->direct, *starts = text->starts, *ids = text->grams;
    uint32_t width = matcher->width, era = matcher->direct_era, next = 0;
    for (size_t i = 0; i < grams && starts[i] < end; i++) {
        uint32_t start = starts[i], first = ids[i], last = lasts[start];
        uint32_t keep = (last != NONE) & (most[first] != 0);
        uint32_t *entry = &direct[first * width + (last != NONE ? last : 0)];
        uint32_t known = *entry >> 16 == era;
        uint32_t id = known ? *entry & UINT16_MAX : next;
        *entry = keep ? era << 16 | id : *entry;
        counts[id] = (known ? counts[id] : 0) + keep;
        next += keep & !known;
        starts[kept] = start;
        ids[kept] = id;
        kept += keep;
    }
    matcher->ids = next;
    text->gram_count = kept;
}

static void lengthen_reference_directly(const Matcher *matcher, Ids *text, size_t order, uint32_t *counts)
{
    size_t kept = 0, end = text->size >= order ? text->size - order + 1 : 0, grams = text->gram_count;
    const uint32_t *lasts = text->tokens + order - 1, *direct = matcher->direct;
    uint32_t *starts = text->starts, *ids = text->grams, width = matcher->width, era = matcher->direct_era;
    for (size_t i = 0; i < grams && starts[i] < end; i++) {
        uint32_t start = starts[i], last = lasts[start];
        uint32_t entry = direct[ids[i] * width + (last != NONE ? last : 0)];
        uint32_t keep = (last != NONE) & (entry >> 16 == era), id = keep ? entry & UINT16_MAX : 0;
        counts[id] += keep;
        starts[kept] = start;
        ids[kept] = id;
        kept += keep;
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

/* Count a reference's n-grams of an order; if it is above 1, lengthen them first. */
static void count_reference(Matcher *matcher, Ids *reference, size_t order, uint32_t *counts)
{
    if (order == 1) {
        count(reference, counts, matcher->ids);
        return;
    }
    memset(counts, 0, matcher->ids * sizeof *counts);
    if (matcher->is_direct) {
        lengthen_reference_directly(matcher, reference, order, counts);
    }
    else {
        lengthen_reference(matcher, reference, order, counts);
    }
}

static void count_most(Matcher *matcher, size_t reference_count, size_t order, uint32_t *most)
{
    memset(most, 0, matcher->ids * sizeof *most);
    for (size_t i = 0; i < reference_count; i++) {
        Ids *reference = &matcher->references[i];
        if (!goes_on(matcher->call, reference->gram_count * DIRECT_STEP)) {
            return;
        }
        count_reference(matcher, reference, order, i == 0 ? most : matcher->in_reference);
        for (size_t id = 0; id < matcher->ids && i > 0; id++) {
            most[id] = matcher->in_reference[id] > most[id] ? matcher->in_reference[id] : most[id];
        }
    }
}

static int64_t clipped_matches(const Matcher *matcher, const uint32_t *most)
{
    int64_t matches = 0;
    for (size_t id = 0; id < matcher->ids; id++) {
        matches += matcher->in_hypothesis[id] < most[id] ? matcher->in_hypothesis[id] : most[id];
    }
    return matches;
}

/* Forget the tokens of the hypothesis that no reference has: no n-gram that contains one can match. */
static void drop_unmatched_tokens(Ids *hypothesis, const uint32_t *most)
{
    for (size_t i = 0; i < hypothesis->size; i++) {
        uint32_t id = hypothesis->tokens[i];
        hypothesis->tokens[i] = most[id] != 0 ? id : NONE;
    }
}

/* Note the n-grams of order 1. Without a branch: gram_count does not include what a NONE writes to `starts` and
 * `grams`. */
static void note_tokens(Ids *text)
{
    text->gram_count = 0;
    for (size_t i = 0; i < text->size; i++) {
        text->starts[text->gram_count] = (uint32_t)i;
        text->grams[text->gram_count] = text->tokens[i];
        text->gram_count += text->tokens[i] != NONE;
    }
}

/* Lay out the texts, whose ids are used up. */
static void lay_out(Matcher *matcher, Sequence hypothesis, const Sequence *references, size_t reference_count)
{
    uint32_t *next = matcher->reference_memory;
    matcher->hypothesis.size = hypothesis.size;
    memcpy(matcher->hypothesis.tokens, hypothesis.ids, hypothesis.size * sizeof *hypothesis.ids);
    note_tokens(&matcher->hypothesis);
    for (size_t i = 0; i < reference_count; i++) {
        size_t size = references[i].size;
        matcher->references[i] = (Ids){references[i].ids, size, next, next + size, 0};
        note_tokens(&matcher->references[i]);
        next += 2 * size;
    }
}

/* Match by ids of pairs. */
static void match_pairs(Matcher *matcher, Sequence text, uint32_t different, const Sequence *references,
                        size_t reference_count, size_t max_order, int64_t *correct)
{
    Ids *hypothesis = &matcher->hypothesis;
    uint32_t *most = matcher->most, *most_before = matcher->most_before;
    lay_out(matcher, text, references, reference_count);
    memset(correct, 0, max_order * sizeof *correct);
    matcher->ids = matcher->width = different;
    count(hypothesis, matcher->in_hypothesis, matcher->ids);
    count_most(matcher, reference_count, 1, most);
    correct[0] = clipped_matches(matcher, most);
    drop_unmatched_tokens(hypothesis, most);
    for (size_t order = 2; order <= max_order && correct[order - 2] != 0; order++) {
        if (!goes_on(matcher->call, hypothesis->gram_count * DIRECT_STEP)) {
            return;
        }
        uint32_t *swapped = most_before;
        most_before = most;
        most = swapped;
        clear_pairs(matcher, matcher->ids, hypothesis->gram_count);
        if (matcher->is_direct) {
            lengthen_hypothesis_directly(matcher, hypothesis, order, most_before);
        }
        else {
            lengthen_hypothesis(matcher, hypothesis, order, most_before);
        }
        count_most(matcher, reference_count, order, most);
        correct[order - 1] = clipped_matches(matcher, most);
    }
}

/* The rough time to sort a token. */
#define SORTED_STEP 16

void match_orders(Matcher *matcher, Sequence hypothesis, uint32_t different, const Sequence *references,
                  size_t reference_count, size_t max_order, int64_t *correct)
{
    size_t size = hypothesis.size + (reference_count == 1 ? references[0].size : 0);
    if (reference_count != 1 || !can_sort(size, different, max_order)) {
        match_pairs(matcher, hypothesis, different, references, reference_count, max_order, correct);
    }
    else if (goes_on(matcher->call, size * SORTED_STEP)) {
        size_t hyp_size = hypothesis.size, ref_size = references[0].size;
        take_texts(&matcher->sorter, hypothesis.ids, hyp_size, references[0].ids, ref_size, different);
        if (!match_places(matcher->places, matcher->sorter.tokens, hyp_size, ref_size, different, max_order, correct)) {
            match_sorted(&matcher->sorter, hyp_size, ref_size, different, max_order, correct);
        }
    }
}
