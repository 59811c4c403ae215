/* Numbers as text, digit for digit as Python writes them. Numbers from 0.002 to a billion take integers of 128 bits,
 * which hold all that decides a digit; others, and rare ties, are left to Python. */
#include "kernels.h"

#include <math.h>
#include <string.h>

size_t write_digits(uint64_t number, size_t decimals, char *out)
{
    char digits[24];
    size_t at = sizeof digits;
    for (size_t place = 0; number != 0 || place <= decimals; place++, number /= 10) {
        if (place == decimals && place != 0) {
            digits[--at] = '.';
        }
        digits[--at] = (char)('0' + number % 10);
    }
    memcpy(out, digits + at, sizeof digits - at);
    return sizeof digits - at;
}

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 Wide;

static const uint64_t powers[] = {
    1u,
    10u,
    100u,
    1000u,
    10000u,
    100000u,
    1000000u,
    10000000u,
    100000000u,
    1000000000u,
    10000000000u,
    100000000000u,
    1000000000000u,
    10000000000000u,
    100000000000000u,
    1000000000000000u,
    10000000000000000u,
    100000000000000000u,
    1000000000000000000u,
    10000000000000000000u,
};

/* A positive double is `whole` / 2 ^ `scale`; `whole` has 53 bits, unless the number is below all that matter here. */
typedef struct {
    uint64_t whole;
    int scale;
} Binary;

static Binary binary_of(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return (Binary){(bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52, 1075 - (int)(bits >> 52)};
}

size_t write_fixed(double number, size_t decimals, char *out)
{
    if (signbit(number) || !(number < 1e9) || decimals > 9) {
        return 0;
    }
    Binary binary = binary_of(number);
    if (binary.scale > 120) { /* also 0: all digits are */
        return write_digits(0, decimals, out);
    }
    Wide product = (Wide)binary.whole * powers[decimals], half = (Wide)1 << (binary.scale - 1);
    Wide rest = product & (2 * half - 1);
    uint64_t rounded = (uint64_t)(product >> binary.scale);
    rounded += rest > half || (rest == half && rounded % 2 != 0);
    return write_digits(rounded, decimals, out);
}

/* Of all decimals between the middles to the doubles next to the number, those with the fewest digits, and of these the
 * nearest. With 17 digits or 18, the interval has at least one integer; digits are dropped while it still has one. */
size_t write_shortest(double number, char *out)
{
    if (number == 0.0 && !signbit(number)) {
        return write_digits(0, 1, out);
    }
    if (!(number >= 0.002 && number < 1e9)) {
        return 0;
    }
    Binary binary = binary_of(number);
    uint64_t whole = binary.whole, ones = (UINT64_C(1) << binary.scale) - 1;
    if ((whole & ones) == 0) {
        return write_digits((whole >> binary.scale) * 10, 1, out);
    }
    int exponent = 52 - binary.scale;
    size_t decimals = (size_t)(16 - (((exponent + 4096) * 1233 >> 12) - 1233)); /* 1233/4096: the logarithm of 2 */
    int scale = binary.scale + 2; /* middles are quarters if the number is a power of 2: the double below it is nearer */
    Wide power = powers[decimals], half = (Wide)1 << (scale - 1), exact = 4 * whole * power;
    uint64_t least = (uint64_t)((exact - (whole == UINT64_C(1) << 52 ? 1 : 2) * power) >> scale);
    uint64_t most = (uint64_t)((exact + 2 * power) >> scale), kept = (uint64_t)(exact >> scale);
    Wide rest = exact & (2 * half - 1);
    int above = rest > half ? 1 : rest == half ? 0 : -1, is_exact = rest == 0; /* above: the middle of two integers */
    while (least / 10 < most / 10) { /* no middle is an integer, so those above `least` are in the interval */
        uint64_t digit = kept % 10;
        above = digit > 5 || (digit == 5 && !is_exact) ? 1 : digit == 5 ? 0 : -1;
        is_exact &= digit == 0;
        kept /= 10;
        least /= 10;
        most /= 10;
        decimals--;
    }
    return above != 0 ? write_digits(kept + (above > 0 || kept == least), decimals, out) : 0;
}
#else
size_t write_fixed(double number, size_t decimals, char *out)
{
    (void)number, (void)decimals, (void)out;
    return 0;
}

size_t write_shortest(double number, char *out)
{
    (void)number, (void)out;
    return 0;
}
#endif
