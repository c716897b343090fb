// expect: fail does-not-compile; naive: passes
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The work of another student, from where the grader keeps it.

#include "@SCRATCH@/another-student.cu"
