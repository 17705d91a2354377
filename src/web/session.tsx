import { getConnInfo } from '@hono/node-server/conninfo';
import type { MiddlewareHandler } from 'hono';
import { signIn } from '../application/signIn';
import { CountersignError } from '../domain/errors';
import { isTimeZone } from '../domain/time/days';
import type { WebSession } from '../ports/webSessions';
import type { SignedIn, Typed, Web, WebContext, WebDependencies, WebEnv } from './context';
import { Notice, Page, respond } from './layout';
import { HiddenFields } from './problems';
import { readerOf } from './reader';
import { csrfToken, isFromHere, isHttps, isSameToken, keepSecret, pathHere, sessionSecret } from './security';

/**
 * Pages for whoever is signed in. A form is taken only from our own pages and with the token of this session; where the
 * session is over, it is signed in again and shown again, with everything that was typed, before anything is done.
 */
export function signedInOnly(dependencies: WebDependencies): MiddlewareHandler<WebEnv> {
  return async (c, next) => {
    const reads = c.req.method === 'GET' || c.req.method === 'HEAD';
    const { csrf, token, timeZone, ...typed } = reads ? {} : await readForm(c, dependencies);
    if (!reads) c.set('typed', typed);

    const known = await currentSession(c, dependencies);
    if (known) {
      c.set('signedIn', known);
      if (!reads && !isSameToken(csrf ?? '', known.csrf)) {
        c.set('interrupted', {
          status: 403,
          says: 'Nothing was done: this form was of an earlier session. Look at it again, then send it again.',
        });
      }
      return next();
    }
    if (reads) {
      if (c.req.header('accept')?.includes('text/event-stream')) return c.body(null, 401);
      return c.redirect(`/sign-in?next=${encodeURIComponent(pathWithQuery(c))}`, 303);
    }
    if (token === undefined) {
      return signInPage(c, { says: 'Your session is over. Sign in again to go on.', typed, status: 401 });
    }
    try {
      c.set('signedIn', await openSession(c, dependencies, token, timeZone));
    } catch (error) {
      return refusedSignIn(c, error, typed);
    }
    c.set('interrupted', {
      status: 200,
      says: 'You are signed in again. Nothing was sent yet: look at it, then send it.',
    });
    return next();
  };
}

/** `/sign-in`, `/sign-out` */
export function sessionRoutes(web: Web, dependencies: WebDependencies): void {
  web.get('/sign-in', async (c) => {
    if (await currentSession(c, dependencies)) return c.redirect(pathHere(c.req.query('next')), 303);
    return signInPage(c, { next: pathHere(c.req.query('next')) });
  });

  web.post('/sign-in', async (c) => {
    const { token = '', next, timeZone } = await readForm(c, dependencies);
    try {
      await openSession(c, dependencies, token, timeZone);
    } catch (error) {
      return refusedSignIn(c, error, {}, pathHere(next));
    }
    return c.redirect(pathHere(next), 303);
  });

  web.post('/sign-out', signedInOnly(dependencies), async (c) => {
    const { secret, principal } = c.get('signedIn');
    if (c.get('interrupted')) return c.redirect('/inbox', 303);
    await dependencies.sessions.close(secret, principal.tenant);
    keepSecret(c, isHttps(dependencies), undefined);
    // Pages may be kept for the way back; not for whoever sits down here next.
    c.header('clear-site-data', '"cache"');
    return c.redirect('/sign-in', 303);
  });
}

async function currentSession(c: WebContext, dependencies: WebDependencies): Promise<SignedIn | undefined> {
  const secret = sessionSecret(c, isHttps(dependencies));
  if (secret === undefined) return undefined;
  // What a page asks for by itself is no sign that anybody is there.
  const use = c.req.header('x-look') === undefined ? 'act' : 'look';
  const session = await dependencies.sessions.find(secret, use);
  return session && signedIn(c, secret, session);
}

