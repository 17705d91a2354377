import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { countApprovals, listApprovals } from '../../application/readInbox';
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
import { signedInOnly } from '../session';
import { ListPage } from './listPage';
import { streamState } from './stream';

export type Asked = Readonly<Partial<Record<keyof z.infer<typeof inboxQuery>, string>>>;

export interface Listed {
  readonly items: readonly ApprovalView[];
  readonly nextCursor: string | null;
  readonly counts: InboxCounts;
  /** Over all of it: two lists with the same one show the same. */
  readonly digest: string;
}

/** `/inbox` and its events. */
export function listRoutes(web: Web, dependencies: WebDependencies): void {
  web.get('/inbox', signedInOnly(dependencies), async (c) => {
    const { principal } = c.get('signedIn');
    requireReading(principal);
    const asked = askedHere(c);
    const { found, wrong } = await answered(() => listed(dependencies, principal, asked));
    const shown = found ? { listed: found } : { wrong };
    return respond(
      c,
      <ListPage signedIn={c.get('signedIn')} asked={asked} {...shown} />,
      wrong === undefined ? 200 : 422,
    );
  });

  web.get('/inbox/events', signedInOnly(dependencies), async (c) => {
    const { principal } = c.get('signedIn');
    requireReading(principal);
    const asked = askedHere(c);
    return streamState(c, dependencies, async () => (await listed(dependencies, principal, asked)).digest);
  });
}

/** @throws CountersignError insufficient_scope */
export function requireReading({ key }: Principal): void {
  if (holdsScope(key.scopes, ['approvals:read'])) return;
  throw new CountersignError('insufficient_scope', 'Your key does not open the inbox; ask an administrator.');
}

/** Without a status, what is open is shown. */
function askedHere(c: WebContext): Asked {
  const { seen: _ofTheStream, status = 'open', ...rest } = askedOf(c);
  return { ...rest, status };
}

async function listed(
  dependencies: WebDependencies,
  principal: Principal,
  { status, ...rest }: Asked,
): Promise<Listed> {
  const parsed = parseInput(inboxQuery, { ...rest, ...(status === 'any' ? {} : { status }) });
  const query = inboxQueryOf(parsed, principal);
  const [{ items, next }, counts] = await Promise.all([
    listApprovals(dependencies, principal, query),
    countApprovals(dependencies, principal),
  ]);
  const digest = createHash('sha256')
    .update(JSON.stringify([items, counts]))
    .digest('base64url')
    .slice(0, 22);
  return { items, nextCursor: encodeCursor(next && { order: query.order, ...next }), counts, digest };
}
