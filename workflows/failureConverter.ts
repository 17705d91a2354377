import { DefaultFailureConverter } from '@temporalio/common';

/** Where payloads are encrypted: messages and stack traces of failures become payloads too. */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
