import type { Child } from 'hono/jsx';
import { CountersignError } from '../domain/errors';
import type { Typed, WebContext } from './context';
import { Interruption, Notice } from './layout';
import { sentence } from './words';

/** What a page shows once more after a form that was not done. */
export interface Again {
  readonly typed: Typed;
  readonly notice: Child;
  readonly error?: CountersignError | undefined;
}

/**
 * Does what a form asks. What must be looked at again, or was refused, comes back as its page with all that was typed.
 * @throws CountersignError not_found, and what is no answer to the form
 */
export async function doOrShowAgain(
  c: WebContext,
  show: (again: Again, status: number) => Promise<Response>,
  work: (typed: Typed) => Promise<Response>,
  words: (error: CountersignError) => string = refusalText,
): Promise<Response> {
  const typed = c.get('typed');
  const interrupted = c.get('interrupted');
  if (interrupted) return show({ typed, notice: <Interruption {...interrupted} /> }, interrupted.status);
  try {
    return await work(typed);
  } catch (error) {
    if (!(error instanceof CountersignError) || error.status >= 500 || error.status === 404) throw error;
    const notice = (
      <Notice kind="wrong">
        <p>{words(error)}</p>
        <p>Nothing that you typed is lost.</p>
      </Notice>
    );
    return show({ typed, notice, error }, error.status);
  }
}

export function refusalText({ status, detail }: CountersignError): string {
  return `${status === 403 ? 'You may not do that. ' : ''}${sentence(detail)}`;
}

/** Says what came of a form, by the address that it led to. */
export function Done({
  done = '',
  words,
}: {
  done: string | undefined;
  words: Readonly<Record<string, string>>;
}) {
  if (!Object.hasOwn(words, done)) return <></>;
  return (
    <Notice kind="done">
      <p>{words[done]}</p>
    </Notice>
  );
}

/** Lines end as the net has them; what is said is the same through every door. */
export function textOf(typed: Typed, name: string): string {
  return (typed[name] ?? '').replaceAll('\r\n', '\n').trim();
}
