import type { Child } from 'hono/jsx';
import { queryOf } from './asked';
import { Paging } from './paging';

interface LiveListProps {
  /** Of its page; its events are below. */
  readonly path: string;
  /** For screen readers: more of what. */
  readonly of: string;
  readonly asked: Readonly<Partial<Record<string, string>>>;
  readonly listed: {
    readonly items: readonly unknown[];
    readonly nextCursor: string | null;
    readonly digest: string;
  };
  /** What is said of a row that has left the list. */
  readonly gone: string;
  /** What stands there where there is no row. */
  readonly none: Child;
  /** Something stands below that must not be pushed down: even the first row waits until somebody asks for it. */
  readonly still?: boolean;
  readonly children?: Child;
}

/**
 * A page of a list that follows what happens, and the way to the next. Its rows stand in an element with `data-rows`; each
 * has its id as `data-row`, its link as `data-open`, and a `data-outcome` that is written over once it has left.
 */
export function LiveList({ path, of, asked, listed, gone, none, still, children }: LiveListProps) {
  const isEmpty = listed.items.length === 0;
  return (
    <>
      <p id="news" class="news" role="status"></p>
      <div
        id="list"
        class={isEmpty ? 'empty' : 'scroll'}
        data-stream={`${path}/events?${queryOf(asked)}`}
        data-seen={listed.digest}
        data-gone={gone}
        {...(still ? { 'data-still': 'yes' } : {})}
      >
        {isEmpty ? none : children}
      </div>
      <Paging path={path} of={of} asked={asked} nextCursor={listed.nextCursor} />
    </>
  );
}
