import type { Command } from 'commander';
import { addChannelCommands } from './channel';
import { addGroupCommands } from './group';
import { addKeyCommands, addOwnKeyCommands } from './key';
import { addOwnerCommands } from './owner';
import { addPersonCommands } from './person';
import { addRetentionCommands } from './retention';
import { addTenantCommands } from './tenant';

/** `countersign admin …`, and `countersign key …` for the key that is used. */
export function addAdminCommands(root: Command): void {
  const admin = root.command('admin').description('people, groups, keys and channels of a tenant');
  addOwnerCommands(admin);
  addTenantCommands(admin);
  addPersonCommands(admin);
  addGroupCommands(admin);
  addKeyCommands(admin);
  addChannelCommands(admin);
  addRetentionCommands(admin);
  addOwnKeyCommands(root);
}
