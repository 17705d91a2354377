import { Command, CommanderError } from 'commander';
import { addAdminCommands } from './admin';
import { addApprovalCommands } from './approvals';
import { addAuditCommands } from './audit';
import { addBrakeCommands } from './brake';
import { addDoctorCommand } from './doctor';
import { addMcpCommand } from './mcp';
import { addErasureCommands } from './erase';
import { exitCodeOf, printError, UsageError } from './failure';
import { addKnowledgeCommands } from './knowledge';
import { addMemorySearch } from './memorySearch';
import { addMemoryCommands } from './memory';
import { addPolicyCommands } from './policy';
import { addPaymentCommands } from './payment';
import { addReconcileCommands } from './reconcile';
import { addRefundCommands } from './refund';
import { addSandboxCommands } from './sandbox';
import { addServerCommands } from './servers';
import { addThreadCommands } from './thread';
import { version } from '../main/version';

function program(json: boolean): Command {
  const root = new Command('countersign')
    .description('Refunds that run durably on Temporal, with human approval and governed memory')
    .version(version)
    .showHelpAfterError(json ? false : '(add --help for what this command takes)')
    .configureOutput({
      outputError: (text, write) => {
        if (json) printError(new UsageError(text.trim().replace(/^error: /, '')), true);
        else write(text);
      },
    })
    .exitOverride();
  addServerCommands(root);
  addRefundCommands(root);
  addApprovalCommands(root);
  addPaymentCommands(root);
  addReconcileCommands(root);
  addThreadCommands(root);
  addBrakeCommands(root);
  addAuditCommands(root);
  addMemoryCommands(root);
  addPolicyCommands(root);
  addMemorySearch(root);
  addKnowledgeCommands(root);
  addSandboxCommands(root);
  addAdminCommands(root);
  addMcpCommand(root);
  addErasureCommands(root);
  addDoctorCommand(root);
  return root;
}

async function main(): Promise<void> {
  const json = process.argv.includes('--json');
  try {
    await program(json).parseAsync(process.argv);
  } catch (error) {
    // Commander has printed its own message already.
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : 2;
      return;
    }
    printError(error, json);
    process.exitCode = exitCodeOf(error);
  }
}

// `countersign refund list | head` closes the pipe when it has seen enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  throw error;
});

void main();
