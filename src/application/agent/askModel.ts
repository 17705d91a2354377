import { z } from 'zod';
import { CountersignError } from '../../domain/errors';
import type { Model, ModelCall, ModelMessage, ModelTurn } from '../../ports/model';

/** Turns of one conversation with a model; the last one has to be the answer. */
const mostTurns = 6;
/** Answers that are not of the form, before it is given up. */
const mostMistakes = 2;
const maxOutputTokens = 2_000;
/** UTF-16 units of what a tool gives back. */
const longestResult = 6_000;

/** Something that a model may look up while it thinks; it changes nothing. */
export interface LookUp<Input = unknown> {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType<Input>;
  run(input: Input): Promise<string>;
}

export interface ModelQuestion<Answer> {
  readonly system: string;
  readonly prompt: string;
  readonly lookUps: readonly LookUp[];
  /** The tool by which it answers. */
  readonly answer: {
    readonly name: string;
    readonly description: string;
    readonly schema: z.ZodType<Answer>;
  };
}

/**
 * Asks a model until it has answered in the form that was asked for. What is not of the form is told it, by field and kind,
 * never with what it said.
 * @param spent is called after every turn, also of a conversation that comes to nothing
 * @throws CountersignError model_malformed, and what the model port throws
 */
export async function askModel<Answer>(
  model: Model,
  { system, prompt, lookUps, answer }: ModelQuestion<Answer>,
  signal: AbortSignal,
  spent: (turn: ModelTurn) => Promise<void>,
): Promise<Answer> {
  const tools = [
    ...lookUps.map(({ name, description, input }) => ({ name, description, schema: input })),
    answer,
  ].map(({ name, description, schema }) => ({
    name,
    description,
    parameters: z.toJSONSchema(schema as z.ZodType),
  }));
  const messages: ModelMessage[] = [{ role: 'user', text: prompt }];
  let mistakes = 0;
  for (let at = 1; at <= mostTurns; at += 1) {
    const mustCall = at === mostTurns || lookUps.length === 0 ? { name: answer.name } : ('any' as const);
    const turn = await model.turn({ system, messages, tools, mustCall, maxOutputTokens }, signal);
    await spent(turn);
    messages.push({ role: 'assistant', text: turn.text, calls: turn.calls });
    if (turn.calls.length === 0) {
      mistakes += 1;
      messages.push({ role: 'user', text: `Answer by calling ${answer.name}, and with nothing else.` });
    }
    for (const call of turn.calls) {
      if (call.name === answer.name && !turn.cutOff) {
        const parsed = answer.schema.safeParse(call.input);
        if (parsed.success) return parsed.data;
        mistakes += 1;
        messages.push({ role: 'tool', callId: call.id, text: complaint(parsed.error) });
        continue;
      }
      const result = await lookedUp(lookUps, call);
      mistakes += result === undefined ? 1 : 0;
      messages.push({
        role: 'tool',
        callId: call.id,
        text: result ?? 'There is no such tool, or not with that.',
      });
    }
    if (mistakes > mostMistakes) break;
  }
  throw new CountersignError('model_malformed');
}

async function lookedUp(lookUps: readonly LookUp[], call: ModelCall): Promise<string | undefined> {
  const lookUp = lookUps.find(({ name }) => name === call.name);
  const input = lookUp?.input.safeParse(call.input);
  if (!lookUp || !input?.success) return undefined;
  return (await lookUp.run(input.data)).slice(0, longestResult);
}

function complaint(error: z.ZodError): string {
  const issues = error.issues.slice(0, 10).map(({ path, code }) => `${path.join('.') || 'it'}: ${code}`);
  return `That is not of the form: ${issues.join('; ')}. Call the tool again with what it takes.`;
}
