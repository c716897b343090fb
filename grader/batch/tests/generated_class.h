// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "grader/base/file.h"
#include "grader/batch/moment.h"
#include "grader/handout/zip.h"

/// A class drawn at random, what its platform would hand over, and the grades that one works out by hand.
namespace roofline::grader::generated {
namespace fs = std::filesystem;

constexpr Seconds kDue = 1'795'219'140;  // 2026-11-20T23:59:00Z
constexpr Seconds kDay = 86'400;
constexpr const char* kNames[] = {"Ada Lovelace",
                                  "J\xc3\xb6rg M\xc3\xbcller",
                                  "J\xc3\xbcrg M\xc3\xb6ller",
                                  "\xe6\x9d\x8e\xe9\x9b\xb7",  // two Chinese characters
                                  ("Sin\xc3\xa9"
                                   "ad O'Neil"),  // else \xa9ad were one character
                                  "Ana-Maria del Rio",
                                  "Zo\xc3\xab van den Berg",
                                  "Bob",
                                  "Bob Lee",
                                  "Hopper, Grace",
                                  "Max_M",
                                  "4001",
                                  "\xc5\x81ukasz \xc5\xbb\xc3\xb3\xc5\x82w"};

enum class Layout {
  kDated,     ///< s1000/attempt-2026-11-20-21-26-12/
  kNumbered,  ///< s1000/attempt-2/
  kArchives,  ///< s1000.zip
  kCanvas,
  kMoodle,
  kMoodleFlat,
  kBlackboard,
  kBrightspace,
  kGradescope,
  kClassroom
};
constexpr int kLayouts = 10;

/// What became of the file on its way. Only of whole ones there are points.
enum class Damage { kNone, kCopied, kZipped, kOtherName, kEmpty, kTooLarge, kLink, kTornZip };

struct Attempt {
  std::vector<std::size_t> owners{};  ///< several: a group's
  std::optional<Seconds> time{};      ///< that the platform tells
  std::size_t number = 1;             ///< of its first owner's
  int passed = 0;                     ///< of 4 cases
  Damage damage = Damage::kNone;
  bool counts() const { return damage <= Damage::kZipped; }
};

struct Person {
  std::string id, name, login;
  bool has_namesake = false;
  bool in_section = false;                     ///< one that is due later
  std::optional<Seconds> of_lab{}, of_term{};  ///< extensions
  std::optional<Seconds> submitted{};          ///< the roster's time, where the platform tells none
};

struct Rules {
  bool last = false;
  int percent = 0, most_days = 0, cap = 100, grace_minutes = 0, zone_hours = 0;
  Seconds section_due = kDue;
};

/// "2026-11-20-21-26-12".
inline std::string stamp(Seconds time) {
  std::string text = time_text(time).substr(0, 19);
  for (char& c : text)
    if (c == 'T' || c == ':') c = '-';
  return text;
}

class Class {
 public:
  explicit Class(unsigned seed) : random_(seed) {
    layout = static_cast<Layout>(draw(0, kLayouts - 1));
    rules = {.last = draw(0, 1) == 1,
             .percent = draw(0, 40),
             .most_days = draw(0, 5),
             .cap = draw(10, 100),
             .grace_minutes = draw(0, 60),
             .zone_hours = draw(-11, 13),
             .section_due = kDue + draw(1, 3) * kDay};
    draw_people();
    for (std::size_t p = 0; p < people.size(); ++p) draw_attempts(p);
  }

  Layout layout;
  Rules rules;
  std::vector<Person> people;
  std::vector<Attempt> attempts;

  int draw(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }

  bool tells_time() const {
    return layout == Layout::kDated || layout == Layout::kBlackboard || layout == Layout::kBrightspace ||
           layout == Layout::kGradescope;
  }
  bool tells_names_only() const {
    return layout == Layout::kMoodle || layout == Layout::kMoodleFlat || layout == Layout::kBrightspace;
  }
  /// Two of one name cannot be told apart, and are nobody in the roster.
  bool is_stranger(const Person& person) const { return tells_names_only() && person.has_namesake; }

