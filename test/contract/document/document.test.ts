import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { lint, lintFromString, loadConfig } from '@redocly/openapi-core';
import { errorCatalogue } from '../../../src/domain/errors';
import { packageRoot } from '../../../src/main/version';
import { openApiFile, openApiText, unconnectedApi } from '../../../src/main/writeOpenApi';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a document is whatever it is
type Json = Record<string, any>;
const document = JSON.parse(openApiText()) as Json;
const lintConfig = () => loadConfig({ configPath: join(__dirname, 'redocly.yaml') });

/** `[method, path, operation]` of everything that is documented. */
const operations = Object.entries(document['paths'] as Json).flatMap(([path, methods]) =>
  Object.entries(methods as Json).map(
    ([method, operation]) => [method.toUpperCase(), path, operation as Json] as const,
  ),
);

describe('the OpenAPI document', () => {
  test('docs/openapi.json is what the code says; if not: npm run build && npm run openapi', () => {
    expect(existsSync(openApiFile)).toBe(true);
    expect(JSON.parse(readFileSync(openApiFile, 'utf8'))).toEqual(document);
    expect(readFileSync(openApiFile, 'utf8')).toBe(openApiText());
  });

  test('everything served is documented, and everything documented is served', () => {
    const served = unconnectedApi()
      .routes.filter((route) => route.method !== 'ALL')
      .map((route) => `${route.method} ${route.path.replace(/:(\w+)/g, '{$1}')}`);
    const documented = operations.map(([method, path]) => `${method} ${path}`);
    expect(new Set(served.filter((route) => route !== 'GET /openapi.json'))).toEqual(new Set(documented));
    expect(documented).toHaveLength(new Set(documented).size);
  });

  test('its lint finds nothing', async () => {
    const config = await lintConfig();
    const problems = await lint({ ref: openApiFile, config });
    const [ignored, found] = [true, false].map((is) => problems.filter((p) => (p.ignored ?? false) === is));
    expect(found?.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual(
      [],
    );
    // What is excepted is still there; an exception that nothing needs goes.
    const excepted = Object.values(config.styleguide.ignore).flatMap((rules) => Object.values(rules));
    expect(ignored).toHaveLength(excepted.reduce((sum, pointers) => sum + pointers.size, 0));
  });

  test('control: the lint misses no operation without a summary, tag or security, and no example that does not fit', async () => {
    const config = await lintConfig();
    const broken = structuredClone(document);
    const { get } = (broken['paths'] as Json)['/v1/self'];
    for (const member of ['summary', 'tags', 'security', 'operationId']) delete get[member];
    broken['components'].schemas.Amount.example = { value: 49 };
    const problems = await lintFromString({ source: JSON.stringify(broken), config });
    expect(problems.map(({ ruleId }) => ruleId)).toEqual(
      expect.arrayContaining([
        ...['operation-summary', 'operation-operationId', 'security-defined', 'no-invalid-schema-examples'],
      ]),
    );
  });

  test("the client's types are those of the document; if not: npm run openapi", async () => {
    const check = promisify(execFile)('npm', ['run', '-s', 'openapi:types', '--', '--check'], {
      cwd: packageRoot,
    });
    await expect(check).resolves.toBeDefined();
  });

  test('R38: every call under /v1 asks for a bearer token, but for signed events; no other does; and each says how it may be refused', () => {
    for (const [method, path, operation] of operations) {
      const guarded = path.startsWith('/v1/') && !path.startsWith('/v1/webhooks/');
      expect({ call: `${method} ${path}`, security: operation['security'] }).toEqual({
        call: `${method} ${path}`,
        security: guarded ? [{ bearer: [] }] : [],
      });
      const takesBody = 'requestBody' in operation;
      const expected = [
        ...(guarded ? ['401'] : []),
        ...(guarded && !path.startsWith('/v1/self') ? ['403'] : []),
        ...(guarded && path.includes('{') ? ['404'] : []),
        ...(takesBody ? ['400', '413', ...(guarded ? ['415'] : []), '422'] : []),
        ...(path.startsWith('/v1/') ? ['500', '503'] : []),
      ];
      const answered = Object.keys(operation['responses'] as Json);
      expect({ call: `${method} ${path}`, missing: expected.filter((s) => !answered.includes(s)) }).toEqual({
        call: `${method} ${path}`,
        missing: [],
      });
    }
    expect(document['components'].securitySchemes.bearer).toEqual({ type: 'http', scheme: 'bearer' });
  });

  test('R14: a problem has one of the codes of the catalogue', () => {
    const { ErrorCode, Problem } = document['components'].schemas;
    expect(Problem.properties.code).toEqual({ $ref: '#/components/schemas/ErrorCode' });
    expect(ErrorCode.enum).toEqual(Object.keys(errorCatalogue));
  });
});