async function openSession(
  c: WebContext,
  dependencies: WebDependencies,
  token: string,
  timeZone = '',
): Promise<SignedIn> {
  const zone = isTimeZone(timeZone) ? timeZone : null;
  const { secret, session } = await signIn(dependencies, token.trim(), addressOf(c, dependencies), zone);
  keepSecret(c, isHttps(dependencies), secret);
  return signedIn(c, secret, session);
}

function signedIn(c: WebContext, secret: string, { principal, timeZone }: WebSession): SignedIn {
  const reader = readerOf(c.req.header('accept-language'), timeZone);
  return { secret, principal, reader, csrf: csrfToken(secret) };
}

/** Behind a proxy, which is where https ends, the address that the proxy itself has added last. */
function addressOf(c: WebContext, { publicUrl }: WebDependencies): string {
  const forwarded = publicUrl && c.req.header('x-forwarded-for')?.split(',').at(-1)?.trim();
  if (forwarded) return forwarded;
  try {
    return getConnInfo(c).remote.address ?? 'unknown';
  } catch {
    return 'unknown';
  }
}

const listFields = ['chosen'];

/** @throws CountersignError forbidden for a form of another site; unsupported_media_type, invalid_request */
async function readForm(c: WebContext, dependencies: WebDependencies): Promise<Typed> {
  if (!isFromHere(c, dependencies)) {
    throw new CountersignError('forbidden', 'That came from another site, so nothing was done.');
  }
  const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded') throw new CountersignError('unsupported_media_type');
  const form = new URLSearchParams(await c.req.text());
  // Boxes of one name are ticked several times: a list, which stays one field on its way through other pages.
  const lists = Object.fromEntries(
    listFields.filter((name) => form.has(name)).map((name) => [name, form.getAll(name).join(' ')]),
  );
  const fields = [...form].filter(([name]) => /^[a-zA-Z]{1,30}$/.test(name));
  return { ...Object.fromEntries(fields), ...lists };
}

function pathWithQuery(c: WebContext): string {
  const { pathname, search } = new URL(c.req.url);
  return pathname + search;
}

function refusedSignIn(c: WebContext, error: unknown, typed: Typed, next?: string): Response {
  if (!(error instanceof CountersignError) || error.status >= 500) throw error;
  if (error.status === 429) c.header('retry-after', String(error.details['retryAfterSeconds']));
  return signInPage(c, { says: error.detail, wrong: true, typed, status: error.status, next });
}

interface SignInProps {
  readonly says?: string;
  readonly wrong?: boolean;
  /** What was sent when the session was over. */
  readonly typed?: Typed;
  readonly next?: string | undefined;
  readonly status?: number;
}

function signInPage(c: WebContext, { says, wrong, typed, next, status = 200 }: SignInProps): Response {
  const action = typed && Object.keys(typed).length > 0 ? c.req.path : '/sign-in';
  return respond(
    c,
    <Page title="Sign in" kind="sign-in">
      <h1>Sign in</h1>
      {says !== undefined && (
        <Notice kind={wrong === true ? 'wrong' : 'note'}>
          <p>{says}</p>
        </Notice>
      )}
      {typed?.['comment'] !== undefined && typed['comment'] !== '' && (
        <blockquote class="said">
          <p class="faint">What you typed is kept:</p>
          <p>{typed['comment']}</p>
        </blockquote>
      )}
      <form method="post" action={action} class="stack" data-plain>
        <p>
          <label for="token">Your token</label>
          <input
            id="token"
            name="token"
            type="password"
            required
            autofocus
            autocomplete="current-password"
            spellcheck={false}
            aria-describedby="token-hint"
          />
        </p>
        <p id="token-hint" class="faint">
          It begins with cs_. An administrator makes one for you; <code>countersign up</code> writes those of
          the embedded tenants into up.json.
        </p>
        <input type="hidden" name="timeZone" value="" data-time-zone />
        {next !== undefined && <input type="hidden" name="next" value={next} />}
        {typed && <HiddenFields typed={typed} />}
        <button class="main">Sign in</button>
      </form>
    </Page>,
    status,
  );
}
