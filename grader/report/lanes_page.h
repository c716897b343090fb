// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "grader/result/lane_picture.h"
#include "grader/text/html.h"

namespace roofline::grader {

/// The page of `./lab show`: requests one by one (arrow keys), active lanes, who wrote what. Loads nothing.
std::string lanes_page(const LanePictures& pictures, std::size_t first, unsigned columns);

/// One request with its sentence and its figure; `id` is unique in the page.
void lane_request_figure(Html& html, const LaneRequest& request, const std::string& id);

/// The beginning of each page of ours, up to the end of its head.
void page_head(Html& html, const std::string& title);

}  // namespace roofline::grader
