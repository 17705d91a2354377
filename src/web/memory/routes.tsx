import { findMemory, forgetMemory, listMemories, pinMemory, unpinMemory } from '../../application/memory';
import { correctMemory, correctionBody, memoryHistory } from '../../application/memoryCorrections';
import { askPeople } from '../../application/memoryProposals';
import { listHolds, quarantineMemory, releaseMemory } from '../../application/memoryReviews';
import { holdsScope } from '../../domain/access/scopes';
import type { CountersignError } from '../../domain/errors';
import { holdBody } from '../../domain/memory/review';
import { parseInput } from '../../http/context';
import { encodeCursor } from '../../http/cursor';
import { afterMemory } from '../../http/memoryViews';
import { pathPart } from '../asked';
import { Confirm } from '../confirm';
import type { Typed, Web, WebContext, WebDependencies } from '../context';
import { Done, doOrShowAgain } from '../forms';
import { respond } from '../layout';
import { requireScope } from '../navigation';
import { signedInOnly } from '../session';
import { sentence } from '../words';
import { HistoryPage } from './historyPage';
import { MemoryPage, type MemoryPageProps } from './pages';
import { areaOf, whoseOf } from './whose';

const pageSize = 50;

/** `/memory`, what is remembered about whoever is signed in; `/people/{id}/memory`, the same about somebody else. */
export function memoryRoutes(web: Web, dependencies: WebDependencies): void {
  for (const base of ['/memory', '/people/:owner/memory']) routesUnder(base, web, dependencies);
  holdRoutes(web, dependencies);
}

function routesUnder(base: string, web: Web, dependencies: WebDependencies): void {
  const { memory } = dependencies;
  const only = signedInOnly(dependencies);
  const show = (c: WebContext, more: Shown, status = 200) => showMemories(c, dependencies, more, status);

  web.get(base, only, (c) => show(c, { notice: <Done done={c.req.query('done')} words={doneWords} /> }));

  for (const path of ['/:id', '/:id/correct', '/:id/pin', '/:id/unpin', '/:id/forget'])
    web.get(`${base}${path}`, only, (c) => c.redirect(whoseOf(c).base, 303));

  web.get(`${base}/:id/history`, only, async (c) => {
    const signedIn = c.get('signedIn');
    requireScope(signedIn.principal, 'memory:read');
    const whose = whoseOf(c);
    const versions = await memoryHistory(memory, signedIn.principal, pathPart(c, 'id'), whose.owner);
    return respond(c, <HistoryPage signedIn={signedIn} whose={whose} versions={versions} />);
  });

  web.post(`${base}/:id/correct`, only, (c) =>
    doOrShowAgain(
      c,
      ({ typed, notice, error }, status) =>
        show(c, { typed, notice, ...(error ? { wrong: pathPart(c, 'id') } : {}) }, status),
      async (typed) => {
        const { principal } = c.get('signedIn');
        requireScope(principal, 'memory:write');
        const { base: back, owner } = whoseOf(c);
        const found = await findMemory(memory, principal, pathPart(c, 'id'), owner);
        const version = Number(typed['version']) || found.version;
        const correction = parseInput(correctionBody, { value: typed['value'] ?? '', version });
        const decision = await correctMemory(memory, principal, found.id, correction, owner);
        await askPeople(dependencies, principal.tenant, decision);
        const { candidateId } = decision;
        return c.redirect(`${back}?done=${candidateId === null ? 'corrected' : 'proposed'}`, 303);
      },
      refused,
    ),
  );

  for (const [name, act] of [['pin', pinMemory] as const, ['unpin', unpinMemory] as const])
    web.post(`${base}/:id/${name}`, only, (c) =>
      doOrShowAgain(
        c,
        ({ notice }, status) => show(c, { notice }, status),
        async () => {
          const { principal } = c.get('signedIn');
          requireScope(principal, 'memory:write');
          const { base: back, owner } = whoseOf(c);
          await act(memory, principal, pathPart(c, 'id'), owner);
          return c.redirect(`${back}?done=${name}`, 303);
        },
      ),
    );

  web.post(`${base}/:id/forget`, only, (c) =>
    doOrShowAgain(
      c,
      ({ notice }, status) => show(c, { notice }, status),
      async (typed) => {
        const signedIn = c.get('signedIn');
        requireScope(signedIn.principal, 'memory:write');
        const { base: back, owner } = whoseOf(c);
        const found = await findMemory(memory, signedIn.principal, pathPart(c, 'id'), owner);
        if (typed['confirmed'] === undefined) {
          const asks = {
            title: 'Forget this?',
            yes: 'Yes, forget it',
            action: `${back}/${found.id}/forget`,
            back,
          };
          return respond(
            c,
            <Confirm {...asks} area={areaOf(whoseOf(c))} signedIn={signedIn}>
              <p>
                <strong>{found.key}</strong>: {found.value}
              </p>
              <p>
                It is removed with all its earlier versions. That something was forgotten stays on record,
                without its words.
              </p>
            </Confirm>,
          );
        }
        await forgetMemory(memory, signedIn.principal, found.id, owner);
        return c.redirect(`${back}?done=forgotten`, 303);
      },
    ),
  );
}

