/** Ctrl-C or SIGTERM, noticed once and not the end of the process: what runs is stopped first. */
export class Interruption {
  private readonly controller = new AbortController();
  private readonly interrupt = () => this.controller.abort(new Error('the demo was interrupted'));

  constructor() {
    process.on('SIGINT', this.interrupt);
    process.on('SIGTERM', this.interrupt);
  }

  get happened(): boolean {
    return this.controller.signal.aborted;
  }

  /** What the work comes to, unless it is interrupted before. @throws Error when interrupted */
  async orThis<Result>(work: Promise<Result>): Promise<Result> {
    const { signal } = this.controller;
    signal.throwIfAborted();
    const interrupted = new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
    return Promise.race([work, interrupted]);
  }

  dispose(): void {
    process.off('SIGINT', this.interrupt);
    process.off('SIGTERM', this.interrupt);
  }
}
