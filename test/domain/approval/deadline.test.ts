import { deservesGrace, grantGrace, pausedMs, stopClock } from '../../../src/domain/approval/deadline';
import { openApproval } from './approvalFixture';
import { hourMs, minuteMs, two, withPolicy } from './steps';

const forgiving = withPolicy({ graceAfterOutageHours: 2 });
const { deadline } = forgiving;

describe('grace after an outage', () => {
  test.each<[string, boolean, number, number]>([
    ['handled in time', false, deadline, deadline],
    ['a little late', false, deadline, deadline + 5 * minuteMs - 1],
    ['late enough to be an outage', true, deadline, deadline + 5 * minuteMs],
    ['a reminder that was late, with little time left', true, deadline - 2 * hourMs, deadline - hourMs],
    ['a reminder that was late, with time enough left', false, deadline - 9 * hourMs, deadline - 8 * hourMs],
  ])('R28: %s: %s', (_what, expected, due, now) => {
    expect(deservesGrace(forgiving, due, now)).toBe(expected);
    // Where policy says nothing, nothing is forgiven.
    expect(deservesGrace(two, due, now)).toBe(false);
  });

  test('R28: it counts from when the outage is over, is given once, and says what the deadline was', () => {
    const now = deadline + 9 * hourMs;
    const extended = grantGrace(forgiving, now);
    expect(extended).toMatchObject({ deadline: now + 2 * hourMs, grace: { before: deadline, at: now } });
    expect(deservesGrace(extended, extended.deadline, extended.deadline + 9 * hourMs)).toBe(false);
  });

  test('R25: what has been decided is not opened again by it', () => {
    expect(deservesGrace({ ...forgiving, status: 'approved' }, deadline, deadline + 9 * hourMs)).toBe(false);
  });

  test('R28: policy says from when on late is an outage', () => {
    const patient = withPolicy({ graceAfterOutageHours: 2, outageAfterMinutes: 60 });
    expect(deservesGrace(patient, deadline, deadline + 59 * minuteMs)).toBe(false);
    expect(deservesGrace(patient, deadline, deadline + 60 * minuteMs)).toBe(true);
  });
});

test('R28: an approval of 0.1, which knows of no pause, is due as its ladder says', () => {
  const old = openApproval(60_000);
  expect([pausedMs(old), stopClock(old, old.openedAt)]).toEqual([0, old]);
});
