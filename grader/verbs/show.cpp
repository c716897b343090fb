// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/verbs/show.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "grader/base/file.h"
#include "grader/base/given_file.h"
#include "grader/judge/workbench.h"
#include "grader/lab/selection.h"
#include "grader/lab/submission_file.h"
#include "grader/profile/lanes.h"
#include "grader/profile/profile.h"
#include "grader/report/lanes_page.h"
#include "grader/result/lane_figure.h"
#include "grader/result/lane_text.h"
#include "simulator/timing/device_description.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

constexpr const char* kExample = "for example: ./lab show 01:12, or ./lab show stride.cu:7 ./stride";

struct Place {
  std::string file;
  unsigned line = 0;
};

Place place_of(const std::string& text) {
  Place place;
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0)
    throw UsageError("show takes a file and a line, " + std::string(kExample));
  place.file = text.substr(0, colon);
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + colon + 1, end, place.line);
  if (error != std::errc() || stop != end || place.line == 0)
    throw UsageError(text + ": behind the colon stands the number of a line, " + kExample);
  return place;
}

bool lies_in(const fs::path& file, const fs::path& folder) {
  const fs::path inner = fs::weakly_canonical(file), outer = fs::weakly_canonical(folder);
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

/// The part that a file is for: by --lab, by its name and its folder, or because its lab has no other.
Chosen part_for(const std::vector<Lab>& labs, const fs::path& file, const ShowRequest& request,
                const Paths& paths) {
  if (!request.lab.empty()) {
    const std::vector<Chosen> parts = select(labs, {request.lab});
    if (parts.size() != 1)
      throw UsageError("--lab " + request.lab + " has parts; name one of them, such as " +
                       parts.front().id());
    return parts.front();
  }
  std::vector<Chosen> near;
  for (const Chosen& part : all_parts(labs)) {
    if (!lies_in(file, part.folder(paths)) && !lies_in(file, part.solutions(paths))) continue;
    const fs::path source = part.part->program.source;
    if (file.filename() == source) return part;
    // Versions of a part are in a folder that is called as its file: wrong/transpose/naive.cu.
    if (std::find(file.begin(), file.end(), source.stem()) != file.end()) return part;
    near.push_back(part);
  }
  if (near.size() == 1) return near.front();
  throw UsageError("which lab is " + file.string() +
                   " for? Add --lab 01, or, for a program of its own, the program: " + kExample);
}

sim::PictureRequest picture_of(const ShowRequest& request, const fs::path& file, unsigned line) {
  sim::PictureRequest picture;
  picture.file = file.filename().string();
  picture.line = line;
  picture.launch = std::max(1u, request.launch);
  picture.block = request.block;
  picture.warp = request.warp;
  picture.most_requests = std::max<sim::u64>(picture.most_requests, request.request);
  return picture;
}

/// Prints the picture and writes the files.
void present(LanePictures& lanes, const ShowRequest& request, const Paths& paths) {
  if (request.request > lanes.requests.size())
    throw UsageError("--request " + std::to_string(request.request) + ": the warp makes " +
                     std::to_string(lanes.all_requests) +
                     (lanes.all_requests == 1 ? " request" : " requests") + " in this line");
  lanes.source.erase(0, std::min(lanes.source.find_first_not_of(' '), lanes.source.size()));
  const size_t shown = request.request ? request.request - 1 : most_wasteful(lanes.requests);
  const Terminal terminal = Terminal::of(STDOUT_FILENO);
  std::fputs(lane_text(lanes, shown, request.columns, terminal).c_str(), stdout);
  const fs::path html = request.html.empty() ? paths.results() / "show.html" : request.html;
  write_file(html, lanes_page(lanes, shown, request.columns));
  std::printf("\n  page    %s\n", paths.shown(html).c_str());
  if (request.svg.empty()) return;
  if (lanes.requests.empty()) throw UsageError("--svg draws a request, and the warp makes none in this line");
  write_file(request.svg, lane_figure(lanes.requests[shown]).str());
  std::printf("  figure  %s\n", paths.shown(request.svg).c_str());
}

int show_program(const Paths& paths, const ShowRequest& request, const Place& place) {
  RunOptions run = request.run;
  run.simulator = paths.simulator();
  run.shown = "lab show";
  run.device = request.device;
  run.picture = picture_of(request, place.file, place.line);
  run.on_picture = [&](const sim::AccessPicture& picture) {
    if (!picture.found) throw UsageError(no_lanes(picture, *run.picture));
    LanePictures lanes = lanes_of(picture, *run.picture);
    lanes.file = place.file;
    lanes.source = SourceText().line(place.file, place.line);
    lanes.what_ran = run.program;
    const std::string id = request.device.starts_with("sim:") ? request.device.substr(4) : run.machine.device;
    lanes.device = sim::load_device(run.simulator / "devices", id).name;
    present(lanes, request, paths);
  };
  return run_program(run);
}

int show_lab(const Paths& paths, const ShowRequest& request, const Place& place) {
  const std::vector<Lab>& labs = all_labs();
  std::error_code ignored;
  const bool is_file = fs::exists(place.file, ignored);
  if (!is_file && place.file.find('/') != std::string::npos) require_file(place.file);
  const Chosen part =
      is_file ? part_for(labs, place.file, request, paths) : select(labs, {place.file}).front();
  const fs::path file = is_file ? fs::path(place.file) : part.file(paths);
  require_file(file);
  const fs::path source = submission_source(file, paths);
  const std::string device = request.device == "auto" ? "sim" : request.device;
  if (!device.starts_with("sim"))
    throw UsageError("--device " + device + ": only a simulated device shows what each lane does");
  Workbench workbench(paths, device);
  LanePictures lanes = workbench.lanes(part, source, picture_of(request, source, place.line));
  lanes.file = paths.shown(file);
  lanes.source = SourceText().line(file.string(), place.line);
  present(lanes, request, paths);
  return 0;
}

}  // namespace

int show_verb(const Paths& paths, const ShowRequest& request) {
  const Place place = place_of(request.place);
  for (const fs::path& file : {request.html, request.svg})
    if (!file.empty()) require_place(file);
  return request.run.program.empty() ? show_lab(paths, request, place) : show_program(paths, request, place);
}

}  // namespace roofline::grader
