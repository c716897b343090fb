// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "grader/handout/incoming.h"

/// A copy of the course becomes a newer edition, and nothing that its owner wrote is lost.
namespace roofline::grader {

struct UpgradeReport {
  Edition before, after;
  std::size_t added = 0, changed = 0, removed = 0;  ///< files, from one edition to the other
  std::filesystem::path backups;                    ///< what was in the way is there, below its own name
  std::vector<std::string> backed_up;               ///< names, relative to `backups`
  /// Files of the owner whose skeleton has changed: the name and a unified diff of skeletons.
  std::vector<std::pair<std::string, std::string>> skeletons;
  std::vector<std::string> labs_gone;  ///< the owner's files of these stay
};

/// First everything new is brought to `state`, then files are exchanged one by one: each is whole at any
/// time, and what is exchanged already is left alone. So a run that was killed is finished by the next, with
/// the same end.
class Upgrade {
 public:
  Upgrade(std::filesystem::path root, std::filesystem::path state);

  /// Everything is there, and the exchange has perhaps begun.
  bool pending() const;
  std::filesystem::path scratch() const { return folder() / "unpacked"; }

  /// Throws UsageError where `root` is no copy of a course or `incoming` is older than it. False: it is this
  /// edition already. `program`, where it is given, is kept beside, to finish an upgrade that was
  /// interrupted: a tree of two editions need not build.
  bool stage(const Incoming& incoming, const std::filesystem::path& program = {});

  /// `before_step` is called before each change on the disk, for tests.
  UpgradeReport apply(const std::function<void()>& before_step = {});

 private:
  std::filesystem::path folder() const { return state_ / "upgrade"; }
  std::filesystem::path staged(const std::string& name) const { return folder() / "new" / name; }
  std::filesystem::path ready() const { return folder() / "ready"; }
  std::filesystem::path backups(const Edition& after) const;

  void step() const;
  void exchange(const Edition& before, const Edition& after, const std::string& name);
  void remove_gone(const Edition& before, const std::string& name, const Edition& after);
  void put(const std::string& name, bool executable);
  void clear_way(const std::string& name, const Edition& after);
  void back_up(const std::string& name, const Edition& after);
  void note_skeleton(const Edition& before, const Edition& after, const std::string& name);
  UpgradeReport report(const Edition& before, const Edition& after) const;

  std::filesystem::path root_, state_;
  std::function<void()> before_step_;
};

}  // namespace roofline::grader
