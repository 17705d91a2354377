import type { CallOptions, Transport } from './transport';
import type { BrakeState } from './types';

/** `countersign.brake`: the kill switch of the tenant. Pulled, no call to the payment provider starts. */
export class Brake {
  constructor(private readonly transport: Transport) {}

  async show(options: CallOptions = {}): Promise<BrakeState> {
    return (await this.transport.call<BrakeState>({ path: '/v1/brake', ...options })).body;
  }

  /** Administrators only. @throws CountersignError forbidden, invalid_request, sensitive_text */
  async pull(reason: string, options: CallOptions = {}): Promise<BrakeState> {
    return this.move(true, reason, options);
  }

  /** What waited goes on by itself. @throws CountersignError as pull */
  async release(reason: string, options: CallOptions = {}): Promise<BrakeState> {
    return this.move(false, reason, options);
  }

  private async move(engaged: boolean, reason: string, options: CallOptions): Promise<BrakeState> {
    const body = { engaged, reason };
    return (await this.transport.call<BrakeState>({ method: 'POST', path: '/v1/brake', body, ...options }))
      .body;
  }
}
