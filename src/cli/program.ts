import { Command } from 'commander';
import { addAdminCommands } from './admin';
import { addAgentCommands } from './agent';
import { addApprovalCommands } from './approvals';
import { addAuditCommands } from './audit';
import { addBatchCommands } from './batch';
import { addBrakeCommands } from './brake';
import { addCompletionCommand } from './completion';
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
import { addRunCommands } from './run';
import { addSandboxCommands } from './sandbox';
import { addServerCommands } from './servers';
import { addThreadCommands } from './thread';
import { elsewhere, pointToHelp } from './suggestions';
import { version } from '../main/version';

/** The whole command line. `json`: mistakes in it are told as problem+json too. */
export function program(json: boolean): Command {
  const root = new Command('countersign')
    .description('Refunds that run durably on Temporal, with human approval and governed memory')
    .version(version)
    // An option belongs to the command that it stands behind, also where the group has one of that name.
    .enablePositionalOptions()
    .configureOutput({
      outputError: (text, write) => {
        const said = elsewhere(root, text);
        if (json) printError(new UsageError(said.trim().replace(/^error: /, '')), true);
        else write(said);
      },
    })
    .exitOverride();
  addServerCommands(root);
  addRefundCommands(root);
  addApprovalCommands(root);
  addPaymentCommands(root);
  addBatchCommands(root);
  addReconcileCommands(root);
  addThreadCommands(root);
  addAgentCommands(root);
  addBrakeCommands(root);
  addAuditCommands(root);
  addMemoryCommands(root);
  addPolicyCommands(root);
  addMemorySearch(root);
  addKnowledgeCommands(root);
  addRunCommands(root);
  addSandboxCommands(root);
  addAdminCommands(root);
  addMcpCommand(root);
  addErasureCommands(root);
  addDoctorCommand(root);
  addCompletionCommand(root);
  if (!json) pointToHelp(root, root.name());
  return root;
}
