import type { Child } from 'hono/jsx';

/** A column's name; `wide`: shown only where there is room. */
type Column = string | { readonly wide: string };

interface HeadProps {
  readonly columns: readonly Column[];
  /** Whether a column without a name stands first, for what is chosen of the rows. */
  readonly box?: boolean;
}

export function Head({ columns, box = false }: HeadProps) {
  return (
    <thead>
      <tr>
        {box && <td class="box"></td>}
        {columns.map((column) =>
          typeof column === 'string' ? (
            <th scope="col">{column}</th>
          ) : (
            <th scope="col" class="wide">
              {column.wide}
            </th>
          ),
        )}
      </tr>
    </thead>
  );
}

/** Cases, one a row, each of which has a page. */
export function Cases({ caption, children, ...head }: HeadProps & { caption: string; children?: Child }) {
  return (
    <table class="cases">
      <caption class="unseen">{caption}</caption>
      <Head {...head} />
      <tbody data-rows>{children}</tbody>
    </table>
  );
}
