"use strict";
/* The page requests the numbers after every keystroke, and shows an answer unless the texts have changed since. It
 * requests the explanation of the numbers, which takes longer, when the user pauses, and only one at a time. */

const byId = (id) => document.getElementById(id);
const FIELDS = ["candidate", "references", "metric", "order", "tokenize", "smoothing", "lowercase"];
const EXAMPLES = JSON.parse(document.body.dataset.examples);
const MOST_BYTES = Number(document.body.dataset.most);
const MILLISECONDS_TO_REST = 40; // without a keystroke, until an explanation is requested, which delays the next numbers
const MILLISECONDS_TO_SPEAK = 800; // without a change, until screen readers announce the score
const MILLISECONDS_UNTIL_STALE = 150; // until the numbers of older texts look stale
const CALLED = { metric: "metric", order: "order", tokenize: "tokenizer", smoothing: "smoothing", lowercase: "value of lowercase" };

let latest = 0; // number of the last change
let asking = new AbortController(); // cancels the request for its numbers
let pending = null; // what to explain next
let explaining = false;
let resting = 0;
let waiting = 0;
let lacking = {}; // values in a link that this page does not have, by field
let speech = 0;
let announced = "";
let ngrams = []; // matching n-grams, by order

function readFields() {
  const read = Object.fromEntries(FIELDS.map((name) => [name, byId(name).value]));
  return { ...read, order: Number(read.order), lowercase: byId("lowercase").checked };
}

function writeFields(values) {
  lacking = {};
  for (const name of FIELDS.filter((name) => name in values)) {
    const field = byId(name);
    const value = String(values[name]);
    const known = name === "lowercase" ? ["true", "false"] : field.options && [...field.options].map((one) => one.value);
    if (known && !known.includes(value)) lacking[name] = value.slice(0, 40); // the link may be from a machine with more tokenizers
    else if (name === "lowercase") field.checked = value === "true";
    else field.value = value;
  }
  update();
}

function tellLacking() {
  return Object.entries(lacking).map(([name, value]) => {
    const field = byId(name);
    const used = name === "lowercase" ? (field.checked ? "lower case" : "case as it is") : field.selectedOptions[0].textContent;
    return `The link asks for the ${CALLED[name]} \u201c${value}\u201d, which this page does not have; this score uses ${used}.`;
  });
}

async function ask(address, body, signal) {
  try {
    const headers = { "Content-Type": "application/json" };
    const answer = await fetch(address, { method: "POST", headers, body, signal });
    return await answer.json();
  } catch {
    return { error: "The server does not answer; is bleu serve still running?" };
  }
}

async function update() {
  const change = ++latest;
  clearTimeout(resting);
  clearTimeout(speech); // the score of earlier texts
  document.body.dataset.change = change; // number of the last change; showExplanation notes the one that it shows
  const fields = readFields();
  const { lacks, only } = byId("metric").selectedOptions[0].dataset;
  FIELDS.forEach((name) => { byId(name).disabled = lacks.split(" ").includes(name); });
  byId("only").textContent = only || "\u00a0";
  byId("link").href = "#" + new URLSearchParams(fields);
  const body = JSON.stringify(fields);
  asking.abort(); // a browser opens only a few connections to a server
  asking = new AbortController();
  clearTimeout(waiting);
  waiting = setTimeout(() => markLate(true), MILLISECONDS_UNTIL_STALE);
  const found = new Blob([body]).size > MOST_BYTES
    ? { error: `The texts have more than ${MOST_BYTES.toLocaleString("en")} bytes (1 MB). Shorten them, or use the command.` }
    : await ask("/page/numbers", body, asking.signal);
  if (change !== latest) return;
  clearTimeout(waiting);
  markLate(false);
  showNumbers(found);
  if (found.error) showExplanation({ error: "" }, change);
  else resting = setTimeout(() => explain(change, body), MILLISECONDS_TO_REST);
}

