import type { TimelineEntry } from '../application/views';
import type { Reader } from './reader';
import { When } from './time';
import { spaced } from './words';

/** Every transition of a run with actor and time. */
export function Steps({ events, reader }: { events: readonly TimelineEntry[]; reader: Reader }) {
  return (
    <ol class="timeline">
      {events.map(({ at, actor, onBehalfOf, event, reason }) => (
        <li>
          <When at={at} reader={reader} /> {spaced(event).toLowerCase()}{' '}
          <span class="faint">
            by {actor}
            {onBehalfOf !== null && ` for ${onBehalfOf}`}
          </span>
          {reason !== null && <span class="faint">, {spaced(reason).toLowerCase()}</span>}
        </li>
      ))}
    </ol>
  );
}

export function TemporalLink({ url }: { url: string | undefined }) {
  if (url === undefined) return <></>;
  return (
    <p>
      <a href={url} target="_blank" rel="noopener noreferrer">
        The workflow in Temporal
      </a>
    </p>
  );
}

/** One row of a list of facts. */
export function Field({ name, children }: { name: string; children?: unknown }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