  std::vector<const Attempt*> attempts_of(std::size_t person) const {
    std::vector<const Attempt*> own;
    for (const Attempt& attempt : attempts)
      if (std::ranges::find(attempt.owners, person) != attempt.owners.end()) own.push_back(&attempt);
    return own;
  }

  /// The calculation that knows nothing of the grader.
  double grade_of(std::size_t index) const {
    const Person& person = people[index];
    Seconds due = kDue;
    if (!is_stranger(person)) {
      if (person.in_section) due = rules.section_due;
      if (person.of_term) due = *person.of_term;
      if (person.of_lab) due = *person.of_lab;
    }
    double best = 0, newest = 0;
    Seconds newest_time = 0;
    for (const Attempt* attempt : attempts_of(index)) {
      double points = attempt->counts() ? 25.0 * attempt->passed : 0;
      if (points < 100) points = std::min(points, static_cast<double>(rules.cap));
      std::optional<Seconds> time = attempt->time;
      if (!time && !is_stranger(person)) time = person.submitted;
      if (time && *time > due + 60 * rules.grace_minutes) {
        const auto days = (*time - due + kDay - 1) / kDay;
        const double left = 1 - static_cast<double>(days * rules.percent) / 100;
        points *= days > rules.most_days ? 0 : std::max(0.0, left);
      }
      best = std::max(best, points);
      if (time.value_or(0) >= newest_time) newest = points, newest_time = time.value_or(0);
    }
    return rules.last ? newest : best;
  }

  std::string roster() const {
    std::string csv = "id,name,email,login,canvas,submitted,section\n";
    for (const Person& person : people)
      csv += person.id + ",\"" + person.name + "\"," + person.login + "@x.org," + person.login + "," +
             canvas_of(person) + "," + (person.submitted ? time_text(*person.submitted) : "") + "," +
             (person.in_section ? "B" : "A") + "\n";
    return csv;
  }

  std::string course_file() const {
    std::string of_term, of_lab;
    for (const Person& person : people) {
      if (person.of_term) of_term += person.login + " = " + time_text(*person.of_term) + "\n";
      if (person.of_lab) of_lab += person.login + " = " + time_text(*person.of_lab) + "\n";
    }
    return std::string("attempts = \"") + (rules.last ? "last" : "best") + "\"\n" +
           "not_passed_at_most = " + std::to_string(rules.cap) + "\n[late]\ntime_zone = \"" + zone() +
           "\"\ngrace_minutes = " + std::to_string(rules.grace_minutes) +
           "\npercent_per_day = " + std::to_string(rules.percent) +
           "\nmost_days = " + std::to_string(rules.most_days) + "\n[late.extensions]\n" + of_term +
           "[points]\ncorrectness = 100\nstructure = 0\nprediction = 0\npass = 0\ngood = 0\nexcellent = 0\n" +
           "[sections.B]\ndue = { \"01\" = " + time_text(rules.section_due) + " }\n" +
           "[labs.01]\ndue = " + time_text(kDue) + "\n[labs.01.extensions]\n" + of_lab;
  }

  std::string zone() const {
    const int hours = std::abs(rules.zone_hours);
    return (rules.zone_hours < 0 ? "-" : "+") + std::string(hours < 10 ? "0" : "") + std::to_string(hours) +
           ":00";
  }

  /// As the platform's folder, its archive, or the archive in a folder.
  fs::path hand_over(const fs::path& place, bool archives) {
    const fs::path folder = place / "lab";
    fs::create_directories(folder);
    if (layout == Layout::kGradescope) write_file(folder / "submission_metadata.yml", metadata());
    for (std::size_t i = 0; i < attempts.size(); ++i)
      write_attempt((folder / prefix_of(attempts[i], i)).string(), attempts[i]);
    const bool linked =
        std::ranges::any_of(attempts, [](const Attempt& one) { return one.damage == Damage::kLink; });
    const int how = draw(0, 3);
    if (!archives || linked || how == 0 || layout == Layout::kArchives) return folder;
    std::vector<ZipEntry> entries;
    for (const auto& file : fs::recursive_directory_iterator(folder))
      if (file.is_regular_file())
        entries.push_back(
            {(how == 1 ? "lab/" : "") + fs::relative(file.path(), folder).string(), read_file(file.path())});
    const bool is_platforms = layout != Layout::kDated && layout != Layout::kNumbered;
    const bool in_a_folder = how == 3 && is_platforms && layout != Layout::kClassroom;
    const fs::path archive = place / (in_a_folder ? "download/class.zip" : "class.zip");
    write_file(archive, zip_archive(entries));
    return in_a_folder ? archive.parent_path() : archive;
  }

