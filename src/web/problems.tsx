import { CountersignError } from '../domain/errors';
import { isDatabaseOutage } from '../domain/outage';
import type { SignedIn, Typed, WebContext, WebDependencies } from './context';
import { Notice, Page, respond } from './layout';
import { sentence } from './words';

/** What went wrong, with whatever was typed. */
export function problemPage(c: WebContext, thrown: unknown, dependencies: WebDependencies): Response {
  const error = asProblem(thrown);
  if (error.code === 'internal') dependencies.onUnexpected(thrown, c.get('requestId'));
  const signedIn = c.get('signedIn') as SignedIn | undefined;
  if (error.status === 404) return notFoundPage(c, signedIn);
  const typed = (c.get('typed') as Typed | undefined) ?? {};
  if (error.status === 503) c.header('retry-after', '2');
  return respond(
    c,
    <Page title={titles[error.status] ?? 'That did not work'} signedIn={signedIn}>
      <h1>{titles[error.status] ?? 'That did not work'}</h1>
      <Notice kind="wrong">
        <p>{sentence(error.detail)}</p>
      </Notice>
      {Object.keys(typed).length > 0 && <Again c={c} typed={typed} signedIn={signedIn} />}
      {error.status >= 500 && <p class="faint">Request {c.get('requestId')}</p>}
      <p>
        <a href="/inbox">To the approvals</a>
      </p>
    </Page>,
    error.status,
  );
}

const titles: Readonly<Record<number, string>> = {
  403: 'You may not do that',
  413: 'That is too much text',
  422: 'That can not be read',
  429: 'Too many attempts',
  500: 'Something went wrong here',
  503: 'Something that is needed does not answer',
};

/** The same for what does not exist and for what is another tenant's, to the byte (R38). */
export function notFoundPage(c: WebContext, signedIn: SignedIn | undefined): Response {
  return respond(
    c,
    <Page title="Not here" signedIn={signedIn}>
      <h1>There is nothing here</h1>
      <p>Perhaps the address is mistyped, or what was here is of somebody else.</p>
      <p>
        <a href="/inbox">To the approvals</a>
      </p>
    </Page>,
    404,
  );
}

/** The same request once more, with everything that was typed, in sight. */
function Again({ c, typed, signedIn }: { c: WebContext; typed: Typed; signedIn: SignedIn | undefined }) {
  const { comment, value, ...rest } = typed;
  return (
    <form method="post" action={c.req.path}>
      <p>Nothing was done yet, and nothing that you typed is lost.</p>
      <HiddenFields typed={rest} csrf={signedIn?.csrf} />
      {comment !== undefined && <Kept name="comment" label="Comment" text={comment} />}
      {value !== undefined && <Kept name="value" label="Value" text={value} />}
      <button class="main">Send again</button>
    </form>
  );
}

function Kept({ name, label, text }: { name: string; label: string; text: string }) {
  return (
    <p>
      <label for={`kept-${name}`}>{label}</label>
      <textarea id={`kept-${name}`} name={name} rows={4}>
        {`\n${text}`}
      </textarea>
    </p>
  );
}

export function HiddenFields({ typed, csrf }: { typed: Typed; csrf?: string | undefined }) {
  return (
    <>
      {csrf !== undefined && <input type="hidden" name="csrf" value={csrf} />}
      {Object.entries(typed).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
    </>
  );
}

function asProblem(thrown: unknown): CountersignError {
  if (thrown instanceof CountersignError) return thrown;
  return new CountersignError(isDatabaseOutage(thrown) ? 'dependency_unavailable' : 'internal');
}
