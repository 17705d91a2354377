import type { Child } from 'hono/jsx';
import { queryOf } from './asked';

interface LiveListProps {
  /** Of its page; its events are below. */
  readonly path: string;
  readonly asked: Readonly<Partial<Record<string, string>>>;
  readonly digest: string;
  /** What is said of a row that has left the list. */
  readonly gone: string;
  readonly isEmpty: boolean;
  /** Something stands below that must not be pushed down: even the first row waits until somebody asks for it. */
  readonly still?: boolean;
  readonly children?: Child;
}

/**
 * A list that follows what happens. Its rows stand in an element with `data-rows`; each has its id as `data-row`, its link
 * as `data-open`, and a `data-outcome` that is written over once it has left.
 */
export function LiveList({ path, asked, digest, gone, isEmpty, still, children }: LiveListProps) {
  return (
    <>
      <p id="news" class="news" role="status"></p>
      <div
        id="list"
        class={isEmpty ? 'empty' : 'scroll'}
        data-stream={`${path}/events?${queryOf(asked)}`}
        data-seen={digest}
        data-gone={gone}
        {...(still ? { 'data-still': 'yes' } : {})}
      >
        {children}
      </div>
    </>
  );
}