 private:
  static std::string canvas_of(const Person& person) { return "7" + person.id.substr(1); }

  void draw_people() {
    std::vector<std::string> names(std::begin(kNames), std::end(kNames));
    std::ranges::shuffle(names, random_);
    names.resize(static_cast<std::size_t>(draw(3, static_cast<int>(names.size()))));
    if (draw(0, 2) == 0) names.push_back(names.front());
    for (std::size_t i = 0; i < names.size(); ++i) {
      Person person{.id = "s" + std::to_string(1000 + i), .name = names[i], .login = {}};
      person.login = (draw(0, 2) == 0 ? "uni-ab" : "user") + std::to_string(i);
      person.has_namesake = std::ranges::count(names, names[i]) > 1;
      person.in_section = draw(0, 3) == 0;
      if (draw(0, 3) == 0) person.of_term = kDue + draw(1, 4) * kDay;
      if (draw(0, 3) == 0) person.of_lab = kDue + draw(-1, 4) * kDay;
      if (!tells_time() && draw(0, 3) != 0) person.submitted = draw_time();
      people.push_back(std::move(person));
    }
  }

  /// Minutes around the due time, and days after it; never the same minute twice.
  Seconds draw_time() {
    Seconds time = kDue + (draw(0, 1) == 0 ? 60 * draw(-120, 120) : draw(-3, 7) * kDay + 60 * draw(0, 1400));
    while (!minutes_.insert(time / 60).second) time += 60;
    return time + (layout == Layout::kBrightspace ? 0 : draw(0, 40));
  }

  void draw_attempts(std::size_t person) {
    const bool once = layout == Layout::kArchives || layout == Layout::kMoodle ||
                      layout == Layout::kMoodleFlat || layout == Layout::kClassroom;
    // One in eight hands in nothing; of a class of the others.
    const int count = person > 1 && draw(0, 7) == 0 ? 0 : once ? 1 : draw(1, draw(0, 5) == 0 ? 12 : 3);
    for (int i = 0; i < count; ++i) {
      Attempt attempt{.owners = {person}, .number = static_cast<std::size_t>(i) + 1, .passed = draw(0, 4)};
      if (tells_time()) attempt.time = draw_time();
      attempt.damage = draw_damage(count);
      if (layout == Layout::kGradescope && person > 0 && draw(0, 4) == 0)
        attempt.owners.push_back(person - 1);
      attempts.push_back(std::move(attempt));
    }
  }

  Damage draw_damage(int attempts_of_all) {
    if (draw(0, 2) != 0) return Damage::kNone;
    const auto damage = static_cast<Damage>(draw(0, static_cast<int>(Damage::kTornZip)));
    // Several downloads of Canvas in a folder: a file that comes again makes the attempt.
    if (layout == Layout::kCanvas && attempts_of_all > 1) return Damage::kNone;
    const bool flat =
        layout == Layout::kCanvas || layout == Layout::kMoodleFlat || layout == Layout::kBlackboard;
    if (flat && damage == Damage::kLink) return Damage::kNone;  // such an entry is no submission at all
    if (layout == Layout::kArchives && damage == Damage::kZipped) return Damage::kNone;
    if (damage == Damage::kTooLarge && draw(0, 3) != 0) return Damage::kEmpty;  // a megabyte each
    return damage;
  }

  /// A name as Moodle writes it: without what some system refuses in a file's name.
  static std::string of_moodle(std::string name) {
    std::erase_if(name, [](char c) { return std::string_view("&<>\"`|':\\/").find(c) != std::string::npos; });
    std::ranges::replace(name, '_', ' ');
    return name;
  }

  /// "Nov 20, 2026 926 PM": all times are around kDue.
  static std::string of_brightspace(Seconds time) {
    const std::string text = time_text(time);
    const int hour = std::stoi(text.substr(11, 2));
    return "Nov " + std::to_string(std::stoi(text.substr(8, 2))) + ", 2026 " +
           std::to_string(hour % 12 == 0 ? 12 : hour % 12) + text.substr(14, 2) + (hour < 12 ? " AM" : " PM");
  }

