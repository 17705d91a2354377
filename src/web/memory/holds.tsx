import { holdReasons } from '../../domain/memory/review';
import type { MemoryHold } from '../../ports/memoryReviews';
import type { SignedIn } from '../context';
import { When } from '../time';
import { spaced } from '../words';
import type { Whose } from './whose';

/** An administrator's way to have nobody believe it, without removing anything. */
export function HoldForm({ id, whose, csrf }: { id: string; whose: Whose; csrf: string }) {
  return (
    <details>
      <summary>Quarantine</summary>
      <form method="post" action={`${whose.base}/${id}/hold`} class="choice">
        <input type="hidden" name="csrf" value={csrf} />
        <label for={`${id}-reason`}>Why</label>
        <select id={`${id}-reason`} name="reason">
          {holdReasons.map((reason) => (
            <option value={reason}>{spaced(reason)}</option>
          ))}
        </select>
        <button>Put in quarantine</button>
      </form>
    </details>
  );
}

interface HeldProps {
  readonly held: readonly MemoryHold[];
  readonly whose: Whose;
  readonly signedIn: SignedIn;
}

/** What nobody believes for now or for good, with who said so. */
export function Held({ held, whose, signedIn: { csrf, reader } }: HeldProps) {
  if (held.length === 0) return <></>;
  return (
    <section aria-labelledby="held-title">
      <h2 id="held-title">Not believed</h2>
      <ul class="sheets">
        {held.map(({ id, memoryId, hold, sourceId, reason, comment, actor, heldAt }) => (
          <li>
            <p>
              <a href={`${whose.base}/${memoryId}/history`}>{memoryId}</a>{' '}
              <span class="tag risk">{spaced(hold)}</span>
              {spaced(reason)}, by {actor}, <When at={new Date(heldAt).toISOString()} reader={reader} />
              {sourceId !== null && ', because its source is held'}
            </p>
            {comment !== null && <blockquote class="said">{comment}</blockquote>}
            {hold === 'quarantine' && sourceId === null && (
              <form method="post" action={`${whose.base}/${memoryId}/release`} id={id}>
                <input type="hidden" name="csrf" value={csrf} />
                <button>Release</button>
              </form>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
