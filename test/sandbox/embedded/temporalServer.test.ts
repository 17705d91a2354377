import { mkdirSync } from 'node:fs';
import { once } from 'node:events';
import { Connection } from '@temporalio/client';
import { openDataFolder, type DataFolder } from '../../../src/sandbox/embedded/dataFolder';
import { claimPorts } from '../../../src/sandbox/embedded/freePort';
import { Supervisor } from '../../../src/sandbox/embedded/supervisor';
import { temporalAddress, temporalServerPart } from '../../../src/sandbox/embedded/temporalServer';
import { isThere, scratchFolder, temporalCliForTests } from './scratch';

describe('the embedded Temporal server', () => {
  const scratch = scratchFolder();
  let folder: DataFolder;
  let cliPath: string;
  let ports: { temporal: number; ui: number };

  beforeAll(async () => {
    folder = await openDataFolder(scratch.path);
    mkdirSync(folder.file('temporal'));
    cliPath = (await temporalCliForTests(scratch.path)).path;
    ports = await claimPorts(['temporal', 'ui']);
  });
  afterAll(() => {
    folder.release();
    scratch.remove();
  });

  const part = (searchAttributes: Parameters<typeof temporalServerPart>[0]['searchAttributes'] & object) =>
    temporalServerPart({
      cliPath,
      databaseFile: folder.file('temporal', 'temporal.db'),
      port: ports.temporal,
      uiPort: ports.ui,
      searchAttributes,
    });

  it('is ready with its search attributes, keeps workflows over a SIGKILL, and comes back on the same port', async () => {
    const supervisor = new Supervisor({ folder, baseEnv: process.env });
    try {
      await supervisor.start(part({ CountersignTenant: 'Keyword', CountersignAmount: 'Int' }));
      const connection = await Connection.connect({ address: temporalAddress(ports.temporal) });
      await connection.workflowService.startWorkflowExecution({
        namespace: 'default',
        workflowId: 'refund/acme/1',
        workflowType: { name: 'refund' },
        taskQueue: { name: 'countersign' },
        requestId: 'request-1',
      });
      await connection.close();
      expect((await fetch(`http://127.0.0.1:${ports.ui}/`)).status).toBe(200);

      const restarted = once(supervisor, 'restarted');
      process.kill(supervisor.pids()['temporal']!, 'SIGKILL');
      await restarted;

      const again = await Connection.connect({ address: temporalAddress(ports.temporal) });
      const found = await again.workflowService.describeWorkflowExecution({
        namespace: 'default',
        execution: { workflowId: 'refund/acme/1' },
      });
      const { customAttributes } = await again.operatorService.listSearchAttributes({ namespace: 'default' });
      await again.close();
      expect(found.workflowExecutionInfo?.type?.name).toBe('refund');
      expect(Object.keys(customAttributes)).toEqual(
        expect.arrayContaining(['CountersignTenant', 'CountersignAmount']),
      );
    } finally {
      await supervisor.stop();
    }
  });

  it('adds search attributes that a database of an earlier version lacks', async () => {
    const supervisor = new Supervisor({ folder, baseEnv: process.env });
    try {
      await supervisor.start(part({ CountersignTenant: 'Keyword', CountersignGroup: 'KeywordList' }));
      const connection = await Connection.connect({ address: temporalAddress(ports.temporal) });
      const count = await connection.workflowService.countWorkflowExecutions({
        namespace: 'default',
        query: 'CountersignGroup = "finance-lead"',
      });
      await connection.close();
      expect(Number(count.count)).toBe(0);
    } finally {
      const pid = supervisor.pids()['temporal']!;
      await supervisor.stop();
      expect(isThere(pid)).toBe(false);
    }
  });

  it('says why it could not start, with the end of its log', async () => {
    const supervisor = new Supervisor({ folder, baseEnv: process.env });
    const broken = { ...part({}), args: ['server', 'start-dev', '--no-such-flag'] };
    await expect(supervisor.start(broken)).rejects.toMatchObject({
      code: 'dependency_unavailable',
      detail: expect.stringContaining('no-such-flag'),
    });
    await supervisor.stop();
  });
});
