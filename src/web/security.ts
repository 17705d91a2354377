import { createHash, timingSafeEqual } from 'node:crypto';
import { getCookie, setCookie } from 'hono/cookie';
import type { WebContext, WebDependencies } from './context';

/** No inline script or style, nothing of anybody else, nobody's frame. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function securityHeaders(headers: Headers, https: boolean): void {
  headers.set('content-security-policy', policy);
  headers.set('x-content-type-options', 'nosniff');
  headers.set('x-frame-options', 'DENY');
  // `no-referrer` would make browsers send `Origin: null` with our own forms.
  headers.set('referrer-policy', 'same-origin');
  headers.set('cross-origin-opener-policy', 'same-origin');
  headers.set('cross-origin-resource-policy', 'same-origin');
  headers.set('permissions-policy', 'camera=(), geolocation=(), microphone=(), payment=()');
  if (https) headers.set('strict-transport-security', 'max-age=31536000');
}

export function isHttps({ publicUrl }: Pick<WebDependencies, 'publicUrl'>): boolean {
  return publicUrl?.protocol === 'https:';
}

/**
 * Whether a browser sent this from one of our own pages. Browsers say so with every form; a request that says nothing
 * comes from no browser, so it carries no one's cookies unasked.
 */
export function isFromHere(c: WebContext, { publicUrl }: Pick<WebDependencies, 'publicUrl'>): boolean {
  const site = c.req.header('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin') return false;
  const origin = c.req.header('origin');
  if (origin === undefined) return true;
  const ours = publicUrl?.origin ?? `http://${c.req.header('host') ?? ''}`;
  return origin === ours;
}

const longestSeconds = 12 * 60 * 60;

function cookieName(https: boolean): string {
  return https ? '__Host-countersign' : 'countersign';
}

export function sessionSecret(c: WebContext, https: boolean): string | undefined {
  const secret = getCookie(c, cookieName(https));
  return secret !== undefined && /^[\w-]{43}$/.test(secret) ? secret : undefined;
}

/** `secret` undefined: away with it. */
export function keepSecret(c: WebContext, https: boolean, secret: string | undefined): void {
  setCookie(c, cookieName(https), secret ?? '', {
    path: '/',
    httpOnly: true,
    // A link in a message opens the page signed in; a form of another site does not arrive signed in.
    sameSite: 'Lax',
    secure: https,
    maxAge: secret === undefined ? 0 : longestSeconds,
  });
}

/** Follows from the session's secret, so that nothing more is stored, and the database alone does not tell it. */
export function csrfToken(secret: string): string {
  return createHash('sha256').update(`csrf:${secret}`).digest('base64url');
}

export function isSameToken(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** A way back into these pages, never out of them. */
export function pathHere(path: string | undefined): string {
  return path !== undefined && /^\/(?![/\\])[!-~]{0,500}$/.test(path) && !path.startsWith('/sign-')
    ? path
    : '/inbox';
}
