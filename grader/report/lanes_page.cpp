// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/report/lanes_page.h"

#include "grader/report/report_page.h"
#include "grader/result/lane_figure.h"

namespace roofline::grader {
namespace {

void section(Html& html, const std::string& id, const std::string& title) {
  html.open("section", {{"aria-labelledby", id}}).element("h2", title, {{"id", id}});
}

void figure(Html& html, const Svg& svg, const std::string& id, const std::string& caption) {
  html.open("figure", {{"class", "narrow"}}).figure(svg, id);
  html.element("figcaption", caption).close();
}

void requests(Html& html, const LanePictures& pictures, std::size_t first) {
  section(html, "requests", "What the lanes ask for");
  html.element("p", "Arrow keys, or the buttons, lead from one request of the warp to the next.",
               {{"class", "soft steps-help"}});
  html.open("div", {{"class", "steps"}, {"data-first", std::to_string(first)}, {"aria-label", "Requests"}});
  for (std::size_t i = 0; i < pictures.requests.size(); ++i) {
    html.open("article", {{"class", "step"}});
    html.element("h3", "Request " + std::to_string(i + 1) + " of " + std::to_string(pictures.all_requests));
    lane_request_figure(html, pictures.requests[i], "request-" + std::to_string(i + 1));
    html.close();
  }
  html.close();
  if (pictures.all_requests > pictures.requests.size())
    html.element("p", std::to_string(pictures.all_requests - pictures.requests.size()) +
                          " further requests were not kept.");
  html.close();
}

}  // namespace

void page_head(Html& html, const std::string& title) {
  html.verbatim("<!DOCTYPE html>\n").open("html", {{"lang", "en"}});
  html.open("head").empty("meta", {{"charset", "utf-8"}});
  html.empty("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
  html.empty("meta", {{"http-equiv", "Content-Security-Policy"}, {"content", kPagePolicy}});
  html.element("title", title + " - Roofline Labs");
  html.open("style").verbatim(kReportStyle).close().close();
}

void lane_request_figure(Html& html, const LaneRequest& request, const std::string& id) {
  figure(html, lane_figure(request), id,
         "Line " + std::to_string(request.line) + ", " + lane_sentence(request) + ". Simulated.");
  html.open("ul", {{"class", "legend"}});
  const char* waste = request.shared ? "a further word of the same bank" : "moved, not used";
  for (const auto& [style, text] : {std::pair{"used", "asked for by a lane"}, {"waste", waste}})
    html.open("li", {{"class", style}}).element("i", "").text(text).close();
  html.close();
}

std::string lanes_page(const LanePictures& pictures, std::size_t first, unsigned columns) {
  const std::string place = pictures.file + ":" + std::to_string(pictures.line);
  Html html;
  page_head(html, place);
  html.open("body").open("header").element("h1", place);
  html.open("p").element("code", pictures.source).close();
  html.element("p",
               pictures.kernel + ", launch " + std::to_string(pictures.launch) + ", block " +
                   std::to_string(pictures.block) + ", warp " + std::to_string(pictures.warp) + " of " +
                   std::to_string(pictures.warps) + "; " + pictures.what_ran + " on the simulated " +
                   pictures.device,
               {{"class", "soft"}});
  html.element("button", "Dark", {{"id", "theme"}, {"type", "button"}, {"hidden", ""}}).close();
  html.open("main");
  if (!pictures.requests.empty()) requests(html, pictures, first);
  if (!pictures.steps.empty()) {
    section(html, "active", "Active lanes over time");
    figure(html, active_lanes_figure(pictures), "active-lanes", active_lanes_sentence(pictures));
    html.close();
  }
  if (!pictures.writers.empty()) {
    section(html, "writers", "Which thread wrote which element");
    figure(html, writers_figure(pictures, columns), "writers-figure", writers_sentence(pictures));
    html.close();
  }
  html.close();
  html.open("footer")
      .element("p", "Written by ./lab show. This file loads nothing and sends nothing.")
      .close();
  html.open("script").verbatim(kReportScript).close();
  html.close().close();
  return html.str();
}

}  // namespace roofline::grader
