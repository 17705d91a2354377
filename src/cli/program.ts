import { Command } from 'commander';
import { addAdminCommands } from './admin';
import { addApprovalCommands } from './approvals';
import { addAuditCommands } from './audit';
import { addBrakeCommands } from './brake';
import { addDoctorCommand } from './doctor';
import { addMcpCommand } from './mcp';
import { addErasureCommands } from './erase';
import { printError, UsageError } from './failure';
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

/** The whole command line. `json`: mistakes in it are told as problem+json too. */
export function program(json: boolean): Command {
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
