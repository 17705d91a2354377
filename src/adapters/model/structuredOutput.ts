import type { ModelCall, ModelForm, ModelRequest, ModelTurn } from '../../ports/model';

/** What a server says that refuses structured output, in whatever words it has for it. */
const refusal =
  /response_?format|json[_ ](?:schema|mode)|structured[_ ]output|output[_ .]?(?:format|config)/i;

/**
 * Whether a server is asked for structured output: an answer that its API holds to a schema. One that has refused it once
 * gets the same question again at once, and is asked for a call of a tool from then on.
 */
export class StructuredOutput {
  constructor(private supported: boolean) {}

  async asked<Answer>(
    { answer }: ModelRequest,
    ask: (structured: boolean) => Promise<Answer>,
  ): Promise<Answer> {
    if (answer === undefined || !this.supported) return ask(false);
    try {
      return await ask(true);
    } catch (error) {
      if (!refusesIt(error)) throw error;
      this.supported = false;
      return ask(false);
    }
  }
}

/** Both SDKs give their errors a status and the server's words. */
function refusesIt(error: unknown): boolean {
  const { status, message } = error as { readonly status?: unknown; readonly message?: unknown };
  return (status === 400 || status === 422) && refusal.test(String(message));
}

/** The tools of a request; the answer is one of them where the server is not asked for structured output. */
export function toolsOf({ tools, answer }: ModelRequest, structured: boolean): readonly ModelForm[] {
  return answer === undefined || structured ? tools : [...tools, answer];
}

/** Which of those tools it has to call: `none` of them, `any` one, this one; undefined where that is its own choice. */
export function choiceOf(
  { tools, answer, mustAnswer = false }: ModelRequest,
  structured: boolean,
): 'none' | 'any' | { readonly name: string } | undefined {
  if (answer === undefined) return undefined;
  if (structured) return mustAnswer && tools.length > 0 ? 'none' : undefined;
  return mustAnswer ? { name: answer.name } : 'any';
}

/** The answer as a call of the tool of that name, else as the text of the turn, where that is JSON. */
export function answerIn(
  { answer }: ModelRequest,
  { text, calls }: { readonly text: string; readonly calls: readonly ModelCall[] },
): ModelTurn['answer'] {
  if (answer === undefined) return null;
  const call = calls.find(({ name }) => name === answer.name);
  if (call) return { callId: call.id, input: call.input };
  // A model that nothing holds to its form likes to put JSON within the marks of a block of code.
  const json = parsedJson(/^\s*```(?:json)?\s*([^]*?)\s*```\s*$/.exec(text)?.[1] ?? text);
  return json === undefined ? null : { callId: null, input: json };
}

/** @returns undefined for what is no JSON */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
