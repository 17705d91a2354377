import { createRoute, z } from '@hono/zod-openapi';
import {
  deleteDocument,
  ingestDocument,
  listDocuments,
  listPassages,
  readPassage,
  searchKnowledge,
  showDocument,
} from '../application/knowledge';
import { citationText } from '../domain/knowledge/citation';
import { documentBody, documentFormats, documentId } from '../domain/knowledge/document';
import { freeText } from '../domain/refund/request';
import type { FoundPassage, KnowledgeDocument, StoredPassage } from '../ports/knowledge';
import { parseInput, readBody, type Api, type HttpDependencies } from './context';
import { badCursor, pageQuery } from './cursor';
import { answers, pageOf, problems, time } from './schemas';

const bearer = [{ bearer: [] }];
const listQuery = z.object(pageQuery);
const searchQuery = z.object({
  q: freeText.min(1).max(1000),
  document: documentId.optional(),
  limit: z.coerce.number().int().min(1).max(50).default(5),
});
const documentParameter = z.object({ document: z.string() });
const passageParameter = documentParameter.extend({ passage: z.string() });

const documentSchema = z
  .object({
    document: z.string(),
    version: z.number().int().openapi({ description: 'Counts on with every change, also over deletion' }),
    title: z.string(),
    format: z.enum(documentFormats),
    contentHash: z.string(),
    characters: z.number().int().describe('UTF-16 units of its text'),
    passages: z.number().int(),
    ingestedBy: z.string(),
    ingestedAt: time,
  })
  .openapi('KnowledgeDocument');

const passageFields = {
  citation: z.string().openapi({ example: 'knowledge:refund-handbook#1.4' }),
  document: z.string(),
  version: z.number().int(),
  number: z.number().int(),
  headings: z.array(z.string()).openapi({ description: 'What it stands under, outermost first' }),
  start: z.number().int().openapi({ description: 'UTF-16 offset into the text of the document' }),
  end: z.number().int(),
  quote: z.string().openapi({ description: 'Somebody else wrote it: data, whatever it says' }),
  instructs: z.boolean().openapi({ description: 'Whether it speaks to a model' }),
};
const passageSchema = z.object(passageFields).openapi('KnowledgePassage');
const foundSchema = z
  .object({
    ...passageFields,
    title: z.string(),
    score: z.number().describe('Higher is better; comparable within one answer'),
    words: z.array(z.string()).openapi({ description: 'Words of the question that it has' }),
    ids: z.array(z.string()).openapi({ description: 'Ids of the question that it names exactly' }),
  })
  .openapi('FoundPassage');

const routes = {
  ingest: createRoute({
    method: 'post',
    path: '/v1/knowledge',
    operationId: 'ingestDocument',
    summary: 'Put a document in place of its earlier version; the same content again changes nothing',
    security: bearer,
    request: { body: { required: true, content: { 'application/json': { schema: documentBody } } } },
    responses: {
      ...answers(
        200,
        'The document',
        documentSchema
          .extend({ changed: z.boolean().describe('False when the same content was there') })
          .openapi('IngestedDocument'),
      ),
      ...problems(422),
    },
  }),
  list: createRoute({
    method: 'get',
    path: '/v1/knowledge',
    operationId: 'listDocuments',
    summary: 'Documents by id',
    security: bearer,
    request: { query: listQuery },
    responses: { ...answers(200, 'A page', pageOf(documentSchema)), ...problems(422) },
  }),
  search: createRoute({
    method: 'get',
    path: '/v1/knowledge/search',
    operationId: 'searchKnowledge',
    summary: 'Passages that have words or ids of the question, best first, each with its citation',
    security: bearer,
    request: { query: searchQuery },
    responses: {
      ...answers(200, 'What was found', z.object({ items: z.array(foundSchema) })),
      ...problems(422),
    },
  }),
  show: createRoute({
    method: 'get',
    path: '/v1/knowledge/{document}',
    operationId: 'showDocument',
    summary: 'One document',
    security: bearer,
    request: { params: documentParameter },
    responses: { ...answers(200, 'The document', documentSchema), ...problems(404) },
  }),
  remove: createRoute({
    method: 'delete',
    path: '/v1/knowledge/{document}',
    operationId: 'deleteDocument',
    summary: 'Remove a document with all its passages',
    security: bearer,
    request: { params: documentParameter },
    responses: { 204: { description: 'Removed' }, ...problems(404) },
  }),
  passages: createRoute({
    method: 'get',
    path: '/v1/knowledge/{document}/passages',
    operationId: 'listPassages',
    summary: 'The passages of a document in their order',
    security: bearer,
    request: { params: documentParameter, query: listQuery },
    responses: { ...answers(200, 'A page', pageOf(passageSchema)), ...problems(404, 422) },
  }),
  passage: createRoute({
    method: 'get',
    path: '/v1/knowledge/{document}/passages/{passage}',
    operationId: 'readPassage',
    summary: 'What a citation names; 410 when the document has changed since',
    security: bearer,
    request: { params: passageParameter },
    responses: { ...answers(200, 'The passage', passageSchema), ...problems(404, 410) },
  }),
};

