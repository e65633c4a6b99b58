/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reductions, with all instruction sets of this processor, against the model: all
 * types and operations, sizes, alignments and in-place forms, in unusual
 * floating-point modes of the caller, which are preserved together with the flags.
 * The seed is printed and may be given.
 */
#include <string.h>

#include "coll/fold/fold.h"
#include "check.h"
#include "fold_model.h"
#include "random.h"

#ifdef __x86_64__
#include <xmmintrin.h>

/* MXCSR: the ordinary one; rounding up, down and to zero, flush to zero, denormals are
 * zeros, in turns and together; flags that stand; no exception masked. */
static const unsigned modes[] = {0x1f80, 0x1fa0, 0x5f80, 0x3f80,
                                 0x7f81, 0x9f80, 0x1fc0, 0xffc0,
                                 0xdfff, 0x0000, 0x803f, 0x4040};

static void enter(unsigned mode)
{
    _mm_setcsr(modes[mode]);
}

static bool leave(unsigned mode)
{
    unsigned found = _mm_getcsr();

    _mm_setcsr(0x1f80);
    return found == modes[mode];
}
#else
#include <fenv.h>

static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD,
                            FE_TOWARDZERO};

static void enter(unsigned mode)
{
    fesetround(modes[mode]);
    feclearexcept(FE_ALL_EXCEPT);
}

static bool leave(unsigned mode)
{
    bool same = fegetround() == modes[mode] && !fetestexcept(FE_ALL_EXCEPT);

    fesetenv(FE_DFL_ENV);
    return same;
}
#endif

enum { MODES = sizeof(modes) / sizeof(modes[0]) };
/* Pool: elements with their results; CALL: elements of a call at most. */
enum { POOL = 1 << 14, LINE = 64, GUARD = 0xa5, CALL = 5000 };

/* What there is to fold, and what must come out. */
static struct model_element pool[2][POOL], want[POOL];
/* A call's buffers, each with room for any alignment and guards around. */
static unsigned char room[3][16 * POOL + 4 * LINE];

static uint64_t state;

static uint64_t random_bits(void)
{
    return random_next(&state) * UINT64_C(0x9e3779b97f4a7c15) >> 7 ^
           random_next(&state) << 40;
}

static unsigned below(unsigned n)
{
    return (unsigned)(random_bits() % n);
}

/* Values at the edges of a type, SPECIALS of them. */
enum { SPECIALS = 36 };

static uint64_t special_integer(const struct model_type *t, unsigned i)
{
    static const uint64_t size[] = {0,      1,       2,          3,
                                    0xffff, 0x10000, 0xffffffff, 0x7fff};
    uint64_t v = size[i / 2 % 8];

    return (i % 2 ? v + model_sign(t) - 2 : v) & model_mask(t);
}

static uint64_t special_real(const struct model_type *t, unsigned i)
{
    uint64_t least = UINT64_C(1) << t->fraction; /* normal number */
    uint64_t one = (uint64_t)model_bias(t) << t->fraction;
    uint64_t half_ulp = one - (t->fraction + 1) * least;
    uint64_t inf = model_inf(t);
    const uint64_t size[SPECIALS / 2] = {0,           1,
                                         2,           least - 1,
                                         least,       least + 1,
                                         one - 1,     one,
                                         one + 1,     one + least,
                                         inf,         inf - 1,
                                         inf - least, model_nan(t),
                                         inf + 1,     inf + 0x1234,
                                         half_ulp,    half_ulp + 1};

    return size[i / 2] | (i % 2 ? model_sign(t) : 0);
}

static uint64_t special(const struct model_type *t, unsigned i)
{
    return t->fraction ? special_real(t, i) : special_integer(t, i);
}

/* Floating point: sums that cancel, carry and tie, results that are subnormal or too
 * large; exponents drawn from a few. */
static uint64_t real(const struct model_type *t)
{
    uint64_t most = model_inf(t) >> t->fraction;
    uint64_t fraction = random_bits() & ((UINT64_C(1) << t->fraction) - 1);
    uint64_t exponent;

    switch (below(5)) {
    case 0:
        exponent = below(t->fraction + 4);
        break;
    case 1:
        exponent = most - 1 - below(4);
        break;
    case 2: /* products at the lower edge */
        exponent = most / 4 - 3 + below(8);
        break;
    default:
        exponent = most / 2 + below(t->fraction + 4);
    }
    if (below(3) == 0) /* few digits, at both ends */
        fraction &= UINT64_C(0xe) << (t->fraction - 4) | 7;
    return exponent << t->fraction | fraction | (below(2) ? model_sign(t) : 0);
}

static uint64_t any(const struct model_type *t)
{
    if (below(6) == 0)
        return special(t, below(SPECIALS));
    if (t->fraction && below(4))
        return real(t);
    return random_bits() & model_mask(t);
}

