import { readFileSync, rmSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Stripe from 'stripe';
import { Client, Connection } from '@temporalio/client';
import { claimPort } from '../../src/sandbox/embedded/freePort';
import { dataConverter } from '../../src/adapters/temporal/connection';
import { refundWorkflowId } from '../../src/domain/contract';
import { apiCaller, type ApiCaller } from '../support/api';
import { fileExists, startProcess, until, type TestProcess } from '../support/processes';
import type { UpReport } from '../../src/main/up';

/** `countersign up` on a data folder of its own: the parts whose death its supervisor must mend. */
export class EmbeddedUp {
  private constructor(
    readonly dataDir: string,
    private readonly process: TestProcess,
  ) {}

  static async start(): Promise<EmbeddedUp> {
    const dataDir = mkdtempSync(join(tmpdir(), 'countersign-chaos-'));
    const process = await startProcess(
      // Away from the usual ports, where a developer's own `up` may be starting at this moment.
      ['up', '--json', '--workers', '1', '--port-base', String(await claimPort())],
      { COUNTERSIGN_DATA_DIR: dataDir, COUNTERSIGN_SUPERVISED: '' },
      fileExists(join(dataDir, 'up.json')),
    );
    return new EmbeddedUp(dataDir, process);
  }

  /** As it is now: pids change with every death. */
  get report(): UpReport {
    return JSON.parse(readFileSync(join(this.dataDir, 'up.json'), 'utf8')) as UpReport;
  }

  secret(name: string): string {
    const secrets = JSON.parse(readFileSync(join(this.dataDir, 'secrets.json'), 'utf8')) as Record<
      string,
      string
    >;
    return secrets[name] ?? '';
  }

  /** The owner's login of the same database. */
  get ownerUrl(): string {
    const url = new URL(this.report.databaseUrl);
    url.username = 'countersign_owner';
    url.password = this.secret('postgres-owner');
    return url.href;
  }

  as(person: keyof UpReport['tokens']['acme']): ApiCaller {
    return apiCaller(this.report.apiUrl, this.report.tokens.acme[person]);
  }

  stripe(): Stripe {
    const { hostname, port } = new URL(this.report.providerUrl);
    return new Stripe(this.report.providerKey, {
      host: hostname,
      port,
      protocol: 'http',
      maxNetworkRetries: 2,
      telemetry: false,
    });
  }

  /** The sandbox provider's own endpoints. */
  async admin(method: 'GET' | 'POST', path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(`${this.report.providerUrl}/sandbox/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.secret('provider-admin')}`,
        'content-type': 'application/json',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
    return response.json();
  }

  /** kill -9; resolves when the supervisor has another in its place. */
  async kill(part: 'temporal' | 'api'): Promise<void> {
    const before = this.report.pids[part];
    if (before === null) throw new Error(`${part} does not run here`);
    process.kill(before, 'SIGKILL');
    await until(async () => {
      const now = this.report.pids[part];
      return now !== null && now !== before;
    });
  }

  async workflowStatus(runId: string): Promise<string> {
    const connection = await Connection.connect({ address: this.report.temporalAddress });
    try {
      const client = new Client({ connection, dataConverter });
      return (await client.workflow.getHandle(refundWorkflowId('acme', runId)).describe()).status.name;
    } finally {
      await connection.close();
    }
  }

  async stop(): Promise<void> {
    await this.process.kill('SIGTERM');
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}
