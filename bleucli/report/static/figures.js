"use strict";
// What the scripts of all pages share: the data of the page, numbers as text, and figures
const data = JSON.parse(document.getElementById("data").textContent);
const PAUSE = 120; // milliseconds without an event before it has its effect
const one = (id) => document.getElementById(id);
const fixed = (number, digits) => {
  const text = Math.abs(number).toFixed(digits);
  return (number < 0 && Number(text) > 0 ? "\u2212" : "") + text; // no -0.0
};
const many = (number) => number.toLocaleString("en");
const shorten = (name, most = 22) => ([...name].length > most ? [...name].slice(0, most - 1).join("") + "\u2026" : name);
/** Return a listener that acts once events pause. */
const after = (action) => {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(action, PAUSE);
  };
};

// --- figures

const SVG = "http://www.w3.org/2000/svg";
const TEXT = 13; // pixels of text; in SVG, lengths are pixels, too
const pen = document.createElement("canvas").getContext("2d");
pen.font = `${TEXT}px system-ui, sans-serif`;
const widthOf = (text) => pen.measureText(text).width;
const widest = (texts) => Math.max(0, ...texts.map(widthOf));

// The markers and the dashes of series, so that nothing depends on colour alone
const MARKERS = [
  "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z", "m-3.5-3.5h7v7h-7z", "m0-5l5 5l-5 5l-5-5z", "m0-5l5 9h-10z", "m0 5l5-9h-10z",
  "m-1.5-4.5h3v3h3v3h-3v3h-3v-3h-3v-3h3z", "m0-2l2.5-2.5l2 2l-2.5 2.5l2.5 2.5l-2 2l-2.5-2.5l-2.5 2.5l-2-2l2.5-2.5l-2.5-2.5l2-2z",
  "m0-5.5l1.5 3.5l3.8.4l-2.9 2.5l.9 3.7l-3.3-2l-3.3 2l.9-3.7l-2.9-2.5l3.8-.4z",
];
const DASHES = ["none", "7 3", "8 3 2 3", "2 3", "11 2", "5 2 2 2 2 2", "3 2", "15 4"];

function add(parent, tag, attributes, text = "") {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.textContent = text;
  parent.append(element);
  return element;
}

const draw = (svg, kind, d, more = {}) => add(svg, "path", { class: kind, d, ...more });

/** Write text around a place; it becomes smaller if it is wider than `room`. */
function write(svg, x, y, text, anchor = "middle", room = Infinity, more = {}) {
  const size = Math.min(TEXT, (TEXT * room) / widthOf(text));
  add(svg, "text", { x, y, "text-anchor": anchor, ...(size < TEXT && { "font-size": size }), ...more }, text);
}

/** Return round numbers between two others, each with its text: about `most` of them. */
function roundNumbers(low, high, most) {
  const power = 10 ** Math.floor(Math.log10((high - low) / most));
  const step = power * [1, 2, 5, 10].find((factor) => (high - low) / (factor * power) <= most);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const tell = (value) => (digits > 5 || Math.abs(value) >= 1e7 ? value.toExponential(2) : value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits }));
  const first = Math.ceil(low / step);
  const count = Math.floor(high / step) - first + 1;
  return Array.from({ length: count }, (_, place) => (first + place) * step + 0).map((value) => [value, tell(value).replace("-", "\u2212")]);
}

/** Return a function from values to places. */
const scale = (low, high, from, to) => (value) => from + ((value - low) / (high - low)) * (to - from);

/** Return the ends of an axis for some values, with a margin. */
function spread(values, share) {
  const [low, high] = values.reduce(([least, most], value) => [Math.min(least, value), Math.max(most, value)], [Infinity, -Infinity]);
  const margin = (high - low) * share || Math.max(0.5, Math.abs(high) * 0.02);
  return [low - margin, high + margin];
}

/** Draw lines at round heights, and return the left end and the function from values to heights. */
function drawHeights(svg, right, marks, y) {
  const left = widest(marks.map(([, text]) => text)) + 10;
  for (const [value, text] of marks) {
    draw(svg, "grid", `M${left} ${y(value)}H${right}`);
    write(svg, left - 8, y(value), text, "end");
  }
  return left;
}

/** Draw lines at round numbers from left to right, and write the numbers and the label below. */
function drawWidths(svg, marks, x, top, bottom, label, left, right) {
  for (const [value, text] of marks) {
    draw(svg, "grid", `M${x(value)} ${top}V${bottom}`);
    write(svg, x(value), bottom + 14, text);
  }
  write(svg, (left + right) / 2, bottom + 34, label, "middle", right - left);
  return bottom + 44;
}

