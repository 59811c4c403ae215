/* chrF's statistics: character and word n-grams of a hypothesis and of its best reference. */
#include "matching.h"
#include "sorting.h"
#include "tokens.h"

#include <string.h>

/* --- characters as ids -------------------------------------------------------------------------------------------- */

#define FREQUENT 0x800 /* code points below this have a table of their own */
#define PAGE 0x80      /* the entries of that table that are emptied at once, when one of them is first needed */

typedef struct {
    uint64_t frequent[FREQUENT]; /* era << 32 | id */
    unsigned char emptied[FREQUENT / PAGE];
    uint64_t era; /* one per hypothesis, and no corpus has 2^32 */
    Table others;
    uint32_t ids;
} Alphabet;

/* An upper bound of the different other code points in a text of `size` bytes: each takes at least three bytes and
 * fits into 21 bits. */
static size_t others_in(size_t size)
{
    size_t most = (size_t)1 << 21;
    return size / 3 < most ? size / 3 : most;
}

/* Empty a page of the table of frequent characters when it is first needed. */
static inline void empty_page(Alphabet *alphabet, uint32_t code)
{
    if (!alphabet->emptied[code / PAGE]) {
        memset(alphabet->frequent + code / PAGE * PAGE, 0, PAGE * sizeof(uint64_t));
        alphabet->emptied[code / PAGE] = 1;
    }
}

static void alphabet_clear(Alphabet *alphabet, size_t size)
{
    empty_page(alphabet, 0);
    alphabet->era++;
    alphabet->ids = 0;
    table_clear(&alphabet->others, others_in(size));
}

static uint32_t character_id(Alphabet *alphabet, uint32_t code, int add)
{
    if (code < FREQUENT) {
        empty_page(alphabet, code);
        uint64_t entry = alphabet->frequent[code];
        if (entry >> 32 != alphabet->era) {
            if (!add) {
                return NONE;
            }
            entry = alphabet->frequent[code] = alphabet->era << 32 | alphabet->ids++;
        }
        return (uint32_t)entry;
    }
    size_t slot = table_slot(&alphabet->others, code);
    uint32_t id = table_find(&alphabet->others, code, &slot);
    if (id == NONE && add) {
        alphabet->others.ids = alphabet->ids++; /* both tables share one sequence of ids */
        id = table_insert(&alphabet->others, code, slot);
    }
    return id;
}

/* --- one segment -------------------------------------------------------------------------------------------------- */

typedef struct {
    Call *call;
    Alphabet *alphabet;
    Vocabulary vocabulary;
    Matcher matcher;
    uint32_t *memory;                      /* holds the texts */
    Sequence characters, words, reference; /* those of the hypothesis, and either of the reference */
    int64_t *row;    /* of one reference, and after it the matches of one kind */
    double *numbers; /* the same row as doubles */
    ChrfOptions options;
} Work;

/* The rough time to read a word. */
#define WORD_TIME 32

/* Read characters of ASCII up to another one; return where it stands. Without branches on what is read, since it is hard
 * to predict where a text has a space, or a character for the first time. */
static inline const unsigned char *read_ascii(Alphabet *alphabet, uint32_t **ids, const unsigned char *at,
                                       const unsigned char *end, int whitespace, int add)
{
    uint32_t *next = *ids, new_id = alphabet->ids;
    uint64_t era = alphabet->era << 32;
    for (; at < end && *at < 0x80; at++) {
        uint64_t entry = alphabet->frequent[*at], is_new = ((entry ^ era) >> 32) != 0;
        uint32_t counts = (uint32_t)whitespace | !is_ascii_space(*at);
        if (add) {
            entry ^= (entry ^ (era | new_id)) & (0 - is_new);
            alphabet->frequent[*at] = entry & (0 - (uint64_t)counts); /* a space gets no id unless it counts */
            new_id += (uint32_t)is_new & counts;
        }
        else {
            entry |= 0 - is_new;
        }
        *next = (uint32_t)entry;
        next += counts;
    }
    alphabet->ids = new_id;
    *ids = next;
    return at;
}

