import { rejectReasons } from '../../domain/approval/state';
import type { Typed } from '../context';
import { rejectWords } from '../words';

/** Why somebody rejects, in a word that can be counted. `keyed`: the key that leads there. */
export function RejectChoice({ typed, keyed }: { typed: Typed; keyed?: string }) {
  return (
    <>
      <label for="reasonCode">Why</label>{' '}
      <select id="reasonCode" name="reasonCode" {...(keyed === undefined ? {} : { 'data-key': keyed })}>
        <option value="">No reason given</option>
        {rejectReasons.map((code) => (
          <option value={code} selected={typed['reasonCode'] === code}>
            {rejectWords[code]}
          </option>
        ))}
      </select>
    </>
  );
}
