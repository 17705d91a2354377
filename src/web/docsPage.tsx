import { z } from 'zod';
import type { Web, WebDependencies } from './context';
import { Page, respond } from './layout';

const operation = z.looseObject({
  summary: z.string().default(''),
  operationId: z.string().default(''),
  parameters: z
    .array(z.looseObject({ name: z.string(), in: z.string(), required: z.boolean().default(false) }))
    .default([]),
  requestBody: z.unknown().optional(),
  responses: z.record(z.string(), z.looseObject({ description: z.string().default('') })).default({}),
});
const apiDocument = z.looseObject({
  info: z.looseObject({ title: z.string(), version: z.string(), description: z.string().default('') }),
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
});

/** `/docs`: the HTTP API, as its own document describes it. */
export function docsRoutes(web: Web, { apiDocument: read }: Pick<WebDependencies, 'apiDocument'>): void {
  web.get('/docs', (c) => {
    const { info, paths } = apiDocument.parse(read());
    return respond(
      c,
      <Page title="HTTP API">
        <h1>HTTP API {info.version}</h1>
        <p>{info.description}</p>
        <p>
          The whole document, for tools: <a href="/openapi.json">openapi.json</a>. Every call but those of
          health takes <code>Authorization: Bearer</code>.
        </p>
        {Object.entries(bySubject(paths)).map(([subject, calls]) => (
          <section aria-labelledby={`of-${subject}`}>
            <h2 id={`of-${subject}`}>{subject}</h2>
            {calls.map((call) => (
              <Call {...call} />
            ))}
          </section>
        ))}
      </Page>,
    );
  });
}

interface CallProps {
  readonly method: string;
  readonly path: string;
  readonly described: z.infer<typeof operation>;
}

function bySubject(paths: z.infer<typeof apiDocument>['paths']): Record<string, CallProps[]> {
  const subjects: Record<string, CallProps[]> = {};
  for (const [path, methods] of Object.entries(paths)) {
    const [first = '', second = ''] = path.split('/').filter(Boolean);
    const subject = first === 'v1' ? second : first;
    for (const [method, described] of Object.entries(methods)) {
      const parsed = operation.safeParse(described);
      if (parsed.success) (subjects[subject] ??= []).push({ method, path, described: parsed.data });
    }
  }
  return subjects;
}

function Call({ method, path, described }: CallProps) {
  const { summary, parameters, requestBody, responses } = described;
  return (
    <details class="call">
      <summary>
        <code>
          <strong>{method.toUpperCase()}</strong> {path}
        </code>{' '}
        {summary}
      </summary>
      {parameters.length > 0 && (
        <p>
          {parameters.map(({ name, in: where, required }) => (
            <span class="tag">
              {name} ({where}
              {required ? ', required' : ''})
            </span>
          ))}
        </p>
      )}
      {requestBody !== undefined && <p class="faint">Takes a JSON body; its schema is in the document.</p>}
      <ul>
        {Object.entries(responses).map(([status, { description }]) => (
          <li>
            <code>{status}</code> {description}
          </li>
        ))}
      </ul>
    </details>
  );
}
