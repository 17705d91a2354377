import { CountersignError, type Countersign } from 'countersign';

/** A conversation with a customer, what he wants remembered, and what a model then sees of it. */
export async function rememberAndRecall(service: Countersign, customer: string) {
  const thread = await service.threads.start({ ownerId: customer, title: 'A broken cup' });
  await service.threads.append(
    thread.id,
    [{ role: 'user', text: 'The cup of ORDER-42 came broken. Please write to me in English.' }],
    { owner: customer },
  );
  const { memoryId } = await service.memories.propose({
    ownerId: customer,
    key: 'preference/language',
    value: 'Answer in English.',
    kind: 'semantic',
    source: 'user_explicit',
    explicitUserRequest: true,
  });
  const { items } = await service.recall.search('Which language in answers?', { owner: customer });
  const context = await service.threads.context(thread.id, { budget: 2_000 }, { owner: customer });
  return { threadId: thread.id, memoryId, recalled: items.map(({ memory }) => memory.value), context };
}

/** Every memory passes the gate; what it denies, it says by which rule. */
export async function whyNotRemembered(service: Countersign, customer: string, value: string) {
  try {
    await service.memories.propose({
      ...{ ownerId: customer, key: 'note/payment', value, kind: 'semantic' },
      ...{ source: 'user_explicit', explicitUserRequest: true },
    });
    return [];
  } catch (error) {
    if (error instanceof CountersignError && error.code === 'memory_denied') return error.details['ruleIds'];
    throw error;
  }
}

/** What is remembered, with its history; then it is forgotten. */
export async function forget(service: Countersign, memoryId: string, customer: string) {
  const { version } = await service.memories.show(memoryId, { owner: customer });
  const history = await service.memories.history(memoryId, { owner: customer });
  await service.memories.forget(memoryId, { owner: customer, version });
  return history.length;
}

/** Documents are cited by passage; a citation stays good until the document is another one. */
export async function cite(administrator: Countersign, question: string) {
  const text = '# Broken goods\n\nWhat comes broken is refunded within 90 days.';
  await administrator.knowledge.ingest({ document: 'broken-goods', format: 'markdown', text });
  const [best] = await administrator.knowledge.search(question, { document: 'broken-goods', limit: 1 });
  return best && { citation: best.citation, quote: best.quote };
}
