// Keeps a page up to date while somebody looks at it. The server compares states, so a break in between loses nothing;
// what is on the screen stays where it is: rows change in place, new ones come at the end, and a page with something to
// write is only told about.
import { say, showPage } from './forms.js';

const lost = 'Connection lost; trying again.';
const over = 'Your session is over. Nothing that you typed is lost: send it, and sign in again.';
let source;
let retry;

const place = () => document.querySelector('[data-stream]');
const line = (text, ...more) => document.getElementById('news')?.replaceChildren(text, ...more);
const pageOf = (at) => at.dataset.stream.replace(/\/events.*/, '') + (isList() ? location.search : '');
const isList = () => place()?.id === 'list';

function stop() {
  clearTimeout(retry);
  source?.close();
  source = undefined;
}

function watch() {
  stop();
  const at = place();
  if (!at || document.hidden) return;
  const address = new URL(at.dataset.stream, location.href);
  address.searchParams.set('seen', at.dataset.seen);
  const opened = new EventSource(address);
  source = opened;
  opened.addEventListener('alive', () => {
    if (document.getElementById('connection')?.textContent === lost) say('');
  });
  opened.addEventListener('changed', lookAgain);
  opened.addEventListener('over', () => {
    stop();
    say(over);
  });
  opened.addEventListener('error', () => {
    if (source !== opened) return;
    say(lost);
    if (opened.readyState === EventSource.CLOSED) retry = setTimeout(watch, 2_000);
  });
}

let looking = false;
let due = false;

/** One look at a time, and one more after what has changed meanwhile: an older page never comes over a newer one. */
async function lookAgain() {
  due = true;
  if (looking) return;
  looking = true;
  try {
    while (due) {
      due = false;
      await look();
    }
  } catch {
    // The stream believes this to be seen; it is asked anew with what the page really is.
    stop();
    say(lost);
    retry = setTimeout(watch, 2_000);
  } finally {
    looking = false;
  }
}

/** Asks for the page as it is now, without that being taken for a sign of somebody here. */
async function look() {
  const at = place();
  if (!at) return;
  const response = await fetch(pageOf(at), { headers: { 'x-look': 'yes', accept: 'text/html' } });
  if (response.redirected) {
    stop();
    return say(over);
  }
  if (!response.ok) throw new Error(response.statusText);
  const html = await response.text();
  const next = new DOMParser().parseFromString(html, 'text/html');
  if (at !== place()) return;
  document.title = next.title;
  at.dataset.seen = next.querySelector('[data-stream]')?.dataset.seen ?? '';
  if (isList()) takeOverList(at, next);
  else if (at.querySelector('textarea, select, input:not([type="hidden"])')) tellOfChange(next, html);
  else {
    steadily(() => become(at, next.querySelector('[data-stream]') ?? at));
    line(`Now: ${headlineOf(next)}`);
  }
}

const headlineOf = (page) => page.getElementById('headline')?.textContent ?? '';

/** What stays the same stays the same element: with the focus, and unfolded where it was. */
function become(old, next) {
  if (old.isEqualNode(next)) return;
  if (old.nodeType !== document.ELEMENT_NODE || old.nodeName !== next.nodeName || old.id !== next.id)
    return old.replaceWith(document.importNode(next, true));
  for (const { name } of [...old.attributes])
    if (name !== 'open' && !next.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of next.attributes) old.setAttribute(name, value);
  const wanted = [...next.childNodes];
  for (const child of [...old.childNodes].slice(wanted.length)) child.remove();
  const kept = [...old.childNodes];
  wanted.forEach((child, i) =>
    kept[i] ? become(kept[i], child) : old.append(document.importNode(child, true)),
  );
}

/** What has the focus, or else is in the middle of the window, stays there. */
function steadily(change) {
  const active = document.activeElement;
  const held = active?.closest('main article')
    ? active
    : document.elementFromPoint(window.innerWidth / 2, window.innerHeight / 2);
  const top = held?.getBoundingClientRect().top;
  change();
  if (held?.isConnected) window.scrollBy(0, held.getBoundingClientRect().top - top);
}

