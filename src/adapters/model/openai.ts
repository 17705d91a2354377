import OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { z } from 'zod';
import { CountersignError } from '../../domain/errors';
import type { Model, ModelCall, ModelForm, ModelMessage, ModelRequest, ModelTurn } from '../../ports/model';
import { asModelError, within } from './failures';
import { costMicros, tokenCount, type ModelSettings } from './settings';
import { answerIn, choiceOf, parsedJson, StructuredOutput, toolsOf } from './structuredOutput';

/** A model by OpenAI's Chat Completions API, which many servers speak. */
export class OpenAiModel implements Model {
  readonly name: string;
  private readonly client: OpenAI;
  private readonly structuredOutput: StructuredOutput;

  constructor(private readonly settings: ModelSettings) {
    const { name, apiKey, baseUrl } = settings;
    this.name = name;
    this.structuredOutput = new StructuredOutput(settings.structuredOutput);
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
    const { content, tool_calls: toolCalls, refusal } = choice.message;
    const text = content ?? '';
    const calls = (toolCalls ?? []).flatMap((call): ModelCall[] =>
      call.type === 'function'
        ? [{ id: call.id, name: call.function.name, input: parsedJson(call.function.arguments) }]
        : [],
    );
    const inputTokens = tokenCount(usage?.prompt_tokens);
    const outputTokens = tokenCount(usage?.completion_tokens);
    return {
      ...{ text, calls, answer: answerIn(request, { text, calls }) },
      cutOff: choice.finish_reason === 'length',
      declined: choice.finish_reason === 'content_filter' || (refusal ?? '') !== '',
      ...{ inputTokens, outputTokens, costMicros: costMicros(this.settings, inputTokens, outputTokens) },
    };
  }

  private async asked(
    request: ModelRequest,
    signal: AbortSignal | undefined,
  ): Promise<OpenAI.ChatCompletion> {
    try {
      return await this.structuredOutput.asked(request, (structured) =>
        this.client.chat.completions.create(
          { model: this.name, ...paramsOf(request, structured) },
          { signal: within(this.settings, signal) },
        ),
      );
    } catch (error) {
      throw asModelError(error, OpenAI);
    }
  }
}

function paramsOf(
  request: ModelRequest,
  structured: boolean,
): Omit<OpenAI.ChatCompletionCreateParamsNonStreaming, 'model'> {
  const { system, messages, answer, maxOutputTokens } = request;
  const tools = toolsOf(request, structured);
  const choice = choiceOf(request, structured);
  return {
    max_completion_tokens: maxOutputTokens,
    messages: [{ role: 'system', content: system }, ...messages.map(paramOf)],
    ...(tools.length === 0 ? {} : { tools: tools.map(toolOf) }),
    ...(choice === undefined ? {} : { tool_choice: choiceParam(choice) }),
    ...(answer && structured ? { response_format: formatOf(answer) } : {}),
  };
}

function toolOf({ name, description, schema }: ModelForm): OpenAI.ChatCompletionFunctionTool {
  return { type: 'function', function: { name, description, parameters: z.toJSONSchema(schema) } };
}

function choiceParam(
  choice: NonNullable<ReturnType<typeof choiceOf>>,
): OpenAI.ChatCompletionToolChoiceOption {
  if (typeof choice !== 'string') return { type: 'function', function: choice };
  return choice === 'any' ? 'required' : choice;
}

/** No part of what strict schemas may say there; zod checks what they say. */
const unknownThere: readonly string[] = ['minLength', 'maxLength', 'pattern', 'format', 'examples'];

function formatOf({ name, schema }: ModelForm): OpenAI.ResponseFormatJSONSchema {
  const { type, json_schema: known } = zodResponseFormat(schema, name);
  const { schema: strict = {}, ...rest } = known;
  return { type, json_schema: { ...rest, schema: withoutBounds(strict) } };
}

/** A field that is called like one of those has a schema of its own, not a figure, a word or a list. */
function withoutBounds(schema: Record<string, unknown>): Record<string, unknown> {
  const isBound = (key: string, value: unknown) =>
    unknownThere.includes(key) && (typeof value !== 'object' || Array.isArray(value));
  const text = JSON.stringify(schema, (key, value: unknown) => (isBound(key, value) ? undefined : value));
  return JSON.parse(text) as Record<string, unknown>;
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
