// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/verbs/class_identity.h"

#include <nlohmann/json.hpp>

#include "grader/base/error.h"
#include "grader/base/file.h"
#include "grader/base/utc_now.h"
#include "grader/call/device.h"
#include "grader/judge/workbench.h"
#include "grader/lab/generate.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

std::string device_of(const BatchRequest& request) {
  std::string device = request.device;
  if (device == "auto" || device == "sim") {
    const DeviceChoice choice = parse_device(device);
    device = choice.simulated ? "sim:" + choice.id : "gpu";
  }
  if (device.find(',') != device.npos)
    throw UsageError("--device " + device +
                     ": a class is graded on a GPU that exists, not on one with changed numbers");
  return device;
}

}  // namespace

ClassIdentity open_class(const Paths& paths, const BatchRequest& request, const BatchFolder& folder,
                         const ClassSetup& setup, Journal& journal, const Progressed& progressed) {
  ClassIdentity identity{.seed = 0, .device = device_of(request), .labs_sha256 = {}};
  std::vector<std::string> ids, hashes;
  for (const Chosen& part : setup.parts()) {
    ids.push_back(part.id());
    hashes.push_back(lab_sha256(part, paths));
    if (!setup.hidden().empty()) hashes.back() = sha256_hex(hashes.back() + setup.hidden());
  }
  identity.labs_sha256 = hashes;
  if (progressed.header.is_null()) {
    if (request.rescore) throw UsageError("there is no class in " + folder.root.string() + " to rescore");
    std::error_code ignored;
    fs::remove(folder.hidden(), ignored);
    if (!setup.hidden().empty()) write_file(folder.hidden(), setup.hidden());  // tasks read it there
    identity.seed = setup.wanted_seed() != 0 ? setup.wanted_seed() : entropy() >> 11;
    journal.append({{"event", "class"},
                    {"schema", "lab/journal/v1"},
                    {"parts", ids},
                    {"labs_sha256", hashes},
                    {"device", identity.device},
                    {"seed", identity.seed},
                    {"sandbox", name_of(request.sandbox)},
                    {"at", utc_now()}});
    return identity;
  }
  const nlohmann::json& known = progressed.header;
  const std::string other =
      known.value("parts", std::vector<std::string>{}) != ids ? "other labs"
      : known.value("labs_sha256", std::vector<std::string>{}) != hashes && !request.rescore
          ? "another version of the lab, or other hidden cases"
      : request.device != "auto" && known.value("device", "") != identity.device ? "another device"
      : setup.wanted_seed() != 0 && known.value("seed", std::uint64_t{0}) != setup.wanted_seed()
          ? "another seed"
      : known.value("sandbox", "") != name_of(request.sandbox) && !request.rescore ? "another kind of box"
                                                                                   : "";
  if (!other.empty())
    throw UsageError(folder.root.string() + " holds a class that was graded with " + other +
                     "; name another --out, or --fresh to start over");
  identity.seed = known.value("seed", std::uint64_t{1});
  identity.device = known.value("device", "sim");
  // The outcomes' names, also when the lab's text changed since.
  identity.labs_sha256 = known.value("labs_sha256", hashes);
  return identity;
}

}  // namespace roofline::grader
