/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gasnett_parse_int, gasnett_format_number and what they share with settings.
 */
#include "gasnet_tools/number.h"

#include <ctype.h>
#include <math.h>

#include "gasnet_tools.h"

static const char *skip_blanks(const char *p)
{
    while (isspace((unsigned char)*p))
        p++;
    return p;
}

/* Parses the unit at *p and advances *p; preset if there is none. A unit is a
 * letter, optionally followed by B or iB. */
static uint64_t read_unit(const char **p, uint64_t preset)
{
    static const char letters[] = "bkmgt";
    const char *at = *p, *letter;

    letter = *at ? strchr(letters, tolower((unsigned char)*at)) : NULL;
    if (letter == NULL)
        return preset;
    at++;
    if (letter != letters) {
        if (tolower((unsigned char)*at) == 'i')
            at++;
        if (tolower((unsigned char)*at) == 'b')
            at++;
    }
    *p = at;
    return (uint64_t)1 << (10 * (letter - letters));
}

/* Parses digits with an optional fraction: the whole part, and the rest as a
 * double below 1. Returns NULL, or what is wrong. */
static const char *read_digits(const char **p, uint64_t *whole, double *part)
{
    bool hex = (*p)[0] == '0' && tolower((unsigned char)(*p)[1]) == 'x';
    const char *at = *p + (hex ? 2 : 0), *point;
    char *end;

    if (hex ? !isxdigit((unsigned char)*at)
            : !isdigit((unsigned char)*at) && *at != '.')
        return "not a number";
    errno = 0;
    *whole = strtoull(at, &end, hex ? 16 : 10);
    if (errno == ERANGE)
        return "too large a number";
    *part = 0;
    if (!hex && *end == '.') {
        double scale = 0.1;

        for (point = end++; isdigit((unsigned char)*end); end++) {
            *part += scale * (*end - '0');
            scale /= 10;
        }
        if (end == point + 1 && point == at)
            return "not a number";
    }
    *p = end;
    return NULL;
}

const char *fsh_parse_int(const char *text, uint64_t mem_size_multiplier,
                          int64_t *value)
{
    const char *p = skip_blanks(text), *wrong;
    uint64_t whole, unit = 1, product;
    bool negative = *p == '-';
    double part;

    if (*p == '-' || *p == '+')
        p = skip_blanks(p + 1);
    wrong = read_digits(&p, &whole, &part);
    if (wrong != NULL)
        return wrong;
    p = skip_blanks(p);
    if (mem_size_multiplier != 0)
        unit = read_unit(&p, mem_size_multiplier);
    if (*skip_blanks(p) != '\0')
        return mem_size_multiplier ? "a size is a number and B, KB, MB, GB or "
                                     "TB"
                                   : "trailing characters after the number";
    if (__builtin_mul_overflow(whole, unit, &product) ||
        __builtin_add_overflow(product, (uint64_t)(part * (double)unit),
                               &product))
        return "too large a number";
    *value = (int64_t)(negative ? 0 - product : product);
    return NULL;
}

int64_t gasnett_parse_int(const char *text, uint64_t mem_size_multiplier)
{
    int64_t value = 0;
    const char *wrong = fsh_parse_int(text, mem_size_multiplier, &value);

    if (wrong != NULL)
        gasnett_fatalerror_nopos("gasnett_parse_int: \"%s\": %s", text, wrong);
    return value;
}

bool fsh_parse_dbl(const char *text, double *value)
{
    char *end;
    double number = strtod(text, &end);

    if (end == text)
        return false;
    end = (char *)(uintptr_t)skip_blanks(end);
    if (*end == '/') {
        const char *divisor = skip_blanks(end + 1);
        double by = strtod(divisor, &end);

        if (end == divisor || by == 0)
            return false;
        number /= by;
        end = (char *)(uintptr_t)skip_blanks(end);
    }
    if (*end != '\0' || !isfinite(number))
        return false;
    *value = number;
    return true;
}

char *gasnett_format_number(int64_t value, char *buf, size_t bufsz,
                            int is_mem_size)
{
    static const char *const units[] = {" B", " KB", " MB", " GB", " TB"};
    const char *sign = value < 0 ? "-" : "";
    uint64_t n = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    unsigned u = 4;

    if (n >= (uint64_t)1 << 50) {
        snprintf(buf, bufsz, "%s0x%" PRIx64, sign, n);
        return buf;
    }
    if (!is_mem_size) {
        snprintf(buf, bufsz, "%s%" PRIu64, sign, n);
        return buf;
    }
    while (u > 0 && n >> (10 * u) < 10 &&
           (n >> (10 * u) == 0 || n & (((uint64_t)1 << (10 * u)) - 1)))
        u--;
    snprintf(buf, bufsz, "%s%" PRIu64 "%s", sign, n >> (10 * u), units[u]);
    return buf;
}