/** Draw the series with this number as markers and a line, in its own colour, marker and dashes. */
function drawSeries(svg, number, places, line = places) {
  const group = add(svg, "g", { style: `--series: var(--series-${number + 1})` });
  if (line.length) draw(group, "series", `M${line.join("L")}`, { "stroke-dasharray": DASHES[number] });
  draw(group, "marker", places.map((place) => `M${place}${MARKERS[number]}`).join(""));
}

/** Name the series above a figure, and return the height of the names. */
function drawLegend(svg, systems, width, joined) {
  const names = systems.map((system) => shorten(data.names[system]));
  const slot = widest(names) + 52;
  const columns = Math.max(1, Math.floor(width / slot));
  names.forEach((name, place) => {
    const [x, y] = [(place % columns) * slot, 10 + 20 * Math.floor(place / columns)];
    drawSeries(svg, place, [[x + 15, y]], joined ? [[x, y], [x + 30, y]] : []);
    write(svg, x + 36, y, name, "start");
  });
  return 20 * Math.ceil(systems.length / columns);
}

/** How each kind of figure is drawn; each function returns the height. */
const DRAW = {
  forest(svg, { label, decimals, rows, ranks, baseline = null }, width) {
    const names = rows.map(([system]) => shorten(data.names[system]));
    const scores = rows.map(([, score], place) => fixed(score, decimals) + (ranks.length ? ` (${ranks[place]})` : ""));
    const [left, right] = [widest(names) + 12, width - widest(scores) - 14];
    const bottom = 28 * rows.length;
    const [low, high] = spread(rows.flatMap(([, ...numbers]) => numbers.slice(0, 3)), 0.08);
    const x = scale(low, high, left, right);
    rows.forEach(([, , , , cluster], place) => cluster % 2 && draw(svg, "band", `M${left} ${28 * place}H${right}v28H${left}z`));
    const height = drawWidths(svg, roundNumbers(low, high, (right - left) / 45), x, 0, bottom, label, left, right);
    rows.forEach(([system, score]) => system === baseline && draw(svg, "zero", `M${x(score)} 0V${bottom}`));
    rows.forEach(([system, score, lower, upper], place) => {
      const y = 28 * place + 14;
      write(svg, left - 8, y, names[place], "end");
      draw(svg, "interval", `M${x(lower)} ${y}H${x(upper)}M${x(lower)} ${y - 4}v8M${x(upper)} ${y - 4}v8`);
      draw(svg, "marker", `M${x(score)} ${y}${MARKERS[system === baseline ? 1 : 0]}`);
      write(svg, width, y, scores[place], "end");
    });
    return height;
  },

  pairs(svg, { label, systems, cells, numbered }, width, name) {
    const names = systems.map((system, place) => (numbered ? `${place + 1} ` : "") + shorten(data.names[system]));
    const left = Math.min(widest(names), width / 3) + 10;
    const across = (width - left) / systems.length;
    const down = Math.max(16, Math.min(46, across * 0.75));
    const size = Math.min(12, (TEXT * (across - 6)) / widest(cells.flat().flatMap((cell) => (cell || []).slice(1))));
    const hatch = add(add(svg, "defs", {}), "pattern", { id: `${name}-hatch`, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" });
    draw(hatch, "hatch", "M0 0V6");
    const bottom = down * systems.length;
    cells.forEach((row, from) => {
      write(svg, left - 8, down * (from + 0.5), names[from], "end", left - 10);
      row.forEach((cell, to) => {
        if (!cell) return;
        const [side, ...lines] = cell;
        const [x, y] = [left + across * to, down * from];
        const fill = ["var(--worse)", `url(#${name}-hatch)`, "var(--better)"][side + 1];
        draw(svg, "cell", `M${x} ${y}h${across}v${down}h${-across}z`, { style: `fill: ${fill}` });
        if (size < 6) return;
        lines.forEach((text, line) => {
          const middle = y + down / 2 + (line - (lines.length - 1) / 2) * size * 1.25;
          write(svg, x + across / 2, middle, text, "middle", Infinity, { "font-size": size, class: side ? "" : "unsure" });
        });
      });
      const [x, y] = [left + across * (from + 0.5), bottom + 10];
      if (!numbered) write(svg, x, y, names[from], "end", Infinity, { transform: `rotate(-35 ${x} ${y})` });
      else if (across > 18 || from === 0 || from % 5 === 4) write(svg, x, y, String(from + 1));
    });
    const below = bottom + (numbered ? 36 : widest(names) * Math.sin((35 * Math.PI) / 180) + 30);
    write(svg, width / 2, below, label, "middle", width);
    return below + 10;
  },

  lines(svg, { systems, labels, sizes, values, across, label }, width) {
    const top = drawLegend(svg, systems, width, true) + 32;
    const bottom = top + width * 0.42;
    const [low, high] = spread(values.flat(), 0.05);
    const y = scale(low, high, bottom, top);
    write(svg, 0, top - 18, label, "start");
    const left = drawHeights(svg, width, roundNumbers(low, high, 5), y);
    const slot = (width - left) / labels.length;
    const x = (place) => left + slot * (place + 0.5);
    draw(svg, "axis", `M${left} ${bottom}H${width}`);
    const size = Math.min(TEXT, (TEXT * (slot - 4)) / widest([...labels, ...(sizes || []).map(many)]));
    labels.forEach((text, place) => {
      draw(svg, "axis", `M${x(place)} ${bottom}v4`);
      write(svg, x(place), bottom + 15, text, "middle", Infinity, { "font-size": size });
      if (sizes) write(svg, x(place), bottom + 32, many(sizes[place]), "middle", Infinity, { class: "aside", "font-size": size });
    });
    values.forEach((row, place) => drawSeries(svg, place, row.map((value, group) => [x(group), y(value)])));
    write(svg, (left + width) / 2, bottom + (sizes ? 54 : 38), across, "middle", width - left);
    return bottom + (sizes ? 64 : 48);
  },

  dots(svg, { systems, labels, sizes, values, label }, width) {
    const top = drawLegend(svg, systems, width, false) + 8;
    const bottom = top + 26 * labels.length;
    const names = labels.map((text, place) => `${shorten(text, width > 500 ? 34 : 22)} (${many(sizes[place])})`);
    const [left, right] = [Math.min(widest(names), width * 0.45) + 12, width - 14];
    const [low, high] = spread(values.flat(), 0.05);
    const x = scale(low, high, left, right);
    const height = drawWidths(svg, roundNumbers(low, high, (right - left) / 45), x, top, bottom, label, left, right);
    const y = (place) => top + 26 * place + 13;
    names.forEach((text, place) => {
      const present = values.map((row) => x(row[place]));
      write(svg, left - 8, y(place), text, "end", left - 10);
      draw(svg, "range", `M${Math.min(...present)} ${y(place)}H${Math.max(...present)}`);
    });
    values.forEach((row, place) => drawSeries(svg, place, row.map((value, group) => [x(value), y(group)]), []));
    return height;
  },

  points(svg, { names, label, limits, scores }, width) {
    const [top, bottom, right] = [26, 26 + width * 0.72, width - 14];
    const [low, high] = spread(limits, 0.02);
    const y = scale(low, high, bottom, top);
    const marks = roundNumbers(low, high, 6);
    write(svg, 0, 8, `${label}, ${names[1]}`, "start", width);
    const left = drawHeights(svg, right, marks, y);
    const x = scale(low, high, left, right);
    const height = drawWidths(svg, marks, x, top, bottom, `${label}, ${names[0]}`, left, right);
    draw(svg, "zero", `M${left} ${bottom}L${right} ${top}`);
    const clip = (score) => Math.min(limits[1], Math.max(limits[0], score));
    draw(svg, "points", scores[0].map((score, place) => `M${x(clip(score)).toFixed(1)} ${y(clip(scores[1][place])).toFixed(1)}h0`).join(""));
    return height;
  },

  bars(svg, { names, label, span, counts, most }, width) {
    const [top, bottom, right] = [26, 26 + width * 0.5, width - 18];
    const y = (count) => bottom - Math.sqrt(count / (most * 1.1)) * (bottom - top); // bins with few segments stay visible
    const all = Array.from({ length: 27 }, (_, place) => [1, 2, 5][place % 3] * 10 ** Math.floor(place / 3)).filter((count) => count >= most / 40 && count <= most);
    const shown = all.length > 4 ? all.filter((_, place) => (all.length - place) % 2) : all;
    write(svg, 0, 8, "segments (square-root scale)", "start");
    const left = drawHeights(svg, right, [0, ...shown].map((count) => [count, many(count)]), y);
    const x = scale(-span, span, left, right);
    const bin = (right - left) / counts.length;
    const marks = roundNumbers(-span, span, width / 50);
    const height = drawWidths(svg, marks, x, bottom, bottom + 4, `${names[1]} minus ${names[0]}, ${label}`, left, right);
    draw(svg, "bars", `M${left} ${bottom}${counts.map((count) => `V${y(count).toFixed(1)}h${bin}`).join("")}V${bottom}z`);
    draw(svg, "zero", `M${x(0)} ${bottom}V${top}`);
    return height;
  },
};

/** Draw a figure above its caption, as wide as there is room. */
function drawFigure(figure, kind, chart, more) {
  figure.querySelector("svg")?.remove();
  const caption = figure.querySelector("figcaption").id;
  const svg = add(figure, "svg", { class: "drawing", role: "img", "aria-labelledby": caption, ...more });
  figure.prepend(svg);
  const width = Math.max(240, Math.round(svg.getBoundingClientRect().width));
  svg.setAttribute("viewBox", `0 0 ${width} ${Math.ceil(DRAW[kind](svg, chart, width, caption))}`);
}
