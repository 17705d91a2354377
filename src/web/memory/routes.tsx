import { findMemory, forgetMemory, listMemories, proposeMemory } from '../../application/memory';
import { holdsScope, type Scope } from '../../domain/access/scopes';
import { CountersignError } from '../../domain/errors';
import { encodeCursor } from '../../http/cursor';
import { afterMemory } from '../../http/memoryViews';
import type { Principal } from '../../ports/people';
import type { Web, WebContext, WebDependencies } from '../context';
import { Interruption, Notice, respond } from '../layout';
import { signedInOnly } from '../session';
import { sentence } from '../words';
import { ForgetPage, MemoryPage, type MemoryPageProps } from './pages';

const pageSize = 50;

/** `/memory`: what is remembered about whoever is signed in, and nobody else. */
export function memoryRoutes(web: Web, dependencies: WebDependencies): void {
  const { memory } = dependencies;
  const only = signedInOnly(dependencies);

  async function show(
    c: WebContext,
    more: Pick<MemoryPageProps, 'notice' | 'typed' | 'wrong'>,
    status = 200,
  ): Promise<Response> {
    const signedIn = c.get('signedIn');
    const page = { limit: pageSize, ...afterMemory(c.req.query('cursor')) };
    const { items, next } = await listMemories(memory, signedIn.principal, page);
    const listed = { items, nextCursor: encodeCursor(next) };
    return respond(c, <MemoryPage signedIn={signedIn} {...listed} {...more} />, status);
  }

  web.get('/memory', only, async (c) => {
    requireScope(c.get('signedIn').principal, 'memory:read');
    const done = c.req.query('done');
    const says = done === 'corrected' ? 'Corrected.' : done === 'forgotten' ? 'Forgotten.' : undefined;
    const notice = says && (
      <Notice kind="done">
        <p>{says}</p>
      </Notice>
    );
    return show(c, { notice });
  });

  for (const path of ['/memory/:id', '/memory/:id/correct', '/memory/:id/forget'] as const)
    web.get(path, only, (c) => c.redirect('/memory', 303));

  web.post('/memory/:id/correct', only, async (c) => {
    const { principal } = c.get('signedIn');
    const typed = c.get('typed');
    const interrupted = c.get('interrupted');
    if (interrupted) return show(c, { typed, notice: <Interruption {...interrupted} /> }, interrupted.status);
    requireScope(principal, 'memory:write');
    const found = await findMemory(memory, principal, idOf(c));
    try {
      // Whoever says it himself, here, says it explicitly.
      await proposeMemory(
        memory,
        principal,
        {
          key: found.key,
          kind: found.kind,
          value: typed['value'] ?? '',
          source: 'user_explicit',
          explicitUserRequest: true,
        },
        { expectedVersion: Number(typed['version']) || found.version },
      );
    } catch (error) {
      if (!(error instanceof CountersignError) || error.status >= 500) throw error;
      const notice = (
        <Notice kind="wrong">
          <p>{refused(error)} Nothing that you typed is lost.</p>
        </Notice>
      );
      return show(c, { typed, notice, wrong: found.id }, error.status);
    }
    return c.redirect('/memory?done=corrected', 303);
  });

  web.post('/memory/:id/forget', only, async (c) => {
    const { principal } = c.get('signedIn');
    const interrupted = c.get('interrupted');
    if (interrupted) return show(c, { notice: <Interruption {...interrupted} /> }, interrupted.status);
    requireScope(principal, 'memory:write');
    const found = await findMemory(memory, principal, idOf(c));
    if (c.get('typed')['confirmed'] === undefined) {
      return respond(c, <ForgetPage signedIn={c.get('signedIn')} memory={found} />);
    }
    await forgetMemory(memory, principal, found.id);
    return c.redirect('/memory?done=forgotten', 303);
  });
}

function refused(error: CountersignError): string {
  if (error.code === 'version_conflict')
    return 'It was changed elsewhere while you were typing; look at it again.';
  if (error.code === 'memory_denied') return `That is not kept. ${sentence(error.detail)}`;
  return `That can not be kept as it is. ${sentence(error.detail)}`;
}

function requireScope({ key }: Principal, scope: Scope): void {
  if (holdsScope(key.scopes, [scope])) return;
  throw new CountersignError(
    'insufficient_scope',
    `Your key has not the scope ${scope}; ask an administrator.`,
  );
}

function idOf(c: WebContext): string {
  const id = c.req.param('id') ?? '';
  if (id.includes('\u0000')) throw new CountersignError('not_found');
  return id;
}
