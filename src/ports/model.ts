/** A JSON Schema. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
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
  readonly tools: readonly ModelTool[];
  /** `any`: it has to call a tool; a name: that one; absent: it may answer in words. */
  readonly mustCall?: 'any' | { readonly name: string };
  readonly maxOutputTokens: number;
}

export interface ModelTurn {
  readonly text: string;
  readonly calls: readonly ModelCall[];
  /** It was cut off at `maxOutputTokens`. */
  readonly cutOff: boolean;
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
   * One call; nothing is tried again here.
   * @throws CountersignError model_unavailable, model_rate_limited (details: retryAfterMs), model_timeout,
   * model_authentication, model_refused, model_malformed
   */
  turn(request: ModelRequest, signal?: AbortSignal): Promise<ModelTurn>;
}
