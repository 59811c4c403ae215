/* Clipped n-gram matches; see matching.h. */
#include "matching.h"

#include <string.h>

Ids ids_in(uint32_t *memory, size_t room)
{
    return (Ids){memory, 0, memory + room, memory + 2 * room, 0};
}

/* The largest table of all pairs; it fits the first cache, and its ids 16 bits. */
#define DIRECT_ROOM 16384

static size_t direct_room(size_t room)
{
    return room < 128 ? room * room : DIRECT_ROOM;
}

size_t matcher_memory(size_t room)
{
    return 3 * room + direct_room(room);
}

Outcome matcher_start(Matcher *matcher, uint32_t *memory, size_t room)
{
    matcher->in_hypothesis = memory;
    matcher->in_reference = memory + room;
    matcher->most = memory + 2 * room;
    matcher->direct = memory + 3 * room;
    matcher->direct_era = 0;
    matcher->direct_room = direct_room(room);
    memset(matcher->direct, 0, matcher->direct_room * sizeof *matcher->direct);
    return table_start(&matcher->hashed, room) ? DONE : NO_MEMORY;
}

void matcher_free(Matcher *matcher)
{
    table_free(&matcher->hashed);
}

void add_token(Ids *text, uint32_t id)
{
    text->tokens[text->size] = id;
    text->starts[text->gram_count] = (uint32_t)text->size++;
    text->grams[text->gram_count] = id;
    text->gram_count += id != NONE;
}

/* --- ids of pairs ------------------------------------------------------------------------------------------------ */

/* Forget all pairs and prepare for those of `before` n-grams, at most `keys` different ones. */
static void clear_pairs(Matcher *matcher, uint32_t before, size_t keys)
{
    matcher->is_direct = (uint64_t)before * matcher->width <= matcher->direct_room;
    matcher->ids = 0;
    if (!matcher->is_direct) {
        table_clear(&matcher->hashed, keys);
    }
    else if (++matcher->direct_era > UINT16_MAX) {
        memset(matcher->direct, 0, matcher->direct_room * sizeof *matcher->direct);
        matcher->direct_era = 1;
    }
}

static uint32_t direct_id(Matcher *matcher, uint32_t first, uint32_t last, int insert)
{
    uint32_t *entry = &matcher->direct[first * matcher->width + last];
    if (*entry >> 16 == matcher->direct_era) {
        return *entry & UINT16_MAX;
    }
    if (!insert) {
        return NONE;
    }
    *entry = matcher->direct_era << 16 | matcher->ids;
    return matcher->ids++;
}

static uint32_t hashed_id(Matcher *matcher, uint32_t first, uint32_t last, int insert)
{
    uint64_t pair = (uint64_t)first << 32 | last;
    size_t slot = table_slot(&matcher->hashed, pair);
    uint32_t id = table_find(&matcher->hashed, pair, &slot);
    if (id == NONE && insert) {
        id = table_insert(&matcher->hashed, pair, slot);
        matcher->ids++;
    }
    return id;
}

/* Lengthen the n-grams of a text to `order` tokens, with ids from the table, and drop those without. */
static inline void lengthen(Matcher *matcher, Ids *text, size_t order, int insert)
{
    size_t kept = 0, end = text->size >= order ? text->size - order + 1 : 0;
    for (size_t i = 0; i < text->gram_count && text->starts[i] < end; i++) {
        uint32_t last = text->tokens[text->starts[i] + order - 1], first = text->grams[i], id = NONE;
        if (last != NONE) {
            id = matcher->is_direct ? direct_id(matcher, first, last, insert) : hashed_id(matcher, first, last, insert);
        }
        text->starts[kept] = text->starts[i];
        text->grams[kept] = id;
        kept += id != NONE;
    }
    text->gram_count = kept;
}

/* --- counts ------------------------------------------------------------------------------------------------------ */

static void count(const Ids *text, uint32_t *counts, size_t ids)
{
    memset(counts, 0, ids * sizeof *counts);
    for (size_t i = 0; i < text->gram_count; i++) {
        counts[text->grams[i]]++;
    }
}

static void count_most(Matcher *matcher, const Ids *references, size_t reference_count)
{
    int first = 1;
    memset(matcher->most, 0, matcher->ids * sizeof *matcher->most);
    for (size_t i = 0; i < reference_count; i++) {
        if (references[i].size == MISSING_TEXT) {
            continue;
        }
        count(&references[i], first ? matcher->most : matcher->in_reference, matcher->ids);
        for (size_t id = 0; id < matcher->ids && !first; id++) {
            uint32_t here = matcher->in_reference[id];
            matcher->most[id] = here > matcher->most[id] ? here : matcher->most[id];
        }
        first = 0;
    }
}

/* Count the matches of the current order, and drop the n-grams that no reference has. */
static int64_t clipped_matches(Matcher *matcher, Ids *hypothesis, const Ids *references, size_t reference_count)
{
    size_t kept = 0;
    int64_t matches = 0;
    count(hypothesis, matcher->in_hypothesis, matcher->ids);
    count_most(matcher, references, reference_count);
    for (size_t id = 0; id < matcher->ids; id++) {
        uint32_t here = matcher->in_hypothesis[id], there = matcher->most[id];
        matches += here < there ? here : there;
    }
    for (size_t i = 0; i < hypothesis->gram_count; i++) {
        hypothesis->starts[kept] = hypothesis->starts[i];
        hypothesis->grams[kept] = hypothesis->grams[i];
        kept += matcher->most[hypothesis->grams[i]] != 0;
    }
    hypothesis->gram_count = kept;
    return matches;
}

/* Forget the tokens of the hypothesis that no reference has: no longer n-gram with them can match. */
static void drop_unmatched_tokens(const Matcher *matcher, Ids *hypothesis)
{
    for (size_t i = 0; i < hypothesis->size; i++) {
        uint32_t id = hypothesis->tokens[i];
        hypothesis->tokens[i] = matcher->most[id] != 0 ? id : NONE;
    }
}

void match_orders(Matcher *matcher, Ids *hypothesis, uint32_t different, Ids *references, size_t reference_count,
                  size_t max_order, int64_t *correct)
{
    memset(correct, 0, max_order * sizeof *correct);
    matcher->ids = matcher->width = different;
    correct[0] = clipped_matches(matcher, hypothesis, references, reference_count);
    drop_unmatched_tokens(matcher, hypothesis);
    for (size_t order = 2; order <= max_order && hypothesis->gram_count != 0; order++) {
        clear_pairs(matcher, matcher->ids, hypothesis->gram_count);
        lengthen(matcher, hypothesis, order, 1);
        for (size_t i = 0; i < reference_count; i++) {
            if (references[i].size != MISSING_TEXT) {
                lengthen(matcher, &references[i], order, 0);
            }
        }
        correct[order - 1] = clipped_matches(matcher, hypothesis, references, reference_count);
    }
}
