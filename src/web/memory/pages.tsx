import type { Child } from 'hono/jsx';
import { holdsScope } from '../../domain/access/scopes';
import type { Memory } from '../../ports/memory';
import type { MemoryHold } from '../../ports/memoryReviews';
import type { SignedIn, Typed } from '../context';
import { Page } from '../layout';
import type { Reader } from '../reader';
import { When } from '../time';
import { sourceWords, spaced } from '../words';
import { Held, HoldForm } from './holds';
import { areaOf, type Whose } from './whose';

export interface MemoryPageProps {
  readonly signedIn: SignedIn;
  readonly whose: Whose;
  /** What is not believed for now, or for good; shown to administrators. */
  readonly held: readonly MemoryHold[];
  readonly items: readonly Memory[];
  readonly nextCursor: string | null;
  readonly notice?: Child;
  readonly typed?: Typed;
  /** The memory whose correction was refused. */
  readonly wrong?: string;
}

export function MemoryPage(props: MemoryPageProps) {
  const { signedIn, whose, held, items, nextCursor, notice, typed = {}, wrong } = props;
  const title = `What is remembered about ${whose.about}`;
  return (
    <Page title={title} signedIn={signedIn} kind="memory" area={areaOf(whose)}>
      <h1>{title}</h1>
      {notice}
      <p class="faint">
        It helps to propose refunds, and never decides who may approve what. Only{' '}
        {whose.owner === undefined ? 'you' : whose.about} and administrators see it
        {!whose.own && '; what an administrator corrects waits for another one'}.
      </p>
      {items.length === 0 && <p class="empty">Nothing is remembered about {whose.about}.</p>}
      <ul class="memories">
        {items.map((memory) => (
          <One
            memory={memory}
            whose={whose}
            signedIn={signedIn}
            typed={keptFor(memory, typed)}
            wrong={wrong === memory.id}
          />
        ))}
      </ul>
      {nextCursor !== null && (
        <nav aria-label="More memories" class="paging">
          <a rel="next" href={`${whose.base}?cursor=${encodeURIComponent(nextCursor)}`}>
            Next page
          </a>
        </nav>
      )}
      <Held held={held} whose={whose} signedIn={signedIn} />
    </Page>
  );
}

/** What was typed about this key, also where another version of it has come in between. */
function keptFor({ key }: Memory, typed: Typed): Typed | undefined {
  return typed['key'] === key ? typed : undefined;
}

interface OneProps {
  readonly memory: Memory;
  readonly whose: Whose;
  readonly signedIn: SignedIn;
  readonly typed: Typed | undefined;
  readonly wrong: boolean;
}

function One({ memory, whose, signedIn: { csrf, reader, principal }, typed, wrong }: OneProps) {
  const { id, key, value, kind, version } = memory;
  return (
    <li id={id}>
      <article aria-labelledby={`${id}-key`}>
        <h2 id={`${id}-key`}>{key}</h2>
        <p class="value">{value}</p>
        <p>
          <span class="tag">{kind}</span>
          {memory.personal && <span class="tag">personal</span>}
          {memory.pinned && <span class="tag">pinned</span>}
        </p>
        <Why memory={memory} reader={reader} />
        {(whose.own || holdsScope(principal.key.scopes, ['admin'])) && (
          <details open={typed !== undefined}>
            <summary>Correct</summary>
            <form method="post" action={`${whose.base}/${id}/correct`}>
              <input type="hidden" name="csrf" value={csrf} />
              <input type="hidden" name="version" value={String(version)} />
              <input type="hidden" name="key" value={key} />
              <label for={`${id}-value`}>What is right</label>
              <textarea
                id={`${id}-value`}
                name="value"
                rows={3}
                required
                {...(wrong ? { 'aria-invalid': 'true' } : {})}
              >
                {`\n${typed?.['value'] ?? value}`}
              </textarea>
              {!whose.own && <p class="faint">Another administrator decides on it before it is believed.</p>}
              <button>Correct</button>
            </form>
          </details>
        )}
        <form method="post" action={`${whose.base}/${id}/${memory.pinned ? 'unpin' : 'pin'}`}>
          <input type="hidden" name="csrf" value={csrf} />
          <button>{memory.pinned ? 'Unpin' : 'Pin'}</button>{' '}
          <span class="faint">
            What is pinned stands first in what a model sees of this person’s threads.
          </span>
        </form>
        <form method="post" action={`${whose.base}/${id}/forget`}>
          <input type="hidden" name="csrf" value={csrf} />
          <button class="danger">Forget…</button> <a href={`${whose.base}/${id}/history`}>History</a>
        </form>
        {!whose.own && holdsScope(principal.key.scopes, ['admin']) && (
          <HoldForm id={id} whose={whose} csrf={csrf} />
        )}
      </article>
    </li>
  );
}

export function Why({ memory, reader }: { memory: Memory; reader: Reader }) {
  const { source, evidence, confidence, validFrom, expiresAt, decisionId } = memory;
  return (
    <dl class="facts">
      <div>
        <dt>Why</dt>
        <dd>
          {sourceWords[source]}
          {source === 'inferred' && `, ${Math.round(confidence * 100)} % sure`}
        </dd>
      </div>
      {evidence.map(({ kind, ref }) => (
        <div>
          <dt>{spaced(kind)}</dt>
          <dd>
            <EvidenceRef kind={kind} reference={ref} />
          </dd>
        </div>
      ))}
      <div>
        <dt>Since</dt>
        <dd>
          <When at={new Date(validFrom).toISOString()} reader={reader} />
        </dd>
      </div>
      {expiresAt !== null && (
        <div>
          <dt>Until</dt>
          <dd>
            <When at={new Date(expiresAt).toISOString()} reader={reader} />
          </dd>
        </div>
      )}
      <div>
        <dt>Decision</dt>
        <dd>
          <code>{decisionId}</code>
        </dd>
      </div>
    </dl>
  );
}

/** A run leads to its approval, which may not exist: then that page says so. */
function EvidenceRef({ kind, reference }: { kind: string; reference: string }) {
  if (kind !== 'run' || !reference.startsWith('run_')) return <code>{reference}</code>;
  return <a href={`/inbox/${reference.replace(/^run_/, 'apr_')}`}>{reference}</a>;
}
