import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings } from '../settings';
import { up } from '../up';
import { Checks } from './checks';
import { Interruption } from './interruption';
import { Narrator } from './narrator';
import { Stage, type Scene } from './stage';

export interface DemoOptions {
  /** The checks as one JSON object on standard output; the story on standard error. */
  readonly json: boolean;
  readonly keep: boolean;
  readonly title: string;
  readonly scenes: readonly Scene[];
}

export const exitCodes = { passed: 0, failed: 1, interrupted: 130 } as const;

/** Ports of our own, away from those that `up` likes, so that one that runs already is not disturbed. */
const portBase = () => randomInt(20_000, 30_000);

/** Plays every scene in a fresh data folder. @returns the exit code */
export async function runDemo({ json, keep, title, scenes }: DemoOptions): Promise<number> {
  const narrator = new Narrator(json ? process.stderr : process.stdout);
  const checks = new Checks(narrator);
  const dataDir = mkdtempSync(join(tmpdir(), 'countersign-demo-'));
  const interruption = new Interruption();
  let complete = false;
  process.once('exit', () => {
    const remove = interruption.happened || (complete && checks.failed === 0);
    if (remove && !keep) rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 });
  });

  narrator.title(title);
  try {
    await play(scenes, dataDir, narrator, checks, interruption);
  } catch (error) {
    if (!interruption.happened) checks.broken(error);
  } finally {
    interruption.dispose();
  }
  if (interruption.happened) {
    narrator.line('demo: interrupted; everything that it started is stopped');
    return exitCodes.interrupted;
  }
  complete = true;
  const { passed, failed } = checks;
  const kept = keep || failed > 0;
  narrator.line('');
  if (kept) {
    narrator.line(`The data folder is kept: ${dataDir} (logs in ${join(dataDir, 'logs')}).`);
    narrator.line(`Go on from there: COUNTERSIGN_DATA_DIR=${dataDir} npx countersign up`);
  }
  if (json) {
    const result = { passed, failed, seconds: narrator.seconds, dataDir: kept ? dataDir : null };
    process.stdout.write(`${JSON.stringify({ ...result, checks: checks.all })}\n`);
  }
  narrator.line(`demo: ${passed} checks passed, ${failed} failed`);
  return failed === 0 ? exitCodes.passed : exitCodes.failed;
}

async function play(
  scenes: readonly Scene[],
  dataDir: string,
  narrator: Narrator,
  checks: Checks,
  interruption: Interruption,
): Promise<void> {
  checks.begin('The house is built');
  const settings = embeddedSettings(dataDir);
  const starting = up(settings, { workers: 0, portBase: portBase() }, (line) => narrator.part(line));
  let stage: Stage | undefined;
  try {
    const running = await interruption.orThis(starting);
    stage = await Stage.set(settings, running, narrator, checks);
    const { pids, temporalUiUrl } = stage.report;
    const missing = Object.entries(pids).filter(([, pid]) => pid === null);
    checks.equal(
      'every part runs, and no worker yet',
      { missing, workers: pids.workers },
      { missing: [], workers: [] },
    );
    narrator.say(`Watch along in the Temporal Web UI, while this runs: ${temporalUiUrl}`);
    await interruption.orThis(playScenes(scenes, stage, interruption));
  } finally {
    narrator.say('Stopping everything.');
    if (interruption.happened) narrator.fallSilent();
    await stage?.close();
    await starting.then(
      (running) => running.stop(),
      () => undefined,
    );
  }
}

/** A scene that breaks off is a failed check, and the next one is played all the same. */
async function playScenes(scenes: readonly Scene[], stage: Stage, interruption: Interruption): Promise<void> {
  for (const [index, scene] of scenes.entries()) {
    if (interruption.happened) return;
    stage.checks.begin(scene.title);
    try {
      if (index > 0) await stage.workers.ensureOne();
      await scene.play(stage);
    } catch (error) {
      stage.checks.broken(error);
    }
  }
}

/** All parts embedded, whatever servers the environment names: the demo kills them. */
function embeddedSettings(dataDir: string) {
  const { HOME, XDG_CACHE_HOME, TEMPORAL_CLI_PATH } = readSettings();
  return readSettings({ HOME, XDG_CACHE_HOME, TEMPORAL_CLI_PATH, COUNTERSIGN_DATA_DIR: dataDir });
}
