/* BLEU's statistics: clipped n-gram counts and lengths. */
#include "matching.h"
#include "tokens.h"

#include <limits.h>
#include <string.h>

/* The rough time to read a token, apart from its bytes. */
#define TOKEN_TIME 16

typedef struct {
    Call *call;
    Vocabulary vocabulary;
    Matcher matcher;
    uint32_t *memory; /* holds all texts of a segment, the hypothesis first */
    Sequence hypothesis;
    Sequence *references; /* those that a segment has */
    size_t reference_count;
    int mostly_bytes; /* a guess: whether most tokens are single bytes, as the characters of texts in Latin script */
    uint32_t byte_ids[UCHAR_MAX + 1]; /* if so, the ids of those that the hypothesis has; of others, NONE */
} Work;

/* The same as token_id, in less time for single bytes. */
static inline uint32_t short_token_id(Work *work, Token token, int add)
{
    uint32_t *byte_id = &work->byte_ids[*token.at];
    if (token.size == 1 && (*byte_id != NONE || !add)) {
        return *byte_id;
    }
    uint32_t id = token_id(&work->vocabulary, token, add);
    if (token.size == 1) {
        *byte_id = id;
    }
    return id;
}

static inline Sequence read_tokens(Work *work, uint32_t *ids, Text text, int add, int mostly_bytes)
{
    Token token;
    Tokens tokens = tokens_of(text.at, text.end);
    size_t size = 0;
    while (next_token(&tokens, &token) && goes_on(work->call, TOKEN_TIME + token.size)) {
        ids[size++] = mostly_bytes ? short_token_id(work, token, add) : token_id(&work->vocabulary, token, add);
    }
    return (Sequence){ids, size};
}

/* Read a text into the memory at `ids`. */
static Sequence read_text(Work *work, uint32_t *ids, Text text, int add)
{
    return work->mostly_bytes ? read_tokens(work, ids, text, add, 1) : read_tokens(work, ids, text, add, 0);
}

static size_t distance(size_t a, size_t b)
{
    return a > b ? a - b : b - a;
}

/* The length of the reference closest to the hypothesis, the shorter of two equally close; 0 if there is none. */
static size_t closest_length(const Work *work)
{
    size_t wanted = work->hypothesis.size, closest = work->reference_count != 0 ? work->references[0].size : 0;
    for (size_t i = 1; i < work->reference_count; i++) {
        size_t size = work->references[i].size, nearer = distance(size, wanted), near = distance(closest, wanted);
        if (nearer < near || (nearer == near && size < closest)) {
            closest = size;
        }
    }
    return closest;
}

static void count_row(Work *work, size_t max_order, int64_t *row)
{
    size_t size = work->hypothesis.size;
    row[0] = (int64_t)size;
    row[1] = (int64_t)closest_length(work);
    for (size_t order = 1; order <= max_order; order++) {
        row[1 + max_order + order] = size >= order ? (int64_t)(size - order + 1) : 0;
    }
    match_orders(&work->matcher, work->hypothesis, work->vocabulary.table.ids, work->references,
                 work->reference_count, max_order, row + 2);
}

static void count_segment(Work *work, Segments hypotheses, const Segments *references, size_t reference_count,
                          size_t index, size_t max_order, int64_t *row)
{
    Text hypothesis = text_at(hypotheses, index);
    size_t room = token_room(hypothesis.at, hypothesis.end, work->call);
    if (work->call->stopped) {
        return;
    }
    vocabulary_clear(&work->vocabulary, room);
    if (work->mostly_bytes) {
        memset(work->byte_ids, UCHAR_MAX, sizeof work->byte_ids);
    }
    work->hypothesis = read_text(work, work->memory, hypothesis, 1);
    uint32_t *next = work->memory + work->hypothesis.size;
    work->reference_count = 0;
    for (size_t i = 0; i < reference_count; i++) {
        Text reference = text_at(references[i], index);
        if (!reference.is_missing) {
            Sequence *read = &work->references[work->reference_count++];
            *read = read_text(work, next, reference, 0);
            next += read->size;
        }
    }
    count_row(work, max_order, row);
    /* For the next segment: less than three bytes a token, with the white space */
    work->mostly_bytes = 3 * work->hypothesis.size > (size_t)(hypothesis.end - hypothesis.at);
}

/* --- the corpus -------------------------------------------------------------------------------------------------- */

static void work_free(Work *work)
{
    vocabulary_free(&work->vocabulary);
    matcher_free(&work->matcher);
    release(work->references);
    release(work->memory);
}

/* Room for the longest hypothesis and the longest reference of every stream. */
static Outcome work_start(Work *work, Segments hypotheses, const Segments *references, size_t reference_count)
{
    size_t room = most_tokens(hypotheses, work->call), all = room;
    for (size_t i = 0; i < reference_count; i++) {
        all += most_tokens(references[i], work->call);
    }
    if (work->call->stopped) {
        return STOPPED;
    }
    if (all >= NONE / 2 || all > SIZE_MAX / 64) { /* ids would not fit into 32 bits, or sums of sizes would overflow */
        return NO_MEMORY;
    }
    work->references = allocate(reference_count, sizeof *work->references);
    work->memory = allocate(all, sizeof *work->memory);
    if (work->references == NULL || work->memory == NULL) {
        return NO_MEMORY;
    }
    Outcome outcome = vocabulary_start(&work->vocabulary, room, &work->call->secrets);
    return outcome == DONE ? matcher_start(&work->matcher, room, all - room, reference_count, work->call) : outcome;
}

Outcome ngram_stats(Segments hypotheses, const Segments *references, size_t reference_count, size_t max_order,
                    int64_t *rows, Call *call)
{
    Work work = {.call = call};
    Outcome outcome = work_start(&work, hypotheses, references, reference_count);
    for (size_t i = 0; outcome == DONE && i < hypotheses.count; i++) {
        count_segment(&work, hypotheses, references, reference_count, i, max_order, rows + i * (2 + 2 * max_order));
        outcome = call->stopped ? STOPPED : DONE;
    }
    work_free(&work);
    return outcome;
}
