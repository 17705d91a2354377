import type { Model, ModelRequest, ModelTurn } from '../../ports/model';
import type { ModelSettings } from './settings';

/** A model whose SDK is loaded with the first question: most processes never ask one. */
export class LazyModel implements Model {
  readonly name: string;
  private loaded: Promise<Model> | undefined;

  constructor(private readonly settings: ModelSettings) {
    this.name = settings.name;
  }

  async turn(request: ModelRequest, signal?: AbortSignal): Promise<ModelTurn> {
    return (await (this.loaded ??= load(this.settings))).turn(request, signal);
  }
}

async function load(settings: ModelSettings): Promise<Model> {
  return settings.kind === 'anthropic'
    ? new (await import('./anthropic.js')).AnthropicModel(settings)
    : new (await import('./openai.js')).OpenAiModel(settings);
}
