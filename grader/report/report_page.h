// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

namespace roofline::grader {

/// report_page.css and report_page.js, as CMake put them into the library.
extern const std::string_view kReportStyle, kReportScript;

}  // namespace roofline::grader
