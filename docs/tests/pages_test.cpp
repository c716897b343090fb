// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cctype>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "docs/tests/text_files.h"

// What a page promises: its links lead somewhere, its code stands in the sources, its commands exist.
namespace roofline::docs {
namespace {

namespace fs = std::filesystem;

/// A page line by line, with what each line is.
struct Line {
  std::size_t number = 0;
  std::string text;
  bool code = false;  ///< fenced or indented
};

std::vector<Line> classified(const fs::path& page) {
  std::vector<Line> lines;
  bool fenced = false, blank = true, indented = false;
  for (const std::string& text : lines_of(text_of(page))) {
    const bool fence = trimmed(text).starts_with("```");
    indented = !fenced && text.starts_with("    ") && (blank || indented);
    lines.push_back({lines.size() + 1, text, fenced || fence || indented});
    if (fence) fenced = !fenced;
    blank = trimmed(text).empty();
  }
  return lines;
}

// --- links -------------------------------------------------------------------------------------------------

/// The anchor that GitHub and docs/site/filter make of a heading.
std::string slug(const std::string& heading) {
  std::string anchor;
  for (const char c : heading) {
    if (c == ' ')
      anchor += '-';
    else if (std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_')
      anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return anchor;
}

std::set<std::string> anchors_of(const fs::path& page) {
  std::set<std::string> anchors;
  for (const Line& line : classified(page))
    if (!line.code && line.text.starts_with("#"))
      anchors.insert(slug(line.text.substr(line.text.find(' ') + 1)));
  return anchors;
}

std::vector<std::string> targets_in(const std::string& text) {
  std::vector<std::string> targets;
  for (std::size_t at = text.find("]("); at != std::string::npos; at = text.find("](", at + 2)) {
    const std::size_t end = text.find(')', at);
    if (end != std::string::npos) targets.push_back(text.substr(at + 2, end - at - 2));
  }
  return targets;
}

// Breaks when a page links to a file, a picture or a heading that is not there.
TEST(Pages, LinksLeadSomewhere) {
  for (const fs::path& page : pages()) {
    for (const Line& line : classified(page)) {
      if (line.code) continue;
      for (std::string target : targets_in(line.text)) {
        if (target.starts_with("http")) continue;
        const std::size_t hash = target.find('#');
        const std::string anchor = hash == std::string::npos ? "" : target.substr(hash + 1);
        target = target.substr(0, hash);
        const fs::path file = target.empty() ? page : page.parent_path() / target;
        EXPECT_TRUE(fs::exists(file)) << shown(page) << ":" << line.number << ": no file " << target;
        if (!anchor.empty() && fs::exists(file)) {
          EXPECT_TRUE(anchors_of(file).contains(anchor))
              << shown(page) << ":" << line.number << ": no heading #" << anchor << " in " << shown(file);
        }
      }
    }
  }
}

// --- commands ----------------------------------------------------------------------------------------------

std::string output_of(const std::string& command) {
  std::string output;
  FILE* pipe = popen((command + " 2>&1 </dev/null").c_str(), "r");
  if (pipe == nullptr) return output;
  std::array<char, 4096> buffer{};
  for (std::size_t n = 0; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    output.append(buffer.data(), n);
  pclose(pipe);
  return output;
}

std::string lab(const std::string& arguments) {
  return "ROOFLINE_ROOT='" + kRoot.string() + "' NO_COLOR=1 '" + std::string(ROOFLINE_BUILD) + "/bin/lab' " +
         arguments;
}

struct Command {
  std::string where, verb;
  std::vector<std::string> options;
};

/// The words of a command up to a comment, a pipe or the end of the code span.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '`' || c == '#' || c == ';' || c == '&' || c == ',' || c == ')' ||
        (c == '|' && (i == 0 || text[i - 1] != '\\')))
      break;
    if (c == ' ')
      words.emplace_back();
    else
      words.back() += c;
  }
  std::erase(words, "");
  return words;
}

std::vector<Command> commands() {
  std::vector<Command> found;
  for (const fs::path& page : pages()) {
    for (const Line& line : classified(page)) {
      for (std::size_t at = line.text.find("./lab"); at != std::string::npos;
           at = line.text.find("./lab", at + 5)) {
        const std::size_t end = at + 5;
        if (end < line.text.size() && line.text[end] != ' ' && line.text[end] != '`') continue;  // ./labs
        if (!line.code && (at == 0 || line.text.rfind('`', at) == std::string::npos)) continue;
        if (end < line.text.size() && line.text[end] == '`') continue;
        Command command{shown(page) + ":" + std::to_string(line.number), "", {}};
        const std::vector<std::string> words = words_of(line.text.substr(end));
        if (!words.empty() && std::islower(static_cast<unsigned char>(words[0][0]))) command.verb = words[0];
        for (const std::string& word : words) {
          if (word == "--") break;  // what follows belongs to the program
          if (word.starts_with("--")) command.options.push_back(word.substr(0, word.find('=')));
        }
        found.push_back(command);
      }
    }
  }
  return found;
}

/// What --help prints; held to it by CommandLine.PageOfCommands.
constexpr const char* kHelp = "docs/commands.md";

// Breaks when a page tells somebody to type a verb or an option that there is not.
TEST(Pages, CommandsExist) {
  const std::string all = output_of(lab("--help"));
  std::map<std::string, std::string> help;
  std::size_t checked = 0;
  for (const Command& command : commands()) {
    if (command.verb.empty() || command.where.starts_with(kHelp)) continue;
    ++checked;
    EXPECT_NE(all.find("  " + command.verb + " "), std::string::npos)
        << command.where << ": ./lab --help knows no " << command.verb;
    if (!help.contains(command.verb))  // setup, test and docs are the script's own
      help[command.verb] =
          output_of("ROOFLINE_NO_BUILD=1 ROOFLINE_PRESET=" + fs::path(ROOFLINE_BUILD).filename().string() +
                    " '" + (kRoot / "lab").string() + "' " + command.verb + " --help");
    if (command.verb == "test") continue;  // its arguments are ctest's
    for (const std::string& option : command.options)
      EXPECT_TRUE(option == "--help" || help[command.verb].find(option) != std::string::npos)
          << command.where << ": ./lab " << command.verb << " has no " << option;
  }
  EXPECT_GE(checked, 60U);
}

// Breaks when a page names a file of the repository that is not there.
TEST(Pages, FilesThatPagesNameExist) {
  std::size_t checked = 0;
  for (const fs::path& page : pages()) {
    if (shown(page) == kHelp) continue;
    for (const Line& line : classified(page)) {
      for (const char* folder : {"labs/", "solutions/", "docs/", "grader/", "common/", ".ci/"}) {
        for (std::size_t at = line.text.find(folder); at != std::string::npos;
             at = line.text.find(folder, at + 1)) {
          const char before = at == 0 ? ' ' : line.text[at - 1];
          if (before != ' ' && before != '`') continue;
          const std::size_t end = line.text.find_first_of(" `,:;|()[]", at);
          std::string path = line.text.substr(at, end - at);
          while (path.ends_with('.')) path.pop_back();
          // Patterns and examples: labs/*/spec.cpp, labs/07-name, labs/NN-name, labs/{...}, <id>
          if (path.find_first_of("*<>{}$") != std::string::npos || path.find("NN-") != std::string::npos ||
              path.find("07-") != std::string::npos || path.find("NAME") != std::string::npos)
            continue;
          ++checked;
          EXPECT_TRUE(fs::exists(kRoot / path)) << shown(page) << ":" << line.number << ": " << path;
        }
      }
    }
  }
  EXPECT_GE(checked, 40U);
}

/// "A|B" of `-R '^(A|B)'`: the names of tests, or how they begin.
std::vector<std::string> alternatives(std::string expression) {
  std::vector<std::string> found;
  if (expression.starts_with("^(") && expression.ends_with(")"))
    expression = expression.substr(2, expression.size() - 3);
  std::istringstream words(expression);
  for (std::string word; std::getline(words, word, '|');) found.push_back(word);
  return found;
}

// Breaks when a page tells somebody to run tests that there are not: nothing would run, and nothing fail.
TEST(Pages, TestsThatPagesNameExist) {
  const std::string tests = output_of("ctest --test-dir '" ROOFLINE_BUILD "' -N");
  ASSERT_NE(tests.find(": Pages.TestsThatPagesNameExist"), std::string::npos) << tests.substr(0, 2000);
  static const std::regex kCommand("(?:lab test|ctest) [^`]*-R '?([^ '`]+)");
  std::size_t checked = 0;
  for (const fs::path& page : pages()) {
    for (const Line& line : classified(page)) {
      std::smatch found;
      if (!std::regex_search(line.text, found, kCommand) || found[1] == "REGEX") continue;
      for (const std::string& name : alternatives(found[1])) {
        ++checked;
        EXPECT_TRUE(std::regex_search(tests, std::regex(" #[0-9]+: .*" + name)))
            << shown(page) << ":" << line.number << ": no test is called " << name;
      }
    }
  }
  EXPECT_GE(checked, 60U);
}

// What needs neither a device nor a build is run as a reader would.
TEST(Pages, CheapCommandsRun) {
  for (const char* verb : {"", "list", "--help"}) {
    const std::string command = lab(verb) + " >/dev/null 2>&1; echo status $?";
    EXPECT_EQ(output_of(command), "status 0\n") << verb;
  }
}

// Breaks when the notebook's reader begins with another file than everybody else.
TEST(Notebook, ItsCellIsTheSkeleton) {
  std::string cell;
  const nlohmann::json notebook = nlohmann::json::parse(text_of(kRoot / "docs/lab-01.ipynb"));
  for (const nlohmann::json& each : notebook["cells"])
    if (each["id"] == "kernel")
      for (const nlohmann::json& line : each["source"]) cell += line.get<std::string>();
  EXPECT_EQ(cell + "\n", "%%writefile labs/01-pointwise/pointwise.cu\n" +
                             text_of(kRoot / "labs/01-pointwise/pointwise.cu"));
}

// Breaks when the editor's problem matcher no longer finds the place in what the grader prints.
TEST(Editor, TheProblemMatcherFindsFileAndLine) {
  const auto json = [](const char* file) {
    return nlohmann::json::parse(text_of(kRoot / file), nullptr, true, /*ignore_comments=*/true);
  };
  const nlohmann::json container = json(".devcontainer/devcontainer.json");
  EXPECT_TRUE(container["onCreateCommand"].get<std::string>().ends_with("&& ./lab setup"));
  EXPECT_EQ(container["updateContentCommand"], "./lab setup");
  EXPECT_FALSE(container.contains("postCreateCommand")) << "a prebuild does not run it: everybody would wait";
  EXPECT_FALSE(json(".vscode/extensions.json")["recommendations"].empty());
  std::size_t matchers = 0;
  const nlohmann::json tasks = json(".vscode/tasks.json")["tasks"];
  for (const nlohmann::json& task : tasks) {
    if (!task["problemMatcher"].is_object()) continue;
    ++matchers;
    const std::regex pattern(task["problemMatcher"]["pattern"]["regexp"].get<std::string>());
    for (const std::string line :
         {"                    labs/01-pointwise/pointwise.cu:12: identifier \"wrong\" is undefined",
          "  x  n = 1   out-of-bounds  labs/01-pointwise/pointwise.cu:12: kernel 'k', block (0,0,0)",
          "labs/01-pointwise/pointwise.cu:12: expected a ';'"}) {
      std::smatch found;
      ASSERT_TRUE(std::regex_search(line, found, pattern)) << line;
      EXPECT_EQ(found[1], "labs/01-pointwise/pointwise.cu");
      EXPECT_EQ(found[2], "12");
    }
    EXPECT_FALSE(std::regex_search(std::string("  ok  n = 255   pass  0.1 s"), pattern));
    if (!task.value("isBackground", false)) continue;
    // What ./lab watch prints: a check is shown in the editor when its end is seen.
    const nlohmann::json& background = task["problemMatcher"]["background"];
    const std::regex begins(background["beginsPattern"].get<std::string>()),
        ends(background["endsPattern"].get<std::string>());
    for (const std::string line :
         {"14:03:12  \u2717 does-not-compile  0.9 s", "     check            verdict"})
      EXPECT_TRUE(std::regex_search(line, begins)) << line;
    for (const std::string line :
         {"          labs/01-pointwise/pointwise.cu:12: expected a ';'", "  seed    7"}) {
      EXPECT_FALSE(std::regex_search(line, begins)) << line;
      EXPECT_FALSE(std::regex_search(line, ends)) << line;
    }
    EXPECT_TRUE(std::regex_search(std::string(), ends));
  }
  EXPECT_EQ(matchers, 2U);
}

// Every idea of the articles has its place, and the page of sources is complete.
TEST(Pages, EverySubjectHasItsPage) {
  const std::map<std::string, std::vector<std::string>> subjects = {
      {"docs/compilers.md",
       {"TVM", "Tensor Comprehensions", "Glow", "nGraph", "PlaidML", "XLA", "Triton", "TorchInductor",
        "TensorRT", "OpenVINO", "NVFuser", "cuBLAS", "cuDNN", "MKL", "AOT", "JIT", "horizontal", "CUDA graph",
        "FlashAttention"}},
      {"docs/three-regimes.md",
       {"factory", "ridge point", "9.75", "99.80", "32 million", "280 thousand", "GPU-Util", "larger batch",
        "A roof below the roof", "utilisation", "communication-bound", "Data parallelism"}},
      {"docs/whole-models.md",
       {"MPS", "none instead of zero", "quantised weights", "Tensor parallelism", "pruning", "distillation",
        "TensorRT-LLM", "out of memory", "latency"}},
      {"docs/articles.md", {"Loss scaling", "Pinned memory"}}};
  for (const auto& [page, words] : subjects) {
    const std::string text = text_of(kRoot / page);
    for (const std::string& word : words)
      EXPECT_NE(text.find(word), std::string::npos) << page << ": " << word;
  }
}

/// What is below a heading, up to the next one of its rank or above.
std::string section_of(const fs::path& page, const std::string& anchor) {
  std::string text;
  std::size_t rank = 0;
  for (const Line& line : classified(page)) {
    if (!line.code && line.text.starts_with("#")) {
      const std::size_t here = line.text.find(' ');
      if (rank > 0 && here <= rank) break;
      if (rank == 0 && slug(line.text.substr(here + 1)) == anchor) rank = here;
    }
    if (rank > 0) text += line.text + "\n";
  }
  return text;
}

// Breaks when the table of ideas in docs/articles.md sends a reader to a section that is about something
// else.
TEST(Pages, EveryIdeaStandsWhereTheTableSends) {
  struct Idea {
    const char *name, *link, *word;
  };
  const fs::path page = kRoot / "docs/articles.md";
  const std::vector<std::string> rows = lines_of(section_of(page, "where-every-idea-lives"));
  for (const Idea& idea :
       {Idea{"FLOPs outgrow bandwidth", "three-regimes.md#the-factory", "H100"},
        {"running ahead", "three-regimes.md#overhead", "Running ahead"},
        {"Python 32 M/s", "three-regimes.md#overhead", "32 million"},
        {"utilisation of 80 %", "three-regimes.md#how-close-is-close", "80 %"},
        {"a roof below the roof", "three-regimes.md#a-roof-below-the-roof", "roof"},
        {"three cases", "three-regimes.md#raising-the-intensity", "crosses the ridge"},
        {"latency against throughput", "three-regimes.md#why-a-larger-batch-helps", "throughput"},
        {"250 and 700", "three-regimes.md#the-factory-has-two-halls", "1/245"},
        {"repeat sweep", "three-regimes.md#the-roofline", "9.75"},
        {"data parallelism", "three-regimes.md#the-fourth-regime-several-chips", "Data parallelism"},
        {"vendor libraries", "compilers.md#libraries", "cuBLAS"},
        {"FlashAttention", "compilers.md#flashattention", "softmax"},
        {"operator fusion", "compilers.md#fusion", "horizontal"},
        {"set-to-none", "whole-models.md#gradients-to-none-instead-of-zero", "four passes"},
        {"MPS", "whole-models.md#two-programs-on-one-gpu", "MPS"},
        {"quantised weights", "whole-models.md#fewer-flops-fewer-bytes", "quantised"},
        {"arithmetic cannot be reduced", "three-regimes.md#the-factory", "saved without changing"},
        {"bars of time", "three-regimes.md#time-as-bars", "longest bar"},
        {"out of memory", "whole-models.md#does-it-fit", "out of memory"},
        {"convergence", "whole-models.md#batch-precision-and-convergence", "learning"},
        {"weight-gathered", "whole-models.md#several-gpus", "Weight-gathered"},
        {"xFormers", "whole-models.md#serving-libraries", "xFormers"},
        {"loss scaling", "#a-profile-step-by-step", "Loss scaling"},
        {"pinned memory", "#a-profile-step-by-step", "Pinned memory"}}) {
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const std::string& line) {
      return line.find(idea.name) != std::string::npos;
    });
    ASSERT_NE(row, rows.end()) << "no row for " << idea.name;
    const std::string link = idea.link;
    EXPECT_NE(row->find("(" + link + ")"), std::string::npos) << idea.name << " is not sent to " << link;
    const std::size_t hash = link.find('#');
    const fs::path file = hash == 0 ? page : page.parent_path() / link.substr(0, hash);
    EXPECT_NE(section_of(file, link.substr(hash + 1)).find(idea.word), std::string::npos)
        << link << " does not hold " << idea.word;
  }
}

// Breaks when a page for learners leaves its words unexplained.
TEST(Pages, PagesForLearnersLinkToTheGlossary) {
  for (const char* page :
       {"articles", "checks", "compilers", "counters", "course", "cuda-basics", "measuring", "report",
        "start", "three-regimes", "trace", "trust", "whole-models"}) {
    const std::string path = std::string("docs/") + page + ".md";
    EXPECT_NE(text_of(kRoot / path).find("](glossary.md"), std::string::npos) << path;
  }
}

}  // namespace
}  // namespace roofline::docs