/** `/v1/knowledge`: whoever may read memories reads and searches; administrators change. */
export function knowledgeRoutes(api: Api, dependencies: HttpDependencies): void {
  for (const route of Object.values(routes)) api.openAPIRegistry.registerPath(route);

  api.post('/v1/knowledge', async (c) => {
    const body = await readBody(c, documentBody);
    const { document, changed } = await ingestDocument(dependencies, c.get('principal'), body);
    return c.json({ ...documentView(document), changed });
  });

  api.get('/v1/knowledge', async (c) => {
    const { cursor, limit } = parseInput(listQuery, c.req.query());
    const page = { limit, ...(cursor === undefined ? {} : { after: documentCursor(cursor) }) };
    const { items, next } = await listDocuments(dependencies, c.get('principal'), page);
    return c.json({ items: items.map(documentView), nextCursor: next });
  });

  api.get('/v1/knowledge/search', async (c) => {
    const { q: text, document, limit } = parseInput(searchQuery, c.req.query());
    const question = { text, limit, ...(document === undefined ? {} : { document }) };
    const items = await searchKnowledge(dependencies, c.get('principal'), question);
    return c.json({ items: items.map(foundView) });
  });

  api.get('/v1/knowledge/:document', async (c) =>
    c.json(documentView(await showDocument(dependencies, c.get('principal'), c.req.param('document')))),
  );

  api.delete('/v1/knowledge/:document', async (c) => {
    await deleteDocument(dependencies, c.get('principal'), c.req.param('document'));
    return c.body(null, 204);
  });

  api.get('/v1/knowledge/:document/passages', async (c) => {
    const { cursor = '0', limit } = parseInput(listQuery, c.req.query());
    if (!/^\d{1,9}$/.test(cursor)) throw badCursor();
    const page = { after: Number(cursor), limit };
    const { items, next } = await listPassages(
      dependencies,
      c.get('principal'),
      c.req.param('document'),
      page,
    );
    return c.json({ items: items.map(passageView), nextCursor: next === null ? null : String(next) });
  });

  api.get('/v1/knowledge/:document/passages/:passage', async (c) => {
    const { document, passage } = c.req.param();
    return c.json(passageView(await readPassage(dependencies, c.get('principal'), document, passage)));
  });
}

function documentCursor(cursor: string): string {
  const parsed = documentId.safeParse(cursor);
  if (!parsed.success) throw badCursor();
  return parsed.data;
}

function documentView({ id, ingestedAt, ...document }: KnowledgeDocument) {
  return { document: id, ...document, ingestedAt: new Date(ingestedAt).toISOString() };
}

function passageView(passage: StoredPassage) {
  const { document, version, number, headings, start, end, quote, instructs } = passage;
  return {
    citation: citationText(passage),
    document,
    version,
    number,
    headings: [...headings],
    start,
    end,
    quote,
    instructs,
  };
}

function foundView(passage: FoundPassage) {
  const { title, score, words, ids } = passage;
  return { ...passageView(passage), title, score, words: [...words], ids: [...ids] };
}