static inline void read_characters(Work *work, Sequence *text, const unsigned char *at, const unsigned char *end,
                                   int add)
{
    const unsigned char *piece;
    uint32_t *next = text->ids;
    int whitespace = work->options.whitespace;
    while (at < end && (piece = piece_end(work->call, at, end)) != NULL) {
        while (at < piece) {
            if (*at < 0x80) { /* most characters, which need not be decoded */
                at = read_ascii(work->alphabet, &next, at, piece, whitespace, add);
                continue;
            }
            size_t space = whitespace ? 0 : space_length(at, end), size = character_length(at, end);
            if (space == 0) {
                *next++ = character_id(work->alphabet, code_point(at, size), add);
            }
            at += space != 0 ? space : size;
        }
    }
    text->size = (size_t)(next - text->ids);
}

static void read_words(Work *work, Sequence *text, const unsigned char *at, const unsigned char *end, int add)
{
    Token word;
    Tokens tokens = tokens_of(at, end);
    text->size = 0;
    while (next_token(&tokens, &word) && goes_on(work->call, WORD_TIME)) {
        size_t cut = first_part(word);
        text->ids[text->size++] = token_id(&work->vocabulary, part_of(word, 0, cut), add);
        if (cut < word.size) {
            text->ids[text->size++] = token_id(&work->vocabulary, part_of(word, cut, word.size), add);
        }
    }
}

static int64_t gram_count(size_t size, size_t order)
{
    return size >= order ? (int64_t)(size - order + 1) : 0;
}

/* Compare the hypothesis, as characters or words, with the reference; write the counts of orders 1 to `orders`. */
static void compare(Work *work, Sequence hypothesis, uint32_t different, size_t orders, int64_t *row)
{
    int64_t *matches = work->row + 3 * (work->options.char_order + work->options.word_order);
    size_t hyp_size = hypothesis.size, ref_size = work->reference.size;
    match_orders(&work->matcher, hypothesis, different, &work->reference, 1, orders, matches);
    if (work->call->stopped) {
        return;
    }
    for (size_t order = 1; order <= orders; order++, row += 3) {
        row[1] = gram_count(ref_size, order);
        row[0] = row[1] != 0 ? gram_count(hyp_size, order) : 0; /* Quirk: as in sacreBLEU */
        row[2] = matches[order - 1];
    }
}

static void compare_reference(Work *work, const unsigned char *at, const unsigned char *end, int64_t *row)
{
    size_t char_order = work->options.char_order, word_order = work->options.word_order;
    if (char_order != 0) {
        read_characters(work, &work->reference, at, end, 0);
        compare(work, work->characters, work->alphabet->ids, char_order, row);
    }
    if (word_order != 0) {
        read_words(work, &work->reference, at, end, 0);
        compare(work, work->words, work->vocabulary.table.ids, word_order, row + 3 * char_order);
    }
}

static void read_hypothesis(Work *work, const unsigned char *at, const unsigned char *end)
{
    if (work->options.word_order != 0) {
        size_t room = 2 * token_room(at, end, work->call); /* a token may have two parts */
        if (work->call->stopped) {
            return;
        }
        vocabulary_clear(&work->vocabulary, room);
        read_words(work, &work->words, at, end, 1);
    }
    alphabet_clear(work->alphabet, (size_t)(end - at));
    read_characters(work, &work->characters, at, end, 1);
}

static double score_row(Work *work, size_t orders)
{
    for (size_t i = 0; i < 3 * orders; i++) {
        work->numbers[i] = (double)work->row[i];
    }
    return f_score(work->numbers, orders, work->options.factor, work->options.eps_smoothing);
}