/* Until the answer arrives, the page shows numbers of other texts. */
function markLate(isLate) {
  document.body.classList.toggle("late", isLate);
  byId("number").setAttribute("aria-busy", String(isLate));
  byId("copy-command").disabled = isLate;
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

/* Writing the same text again would make screen readers repeat it. */
function write(place, text) {
  if (place.textContent !== text) place.textContent = text;
}

function sentence(text) {
  return text.charAt(0).toUpperCase() + text.slice(1) + (/[.?!]$/.test(text) ? "" : ".");
}

function showMessages(messages, isError) {
  const message = byId("message");
  message.classList.toggle("bad", isError);
  if (messages.join("\n") !== [...message.querySelectorAll("li")].map((one) => one.textContent).join("\n")) {
    const list = element("ul");
    list.append(...messages.map((text) => element("li", "", text)));
    message.replaceChildren(...(messages.length ? [list] : []));
    message.scrollTop = 0;
  }
  showWhetherMoreFollows();
}

function showWhetherMoreFollows() {
  const message = byId("message");
  const overflows = message.scrollHeight > message.clientHeight + 1;
  message.classList.toggle("more", overflows && message.scrollTop + message.clientHeight + 1 < message.scrollHeight);
  if (overflows) message.tabIndex = 0;
  else message.removeAttribute("tabindex");
}

function markBand(band) {
  document.querySelectorAll("#bands tbody tr").forEach((row, index) => {
    row.classList.toggle("here", index === band);
    if (index === band) row.setAttribute("aria-current", "true");
    else row.removeAttribute("aria-current");
  });
}

function showNumbers(found) {
  byId("parts").classList.toggle("stale", Boolean(found.error));
  byId("copy-command").disabled = Boolean(found.error);
  if (found.error) {
    const told = sentence(found.error);
    for (const name of ["share", "percent"]) write(byId(name), "\u2013");
    write(byId("best"), "\u00a0");
    // The signature and command of other texts must not stay
    for (const name of ["signature", "command"]) byId(name).firstChild.textContent = "\u00a0";
    markBand(null);
    showMessages([told], true);
    announce(told);
    return;
  }
  for (const name of ["share", "percent", "best"]) write(byId(name), found[name]);
  const messages = [...tellLacking(), ...found.messages];
  showMessages(messages, false);
  document.querySelectorAll("#facts > div").forEach((fact, index) => {
    const [name, value] = found.facts[index] ?? ["", ""];
    [fact.children[0].textContent, fact.children[1].textContent, fact.children[1].title] = [name, value, value];
  });
  showBars(found.bars);
  byId("legend").textContent = found.legend;
  byId("signature").firstChild.textContent = found.signature;
  byId("command").firstChild.textContent = found.command;
  byId("reading").textContent = found.reading;
  byId("bands").classList.toggle("unused", found.band === null);
  markBand(found.band);
  const facts = found.facts.map((fact) => fact.join(" ")).join(", ");
  announce([`${found.name} ${found.share}, ${facts}`, ...messages].join(". "));
}

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function showBars(bars) {
  const list = byId("bars");
  list.classList.toggle("long", bars.some((bar) => bar.counts.length > 24)); // such as counts of both texts
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
    const told = found.error && sentence(found.error);
    texts.replaceChildren(element("p", "quiet", told));
    byId("explanation").replaceChildren(element("p", "quiet", told));
    ngrams = [];
    chooseOrder();
    byId("marks").textContent = "\u00a0";
    return;
  }
  texts.replaceChildren(...found.texts.map(({ label, html }) => {
    const shown = element("p");
    const words = element("span");
    words.dir = "auto";
    words.innerHTML = html; // the server has escaped the texts, and the policy of the page forbids scripts in it
    shown.append(element("b", "", label), words);
    return shown;
  }));
  byId("explanation").innerHTML = found.explanation;
  showOrders(found.ngrams, found.marks);
}

function showOrders(found, marks) {
  ngrams = found;
  const longest = ngrams.length;
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
  }
  byId("shades").classList.toggle("none", !longest);
  [...byId("shades").children].forEach((shade, index) => { shade.hidden = index >= longest; });
  byId("marks").textContent = marks || "\u00a0";
  chooseOrder();
}

function chooseOrder() {
  const order = byId("shown").querySelector(":checked")?.value || "0";
  byId("texts").className = order === "0" ? "" : `only-${order}`;
  const found = [...new Set(ngrams[Number(order) - 1])];
  const told = order === "0" ? "" : `Only ${order}-grams: ${found.join(", ") || "none matches"}`;
  byId("chosen").textContent = told; // what the colours show to sighted users
  return told;
}

/* Screen readers announce the score when the user pauses, but not the same score again. */
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

/* After a change, the link's inputs are no longer those of the page; a reload must not bring them back. */
function leaveLink() {
  if (location.hash) history.replaceState(null, "", location.pathname);
}

FIELDS.forEach((name) => byId(name).addEventListener("input", () => { delete lacking[name]; leaveLink(); update(); }));
byId("examples").addEventListener("click", (event) => {
  const { example } = event.target.dataset;
  if (example === undefined) return;
  leaveLink();
  writeFields(EXAMPLES[Number(example)]);
});
byId("shown").addEventListener("change", () => announce(chooseOrder() || "All n-grams"));
byId("message").addEventListener("scroll", showWhetherMoreFollows);
addEventListener("resize", showWhetherMoreFollows);
byId("copy-command").addEventListener("click", () => copy(byId("command").textContent, "The command"));
byId("copy-link").addEventListener("click", () => copy(byId("link").href, "The link"));
addEventListener("hashchange", readLink);
if (location.hash.length > 1) readLink();
else update();
