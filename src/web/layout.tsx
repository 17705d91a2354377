import type { Child } from 'hono/jsx';
import { asset } from './assets';
import type { SignedIn, WebContext } from './context';
import { Pages, type Area } from './navigation';
import { sentence } from './words';

export interface PageProps {
  readonly title: string;
  readonly signedIn?: SignedIn | undefined;
  /** How many approvals wait; stands in front of the title. */
  readonly waiting?: { readonly open: number; readonly countedTo: number } | undefined;
  /** Which scripts and keys belong to it. */
  readonly kind?: 'list' | 'approval' | 'confirm' | 'memory' | 'sign-in' | 'plain';
  /** What of the navigation it belongs to. */
  readonly area?: Area | undefined;
  readonly children?: Child;
}

/** What is to be shown, whole or in part; none of ours is asynchronous. */
export interface Shown {
  toString(): string | Promise<string>;
}

export function htmlOf(shown: Shown): string {
  return shown.toString() as string;
}

/** Answers with a whole page. */
export function respond(c: WebContext, page: Shown, status = 200): Response {
  c.header('content-type', 'text/html; charset=utf-8');
  return c.body(`<!doctype html>${htmlOf(page)}`, status as 200);
}

/** Where a page belongs that does not say so. */
const areaOf: Readonly<Partial<Record<NonNullable<PageProps['kind']>, Area>>> = {
  list: 'approvals',
  approval: 'approvals',
  confirm: 'approvals',
  memory: 'memory',
};

export function Page({ title, signedIn, waiting, kind = 'plain', area, children }: PageProps) {
  const count = waiting && waiting.open > 0 ? `(${countText(waiting)}) ` : '';
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${count}${title} · Countersign`}</title>
        <link rel="icon" href={asset('icon.svg')} type="image/svg+xml" />
        <link rel="stylesheet" href={asset('countersign.css')} />
        <script type="module" src={asset('forms.js')}></script>
        <script type="module" src={asset('keyboard.js')}></script>
        <script type="module" src={asset('live.js')}></script>
        <script type="module" src={asset('choose.js')}></script>
      </head>
      <body data-kind={kind}>
        <a class="skip" href="#main">
          Skip to content
        </a>
        <header class="top">
          <a class="brand" href="/inbox">
            Countersign
          </a>
          {signedIn && <Pages principal={signedIn.principal} area={area ?? areaOf[kind]} />}
          {signedIn && <Who signedIn={signedIn} />}
        </header>
        <p id="connection" class="connection" role="status"></p>
        <main id="main" tabindex={-1}>
          {children}
        </main>
        <footer>
          {signedIn && <Zone signedIn={signedIn} />}
          <button type="button" class="quiet js" data-key="?" data-opens="keys">
            Keyboard
          </button>
        </footer>
        <Keys kind={kind} />
      </body>
    </html>
  );
}

export function countText({ open, countedTo }: { open: number; countedTo: number }): string {
  return open >= countedTo ? `${countedTo}+` : String(open);
}

function Who({ signedIn: { principal, csrf } }: { signedIn: SignedIn }) {
  return (
    <form class="who" method="post" action="/sign-out" data-plain>
      <span>
        {principal.displayName} <span class="faint">{principal.tenant}</span>
      </span>
      <input type="hidden" name="csrf" value={csrf} />
      <button class="quiet">Sign out</button>
    </form>
  );
}

function Zone({ signedIn: { reader } }: { signedIn: SignedIn }) {
  return (
    <p>
      Times are in {reader.timeZone}. <a href="/preferences">Change</a>
    </p>
  );
}

type Shortcut = readonly [keys: string, does: string];

/** For rows of any list. */
const rowKeys: readonly Shortcut[] = [
  ['j, k', 'next, previous row'],
  ['Enter, o', 'open it'],
];
const decisionKeys: readonly Shortcut[] = [
  ['a', 'approve (asks once more)'],
  ['r', 'reject: choose a reason'],
  ['e', 'edit the amount'],
  ['c', 'claim or release'],
  ['x, X', 'choose it; choose all on this page'],
  ['A, R', 'approve, reject what is chosen (asks once more)'],
  ['m', 'write a comment'],
];
const everywhere: readonly Shortcut[] = [
  ['u', 'back to the list'],
  ['/', 'search'],
  ['Esc', 'leave a field'],
  ['?', 'this help'],
];

function shortcutsOf(kind: PageProps['kind']): readonly Shortcut[] {
  const decides = kind === 'list' || kind === 'approval' || kind === 'confirm';
  return [...rowKeys, ...(decides ? decisionKeys : []), ...everywhere];
}

/** Single letters are for whoever wants them: they can be switched off (WCAG 2.1.4). */
function Keys({ kind }: Pick<PageProps, 'kind'>) {
  return (
    <dialog id="keys" aria-labelledby="keys-title">
      <h2 id="keys-title">Keyboard</h2>
      <table>
        <tbody>
          {shortcutsOf(kind).map(([keys, does]) => (
            <tr>
              <th scope="row">
                <kbd>{keys}</kbd>
              </th>
              <td>{does}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        <label>
          <input type="checkbox" id="keys-on" checked /> Single-letter keys are on
        </label>
      </p>
      <form method="dialog">
        <button>Close</button>
      </form>
    </dialog>
  );
}

/** A message at the top of a page, read out when it appears. */
export function Notice({ kind, children }: { kind: 'done' | 'wrong' | 'note'; children?: Child }) {
  return (
    <div class={`notice ${kind}`} role={kind === 'wrong' ? 'alert' : 'status'}>
      {children}
    </div>
  );
}

/** Why what was asked for can't be answered or done; nothing where it can. */
export function Wrong({ says, children }: { says: string | undefined; children?: Child }) {
  if (says === undefined) return <></>;
  return (
    <Notice kind="wrong">
      <p>{sentence(says)}</p>
      {children}
    </Notice>
  );
}

/** Why what was sent was not done. */
export function Interruption({ status, says }: { status: 200 | 403; says: string }) {
  return (
    <Notice kind={status === 403 ? 'wrong' : 'note'}>
      <p>{says}</p>
    </Notice>
  );
}
