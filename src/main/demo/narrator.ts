import type { WriteStream } from 'node:tty';
import { inspect } from 'node:util';
import type { Check } from './checks';

/** Tells the story: short lines with the seconds since the beginning; colours only where a person watches. */
export class Narrator {
  private readonly began = performance.now();
  private readonly coloured: boolean;
  private scenes = 0;
  private silent = false;

  constructor(private readonly stream: WriteStream) {
    // hasColors knows NO_COLOR.
    this.coloured = stream.isTTY && stream.hasColors();
  }

  get seconds(): number {
    return Math.round((performance.now() - this.began) / 100) / 10;
  }

  title(text: string): void {
    this.line(this.paint('1', text));
  }

  scene(title: string): void {
    this.scenes += 1;
    this.tell(`\n${this.paint('1', `${this.scenes}. ${title}`)}`);
  }

  say(text: string): void {
    this.tell(`${this.paint('2', this.clock())}  ${text}`);
  }

  /** What a process does by itself. */
  part(text: string): void {
    this.tell(this.paint('2', `${this.clock()}  | ${text}`));
  }

  check({ name, passed, expected, seen }: Check): void {
    const mark = passed ? this.paint('32', '✓') : this.paint('31', '✗');
    this.tell(`${' '.repeat(9)}${mark} ${name}`);
    if (passed) return;
    this.tell(`${' '.repeat(11)}expected: ${show(expected)}`);
    this.tell(`${' '.repeat(11)}seen:     ${show(seen)}`);
  }

  line(text: string): void {
    this.stream.write(`${text}\n`);
  }

  /** The story is over: a scene that goes on for a moment is not told. */
  fallSilent(): void {
    this.silent = true;
  }

  private tell(text: string): void {
    if (!this.silent) this.line(text);
  }

  private clock(): string {
    return `${this.seconds.toFixed(1)} s`.padStart(7);
  }

  private paint(code: string, text: string): string {
    return this.coloured ? `\u001b[${code}m${text}\u001b[0m` : text;
  }
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : inspect(value, { depth: 6, breakLength: 120 });
}
