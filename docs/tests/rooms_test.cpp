// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <regex>

#include "docs/tests/text_files.h"

// The tables of rooms in docs/architecture.md name the rooms of the build, in its order, with what each may
// include. ROOFLINE_UPDATE_PAGES=1 writes them anew; what a room holds is for a person to say.
namespace roofline::docs::rooms {
namespace {

const std::filesystem::path kPage = kRoot / "docs/architecture.md";

struct Room {
  std::string name, includes;
};

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

/// What `room(NAME NEEDS...)` and `room_check(NAME VARIABLE NEEDS...)` say in a CMakeLists.txt.
std::vector<Room> rooms_of(const std::string& cmake) {
  std::vector<Room> rooms;
  std::size_t at = 0;
  for (const std::string& line : lines_of(cmake)) {
    const std::size_t begin = at;
    at += line.size() + 1;
    if (!line.starts_with("room(") && !line.starts_with("room_check(")) continue;
    const std::size_t open = cmake.find('(', begin) + 1;
    std::vector<std::string> words = words_of(cmake.substr(open, cmake.find(')', open) - open));
    Room room{words.at(0), ""};
    words.erase(words.begin(), words.begin() + (line.starts_with("room_check(") ? 2 : 1));
    for (const std::string& word : words) room.includes += (room.includes.empty() ? "" : " ") + word;
    rooms.push_back(std::move(room));
  }
  return rooms;
}

/// The page with the rows of the table below <!-- rooms of FILE --> as the build has them.
std::string with_rooms(const std::string& page) {
  std::string out;
  std::map<std::string, std::string> holds;  ///< of the table that is being read
  std::vector<Room> rooms;
  unsigned row = 0;  ///< 1: behind the comment, 2: the table's head, 3: the line below it, 4: the first room
  for (const std::string& line : lines_of(page + "\n")) {  // a last line that is no row
    if (row > 0 && line.starts_with('|')) {
      if (++row <= 3) {
        out += line + "\n";
        continue;
      }
      const std::size_t name = line.find('`') + 1, end = line.find('`', name), text = line.find('|', end);
      holds[line.substr(name, end - name)] =
          trimmed(line.substr(text + 1, line.find('|', text + 1) - text - 1));
      continue;
    }
    if (row > 3) {
      for (const Room& room : rooms)
        out += "| `" + room.name + "` | " + holds[room.name] + " | " + room.includes + " |\n";
      row = 0, holds.clear();
    }
    if (line.starts_with("<!-- rooms of ")) {
      rooms = rooms_of(text_of(kRoot / line.substr(14, line.size() - 18)));
      row = 1;
    }
    out += line + "\n";
  }
  out.pop_back();
  return out;
}

// Breaks when a room is new, gone, or may include something else, and the page does not say so.
TEST(Pages, RoomsAreThoseOfTheBuild) {
  const std::string page = text_of(kPage), wanted = with_rooms(page);
  if (std::getenv("ROOFLINE_UPDATE_PAGES") != nullptr && page != wanted) write_text(kPage, wanted);
  const std::vector<std::string> now = lines_of(text_of(kPage)), want = lines_of(wanted);
  for (std::size_t i = 0; i < std::max(now.size(), want.size()); ++i) {
    ASSERT_TRUE(i < now.size() && i < want.size() && now[i] == want[i])
        << "docs/architecture.md:" << i + 1 << ": should be\n"
        << (i < want.size() ? want[i] : "") << "\nROOFLINE_UPDATE_PAGES=1 ./lab test -R Page writes it";
  }
  std::size_t rooms = 0;
  for (std::size_t i = 0; i < now.size(); ++i) {
    rooms += now[i].starts_with("| `") ? 1 : 0;
    EXPECT_EQ(now[i].find("` |  |"), std::string::npos)
        << "docs/architecture.md:" << i + 1 << ": say what this room holds";
  }
  EXPECT_GE(rooms, 31U);
}

// Breaks when the test above would not see a room that is missing.
TEST(Pages, RoomsAreRead) {
  const std::vector<Room> rooms =
      rooms_of("set(ROOM_PREFIX x)\nroom(base)\n# room(no)\nroom(verbs base\n  a/b)\nroom_check(c v base)\n");
  ASSERT_EQ(rooms.size(), 3U);
  EXPECT_EQ(rooms[1].name + ": " + rooms[1].includes, "verbs: base a/b");
  EXPECT_EQ(rooms[2].name + ": " + rooms[2].includes, "c: base");
}

/// A source's classes, with the namespaces around them: "roofline::grader::Table". Not those within an
/// unnamed one, which only their file knows.
std::vector<std::string> classes_of(const std::string& source) {
  static const std::regex kNamespace(R"(namespace( [\w:]+)? \{)"),
      kClass(R"((?:struct|class) (\w+)(?: final)?(?: : .*)? \{.*)");
  std::vector<std::string> spaces, found;
  for (const std::string& line : lines_of(source)) {
    std::smatch match;
    if (line.starts_with("}  // namespace")) {
      if (!spaces.empty()) spaces.pop_back();
    } else if (line.starts_with("namespace") && std::regex_match(line, match, kNamespace)) {
      spaces.push_back(trimmed(match[1].str()));
    } else if ((line.starts_with("struct ") || line.starts_with("class ")) &&
               std::regex_match(line, match, kClass) && std::ranges::find(spaces, "") == spaces.end()) {
      std::string name;
      for (const std::string& space : spaces) name += space + "::";
      found.push_back(name + match[1].str());
    }
  }
  return found;
}

// Breaks when two classes have one full name. In a program that has both, the linker takes one's destructor
// for the other's objects, and nothing says so.
TEST(Rooms, AClassIsDefinedOnce) {
  std::map<std::string, std::string> defined;
  for (const char* folder : {"common", "grader", "docs/tests"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(kRoot / folder)) {
      const std::filesystem::path& file = entry.path();
      if (file.extension() != ".h" && file.extension() != ".cpp") continue;
      for (const std::string& name : classes_of(text_of(file))) {
        const auto [first, is_new] = defined.try_emplace(name, shown(file));
        EXPECT_TRUE(is_new || first->second == shown(file) || !name.starts_with("roofline::"))
            << name << " is in " << first->second << " and in " << shown(file)
            << ": give one of them another name";
      }
    }
  EXPECT_GE(defined.size(), 600U);
}

// Breaks when the test above would not see a class, or complains of what cannot meet.
TEST(Rooms, ClassesAreRead) {
  EXPECT_EQ(classes_of("namespace a::b {\nstruct One {\n  struct Inner {\n};\nclass Two final : public One "
                       "{\nclass Three;\n"
                       "namespace {\nstruct Four {\n}  // namespace\nstruct Five {};\n}  // namespace "
                       "a::b\nstruct Six {\n"),
            (std::vector<std::string>{"a::b::One", "a::b::Two", "a::b::Five", "Six"}));
}

// Breaks when a suite has a fixture and tests in two files, or two tests have one name: GoogleTest refuses
// either in a program of several files, which the preset `base` makes of them.
TEST(Rooms, ASuiteWithAFixtureIsInOneFile) {
  static const std::regex kTest(R"(TEST(_F|_P)?\((\w+), (\w+)\).*)");
  std::size_t tests = 0;
  for (const char* folder : {"common/simulator/tests", "grader", "docs/tests"}) {
    std::map<std::string, std::string> plain, fixture, names;  ///< to the file
    for (const auto& entry : std::filesystem::recursive_directory_iterator(kRoot / folder)) {
      if (!entry.path().filename().string().ends_with("_test.cpp")) continue;
      const std::string file = shown(entry.path());
      std::smatch match;
      for (const std::string& line : lines_of(text_of(entry.path()))) {
        if (!line.starts_with("TEST") || !std::regex_match(line, match, kTest)) continue;
        const std::string suite = match[2].str(), name = suite + "." + match[3].str();
        (match[1].length() == 0 ? plain : fixture).try_emplace(suite, file);
        EXPECT_TRUE(names.try_emplace(name, file).second)
            << name << " is in " << names[name] << " and in " << file;
        if (const auto with = fixture.find(suite); with != fixture.end()) {
          EXPECT_EQ(with->second, file) << "the suite " << suite << " has a fixture there";
          EXPECT_FALSE(plain.contains(suite))
              << "the suite " << suite << " has tests without its fixture: " << plain[suite];
        }
        ++tests;
      }
    }
  }
  EXPECT_GE(tests, 1200U);
}

}  // namespace
}  // namespace roofline::docs::rooms
