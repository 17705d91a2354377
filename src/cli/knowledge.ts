import type { Command } from 'commander';
import type { IngestedDocument, KnowledgePassage } from '../client';
import { callsApi, connect, readsApi, type ConnectionOptions } from './connection';
import { UsageError } from './failure';
import { ingestedFilesText, ingestFiles } from './knowledgeBatch';
import { sourcesAt, type Source } from './knowledgeFiles';
import { documentPage, documentTable, ingestedTable, passageText, passagesFound } from './knowledgeText';
import { listOptions, more, showList, type ListOptions } from './lists';
import { atMost50 } from './numbers';
import { answer, example, remark } from './output';
import { shown } from './watch';

interface IngestOptions extends ConnectionOptions {
  readonly id?: string;
  readonly title?: string;
}

/** `countersign knowledge …` */
export function addKnowledgeCommands(root: Command): void {
  const knowledge = root.command('knowledge').description('documents that are found and cited by passage');

  callsApi(
    knowledge
      .command('ingest')
      .description('put documents in place of their earlier versions; administrators only')
      .argument('<path>', 'a file (.md, .html or .txt), or a folder with such files')
      .option('--id <document>', 'what citations call it; made of the name without it')
      .option('--title <title>', 'by default its first heading'),
  )
    .addHelpText(
      'after',
      example('knowledge ingest handbook.md --id refund-handbook', 'knowledge ingest guides/'),
    )
    .action(ingest);

  callsApi(
    knowledge
      .command('search')
      .description('find passages by words and ids, best first')
      .argument('<words...>')
      .option('--document <document>', 'in this one alone')
      .option('--limit <n>', 'how many, 1 to 50', atMost50),
  )
    .addHelpText('after', example('knowledge search damaged on arrival'))
    .action(async (words: string[], options: ConnectionOptions & { document?: string; limit?: number }) => {
      const { document, limit } = options;
      const items = await connect(options).knowledge.search(words.join(' '), { document, limit });
      answer(options.json, { items }, () => passagesFound(items));
    });

  readsApi(listOptions(knowledge.command('list').description('documents')))
    .addHelpText('after', example('knowledge list'))
    .action(async (options: ListOptions & ConnectionOptions) => {
      const { knowledge: documents } = connect(options);
      await showList(
        options,
        {},
        { page: (filter) => documents.list(filter), all: (filter) => documents.all(filter) },
        (page) => documentTable(page.items) + more(page),
      );
    });

  readsApi(
    knowledge
      .command('show')
      .description('a document with its passages, or the passage that a citation names')
      .argument('<document>', 'its id, or knowledge:<document>#<version>.<passage>'),
  )
    .addHelpText(
      'after',
      example('knowledge show refund-handbook', 'knowledge show knowledge:refund-handbook#1.4'),
    )
    .action(show);

  callsApi(
    knowledge
      .command('delete')
      .description('remove a document with all its passages; administrators only')
      .argument('<document>'),
  )
    .addHelpText('after', example('knowledge delete old-handbook'))
    .action(async (document: string, options: ConnectionOptions) => {
      await connect(options).knowledge.delete(document);
      answer(options.json, { document, deleted: true }, () => `${document} is gone, with its passages.\n`);
    });
}

/** More files than these go as a batch, which the workers carry on by themselves. */
const mostOneByOne = 20;

async function ingest(path: string, { id, title, ...options }: IngestOptions): Promise<void> {
  const sources = sourcesAt(path);
  if (sources.length > 1 && (id !== undefined || title !== undefined))
    throw new UsageError('--id and --title name one document; a folder has several');
  const { knowledge, batches } = connect(options);
  if (sources.length > mostOneByOne) {
    const ingested = await ingestFiles(batches, sources, options.json);
    answer(options.json, ingested, () => ingestedFilesText(ingested));
    return;
  }
  const items: IngestedDocument[] = [];
  for (const { file, document, format, read } of sources) {
    items.push(await ingestOne({ file, document: id ?? document, format, read }));
  }
  answer(options.json, { items }, () => ingestedTable(items));

  /** What was ingested before stays; the same command again goes on with the rest. */
  async function ingestOne(source: Source): Promise<IngestedDocument> {
    try {
      return await knowledge.ingest({
        document: source.document,
        format: source.format,
        text: source.read(),
        title,
      });
    } catch (error) {
      remark(options.json, `${source.file} was refused; ${items.length} of ${sources.length} are done`);
      throw error;
    }
  }
}

async function show(named: string, options: ConnectionOptions): Promise<void> {
  const { knowledge } = connect(options);
  if (named.includes('#')) {
    await shown(options, { read: () => knowledge.cited(named), text: passageText });
    return;
  }
  await shown(options, {
    read: async () => {
      const document = await knowledge.show(named);
      const items: KnowledgePassage[] = [];
      for await (const passage of knowledge.passages(named)) items.push(passage);
      return { ...document, items };
    },
    text: (document) => documentPage(document, document.items),
  });
}
