import { queryOf } from './asked';

interface PagingProps {
  readonly path: string;
  /** For screen readers: more of what. */
  readonly of: string;
  readonly asked: Readonly<Partial<Record<string, string>>>;
  readonly nextCursor: string | null;
}

/** Goes on where this page ended; there is no way back but the first one and the browser's own. */
export function Paging({ path, of, asked: { cursor, ...rest }, nextCursor }: PagingProps) {
  if (cursor === undefined && nextCursor === null) return <></>;
  return (
    <nav aria-label={`More ${of}`} class="paging">
      {cursor !== undefined && <a href={`${path}?${queryOf(rest)}`}>First page</a>}
      {nextCursor !== null && (
        <a rel="next" href={`${path}?${queryOf({ ...rest, cursor: nextCursor })}`}>
          Next page
        </a>
      )}
    </nav>
  );
}
