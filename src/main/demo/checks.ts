import { isDeepStrictEqual } from 'node:util';
import type { Narrator } from './narrator';

export interface Check {
  readonly scene: string;
  readonly name: string;
  readonly passed: boolean;
  readonly expected?: unknown;
  readonly seen?: unknown;
}

/** Every claim of the story under a name of its own; what was expected and seen is kept where it fails. */
export class Checks {
  readonly all: Check[] = [];
  private scene = '';

  constructor(private readonly narrator: Narrator) {}

  begin(scene: string): void {
    this.scene = scene;
    this.narrator.scene(scene);
  }

  equal(name: string, seen: unknown, expected: unknown): void {
    const passed = isDeepStrictEqual(seen, expected);
    this.add({ scene: this.scene, name, passed, ...(passed ? {} : { expected, seen }) });
  }

  /** A scene that could not be played to its end has failed, whatever its checks said before. */
  broken(error: unknown): void {
    const seen = error instanceof Error ? error.message : String(error);
    this.add({
      scene: this.scene,
      name: 'the scene reaches its end',
      passed: false,
      expected: 'no error',
      seen,
    });
  }

  get passed(): number {
    return this.all.filter(({ passed }) => passed).length;
  }

  get failed(): number {
    return this.all.length - this.passed;
  }

  private add(check: Check): void {
    this.all.push(check);
    this.narrator.check(check);
  }
}
