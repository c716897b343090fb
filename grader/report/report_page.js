// What a page can do more than paper: a choice of light or dark, tooltips for pointer and keyboard, zoom.
// Everything is readable without it.
(() => {
  'use strict';
  const root = document.documentElement;
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];

  // --- light or dark: as the system says, until one is chosen ---
  const remembered = (value) => {
    try {
      if (value === undefined) return localStorage.getItem('roofline-theme');
      localStorage.setItem('roofline-theme', value);
    } catch { /* a file may not be allowed to keep anything */ }
    return null;
  };
  const dark = () => root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  const theme = document.getElementById('theme');
  const show_theme = () => { theme.textContent = dark() ? 'Light' : 'Dark'; theme.setAttribute('aria-label', `Change to ${dark() ? 'light' : 'dark'} colours`); };
  const kept = remembered();
  if (kept === 'light' || kept === 'dark') root.dataset.theme = kept;
  theme.hidden = false;
  show_theme();
  theme.addEventListener('click', () => { root.dataset.theme = dark() ? 'light' : 'dark'; remembered(root.dataset.theme); show_theme(); });

  // --- requests of a warp: one at a time, the arrows lead on ---
  for (const steps of all('.steps')) {
    const each = all('.step', steps);
    if (each.length < 2) continue;
    let here = Math.min(+steps.dataset.first || 0, each.length - 1);
    const bar = document.createElement('div');
    bar.className = 'steps-bar';
    const place = document.createElement('span');
    place.setAttribute('aria-live', 'polite');
    const show = (to) => {
      here = (to + each.length) % each.length;
      each.forEach((step, i) => { step.hidden = i !== here; });
      place.textContent = `${here + 1} of ${each.length}`;
    };
    const button = (text, label, by) => {
      const made = bar.appendChild(document.createElement('button'));
      made.type = 'button';
      made.textContent = text;
      made.setAttribute('aria-label', label);
      made.addEventListener('click', () => show(here + by));
    };
    button('\u2190', 'The request before', -1);
    bar.append(place);
    button('\u2192', 'The next request', 1);
    steps.prepend(bar);
    show(here);
    addEventListener('keydown', (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      // In a figure the arrows walk through its marks.
      if (!by || event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
      show(here + by);
      event.preventDefault();
    });
  }

  // --- long tables wait until they are asked for; on paper all of them are there ---
  for (const details of all('details[data-close]')) details.open = false;
  let shut = [];
  addEventListener('beforeprint', () => { shut = all('details:not([open])'); for (const details of shut) details.open = true; });
  addEventListener('afterprint', () => { for (const details of shut) details.open = false; });

  // --- tooltips ---
  const tip = document.body.appendChild(document.createElement('div'));
  tip.className = 'tip';
  tip.hidden = true;
  const show_tip = (mark) => {
    tip.textContent = mark.getAttribute('aria-label');
    tip.hidden = false;
    const at = mark.getBoundingClientRect(), box = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(8, Math.min(innerWidth - box.width - 8, at.left + at.width / 2 - box.width / 2))}px`;
    tip.style.top = `${at.top - box.height - 8 > 0 ? at.top - box.height - 8 : at.bottom + 8}px`;
  };
  const hide_tip = () => { tip.hidden = true; };
  addEventListener('scroll', hide_tip, { passive: true });

  const zooms = { '+': 1.5, '=': 1.5, '-': 1 / 1.5 };
  for (const svg of all('svg.figure')) {
    // Our own tooltip replaces the browser's, so the names move to where assistive technology reads them, too.
    const title = svg.querySelector(':scope > title');
    svg.removeAttribute('aria-labelledby');
    svg.setAttribute('aria-label', title.textContent);
    title.remove();
    const marks = all('circle > title, rect > title', svg).map((name) => {
      const mark = name.parentNode;
      mark.setAttribute('aria-label', name.textContent);
      mark.setAttribute('role', 'img');
      mark.setAttribute('tabindex', '-1');
      name.remove();
      mark.addEventListener('pointerenter', () => show_tip(mark));
      mark.addEventListener('pointerleave', hide_tip);
      mark.addEventListener('focus', () => show_tip(mark));
      mark.addEventListener('blur', hide_tip);
      return mark;
    });
    // One stop for the Tab key in each figure; the arrows go on from there.
    if (marks.length) marks[0].setAttribute('tabindex', '0');
    const view = svg.dataset.zoom ? zoomable(svg) : null;
    svg.addEventListener('keydown', (event) => {
      const here = marks.indexOf(event.target);
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (event.key === 'Escape') {
        hide_tip();
      } else if (here >= 0 && step) {
        const next = marks[(here + step + marks.length) % marks.length];
        event.target.setAttribute('tabindex', '-1');
        next.setAttribute('tabindex', '0');
        next.focus();
      } else if (view && zooms[event.key]) {
        view.zoom(zooms[event.key], event.target);
      } else if (view && event.key === '0') {
        view.reset();
      } else {
        return;
      }
      event.preventDefault();
    });
  }

  // Moves what lies in the plot, and the ticks beside it, so that names stay as large as they are.
  function zoomable(svg) {
    const both = svg.dataset.zoom === 'xy';
    const [left, top, width, height] = svg.dataset.plot.split(' ').map(Number);
    const marks = [];
    const numbers = ['x', 'x1', 'x2', 'cx', 'width', 'y', 'y1', 'y2', 'cy'];
    const collect = (group, in_x, in_y) => {
      for (const element of all('line, circle, rect, text, polyline', group)) {
        const mark = { element, in_x, in_y, outside: group.classList.contains('z') === false, values: {} };
        for (const name of numbers) if (element.hasAttribute(name)) mark.values[name] = +element.getAttribute(name);
        if (element.hasAttribute('points')) mark.points = element.getAttribute('points').split(' ').map((pair) => pair.split(',').map(Number));
        const turn = /rotate\(([-\d.]+)/.exec(element.getAttribute('transform') || '');
        if (turn) mark.degrees = turn[1];
        marks.push(mark);
      }
    };
    for (const group of all('.z', svg)) collect(group, true, both);
    for (const group of all('.zx', svg)) collect(group, true, false);
    if (both) for (const group of all('.zy', svg)) collect(group, false, true);

    let scale = 1, x0 = left, y0 = top;
    const X = (x) => left + (x - x0) * scale, Y = (y) => top + (y - y0) * scale;
    const draw = () => {
      svg.classList.toggle('zoomed', scale > 1.8);
      for (const { element, in_x, in_y, outside, values, points, degrees } of marks) {
        for (const [name, value] of Object.entries(values)) {
          const now = name === 'width' ? value * scale : name.includes('x') ? (in_x ? X(value) : value) : in_y ? Y(value) : value;
          element.setAttribute(name, now.toFixed(2));
          if (outside && in_x && name === 'x') element.style.display = now < left - 1 || now > left + width + 1 ? 'none' : '';
          if (outside && in_y && name === 'y') element.style.display = now < top - 1 || now > top + height + 8 ? 'none' : '';
        }
        if (points) element.setAttribute('points', points.map(([x, y]) => `${in_x ? X(x) : x},${in_y ? Y(y) : y}`).join(' '));
        if (degrees) element.setAttribute('transform', `rotate(${degrees} ${element.getAttribute('x')} ${element.getAttribute('y')})`);
      }
      svg.dataset.scale = scale.toFixed(2);
    };
    // (x, y) in the coordinates of the figure stays where it is.
    const zoom_at = (factor, x, y) => {
      const before = scale;
      scale = Math.max(1, Math.min(64, scale * factor));
      x0 += (x - left) * (1 / before - 1 / scale);
      y0 += (y - top) * (1 / before - 1 / scale);
      x0 = Math.max(left, Math.min(left + width - width / scale, x0));
      y0 = Math.max(top, Math.min(top + height - height / scale, y0));
      draw();
    };
    const place = (event) => {
      const box = svg.getBoundingClientRect(), view = svg.viewBox.baseVal;
      return [(event.clientX - box.left) * view.width / box.width, (event.clientY - box.top) * view.height / box.height];
    };
    const view = {
      zoom(factor, mark) {
        const middle = [left + width / 2, top + height / 2];
        const at = mark && mark.hasAttribute('cx') ? [+mark.getAttribute('cx'), +mark.getAttribute('cy')] : middle;
        zoom_at(factor, ...at);
        if (mark && mark.hasAttribute('aria-label') && mark !== svg) show_tip(mark);
      },
      reset() { scale = 1; x0 = left; y0 = top; draw(); },
    };
    // The wheel scrolls the page until the figure was clicked, or Ctrl is held.
    let active = false;
    svg.addEventListener('pointerdown', () => { active = true; });
    svg.addEventListener('pointerleave', () => { active = false; });
    svg.addEventListener('wheel', (event) => {
      if (!active && !event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      hide_tip();
      zoom_at(event.deltaY < 0 ? 1.2 : 1 / 1.2, ...place(event));
    }, { passive: false });
    let from = null;
    svg.addEventListener('pointerdown', (event) => { if (scale > 1) { from = place(event); svg.setPointerCapture(event.pointerId); } });
    svg.addEventListener('pointermove', (event) => {
      if (!from) return;
      const now = place(event);
      x0 -= (now[0] - from[0]) / scale;
      y0 -= (now[1] - from[1]) / scale;
      from = now;
      zoom_at(1, left, top);
    });
    svg.addEventListener('pointerup', () => { from = null; });

    const tools = document.createElement('div');
    tools.className = 'tools';
    for (const [text, label, act] of [['+', 'Zoom in', () => view.zoom(1.5)], ['−', 'Zoom out', () => view.zoom(1 / 1.5)], ['Reset', 'Reset the zoom', () => view.reset()]]) {
      const button = tools.appendChild(document.createElement('button'));
      button.type = 'button';
      button.textContent = text;
      button.setAttribute('aria-label', label);
      button.addEventListener('click', act);
    }
    svg.closest('figure').prepend(tools);
    return view;
  }
})();
