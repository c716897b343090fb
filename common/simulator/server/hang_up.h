// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace roofline::sim::server {

/// Starts a thread that ends the process as soon as nobody can be interested any more: the owner of the
/// session hung up (the observer, or the program when there is no observer). A kernel in execution does not
/// delay this, so a killed program leaves nothing behind. (A parent-death signal would not do: it is tied to
/// the thread that started us.)
void end_when_hung_up(int owner_fd);

}  // namespace roofline::sim::server
