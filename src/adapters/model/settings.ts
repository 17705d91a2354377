/** How a model is reached. Prices in US dollars for a million tokens. */
export interface ModelSettings {
  readonly kind: 'anthropic' | 'openai';
  /** The model's name at its provider. */
  readonly name: string;
  readonly apiKey: string;
  /** Another address that speaks the same API. */
  readonly baseUrl?: string;
  /** Whether it is asked for structured output until it has refused that; otherwise for calls of tools alone. */
  readonly structuredOutput: boolean;
  /** For one call, ms. */
  readonly timeoutMs: number;
  readonly inputPrice: number;
  readonly outputPrice: number;
}

/** Millionths of a US dollar, rounded up: a dollar for a million tokens is one of them for each. */
export function costMicros(
  { inputPrice, outputPrice }: Pick<ModelSettings, 'inputPrice' | 'outputPrice'>,
  inputTokens: number,
  outputTokens: number,
): number {
  return Math.ceil(inputTokens * inputPrice + outputTokens * outputPrice);
}

/** What a server says about itself is not taken on trust. */
export function tokenCount(said: unknown): number {
  return typeof said === 'number' && Number.isSafeInteger(said) && said >= 0 ? said : 0;
}
