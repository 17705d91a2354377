import { getCookie, setCookie } from 'hono/cookie';
import { html } from 'hono/html';
import { bearerToken, type Api, type ApiContext, type HttpDependencies } from './context';

/**
 * Temporal's Web UI has no token of ours to send. An administrator signs in here once, in the same browser; the cookie
 * opens `/codec` alone, for an hour, and no page of another site can send it.
 */
const cookie = 'countersign_codec';
const seconds = 3_600;
const path = '/codec';

/** The token of this call: of its header, or of the browser's cookie. */
export function codecToken(c: ApiContext): string | undefined {
  return bearerToken(c) ?? getCookie(c, cookie);
}

export function codecSignInRoutes(api: Api, { authenticator, payloads: codec }: HttpDependencies): void {
  api.get('/codec/sign-in', (c) => page(c, 200, ''));

  api.post('/codec/sign-in', async (c) => {
    const form = new URLSearchParams(await c.req.text());
    const token = form.get('token')?.trim() ?? '';
    const principal = /^[!-~]{1,512}$/.test(token) ? await authenticator.authenticate(token) : undefined;
    if (!principal) return page(c, 401, 'That token opens nothing.');
    setCookie(c, cookie, token, {
      path,
      maxAge: seconds,
      httpOnly: true,
      sameSite: 'Strict',
      secure: codec?.uiOrigin?.startsWith('https:') ?? false,
    });
    return page(c, 200, 'Signed in for an hour. Payloads of your tenant can be read in the Web UI now.');
  });
}

function page(c: ApiContext, status: 200 | 401, said: string) {
  c.header('content-security-policy', "default-src 'none'; form-action 'self'; frame-ancestors 'none'");
  return c.html(
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <title>Countersign: decode payloads</title>
        </head>
        <body>
          <main>
            <h1>Decode payloads in Temporal's Web UI</h1>
            <p role="status">${said}</p>
            <form method="post" action="/codec/sign-in">
              <label
                >Token of an administrator <input type="password" name="token" autocomplete="off" required
              /></label>
              <button>Sign in</button>
            </form>
          </main>
        </body>
      </html>`,
    status,
  );
}
