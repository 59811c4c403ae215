/* Characters: white space and UTF-8. Bytes that are not UTF-8 are accepted; nothing is read past the end. */
#ifndef BLEU_CHARACTERS_H
#define BLEU_CHARACTERS_H

#include <stddef.h>
#include <stdint.h>

static inline int is_ascii_space(unsigned char byte)
{
    const uint64_t spaces = UINT64_C(0x1F0003E00); /* 0x09-0x0D, 0x1C-0x1F, 0x20, as bits: a test without branches */
    return (byte < 64) & (int)(spaces >> (byte & 63) & 1);
}

/* Length of the white-space character (as str.split() sees it) at `at`, or 0 if there is none. */
static inline size_t space_length(const unsigned char *at, const unsigned char *end)
{
    size_t left = (size_t)(end - at);
    if (left == 0) {
        return 0;
    }
    if (at[0] < 0x80) {
        return is_ascii_space(at[0]) ? 1 : 0;
    }
    if (left >= 2 && at[0] == 0xC2) { /* U+0085, U+00A0 */
        return at[1] == 0x85 || at[1] == 0xA0 ? 2 : 0;
    }
    if (left < 3) {
        return 0;
    }
    int found = 0;
    if (at[0] == 0xE1) { /* U+1680 */
        found = at[1] == 0x9A && at[2] == 0x80;
    }
    else if (at[0] == 0xE2 && at[1] == 0x80) { /* U+2000-200A, U+2028, U+2029, U+202F */
        found = (at[2] >= 0x80 && at[2] <= 0x8A) || at[2] == 0xA8 || at[2] == 0xA9 || at[2] == 0xAF;
    }
    else if (at[0] == 0xE2 && at[1] == 0x81) { /* U+205F */
        found = at[2] == 0x9F;
    }
    else if (at[0] == 0xE3) { /* U+3000 */
        found = at[1] == 0x80 && at[2] == 0x80;
    }
    return found ? 3 : 0;
}

/* Whether a byte continues a character. */
static inline int is_continuation(unsigned char byte)
{
    return (byte & 0xC0) == 0x80;
}

/* Length of the character at `at`, cut at `end`; 1 for a byte that starts none. */
static inline size_t character_length(const unsigned char *at, const unsigned char *end)
{
    size_t length = at[0] < 0xC0 ? 1 : at[0] < 0xE0 ? 2 : at[0] < 0xF0 ? 3 : 4;
    size_t left = (size_t)(end - at);
    return length < left ? length : left;
}

/* The code point of the `size` bytes of a character; for other bytes, an arbitrary number of at most 21 bits. */
static inline uint32_t code_point(const unsigned char *at, size_t size)
{
    static const unsigned char lead_bits[5] = {0, 0xFF, 0x1F, 0x0F, 0x07};
    uint32_t code = at[0] & lead_bits[size];
    for (size_t i = 1; i < size; i++) {
        code = code << 6 | (at[i] & 0x3F);
    }
    return code;
}

#endif
