// expect: fail does-not-compile; naive: passes
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The solution is only two folders away.

#include "../../solutions/01-pointwise/pointwise.cu"