static struct model_element element(const struct model_type *t)
{
    struct model_element e = {any(t), special_integer(t, below(SPECIALS))};

    if (below(2))
        e.index = random_bits() & model_mask(t);
    return e;
}

/* All pairs of special values; then random ones, some of which have to do with each
 * other. */
static void fill_pool(enum fsh_fold_type type, enum fsh_fold_op op)
{
    const struct model_type *t = &model_types[type];

    for (unsigned i = 0; i < POOL; i++) {
        struct model_element a = element(t), b = element(t);

        if (i < SPECIALS * SPECIALS) {
            a.value = special(t, i / SPECIALS);
            b.value = special(t, i % SPECIALS);
        } else if (below(3) == 0) {
            b.value = a.value;
            b.value ^= below(2) ? model_sign(t) : 0;
            b.value ^= below(2) ? below(4) : 0;
        }
        if (below(3) == 0)
            b.index = a.index;
        pool[0][i] = a;
        pool[1][i] = b;
        want[i] = model_fold(type, op, a, b);
    }
}

static void write_one(const struct model_type *t, bool pair, unsigned char *at,
                      const struct model_element *e)
{
    uint32_t narrow[2] = {(uint32_t)e->value, (uint32_t)e->index};
    uint64_t wide[2] = {e->value, e->index};

    if (t->bits == 32)
        memcpy(at, narrow, pair ? 8 : 4);
    else
        memcpy(at, wide, pair ? 16 : 8);
}

static void write_all(enum fsh_fold_type type, enum fsh_fold_op op,
                      unsigned char *at, const struct model_element *e,
                      size_t n)
{
    bool pair = op == FSH_FOLD_MINLOC || op == FSH_FOLD_MAXLOC;

    for (size_t i = 0; i < n; i++)
        write_one(&model_types[type], pair, at + i * fsh_fold_size(type, op),
                  e + i);
}

/* Where a call's buffers are: alignments of out, a and b; in place of none, a or b. */
struct shape {
    unsigned at[3];
    unsigned in_place;
};

static struct shape random_shape(void)
{
    struct shape s = {{below(LINE), below(LINE), below(LINE)}, below(3)};

    for (unsigned i = 0; i < 3; i++)
        s.at[i] &= (unsigned[]){63, 60, 48, 0}[below(4)];
    return s;
}

static void check_around(const unsigned char *buffer, size_t bytes)
{
    for (unsigned i = 1; i <= LINE; i++)
        CHECK(buffer[-(int)i] == GUARD && buffer[bytes + i - 1] == GUARD,
              "written outside");
}

struct reduction {
    enum fsh_fold_type type;
    enum fsh_fold_op op;
    enum fsh_isa isa;
    fsh_fold_fn fn;
};

static void check_results(const struct reduction *r, const unsigned char *out,
                          size_t first, size_t n, unsigned mode)
{
    static unsigned char expected[16 * POOL];
    size_t size = fsh_fold_size(r->type, r->op);

    write_all(r->type, r->op, expected, want + first, n);
    if (memcmp(out, expected, n * size) == 0)
        return;
    for (size_t i = 0; i < n; i++) {
        uint64_t got = 0;

        memcpy(&got, out + i * size, size < 8 ? size : 8);
        CHECK(memcmp(out + i * size, expected + i * size, size) == 0,
              "type %d op %d %s mode %u n %zu i %zu: %#llx %#llx -> %#llx, not "
              "%#llx",
              r->type, r->op, fsh_isa_name(r->isa), mode, n, i,
              (unsigned long long)pool[0][first + i].value,
              (unsigned long long)pool[1][first + i].value,
              (unsigned long long)got,
              (unsigned long long)want[first + i].value);
    }
}

/* n elements of the pool, from `first` on. */
static void check_call(const struct reduction *r, size_t first, size_t n,
                       struct shape s, unsigned mode)
{
    size_t bytes = n * fsh_fold_size(r->type, r->op);
    unsigned char *buffer[3];
    unsigned char *out;

    for (unsigned i = 0; i < 3; i++) {
        buffer[i] = room[i] + 2 * LINE - (uintptr_t)room[i] % LINE + s.at[i];
        memset(buffer[i] - LINE, GUARD, bytes + 2 * LINE);
        if (i > 0)
            write_all(r->type, r->op, buffer[i], pool[i - 1] + first, n);
    }
    out = buffer[s.in_place];
    enter(mode);
    r->fn(out, buffer[1], buffer[2], n);
    CHECK(leave(mode), "type %d op %d %s: mode %u of the caller", r->type,
          r->op, fsh_isa_name(r->isa), mode);
    check_results(r, out, first, n, mode);
    for (unsigned i = 0; i < 3; i++) {
        check_around(buffer[i], bytes);
        if (i > 0 && buffer[i] != out) {
            write_all(r->type, r->op, room[0], pool[i - 1] + first, n);
            CHECK(memcmp(buffer[i], room[0], bytes) == 0, "operand changed");
        }
    }
}

