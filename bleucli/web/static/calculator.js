"use strict";
/* The page asks for the numbers at every key, and shows an answer if nothing was typed since. What the numbers come from
 * is asked for where somebody rests for a moment, one request at a time, for it takes longer. */

const byId = (id) => document.getElementById(id);
const FIELDS = ["candidate", "references", "metric", "order", "tokenize", "smoothing", "lowercase"];
const OF_BLEU = ["order", "tokenize", "smoothing"];
const EXAMPLES = JSON.parse(document.body.dataset.examples);
const MILLISECONDS_TO_REST = 40; // without a key, before the numbers are explained, lest that slow down the next ones
const MILLISECONDS_TO_SPEAK = 800;

let latest = 0; // the number of the last change
let asking = new AbortController(); // what gives up the request for its numbers
let pending = null; // what is to be explained next
let explaining = false;
let resting = 0;
let speech = 0;
let announced = "";

function readFields() {
  const read = Object.fromEntries(FIELDS.map((name) => [name, byId(name).value]));
  return { ...read, order: Number(read.order), lowercase: byId("lowercase").checked };
}

function writeFields(values) {
  for (const name of FIELDS.filter((name) => name in values)) {
    const field = byId(name);
    if (name === "lowercase") {
      field.checked = values[name] === true || values[name] === "true";
    } else if (field.options && ![...field.options].some((one) => one.value === String(values[name]))) {
      continue; // a link from elsewhere, where more is installed
    } else {
      field.value = values[name];
    }
  }
  update();
}

async function ask(address, body, signal) {
  try {
    const headers = { "Content-Type": "application/json" };
    const answer = await fetch(address, { method: "POST", headers, body, signal });
    return await answer.json();
  } catch {
    return { error: "The server does not answer; is bleu --serve still running?" };
  }
}

async function update() {
  const change = ++latest;
  clearTimeout(resting);
  document.body.dataset.change = change; // what is shown says what it is of: see showExplanation
  const fields = readFields();
  const isBleu = fields.metric === "bleu";
  OF_BLEU.forEach((name) => { byId(name).disabled = !isBleu; });
  byId("only").textContent = isBleu ? "\u00a0" : "Grey: for BLEU only";
  byId("link").href = "#" + new URLSearchParams(fields);
  const body = JSON.stringify(fields);
  asking.abort(); // a browser has few connections to a server
  asking = new AbortController();
  const found = await ask("/page/numbers", body, asking.signal);
  if (change !== latest) return;
  showNumbers(found);
  if (found.error) showExplanation({ error: "" }, change);
  else resting = setTimeout(() => explain(change, body), MILLISECONDS_TO_REST);
}

function explain(change, body) {
  pending = { change, body };
  explainNext();
}

async function explainNext() {
  if (explaining) return;
  explaining = true;
  while (pending) {
    const { change, body } = pending;
    pending = null;
    const found = await ask("/page/explanation", body);
    if (change === latest) showExplanation(found, change);
  }
  explaining = false;
}

