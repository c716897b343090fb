// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/server/server.h"

namespace roofline::sim::server {

template <class T>
Answer Server::give(const T& value) const {
  Answer made;
  made.fields(value);
  return made;
}

}  // namespace roofline::sim::server
