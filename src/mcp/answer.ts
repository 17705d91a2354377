import type { CallToolResult } from '@modelcontextprotocol/server';
import { CountersignError } from '../domain/errors';

/**
 * An answer of the API as the protocol wants it: as data, and the same as text for clients that read text only. What
 * the API refuses is an answer too, with code and meaning, so that an agent can see what to do about it.
 */
export async function answered(call: () => Promise<object>): Promise<CallToolResult> {
  try {
    const content = await call();
    return { content: [asText(content)], structuredContent: { ...content } };
  } catch (error) {
    if (!(error instanceof CountersignError)) throw error;
    const { code, detail, details } = error;
    return { isError: true, content: [asText({ code, detail, ...details })] };
  }
}

function asText(content: object): { type: 'text'; text: string } {
  return { type: 'text', text: JSON.stringify(content, null, 2) };
}