function showNumbers(found) {
  const message = byId("message");
  message.classList.toggle("bad", Boolean(found.error));
  document.querySelectorAll("#parts, #signature, #command").forEach((part) => part.classList.toggle("stale", Boolean(found.error)));
  if (found.error) {
    byId("share").textContent = byId("percent").textContent = "\u2013";
    message.textContent = found.error;
    announce(found.error);
    return;
  }
  byId("share").textContent = found.share;
  byId("percent").textContent = found.percent;
  byId("best").textContent = found.best;
  message.textContent = found.warnings.join(" \u2022 ") || "\u00a0";
  document.querySelectorAll("#facts > div").forEach((fact, index) => {
    [fact.children[0].textContent, fact.children[1].textContent] = found.facts[index];
    fact.children[1].title = found.facts[index][1];
  });
  showBars(found.bars);
  byId("legend").textContent = found.legend;
  byId("signature").firstChild.textContent = found.signature;
  byId("command").firstChild.textContent = found.command;
  byId("reading").textContent = found.reading;
  byId("bands").classList.toggle("unused", found.band === null);
  document.querySelectorAll("#bands tbody tr").forEach((row, index) => {
    row.classList.toggle("here", index === found.band);
    if (index === found.band) row.setAttribute("aria-current", "true");
    else row.removeAttribute("aria-current");
  });
  announce(`${found.name} ${found.share}, ${found.facts.map((fact) => fact.join(" ")).join(", ")}`);
}

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function showBars(bars) {
  const list = byId("bars");
  while (list.children.length > bars.length) list.lastChild.remove();
  while (list.children.length < bars.length) {
    const row = element("li");
    const track = element("div", "track");
    track.setAttribute("aria-hidden", "true");
    row.append(element("span"), element("span"), element("span", "value"), track);
    list.append(row);
  }
  bars.forEach((bar, index) => {
    const [label, counts, value, track] = list.children[index].children;
    [label.textContent, counts.textContent, value.textContent] = [bar.label, bar.counts, bar.value];
    if (track.children.length !== bar.shares.length) {
      track.replaceChildren(...bar.shares.map((_, place) => element("i", place ? "second" : "first")));
    }
    bar.shares.forEach((share, place) => { track.children[place].style.width = `${Math.min(100, share)}%`; });
  });
}

function showExplanation(found, change) {
  const texts = byId("texts");
  byId("explanation").dataset.of = change;
  if (found.error !== undefined) {
    texts.replaceChildren(element("p", "quiet", found.error));
    byId("explanation").replaceChildren(element("p", "quiet", found.error));
    return;
  }
  texts.replaceChildren(...found.texts.map(({ label, html }) => {
    const shown = element("p");
    const words = element("span");
    words.dir = "auto";
    words.innerHTML = html; // escaped by the server; no script of it would run
    shown.append(element("b", "", label), words);
    return shown;
  }));
  byId("explanation").innerHTML = found.explanation;
  showOrders(found.orders);
}

function showOrders(longest) {
  const group = byId("shown");
  const chosen = group.querySelector(":checked")?.value;
  const choices = longest > 1 ? longest + 1 : 0;
  if (group.children.length !== choices) {
    group.replaceChildren(...Array.from({ length: choices }, (_, order) => {
      const label = element("label");
      const choice = element("input");
      [choice.type, choice.name, choice.value] = ["radio", "shown", String(order)];
      choice.checked = order === 0 || String(order) === chosen;
      label.append(choice, order ? `${order}-grams` : "all");
      return label;
    }));
    [...byId("shades").children].forEach((shade, index) => { shade.hidden = index >= longest; });
  }
  chooseOrder();
}

function chooseOrder() {
  const order = byId("shown").querySelector(":checked")?.value || "0";
  byId("texts").className = order === "0" ? "" : `only-${order}`;
}

/* Screen readers hear the score once somebody pauses, and not again if it is the same. */
function announce(text) {
  clearTimeout(speech);
  speech = setTimeout(() => {
    if (text !== announced) byId("announcement").textContent = announced = text;
  }, MILLISECONDS_TO_SPEAK);
}

async function copy(text, what) {
  let told = `${what} was copied.`;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    told = "The browser does not allow copying; select the text instead.";
  }
  byId("copied").textContent = told;
}

function readLink() {
  if (location.hash.length > 1) writeFields(Object.fromEntries(new URLSearchParams(location.hash.slice(1))));
}

FIELDS.forEach((name) => byId(name).addEventListener("input", update));
byId("examples").addEventListener("click", (event) => {
  const { example } = event.target.dataset;
  if (example !== undefined) writeFields(EXAMPLES[Number(example)]);
});
byId("shown").addEventListener("change", chooseOrder);
byId("copy-command").addEventListener("click", () => copy(byId("command").textContent, "The command"));
byId("copy-link").addEventListener("click", () => copy(byId("link").href, "The link"));
addEventListener("hashchange", readLink);
if (location.hash.length > 1) readLink();
else update();
