// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <regex>
#include <set>

#include "docs/tests/browser.h"
#include "docs/tests/text_files.h"

// The built site: every link leads somewhere, nothing is loaded from elsewhere, and it works in a browser.
namespace roofline::docs {
namespace {

namespace fs = std::filesystem;

const fs::path kSite = kRoot / "build/docs/html";

/// One build for all tests here.
class Site : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    for (const char* needed : {"/usr/bin/doxygen", "/usr/share/doxygen-awesome-css/doxygen-awesome.css",
                               "/usr/share/javascript/mathjax/MathJax.js"})
      missing_ |= !fs::exists(needed);
    if (missing_) return;
    ASSERT_EQ(std::system(("'" + (kRoot / "lab").string() + "' docs").c_str()), 0)
        << "./lab docs failed: a warning of Doxygen's counts as an error";
  }
  void SetUp() override {
    if (missing_) GTEST_SKIP() << "./lab docs installs what the site is built with";
  }
  static inline bool missing_ = false;
};

/// The values of an attribute in a page, wherever it stands.
std::vector<std::string> values_of(const std::string& html, const std::string& attribute) {
  std::vector<std::string> values;
  const std::string mark = " " + attribute + "=\"";
  for (std::size_t at = html.find(mark); at != std::string::npos; at = html.find(mark, at + 1)) {
    const std::size_t from = at + mark.size(), to = html.find('"', from);
    if (to == std::string::npos) break;
    values.push_back(html.substr(from, to - from));
  }
  return values;
}

bool outside(const std::string& address) {
  return address.find("://") != std::string::npos || address.starts_with("//");
}

/// A page's name on the site, without .html (docs/site/filter).
std::string label_of(const fs::path& page) {
  const std::string name = fs::relative(page, kRoot).string();
  if (name == "README.md") return "readme";
  if (name == "common/simulator/README.md") return "simulator";
  std::string label = name;
  if (label.ends_with("/README.md")) label.resize(label.size() - 10);
  if (label.ends_with(".md")) label.resize(label.size() - 3);
  if (label.starts_with("docs/")) label = label.substr(5);
  if (label.starts_with("labs/")) label = "lab-" + label.substr(5);
  for (char& c : label)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '-';
  return label;
}

struct Page {
  std::vector<std::string> links, resources;
  std::set<std::string> anchors;
};

Page page_of(const fs::path& file) {
  const std::string html = text_of(file);
  Page page;
  for (const char* attribute : {"id", "name"})
    for (const std::string& value : values_of(html, attribute)) page.anchors.insert(value);
  for (const char* attribute : {"src", "data", "srcset"})
    for (const std::string& value : values_of(html, attribute)) page.resources.push_back(value);
  for (std::size_t at = html.find("<link "); at != std::string::npos; at = html.find("<link ", at + 1))
    for (const std::string& value : values_of(html.substr(at, html.find('>', at) - at + 1), "href"))
      page.resources.push_back(value);
  page.links = values_of(html, "href");
  return page;
}

std::map<std::string, Page> all_pages() {
  std::map<std::string, Page> pages;
  for (const fs::directory_entry& entry : fs::directory_iterator(kSite))
    if (entry.path().extension() == ".html") pages[entry.path().filename().string()] = page_of(entry.path());
  return pages;
}

// Breaks when Doxygen makes a link to a page, an anchor, a picture or a script that is not there.
TEST_F(Site, LinksAndAnchorsLeadSomewhere) {
  const std::map<std::string, Page> pages = all_pages();
  ASSERT_GT(pages.size(), 40U);
  std::size_t checked = 0;
  for (const auto& [name, page] : pages) {
    for (const std::string& link : page.links) {
      if (outside(link) || link.starts_with("javascript:") || link.starts_with("data:")) continue;
      const std::size_t hash = link.find('#');
      const std::string file = hash == 0 ? name : link.substr(0, hash).substr(0, link.find('?'));
      ++checked;
      ASSERT_TRUE(fs::exists(kSite / file)) << name << " links to " << link;
      if (hash == std::string::npos || hash + 1 == link.size() || !pages.contains(file)) continue;
      EXPECT_TRUE(pages.at(file).anchors.contains(link.substr(hash + 1))) << name << " links to " << link;
    }
    for (const std::string& resource : page.resources) {
      if (resource.starts_with("data:") || resource.starts_with("javascript:") || outside(resource) ||
          resource.empty())
        continue;
      EXPECT_TRUE(fs::exists(kSite / resource.substr(0, resource.find('?'))))
          << name << " shows " << resource;
    }
  }
  EXPECT_GT(checked, 1000U);
}

/// `html` without the elements called `tag`.
std::string without(std::string html, const std::string& tag) {
  const std::string end = "</" + tag + ">";
  for (std::size_t from = 0; (from = html.find("<" + tag, from)) != std::string::npos;) {
    const std::size_t to = html.find(end, from);
    if (to == std::string::npos) break;
    html.erase(from, to + end.size() - from);
  }
  return html;
}

