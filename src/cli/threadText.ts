import type { AppendedMessages, Page, Thread, ThreadContext, ThreadMessage } from '../client';
import { more } from './lists';
import { table } from './terminal/table';
import { beside, printable } from './terminal/text';
import { age, clock } from './terminal/time';

export function threadStarted({ id, ownerId }: Thread): string {
  return `${id} of ${printable(ownerId)}

Add to it: countersign thread append ${id} --role user --text …
`;
}

export function threadHeading({ id, ownerId, title, version }: Thread): string {
  const about = title === null ? '' : `: ${title}`;
  return `${printable(`${id} of ${ownerId}, version ${version}${about}`)}\n\n`;
}

export function threadList(page: Page<Thread>): string {
  if (page.items.length === 0)
    return 'There is no conversation of this owner. Begin one: countersign thread start\n';
  const lines = table(page.items, [
    { title: 'THREAD', of: ({ id }) => id },
    { title: 'MESSAGES', of: ({ version }) => String(version) },
    { title: 'BEGUN', of: ({ createdAt }) => age(createdAt) },
    { title: 'LAST', of: ({ lastTurnAt }) => (lastTurnAt === null ? '' : age(lastTurnAt)), optional: true },
    { title: 'OWNER', of: ({ ownerId }) => ownerId, optional: true, cut: true },
    { title: 'TITLE', of: ({ title }) => title ?? '', optional: true, cut: true },
  ]);
  return `${lines}${more(page)}`;
}

export function messageList(page: Page<ThreadMessage>): string {
  if (page.items.length === 0) return 'Nothing of that was said here.\n';
  return `${page.items.map(messageLine).join('')}${more(page)}`;
}

function messageLine({ seq, role, text, author, toolName, at }: ThreadMessage): string {
  const who = toolName === null ? role : `${role} ${toolName}`;
  return beside(
    `${String(seq).padStart(5)}  ${clock(at)}  ${printable(who)} (${printable(author)})  `,
    printable(text),
  );
}

export function appended(id: string, { items, version }: AppendedMessages): string {
  return `${items.map(({ seq }) => `message ${seq} of ${id}`).join('\n')}; it has ${version} now\n`;
}

/** The text as it is, since line breaks and labels are the point; control characters were taken out of it. */
export function contextPage(context: ThreadContext, explain: boolean): string {
  const { text, tokens, budget, counter, manifest } = context;
  const margin = Math.round(counter.margin * 100);
  const left = manifest.filter(({ included }) => !included).length;
  const total = `\n${tokens} of ${budget} tokens (${counter.name}, ${margin} % margin); left out: ${left}\n`;
  if (!explain) return `${text}${total}`;
  const lines = table(manifest, [
    { title: 'SECTION', of: ({ section }) => section },
    { title: 'ITEM', of: ({ id }) => id },
    { title: 'IN', of: ({ included }) => (included ? 'yes' : 'no') },
    { title: 'TOKENS', of: (item) => (item.included ? String(item.tokens) : '') },
    { title: 'WHY', of: ({ why }) => why ?? '', cut: true },
  ]);
  return `${text}${total}\n${lines}`;
}
