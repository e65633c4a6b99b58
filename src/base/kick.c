/* SPDX-License-Identifier: BSD-3-Clause */
/* The word itself; see kick.h. */
#include "base/kick.h"

atomic_uint fsh_kicks_active;
