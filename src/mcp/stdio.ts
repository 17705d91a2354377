import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Countersign, Identity } from '../client';
import { createMcpServer } from './server';

/** Serves whoever started this process, until its standard input ends. */
export function mcpOverStdio(countersign: Countersign, holder: Identity, version: string): void {
  serveStdio(() => createMcpServer(countersign, holder, version));
}
