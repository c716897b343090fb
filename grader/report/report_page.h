// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

namespace roofline::grader {

/// report_page.css and report_page.js, as CMake put them into the library.
extern const std::string_view kReportStyle, kReportScript;

/// A page of ours asks for nothing from anywhere, whatever gets into it.
inline constexpr const char* kPagePolicy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action "
    "'none'";

}  // namespace roofline::grader
