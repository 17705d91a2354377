import { after, hourMs, outcome, two, withPolicy, type Step } from './steps';

describe('questions', () => {
  const paused = withPolicy({ infoPauseHours: 10 });
  const asked = after(two, ['ann', 'request_info', { decisionId: 'q1' }]);

  test.each<[string, Step[], string]>([
    ['one open question a reviewer', [['ann', 'request_info']], 'info_already_requested'],
    ['another reviewer may ask too', [['bob', 'request_info']], 'open'],
    ['the only question needs no name', [['requester', 'answer_info']], 'open'],
    [
      'the person behind the requester answers too',
      [['principal', 'answer_info', { questionId: 'q1' }]],
      'open',
    ],
    ['an answer to nothing', [['requester', 'answer_info', { questionId: 'q7' }]], 'no_open_question'],
    [
      'a second answer',
      [
        ['requester', 'answer_info'],
        ['principal', 'answer_info'],
      ],
      'no_open_question',
    ],
    [
      'of several one has to be named',
      [
        ['bob', 'request_info'],
        ['requester', 'answer_info'],
      ],
      'invalid_request',
    ],
    [
      'asked again after the answer',
      [
        ['requester', 'answer_info'],
        ['ann', 'request_info'],
      ],
      'open',
    ],
    [
      'a question stops no other vote',
      [
        ['bob', 'approve'],
        ['lead', 'approve'],
      ],
      'approved',
    ],
  ])('R25: %s', (_what, steps, expected) => {
    expect(outcome(asked, steps)).toBe(expected);
  });

  test('R28: a question stops no clock where policy does not say so', () => {
    expect([asked.deadline, asked.pause]).toEqual([two.deadline, undefined]);
    expect(after(asked, ['requester', 'answer_info', { at: hourMs }]).deadline).toBe(two.deadline);
  });

  test('R28: where policy says so the deadline moves by exactly as long as the question waited', () => {
    const waiting = after(paused, ['ann', 'request_info', { at: hourMs }]);
    expect(waiting.deadline).toBe(two.deadline + 10 * hourMs);
    const answered = after(waiting, ['requester', 'answer_info', { at: 4 * hourMs }]);
    expect(answered.deadline).toBe(two.deadline + 3 * hourMs);
    // What is left of the pause is for the next question.
    const again = after(answered, ['ann', 'request_info', { at: 5 * hourMs }]);
    expect(again.deadline).toBe(two.deadline + 10 * hourMs);
    expect(after(again, ['requester', 'answer_info', { at: 60 * hourMs }]).deadline).toBe(
      two.deadline + 10 * hourMs,
    );
  });

  test('R28: two questions at once stop the clock once, until both are answered', () => {
    const both = after(
      paused,
      ['ann', 'request_info', { at: 0, decisionId: 'q1' }],
      ['bob', 'request_info', { at: hourMs, decisionId: 'q2' }],
      ['requester', 'answer_info', { at: 2 * hourMs, questionId: 'q1' }],
    );
    expect(both.deadline).toBe(two.deadline + 10 * hourMs);
    const none = after(both, ['requester', 'answer_info', { at: 3 * hourMs, questionId: 'q2' }]);
    expect(none.deadline).toBe(two.deadline + 3 * hourMs);
  });

  test('R28: whoever has decided asks nothing any more, and the clock goes on', () => {
    const voted = after(paused, ['ann', 'request_info', { at: 0 }], ['ann', 'approve', { at: 2 * hourMs }]);
    expect([voted.questions, voted.deadline]).toEqual([[], two.deadline + 2 * hourMs]);
    const other = after(paused, ['ann', 'request_info', { at: 0 }], ['bob', 'approve', { at: 2 * hourMs }]);
    expect(other.questions).toHaveLength(1);
  });

  test('R22: a question outlives a revision, and its answer names the revision in force', () => {
    const edited = after(
      paused,
      ['ann', 'request_info', { at: 0 }],
      ['bob', 'edit', { at: hourMs, arguments: { reason: 'goodwill' } }],
    );
    expect(edited).toMatchObject({
      revision: 2,
      questions: [{ by: 'ann' }],
      deadline: two.deadline + 10 * hourMs,
    });
    expect(after(edited, ['requester', 'answer_info', { at: 2 * hourMs }]).deadline).toBe(
      two.deadline + 2 * hourMs,
    );
  });
});
