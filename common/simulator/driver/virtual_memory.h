// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace roofline::sim::driver {

/// Addresses are reserved (cuMemAddressReserve). They belong to no context and outlive all of them. With the
/// runtime's lock held.
bool has_reservations();

}  // namespace roofline::sim::driver
