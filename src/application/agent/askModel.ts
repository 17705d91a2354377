import type { z } from 'zod';
import { CountersignError } from '../../domain/errors';
import type { Model, ModelCall, ModelForm, ModelMessage, ModelTurn } from '../../ports/model';

/** Turns of one conversation with a model; the last one has to be the answer. */
const mostTurns = 6;
/** Answers that are not of the form, before it is given up. */
const mostMistakes = 2;
const maxOutputTokens = 2_000;
/** UTF-16 units of what a tool gives back. */
const longestResult = 6_000;

/** Something that a model may look up while it thinks; it changes nothing. */
export interface LookUp<Input = unknown> extends ModelForm {
  readonly schema: z.ZodType<Input>;
  run(input: Input): Promise<string>;
}

export interface ModelQuestion<Answer> {
  readonly system: string;
  readonly prompt: string;
  readonly lookUps: readonly LookUp[];
  readonly answer: ModelForm & { readonly schema: z.ZodType<Answer> };
}

/**
 * Asks a model until it has answered in the form that was asked for, which is checked here, whatever its API promises. What
 * is not of the form is told it, by field and kind, never with what it said.
 * @param spent is called after every turn, also of a conversation that comes to nothing
 * @throws CountersignError model_malformed, model_refused, and what the model port throws
 */
export async function askModel<Answer>(
  model: Model,
  { system, prompt, lookUps, answer }: ModelQuestion<Answer>,
  signal: AbortSignal,
  spent: (turn: ModelTurn) => Promise<void>,
): Promise<Answer> {
  const messages: ModelMessage[] = [{ role: 'user', text: prompt }];
  let mistakes = 0;
  const told = (callId: string | null, text: string) =>
    messages.push(callId === null ? { role: 'user', text } : { role: 'tool', callId, text });
  for (let at = 1; at <= mostTurns; at += 1) {
    const mustAnswer = at === mostTurns || lookUps.length === 0;
    const request = { system, messages, tools: lookUps, answer, mustAnswer, maxOutputTokens };
    const turn = await model.turn(request, signal);
    await spent(turn);
    if (turn.declined) throw new CountersignError('model_refused', 'the model will not answer this');
    messages.push({ role: 'assistant', text: turn.text, calls: turn.calls });
    const given = turn.cutOff ? null : turn.answer;
    const parsed = given && answer.schema.safeParse(given.input);
    if (parsed?.success) return parsed.data;
    for (const call of turn.calls.filter(({ id }) => id !== given?.callId)) {
      const result = await lookedUp(lookUps, call);
      mistakes += result === undefined ? 1 : 0;
      told(call.id, result ?? 'There is no such tool, or not with that.');
    }
    if (given || turn.calls.length === 0) {
      mistakes += 1;
      told(
        given?.callId ?? null,
        parsed ? complaint(parsed.error) : `Answer with ${answer.name}, and with nothing else.`,
      );
    }
    if (mistakes > mostMistakes) break;
  }
  throw new CountersignError('model_malformed');
}

async function lookedUp(lookUps: readonly LookUp[], call: ModelCall): Promise<string | undefined> {
  const lookUp = lookUps.find(({ name }) => name === call.name);
  const input = lookUp?.schema.safeParse(call.input);
  if (!lookUp || !input?.success) return undefined;
  return (await lookUp.run(input.data)).slice(0, longestResult);
}

function complaint(error: z.ZodError): string {
  const issues = error.issues.slice(0, 10).map(({ path, code }) => `${path.join('.') || 'it'}: ${code}`);
  return `That is not of the form: ${issues.join('; ')}. Answer again, in the form that is asked for.`;
}
