import type { z } from 'zod';

/** Something that a model fills in: what a tool takes, or an answer. Whoever asks checks it by the same schema. */
export interface ModelForm {
  readonly name: string;
  readonly description: string;
  readonly schema: z.ZodType;
}

/** A tool that the model wants to be called. `input` is what it gave as arguments: undefined where that is no JSON. */
export interface ModelCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export type ModelMessage =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly ModelCall[] }
  | { readonly role: 'tool'; readonly callId: string; readonly text: string };

export interface ModelRequest {
  /** What it is to do; the only text of it all that nobody outside has written. */
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  /** What it may call before it answers. */
  readonly tools: readonly ModelForm[];
  /** The form of its answer; without one it answers in words. */
  readonly answer?: ModelForm;
  /** It has to answer now, and may call nothing more. */
  readonly mustAnswer?: boolean;
  readonly maxOutputTokens: number;
}

export interface ModelTurn {
  readonly text: string;
  readonly calls: readonly ModelCall[];
  /**
   * What it gave as its answer, unchecked: undefined as `input` where that is no JSON. `callId`: the call among `calls` that
   * it stood in, where the server knows no other way. Null where it has not answered.
   */
  readonly answer: { readonly callId: string | null; readonly input: unknown } | null;
  /** It was cut off at `maxOutputTokens`. */
  readonly cutOff: boolean;
  /** It says that it will not answer this. */
  readonly declined: boolean;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** By the prices that were set, in millionths of a US dollar, rounded up; 0 where none were. */
  readonly costMicros: number;
}

/** A language model. What it says is a proposal: whoever asks checks it like any caller's body. */
export interface Model {
  /** Its own name, for records. */
  readonly name: string;
  /**
   * One turn; nothing is tried again here, but that a server which refuses structured output is asked without it.
   * @throws CountersignError model_unavailable, model_rate_limited (details: retryAfterMs), model_timeout,
   * model_authentication, model_refused, model_malformed
   */
  turn(request: ModelRequest, signal?: AbortSignal): Promise<ModelTurn>;
}
