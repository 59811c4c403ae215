(() => {
  const NGRAMS = 15; // listed for a system
  const PAGE = 20; // segments shown at a time
  const PATIENCE = 12; // milliseconds of work before other tasks have their turn
  const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";
  const spaces = new Set(data.spaces);
  const state = { first: data.pair[0], second: data.pair[1], metric: 0, page: 0, order: [], run: 0, drawn: 0, here: null, width: 0 };
  const compares = data.names.length > 1;

  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  }

  const signed = (number, digits) => (number > 0 ? "+" : "") + fixed(number, digits);

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
