/* BLEU's statistics: clipped n-gram counts and lengths. */
#include "matching.h"
#include "tokens.h"

/* The rough time to read a token, apart from its bytes. */
#define TOKEN_TIME 16

typedef struct {
    Call *call;
    Vocabulary vocabulary;
    Matcher matcher;
    Ids hypothesis;
    Ids *references; /* of one segment */
    size_t reference_count;
    uint32_t *memory; /* holds the matcher and all texts */
} Work;

static void read_text(Work *work, Ids *text, const unsigned char *at, const unsigned char *end, int add)
{
    Token token;
    Tokens tokens = tokens_of(at, end);
    text->size = text->gram_count = 0;
    while (next_token(&tokens, &token) && goes_on(work->call, TOKEN_TIME + token.size)) {
        add_token(text, token_id(&work->vocabulary, token, add));
    }
}

static size_t distance(size_t a, size_t b)
{
    return a > b ? a - b : b - a;
}

/* The length of the reference closest to the hypothesis, the shorter of two equally close; 0 if there is none. */
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
    row[0] = (int64_t)size;
    row[1] = (int64_t)closest_length(work);
    for (size_t order = 1; order <= max_order; order++) {
        row[1 + max_order + order] = size >= order ? (int64_t)(size - order + 1) : 0;
    }
    match_orders(&work->matcher, &work->hypothesis, work->vocabulary.table.ids, work->references,
                 work->reference_count, max_order, row + 2);
}

static void count_segment(Work *work, Segments hypotheses, const Segments *references, size_t index, size_t max_order,
                          int64_t *row)
{
    Text hypothesis = text_at(hypotheses, index);
    size_t room = token_room(hypothesis.at, hypothesis.end, work->call);
    if (work->call->stopped) {
        return;
    }
    vocabulary_clear(&work->vocabulary, room);
    read_text(work, &work->hypothesis, hypothesis.at, hypothesis.end, 1);
    for (size_t i = 0; i < work->reference_count; i++) {
        Text reference = text_at(references[i], index);
        work->references[i].size = MISSING_TEXT;
        if (!reference.is_missing) {
            read_text(work, &work->references[i], reference.at, reference.end, 0);
        }
    }
    count_row(work, max_order, row);
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
    work->reference_count = reference_count;
    work->references = allocate(reference_count, sizeof *work->references);
    work->memory = allocate(matcher_memory(room) + IDS_MEMORY(all), sizeof *work->memory);
    if (work->references == NULL || work->memory == NULL) {
        return NO_MEMORY;
    }
    uint32_t *next = work->memory + matcher_memory(room);
    work->hypothesis = ids_in(next, room);
    next += IDS_MEMORY(room);
    for (size_t i = 0; i < reference_count; i++) {
        size_t reference_room = most_tokens(references[i], work->call);
        work->references[i] = ids_in(next, reference_room);
        next += IDS_MEMORY(reference_room);
    }
    Outcome outcome = vocabulary_start(&work->vocabulary, room, &work->call->secrets);
    return outcome == DONE ? matcher_start(&work->matcher, work->memory, room, work->call) : outcome;
}

Outcome ngram_stats(Segments hypotheses, const Segments *references, size_t reference_count, size_t max_order,
                    int64_t *rows, Call *call)
{
    Work work = {.call = call};
    Outcome outcome = work_start(&work, hypotheses, references, reference_count);
    for (size_t i = 0; outcome == DONE && i < hypotheses.count; i++) {
        count_segment(&work, hypotheses, references, i, max_order, rows + i * (2 + 2 * max_order));
        outcome = call->stopped ? STOPPED : DONE;
    }
    work_free(&work);
    return outcome;
}
