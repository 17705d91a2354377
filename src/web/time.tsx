import { ageText, momentText, type Reader } from './reader';

/** A time in the reader's zone, with its age. `iso`: ISO 8601. */
export function When({ at, reader }: { at: string; reader: Reader }) {
  return (
    <time datetime={at}>
      {momentText(at, reader)} (<span data-age={at}>{ageText(at)}</span>)
    </time>
  );
}

/** Only the age; the time itself is one hover, or one reading of the title, away. */
export function Age({ at, reader }: { at: string; reader: Reader }) {
  return (
    <time datetime={at} title={momentText(at, reader)}>
      <span data-age={at}>{ageText(at)}</span>
    </time>
  );
}
