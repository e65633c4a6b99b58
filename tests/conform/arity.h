/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Argument lists of 0..16 for programs that test every arity. Each list
 * starts with its comma. CONF_CALL expands its arguments before it calls, so
 * that it works for functions and for function-like macros.
 */
#ifndef CONFORM_ARITY_H
#define CONFORM_ARITY_H

#define CONF_CALL(f, ...) f(__VA_ARGS__)

/* clang-format off */
#define ARITY_EACH(X) \
    X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) \
    X(13) X(14) X(15) X(16)
/* clang-format on */

/* Parameters of a handler: int a0, int a1, ... */
#define ARITY_PARAMS_0
#define ARITY_PARAMS_1 ARITY_PARAMS_0, int a0
#define ARITY_PARAMS_2 ARITY_PARAMS_1, int a1
#define ARITY_PARAMS_3 ARITY_PARAMS_2, int a2
#define ARITY_PARAMS_4 ARITY_PARAMS_3, int a3
#define ARITY_PARAMS_5 ARITY_PARAMS_4, int a4
#define ARITY_PARAMS_6 ARITY_PARAMS_5, int a5
#define ARITY_PARAMS_7 ARITY_PARAMS_6, int a6
#define ARITY_PARAMS_8 ARITY_PARAMS_7, int a7
#define ARITY_PARAMS_9 ARITY_PARAMS_8, int a8
#define ARITY_PARAMS_10 ARITY_PARAMS_9, int a9
#define ARITY_PARAMS_11 ARITY_PARAMS_10, int a10
#define ARITY_PARAMS_12 ARITY_PARAMS_11, int a11
#define ARITY_PARAMS_13 ARITY_PARAMS_12, int a12
#define ARITY_PARAMS_14 ARITY_PARAMS_13, int a13
#define ARITY_PARAMS_15 ARITY_PARAMS_14, int a14
#define ARITY_PARAMS_16 ARITY_PARAMS_15, int a15

/* Their names: a0, a1, ... */
#define ARITY_NAMES_0
#define ARITY_NAMES_1 ARITY_NAMES_0, a0
#define ARITY_NAMES_2 ARITY_NAMES_1, a1
#define ARITY_NAMES_3 ARITY_NAMES_2, a2
#define ARITY_NAMES_4 ARITY_NAMES_3, a3
#define ARITY_NAMES_5 ARITY_NAMES_4, a4
#define ARITY_NAMES_6 ARITY_NAMES_5, a5
#define ARITY_NAMES_7 ARITY_NAMES_6, a6
#define ARITY_NAMES_8 ARITY_NAMES_7, a7
#define ARITY_NAMES_9 ARITY_NAMES_8, a8
#define ARITY_NAMES_10 ARITY_NAMES_9, a9
#define ARITY_NAMES_11 ARITY_NAMES_10, a10
#define ARITY_NAMES_12 ARITY_NAMES_11, a11
#define ARITY_NAMES_13 ARITY_NAMES_12, a12
#define ARITY_NAMES_14 ARITY_NAMES_13, a13
#define ARITY_NAMES_15 ARITY_NAMES_14, a14
#define ARITY_NAMES_16 ARITY_NAMES_15, a15

/* Elements of an array v: v[0], v[1], ... */
#define ARITY_ELEMS_0
#define ARITY_ELEMS_1 ARITY_ELEMS_0, v[0]
#define ARITY_ELEMS_2 ARITY_ELEMS_1, v[1]
#define ARITY_ELEMS_3 ARITY_ELEMS_2, v[2]
#define ARITY_ELEMS_4 ARITY_ELEMS_3, v[3]
#define ARITY_ELEMS_5 ARITY_ELEMS_4, v[4]
#define ARITY_ELEMS_6 ARITY_ELEMS_5, v[5]
#define ARITY_ELEMS_7 ARITY_ELEMS_6, v[6]
#define ARITY_ELEMS_8 ARITY_ELEMS_7, v[7]
#define ARITY_ELEMS_9 ARITY_ELEMS_8, v[8]
#define ARITY_ELEMS_10 ARITY_ELEMS_9, v[9]
#define ARITY_ELEMS_11 ARITY_ELEMS_10, v[10]
#define ARITY_ELEMS_12 ARITY_ELEMS_11, v[11]
#define ARITY_ELEMS_13 ARITY_ELEMS_12, v[12]
#define ARITY_ELEMS_14 ARITY_ELEMS_13, v[13]
#define ARITY_ELEMS_15 ARITY_ELEMS_14, v[14]
#define ARITY_ELEMS_16 ARITY_ELEMS_15, v[15]

#endif
