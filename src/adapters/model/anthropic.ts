import Anthropic from '@anthropic-ai/sdk';
import { CountersignError } from '../../domain/errors';
import type { Model, ModelCall, ModelMessage, ModelRequest, ModelTurn } from '../../ports/model';
import { modelError, unreadable, within } from './failures';
import { costMicros, tokenCount, type ModelSettings } from './settings';

/** A model by Anthropic's Messages API. */
export class AnthropicModel implements Model {
  readonly name: string;
  private readonly client: Anthropic;

  constructor(private readonly settings: ModelSettings) {
    const { name, apiKey, baseUrl } = settings;
    this.name = name;
    // Whether and when it is tried again is the run's to decide, by the table of errors.
    this.client = new Anthropic({
      apiKey,
      authToken: null,
      baseURL: baseUrl ?? null,
      maxRetries: 0,
    });
  }

  async turn(request: ModelRequest, signal?: AbortSignal): Promise<ModelTurn> {
    const answer = await this.asked(request, signal);
    const { content, stop_reason: stopReason, usage } = answer;
    if (!Array.isArray(content)) throw new CountersignError('model_malformed');
    const inputTokens = tokenCount(usage?.input_tokens);
    const outputTokens = tokenCount(usage?.output_tokens);
    return {
      text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
      calls: content.flatMap((block): ModelCall[] =>
        block.type === 'tool_use' ? [{ id: block.id, name: block.name, input: block.input }] : [],
      ),
      cutOff: stopReason === 'max_tokens',
      ...{ inputTokens, outputTokens, costMicros: costMicros(this.settings, inputTokens, outputTokens) },
    };
  }

  private async asked(
    { system, messages, tools, mustCall, maxOutputTokens }: ModelRequest,
    signal: AbortSignal | undefined,
  ): Promise<Anthropic.Message> {
    try {
      return await this.client.messages.create(
        {
          model: this.name,
          max_tokens: maxOutputTokens,
          system,
          messages: grouped(messages),
          ...(tools.length === 0
            ? {}
            : {
                tools: tools.map(({ name, description, parameters }) => ({
                  ...{ name, description },
                  input_schema: parameters as Anthropic.Tool.InputSchema,
                })),
              }),
          ...(mustCall === undefined
            ? {}
            : { tool_choice: mustCall === 'any' ? { type: 'any' } : { type: 'tool', name: mustCall.name } }),
        },
        { signal: within(this.settings, signal) },
      );
    } catch (error) {
      const timedOut =
        error instanceof Anthropic.APIUserAbortError || error instanceof Anthropic.APIConnectionTimeoutError;
      if (timedOut) throw modelError({ status: undefined, headers: undefined, timedOut });
      if (error instanceof Anthropic.APIError) {
        const { status, headers } = error as InstanceType<typeof Anthropic.APIError>;
        throw modelError({ status, headers, timedOut });
      }
      throw unreadable(error) ?? error;
    }
  }
}

/** Results of tools go together in one message of the user. */
function grouped(messages: readonly ModelMessage[]): Anthropic.MessageParam[] {
  const params: { role: 'user' | 'assistant'; content: Anthropic.ContentBlockParam[] }[] = [];
  for (const message of messages) {
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const last = params.at(-1);
    if (last?.role === role) last.content.push(...blocksOf(message));
    else params.push({ role, content: blocksOf(message) });
  }
  return params;
}

function blocksOf(message: ModelMessage): Anthropic.ContentBlockParam[] {
  if (message.role === 'user') return [{ type: 'text', text: message.text }];
  if (message.role === 'tool')
    return [{ type: 'tool_result', tool_use_id: message.callId, content: message.text }];
  const said = message.text.trim() === '' ? [] : [{ type: 'text' as const, text: message.text }];
  const calls = message.calls.map(({ id, name, input }) => ({
    type: 'tool_use' as const,
    ...{ id, name, input: input ?? {} },
  }));
  const blocks = [...said, ...calls];
  // An empty message is no message there.
  return blocks.length > 0 ? blocks : [{ type: 'text', text: '(nothing)' }];
}
