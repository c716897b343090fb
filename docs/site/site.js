// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const siteRoot = document.currentScript.dataset.root;

// With a keyboard: "/" goes to the search box.
document.addEventListener("keydown", (event) => {
  const box = document.getElementById("MSearchField");
  if (event.key !== "/" || !box || event.target.tagName === "INPUT") return;
  event.preventDefault();
  box.focus();
});

// MathJax is 3 MB: only where there is a formula. It draws letters itself and fetches nothing from elsewhere.
document.addEventListener("DOMContentLoaded", () => {
  const contents = document.querySelector("div.contents");
  if (!contents || !/\\\(|\\\[/.test(contents.textContent)) return;
  window.MathJax = {
    jax: ["input/TeX", "output/SVG"],
    extensions: ["tex2jax.js"],
    showMathMenu: false,
    messageStyle: "none",
    tex2jax: { inlineMath: [["\\(", "\\)"]], displayMath: [["\\[", "\\]"]], skipTags: ["script", "style", "pre", "code"] },
    SVG: { font: "TeX" },
  };
  const script = document.createElement("script");
  script.src = siteRoot + "mathjax/MathJax.js?config=TeX-AMS_SVG";
  document.head.appendChild(script);
});

DoxygenAwesomeDarkModeToggle.init();
DoxygenAwesomeFragmentCopyButton.init();
DoxygenAwesomeInteractiveToc.init();
