// What a script adds to forms: they are sent without leaving the page, so that a server that does not answer loses
// nothing; amounts are looked at while they are typed.
document.documentElement.classList.add('scripted');

const connection = () => document.getElementById('connection');

export function say(text) {
  const line = connection();
  if (line) line.textContent = text;
}

/** Takes over another page, from its text, in place of this one. */
export function showPage(html, address) {
  const next = new DOMParser().parseFromString(html, 'text/html');
  document.title = next.title;
  document.body.dataset.kind = next.body.dataset.kind ?? 'plain';
  document.body.replaceChildren(...next.body.childNodes);
  if (address) history.pushState({}, '', address);
  shown = addressNow();
  document.dispatchEvent(new Event('page-shown'));
  const first = document.querySelector('[autofocus], [role="alert"], .notice');
  if (first && !first.hasAttribute('autofocus')) first.tabIndex = -1;
  (first ?? document.getElementById('main'))?.focus();
  window.scrollTo(0, 0);
  first?.scrollIntoView({ block: 'nearest' });
}

function fieldsOf(form, submitter) {
  const fields = new FormData(form);
  if (submitter?.name) fields.append(submitter.name, submitter.value);
  return new URLSearchParams(fields);
}

document.addEventListener('submit', async (event) => {
  const form = event.target;
  if (form.method !== 'post' || form.dataset.plain !== undefined) return;
  event.preventDefault();
  if (form.dataset.sending !== undefined) return;
  form.dataset.sending = '';
  say('');
  try {
    const response = await fetch(form.action, { method: 'POST', body: fieldsOf(form, event.submitter) });
    const html = await response.text();
    showPage(html, response.redirected ? response.url : undefined);
  } catch {
    say('The server does not answer. Nothing that you typed is lost; send it again in a moment.');
    event.submitter?.focus();
  } finally {
    delete form.dataset.sending;
  }
});

// Pages that came in place of others have an address, and no history of their own. A place within a page is no page.
const addressNow = () => location.pathname + location.search;
let shown = addressNow();
window.addEventListener('popstate', () => {
  if (addressNow() !== shown) location.reload();
});

/** Minor units of a plain decimal, or why it is none. */
function minorOf(text, exponent) {
  if (text === '') return { wrong: 'An amount, such as 120.00.' };
  if (!/^\d+(\.\d+)?$/.test(text))
    return { wrong: 'Digits only, with a point before the decimals: 1200.50.' };
  const [whole, decimals = ''] = text.split('.');
  if (/^0\d/.test(whole)) return { wrong: 'Without leading zeros.' };
  if (decimals.length > exponent) return { wrong: `At most ${exponent} decimals in this currency.` };
  return { minor: BigInt(whole + decimals.padEnd(exponent, '0')) };
}

function judge(input) {
  const { exponent, most, now, currency } = input.dataset;
  const digits = Number(exponent);
  const { minor, wrong } = minorOf(input.value.trim(), digits);
  if (wrong) return { wrong };
  if (minor === 0n) return { wrong: 'More than zero.' };
  if (minor > minorOf(most, digits).minor)
    return { wrong: `At most ${most} ${currency} remain of the payment.` };
  const proposed = minorOf(now, digits).minor;
  if (minor === proposed) return { says: 'That is what is proposed.' };
  return minor < proposed
    ? { says: 'Lower than proposed: your change counts as your vote.' }
    : { says: 'Higher than proposed: somebody else must approve it.' };
}

document.addEventListener('input', ({ target }) => {
  if (!target.matches?.('[data-amount]')) return;
  const { wrong = '', says = '' } = judge(target);
  document.getElementById('amount-wrong').textContent = wrong;
  document.getElementById('amount-hint').textContent = says;
  if (wrong) target.setAttribute('aria-invalid', 'true');
  else target.removeAttribute('aria-invalid');
});

for (const field of document.querySelectorAll('[data-time-zone]')) {
  field.value = Intl.DateTimeFormat().resolvedOptions().timeZone ?? '';
}
