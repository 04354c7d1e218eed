/* SPDX-License-Identifier: BSD-3-Clause */
/* The condition that ends the polling of an 8-byte word: how the word compares with a value, in one of OpenSHMEM's ways
 * (OpenSHMEM 1.4 section 9.9, SHMEM_CMP_EQ to SHMEM_CMP_LE). Words are unsigned. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum word_comparison {
    COMPARE_EQUAL,
    COMPARE_NOT_EQUAL,
    COMPARE_GREATER,
    COMPARE_GREATER_EQUAL,
    COMPARE_LESS,
    COMPARE_LESS_EQUAL,
    COMPARISONS,
};

struct word_condition {
    enum word_comparison comparison;
    uint64_t value; /* the word stands to the left of it: word > value */
};

static inline struct word_condition word_equals(uint64_t value)
{
    return (struct word_condition){COMPARE_EQUAL, value};
}

static inline bool word_meets(struct word_condition condition, uint64_t word)
{
    switch (condition.comparison) {
    case COMPARE_NOT_EQUAL:
        return word != condition.value;
    case COMPARE_GREATER:
        return word > condition.value;
    case COMPARE_GREATER_EQUAL:
        return word >= condition.value;
    case COMPARE_LESS:
        return word < condition.value;
    case COMPARE_LESS_EQUAL:
        return word <= condition.value;
    case COMPARE_EQUAL:
    case COMPARISONS:
        break;
    }
    return word == condition.value;
}
