import { LazyModel } from '../adapters/model/lazyModel';
import { ModelSummarizer } from '../adapters/model/modelSummarizer';
import type { Model } from '../ports/model';
import type { Summarizer } from '../ports/summarizer';
import type { Settings } from './settings';
import { modelSettings } from './wiring';

/** The model that was chosen, and the summaries it makes; nothing where rules were. */
export function modelParts(settings: Settings): { readonly model?: Model; readonly summarizer?: Summarizer } {
  const chosen = modelSettings(settings);
  if (!chosen) return {};
  const model = new LazyModel(chosen);
  return { model, summarizer: new ModelSummarizer(model) };
}
