import type { EffectView } from '../../application/inspectRun';
import type { MovementView } from '../../application/reconciliationViews';
import type { Reader } from '../reader';
import { Head } from '../table';
import { Age } from '../time';
import { spaced } from '../words';

/** Every call to the provider, by its key. */
export function Effects({ effects, reader }: { effects: readonly EffectView[]; reader: Reader }) {
  return (
    <section aria-labelledby="effects-title">
      <h2 id="effects-title">Calls to the provider</h2>
      {effects.length === 0 ? (
        <p class="faint">None yet.</p>
      ) : (
        <table>
          <Head columns={['Key', 'State', 'Refund', { wide: 'Tried' }, { wide: 'First' }]} />
          <tbody>
            {effects.map(({ key, state, attempts, providerId, errorCode, firstSentAt }) => (
              <tr>
                <th scope="row">
                  <code>{key}</code>
                </th>
                <td>
                  {spaced(state)}
                  {errorCode !== null && <span class="tag">{errorCode}</span>}
                </td>
                <td>{providerId === null ? '–' : <code>{providerId}</code>}</td>
                <td class="wide">{attempts === 1 ? 'once' : `${attempts} times`}</td>
                <td class="wide">
                  <Age at={firstSentAt} reader={reader} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

/** What it moved between the accounts of its payment. */
export function Movements({ movements, reader }: { movements: readonly MovementView[]; reader: Reader }) {
  if (movements.length === 0) return <></>;
  return (
    <section aria-labelledby="movements-title">
      <h2 id="movements-title">What it moved</h2>
      <table>
        <Head columns={['What', 'From and to', { wide: 'By' }, 'When']} />
        <tbody>
          {movements.map(({ cause, movements: moved, currency, actor, at }) => (
            <tr>
              <th scope="row">{spaced(cause)}</th>
              <td>{moved.map(({ account, value }) => `${account} ${value} ${currency}`).join(', ')}</td>
              <td class="wide">{actor}</td>
              <td>
                <Age at={at} reader={reader} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