// Breaks when Doxygen takes a single quote in code, as in `u''`, for the end of the code.
TEST_F(Site, NoMarkOfCodeIsLeft) {
  for (const fs::path& page : pages()) {
    const fs::path file = kSite / (label_of(page) + ".html");
    if (!fs::exists(file)) continue;
    const std::string text = without(without(without(text_of(file), "script"), "code"), "pre");
    for (const char* mark : {"`", "\u2018"})
      EXPECT_EQ(text.find(mark), std::string::npos) << file << ": " << text.substr(text.find(mark), 60);
  }
}

// Breaks when Doxygen does not take stars for emphasis: `**"word"**`, bold that begins with code, emphasis
// inside bold or after a digit.
TEST_F(Site, NoMarkOfEmphasisIsLeft) {
  const std::regex tag("<[^>]*>"), left(R"re(["?!.]\*\*|\*[a-z]+\*|[^*]\*\([a-z]+\)\*)re");
  for (const fs::path& page : pages()) {
    const fs::path file = kSite / (label_of(page) + ".html");
    if (!fs::exists(file)) continue;
    const std::string html = without(without(without(text_of(file), "script"), "code"), "pre");
    for (const std::string& line : lines_of(html)) {
      const std::string text = std::regex_replace(line, tag, "");
      std::smatch found;
      EXPECT_FALSE(std::regex_search(text, found, left)) << file << ": " << found.str() << " in " << text;
    }
  }
}

// Breaks when a page or a style sheet asks another host for a script, a font, a style or a picture.
TEST_F(Site, NothingIsLoadedFromElsewhere) {
  for (const auto& [name, page] : all_pages())
    for (const std::string& resource : page.resources)
      EXPECT_FALSE(outside(resource)) << name << ": " << resource;
  for (const fs::directory_entry& entry : fs::directory_iterator(kSite)) {
    if (entry.path().extension() != ".css") continue;
    const std::string css = text_of(entry.path());
    for (const char* load : {"url(http", "url(\"http", "url('http", "url(//", "@import"})
      EXPECT_EQ(css.find(load), std::string::npos) << entry.path().filename() << ": " << load;
  }
}

// Breaks when a page of the repository is not on the site, or the navigation does not lead to it.
TEST_F(Site, EveryPageIsInTheNavigation) {
  const std::string navigation = text_of(kSite / "navtreedata.js");
  for (const fs::path& page : pages()) {
    const std::string name = fs::relative(page, kRoot).string();
    if (name.ends_with("hints.md") || name == "docs/start.md" || name.find("/tests/") != std::string::npos)
      continue;
    const std::string label = label_of(page);
    EXPECT_TRUE(fs::exists(kSite / (label + ".html"))) << name;
    EXPECT_NE(navigation.find("\"" + label + ".html\""), std::string::npos)
        << name << " is not in the navigation";
  }
}

class SiteInBrowser : public Site {
 protected:
  void SetUp() override {
    Site::SetUp();
    if (!IsSkipped() && !Browser::installed()) GTEST_SKIP() << "Chromium is not installed";
  }
  /// For whoever wants to see what the test saw.
  static void look(Browser& browser, const std::string& name) {
    fs::create_directories(kRoot / "build/docs/seen");
    browser.screenshot(kRoot / "build/docs/seen" / (name + ".png"));
  }
  static void expect_quiet(const Browser& browser, const std::string& page) {
    for (const std::string& complaint : browser.complaints()) ADD_FAILURE() << page << ": " << complaint;
    for (const std::string& request : browser.requests())
      EXPECT_TRUE(request.starts_with("file://") || request.starts_with("data:"))
          << page << " asks for " << request;
  }
};

// Breaks when a page reports an error, asks for something from elsewhere, or a formula stays as typed.
TEST_F(SiteInBrowser, PagesAreQuietAndFormulasDrawn) {
  Browser browser;
  for (const char* page : {"index.html", "lab-02-intensity.html", "three-regimes.html",
                           "simulator-model.html", "annotated.html"}) {
    browser.open(kSite / page);
    EXPECT_TRUE(browser.becomes_true("document.querySelector('#nav-tree-contents a')")) << page;
    if (browser.evaluate("/\\\\\\[/.test(document.querySelector('div.contents').textContent)") == true) {
      EXPECT_TRUE(browser.becomes_true("document.querySelectorAll('.MathJax_SVG svg').length > 0", 20))
          << page;
    }
    EXPECT_EQ(browser.evaluate("[...document.images].filter(i => i.complete && i.naturalWidth == 0).length"),
              0)
        << page << " has a picture that is not drawn";
    expect_quiet(browser, page);
  }
  browser.open(kSite / "simulator-model.html");
  EXPECT_TRUE(browser.becomes_true("document.querySelectorAll('.MathJax_SVG svg').length > 0", 20));
}