/* One operand is both, and may be the result. */
static void check_same(const struct reduction *r, size_t n)
{
    size_t size = fsh_fold_size(r->type, r->op);
    unsigned char expected[16 * 70];

    write_all(r->type, r->op, room[0], pool[0], n);
    for (size_t i = 0; i < n; i++) {
        struct model_element e =
            model_fold(r->type, r->op, pool[0][i], pool[0][i]);

        write_all(r->type, r->op, expected + i * size, &e, 1);
    }
    r->fn(room[0], room[0], room[0], n);
    CHECK(memcmp(room[0], expected, n * size) == 0, "type %d op %d n %zu",
          r->type, r->op, n);
}

static void check_reduction(const struct reduction *r)
{
    for (unsigned mode = 0; mode < MODES; mode++)
        check_call(r, 0, POOL, random_shape(), mode);
    for (size_t n = 0; n <= 70; n++) {
        for (unsigned i = 0; i < 12; i++)
            check_call(r, below((unsigned)(POOL - n)), n, random_shape(),
                       below(MODES));
        check_same(r, n);
    }
    for (unsigned i = 0; i < 40; i++) {
        size_t n = 71 + below(CALL - 71) / (1 + 9 * (i % 2));

        check_call(r, below((unsigned)(POOL - n)), n, random_shape(),
                   below(MODES));
    }
    for (unsigned at = 0; at < LINE; at++) {
        struct shape s = {{at, below(LINE), below(LINE)}, 0};

        for (unsigned n = 37; n < 1000; n += 400)
            check_call(r, below((unsigned)(POOL - n)), n, s, below(MODES));
    }
}

static void check_type(enum fsh_fold_type type, enum fsh_fold_op op)
{
    fill_pool(type, op);
    for (enum fsh_isa isa = FSH_ISA_PORTABLE; isa <= FSH_ISA_AVX512; isa++) {
        struct reduction r = {type, op, isa, NULL};

        if (!fsh_isa_available(isa))
            continue;
        r.fn = fsh_fold_function(type, op, isa);
        check_reduction(&r);
    }
    CHECK(fsh_fold_function(type, op, FSH_ISA_BEST) ==
          fsh_fold_function(type, op, fsh_isa_choose(FSH_ISA_BEST)));
}

/* The model itself: this processor rounds so too, in the ordinary mode. */
static void check_model(void)
{
    for (unsigned i = 0; i < 200000; i++) {
        uint64_t bits[2] = {real(&model_types[FSH_FOLD_DOUBLE]),
                            real(&model_types[FSH_FOLD_DOUBLE])};
        uint64_t sum, product;
        volatile double x[2], r;

        memcpy((void *)x, bits, sizeof(bits));
        r = x[0] + x[1];
        memcpy(&sum, (void *)&r, sizeof(sum));
        r = x[0] * x[1];
        memcpy(&product, (void *)&r, sizeof(product));
        CHECK(sum ==
              model_add(&model_types[FSH_FOLD_DOUBLE], bits[0], bits[1]));
        CHECK(product ==
              model_multiply(&model_types[FSH_FOLD_DOUBLE], bits[0], bits[1]));
    }
}

static void check_sizes(void)
{
    static const size_t bytes[] = {4, 8, 4, 8, 4, 8};

    for (unsigned type = 0; type < 10; type++) {
        for (unsigned op = 0; op < 20; op++) {
            size_t size = fsh_fold_size(type, op);
            bool bits = op >= FSH_FOLD_AND && op <= FSH_FOLD_XOR;

            if (type > FSH_FOLD_DOUBLE || op > FSH_FOLD_MAXLOC ||
                (bits && type >= FSH_FOLD_FLOAT))
                CHECK(size == 0);
            else
                CHECK(size == bytes[type] << (op >= FSH_FOLD_MINLOC));
        }
    }
    CHECK(fsh_fold_size(UINT32_MAX, 0) == 0 &&
          fsh_fold_size(0, UINT32_MAX) == 0);
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 20261124;

    printf("seed %llu\n", (unsigned long long)seed);
    state = seed * 2 + 1;
    for (enum fsh_isa isa = FSH_ISA_PORTABLE; isa <= FSH_ISA_AVX512; isa++)
        if (!fsh_isa_available(isa))
            printf("%s: not on this processor\n", fsh_isa_name(isa));
    check_sizes();
    check_model();
    for (unsigned type = 0; type < FSH_FOLD_TYPES; type++)
        for (unsigned op = 0; op < FSH_FOLD_OPS; op++)
            if (fsh_fold_size(type, op))
                check_type(type, op);
    puts("PASS");
    return 0;
}
