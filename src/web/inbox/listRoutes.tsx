import type { z } from 'zod';
import {
  countApprovals,
  listApprovals,
  listChoices,
  type Choice,
  type InboxQuery,
} from '../../application/readInbox';
import type { ApprovalView } from '../../application/views';
import { holdsScope } from '../../domain/access/scopes';
import { CountersignError } from '../../domain/errors';
import type { InboxCounts } from '../../ports/inbox';
import type { Principal } from '../../ports/people';
import { parseInput } from '../../http/context';
import { encodeCursor } from '../../http/cursor';
import { inboxQuery, inboxQueryOf } from '../../http/inboxQuery';
import { answered, askedOf } from '../asked';
import type { Web, WebContext, WebDependencies } from '../context';
import { respond } from '../layout';
import { digestOf, streamState } from '../live';
import { signedInOnly } from '../session';
import { ListPage, type ListProps } from './listPage';

export type Asked = Readonly<Partial<Record<keyof z.infer<typeof inboxQuery>, string>>>;

export interface Listed {
  readonly items: readonly ApprovalView[];
  readonly nextCursor: string | null;
  readonly counts: InboxCounts;
  /** Over all of it: two lists with the same one show the same. */
  readonly digest: string;
  /** What this person can do with those that are open. */
  readonly choices: ReadonlyMap<string, Choice>;
}

/** `/inbox` and its events. */
export function listRoutes(web: Web, dependencies: WebDependencies): void {
  web.get('/inbox', signedInOnly(dependencies), async (c) => {
    requireReading(c.get('signedIn').principal);
    return showList(c, dependencies, askedHere(askedOf(c)));
  });

  web.get('/inbox/events', signedInOnly(dependencies), async (c) => {
    const { principal } = c.get('signedIn');
    requireReading(principal);
    const asked = askedHere(askedOf(c));
    const { inboxWatch } = dependencies;
    const news = { subscribe: (changed: () => void) => inboxWatch.subscribe(principal.tenant, changed) };
    return streamState(c, dependencies, news, async () => {
      const { items } = await listApprovals(dependencies, principal, queryAsked(asked, principal));
      return digestOf(items, await countApprovals(dependencies, principal));
    });
  });
}

interface Again extends Pick<ListProps, 'chosen' | 'notice'> {
  readonly status?: number;
}

/** The list that is asked for; once more with what was chosen of it, where that could not be decided yet. */
export async function showList(
  c: WebContext,
  dependencies: WebDependencies,
  asked: Asked,
  { status = 200, ...again }: Again = {},
): Promise<Response> {
  const signedIn = c.get('signedIn');
  const { found, wrong } = await answered(() => listed(dependencies, signedIn.principal, asked));
  const shown = found ? { listed: found } : { wrong };
  return respond(
    c,
    <ListPage signedIn={signedIn} asked={asked} {...again} {...shown} />,
    wrong === undefined ? status : 422,
  );
}

/** @throws CountersignError insufficient_scope */
export function requireReading({ key }: Principal): void {
  if (holdsScope(key.scopes, ['approvals:read'])) return;
  throw new CountersignError('insufficient_scope', 'Your key does not open the inbox; ask an administrator.');
}

/** Without a status, what is open is shown. */
export function askedHere({ status = 'open', ...rest }: Asked): Asked {
  return { ...rest, status };
}

/** @throws CountersignError invalid_request, amount_* */
function queryAsked({ status, ...rest }: Asked, principal: Principal): InboxQuery {
  const parsed = parseInput(inboxQuery, { ...rest, ...(status === 'any' ? {} : { status }) });
  return inboxQueryOf(parsed, principal);
}

async function listed(dependencies: WebDependencies, principal: Principal, asked: Asked): Promise<Listed> {
  const query = queryAsked(asked, principal);
  const [{ items, next, choices }, counts] = await Promise.all([
    listChoices(dependencies, principal, query),
    countApprovals(dependencies, principal),
  ]);
  const nextCursor = encodeCursor(next && { order: query.order, ...next });
  return { items, nextCursor, counts, digest: digestOf(items, counts), choices };
}
