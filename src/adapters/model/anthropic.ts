import Anthropic from '@anthropic-ai/sdk';
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod';
import { z } from 'zod';
import { CountersignError } from '../../domain/errors';
import type { Model, ModelCall, ModelForm, ModelMessage, ModelRequest, ModelTurn } from '../../ports/model';
import { asModelError, within } from './failures';
import { costMicros, tokenCount, type ModelSettings } from './settings';
import { answerIn, choiceOf, StructuredOutput, toolsOf } from './structuredOutput';

/** A model by Anthropic's Messages API. */
export class AnthropicModel implements Model {
  readonly name: string;
  private readonly client: Anthropic;
  private readonly structuredOutput: StructuredOutput;

  constructor(private readonly settings: ModelSettings) {
    const { name, apiKey, baseUrl } = settings;
    this.name = name;
    this.structuredOutput = new StructuredOutput(settings.structuredOutput);
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
    const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    const calls = content.flatMap((block): ModelCall[] =>
      block.type === 'tool_use' ? [{ id: block.id, name: block.name, input: block.input }] : [],
    );
    return {
      ...{ text, calls, answer: answerIn(request, { text, calls }) },
      cutOff: stopReason === 'max_tokens',
      declined: stopReason === 'refusal',
      ...{ inputTokens, outputTokens, costMicros: costMicros(this.settings, inputTokens, outputTokens) },
    };
  }

  private async asked(request: ModelRequest, signal: AbortSignal | undefined): Promise<Anthropic.Message> {
    try {
      return await this.structuredOutput.asked(request, (structured) =>
        this.client.messages.create(
          { model: this.name, ...paramsOf(request, structured) },
          { signal: within(this.settings, signal) },
        ),
      );
    } catch (error) {
      throw asModelError(error, Anthropic);
    }
  }
}

function paramsOf(
  request: ModelRequest,
  structured: boolean,
): Omit<Anthropic.MessageCreateParamsNonStreaming, 'model'> {
  const { system, messages, answer, maxOutputTokens } = request;
  const tools = toolsOf(request, structured);
  const choice = choiceOf(request, structured);
  return {
    ...{ system, max_tokens: maxOutputTokens, messages: grouped(messages) },
    ...(tools.length === 0 ? {} : { tools: tools.map(toolOf) }),
    ...(choice === undefined
      ? {}
      : { tool_choice: typeof choice === 'string' ? { type: choice } : { type: 'tool', ...choice } }),
    ...(answer && structured ? { output_config: { format: formatOf(answer) } } : {}),
  };
}

function toolOf({ name, description, schema }: ModelForm): Anthropic.Tool {
  return { name, description, input_schema: z.toJSONSchema(schema) as Anthropic.Tool.InputSchema };
}

/** Bounds that the API knows nothing of stand in its descriptions; zod checks them. */
function formatOf({ schema }: ModelForm): Anthropic.JSONOutputFormat {
  const { type, schema: known } = zodOutputFormat(schema);
  return { type, schema: known };
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
