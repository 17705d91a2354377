import OpenAI from 'openai';
import { CountersignError } from '../../domain/errors';
import type { Model, ModelCall, ModelMessage, ModelRequest, ModelTurn } from '../../ports/model';
import { modelError, unreadable, within } from './failures';
import { costMicros, tokenCount, type ModelSettings } from './settings';

/** A model by OpenAI's Chat Completions API, which many servers speak. */
export class OpenAiModel implements Model {
  readonly name: string;
  private readonly client: OpenAI;

  constructor(private readonly settings: ModelSettings) {
    const { name, apiKey, baseUrl } = settings;
    this.name = name;
    // Whether and when it is tried again is the run's to decide, by the table of errors.
    this.client = new OpenAI({
      ...{ apiKey, maxRetries: 0, organization: null, project: null },
      baseURL: baseUrl ?? 'https://api.openai.com/v1',
    });
  }

  async turn(request: ModelRequest, signal?: AbortSignal): Promise<ModelTurn> {
    const { choices, usage } = await this.asked(request, signal);
    const choice = Array.isArray(choices) ? choices[0] : undefined;
    if (!choice?.message) throw new CountersignError('model_malformed');
    const { content, tool_calls: toolCalls } = choice.message;
    const inputTokens = tokenCount(usage?.prompt_tokens);
    const outputTokens = tokenCount(usage?.completion_tokens);
    return {
      text: content ?? '',
      calls: (toolCalls ?? []).flatMap((call): ModelCall[] =>
        call.type === 'function'
          ? [{ id: call.id, name: call.function.name, input: parsed(call.function.arguments) }]
          : [],
      ),
      cutOff: choice.finish_reason === 'length',
      ...{ inputTokens, outputTokens, costMicros: costMicros(this.settings, inputTokens, outputTokens) },
    };
  }

  private async asked(
    { system, messages, tools, mustCall, maxOutputTokens }: ModelRequest,
    signal: AbortSignal | undefined,
  ): Promise<OpenAI.ChatCompletion> {
    try {
      return await this.client.chat.completions.create(
        {
          model: this.name,
          max_completion_tokens: maxOutputTokens,
          messages: [{ role: 'system', content: system }, ...messages.map(paramOf)],
          ...(tools.length === 0
            ? {}
            : {
                tools: tools.map(({ name, description, parameters }) => ({
                  type: 'function' as const,
                  function: { name, description, parameters: { ...parameters } },
                })),
              }),
          ...(mustCall === undefined
            ? {}
            : {
                tool_choice:
                  mustCall === 'any' ? 'required' : { type: 'function', function: { name: mustCall.name } },
              }),
        },
        { signal: within(this.settings, signal) },
      );
    } catch (error) {
      const timedOut =
        error instanceof OpenAI.APIUserAbortError || error instanceof OpenAI.APIConnectionTimeoutError;
      if (timedOut) throw modelError({ status: undefined, headers: undefined, timedOut });
      if (error instanceof OpenAI.APIError) {
        const { status, headers } = error as InstanceType<typeof OpenAI.APIError>;
        throw modelError({ status, headers, timedOut });
      }
      throw unreadable(error) ?? error;
    }
  }
}

function paramOf(message: ModelMessage): OpenAI.ChatCompletionMessageParam {
  if (message.role === 'user') return { role: 'user', content: message.text };
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.callId, content: message.text };
  const calls = message.calls.map(({ id, name, input }) => ({
    ...{ id, type: 'function' as const },
    function: { name, arguments: JSON.stringify(input ?? {}) },
  }));
  return {
    role: 'assistant',
    content: message.text,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

/** @returns undefined for what is no JSON */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
