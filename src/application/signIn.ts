import { CountersignError } from '../domain/errors';
import type { SignInFailures, SignInMethod, WebSession, WebSessions } from '../ports/webSessions';

/** So many failed sign-ins from one place within the window, and no more are looked at. */
const mostFailures = 10;
const windowMs = 60_000;

export interface SignInUseCases {
  readonly sessions: WebSessions;
  readonly signInFailures: SignInFailures;
  readonly signInMethod: SignInMethod;
}

/**
 * Opens a session of the pages for a person. `from`: where the sign-in comes from, such as an address.
 * @returns the session, and the secret that the browser is to keep
 * @throws CountersignError too_many_attempts, unauthenticated; forbidden for a service or an agent
 */
export async function signIn(
  { sessions, signInFailures, signInMethod }: SignInUseCases,
  proof: string,
  from: string,
  timeZone: string | null,
): Promise<{ secret: string; session: WebSession }> {
  if ((await signInFailures.count(from, windowMs)) >= mostFailures) {
    throw new CountersignError('too_many_attempts', undefined, { retryAfterSeconds: windowMs / 1_000 });
  }
  const principal = await signInMethod.prove(proof);
  if (!principal) {
    await signInFailures.add(from, windowMs);
    throw new CountersignError(
      'unauthenticated',
      'That token opens nothing: it is mistyped, expired or revoked.',
    );
  }
  if (principal.kind !== 'person') {
    throw new CountersignError(
      'forbidden',
      `That is the token of ${principal.kind === 'agent' ? 'an agent' : 'a service'}. These pages are for people.`,
    );
  }
  const secret = await sessions.open(principal, timeZone);
  return { secret, session: { principal, timeZone } };
}
