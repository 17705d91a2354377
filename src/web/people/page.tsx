import type { Person } from '../../ports/directory';
import type { MemoryHold } from '../../ports/memoryReviews';
import type { SignedIn } from '../context';
import { Page } from '../layout';
import { Head } from '../table';
import { Age } from '../time';
import { spaced } from '../words';

interface PeopleProps {
  readonly signedIn: SignedIn;
  readonly people: readonly Person[];
  readonly held: readonly MemoryHold[];
}

export function PeoplePage({ signedIn, people, held }: PeopleProps) {
  return (
    <Page title="People" signedIn={signedIn} area="people">
      <h1>What is remembered about people</h1>
      <form method="get" action="/people" class="filters" role="search" aria-label="People">
        <p>
          <label for="owner">Customer or user</label>
          <input id="owner" name="owner" required placeholder="cus_…" maxlength={128} data-key="/" />
        </p>
        <p class="act">
          <button>Show</button>
        </p>
      </form>
      {held.length > 0 && (
        <section aria-labelledby="held-title">
          <h2 id="held-title">Held memories, oldest first</h2>
          <table>
            <Head columns={['Of', 'Why', 'By', 'Since']} />
            <tbody>
              {held.map(({ owner, hold, reason, actor, heldAt }) => (
                <tr>
                  <th scope="row">
                    <a href={memoryOf(owner)}>{owner}</a>
                  </th>
                  <td>
                    {spaced(reason)} <span class="tag risk">{hold}</span>
                  </td>
                  <td>{actor}</td>
                  <td>
                    <Age at={new Date(heldAt).toISOString()} reader={signedIn.reader} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {people.length > 0 && (
        <section aria-labelledby="people-title">
          <h2 id="people-title">Who works here</h2>
          <ul>
            {people.map(({ id, displayName, kind }) => (
              <li>
                <a href={memoryOf(id)}>{displayName}</a>{' '}
                <span class="faint">
                  {id}, {kind}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </Page>
  );
}

function memoryOf(owner: string): string {
  return `/people/${encodeURIComponent(owner)}/memory`;
}
