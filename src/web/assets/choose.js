// What is chosen of a list: counted while it is chosen, and all of the page at once without asking the server.
const boxes = () => [...document.querySelectorAll('[name="chosen"]:not(:disabled)')];

function count() {
  const line = document.getElementById('chosen-count');
  if (!line) return;
  const chosen = boxes().filter(({ checked }) => checked).length;
  line.textContent = chosen === 0 ? '' : `${chosen} chosen`;
}

document.addEventListener('change', ({ target }) => {
  if (target.name === 'chosen') count();
});

document.addEventListener('click', (event) => {
  if (!event.target.closest?.('#choose [name="all"]')) return;
  event.preventDefault();
  const all = boxes();
  const checked = !all.every((box) => box.checked);
  for (const box of all) box.checked = checked;
  count();
});

document.addEventListener('page-shown', count);
document.addEventListener('list-renewed', count);
// A page that comes back by the browser's own way has its boxes as they were left.
window.addEventListener('pageshow', count);
count();
