import { DefaultPayloadConverter, type Payload } from '@temporalio/common';

/** What a payload that can't be decoded turns into; no handler takes it for anything. */
export const undecodable = { countersign: 'undecodable payload' } as const;

/**
 * The default converter, except that rubbish decodes to a sentinel: a signal with undecodable bytes must be refused
 * by its handler, not stall every later workflow task (R26).
 */
class SentinelPayloadConverter extends DefaultPayloadConverter {
  override fromPayload<T>(payload: Payload): T {
    try {
      return super.fromPayload<T>(payload);
    } catch {
      return undecodable as T;
    }
  }
}

export const payloadConverter = new SentinelPayloadConverter();