// Breaks when the search box finds nothing.
TEST_F(SiteInBrowser, SearchFindsAPage) {
  Browser browser;
  browser.open(kSite / "index.html");
  ASSERT_TRUE(browser.becomes_true("document.getElementById('MSearchField')"));
  browser.evaluate(
      "(() => { const f = document.getElementById('MSearchField'); f.focus(); f.value = 'three'; "
      "searchBox.OnSearchFieldChange(new KeyboardEvent('keyup', {key: 'e', keyCode: 69})); return 1; })()");
  EXPECT_TRUE(browser.becomes_true(
      "getComputedStyle(document.getElementById('MSearchResultsWindow')).display == 'block'"));
  // The results are a page of their own inside a frame.
  std::string results;
  for (int i = 0; i < 200 && results.empty(); ++i) {
    browser.becomes_true("false", 0.05);
    for (const std::string& request : browser.requests())
      if (request.ends_with("?three")) results = request;
  }
  ASSERT_FALSE(results.empty()) << "no page of results was asked for";
  look(browser, "search");
  expect_quiet(browser, "search");
  browser.open(results.substr(std::string("file://").size()));
  EXPECT_TRUE(
      browser.becomes_true("[...document.querySelectorAll('.SRResult')].some(result => "
                           "result.offsetHeight > 0 && /Three regimes/.test(result.textContent))"));
  expect_quiet(browser, "search");
}

// Breaks when a table, a formula or a long word makes a page wider than a phone.
TEST_F(SiteInBrowser, PagesFitAPhone) {
  constexpr int kWidth = 390;
  Browser browser;
  browser.resize(kWidth, 844);
  for (const char* page :
       {"index.html", "three-regimes.html", "course.html", "commands.html", "checks.html",
        "lab-07-onchip.html", "lab-12-precision.html", "lab-14-detective.html", "bridges.html",
        "glossary.html", "trust.html", "whole-models.html", "measuring.html", "faq.html", "report.html",
        "similarity.html", "data-protection.html", "upgrade.html"}) {
    browser.open(kSite / page);
    if (browser.evaluate("document.querySelectorAll('p.formulaDsp').length > 0") == true) {
      EXPECT_TRUE(browser.becomes_true("document.querySelectorAll('.MathJax_SVG svg').length > 0", 20))
          << page;
    }
    EXPECT_EQ(browser.evaluate("document.querySelector('#doc-content').scrollWidth"), kWidth) << page;
    look(browser, std::string("phone-") + page);
    expect_quiet(browser, page);
  }
}

// Breaks when a table, a picture or code is wider than a sheet of paper, or would have to be scrolled there.
TEST_F(SiteInBrowser, NothingIsCutOnPaper) {
  constexpr int kSheet = 720;  // A4 or letter without margins, 96 pixels an inch
  Browser browser;
  browser.print_on(kSheet);
  for (const char* page : {"three-regimes", "course", "commands", "counters", "checks", "bridges",
                           "lab-06-memory", "lab-07-onchip", "lab-10-decode", "lab-15-step"}) {
    browser.open(kSite / (std::string(page) + ".html"));
    EXPECT_EQ(
        browser.evaluate(
            "[...document.querySelectorAll('div.contents :is(table, img, object, pre, div.fragment, "
            "div.image)')].filter(e => e.getClientRects().length > 0 && (e.getBoundingClientRect().right > "
            "innerWidth + 1 || (getComputedStyle(e).overflowX != 'visible' && e.scrollWidth > e.clientWidth "
            "+ 1))).map(e => e.outerHTML.slice(0, 80)).join('; ')"),
        "")
        << page;
    EXPECT_EQ(
        browser.evaluate("[...document.querySelectorAll('div.toc')].filter(e => e.offsetHeight > 0).length"),
        0)
        << page;
  }
}

// Breaks when a table or a picture of a slide is wider than the slide.
TEST_F(SiteInBrowser, SlidesAreAsWideAsTheirTables) {
  Browser browser;
  browser.resize(1123, 794);  // A4 across
  std::size_t seen = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(kSite)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("slides-") || entry.path().extension() != ".html") continue;
    ++seen;
    browser.open(entry.path());
    EXPECT_EQ(browser.evaluate("[...document.querySelectorAll('section table, section img')].filter("
                               "e => e.getBoundingClientRect().right > innerWidth).length"),
              0)
        << name;
  }
  EXPECT_GE(seen, 10U);
}

// Breaks when the switch does not change the colours, or the pictures do not follow it.
TEST_F(SiteInBrowser, LightAndDark) {
  Browser browser;
  browser.open(kSite / "index.html");
  const std::string background = "getComputedStyle(document.body).backgroundColor";
  browser.evaluate("DoxygenAwesomeDarkModeToggle.enableDarkMode(false)");
  const nlohmann::json light = browser.evaluate(background);
  browser.evaluate("DoxygenAwesomeDarkModeToggle.enableDarkMode(true)");
  EXPECT_NE(browser.evaluate(background), light);
  EXPECT_TRUE(browser.becomes_true(
      "document.querySelector('object[data$=\"roofline.svg\"], img[src$=\"roofline.svg\"]')"));
  look(browser, "dark");
  EXPECT_EQ(browser.evaluate("getComputedStyle(document.documentElement).colorScheme"), "dark");
}

}  // namespace
}  // namespace roofline::docs
