// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The learner's page in a browser: no error, no request, tooltips, zoom, keyboard, colours, paper.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "grader/base/file.h"
#include "grader/box/process.h"
#include "report_fixture.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

/// Walks through the page as a person would and writes what it found into the page's own title.
constexpr const char* kVisitor = R"js(<script>
addEventListener('load', async () => {
  const found = [], see = (what, is) => found.push((is ? 'yes ' : 'NO ') + what);
  const key = (at, name) => at.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true }));
  const roofline = document.querySelector('svg[data-zoom=xy]'), tip = document.querySelector('.tip');
  const first = roofline.querySelector('circle[tabindex="0"]');
  see('tooltip hidden at first', tip.hidden);
  first.focus();
  see('tooltip on focus', !tip.hidden && tip.textContent.includes('FLOP/B'));
  see('tooltip inside the window', tip.getBoundingClientRect().left >= 0 && tip.getBoundingClientRect().right <= innerWidth);
  key(first, 'ArrowRight');
  see('arrow goes to the next point', document.activeElement !== first && document.activeElement.tagName === 'circle');
  key(document.activeElement, 'Escape');
  see('escape hides the tooltip', tip.hidden);
  const bar = document.querySelector('svg[data-zoom=x] rect[aria-label]');
  bar.dispatchEvent(new PointerEvent('pointerenter'));
  see('tooltip under the pointer', !tip.hidden && tip.textContent.includes(' us'));
  bar.dispatchEvent(new PointerEvent('pointerleave'));
  const mark = document.activeElement, x = mark.getAttribute('cx');
  key(mark, '+'); key(mark, '+');
  see('keys zoom', roofline.dataset.scale === '2.25' && Math.abs(mark.getAttribute('cx') - x) < 400);
  see('minor ticks appear', getComputedStyle(roofline.querySelector('.tick.minor')).visibility === 'visible');
  key(mark, '0');
  see('0 resets', roofline.dataset.scale === '1.00' && Math.abs(mark.getAttribute('cx') - x) < 0.1);
  const turn = () => roofline.dispatchEvent(new WheelEvent('wheel', { deltaY: -100, bubbles: true, cancelable: true, clientX: 300, clientY: 300 }));
  turn();
  see('the wheel scrolls before a click', roofline.dataset.scale === '1.00');
  roofline.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }));
  turn();
  see('the wheel zooms after a click', roofline.dataset.scale === '1.20');
  [...roofline.closest('figure').querySelectorAll('button')].find((button) => button.textContent === 'Reset').click();
  see('the button resets', roofline.dataset.scale === '1.00');
  const theme = document.getElementById('theme'), before = getComputedStyle(document.body).backgroundColor;
  theme.click();
  see('the toggle changes the colours', getComputedStyle(document.body).backgroundColor !== before);
  theme.click();
  see('and back', getComputedStyle(document.body).backgroundColor === before);
  see('tables are shut', !document.querySelector('details[data-close]').open);
  dispatchEvent(new Event('beforeprint'));
  see('paper has all tables', !document.querySelector('details:not([open])'));
  dispatchEvent(new Event('afterprint'));
  see('shut again', !document.querySelector('details[data-close]').open);
  see('nothing was loaded', performance.getEntriesByType('resource').length === 0);
  see('names are unique', new Set([...document.querySelectorAll('[id]')].map((e) => e.id)).size === document.querySelectorAll('[id]').length);
  see('inner links lead somewhere', [...document.querySelectorAll('a[href^="#"]')].every((a) => document.getElementById(a.hash.slice(1))));
  see('every control has a name', [...document.querySelectorAll('button')].every((b) => b.textContent || b.ariaLabel));
  see('no sideways scrolling', document.documentElement.scrollWidth <= innerWidth);
  see('figures are named', [...document.querySelectorAll('svg.figure')].every((svg) => svg.ariaLabel));
  document.title = 'VISIT ' + found.join('|') + ' END';
});
</script>)js";

std::string browser() {
  for (const char* name : {"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"})
    for (const char* folder : {"/usr/bin/", "/usr/local/bin/"})
      if (const std::string path = std::string(folder) + name; access(path.c_str(), X_OK) == 0) return path;
  return {};
}

class Browser : public testing::Test {
 protected:
  void SetUp() override {
    if (browser().empty()) GTEST_SKIP() << "no Chromium or Chrome is installed: the page was not looked at";
    folder_ = fs::temp_directory_path() / ("rooflinereport" + std::to_string(getpid()));
    write_file(folder_ / "report.html", report_page(fake_report()));
  }
  void TearDown() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  /// Runs the browser on a page; its console goes to the output.
  CommandResult visit(const std::string& page, std::vector<std::string> what) const {
    std::vector<std::string> command = {browser(),
                                        "--headless",
                                        "--no-sandbox",
                                        "--disable-gpu",
                                        "--host-resolver-rules=MAP * ~NOTFOUND",
                                        "--enable-logging=stderr",
                                        "--virtual-time-budget=5000",
                                        "--window-size=1000,1200",
                                        "--user-data-dir=" + (folder_ / "profile").string()};
    command.insert(command.end(), what.begin(), what.end());
    command.push_back("file://" + (folder_ / page).string());
    return run_command(command, {.limit = std::chrono::seconds(90), .output_limit = size_t{4} << 20});
  }

  fs::path folder_;
};

// Breaks when a script fails, something is fetched, or the page cannot be used with a keyboard.
TEST_F(Browser, ThePageWorks) {
  std::string page = read_file(folder_ / "report.html");
  page.insert(page.rfind("</body>"), kVisitor);
  write_file(folder_ / "visited.html", page);
  const CommandResult result = visit("visited.html", {"--dump-dom"});
  ASSERT_TRUE(result.ok()) << result.output.substr(0, 2000);
  const size_t begin = result.output.find("<title>VISIT "), end = result.output.find(" END</title>");
  ASSERT_NE(begin, std::string::npos) << "the visitor's script did not end\n"
                                      << result.output.substr(0, 2000);
  const std::string found = result.output.substr(begin + 13, end - begin - 13);
  EXPECT_EQ(found.find("NO "), std::string::npos) << found;
  EXPECT_EQ(result.output.find("CONSOLE"), std::string::npos) << "the console is not empty";
}

TEST_F(Browser, ThePageFitsANarrowWindow) {
  std::string page = read_file(folder_ / "report.html");
  page.insert(page.rfind("</body>"),
              "<script>document.title = 'WIDE ' + document.documentElement.scrollWidth + ' END';</script>");
  write_file(folder_ / "narrow.html", page);
  const CommandResult result = visit("narrow.html", {"--dump-dom", "--window-size=500,900"});
  const size_t at = result.output.find("<title>WIDE ");
  ASSERT_NE(at, std::string::npos) << result.output.substr(0, 2000);
  EXPECT_LE(std::stoi(result.output.substr(at + 12)), 500);
}

TEST_F(Browser, ThePagePrints) {
  const fs::path paper = folder_ / "report.pdf";
  const CommandResult result = visit("report.html", {"--print-to-pdf=" + paper.string()});
  ASSERT_TRUE(fs::exists(paper)) << result.output.substr(0, 2000);
  const std::string pdf = read_file(paper);
  EXPECT_TRUE(pdf.starts_with("%PDF-"));
  EXPECT_GT(pdf.size(), 50'000U);
}

}  // namespace
}  // namespace roofline::grader