static void count_segment(Work *work, Segments hypotheses, const Segments *references, size_t reference_count,
                          size_t index, int64_t *row)
{
    size_t orders = work->options.char_order + work->options.word_order;
    double best = -1.0; /* below any score: even 0 wins */
    Text hypothesis = text_at(hypotheses, index);
    memset(row, 0, 3 * orders * sizeof *row);
    read_hypothesis(work, hypothesis.at, hypothesis.end);
    for (size_t i = 0; i < reference_count && !work->call->stopped; i++) {
        Text reference = text_at(references[i], index);
        if (reference.is_missing) {
            continue;
        }
        compare_reference(work, reference.at, reference.end, work->row);
        if (work->call->stopped) {
            return;
        }
        double score = score_row(work, orders);
        if (score > best) {
            best = score;
            memcpy(row, work->row, 3 * orders * sizeof *row);
        }
    }
}

/* --- the corpus --------------------------------------------------------------------------------------------------- */

static void work_free(Work *work)
{
    if (work->alphabet != NULL) {
        table_free(&work->alphabet->others);
    }
    release(work->alphabet);
    vocabulary_free(&work->vocabulary);
    matcher_free(&work->matcher);
    release(work->memory);
    release(work->row);
    release(work->numbers);
}

static size_t longest_of(Segments texts, size_t longest)
{
    for (size_t i = 0; i < texts.count; i++) {
        Text text = text_at(texts, i);
        size_t size = (size_t)(text.end - text.at);
        longest = size > longest ? size : longest;
    }
    return longest;
}

/* Room for the longest texts; none has more tokens of either kind than bytes. */
static Outcome work_start(Work *work, Segments hypotheses, const Segments *references, size_t reference_count)
{
    size_t room = longest_of(hypotheses, 1), reference_room = 1;
    size_t orders = work->options.char_order + work->options.word_order;
    for (size_t i = 0; i < reference_count; i++) {
        reference_room = longest_of(references[i], reference_room);
    }
    if (room + reference_room >= NONE / 2 || room + reference_room > SIZE_MAX / 64) { /* as in ngrams.c */
        return NO_MEMORY;
    }
    work->alphabet = allocate(1, sizeof *work->alphabet);
    if (work->alphabet != NULL) {
        work->alphabet->others = (Table){0};
    }
    work->row = allocate(4 * orders, sizeof *work->row);
    work->numbers = allocate(3 * orders, sizeof *work->numbers);
    work->memory = allocate(2 * room + reference_room, sizeof *work->memory);
    if (work->alphabet == NULL || work->row == NULL || work->numbers == NULL || work->memory == NULL) {
        return NO_MEMORY;
    }
    memset(work->alphabet->emptied, 0, sizeof work->alphabet->emptied);
    work->alphabet->era = 0;
    work->characters.ids = work->memory;
    work->words.ids = work->memory + room;
    work->reference.ids = work->memory + 2 * room;
    Outcome outcome = table_start(&work->alphabet->others, others_in(room), &work->call->secrets) ? DONE : NO_MEMORY;
    if (outcome == DONE && work->options.word_order != 0) {
        size_t words = 2 * most_tokens(hypotheses, work->call);
        outcome = work->call->stopped ? STOPPED : vocabulary_start(&work->vocabulary, words, &work->call->secrets);
    }
    return outcome == DONE ? matcher_start(&work->matcher, room, reference_room, 1, work->call) : outcome;
}

Outcome chrf_stats(Segments hypotheses, const Segments *references, size_t reference_count, ChrfOptions options,
                   int64_t *rows, Call *call)
{
    Work work = {.call = call, .options = options};
    Outcome outcome = work_start(&work, hypotheses, references, reference_count);
    for (size_t i = 0; outcome == DONE && i < hypotheses.count; i++) {
        size_t columns = 3 * (options.char_order + options.word_order);
        count_segment(&work, hypotheses, references, reference_count, i, rows + i * columns);
        outcome = call->stopped ? STOPPED : DONE;
    }
    work_free(&work);
    return outcome;
}
