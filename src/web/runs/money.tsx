import type { EffectView } from '../../application/inspectRun';
import type { MovementView } from '../../application/reconciliationViews';
import type { Reader } from '../reader';
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
          <thead>
            <tr>
              <th scope="col">Key</th>
              <th scope="col">State</th>
              <th scope="col">Refund</th>
              <th scope="col" class="wide">
                Tried
              </th>
              <th scope="col" class="wide">
                First
              </th>
            </tr>
          </thead>
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
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col">From and to</th>
            <th scope="col" class="wide">
              By
            </th>
            <th scope="col">When</th>
          </tr>
        </thead>
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
