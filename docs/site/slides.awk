# SPDX-FileCopyrightText: Roofline Labs contributors
# SPDX-License-Identifier: Apache-2.0
# A lab's page in Markdown to slides in HTML; docs/site/slides calls it.
function escaped(s) { gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); gsub(/>/, "\\&gt;", s); return s }

# Links to their text; bold, italics and code to tags, all of it outside of code spans.
function inline(s,   parts, n, i, at, bold, html, word) {
  while (match(s, /\[[^]]*\]\([^)]*\)/)) {
    word = substr(s, RSTART, RLENGTH); sub(/^\[/, "", word); sub(/\]\([^)]*\)$/, "", word)
    s = substr(s, 1, RSTART - 1) word substr(s, RSTART + RLENGTH)
  }
  n = split(escaped(s), parts, "`")
  for (i = 1; i <= n; ++i) {
    if (i % 2 == 0) { html = html "<code>" parts[i] "</code>"; continue }
    while (at = index(parts[i], "**"))
      parts[i] = substr(parts[i], 1, at - 1) (bold++ % 2 ? "</b>" : "<b>") substr(parts[i], at + 2)
    while (match(parts[i], /\*[^* ][^*]*\*/))
      parts[i] = substr(parts[i], 1, RSTART - 1) "<i>" substr(parts[i], RSTART + 1, RLENGTH - 2) "</i>" substr(parts[i], RSTART + RLENGTH)
    html = html parts[i]
  }
  return html (bold % 2 ? "</b>" : "")
}

# A cell: a long path may be broken after a slash or a comma, and only there, or its column becomes a letter wide.
function cell(s,   html, rest) {
  rest = inline(s)
  while (match(rest, /<code>[^<]*<\/code>/)) {
    s = substr(rest, RSTART + 6, RLENGTH - 13)
    gsub(/[\/,]/, "&<wbr>", s)
    html = html substr(rest, 1, RSTART - 1) "<code>" s "</code>"
    rest = substr(rest, RSTART + RLENGTH)
  }
  return html rest
}

# The first sentence; a bold name in front of it belongs to it. A point within code or a number ends none.
function first_sentence(s,   head, at, rest, until) {
  if (match(s, /^\*\*[^*]*\*\* /)) { head = substr(s, 1, RLENGTH); s = substr(s, RLENGTH + 1) }
  rest = s
  while (match(rest, /[.?] [A-Z`*(0-9]/)) {
    at += RSTART
    until = head substr(s, 1, at)
    if (gsub(/`/, "`", until) % 2 == 0) return until
    rest = substr(s, at + 1)
  }
  return head s
}

# The heading is written with the first thing below it: one that only has sections below it goes into theirs.
function open_slide(heading) { close_slide(); title = pending = heading; weight = 0 }
function begin_slide() {
  if (pending == "") return
  print "<section><h2>" inline(pending) "</h2>"
  pending = ""; inside = 1
}
function close_list() { if (list) print "</ul>"; list = 0 }
function close_slide() { close_list(); if (inside) print "<p class=\"n\">" ++slides "</p></section>"; inside = 0 }
# Room for a block of this weight, or another slide of the same title.
function room(needs) {
  if (weight > 0 && weight + needs > 15) open_slide(title)
  begin_slide()
  weight += needs
}
function item(s) {
  room(1.3 + length(s) / 220)
  if (!list) print "<ul>"
  list = 1
  print "<li>" inline(s) "</li>"
}

function flush(   i, cells, n, j, tag) {
  if (kind == "text") item(first_sentence(text))
  if (kind == "code") { room(1 + lines * 0.7); close_list(); print "<pre" (wide > 90 ? " class=\"wide\"" : "") ">" text "</pre>" }
  if (kind == "table") {
    room(1 + lines); close_list(); print "<table" (lines > 10 ? " class=\"long\"" : "") ">"
    for (i = 1; i <= lines; ++i) {
      if (row[i] ~ /^\|[-|: ]+\|$/) continue
      gsub(/\\\|/, "\\&#124;", row[i])
      n = split(row[i], cells, "|"); tag = i == 1 ? "th" : "td"; printf "<tr>"
      for (j = 2; j < n; ++j) printf "<%s>%s</%s>", tag, cell(cells[j]), tag
      print "</tr>"
    }
    print "</table>"
  }
  kind = text = ""; lines = wide = 0
}