function takeOverList(list, next) {
  for (const part of document.querySelectorAll('[data-live]')) {
    const now = next.getElementById(part.id);
    if (now) become(part, now);
  }
  const rows = list.querySelector('[data-rows]');
  const nextRows = [...next.querySelectorAll('[data-row]')];
  if (!rows) {
    if (nextRows.length === 0) return;
    if (list.dataset.still) return tellOfNew(nextRows.length);
    return list.replaceWith(document.importNode(next.getElementById('list'), true));
  }
  const fresh = new Map(nextRows.map((row) => [row.dataset.row, document.importNode(row, true)]));
  const known = [...rows.children];
  const last = known.findLastIndex((row) => fresh.has(row.dataset.row));
  const pushedOn = next.querySelector('[rel="next"]') !== null;
  known.forEach((row, i) => {
    const now = fresh.get(row.dataset.row);
    fresh.delete(row.dataset.row);
    if (now) renew(row, now);
    // What is beyond the last may only have moved to the next page.
    else if (i < last || !pushedOn) goneFrom(row, list.dataset.gone);
  });
  placeFresh(rows, fresh, nextRows);
  document.dispatchEvent(new Event('list-renewed'));
}

function renew(row, now) {
  row.classList.remove('gone');
  if (row.innerHTML === now.innerHTML) return;
  const focused = row.contains(document.activeElement) && document.activeElement.name;
  const before = boxOf(row);
  row.replaceChildren(...now.childNodes);
  const box = boxOf(row);
  // Chosen was the proposal that stood there: another one has to be chosen anew.
  if (box && before) box.checked = before.checked && before.value === box.value && !box.disabled;
  if (focused === 'chosen') box?.focus();
  else if (focused !== false) row.querySelector('[data-open]')?.focus();
}

const boxOf = (row) => row.querySelector('[name="chosen"]');

function goneFrom(row, says) {
  if (row.classList.contains('gone')) return;
  row.classList.add('gone');
  row.querySelector('[data-outcome]').textContent = says;
  const box = boxOf(row);
  if (box) Object.assign(box, { checked: false, disabled: true });
}

/** At the end they move nothing; anywhere else they wait until somebody asks for them. */
function placeFresh(rows, fresh, nextRows) {
  if (fresh.size === 0) return line('');
  const atEnd = nextRows.slice(-fresh.size).every((row) => fresh.has(row.dataset.row));
  if (!atEnd) return tellOfNew(fresh.size);
  for (const row of fresh.values()) {
    row.classList.add('fresh');
    rows.append(row);
  }
  line(`${fresh.size} new at the end.`);
}

function tellOfNew(count) {
  const show = Object.assign(document.createElement('a'), { href: location.href, textContent: 'Show' });
  line(`${count} new. `, show);
}

function tellOfChange(next, html) {
  const show = Object.assign(document.createElement('button'), { type: 'button', textContent: 'Show it' });
  show.addEventListener('click', () => {
    const kept = typedNow();
    showPage(html);
    for (const [name, value] of kept) {
      const field = document.querySelector(`#decide [name="${name}"]`);
      if (field) field.value = value;
    }
  });
  line(`This has changed. Now: ${headlineOf(next)} `, show);
}

/** What somebody has put in: not what is proposed, and not what is empty. */
function typedNow() {
  const form = document.getElementById('decide');
  const shown = { amount: form?.shownAmount?.value ?? '', reason: form?.shownReason?.value ?? '' };
  return [...(form?.elements ?? [])]
    .filter((field) => field.matches('textarea, select, input:not([type="hidden"])') && field.name !== 'to')
    .filter((field) => field.value !== (shown[field.name] ?? ''))
    .map((field) => [field.name, field.value]);
}

document.addEventListener('visibilitychange', watch);
document.addEventListener('page-shown', watch);
window.addEventListener('pagehide', stop);
window.addEventListener('pageshow', watch);

const units = [
  ['d', 86_400_000, 3],
  ['h', 3_600_000, 1],
  ['min', 60_000, 1],
];

/** As the server writes ages. */
function age(iso) {
  const ms = Date.parse(iso) - Date.now();
  const unit = units.find(([, size, from]) => Math.abs(ms) >= from * size);
  if (!unit) return 'now';
  const text = `${Math.floor(Math.abs(ms) / unit[1])} ${unit[0]}`;
  return ms > 0 ? `in ${text}` : `${text} ago`;
}

setInterval(() => {
  for (const element of document.querySelectorAll('[data-age]')) {
    element.textContent = age(element.dataset.age);
  }
}, 30_000);
