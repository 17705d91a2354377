import { pino, type Logger } from 'pino';

/** JSON lines on standard output. Values that callers or people typed are never logged, only ids, codes and kinds. */
export function createLogger(name: string, level: string): Logger {
  return pino({
    name,
    level,
    redact: {
      paths: ['*.authorization', '*.token', '*.apiKey', 'authorization', 'token', 'apiKey'],
      censor: '[redacted]',
    },
  });
}

/** What of an unexpected error may be logged: its kind, code and stack, without the message of a database or provider error. */
export function errorFields(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: typeof error };
  const code = 'code' in error ? { code: String(error.code) } : {};
  const frames = error.stack
    ?.split('\n')
    .filter((line) => line.trimStart().startsWith('at '))
    .join('\n');
  return { error: error.name, ...code, stack: frames };
}
