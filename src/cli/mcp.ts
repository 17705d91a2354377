import type { Command } from 'commander';
import { version } from '../main/version';
import { callsApi, connect, type ConnectionOptions } from './connection';
import { example } from './output';

/** `countersign mcp`: what an agent's host starts. */
export function addMcpCommand(root: Command): void {
  callsApi(
    root
      .command('mcp')
      .description('speak the Model Context Protocol on standard input and output, for whoever acts'),
  )
    .addHelpText(
      'after',
      `
An agent's key proposes and looks; only a person's own key decides, and nobody on what he proposed himself. The API
speaks the same protocol over HTTP at /mcp, with the key as bearer token.
${example('mcp --as acme/agent')}`,
    )
    .action(async (options: ConnectionOptions) => {
      const countersign = connect(options);
      // Says at once when the key is wrong or nobody answers, before a host waits for the first message.
      const holder = await countersign.self.show();
      const { mcpOverStdio } = await import('../mcp/stdio.js');
      mcpOverStdio(countersign, holder, version);
    });
}