/** An administrator's, about somebody else's memory. */
function holdRoutes(web: Web, dependencies: WebDependencies): void {
  const acts = {
    hold: async (c: WebContext, owner: string, typed: Typed) => {
      const words = parseInput(holdBody, { reason: typed['reason'] });
      await quarantineMemory(dependencies, c.get('signedIn').principal, owner, pathPart(c, 'id'), words);
    },
    release: (c: WebContext, owner: string) =>
      releaseMemory(dependencies, c.get('signedIn').principal, owner, pathPart(c, 'id')),
  };
  for (const [name, act] of Object.entries(acts)) {
    const path = `/people/:owner/memory/:id/${name}`;
    web.get(path, signedInOnly(dependencies), (c) => c.redirect(whoseOf(c).base, 303));
    web.post(path, signedInOnly(dependencies), (c) =>
      doOrShowAgain(
        c,
        ({ notice }, status) => showMemories(c, dependencies, { notice }, status),
        async (typed) => {
          requireScope(c.get('signedIn').principal, 'admin');
          await act(c, pathPart(c, 'owner'), typed);
          return c.redirect(`${whoseOf(c).base}?done=${name}`, 303);
        },
      ),
    );
  }
}

type Shown = Pick<MemoryPageProps, 'notice' | 'typed' | 'wrong'>;

async function showMemories(
  c: WebContext,
  dependencies: WebDependencies,
  more: Shown,
  status: number,
): Promise<Response> {
  const signedIn = c.get('signedIn');
  const { principal } = signedIn;
  requireScope(principal, 'memory:read');
  const whose = whoseOf(c);
  const { owner } = whose;
  const page = { limit: pageSize, ...afterMemory(c.req.query('cursor')) };
  const { items, next } = await listMemories(dependencies.memory, principal, page, owner);
  const listed = { items, nextCursor: encodeCursor(next) };
  const held =
    owner !== undefined && !whose.own && holdsScope(principal.key.scopes, ['admin'])
      ? (await listHolds(dependencies, principal, { limit: pageSize, owner })).items
      : [];
  return respond(c, <MemoryPage {...{ signedIn, whose, held }} {...listed} {...more} />, status);
}

const doneWords = {
  corrected: 'Corrected.',
  proposed: 'Your correction waits for an administrator.',
  forgotten: 'Forgotten.',
  pin: 'Pinned.',
  unpin: 'Not pinned any more.',
  hold: 'It is in quarantine: nothing believes it until it is released.',
  release: 'Released: it is believed again.',
};

function refused(error: CountersignError): string {
  if (error.code === 'version_conflict')
    return 'It was changed elsewhere while you were typing; look at it again.';
  if (error.code === 'memory_denied') return `That is not kept. ${sentence(error.detail)}`;
  return `That can not be kept as it is. ${sentence(error.detail)}`;
}
