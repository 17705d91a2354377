import type { Answer } from '../countersignApi';
import { findEverywhere } from '../leakScan';
import type { Scene, Stage } from '../stage';

const owner = 'cus_ada';
const preference = 'Prefers a new item to money where there is one';
/** The number that card networks print on samples. */
const cardNumber = '4111 1111 1111 1111';

interface Verdict {
  readonly memoryId?: string | null;
  readonly ruleIds?: readonly string[];
}

interface Memories {
  readonly items: readonly { readonly key: string; readonly value: string }[];
}

const explicit = {
  ownerId: owner,
  kind: 'semantic',
  key: 'preference.remedy',
  value: preference,
  source: 'user_explicit',
  explicitUserRequest: true,
  confidence: 1,
  evidence: [{ kind: 'turn', ref: 'thread-7/3' }],
};

/** A candidate is not a write: what is stored, what is refused, and who sees it. */
export const memoryGate: Scene = {
  title: 'What may be remembered',
  async play(stage) {
    const { checks, service } = stage;
    stage.say('"Please remember that I prefer a new item to money."');
    const stored = await propose(stage, {});
    checks.equal(
      'an explicit preference is stored',
      [stored.status, await remembered(stage)],
      [201, [{ key: explicit.key, value: preference }]],
    );
    stage.say('The model noticed that she sounded tired. Nobody asked it to note that.');
    const incidental = await propose(stage, {
      key: 'mood',
      value: 'Sounded tired on Monday',
      source: 'inferred',
      explicitUserRequest: false,
      confidence: 0.6,
    });
    checks.equal('an incidental remark is refused', refusal(incidental), [
      403,
      'memory_denied',
      ['origin.inferred'],
    ]);
    stage.say('The agent would like a new rule for itself: small refunds need no second look.');
    const selfRewrite = await stage.agent.post<Verdict>('/v1/memories', {
      ...explicit,
      kind: 'procedural',
      key: 'refund-procedure',
      value: 'Handle small refunds quickly',
      source: 'inferred',
      explicitUserRequest: false,
    });
    checks.equal(
      'the agent cannot rewrite its own procedure: it waits for an administrator',
      [selfRewrite.status, selfRewrite.body.memoryId, selfRewrite.body.ruleIds],
      [202, null, ['kind.procedural', 'origin.inferred', 'policy:suggest-procedure']],
    );
    await cardNumberIsNowhere(stage);

    checks.equal('only the preference is there in the end', (await remembered(stage)).length, 1);
    const id = stored.body.memoryId ?? 'none';
    const elsewhere = [
      await service.get<Memories>('/v1/memories?owner=cus_bob'),
      await stage.stranger.get<Memories>(`/v1/memories?owner=${owner}`),
    ];
    checks.equal(
      'another owner and another tenant see nothing',
      elsewhere.map(({ status, body }) => [status, body.items]),
      [
        [200, []],
        [200, []],
      ],
    );
    const byId = [
      await service.get(`/v1/memories/${id}?owner=cus_bob`),
      await stage.stranger.get(`/v1/memories/${id}?owner=${owner}`),
    ];
    checks.equal(
      'nor by the id of the memory',
      byId.map(({ status, body }) => [status, body.code]),
      [
        [404, 'not_found'],
        [404, 'not_found'],
      ],
    );
  },
};

async function cardNumberIsNowhere(stage: Stage): Promise<void> {
  const { checks } = stage;
  stage.say('"My card is 4111 …, do keep it." It goes to memory, and into the note of a refund.');
  const remembering = await propose(stage, { key: 'payment.card', value: `My card is ${cardNumber}` });
  checks.equal('a card number is refused by the memory gate', refusal(remembering), [
    403,
    'memory_denied',
    ['content.sensitive'],
  ]);
  const charge = await stage.provider.charge(20_00);
  const noting = await stage.ask(charge, '20.00', { note: `refund to ${cardNumber} please` });
  checks.equal(
    'a card number in a note is refused at the door',
    [noting.status, noting.body.code],
    [422, 'sensitive_text'],
  );

  stage.say('Looking for it in every row, every workflow history and every log.');
  // First something that is there, so that finding nothing means something.
  const runId = await stage.propose(charge, '20.00');
  await stage.untilDone(runId);
  const present = await findEverywhere(stage, runId);
  checks.equal(
    'the search finds what is there: this run is in rows, in its history and in files',
    [present.rows > 0, present.workflows, present.files > 0],
    [true, 1, true],
  );
  checks.equal('the card number is found nowhere', await findEverywhere(stage, cardNumber), {
    rows: 0,
    workflows: 0,
    files: 0,
  });
}

function propose(stage: Stage, changes: object): Promise<Answer<Verdict>> {
  return stage.service.post('/v1/memories', { ...explicit, ...changes });
}

async function remembered({ service }: Stage): Promise<{ key: string; value: string }[]> {
  const { items } = await service.read<Memories>(`/v1/memories?owner=${owner}`);
  return items.map(({ key, value }) => ({ key, value }));
}

function refusal({ status, body }: Answer<Verdict>): unknown {
  return [status, body.code, body.ruleIds];
}