  /// What stands before the file in the platform's folder.
  std::string prefix_of(const Attempt& attempt, std::size_t index) const {
    const std::size_t owner = attempt.owners.front();
    const Person& person = people[owner];
    const std::string attempt_folder = person.id + "/attempt-", moodle = of_moodle(person.name) + "_" +
                                                                         std::to_string(4000 + owner) +
                                                                         "_assignsubmission_file_";
    const Seconds shown = attempt.time.value_or(0) + 3600 * rules.zone_hours;
    switch (layout) {
      case Layout::kDated:
        return attempt_folder + stamp(shown) + "/";
      case Layout::kNumbered:
        return attempt_folder + std::to_string(attempt.number) + "/";
      case Layout::kArchives:
        return person.id + ".zip";
      case Layout::kCanvas:
        return "somebody_" + canvas_of(person) + "_" + std::to_string(8 + attempt.number) + "_";
      case Layout::kMoodle:
        return moodle + "/";
      case Layout::kMoodleFlat:
        return moodle;
      case Layout::kBlackboard:
        return "Lab 01_" + person.login + "_attempt_" + stamp(shown) + "_";
      case Layout::kBrightspace:
        return std::to_string(100 + owner) + "-7 - " + person.name + " - " + of_brightspace(shown) + "/";
      case Layout::kGradescope:
        return "submission_" + std::to_string(index) + "/";
      case Layout::kClassroom:
        return "lab-01-" + person.login + "/labs/01-pointwise/";
    }
    return {};
  }

  std::string metadata() const {
    std::string text;
    for (std::size_t i = 0; i < attempts.size(); ++i) {
      text += "submission_" + std::to_string(i) + ":\n  :submitters:\n";
      for (const std::size_t owner : attempts[i].owners)
        text += "  - :name: \"" + people[owner].name + "\"\n    :email: " + people[owner].login + "@x.org\n";
      text += "  :created_at: " + time_text(*attempts[i].time) + "\n";
    }
    return text;
  }

  void write_attempt(std::string prefix, const Attempt& attempt) const {
    const std::string text = "passed " + std::to_string(attempt.passed), source = "pointwise.cu";
    if (layout == Layout::kArchives) return write_archive(prefix, attempt);
    if (prefix.ends_with("/")) fs::create_directories(prefix);
    const std::string again = layout == Layout::kCanvas && attempt.number > 1
                                  ? "-" + std::to_string(attempt.number - 1)
                                  : std::string();
    switch (attempt.damage) {
      case Damage::kNone:
        return write_file(prefix + "pointwise" + again + ".cu", text);
      case Damage::kCopied:
        return write_file(prefix + "pointwise (2).cu", text);
      case Damage::kOtherName:
        return write_file(prefix + "notes.txt", text);
      case Damage::kEmpty:
        return write_file(prefix + source, "");
      case Damage::kTooLarge:
        return write_file(prefix + source, text + std::string(1 << 20, ' '));
      case Damage::kLink:
        write_file(prefix + "notes.txt", text);
        return fs::create_symlink("notes.txt", prefix + source);
      case Damage::kZipped:
      case Damage::kTornZip:
        return write_archive(prefix + "work.zip", attempt);
    }
  }

  /// A torn one ends within the source.
  static void write_archive(const std::string& file, const Attempt& attempt) {
    std::string text = "passed " + std::to_string(attempt.passed) + std::string(4096, ' ');
    if (attempt.damage == Damage::kEmpty) text.clear();
    if (attempt.damage == Damage::kTooLarge) text.resize((1 << 20) + 1, ' ');
    const bool other = attempt.damage == Damage::kOtherName || attempt.damage == Damage::kLink;
    std::string bytes = zip_archive({{other ? "work/notes.txt" : "work/pointwise.cu", text}});
    if (attempt.damage == Damage::kTornZip) bytes.resize(bytes.size() / 2);
    write_file(file, bytes);
  }

  std::mt19937 random_;
  std::set<Seconds> minutes_;
};

}  // namespace roofline::grader::generated
