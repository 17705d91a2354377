// Keys for whoever would rather not reach for the mouse. Which key does what stands with the thing itself (`data-key`).
const storage = 'countersign-keys';
const isOn = () => localStorage.getItem(storage) !== 'off';

const rows = () => [...document.querySelectorAll('[data-row] [data-open]')];
const current = () => rows().findIndex((open) => open.closest('[data-row]').contains(document.activeElement));

function move(by) {
  const all = rows();
  const next = all[Math.min(Math.max(current() + by, 0), all.length - 1)];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

/** From the list, a decision begins where everything can be read. */
function openAt(part) {
  const row = rows()[current()];
  if (row) location.assign(part ? `${row.href}#${part}` : row.href);
}

function choose() {
  rows()[current()]?.closest('[data-row]').querySelector('[name="chosen"]')?.click();
}

const onRows = { j: () => move(1), k: () => move(-1), o: () => openAt() };
const onApprovals = {
  ...onRows,
  a: () => openAt('approve'),
  r: () => openAt('reject'),
  e: () => openAt('edit'),
  c: () => openAt('claim'),
  x: choose,
};
const search = () => document.querySelector('[role="search"] :is(input, select)');

function onList(key) {
  if (rows().length === 0) return undefined;
  return (document.body.dataset.kind === 'list' ? onApprovals : onRows)[key];
}

function use(target) {
  target.focus();
  if (target.matches('button, a')) target.click();
  else if (target.select) target.select();
}

const isTyping = (element) => element.matches('input:not([type="checkbox"]), textarea, select');

document.addEventListener('keydown', (event) => {
  const { key, target } = event;
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (isTyping(target)) {
    if (key === 'Escape') target.blur();
    return;
  }
  if (document.querySelector('dialog[open]') || !isOn()) return;
  const keyed = key === '/' ? search() : document.querySelector(`[data-key="${CSS.escape(key)}"]`);
  const inList = onList(key);
  if (!keyed && !inList) return;
  event.preventDefault();
  if (inList) inList();
  else use(keyed);
});

document.addEventListener('click', ({ target }) => {
  const opens = target.closest?.('[data-opens]')?.dataset.opens;
  if (!opens) return;
  const dialog = document.getElementById(opens);
  dialog.querySelector('#keys-on').checked = isOn();
  dialog.showModal();
});

document.addEventListener('change', ({ target }) => {
  if (target.id === 'keys-on') localStorage.setItem(storage, target.checked ? 'on' : 'off');
});

/** `#edit` in the address begins there. */
function begin() {
  const place = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!place || document.body.dataset.kind !== 'approval') return;
  const field = place.matches('button') ? place : place.querySelector('input, select, textarea, button');
  field?.focus();
  field?.select?.();
}
begin();
document.addEventListener('page-shown', begin);
