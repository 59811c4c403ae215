"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const NGRAMS = 15; // listed for a system
  const PAGE = 20; // segments shown at a time
  const PATIENCE = 12; // milliseconds of work before other tasks have their turn
  const PAUSE = 120; // milliseconds without a key before a search begins
  const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";
  const spaces = new Set(data.spaces);
  const one = (id) => document.getElementById(id);
  const state = { first: data.pair[0], second: data.pair[1], metric: 0, page: 0, order: [], run: 0, drawn: 0, here: null, width: 0 };
  const compares = data.names.length > 1;

  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  }

  const fixed = (number, digits) => {
    const text = Math.abs(number).toFixed(digits);
    return (number < 0 && Number(text) > 0 ? "\u2212" : "") + text; // no -0.0
  };
  const signed = (number, digits) => (number > 0 ? "+" : "") + fixed(number, digits);
  const many = (number) => number.toLocaleString("en");
  const shorten = (name, most = 22) => ([...name].length > most ? [...name].slice(0, most - 1).join("") + "\u2026" : name);

  // --- two systems

  /** Return the data about the two chosen systems, and 1; or -1 if the data have the systems in the other order. */
  function chosenPair() {
    const { first, second } = state;
    const pair = data.pairs.find((p) => (p.a === first && p.b === second) || (p.a === second && p.b === first));
    return [pair, pair.a === first ? 1 : -1];
  }

  function showPair() {
    const [pair, sign] = chosenPair();
    const { metric } = state;
    one("pair-verdict").textContent = pair.told[metric];
    one("weak-title").textContent = pair.title[metric];
    one("weak").replaceChildren(...pair.weak[metric].map((told) => make("li", {}, told)));
    one("wins").textContent = pair.wins[metric];
    showShares(pair, sign);
    showNgrams();
  }

  function showShares(pair, sign) {
    const shares = pair.shares[state.metric];
    one("shares").hidden = !shares.length && !pair.why[state.metric];
    one("why-not").textContent = pair.why[state.metric];
    one("shares-table").hidden = one("shares-note").hidden = !shares.length;
    const rows = shares.map(([factor, a, b, points]) => {
      const [first, second] = sign > 0 ? [a, b] : [b, a];
      const gain = make("td", { class: sign * points > 0 ? "good" : sign * points < 0 ? "bad" : "" }, signed(sign * points, 3));
      return make("tr", {}, make("th", { scope: "row" }, factor), make("td", {}, first.toFixed(4)), make("td", {}, second.toFixed(4)), gain);
    });
    const sum = shares.reduce((total, share) => total + sign * share[3], 0);
    rows.push(make("tr", {}, make("th", { scope: "row" }, "sum"), make("td"), make("td"), make("td", {}, signed(sum, 3))));
    one("shares-table").tBodies[0].replaceChildren(...rows);
    const [, first, second] = one("shares-table").tHead.rows[0].cells;
    first.textContent = data.names[state.first];
    second.textContent = data.names[state.second];
  }

  function showNgrams() {
    const { first, second } = state;
    one("ngrams").replaceChildren(listNgrams(first, second), listNgrams(second, first));
  }

  /** Return a table of the n-grams that one system gets right more often than the other. */
  function listNgrams(ours, theirs) {
    const odds = ({ right }) => (right[ours] + 1) / (right[theirs] + 1);
    const found = data.leads
      .filter(({ right }) => right[ours] - right[theirs] >= 2)
      .sort((x, y) => odds(y) - odds(x) || y.right[ours] - x.right[ours] || y.ngram.split(" ").length - x.ngram.split(" ").length)
      .filter(({ ngram, right }, place, all) => !all.slice(0, place).some((longer) => longer.right[ours] === right[ours] && longer.right[theirs] === right[theirs] && ` ${longer.ngram} `.includes(` ${ngram} `)))
      .slice(0, NGRAMS);
    const caption = make("caption", {}, make("bdi", {}, data.names[ours]), " more often than ", make("bdi", {}, data.names[theirs]));
    if (!found.length) caption.append(": none");
    const head = ["n-gram", shorten(data.names[ours]), shorten(data.names[theirs]), "odds", "segments"];
    const table = make("table", { class: "numbers ngrams" }, caption);
    if (found.length) table.append(make("thead", {}, make("tr", {}, ...head.map((told) => make("th", { scope: "col" }, told)))));
    const body = make("tbody");
    for (const lead of found) {
      const lines = lead.places.filter(([, right]) => right[ours] > right[theirs]).map(([line]) => line).slice(0, 5);
      const links = lines.flatMap((line) => [make("a", { href: `#s${line}` }, String(line)), " "]);
      body.append(
        make("tr", {}, make("td", {}, make("bdi", { lang: data.language }, lead.ngram)), make("td", {}, String(lead.right[ours])),
          make("td", {}, String(lead.right[theirs])), make("td", {}, odds(lead).toFixed(1)), make("td", {}, ...links))
      );
    }
    table.append(body);
    return make("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": caption.textContent }, table);
  }

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
    forest(svg, { label, decimals, rows, ranks }, width) {
      const names = rows.map(([system]) => shorten(data.names[system]));
      const scores = rows.map(([, score], place) => fixed(score, decimals) + (ranks.length ? ` (${ranks[place]})` : ""));
      const [left, right] = [widest(names) + 12, width - widest(scores) - 14];
      const bottom = 28 * rows.length;
      const [low, high] = spread(rows.flatMap(([, ...numbers]) => numbers.slice(0, 3)), 0.08);
      const x = scale(low, high, left, right);
      rows.forEach(([, , , , cluster], place) => cluster % 2 && draw(svg, "band", `M${left} ${28 * place}H${right}v28H${left}z`));
      const height = drawWidths(svg, roundNumbers(low, high, (right - left) / 45), x, 0, bottom, label, left, right);
      rows.forEach(([, score, lower, upper], place) => {
        const y = 28 * place + 14;
        write(svg, left - 8, y, names[place], "end");
        draw(svg, "interval", `M${x(lower)} ${y}H${x(upper)}M${x(lower)} ${y - 4}v8M${x(upper)} ${y - 4}v8`);
        draw(svg, "marker", `M${x(score)} ${y}${MARKERS[0]}`);
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

  function drawPair() {
    const [pair, sign] = chosenPair();
    const { first, second, metric } = state;
    const { name, limits, span, caption } = data.columns[metric];
    const names = [first, second].map((system) => shorten(data.names[system]));
    const counts = sign > 0 ? pair.counts[metric] : [...pair.counts[metric]].reverse();
    const most = Math.max(...data.pairs.flatMap((one) => one.counts[metric])); // so that pairs can be compared
    one("pair-0-caption").textContent = caption;
    const more = { "aria-describedby": "pair-verdict wins" };
    drawFigure(one("pair-0"), "points", { names, label: `${name} of a segment`, limits, scores: [first, second].map((system) => data.scores[metric][system]) }, more);
    drawFigure(one("pair-1"), "bars", { names, label: name, span, counts, most }, more);
  }

  /** Draw the figures of the chosen metric, and hide those of others. */
  function drawAll() {
    state.width = innerWidth;
    if (compares) drawPair();
    document.querySelectorAll("#figures figure").forEach((figure, place) => {
      const { metric, kind, ...chart } = data.figures[place];
      figure.hidden = metric !== null && metric !== state.metric;
      if (!figure.hidden) drawFigure(figure, kind, chart, {});
    });
  }

  // --- tokens and what is marked

  /** Return the tokens of a text: the part that is shown, the part that is compared, and the text before it. */
  function tokensOf([text, , lengths, tokens]) {
    if (!lengths) return (tokens || "").split(" ").filter(Boolean).map((token) => ({ shown: token, key: token, before: " " }));
    const found = [];
    let place = 0;
    for (const digit of lengths) {
      const start = place;
      while (spaces.has(text[place])) place += 1;
      const end = place + DIGITS.indexOf(digit);
      const shown = text.slice(place, end);
      found.push({ shown, key: data.lowercase ? shown.toLowerCase() : shown, before: text.slice(start, place) });
      place = end;
    }
    return found;
  }

  /** Return the classes of a token whose matching n-grams have these lengths, as bits of a digit. */
  function classOf(digit) {
    const bits = DIGITS.indexOf(digit);
    const orders = [1, 2, 3, 4, 5, 6].filter((order) => bits & (1 << (order - 1)));
    return orders.length ? [`l${orders.at(-1)}`, ...orders.map((order) => `m${order}`)].join(" ") : "";
  }

  /** Return for each token whether it is in a longest common subsequence with another text. */
  function findCommon(keys, others) {
    const width = others.length + 1;
    const lengths = new Uint16Array((keys.length + 1) * width);
    for (let i = keys.length - 1; i >= 0; i -= 1) {
      for (let j = others.length - 1; j >= 0; j -= 1) {
        const at = i * width + j;
        lengths[at] = keys[i] === others[j] ? lengths[at + width + 1] + 1 : Math.max(lengths[at + width], lengths[at + 1]);
      }
    }
    const common = keys.map(() => false);
    for (let i = 0, j = 0; i < keys.length && j < others.length; ) {
      if (keys[i] === others[j]) {
        common[i] = true;
        i += 1;
        j += 1;
      } else if (lengths[(i + 1) * width + j] >= lengths[i * width + j + 1]) i += 1;
      else j += 1;
    }
    return common;
  }

  /** Fill an element with tokens, and mark those that have a class; neighbours without space share a mark. */
  function fill(element, tokens, classes) {
    let open = null;
    tokens.forEach(({ shown, before }, place) => {
      const name = classes[place];
      if (open && !before && open.className === name) {
        open.append(shown);
        return;
      }
      element.append(before);
      open = null;
      if (name) {
        open = make("mark", { class: name }, shown);
        element.append(open);
      } else element.append(shown);
    });
  }

  function showText(element, segment, number) {
    const text = segment.hypotheses[number];
    const mode = one("mark").value;
    const other = number === state.first ? state.second : state.first;
    if (!text[0].trim()) {
      element.append(make("span", { class: "quiet" }, "(empty)"));
      return;
    }
    if (mode === "none" || (mode === "changes" && !compares)) {
      element.append(text[0]);
      return;
    }
    const tokens = tokensOf(text);
    let classes;
    if (mode === "changes") {
      const common = findCommon(...[tokens, tokensOf(segment.hypotheses[other])].map((both) => both.map(({ key }) => key)));
      classes = common.map((is) => (is ? "" : "changed"));
    } else classes = [...text[1]].map(classOf);
    if (!text[2]) element.append(make("span", { class: "quiet" }, "(tokens, as compared) "));
    fill(element, tokens, classes);
  }

  // --- the list of segments

  const difference = (place) => data.scores[state.metric][state.second][place] - data.scores[state.metric][state.first][place];
  const influence = (place) =>
    compares ? data.influences[state.metric][state.second][place] - data.influences[state.metric][state.first][place] : data.influences[state.metric][0][place];
  const better = () => (data.columns[state.metric].higher ? 1 : -1);
  const length = (place) => {
    const [, , lengths, tokens] = data.segments[place].references[0];
    return lengths ? lengths.length : (tokens || "").split(" ").filter(Boolean).length;
  };
  const score = (place, system) => data.scores[state.metric][system][place];
  const SORTS = {
    influence: ["influence, largest first", (place) => -Math.abs(influence(place))],
    ...(compares && {
      second: ["influence in favour of the second system", (place) => -better() * influence(place)],
      first: ["influence in favour of the first system", (place) => better() * influence(place)],
      gap: ["difference of scores, largest first", (place) => -Math.abs(difference(place))],
      gapsecond: ["difference in favour of the second system", (place) => -better() * difference(place)],
      gapfirst: ["difference in favour of the first system", (place) => better() * difference(place)],
    }),
    low: ["score of the first system, worst first", (place) => better() * score(place, state.first)],
    high: ["score of the first system, best first", (place) => -better() * score(place, state.first)],
    ...(compares && { low2: ["score of the second system, worst first", (place) => better() * score(place, state.second)] }),
    long: ["length of the reference, longest first", (place) => -length(place)],
    short: ["length of the reference, shortest first", (place) => length(place)],
    file: ["order in the file", (place) => place],
  };

  const haystacks = [];
  /** Return all texts of a segment, in the form that is searched. */
  function haystack(place) {
    const { source, references, hypotheses } = data.segments[place];
    return (haystacks[place] ??= [source || "", ...references.map(([text]) => text), ...hypotheses.map(([text]) => text)].join("\n").toLowerCase());
  }

  const breathe = () => new Promise((resume) => setTimeout(resume));

  /** Find and sort the wanted segments, in slices, and show the first of them; a later call ends this one. */
  async function refresh() {
    state.run += 1;
    const { run } = state;
    const words = one("search").value.toLowerCase().trim();
    const filters = [...document.querySelectorAll("[data-group]")].filter(({ value }) => value !== "");
    const wanted = filters.map(({ dataset, value }) => [Number(dataset.group), Number(value)]);
    const found = [];
    let since = performance.now();
    for (let place = 0; place < data.segments.length; place += 1) {
      const { groups } = data.segments[place];
      if (wanted.every(([group, value]) => groups[group] === value) && (!words || haystack(place).includes(words))) found.push(place);
      if (words && performance.now() - since > PATIENCE) {
        await breathe();
        if (run !== state.run) return false;
        since = performance.now();
      }
    }
    const key = SORTS[one("sort").value][1];
    const keys = new Map(found.map((place) => [place, key(place)]));
    state.order = found.sort((a, b) => keys.get(a) - keys.get(b) || a - b);
    state.page = 0;
    showPage();
    return true;
  }

  function showPage() {
    const pages = Math.max(1, Math.ceil(state.order.length / PAGE));
    state.page = Math.min(Math.max(0, state.page), pages - 1);
    const start = state.page * PAGE;
    const shown = state.order.slice(start, start + PAGE);
    const all = data.segments.length;
    const of = state.order.length === all ? many(all) : `${many(state.order.length)} found (${many(all)} in all)`;
    one("found").textContent = state.order.length ? `Segments ${many(start + 1)} to ${many(start + shown.length)} of ${of}.` : `No segment matches (${many(all)} in all).`;
    for (const button of document.querySelectorAll("[data-step]")) {
      const next = state.page + Number(button.dataset.step);
      button.disabled = next < 0 || next >= pages;
    }
    const mode = one("mark").value;
    one("list").className = /^[1-6]$/.test(mode) ? `only-${mode}` : "";
    showLegend(mode);
    const texts = [];
    one("list").replaceChildren(...shown.map((place) => makeCard(place, texts)));
    highlight(texts);
  }

  /** Highlight texts that are still plain, in slices; a later call ends this one. */
  async function highlight(texts) {
    state.drawn += 1;
    const { drawn } = state;
    one("list").setAttribute("aria-busy", "true");
    let since = performance.now();
    for (const [element, segment, number] of texts) {
      if (performance.now() - since > PATIENCE) {
        await breathe();
        if (drawn !== state.drawn) return;
        since = performance.now();
      }
      element.replaceChildren();
      showText(element, segment, number);
    }
    one("list").setAttribute("aria-busy", "false");
  }

  function showLegend(mode) {
    const tokens = `Tokens are ${data.by}.`;
    const legend = one("legend");
    if (mode === "all") {
      const shades = Array.from({ length: data.order }, (_, place) => make("mark", { class: `l${place + 1}` }, String(place + 1)));
      legend.replaceChildren("Marked: n-grams that match a reference. The stronger the colour, the longer the n-gram: ", ...shades.flatMap((mark) => [mark, " "]), tokens);
    } else if (mode === "changes") legend.replaceChildren("Marked: tokens that differ from the other system\u2019s output. ", tokens);
    else legend.replaceChildren(mode === "none" ? "\u00a0" : `Marked: ${mode}-grams that match a reference. ${tokens}`);
  }

  /** Return the card of a segment; texts: a list to which the texts to highlight are added. */
  function makeCard(place, texts) {
    const segment = data.segments[place];
    const { line, source, references, groups } = segment;
    const heading = make("h3", { id: `t${line}` }, make("a", { href: `#s${line}` }, `Segment ${many(line)}`));
    const facts = data.groups.flatMap(({ kind, title, labels }, group) => (kind === "length" ? [] : [`${title} ${labels[groups[group]]}`]));
    facts.push(`${many(length(place))} tokens`);
    heading.append(make("span", {}, facts.join(" \u00b7 ")));
    const name = data.columns[state.metric].name;
    const told = compares ? `${name}: difference ${signed(difference(place), data.columns[state.metric].decimals)}, influence ${signed(influence(place), 4)}` : `influence ${signed(influence(place), 4)}`;
    heading.append(make("span", {}, told));
    const list = make("dl");
    const row = (term, kind) => {
      const cell = make("dd", { dir: "auto", class: kind, lang: kind === "source" ? data.origin : data.language });
      list.append(make("dt", {}, ...term), cell);
      return cell;
    };
    if (source !== null) row(["Source"], "source").append(source);
    references.forEach(([text], number) => row([references.length > 1 ? `Reference ${number + 1}` : "Reference"], "reference").append(text));
    const systems = compares ? [state.first, state.second] : [0];
    if (one("everyone")?.checked) systems.push(...[...data.names.keys()].filter((number) => !systems.includes(number)));
    for (const number of systems) {
      const scores = data.columns.map((column, metric) => `${column.name} ${fixed(data.scores[metric][number][place], column.decimals)}`).join(" \u00b7 ");
      const cell = row([make("b", {}, make("bdi", {}, data.names[number])), scores], "system");
      cell.append(segment.hypotheses[number][0]);
      texts.push([cell, segment, number]);
    }
    const card = make("article", { class: "segment", tabindex: "-1", id: `s${line}`, "aria-labelledby": `t${line}` }, heading, list);
    if (line === state.here) card.classList.add("here");
    return card;
  }

  /** Show the segment that the address names, and reset search and filters if they hide it. */
  async function goTo(line) {
    const place = data.segments.findIndex((segment) => segment.line === line);
    if (place < 0) {
      one("found").textContent = `Segment ${many(line)} is not on this page.`;
      return;
    }
    state.here = line;
    if (!state.order.includes(place)) {
      one("search").value = "";
      for (const filter of document.querySelectorAll("[data-group]")) filter.value = "";
      if (!(await refresh())) return;
    }
    state.page = Math.floor(state.order.indexOf(place) / PAGE);
    showPage();
    const card = one(`s${line}`);
    card.scrollIntoView();
    card.focus({ preventScroll: true });
  }

  function follow(hash) {
    const found = /^#s(\d+)$/.exec(hash);
    if (found) goTo(Number(found[1]));
  }

  // --- the start

  function addOptions(select, options) {
    select.replaceChildren(...options.map(([value, text]) => make("option", { value }, text)));
  }

  function choose() {
    if (compares) showPair();
    drawAll();
    refresh();
  }

  addOptions(one("sort"), Object.entries(SORTS).map(([name, [text]]) => [name, text]));
  const orders = Array.from({ length: data.order }, (_, place) => [place + 1, `${place + 1}-grams that match`]);
  const changes = compares ? [["changes", "differences between the two"]] : [];
  addOptions(one("mark"), [["all", "n-grams that match"], ...changes, ...orders, ["none", "nothing"]]);
  for (const name of ["first", "second", "metric"]) {
    one(name)?.addEventListener("change", ({ target }) => {
      const other = { first: "second", second: "first" }[name];
      const before = state[name];
      state[name] = Number(target.value);
      if (other && state[other] === state[name]) {
        state[other] = before; // the two systems change places
        one(other).value = String(before);
      }
      choose();
    });
  }
  for (const details of document.querySelectorAll("#figures details")) details.open = false;
  /** Return a listener that acts once events pause. */
  const after = (action) => {
    let timer = 0;
    return () => {
      clearTimeout(timer);
      timer = setTimeout(action, PAUSE);
    };
  };
  // Telephones also report that the bar with the address comes and goes
  addEventListener("resize", after(() => innerWidth !== state.width && drawAll()));
  one("search").addEventListener("input", after(refresh));
  for (const select of [one("sort"), ...document.querySelectorAll("[data-group]")]) select.addEventListener("change", refresh);
  one("mark").addEventListener("change", showPage);
  one("everyone")?.addEventListener("change", showPage);
  for (const button of document.querySelectorAll("[data-step]")) {
    button.addEventListener("click", () => {
      state.page += Number(button.dataset.step);
      showPage();
      // The buttons below the list lead to the top of the new page
      if (button.compareDocumentPosition(one("list")) & Node.DOCUMENT_POSITION_PRECEDING) one("found").scrollIntoView();
    });
  }
  addEventListener("hashchange", () => follow(location.hash));
  document.addEventListener("click", ({ target }) => {
    // A link to the address that is already shown does not change the hash
    const link = target.closest?.("a[href^='#s']");
    if (link && link.getAttribute("href") === location.hash) follow(location.hash);
  });
  choose();
  follow(location.hash);
})();
