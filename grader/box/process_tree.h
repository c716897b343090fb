// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

namespace roofline::grader {

/// Kills a child of ours and all that descends from it, whichever process groups they made for themselves.
/// The child is still to be waited for.
void kill_tree(pid_t child);

}  // namespace roofline::grader
