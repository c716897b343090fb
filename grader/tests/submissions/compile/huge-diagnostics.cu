// expect: fail does-not-compile; naive: floods
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Includes itself as a binary tree; every leaf prints a warning. The log is as long as the tree is wide.

#if __INCLUDE_LEVEL__ < 14
#include __FILE__
#include __FILE__
#else
#warning the quick brown fox jumps over the lazy dog, and the grader keeps every single word of what is said here
#endif
#if __INCLUDE_LEVEL__ == 0
#error and in the end it does not compile
#endif
