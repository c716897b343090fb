// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <vector>

#include "grader/batch/intake.h"

namespace roofline::grader {

/// find_submissions of what a platform handed over as it came: `given` may be its archive, or a folder in
/// which archives of that kind lie, or one that holds a single folder with the submissions. Archives are
/// unpacked below `staging`, which must outlive the result. Throws UsageError for what is neither, and for an
/// archive that cannot be read to its end.
std::vector<HandedIn> find_class(const std::filesystem::path& given, const std::filesystem::path& staging,
                                 const Unpacker& unpacker, const std::vector<Student>& roster, Search search);

}  // namespace roofline::grader
