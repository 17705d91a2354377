import { AnthropicModel } from '../../../src/adapters/model/anthropic';
import { OpenAiModel } from '../../../src/adapters/model/openai';
import type { LookUp } from '../../../src/application/agent/askModel';
import { draftByModel, planByModel, searchInput } from '../../../src/application/agent/draftByModel';
import { standardPlan } from '../../../src/domain/agent/plan';
import { draft, input, never, proposing } from './draftFixture';
import { ModelServer, type Protocol, type Said } from './modelServer';

interface Sent {
  readonly tools?: readonly { readonly name?: string; readonly function?: { readonly name: string } }[];
  readonly tool_choice?: unknown;
  readonly output_config?: { readonly format: { readonly type: string; readonly schema: object } };
  readonly response_format?: {
    readonly type: string;
    readonly json_schema: { readonly name: string; readonly strict: boolean; readonly schema: object };
  };
}

describe.each<Protocol>(['anthropic', 'openai'])('structured output of the API of %s', (protocol) => {
  const Model = { anthropic: AnthropicModel, openai: OpenAiModel }[protocol];
  let server: ModelServer;
  beforeAll(async () => {
    server = await ModelServer.start(protocol);
  });
  afterAll(() => server.stop());
  beforeEach(() => {
    server.asked.length = 0;
  });
  const spent = async () => undefined;
  const drafting = (model: InstanceType<typeof Model>, script: Said[], lookUps: LookUp[] = []) => {
    server.script = script;
    return draftByModel(model, input, 'the context', lookUps, never, spent);
  };
  const sent = () => server.asked.map(({ body }) => JSON.parse(body) as Sent);
  const formatOf = ({ output_config: config, response_format: format }: Sent) =>
    config?.format.schema ?? format?.json_schema.schema;
  const toolsOf = ({ tools = [] }: Sent) => tools.map((tool) => tool.function?.name ?? tool.name);
  const unknownFormat: Said = {
    status: 400,
    body: JSON.stringify({
      error: {
        type: 'invalid_request_error',
        message:
          protocol === 'openai' ? 'Unknown parameter: response_format' : 'output_config: not supported',
      },
    }),
  };

  test('the schema of the answer is sent in the form that the API has for it, closed and without what it does not know', async () => {
    expect(await drafting(new Model(server.settings()), [proposing()])).toEqual(draft);
    const [first] = sent() as [Sent];
    const fields = Object.keys(draft).sort();
    const schema = formatOf(first) as {
      properties: object;
      required: string[];
      additionalProperties: boolean;
    };
    expect([Object.keys(schema.properties).sort(), [...schema.required].sort()]).toEqual([fields, fields]);
    expect(schema.additionalProperties).toBe(false);
    expect(JSON.stringify(schema)).not.toMatch(/"(min|max)Length":|"pattern":|"oneOf":/);
    expect(JSON.stringify(schema)).toContain('"damaged"');
    expect([first.tools, first.tool_choice]).toEqual([undefined, undefined]);
    if (protocol === 'openai')
      expect(first.response_format).toMatchObject({
        type: 'json_schema',
        json_schema: { name: 'propose_refund', strict: true },
      });
    else expect(first.output_config?.format.type).toBe('json_schema');
  });

  test('what it may look up are tools beside the form; at the end it has to answer', async () => {
    const lookUp: LookUp<{ query: string }> = {
      ...{ name: 'search_knowledge', description: 'Searches', schema: searchInput },
      run: async () => 'found it',
    };
    const search: Said = { calls: [{ id: 'c', name: 'search_knowledge', input: { query: 'lamps' } }] };
    await drafting(
      new Model(server.settings()),
      [search, search, search, search, search, proposing()],
      [lookUp],
    );
    const all = sent();
    expect(all.map(toolsOf)).toEqual(Array.from({ length: 6 }, () => ['search_knowledge']));
    expect(all.every((one) => formatOf(one) !== undefined)).toBe(true);
    expect(all.slice(0, -1).every((one) => one.tool_choice === undefined)).toBe(true);
    expect(all.at(-1)?.tool_choice).toEqual(protocol === 'openai' ? 'none' : { type: 'none' });
  });

  test('a server that refuses it is asked once more by a tool, and so from then on', async () => {
    const model = new Model(server.settings());
    expect(await drafting(model, [unknownFormat, proposing()])).toEqual(draft);
    expect(await drafting(model, [proposing()])).toEqual(draft);
    const all = sent();
    expect(all.map((one) => formatOf(one) !== undefined)).toEqual([true, false, false]);
    expect(all.slice(1).map(toolsOf)).toEqual([['propose_refund'], ['propose_refund']]);
    expect(JSON.stringify(all[1]?.tool_choice)).toContain('propose_refund');
  });

  test('any other refusal is no reason to ask again; nor is it asked for where it is switched off', async () => {
    const refused = drafting(new Model(server.settings()), [{ status: 400 }]);
    await expect(refused).rejects.toMatchObject({ code: 'model_refused' });
    expect(server.asked).toHaveLength(1);
    const off = new Model(server.settings({ structuredOutput: false }));
    const block = `\`\`\`json\n${JSON.stringify(draft)}\n\`\`\``;
    // Words that are JSON count as an answer, and are held to the same schema.
    expect(await drafting(off, [{ text: block }])).toEqual(draft);
    const wrong = drafting(off, [{ text: block.replace('damaged', 'fraudulent') }]);
    await expect(wrong).rejects.toMatchObject({ code: 'model_malformed' });
    expect(
      sent()
        .slice(1)
        .some((one) => formatOf(one) !== undefined),
    ).toBe(false);
  });

  test('a plan is asked for in a form as well', async () => {
    const steps = standardPlan.map(({ id: _ours, ...step }) => step);
    server.script = [{ calls: [{ id: 'p', name: 'make_plan', input: { steps } }] }];
    const made = await planByModel(new Model(server.settings()), 'goal', never, spent);
    expect(made).toEqual({ plan: standardPlan, by: 'model-1' });
    expect(JSON.stringify(formatOf((sent() as [Sent])[0]))).toContain('"look_up_order"');
  });
});
