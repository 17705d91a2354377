import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Stripe from 'stripe';

interface Waiter {
  charge: string;
  count: number;
  resolve: (events: Stripe.Event[]) => void;
}

/** A shop's webhook address: checks each signature with the official client and remembers the events. */
export class WebhookReceiver {
  readonly events: Stripe.Event[] = [];
  readonly refused: string[] = [];
  secret = '';
  /** Statuses of the next answers; afterwards 200. */
  readonly answers: number[] = [];
  private waiters: Waiter[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<WebhookReceiver> {
    const server = createServer();
    const receiver = new WebhookReceiver(server);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const status = receiver.answers.shift() ?? 200;
        response.writeHead(status).end();
        if (status === 200) receiver.take(Buffer.concat(chunks), request.headers['stripe-signature']);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}/hook`;
  }

  private take(body: Buffer, signature: string | string[] | undefined): void {
    try {
      this.events.push(Stripe.webhooks.constructEvent(body, String(signature), this.secret));
    } catch (error) {
      this.refused.push(String(error));
    }
    this.waiters = this.waiters.filter(({ charge, count, resolve }) => {
      const events = this.of(charge);
      if (events.length < count) return true;
      resolve(events);
      return false;
    });
  }

  /** What has come so far about a charge, in the order of arrival. */
  of(charge: string): Stripe.Event[] {
    return this.events.filter(({ data }) => {
      const object = data.object as { id?: string; charge?: unknown };
      return object.id === charge || object.charge === charge;
    });
  }

  /** Waits until so many events about a charge have come. */
  async received(charge: string, count: number): Promise<Stripe.Event[]> {
    const events = this.of(charge);
    return events.length >= count
      ? events
      : new Promise((resolve) => this.waiters.push({ charge, count, resolve }));
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
