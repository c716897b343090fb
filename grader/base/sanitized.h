// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// ROOFLINE_SANITIZED is defined where this is compiled with the address sanitizer, which GCC and Clang say
/// in different words.
#if defined(__SANITIZE_ADDRESS__)
#define ROOFLINE_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ROOFLINE_SANITIZED
#endif
#endif