# A formula in one line, as plain text.
function formula(s,   word) {
  gsub(/\$\$ ?/, "", s)
  while (match(s, /\\text\{[^{}]*\}/)) {
    word = substr(s, RSTART + 6, RLENGTH - 7)
    s = substr(s, 1, RSTART - 1) word substr(s, RSTART + RLENGTH)
  }
  while (match(s, /\\frac\{[^{}]*\}\{[^{}]*\}/)) {
    word = substr(s, RSTART + 6, RLENGTH - 7)
    sub(/\}\{/, " / (", word)
    s = substr(s, 1, RSTART - 1) word ")" substr(s, RSTART + RLENGTH)
  }
  gsub(/\\q?quad/, "", s); gsub(/\\,/, " ", s); gsub(/\\%/, "%", s); gsub(/\\to/, "→", s)
  return s
}

# A line of code.
function code(line) { text = text escaped(line) "\n"; ++lines; if (length(line) > wide) wide = length(line) }

BEGIN {
  print "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">"
  print "<style>"
  print ":root{color-scheme:light dark}body{margin:0;font:1.35rem/1.4 system-ui,sans-serif;background:Canvas;color:CanvasText}"
  print "section{box-sizing:border-box;min-height:100vh;padding:2.5rem 4rem;position:relative;border-bottom:1px solid #8888}"
  print "h1{font-size:2.6rem;margin-top:25vh}h2{font-size:1.9rem;margin:0 0 1rem;color:#1f6feb}li{margin:.5rem 0}"
  print "table{border-collapse:collapse;font-size:1rem;margin:.6rem 0}td,th{border:1px solid #8888;padding:.25rem .6rem;text-align:left}"
  print "table.long{font-size:.8rem}pre.wide{font-size:.8rem}"
  print "pre{font-size:1rem;background:#8882;padding:.6rem 1rem;overflow:auto}img{max-width:100%;max-height:62vh;display:block;margin:.6rem 0}"
  print ".n{position:absolute;right:1.5rem;bottom:.8rem;margin:0;font-size:.9rem;color:#888}"
  print "@media (max-width:700px){section{padding:1.2rem}body{font-size:1.05rem}}"
  print "@page{size:A4 landscape;margin:0}@media print{:root{color-scheme:light}section{break-after:page;border:0}tr{break-inside:avoid}img{max-height:52vh}body{font-size:1.1rem}table.long{font-size:.7rem}pre{white-space:pre-wrap}}"
  print "</style>"
}
/^# / {
  print "<title>" escaped(substr($0, 3)) "</title><section><h1>" inline(substr($0, 3)) "</h1>"
  inside = 1; title = substr($0, 3); next
}
/^```/ { if (fenced) flush(); else { flush(); kind = "code" } fenced = !fenced; next }
fenced { code($0); next }
/^##+ / {
  flush(); heading = $0; sub(/^#+ /, "", heading)
  skipped = heading == "Further reading"
  if (!skipped) open_slide(pending == "" ? heading : pending ": " heading)
  next
}
skipped || /^<!--/ { next }
/^\$\$/ { flush(); item(formula($0)); next }
/^!\[/ {
  flush(); room(9); close_list(); alt = src = $0
  sub(/^!\[/, "", alt); sub(/\].*/, "", alt); gsub(/"/, "\\&quot;", alt); sub(/.*\(/, "", src); sub(/\).*/, "", src); sub(/.*\//, "", src)
  print "<img src=\"" src "\" alt=\"" alt "\">"; next
}
/^$/ { if (kind == "code" && !fenced) { gap = 1 } else flush(); next }
/^    / && (kind == "" || kind == "code") {
  if (kind == "code" && gap) text = text "\n"
  gap = 0; kind = "code"; line = $0; sub(/^    /, "", line); code(line); next
}
{ if (kind == "code") flush(); gap = 0 }
/^\|/ { if (kind != "table") flush(); kind = "table"; row[++lines] = $0; next }
/^([-*]|[0-9]+\.) / { flush(); kind = "text"; text = $0; sub(/^([-*]|[0-9]+\.) /, "", text); next }
{ if (kind == "table") flush(); kind = "text"; line = $0; sub(/^ +/, "", line); text = text (text == "" ? "" : " ") line }
END { flush(); close_slide(); print "</html>" }
